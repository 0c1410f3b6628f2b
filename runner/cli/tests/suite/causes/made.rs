//! A shop that scrolls: forty frames in time at 120 Hz, one that waits five refreshes for a lock, one that waits as
//! long for nobody knows what. Frames, scheduler events and marks; never a cause.

use crate::analyze_trace::{APP, COMPOSED, P, SLEPT, SURFACEFLINGER, ZERO, frame, message, number, text};

const RENDER: i64 = 4_260;
const WRITER: i64 = 4_300;
const US: i64 = 1_000;
const MS: i64 = 1_000_000;
/// Refreshes each of the late frames is late by.
const LATE: i64 = 5;
const LOCK: &str = "monitor contention with owner db-writer (19) at void com.shop.db.ShopDb.flush()(ShopDb.java:88) \
                    waiters=0 blocking from int com.shop.db.ShopDb.read()(ShopDb.java:31)";

/// What happens on each CPU: when (BOOTTIME, ns), and the event.
#[derive(Default)]
struct Kernel {
    events: Vec<(i64, i64, Vec<u8>)>,
}

impl Kernel {
    fn event(&mut self, cpu: i64, at: i64, tid: i64, kind: u64, fields: &[Vec<u8>]) {
        let event = message(2, &[number(1, at + SLEPT), number(2, tid), message(kind, fields)]);
        self.events.push((cpu, at, event));
    }

    fn mark(&mut self, cpu: i64, at: i64, tid: i64, mark: &str) {
        self.event(cpu, at, tid, 3, &[text(2, mark)]);
    }

    fn slice(&mut self, cpu: i64, tid: i64, (from, to): (i64, i64), name: &str) {
        self.mark(cpu, from, tid, &format!("B|{APP}|{name}\n"));
        self.mark(cpu, to, tid, &format!("E|{APP}\n"));
    }

    /// A thread is woken, by another or an interrupt (0), and runs twenty microseconds later.
    fn wake(&mut self, cpu: i64, at: i64, waker: i64, (tid, name): (i64, &str)) {
        self.event(cpu, at, waker, 20, &[text(1, name), number(2, tid)]);
        self.switch(cpu, at + 20 * US, (0, 0), (tid, name));
    }

    /// It leaves, in this state of the kernel's, and the CPU idles.
    fn sleep(&mut self, cpu: i64, at: i64, tid: i64, state: i64) {
        self.switch(cpu, at, (tid, state), (0, "swapper"));
    }

    fn switch(&mut self, cpu: i64, at: i64, (before, state): (i64, i64), (next, name): (i64, &str)) {
        self.event(
            cpu,
            at,
            before,
            4,
            &[number(2, before), number(4, state), text(5, name), number(6, next)],
        );
    }

    /// One bundle for each CPU and stretch, as the tracer drains them.
    fn packets(mut self) -> Vec<u8> {
        self.events.sort_by_key(|(cpu, at, _)| (at / (250 * MS), *cpu, *at));
        let mut packets = Vec::new();
        for group in self.events.chunk_by(|a, b| (a.0, a.1 / (250 * MS)) == (b.0, b.1 / (250 * MS))) {
            let events: Vec<u8> = group.iter().flat_map(|(.., event)| event.clone()).collect();
            packets.extend(message(1, &[message(1, &[number(1, group[0].0), events])]));
        }
        packets
    }
}

const MAIN: (i64, &str) = (APP, "com.shop");

/// A frame's threads: main on CPU 0, RenderThread on CPU 1; `held` is how much longer main takes.
fn drawn(kernel: &mut Kernel, token: i64, from: i64, held: i64) {
    let begun = from + 500 * US;
    kernel.wake(0, from + 300 * US, 0, MAIN);
    let done = begun + 3 * MS + held;
    kernel.slice(0, APP, (begun, done), &format!("Choreographer#doFrame {token}"));
    // A little different from frame to frame, as life is.
    let layout = 800 * US + token * 37 % 200 * US;
    kernel.slice(0, APP, (begun + 100 * US, begun + 100 * US + layout), "layout");
    kernel.sleep(0, done + 50 * US, APP, 1);
    let draw = (done - 200 * US, done + 2_500 * US);
    kernel.wake(1, draw.0 - 40 * US, APP, (RENDER, "RenderThread"));
    kernel.slice(1, RENDER, draw, &format!("DrawFrames {token}"));
    kernel.sleep(1, draw.1 + 20 * US, RENDER, 1);
}

/// Main wants a lock for so long that db-writer has while it waits for the disk.
fn locked(kernel: &mut Kernel, from: i64, held: i64) {
    let (wait, free) = (from + 2 * MS, from + 2 * MS + held);
    kernel.wake(2, wait - MS, 0, (WRITER, "db-writer"));
    kernel.sleep(2, wait - 200 * US, WRITER, 2);
    kernel.mark(0, wait, APP, &format!("B|{APP}|{LOCK}\n"));
    kernel.mark(0, wait, APP, &format!("B|{APP}|Lock contention on a monitor lock (owner tid: {WRITER})\n"));
    kernel.sleep(0, wait, APP, 1);
    kernel.event(2, free - 300 * US, 0, 18, &[number(1, WRITER), number(3, 1)]);
    kernel.wake(2, free - 301 * US, 0, (WRITER, "db-writer"));
    kernel.wake(0, free - 20 * US, WRITER, MAIN);
    kernel.mark(0, free, APP, &format!("E|{APP}\n"));
    kernel.mark(0, free, APP, &format!("E|{APP}\n"));
    kernel.sleep(2, free + 100 * US, WRITER, 1);
}

/// Main waits for so long, until an interrupt wakes it.
fn silent(kernel: &mut Kernel, from: i64, held: i64) {
    kernel.sleep(0, from + 2 * MS, APP, 1);
    kernel.wake(0, from + 2 * MS + held - 20 * US, 0, MAIN);
}

/// Clocks, processes, and the frames: for which refresh each was promised, and at which it was shown.
fn frames(all: &[(i64, i64)]) -> Vec<u8> {
    let clock = |id: i64, value: i64| message(1, &[number(1, id), number(2, value)]);
    let process = |pid: i64, name: &str| message(1, &[number(1, pid), text(3, name)]);
    let thread = |tid: i64, name: &str| message(2, &[number(1, tid), text(2, name), number(3, APP)]);
    let processes = [
        process(APP, "com.shop"),
        process(SURFACEFLINGER, "/system/bin/surfaceflinger"),
        thread(RENDER, "RenderThread"),
        thread(WRITER, "db-writer"),
    ];
    let clocks = [clock(6, ZERO + SLEPT), clock(3, ZERO)];
    let mut packets = vec![
        message(1, &[message(6, &clocks), number(10, 1)]),
        message(1, &[message(2, &processes), number(10, 5)]),
    ];
    for (token, (promised, shown)) in (1..).zip(all) {
        packets.extend(frame(token, *promised, *shown));
    }
    packets.concat()
}

/// The lock in the twentieth frame, the wait without a reason in the thirtieth.
fn plan() -> Vec<(i64, i64)> {
    let mut at = 0;
    let mut all = Vec::new();
    for token in 1..=42 {
        let late = if matches!(token, 20 | 30) { LATE } else { 0 };
        all.push((at, at + late));
        at += late + 1;
    }
    all
}

fn kernel() -> Kernel {
    let mut kernel = Kernel::default();
    kernel.switch(0, ZERO - 20 * P, (0, 0), (0, "swapper"));
    for (token, (promised, shown)) in (1..).zip(plan()) {
        let from = ZERO + promised * P - COMPOSED - P;
        let held = (shown - promised) * P;
        drawn(&mut kernel, token, from, held);
        match token {
            20 => locked(&mut kernel, from, held),
            30 => silent(&mut kernel, from, held),
            _ => {}
        }
    }
    kernel
}

/// All of it.
pub fn shop() -> Vec<u8> {
    [frames(&plan()), kernel().packets()].concat()
}

/// The same, with what `linux.perf` told of main: where it was when it left its CPU in the thirtieth frame, in the
/// names of an obfuscated build.
pub fn shop_with_stacks() -> Vec<u8> {
    const WRITER: i64 = 11;
    let (promised, _) = plan()[29];
    let left = ZERO + promised * P - COMPOSED - P + 2 * MS + SLEPT;
    let names = [
        "android.view.Choreographer.doFrame",
        "nterp_op_invoke_virtual",
        "a.b.a",
        "a.c.b",
        "java.lang.Object.wait",
    ];
    let mut interned = Vec::new();
    for (iid, name) in (1..).zip(names) {
        interned.push(message(5, &[number(1, iid), text(2, name)]));
        interned.push(message(6, &[number(1, iid), number(2, iid)]));
    }
    // From the outermost call on.
    let frames = (1..=names.len() as i64).map(|iid| number(2, iid));
    interned.push(message(7, &[number(1, 1), frames.collect::<Vec<_>>().concat()]));
    let tracepoint = message(3, &[text(1, "sched/sched_switch"), text(2, "prev_comm == \"com.shop\"")]);
    let timebase = message(12, &[message(1, &[number(1, 1), tracepoint])]);
    let begun =
        [number(8, ZERO + SLEPT), number(10, WRITER), number(13, 1), message(59, &[number(58, 6), timebase])];
    let sample = message(66, &[number(1, 0), number(2, APP), number(3, APP), number(4, 1)]);
    let sampled =
        [number(8, left + 3 * US), number(10, WRITER), number(13, 2), message(12, &interned), sample];
    [shop(), message(1, &begun), message(1, &sampled)].concat()
}

/// The same, by somebody who wants to draw on the terminal of whoever reads it.
pub fn shop_of_a_stranger() -> Vec<u8> {
    let owner = b"with owner db-writer";
    let mut trace = shop();
    let places: Vec<usize> =
        trace.windows(owner.len()).enumerate().filter(|(_, text)| text == owner).map(|(at, _)| at).collect();
    assert_eq!(places.len(), 1);
    trace[places[0] + "with owner ".len()..][..4].copy_from_slice(b"\x1b[2J");
    trace
}

/// The same, and the kernel says that it overwrote events.
pub fn shop_with_losses() -> Vec<u8> {
    let end = message(34, &[number(1, 2), message(2, &[number(1, 0), number(3, 977)])]);
    [shop(), message(1, &[end])].concat()
}

/// Frames without a word of the kernel.
pub fn frames_only() -> Vec<u8> {
    frames(&plan())
}
