//! The refresh period of stretches at one rate: exact, however it was reported (docs/periods.md).

use crate::film::{Film, MS, at, drops, hz};
use farmjank_results::fit::fit;
use farmjank_results::period::{PeriodOrigin, PeriodTimeline, Report};
use farmjank_results::time::{DeviceTime, Span};

fn header(ns: i64, period: i64) -> Report {
    Report { at: at(ns), period: Span::from_ns(period) }
}

fn only(timeline: &PeriodTimeline) -> (i64, PeriodOrigin) {
    assert_eq!(timeline.segments.len(), 1, "{timeline:?}");
    (timeline.segments[0].period.ns(), timeline.segments[0].origin)
}

fn close(fitted: i64, truth: i64, per_mille: i64) -> bool {
    (fitted - truth).abs() * 1000 <= truth * per_mille
}

#[test]
fn pins_are_taken_as_they_are() {
    let presents: Vec<DeviceTime> = (0..100).map(|k| at(k * 8 * MS)).collect();
    let pins = [(Some(at(50)), Span::from_ns(7)), (None, Span::from_ns(5)), (Some(at(90)), Span::from_ns(9))];
    let timeline = fit(&presents, &[header(10, 16 * MS)], &[60.0], &pins);
    let periods = [-1, 0, 49, 50, 89, 90, 1000].map(|instant| timeline.at(at(instant)).map(Span::ns));
    assert_eq!(periods, [5, 5, 5, 7, 7, 9, 9].map(Some));
    assert!(timeline.segments.iter().all(|segment| segment.origin == PeriodOrigin::Pinned));
    assert_eq!(timeline.shortest(), Some(Span::from_ns(5)));
    // A single pin with an instant also holds before it.
    let timeline = fit(&presents, &[], &[], &[(Some(at(50)), Span::from_ns(7))]);
    assert_eq!(timeline.at(at(0)), Some(Span::from_ns(7)));
}

#[test]
fn an_interval_is_judged_by_the_longer_period_of_its_ends() {
    let pins =
        [(None, Span::from_ns(16)), (Some(at(100)), Span::from_ns(8)), (Some(at(200)), Span::from_ns(16))];
    let timeline = fit(&[], &[], &[], &pins);
    let judged = |from, to| timeline.judging(at(from), at(to)).map(Span::ns);
    assert_eq!(
        [judged(84, 100), judged(100, 108), judged(192, 200), judged(99, 100)],
        [16, 8, 16, 16].map(Some)
    );
}

#[test]
fn nothing_known_is_an_empty_timeline() {
    assert_eq!(fit(&[], &[], &[], &[]), PeriodTimeline::default());
    assert_eq!(fit(&[at(0), at(17 * MS)], &[], &[], &[]), PeriodTimeline::default());
    // Headers of screens that are off or idle say nothing about motion.
    let nonsense = [header(0, 0), header(1, 1_000_000_000)].map(|report| Report { ..report });
    let sane: Vec<Report> =
        nonsense.into_iter().filter(|report| farmjank_results::fit::plausible(report.period)).collect();
    assert_eq!(sane, []);
    // Random lengths sit on no lattice.
    let mut now = 0;
    let wild: Vec<DeviceTime> = (0..200_i64)
        .map(|k| {
            now += 9 * MS + (k * k * 7919) % (23 * MS);
            at(now)
        })
        .collect();
    assert_eq!(fit(&wild, &[], &[], &[]).segments, []);
    assert_eq!(only(&fit(&wild, &[header(0, hz(120.0))], &[], &[])), (hz(120.0), PeriodOrigin::Reported));
}

#[test]
fn few_frames_use_the_header_as_it_is() {
    let presents = [at(0), at(16 * MS), at(33 * MS)];
    assert_eq!(
        only(&fit(&presents, &[header(40 * MS, 16_666_667)], &[], &[])),
        (16_666_667, PeriodOrigin::Reported)
    );
    assert_eq!(
        only(&fit(&presents[..1], &[header(0, 16_666_667)], &[], &[])),
        (16_666_667, PeriodOrigin::Reported)
    );
    assert_eq!(only(&fit(&[], &[header(0, 16_666_667)], &[], &[])), (16_666_667, PeriodOrigin::Reported));
}

#[test]
fn the_header_does_not_override_the_lattice() {
    let kuaishou = [
        23_761_705_288_823,
        23_761_721_703_564,
        23_761_738_097_264,
        23_761_754_504_922,
        23_761_770_939_507,
        23_761_787_361_696,
        23_761_803_741_646,
        23_761_820_153_731,
    ];
    let presents = kuaishou.map(at);
    let (period, origin) = only(&fit(&presents, &[header(kuaishou[7], 16_666_666)], &[], &[]));
    assert!((period - 16_409_300).abs() < 6_000, "{period}");
    assert_eq!(origin, PeriodOrigin::Fitted);
}

#[test]
fn every_rate_is_found_from_ten_frames_and_from_many() {
    for rate in [60.0, 60.94, 90.0, 120.0, 120.32, 144.0, 165.0] {
        let truth = hz(rate);
        for seed in 0..20 {
            for (count, reports, per_mille) in [(10, 1, 9), (10, 0, 9), (25, 1, 3), (400, 1, 1), (400, 0, 1)]
            {
                let lengths = if count > 10 { drops(count, 12, seed) } else { vec![1; count] };
                let film = Film::from(5_000 * MS).play(truth, lengths);
                let nominal = [header(5_100 * MS, hz((rate as i64 / 15 * 15) as f64))];
                let nominal = if rate == 144.0 { [header(5_100 * MS, hz(144.0))] } else { nominal };
                let timeline = fit(&film.noisy(seed + 1), &nominal[..reports], &[], &[]);
                let (period, origin) = only(&timeline);
                assert!(close(period, truth, per_mille), "{rate} Hz, {count} frames, seed {seed}: {period}");
                assert_eq!((origin, timeline.uncertain.len()), (PeriodOrigin::Fitted, 0));
            }
        }
    }
}

#[test]
fn a_stale_header_of_an_idle_panel_does_not_slow_the_lattice() {
    let film = Film::from(0).play(hz(120.0), drops(300, 10, 3));
    for stale in [60.0, 30.0, 10.0] {
        let timeline = fit(&film.noisy(1), &[header(2_600 * MS, hz(stale))], &[], &[]);
        let (period, _) = only(&timeline);
        assert!(close(period, hz(120.0), 1), "{stale}: {timeline:?}");
    }
}

#[test]
fn a_header_the_panel_cannot_show_is_not_believed() {
    // A headset with a patched mode table: it says 120, the panel scans at 72.
    let film = Film::from(0).play(hz(72.0), drops(300, 10, 3));
    let (period, origin) = only(&fit(&film.noisy(1), &film_says(&film, 120.0), &[120.0], &[]));
    assert!(close(period, hz(72.0), 1), "{period}");
    assert_eq!(origin, PeriodOrigin::Fitted);
    // It says 120, all modes are 60, and all presents are at 60.
    let film = Film::from(0).play(hz(60.0), drops(300, 10, 3));
    let timeline = fit(&film.noisy(1), &film_says(&film, 120.0), &[60.0], &[]);
    assert!(close(only(&timeline).0, hz(60.0), 1) && timeline.uncertain.is_empty(), "{timeline:?}");
}

fn film_says(film: &Film, rate: f64) -> Vec<Report> {
    film.headers(400 * MS)
        .into_iter()
        .map(|report| Report { period: Span::from_ns(hz(rate)), ..report })
        .collect()
}

/// Headers well before the film and well after it, and none while it runs.
fn around(film: &Film, rate: f64) -> [Report; 2] {
    let end = film.presents[film.presents.len() - 1];
    [header(film.presents[0] - 300 * MS, hz(rate)), header(end + 300 * MS, hz(rate))]
}

#[test]
fn an_app_at_half_rate_is_no_slow_panel_where_headers_say_so_while_it_draws() {
    let film = Film::from(0).play(hz(120.0), [2; 120]);
    for modes in [&[][..], &[60.0, 120.0]] {
        let timeline = fit(&film.noisy(1), &film_says(&film, 120.0), modes, &[]);
        assert!(close(only(&timeline).0, hz(120.0), 1) && timeline.uncertain.is_empty(), "{timeline:?}");
        // Nobody looked while it drew: the panel may have dropped to 60 Hz and come back.
        let timeline = fit(&film.noisy(1), &around(&film, 120.0), modes, &[]);
        assert!(close(only(&timeline).0, hz(120.0), 1), "{timeline:?}");
        let [(from, to)] = timeline.uncertain[..] else { panic!("{timeline:?}") };
        assert!((to - from).ms() > 1_990.0, "{timeline:?}");
    }
    let timeline = fit(&film.noisy(1), &film_says(&film, 60.0), &[60.0, 120.0], &[]);
    assert!(close(only(&timeline).0, hz(60.0), 1) && timeline.uncertain.is_empty(), "{timeline:?}");
    let third = Film::from(0).play(hz(120.0), [3; 80]);
    assert_eq!(fit(&third.noisy(1), &film_says(&third, 120.0), &[], &[]).uncertain, []);
    assert_eq!(fit(&third.noisy(1), &around(&third, 120.0), &[], &[]).uncertain.len(), 1);
}

#[test]
fn headers_that_disagree_leave_open_what_lies_between_them() {
    // Every second vsync of 120 Hz or every one of 60: the first header says the one, the second the other.
    let film = Film::from(0).play(hz(120.0), [2; 120]);
    let told = [(200, 120.0), (600, 120.0), (1_000, 60.0), (1_400, 60.0), (1_800, 60.0)];
    let reports = told.map(|(ms, rate)| header(ms * MS, hz(rate)));
    let timeline = fit(&film.noisy(1), &reports, &[60.0, 120.0], &[]);
    assert_eq!(timeline.uncertain, [(at(600 * MS), at(1_000 * MS))], "{timeline:?}");
}

#[test]
fn thirty_frames_a_second_on_a_panel_that_only_does_sixty_are_certain() {
    let film = Film::from(0).play(hz(60.0), [2; 80]);
    let timeline = fit(&film.noisy(1), &film_says(&film, 60.0), &[60.0], &[]);
    assert!(close(only(&timeline).0, hz(60.0), 1) && timeline.uncertain.is_empty(), "{timeline:?}");
    for (reports, open) in [(film_says(&film, 60.0), 0), (around(&film, 60.0).to_vec(), 1)] {
        let timeline = fit(&film.noisy(1), &reports, &[30.0, 60.0], &[]);
        assert_eq!(timeline.uncertain.len(), open, "{timeline:?}");
    }
    // Without a header the modes decide: 30 Hz is none of them.
    let timeline = fit(&film.noisy(1), &[], &[60.0, 90.0], &[]);
    assert!(close(only(&timeline).0, hz(60.0), 1), "{timeline:?}");
}

#[test]
fn slow_frames_nobody_looked_at_are_uncertain_from_three_tenths_of_a_second_on() {
    let stretch = |slow: usize| {
        let film =
            Film::from(0).play(hz(120.0), [1; 120]).play(hz(120.0), vec![2; slow]).play(hz(120.0), [1; 120]);
        let presents: Vec<DeviceTime> = film.presents.iter().map(|ns| at(*ns)).collect();
        fit(&presents, &[0, 900, 1_500, 2_000].map(|ms| header(ms * MS, hz(120.0))), &[], &[]).uncertain
    };
    // 17 frames of 16.67 ms are 283 ms, 19 are 317 ms; a few fast ones beside them dilute the share to 90 % at most.
    assert_eq!(stretch(15), []);
    assert_eq!(stretch(19).len(), 1);
}

#[test]
fn a_panel_does_not_slow_down_before_the_last_header_that_told_the_faster_rate() {
    // Every second vsync of 120 Hz up to the rest; the first header of the rest says 60.
    let film = Film::from(0).play(hz(120.0), [2; 60]);
    let (early, late, rest) = (film.presents[10], film.presents[53], film.presents[60] + 200 * MS);
    let reports = [header(early, hz(120.0)), header(late, hz(120.0)), header(rest, hz(60.0))];
    let presents = film.noisy(1);
    let timeline = fit(&presents, &reports, &[120.0, 60.0], &[]);
    // The frame at the header may be stamped a little after it, and the one before reaches to where the slower rate
    // begins.
    for pair in presents[..=51].windows(2) {
        let period = timeline.judging(pair[0], pair[1]).expect("a period");
        assert!(close(period.ns(), hz(120.0), 5), "{period:?} at {:?}", pair[0]);
    }
}

#[test]
fn one_short_frame_off_by_its_own_noise_does_not_bend_the_lattice_of_a_slow_app() {
    // 30 frames a second on 165 Hz after a single quick one, which fences show 5 % too long.
    let lengths: [i64; 66] = [
        6_372, 30_161, 36_135, 30_469, 36_416, 30_249, 36_101, 30_468, 200_232, 29_920, 30_553, 36_415,
        30_027, 36_541, 30_195, 36_413, 30_582, 36_275, 30_388, 35_879, 30_618, 36_343, 30_179, 36_396,
        30_376, 36_211, 30_421, 36_503, 29_890, 36_620, 30_316, 36_237, 30_476, 36_193, 30_142, 36_858,
        30_092, 890_766, 30_117, 30_360, 36_401, 30_262, 36_248, 30_758, 36_255, 30_079, 36_762, 29_970,
        36_357, 30_287, 36_154, 30_611, 36_174, 30_336, 36_805, 29_999, 36_556, 30_270, 36_148, 30_332,
        36_474, 30_156, 36_246, 30_296, 36_526, 927_040,
    ];
    let mut presents = vec![at(0)];
    presents.extend(lengths.iter().scan(0, |now, length| {
        *now += length * MS / 1_000;
        Some(at(*now))
    }));
    let reports: Vec<Report> = (1..8).map(|nth| header(nth * 400 * MS, hz(165.0))).collect();
    let timeline = fit(&presents, &reports, &[60.0, 120.0, 165.0], &[]);
    assert!(close(only(&timeline).0, hz(165.0), 1), "{timeline:?}");
}
