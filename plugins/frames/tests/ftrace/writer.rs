//! Writes traces of the kernel's tracer by the rules of the wire format, independent of the reader's code.

pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value /= 128;
    }
    bytes.push(value as u8);
    bytes
}

pub fn number(field: u64, value: i64) -> Vec<u8> {
    [varint(field * 8), varint(value as u64)].concat()
}

pub fn bytes(field: u64, body: &[u8]) -> Vec<u8> {
    [varint(field * 8 + 2), varint(body.len() as u64), body.to_vec()].concat()
}

/// Numbers, one after another.
fn packed(field: u64, values: &[i64]) -> Vec<u8> {
    bytes(field, &values.iter().flat_map(|value| varint(*value as u64)).collect::<Vec<_>>())
}

/// Each number as its difference from the one before.
fn steps(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut before = 0;
    values.map(|value| value - std::mem::replace(&mut before, value)).collect()
}

pub fn packet(field: u64, body: &[u8]) -> Vec<u8> {
    bytes(1, &bytes(field, body))
}

/// A bundle of one CPU: these parts, whatever they are.
pub fn bundle(cpu: i64, parts: &[Vec<u8>]) -> Vec<u8> {
    packet(1, &[number(1, cpu), parts.concat()].concat())
}

/// One event of a thread.
pub fn event(at: i64, tid: i64, kind: u64, body: &[Vec<u8>]) -> Vec<u8> {
    bytes(2, &[number(1, at), number(2, tid), bytes(kind, &body.concat())].concat())
}

pub fn mark(at: i64, tid: i64, text: &str) -> Vec<u8> {
    event(at, tid, 3, &[number(1, 77), bytes(2, text.as_bytes())])
}

/// `sched_switch`: who leaves, what it does next (the kernel's number), who comes.
pub fn switch(at: i64, before: i64, state: i64, next: i64) -> Vec<u8> {
    event(at, before, 4, &[number(2, before), number(4, state), bytes(5, b"next"), number(6, next)])
}

pub fn waking(at: i64, waker: i64, woken: i64) -> Vec<u8> {
    event(at, waker, 20, &[bytes(1, b"woken"), number(2, woken)])
}

pub fn wakeup(at: i64, waker: i64, woken: i64) -> Vec<u8> {
    event(at, waker, 17, &[bytes(1, b"woken"), number(2, woken)])
}

pub fn blocked_reason(at: i64, waker: i64, woken: i64, io: bool) -> Vec<u8> {
    event(at, waker, 18, &[number(1, woken), number(3, i64::from(io))])
}

/// `binder_transaction`.
pub fn sent(at: i64, tid: i64, id: i64, reply: bool, flags: i64) -> Vec<u8> {
    event(at, tid, 50, &[number(1, id), number(5, i64::from(reply)), number(7, flags)])
}

pub fn received(at: i64, tid: i64, id: i64) -> Vec<u8> {
    event(at, tid, 51, &[number(1, id)])
}

/// A column of `CompactSched`: switches (when, state, who comes) and wakings (when, who).
pub fn compact(switches: &[(i64, i64, i64)], wakings: &[(i64, i64)]) -> Vec<u8> {
    let column = |field, values: Vec<i64>| packed(field, &values);
    let none = |many: usize| vec![0; many];
    bytes(
        4,
        &[
            column(1, steps(switches.iter().map(|(at, ..)| *at))),
            column(2, switches.iter().map(|(_, state, _)| *state).collect()),
            column(3, switches.iter().map(|(.., next)| *next).collect()),
            column(4, none(switches.len())),
            bytes(5, b"next"),
            column(6, none(switches.len())),
            column(7, steps(wakings.iter().map(|(at, _)| *at))),
            column(8, wakings.iter().map(|(_, woken)| *woken).collect()),
            column(9, none(wakings.len())),
            column(10, none(wakings.len())),
            column(11, none(wakings.len())),
        ]
        .concat(),
    )
}

/// The kernel's release.
pub fn system(release: &str) -> Vec<u8> {
    packet(45, &bytes(1, &bytes(3, release.as_bytes())))
}

/// A process and its other threads.
pub fn process(pid: i64, name: &str, threads: &[(i64, &str)]) -> Vec<u8> {
    let thread = |(tid, name): &(i64, &str)| {
        bytes(2, &[number(1, *tid), bytes(2, name.as_bytes()), number(3, pid)].concat())
    };
    let threads: Vec<u8> = threads.iter().flat_map(thread).collect();
    packet(2, &[bytes(1, &[number(1, pid), bytes(3, name.as_bytes())].concat()), threads].concat())
}

/// `FtraceStats` of one CPU: at the end or the start, events overwritten.
pub fn stats(end: bool, cpu: i64, overrun: i64, unknown: &[&str]) -> Vec<u8> {
    let names: Vec<u8> = unknown.iter().flat_map(|name| bytes(6, name.as_bytes())).collect();
    let cpu = bytes(2, &[number(1, cpu), number(3, overrun)].concat());
    packet(34, &[number(1, if end { 2 } else { 1 }), cpu, names].concat())
}

/// The first packet of a writer of `linux.perf`: what it looks at (a tracepoint; in steps of time where it is none), by
/// which clock.
pub fn looks_at(writer: i64, tracepoint: Option<&str>, clock: i64) -> Vec<u8> {
    let timebase = match tracepoint {
        Some(name) => [number(1, 1), bytes(3, &bytes(1, name.as_bytes()))].concat(),
        None => [number(2, 200), number(4, 1)].concat(),
    };
    let defaults = [number(58, clock), bytes(12, &bytes(1, &timebase))].concat();
    bytes(1, &[number(8, 5), number(10, writer), number(13, 1), bytes(59, &defaults)].concat())
}

/// A sample of a stack, with what it is the first to name.
pub fn sampled(writer: i64, at: i64, tid: i64, stack: i64, interned: &[Vec<u8>]) -> Vec<u8> {
    let sample = [number(1, 0), number(2, 7), number(3, tid), number(4, stack)].concat();
    let packet =
        [number(8, at), number(10, writer), number(13, 2), bytes(12, &interned.concat()), bytes(66, &sample)];
    bytes(1, &packet.concat())
}

/// A sample that holds something else: these fields.
pub fn told_of_samples(writer: i64, at: i64, fields: &[Vec<u8>]) -> Vec<u8> {
    bytes(1, &[number(8, at), number(10, writer), number(13, 2), bytes(66, &fields.concat())].concat())
}

pub fn function(iid: i64, name: &str) -> Vec<u8> {
    bytes(5, &[number(1, iid), bytes(2, name.as_bytes())].concat())
}

/// A frame: its function and its mapping.
pub fn called(iid: i64, function: i64, mapping: i64) -> Vec<u8> {
    bytes(6, &[number(1, iid), number(2, function), number(3, mapping), number(4, 0x1000)].concat())
}

/// A stack, from its outermost frame on.
pub fn stack(iid: i64, frames: &[i64]) -> Vec<u8> {
    let frames: Vec<u8> = frames.iter().flat_map(|frame| number(2, *frame)).collect();
    bytes(7, &[number(1, iid), frames].concat())
}

/// A mapped file, by the parts of its path.
pub fn mapped(iid: i64, parts: &[(i64, &str)]) -> Vec<u8> {
    let paths = parts
        .iter()
        .flat_map(|(iid, part)| bytes(17, &[number(1, *iid), bytes(2, part.as_bytes())].concat()));
    let numbers: Vec<u8> = parts.iter().flat_map(|(iid, _)| number(7, *iid)).collect();
    [paths.collect(), bytes(19, &[number(1, iid), numbers].concat())].concat()
}

/// What the service says of the clocks: CLOCK_MONOTONIC and CLOCK_BOOTTIME at one instant.
pub fn clocks(monotonic: i64, boot: i64) -> Vec<u8> {
    let clock = |id: i64, at: i64| bytes(1, &[number(1, id), number(2, at)].concat());
    bytes(1, &[number(10, 1), bytes(6, &[clock(6, boot), clock(3, monotonic)].concat())].concat())
}

/// The config a trace was recorded with: the names of its sources.
pub fn asked_for(sources: &[&str]) -> Vec<u8> {
    let source = |name: &&str| bytes(2, &bytes(1, &bytes(1, name.as_bytes())));
    packet(33, &sources.iter().flat_map(source).collect::<Vec<_>>())
}

/// The release of the phone.
pub fn release(sdk: i64) -> Vec<u8> {
    packet(45, &number(5, sdk))
}
