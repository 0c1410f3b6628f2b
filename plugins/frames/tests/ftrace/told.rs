//! What a trace made by hand says, told fact by fact.

use super::writer::*;
use farmjank_causes::fact::{Call, Fact, Segment};
use farmjank_frames::ftrace::{FtraceReader, Losses, Threads, Unusable};

/// Every fact in words, in the order of their beginnings; and what was lost.
fn told(trace: &[u8], piece: usize) -> Result<(Vec<String>, Losses), Unusable> {
    let mut facts = Vec::new();
    let mut each = |threads: &Threads, fact: Fact<'_>| facts.push(words(threads, fact));
    let mut reader = FtraceReader::default();
    trace.chunks(piece).for_each(|piece| reader.feed(piece, &mut each));
    let (losses, _) = reader.finish(&mut each)?;
    facts.sort();
    Ok((facts.into_iter().map(|(_, words)| words).collect(), losses))
}

fn facts(trace: &[Vec<u8>]) -> Vec<String> {
    let trace = trace.concat();
    let (whole, _) = told(&trace, trace.len()).expect("a trace of the kernel");
    assert_eq!(told(&trace, 3).expect("the same in pieces").0, whole);
    whole
}

fn words(threads: &Threads, fact: Fact<'_>) -> (i64, String) {
    let until = |to: Option<i64>| to.map_or("open".to_owned(), |to| to.to_string());
    match fact {
        Fact::State(Segment { thread, from, to, state, cpu, waker, io, .. }) => {
            let mut words = format!("{from}..{} {} {}", until(to), threads.tid(thread), state.letters());
            cpu.iter().for_each(|cpu| words += &format!(" on {cpu}"));
            waker.iter().for_each(|waker| words += &format!(" by {}", threads.tid(*waker)));
            io.iter().for_each(|io| words += if *io { " for a disk" } else { " for no disk" });
            (from, words)
        }
        Fact::Slice { thread, from, to, depth, name } => {
            let (tid, name) = (threads.tid(thread), String::from_utf8_lossy(name));
            (from, format!("{from}..{} {tid} {}{name}", until(to), "> ".repeat(depth)))
        }
        Fact::Async { process, from, to, name } => {
            (from, format!("{from}..{to} of {process}: {}", String::from_utf8_lossy(name)))
        }
        Fact::Call(Call { client, from, to, served }) => {
            let served = served.map(|(thread, from, to)| (threads.tid(thread), from, to));
            (from, format!("{from}..{} {} calls {served:?}", until(to), threads.tid(client)))
        }
        Fact::Message { sent, taken } => {
            let (from, to) = (threads.tid(sent.0), threads.tid(taken.0));
            (sent.1, format!("{} {from} tells {to} at {}", sent.1, taken.1))
        }
        Fact::Reclaim { thread, from, to } => {
            (from, format!("{from}..{to} {} reclaims", threads.tid(thread)))
        }
        Fact::Frequency { cpu, at, khz } => (at, format!("{at} cpu {cpu} at {khz}")),
        Fact::Limit { cpu, at, khz } => (at, format!("{at} cpu {cpu} up to {khz}")),
        Fact::GpuFrequency { at, khz } => (at, format!("{at} gpu at {khz}")),
        Fact::Lost { cpu, from, to } => (from, format!("{from}..{to} lost on {cpu}")),
    }
}

#[test]
fn a_thread_waits_is_woken_queues_and_runs_and_why_it_waited_is_told_late() {
    let plain = [
        switch(100, 0, 0, 7),
        switch(200, 7, 2, 0),
        waking(300, 9, 7),
        blocked_reason(301, 9, 7, true),
        switch(350, 0, 0, 7),
        switch(400, 7, 0x100, 9),
    ];
    let expected = [
        "100..200 7 Running on 2",
        "200..300 7 D for a disk",
        "300..350 7 R by 9",
        "350..400 7 Running on 2",
        "400..open 7 R+",
        "400..open 9 Running on 2",
    ];
    assert_eq!(facts(&[bundle(2, &plain)]), expected);
}

#[test]
fn compact_events_say_who_left_by_who_was_there_and_the_first_says_nothing() {
    let columns = compact(&[(100, 0, 7), (200, 1, 0), (350, 0, 7), (400, 1, 9)], &[(300, 7), (390, 9)]);
    let expected = [
        "200..300 7 S",
        "300..350 7 R by 0",
        "350..400 7 Running on 2",
        "390..400 9 R by 7",
        "400..open 7 S",
        "400..open 9 Running on 2",
    ];
    assert_eq!(facts(&[bundle(2, &[columns])]), expected);
}

#[test]
fn cpus_are_put_in_order_and_bundles_may_come_late() {
    let there = bundle(1, &[switch(100, 0, 0, 7), switch(300, 7, 1, 0)]);
    let here = bundle(0, &[waking(350, 5, 7), switch(400, 0, 0, 7), switch(500, 7, 1, 0)]);
    let expected = [
        "100..300 7 Running on 1",
        "300..350 7 S",
        "350..400 7 R by 5",
        "400..500 7 Running on 0",
        "500..open 7 S",
    ];
    assert_eq!(facts(&[there.clone(), here.clone()]), expected);
    assert_eq!(facts(&[here, there]), expected);
}

#[test]
fn what_was_lost_is_told_and_nobody_is_said_to_have_run_meanwhile() {
    let before = bundle(0, &[compact(&[(100, 0, 7), (200, 0, 8)], &[])]);
    let after = [number(3, 1), compact(&[(900, 1, 9), (950, 1, 0)], &[])];
    let facts = facts(&[before, bundle(0, &after)]);
    // At 900 somebody left for 9, and nobody knows who: 8 may have left long before.
    let expected = ["200..900 lost on 0", "200..open 7 R", "200..open 8 Running on 0", "950..open 9 S"];
    assert_eq!(facts, expected);
}

#[test]
fn marks_nest_and_ends_without_a_beginning_are_of_what_began_before() {
    let marks = [
        mark(100, 7, "E|7\n"),
        mark(110, 7, "B|7|outer|with bars\n"),
        mark(120, 7, "B|7|inner\n"),
        mark(130, 7, "E"),
        mark(140, 7, "S|7|load|er|-3\n"),
        event(145, 0, 331, &[number(1, 1), bytes(2, b"devfreq"), number(3, 0)]),
        event(147, 0, 331, &[number(1, 2), bytes(2, b"devfreq"), number(3, 0)]),
        event(148, 7, 348, &[number(1, 7), bytes(4, b"atomic_commit"), number(5, i64::from(b'B'))]),
        event(149, 7, 348, &[number(1, 7), bytes(4, b"atomic_commit"), number(5, i64::from(b'E'))]),
        mark(150, 9, "F|7|load|er|-3\n"),
        mark(160, 7, "E|7\n"),
    ];
    let expected = [
        "110..160 7 outer|with bars",
        "120..130 7 > inner",
        "140..150 of 7: load|er",
        "145..147 0 devfreq",
        "148..149 7 > atomic_commit",
    ];
    assert_eq!(facts(&[bundle(0, &marks)]), expected);
}

#[test]
fn calls_are_paired_with_their_answers_through_threads_that_call_themselves() {
    let calls = [
        sent(100, 7, 1, false, 0),
        received(110, 20, 1),
        sent(120, 20, 2, false, 0),
        received(130, 30, 2),
        sent(140, 30, 3, true, 0),
        received(150, 20, 3),
        sent(160, 20, 4, true, 0),
        received(170, 7, 4),
        sent(180, 7, 5, false, 1),
        received(190, 30, 5),
        sent(200, 7, 6, false, 0),
    ];
    let calls: Vec<String> = facts(&[bundle(0, &calls)])
        .into_iter()
        .filter(|fact| fact.contains("calls") || fact.contains("tells"))
        .collect();
    let expected = [
        "100..170 7 calls Some((20, 110, Some(160)))",
        "120..150 20 calls Some((30, 130, Some(140)))",
        "180 7 tells 30 at 190",
        "200..open 7 calls None",
    ];
    assert_eq!(calls, expected);
}

#[test]
fn threads_are_born_into_processes_and_numbers_come_back() {
    let born = |at, parent, tid, flags| {
        event(at, parent, 235, &[number(1, tid), bytes(2, b"RenderThread"), number(3, flags)])
    };
    let trace = [
        process(7, "com.shop", &[(8, "Binder:7_1")]),
        bundle(
            0,
            &[born(100, 7, 9, 0x1_0000), switch(110, 0, 0, 9), switch(120, 9, 0x10, 0), born(200, 1, 9, 0)],
        ),
    ]
    .concat();
    let mut of = Vec::new();
    let mut each = |threads: &Threads, fact: Fact<'_>| {
        if let Fact::State(Segment { thread, from, .. }) = fact {
            of.push((from, threads.name(thread), threads.process(thread)));
        }
    };
    let mut reader = FtraceReader::default();
    reader.feed(&trace, &mut each);
    let (_, threads) = reader.finish(&mut each).expect("a trace of the kernel");
    of.sort();
    let name = |name: &str| name.to_owned();
    // Named by the switch that brought it onto its CPU, before its first state was over.
    assert_eq!(of[0], (100, name("next"), Some(7)));
    assert_eq!(of[3], (200, name("RenderThread"), Some(9)));
    assert_eq!(threads.process_name(7), Some("com.shop"));
    let binder = threads.find(8).map(|thread| (threads.name(thread), threads.process(thread)));
    assert_eq!(binder, Some((name("Binder:7_1"), Some(7))));
}

#[test]
fn older_kernels_number_states_otherwise_and_tell_of_wakeups_alone() {
    let trace = |release: &str| {
        let events = [
            switch(100, 0, 0, 7),
            switch(200, 7, 0x1000, 8),
            switch(300, 8, 1, 7),
            wakeup(350, 7, 8),
            switch(400, 7, 1, 8),
        ];
        facts(&[system(release), bundle(0, &events)])
    };
    assert_eq!(trace("4.9.270-g1")[1..4], ["200..300 7 R+", "200..300 8 Running on 0", "300..350 8 S"]);
    assert_eq!(trace("5.10.1")[1], "200..300 7 ?");
    assert!(trace("4.9.270").contains(&"350..400 8 R by 7".to_owned()));
}

#[test]
fn rates_limits_and_reclaim_are_told() {
    let events = [
        event(100, 1, 11, &[number(1, 1_803_000), number(2, 4)]),
        event(110, 1, 12, &[number(1, 300_000), number(2, 1_200_000), number(3, 4)]),
        event(120, 1, 332, &[number(1, 0), number(2, 572_000)]),
        event(130, 7, 46, &[number(1, 0)]),
        event(150, 7, 47, &[number(1, 32)]),
    ];
    let expected =
        ["100 cpu 4 at 1803000", "110 cpu 4 up to 1200000", "120 gpu at 572000", "130..150 7 reclaims"];
    assert_eq!(facts(&[bundle(0, &events)]), expected);
}

#[test]
fn the_tracers_own_counts_are_told_as_differences() {
    let trace = [
        stats(false, 3, 100, &["sched/sched_waking"]),
        bundle(0, &[switch(100, 0, 0, 7)]),
        stats(true, 3, 142, &[]),
        stats(true, 4, 0, &[]),
    ];
    let (_, losses) = told(&trace.concat(), 64).expect("a trace of the kernel");
    assert_eq!(losses.overrun.into_iter().collect::<Vec<_>>(), [(3, 42)]);
    assert_eq!(losses.not_traced.into_iter().collect::<Vec<_>>(), ["sched/sched_waking"]);
}

#[test]
fn a_trace_on_another_clock_or_without_events_is_refused_with_what_to_do() {
    let other = bundle(0, &[number(5, 3), switch(100, 0, 0, 7)]);
    assert_eq!(told(&other, 100), Err(Unusable::OtherClock));
    assert_eq!(told(&process(7, "com.shop", &[]), 100), Err(Unusable::NoEvents));
    assert_eq!(told(b"not a trace", 100), Err(Unusable::NoTrace));
    assert!(Unusable::NoEvents.to_string().contains("linux.ftrace"));
}

#[test]
fn what_nothing_older_can_come_before_is_told_at_once_and_what_is_open_when_asked() {
    let second = 1_000_000_000;
    let mut facts = Vec::new();
    let mut each = |threads: &Threads, fact: Fact<'_>| facts.push(words(threads, fact).1);
    let mut reader = FtraceReader::default();
    reader.feed(&bundle(0, &[switch(100, 0, 0, 7), switch(200, 7, 1, 0)]), &mut each);
    assert!(reader.reached() < Some(100));
    reader.feed(&bundle(1, &[mark(10 * second, 8, "B|8|x")]), &mut each);
    assert_eq!(reader.reached(), Some(7 * second));
    reader.all_open(&mut each);
    assert_eq!(facts, ["100..200 7 Running on 0", "200..open 7 S"]);
}
