//! Call stacks of `linux.perf` in traces made by hand: whose, when, what was looked at, and what is missing.

use super::writer::*;
use farmjank_causes::stacks::{Look, Looks};
use farmjank_frames::ftrace::Scan;
use farmjank_frames::stacks::Beside;
use proptest::prelude::*;

const BOOTTIME: i64 = 6;
const MONOTONIC: i64 = 3;

fn beside(trace: &[u8], piece: usize) -> Beside {
    let mut scan = Scan::default();
    trace.chunks(piece.max(1)).for_each(|piece| scan.feed(piece));
    scan.finish().stacks
}

fn told(trace: &[Vec<u8>]) -> (Vec<String>, u64) {
    let trace = trace.concat();
    let whole = words(&beside(&trace, trace.len()).looks());
    assert_eq!(words(&beside(&trace, 3).looks()), whole, "the same in pieces");
    whole
}

/// `12 7 Ran: inner (file) < outer (file)`, in order of threads and times; and how many are lost.
fn words(looks: &Looks) -> (Vec<String>, u64) {
    let one = |(tid, look, at, stack): (i32, Look, i64, u32)| {
        let calls = looks.recording.calls(stack).map(|call| format!("{} ({})", call.name, call.file));
        format!("{at} {tid} {look:?}: {}", calls.collect::<Vec<_>>().join(" < "))
    };
    (looks.iter().map(one).collect(), looks.lost)
}

/// A stack of two calls: `Feed.bind` called by `Looper.loop`.
fn two_calls() -> [Vec<u8>; 5] {
    [
        function(1, "android.os.Looper.loop"),
        function(2, "com.shop.Feed.bind"),
        mapped(1, &[(1, "data"), (2, "app"), (3, "base.apk")]),
        [called(1, 1, 0), called(2, 2, 1)].concat(),
        stack(1, &[1, 2]),
    ]
}

#[test]
fn a_writer_says_what_it_looks_at_and_names_each_stack_once() {
    let trace = [
        looks_at(1, None, BOOTTIME),
        looks_at(2, Some("sched/sched_switch"), BOOTTIME),
        looks_at(3, Some("sched:sched_waking"), BOOTTIME),
        sampled(1, 100, 7, 1, &two_calls()),
        sampled(1, 105, 7, 1, &[]),
        sampled(2, 130, 7, 9, &[two_calls().concat(), stack(9, &[1])]),
        sampled(3, 160, 8, 1, &two_calls()),
    ];
    let (all, lost) = told(&trace);
    let both = "com.shop.Feed.bind (/data/app/base.apk) < android.os.Looper.loop ()";
    let expected = [
        format!("100 7 Ran: {both}"),
        format!("105 7 Ran: {both}"),
        "130 7 Left: android.os.Looper.loop ()".to_owned(),
        format!("160 8 Woke: {both}"),
    ];
    assert_eq!((all.as_slice(), lost), (&expected[..], 0));
}

#[test]
fn numbers_are_the_writers_own_and_end_when_it_begins_anew() {
    let anew = looks_at(1, None, BOOTTIME);
    let other = [function(1, "com.shop.Other.run"), called(1, 1, 0), stack(1, &[1])];
    let trace = [
        anew.clone(),
        looks_at(2, None, BOOTTIME),
        sampled(1, 100, 7, 1, &two_calls()),
        // Another writer has no stack of this number, and a number given twice keeps its first meaning.
        sampled(2, 110, 8, 1, &[]),
        sampled(1, 120, 7, 1, &other),
        anew,
        sampled(1, 130, 7, 2, &[]),
        sampled(1, 140, 7, 1, &other),
    ];
    let (all, lost) = told(&trace);
    let first = "com.shop.Feed.bind (/data/app/base.apk) < android.os.Looper.loop ()";
    let expected = [
        format!("100 7 Ran: {first}"),
        format!("120 7 Ran: {first}"),
        "140 7 Ran: com.shop.Other.run ()".to_owned(),
    ];
    assert_eq!((all.as_slice(), lost), (&expected[..], 2));
}

#[test]
fn after_a_hole_nothing_counts_until_the_writer_begins_anew() {
    let hole = bytes(1, &[number(8, 150), number(10, 1), number(42, 1)].concat());
    let trace = [
        looks_at(1, None, BOOTTIME),
        sampled(1, 100, 7, 1, &two_calls()),
        hole,
        sampled(1, 160, 7, 1, &[]),
        looks_at(1, None, BOOTTIME),
        sampled(1, 170, 7, 1, &two_calls()),
    ];
    let (all, lost) = told(&trace);
    let at: Vec<&str> = all.iter().filter_map(|words| words.split(' ').next()).collect();
    assert_eq!((at.as_slice(), lost), (&["100", "170"][..], 1));
}

#[test]
fn times_are_those_of_the_tracer_whatever_clock_a_writer_stamps_by() {
    let trace = [
        looks_at(1, None, MONOTONIC),
        sampled(1, 100, 7, 1, &two_calls()),
        clocks(1_000, 51_000),
        looks_at(2, None, 9),
        sampled(2, 100, 7, 1, &two_calls()),
    ];
    let (all, lost) = told(&trace);
    assert!(all.len() == 1 && all[0].starts_with("50100 7 Ran: "), "{all:?}");
    assert_eq!(lost, 1, "nobody knows that clock");
}

#[test]
fn what_was_not_taken_is_counted_and_what_nobody_asked_for_is_not() {
    let trace = [
        looks_at(1, None, BOOTTIME),
        looks_at(2, Some("sched/sched_waking"), BOOTTIME),
        told_of_samples(1, 100, &[number(1, 3), number(17, 40)]),
        told_of_samples(1, 110, &[number(2, 7), number(3, 7), number(18, 3)]),
        told_of_samples(1, 120, &[number(2, 9), number(3, 9), number(18, 4)]),
        told_of_samples(2, 130, &[number(2, 9), number(3, 9), number(18, 1)]),
        sampled(1, 140, 7, 5, &[]),
    ];
    assert_eq!(told(&trace), (Vec::new(), 42));
}

#[test]
fn why_there_are_no_methods_is_said_where_somebody_wanted_them() {
    let reason = |trace: &[Vec<u8>], wanted: bool| {
        let trace = trace.concat();
        beside(&trace, trace.len()).told(wanted).map(|told| (told.taken, told.reason.unwrap_or_default()))
    };
    let asked = asked_for(&["linux.ftrace", "linux.perf"]);
    assert_eq!(reason(&[asked_for(&["linux.ftrace"])], false), None);
    let none = |trace: &[Vec<u8>], wanted: bool| {
        let (taken, reason) = reason(trace, wanted).expect("something is said");
        assert_eq!(taken, 0);
        reason
    };
    assert!(
        none(&[asked.clone(), release(34)], false)
            .starts_with("the phone took none of it: on a phone that is sold")
    );
    assert!(none(&[release(34)], true).contains("<profileable android:shell=\"true\"/>"));
    assert!(none(&[release(32)], true).starts_with("the phone is older than Android 13"));
    let some = [asked, looks_at(1, None, BOOTTIME), sampled(1, 100, 7, 1, &two_calls())];
    assert_eq!(reason(&some, false), Some((1, String::new())));
}

#[test]
fn a_mapping_gives_back_the_names_of_the_source() {
    let short = [function(1, "a.b.c"), called(1, 1, 0), stack(1, &[1])];
    let trace = [looks_at(1, None, BOOTTIME), sampled(1, 100, 7, 1, &short)].concat();
    let mut stacks = beside(&trace, trace.len());
    assert_eq!(stacks.retrace("com.shop.Feed -> a.b:\n    void bind() -> c\n"), 1);
    assert_eq!(words(&stacks.looks()).0, ["100 7 Ran: com.shop.Feed.bind ()"]);
}

proptest! {
    #[test]
    fn any_numbers_in_stacks_are_read_to_an_end(
        numbers in prop::collection::vec((0_i64..4, any::<i64>(), 1_i64..20), 0..30),
        at in 0_usize..900,
        byte: u8,
    ) {
        let interned = |(kind, iid, of): &(i64, i64, i64)| match kind {
            0 => function(*iid, "x"),
            1 => called(*iid, *of, *of),
            2 => stack(*iid, &[*of, *iid, *of]),
            _ => mapped(*iid, &[(*of, "part")]),
        };
        let all: Vec<Vec<u8>> = numbers.iter().map(interned).collect();
        let mut trace = [
            looks_at(1, None, BOOTTIME),
            sampled(1, 100, 7, 1, &two_calls()),
            sampled(1, 110, 7, 2, &all),
            sampled(1, i64::MAX, i64::MIN, 3, &[]),
        ]
        .concat();
        let whole = words(&beside(&trace, trace.len()).looks());
        prop_assert!(!whole.0.is_empty());
        let at = at % trace.len();
        trace[at] = byte;
        prop_assert_eq!(words(&beside(&trace, 7).looks()), words(&beside(&trace, trace.len()).looks()));
    }
}
