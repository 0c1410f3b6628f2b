//! A panel with one mode that divides a fast tick slows down while content moves: no frame of that is late, and late
//! ones are.

use crate::film::{Film, MS, at, hz};
use farmjank_results::fit::fit;
use farmjank_results::period::Report;
use farmjank_results::time::Span;
use proptest::prelude::*;

/// The panel's only mode.
const MODE: [f64; 1] = [120.00001];

/// Refreshes that frames came late by, as they are judged, those that a rest ends left out.
fn late(film: &Film, seed: u64, headers: &[Report]) -> i64 {
    let presents = film.noisy(seed);
    let timeline = fit(&presents, headers, &MODE, &[]);
    let mut late = 0;
    for pair in presents.windows(2).zip(&film.vsyncs[1..]).filter(|(_, vsyncs)| **vsyncs > 0) {
        let (from, to) = (pair.0[0], pair.0[1]);
        let period = timeline.judging(from, to).map_or(1, Span::ns);
        late += ((2 * (to - from).ns() + period) / (2 * period)).max(1) - 1;
    }
    late
}

/// A header that tells the mode, read while the finger is down.
fn boosted() -> Report {
    Report { at: at(1_200 * MS), period: Span::from_ns(hz(120.0)) }
}

/// A drag at the mode, then a fling that runs out at these rates, so many frames each, then a rest and the next touch.
fn fling(steps: &[(f64, usize)], lost: Option<(usize, usize, i64)>) -> Film {
    let mut film = Film::from(1_000 * MS).play(hz(120.0), [1; 60]);
    for (step, (rate, frames)) in steps.iter().enumerate() {
        let lost = lost.filter(|(at, ..)| *at == step);
        let length = |frame| lost.filter(|(_, at, _)| *at == frame).map_or(1, |(.., length)| length);
        film = film.play(hz(*rate), (0..*frames).map(length).collect::<Vec<_>>());
    }
    film.rest(700 * MS, hz(30.0)).play(hz(120.0), [1; 60])
}

#[test]
fn a_panel_that_slows_down_step_by_step_makes_no_late_frame_though_no_header_saw_it() {
    for seed in 1..=20 {
        for steps in [&[(80.0, 5), (60.0, 3)][..], &[(80.0, 1)], &[(80.0, 2), (60.0, 1)], &[(48.0, 3)]] {
            assert_eq!(late(&fling(steps, None), seed, &[boosted()]), 0, "{steps:?}, seed {seed}");
        }
    }
}

#[test]
fn a_frame_lost_while_the_panel_slows_down_is_late() {
    for seed in 1..=20 {
        for lost in [(0, 2, 2), (1, 1, 2), (1, 1, 3)] {
            let film = fling(&[(80.0, 5), (60.0, 4)], Some(lost));
            assert_eq!(late(&film, seed, &[boosted()]), lost.2 - 1, "{lost:?}, seed {seed}");
        }
    }
}

#[test]
fn a_frame_held_up_while_the_panel_slows_down_is_late_and_those_behind_it_are_not() {
    for seed in 1..=20 {
        // Two refreshes at the old rate, and one at the new.
        let film = Film::from(1_000 * MS)
            .play(hz(120.0), [1; 60])
            .play(hz(80.0), [1; 5])
            .held(2 * hz(80.0) + hz(60.0), 3)
            .play(hz(60.0), [1, 1, 1, 2, 1])
            .rest(700 * MS, hz(30.0))
            .play(hz(120.0), [1; 60]);
        // Two and a half refreshes at the new rate are two or three.
        let late = late(&film, seed, &[boosted()]);
        assert!((2..=3).contains(&late), "{late}, seed {seed}");
    }
}

#[test]
fn frames_of_two_refreshes_of_the_mode_are_late_before_the_panel_slows_down_and_after_a_touch() {
    for seed in 1..=20 {
        let film = Film::from(1_000 * MS)
            .play(hz(120.0), [vec![1; 50], vec![2, 1, 2, 1]].concat())
            .play(hz(80.0), [1; 4])
            .play(hz(120.0), [vec![1; 10], vec![2, 1, 2], vec![1; 50]].concat());
        assert_eq!(late(&film, seed, &[boosted()]), 4, "seed {seed}");
    }
}

#[test]
fn a_header_that_tells_the_mode_ends_the_slow_rate() {
    let film = Film::from(1_000 * MS)
        .play(hz(120.0), [1; 60])
        .play(hz(80.0), [1; 4])
        .play(hz(120.0), [vec![2; 3], vec![1; 40]].concat());
    let after = film.presents[64];
    let risen = Report { at: at(after + 2 * MS), ..boosted() };
    assert_eq!((late(&film, 1, &[boosted()]), late(&film, 1, &[boosted(), risen])), (0, 3));
}

#[test]
fn half_the_mode_up_to_a_rest_is_uncertain_where_no_header_tells_it() {
    let uncertain = |steps: &[(f64, usize)], headers: &[Report]| {
        let timeline = fit(&fling(steps, None).noisy(1), headers, &MODE, &[]);
        timeline.uncertain.iter().map(|(from, to)| (*to - *from).ns() / (10 * MS)).collect::<Vec<_>>()
    };
    assert_eq!(uncertain(&[(60.0, 6)], &[boosted()]), [10]);
    assert_eq!(uncertain(&[(60.0, 6), (120.0, 4)], &[boosted()]), [0; 0]);
    assert_eq!(uncertain(&[(60.0, 3)], &[boosted()]), [0; 0]);
    // Where a header told it, it is judged by that rate.
    let film = fling(&[(60.0, 6)], None);
    let slow = Report { at: at(film.presents[63] + 5 * MS), period: Span::from_ns(hz(60.0)) };
    assert_eq!(
        (late(&film, 1, &[boosted(), slow]), uncertain(&[(60.0, 6)], &[boosted(), slow])),
        (0, vec![])
    );
}

proptest! {
    /// Without a length that only a slower panel explains, a panel with one mode keeps it.
    #[test]
    fn whole_refreshes_of_the_mode_prove_no_slower_panel(lengths in prop::collection::vec(1_i64..4, 60..120), seed in 1_u64..1_000) {
        let lengths: Vec<i64> = lengths.into_iter().flat_map(|length| [length, 1]).collect();
        let film = Film::from(1_000 * MS).play(hz(120.0), lengths.clone());
        let due: i64 = lengths.iter().map(|length| length - 1).sum();
        prop_assert_eq!(late(&film, seed, &film.headers(200 * MS)), due);
    }
}
