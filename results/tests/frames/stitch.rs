//! One rule of docs/design/stitching.md per test.

use crate::film::{MS, asked, at, dump, pending, reporting, row, with_zeros};
use farmjank_results::frame::{Sample, Stamp};
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::Span;
use farmjank_results::timeline::{FrameTimeline, Gap, GapCause};

fn stitched(samples: &[Sample]) -> FrameTimeline {
    let mut stitch = Stitch::new(StitchRules::default());
    samples.iter().for_each(|sample| stitch.add(sample));
    stitch.finish()
}

fn presents(timeline: &FrameTimeline) -> Vec<i64> {
    timeline.frames.iter().map(|frame| frame.present.ns()).collect()
}

fn follows(timeline: &FrameTimeline) -> Vec<bool> {
    timeline.frames.iter().map(|frame| frame.follows).collect()
}

fn gap(after: i64, before: i64, cause: GapCause) -> Gap {
    Gap { after: Some(at(after)), before: Some(at(before)), cause }
}

const fn ms(n: i64) -> i64 {
    n * MS
}

#[test]
fn overlapping_dumps_are_one_timeline_and_the_first_dump_is_no_loss() {
    let timeline = stitched(&[dump(&[ms(10), ms(20), ms(30)]), dump(&[ms(30), ms(40), ms(50)])]);
    assert_eq!(presents(&timeline), [ms(10), ms(20), ms(30), ms(40), ms(50)]);
    assert_eq!(follows(&timeline), [false, true, true, true, true]);
    assert_eq!(timeline.gaps, []);
    assert_eq!((timeline.row_counts.duplicate_rows, timeline.row_counts.samples), (1, 2));
    assert_eq!((timeline.row_counts.loss_events, timeline.row_counts.ring_resets), (0, 0));
}

#[test]
fn a_full_ring_without_overlap_overflowed() {
    let timeline = stitched(&[dump(&[ms(10), ms(20)]), dump(&[ms(30), ms(40)])]);
    assert_eq!(follows(&timeline), [false, true, false, true]);
    assert_eq!(timeline.gaps, [gap(ms(20), ms(30), GapCause::Overflow)]);
    assert_eq!((timeline.row_counts.loss_events, timeline.row_counts.ring_resets), (1, 0));
}

#[test]
fn a_ring_with_empty_slots_and_no_overlap_was_reset() {
    let timeline = stitched(&[dump(&[ms(10), ms(20)]), with_zeros(125, dump(&[ms(30), ms(40)]))]);
    assert_eq!(follows(&timeline), [false, true, false, true]);
    assert_eq!(timeline.gaps, [gap(ms(20), ms(30), GapCause::RingReset)]);
    assert_eq!((timeline.row_counts.loss_events, timeline.row_counts.ring_resets), (0, 1));
    assert_eq!(timeline.row_counts.zero_rows, 125);
}

#[test]
fn a_ring_seen_empty_was_reset_though_it_is_full_when_it_shows_frames_again() {
    for rows in [Vec::new(), vec![pending(ms(60))]] {
        let empty = Sample { rows, ..with_zeros(126, dump(&[])) };
        let before = asked(ms(25), dump(&[ms(10), ms(20)]));
        let after = asked(ms(95), dump(&[ms(60), ms(70), ms(80)]));
        let timeline = stitched(&[before.clone(), asked(ms(45), empty), after.clone()]);
        assert_eq!(timeline.gaps.iter().map(|gap| gap.cause).collect::<Vec<_>>(), [GapCause::RingReset]);
        assert_eq!((timeline.row_counts.loss_events, timeline.row_counts.ring_resets), (0, 1));
        // Nobody saw it empty: it overflowed for all anybody knows.
        assert_eq!(stitched(&[before, after]).gaps[0].cause, GapCause::Overflow);
    }
}

#[test]
fn empty_slots_with_overlap_are_a_ring_that_still_fills() {
    let first = with_zeros(125, dump(&[ms(10), ms(20)]));
    let timeline = stitched(&[first, with_zeros(124, dump(&[ms(10), ms(20), ms(30)]))]);
    assert_eq!(timeline.gaps, []);
    assert_eq!(timeline.row_counts.zero_rows, 249);
}

#[test]
fn a_dump_without_rows_breaks_nothing_by_itself() {
    let full = [dump(&[ms(10), ms(20)]), dump(&[]), with_zeros(127, dump(&[])), dump(&[ms(20), ms(30)])];
    let timeline = stitched(&full);
    assert_eq!(timeline.gaps, []);
    assert_eq!(follows(&timeline), [false, true, true]);
    // A ring that was cleared and then filled anew is a reset at its first frame, not at the empty dump.
    let timeline = stitched(&[dump(&[ms(10)]), with_zeros(127, dump(&[])), with_zeros(126, dump(&[ms(30)]))]);
    assert_eq!(timeline.gaps, [gap(ms(10), ms(30), GapCause::RingReset)]);
    assert_eq!(stitched(&[dump(&[])]).gaps, []);
}

#[test]
fn a_row_that_resolves_after_its_successor_is_kept() {
    let mut first = dump(&[ms(10), ms(20), ms(40)]);
    first.rows.insert(2, pending(ms(30)));
    let timeline = stitched(&[first, dump(&[ms(20), ms(30), ms(40), ms(50)])]);
    assert_eq!(presents(&timeline), [ms(10), ms(20), ms(30), ms(40), ms(50)]);
    assert_eq!(follows(&timeline), [false, true, true, true, true]);
    assert_eq!((timeline.row_counts.pending_rows, timeline.row_counts.unresolved_pending), (1, 0));
    assert_eq!(timeline.gaps, []);
}

#[test]
fn a_pending_row_that_comes_back_is_overlap() {
    let mut first = dump(&[ms(10), ms(20)]);
    first.rows.push(pending(ms(30)));
    let timeline = stitched(&[first, dump(&[ms(30), ms(40)])]);
    assert_eq!(follows(&timeline), [false, true, true, true]);
    assert_eq!(timeline.gaps, []);
}

#[test]
fn a_pending_row_matches_although_its_ready_time_was_not_known_yet() {
    let mut first = dump(&[ms(10)]);
    first.rows.push(farmjank_results::frame::Row { ready: None, ..pending(ms(30)) });
    let timeline = stitched(&[first, dump(&[ms(30), ms(40)])]);
    assert_eq!((timeline.gaps.len(), timeline.row_counts.unresolved_pending), (0, 0));
}

#[test]
fn a_pending_row_without_any_time_is_lost_only_in_the_last_dump() {
    let nameless = farmjank_results::frame::Row { desired: None, ready: None, ..pending(ms(30)) };
    let mut first = dump(&[ms(10), ms(20)]);
    first.rows.push(nameless);
    assert_eq!(stitched(std::slice::from_ref(&first)).row_counts.unresolved_pending, 1);
    let timeline = stitched(&[first, dump(&[ms(20), ms(30)])]);
    assert_eq!((timeline.row_counts.unresolved_pending, timeline.gaps.len()), (0, 0));
}

#[test]
fn rows_pending_at_the_end_are_lost_after_the_last_present() {
    let mut last = dump(&[ms(10), ms(20)]);
    last.rows.extend([pending(ms(40)), pending(ms(50))]);
    let timeline = stitched(&[last.clone(), last.clone()]);
    assert_eq!(timeline.row_counts.unresolved_pending, 2);
    assert_eq!(timeline.gaps, [Gap { after: Some(at(ms(20))), before: None, cause: GapCause::Unresolved }]);
    assert_eq!(follows(&timeline), [false, true]);
    // A fence that is pending when the dump is asked for has not signalled before.
    let timeline = stitched(&[asked(ms(35), last)]);
    assert_eq!(timeline.gaps, [Gap { after: Some(at(ms(35))), before: None, cause: GapCause::Unresolved }]);
}

#[test]
fn a_row_that_never_comes_back_breaks_the_interval_it_must_lie_in() {
    let mut first = dump(&[ms(10), ms(20), ms(40)]);
    first.rows.insert(2, pending(ms(30)));
    let timeline = stitched(&[first, dump(&[ms(20), ms(40), ms(50)])]);
    assert_eq!(timeline.gaps, [gap(ms(20), ms(40), GapCause::Unresolved)]);
    assert_eq!(follows(&timeline), [false, true, false, true]);
    assert_eq!(timeline.row_counts.unresolved_pending, 1);
}

#[test]
fn a_pending_row_swallowed_by_an_overflow_is_counted_and_located_once() {
    let mut first = dump(&[ms(10), ms(20)]);
    first.rows.push(pending(ms(30)));
    let timeline = stitched(&[first, dump(&[ms(900), ms(910)])]);
    assert_eq!(timeline.gaps, [gap(ms(20), ms(900), GapCause::Overflow)]);
    assert_eq!((timeline.row_counts.unresolved_pending, timeline.row_counts.loss_events), (1, 1));
}

#[test]
fn the_same_dump_twice_changes_counters_only() {
    let mut one = dump(&[ms(10), ms(20), ms(30)]);
    one.rows.push(pending(ms(40)));
    let two = dump(&[ms(30), ms(40), ms(50)]);
    let once = stitched(&[one.clone(), two.clone()]);
    let twice = stitched(&[one.clone(), two.clone(), one, two]);
    assert_eq!(once.frames, twice.frames);
    assert_eq!(once.gaps, twice.gaps);
    assert_eq!(twice.row_counts.unresolved_pending, 0);
    assert_eq!(twice.row_counts.duplicate_rows, once.row_counts.duplicate_rows + 6);
}

#[test]
fn files_in_the_wrong_order_are_put_right() {
    let (one, two, three) = (dump(&[ms(10), ms(20)]), dump(&[ms(20), ms(30)]), dump(&[ms(30), ms(40)]));
    let right = stitched(&[one.clone(), two.clone(), three.clone()]);
    assert_eq!(stitched(&[three.clone(), one.clone(), two]).frames, right.frames);
    // Without the middle one there is a loss, wherever the older file stands.
    let lost = stitched(&[three.clone(), one.clone()]);
    assert_eq!(lost.gaps, [gap(ms(20), ms(30), GapCause::Overflow)]);
    assert_eq!(lost.frames, stitched(&[one, three]).frames);
}

#[test]
fn rows_need_not_be_in_order_of_time() {
    let timeline = stitched(&[dump(&[ms(30), ms(10), ms(20)]), dump(&[ms(50), ms(30), ms(40)])]);
    assert_eq!(presents(&timeline), [ms(10), ms(20), ms(30), ms(40), ms(50)]);
    assert_eq!(timeline.gaps, []);
}

#[test]
fn the_short_engine_shows_older_frames_again_and_two_buffers_at_one_present() {
    let mut second = dump(&[ms(10), ms(20)]);
    second.rows.push(farmjank_results::frame::Row { desired: Some(at(ms(1))), ..row(ms(20)) });
    let timeline = stitched(&[dump(&[ms(20), ms(30), ms(40)]), dump(&[]), second, dump(&[ms(40), ms(50)])]);
    assert_eq!(presents(&timeline), [ms(10), ms(20), ms(30), ms(40), ms(50)]);
    assert_eq!(follows(&timeline), [false, true, true, true, true]);
    assert_eq!(timeline.row_counts.duplicate_rows, 3);
    // Of two buffers at one refresh, the later is on screen.
    assert_eq!(timeline.frames[1].desired, Some(at(ms(1))));
}

#[test]
fn a_present_printed_twice_is_one_frame_wherever_it_falls() {
    for twice in [ms(5), ms(10), ms(15), ms(20), ms(25)] {
        let timeline = stitched(&[dump(&[ms(10), ms(20)]), dump(&[twice, twice, ms(20)])]);
        assert!(timeline.frames.windows(2).all(|pair| pair[0].present < pair[1].present), "{timeline:?}");
        assert_eq!(timeline.gaps, []);
    }
}

#[test]
fn a_late_row_before_a_gap_does_not_close_it() {
    let timeline = stitched(&[dump(&[ms(10)]), dump(&[ms(30), ms(40)]), dump(&[ms(20), ms(30)])]);
    assert_eq!(follows(&timeline), [false, false, true, true]);
    assert_eq!(timeline.gaps, [gap(ms(10), ms(20), GapCause::Overflow)]);
}

#[test]
fn a_pending_buffer_that_shares_the_present_of_another_did_come_back() {
    let mut first = dump(&[ms(10)]);
    first.rows.push(pending(ms(30)));
    let mut second = dump(&[ms(10), ms(31)]);
    second.rows.push(farmjank_results::frame::Row { present: Stamp::At(at(ms(31))), ..pending(ms(30)) });
    let timeline = stitched(&[first, second]);
    assert_eq!((timeline.row_counts.unresolved_pending, timeline.gaps.len()), (0, 0));
    assert_eq!(presents(&timeline), [ms(10), ms(31)]);
}

#[test]
fn completions_close_together_are_two_frames_where_each_was_drawn_for_a_vsync_of_its_own() {
    let drawn = |of: [i64; 3]| {
        let rows = [10, 60, 63].into_iter().zip(of).map(|(present, intended)| farmjank_results::frame::Row {
            present: Stamp::At(at(ms(present))),
            desired: None,
            ready: None,
            intended: Some(at(ms(intended))),
        });
        let sample = farmjank_results::frame::Sample { completions: true, rows: rows.collect(), ..dump(&[]) };
        stitched(&[reporting(10 * MS, sample)])
    };
    assert_eq!(presents(&drawn([0, 10, 20])), [ms(10), ms(60), ms(63)]);
    assert_eq!(presents(&drawn([0, 10, 10])), [ms(10), ms(60)]);
}

#[test]
fn presents_closer_than_half_the_shortest_period_are_one_refresh() {
    let header = |sample| reporting(10 * MS, sample);
    let kept = stitched(&[header(dump(&[ms(10), ms(20), ms(25), ms(30)]))]);
    assert_eq!((presents(&kept).len(), kept.row_counts.short_frames), (4, 0));
    let dropped = stitched(&[header(dump(&[ms(10), ms(20), ms(25) - 1, ms(30)]))]);
    assert_eq!(presents(&dropped), [ms(10), ms(20), ms(30)]);
    assert_eq!(dropped.row_counts.short_frames, 1);
    // 6.94 ms is a real frame of a phone that has shown 144 Hz, whatever it shows now.
    let fast = reporting(6_944_444, dump(&[ms(10), ms(20)]));
    let slow = reporting(16_666_667, dump(&[ms(20), ms(20) + 6_944_444, ms(50)]));
    assert_eq!(stitched(&[fast, slow]).row_counts.short_frames, 0);
}

#[test]
fn a_refresh_reported_twice_across_a_gap_keeps_the_gap() {
    let one = reporting(10 * MS, dump(&[ms(10), ms(20)]));
    let timeline = stitched(&[one, dump(&[ms(21), ms(31)])]);
    assert_eq!(presents(&timeline), [ms(10), ms(20), ms(31)]);
    assert_eq!(timeline.gaps, [gap(ms(20), ms(31), GapCause::Overflow)]);
    assert_eq!(follows(&timeline), [false, true, false]);
}

#[test]
fn stamps_tell_what_was_watched_and_the_longest_silence() {
    let samples = [
        asked(ms(100), with_zeros(120, dump(&[ms(40), ms(50)]))),
        asked(ms(900), dump(&[ms(50), ms(60)])),
        asked(ms(1000), dump(&[])),
        asked(ms(400), dump(&[ms(50)])),
    ];
    let timeline = stitched(&samples);
    assert_eq!((timeline.watched_from, timeline.watched_to), (Some(at(ms(40))), Some(at(ms(900)))));
    assert_eq!(timeline.row_counts.longest_silence, Span::from_ms(500));
    let never_drew = stitched(&[asked(ms(5), with_zeros(127, dump(&[])))]);
    assert_eq!((never_drew.watched_from, never_drew.watched_to), (Some(at(ms(5))), Some(at(ms(5)))));
    // An empty ring does not speak for the time after it: it may have been filled and cleared.
    let first = || asked(ms(5), with_zeros(127, dump(&[])));
    let filling = stitched(&[first(), asked(ms(70), with_zeros(125, dump(&[ms(40), ms(50)])))]);
    assert_eq!((filling.watched_from, filling.watched_to), (Some(at(ms(40))), Some(at(ms(70)))));
    let overflowed = stitched(&[asked(ms(70), dump(&[ms(40), ms(50)])), first()]);
    assert_eq!(overflowed.watched_from, Some(at(ms(40))));
    let unstamped = stitched(&[dump(&[ms(10), ms(20)])]);
    assert_eq!((unstamped.watched_from, unstamped.watched_to), (None, None));
}

#[test]
fn a_slow_dump_of_a_full_ring_says_nothing_of_the_time_before_its_oldest_frame() {
    // Asked for at 100 ms, taken at 9 s: what the ring held in between is overwritten.
    let rows: Vec<i64> = (8_000..8_127).map(ms).collect();
    let timeline = stitched(&[asked(ms(100), dump(&rows))]);
    assert_eq!(timeline.watched_from, Some(at(ms(8_000))));
}

#[test]
fn the_short_engine_hides_the_newest_frames_of_a_young_layer() {
    let short = |at, frames: std::ops::Range<i64>| {
        let rows: Vec<i64> = frames.map(|n| ms(10 * n)).collect();
        asked(ms(at), Sample { capacity: 64, ..dump(&rows) })
    };
    // 40 frames since it was made: newer ones may stand behind frames of other layers.
    let young = stitched(&[short(420, 1..41), short(900, 1..41)]);
    assert_eq!(young.watched_to, Some(at(ms(400))));
    let grown = stitched(&[short(640, 1..64), short(900, 20..83)]);
    assert_eq!(grown.watched_to, Some(at(ms(900))));
    // Another tool cleared it: it shows less than is known.
    let cleared = stitched(&[short(640, 1..64), short(840, 20..83), short(2_000, 20..30)]);
    assert_eq!(cleared.watched_to, Some(at(ms(840))));
}

#[test]
fn an_idle_stretch_does_not_excuse_a_ring_that_was_replaced() {
    let idle = asked(ms(2000), dump(&[ms(10), ms(20)]));
    let after = asked(ms(4000), dump(&[ms(3000), ms(3010)]));
    let timeline = stitched(&[asked(ms(30), dump(&[ms(10), ms(20)])), idle, after]);
    // There is a gap; but a dump at 2 s saw that nothing was shown before it.
    assert_eq!(timeline.gaps, [gap(ms(2000), ms(3000), GapCause::Overflow)]);
    let late = asked(ms(3005), dump(&[ms(3000), ms(3010)]));
    let timeline = stitched(&[late, asked(ms(30), dump(&[ms(10), ms(20)]))]);
    assert_eq!(timeline.gaps, [gap(ms(30), ms(3000), GapCause::Overflow)]);
}

#[test]
fn a_dump_that_came_a_ring_too_late_does_not_say_that_nothing_was_shown_before_it() {
    // Asked for at 5 s, taken at 8.2 s: what was shown from 30 ms to 8 s is overwritten, the time before 5 s included.
    let rows: Vec<i64> = (8_000..8_127).map(ms).collect();
    let timeline = stitched(&[asked(ms(30), dump(&[ms(10), ms(20)])), asked(ms(5_000), dump(&rows))]);
    assert_eq!(timeline.gaps, [gap(ms(30), ms(8_000), GapCause::Overflow)]);
    // Taken while it still held what was shown at 5 s, it says all of it.
    let rows: Vec<i64> = (4_990..5_117).map(ms).collect();
    let timeline = stitched(&[asked(ms(30), dump(&[ms(10), ms(20)])), asked(ms(5_000), dump(&rows))]);
    assert_eq!(timeline.gaps, [gap(ms(30), ms(4_990), GapCause::Overflow)]);
}
