//! Whatever comes in, the reader comes to an end, in bounds, without a panic; in pieces as in one.

use super::writer::*;
use farmjank_causes::fact::Fact;
use farmjank_frames::ftrace::{FtraceReader, Threads};
use proptest::prelude::*;

/// Facts of these bytes, in pieces of this size.
fn count(bytes: &[u8], piece: usize) -> usize {
    let mut facts = 0;
    let mut each = |_: &Threads, _: Fact<'_>| facts += 1;
    let mut reader = FtraceReader::default();
    bytes.chunks(piece).for_each(|piece| reader.feed(piece, &mut each));
    drop(reader.finish(&mut each));
    facts
}

/// One of each kind of event.
fn every_kind() -> Vec<u8> {
    let events = [
        switch(100, 0, 0, 7),
        waking(150, 7, 8),
        switch(200, 7, 1, 8),
        blocked_reason(210, 8, 7, true),
        mark(220, 8, "B|7|a slice\n"),
        mark(230, 8, "S|7|async|1\n"),
        sent(240, 8, 1, false, 0),
        received(250, 9, 1),
        sent(260, 9, 2, true, 0),
        received(270, 8, 2),
        event(280, 8, 235, &[number(1, 99), bytes(2, b"born"), number(3, 0x1_0000)]),
    ];
    let bundles = [bundle(0, &events), bundle(1, &[compact(&[(120, 0, 5), (180, 1, 0)], &[(160, 5)])])];
    [system("5.10.0"), process(7, "com.shop", &[(8, "RenderThread")]), bundles.concat()].concat()
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_an_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(count(&bytes, bytes.len().max(1)), count(&bytes, 7));
    }

    #[test]
    fn any_change_of_a_trace_is_read_to_an_end(at in 0_usize..700, byte: u8, cut in 0_usize..700) {
        let mut trace = every_kind();
        let at = at % trace.len();
        trace[at] = byte;
        trace.truncate(cut.max(1));
        prop_assert_eq!(count(&trace, trace.len()), count(&trace, 5));
    }

    #[test]
    fn any_numbers_in_any_event_are_read_to_an_end(
        kind in prop::sample::select(vec![3_u64, 4, 11, 12, 17, 18, 20, 46, 47, 50, 51, 235, 236, 331, 332, 348, 349, 350, 417]),
        at: i64,
        tid: i64,
        values in prop::collection::vec((1_u64..10, any::<i64>()), 0..8),
    ) {
        let body: Vec<Vec<u8>> = values.iter().map(|(field, value)| number(*field, *value)).collect();
        let one = event(at, tid, kind, &body);
        let two = event(at.wrapping_add(1), tid, kind, &body);
        let trace = [every_kind(), bundle(255, &[one, two])].concat();
        prop_assert!(count(&trace, 64) > 10);
    }
}

#[test]
fn a_thread_that_only_begins_keeps_no_more_than_its_depth() {
    let begins: Vec<Vec<u8>> = (0..5_000).map(|at| mark(at, 7, "B|7|x\n")).collect();
    let ends: Vec<Vec<u8>> = (5_000..10_000).map(|at| mark(at, 7, "E|7\n")).collect();
    // 512 are kept; the others end unseen, and every one that is kept ends by its own end.
    assert_eq!(count(&[bundle(0, &begins), bundle(0, &ends)].concat(), 4096), 512);
}
