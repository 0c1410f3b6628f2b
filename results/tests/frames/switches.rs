//! Rate switches inside one gesture: every frame is judged as the panel ran, but for one frame per switch.

use crate::film::{Film, MS, at, drops, hz};
use farmjank_results::fit::fit;
use farmjank_results::period::{PeriodTimeline, Report};
use farmjank_results::time::{DeviceTime, Span};

/// Frames judged longer than they were, and shorter.
fn misjudged(film: &Film, presents: &[DeviceTime], timeline: &PeriodTimeline) -> (usize, usize) {
    let (mut over, mut under) = (0, 0);
    for index in 1..presents.len() {
        let (from, to) = (presents[index - 1], presents[index]);
        let (length, truth) = ((to - from).ns(), film.vsyncs[index]);
        if truth == 0 {
            continue;
        }
        let period = timeline.judging(from, to).map(Span::ns).unwrap_or(1);
        let judged = ((2 * length + period) / (2 * period)).max(1);
        over += usize::from(judged > truth);
        under += usize::from(judged < truth);
    }
    (over, under)
}

/// Fits the film as told by headers every `every` (none: no headers) and checks every frame.
fn check(name: &str, film: &Film, every: Option<i64>, modes: &[f64]) {
    for seed in 1..=20 {
        let presents = film.noisy(seed);
        let reports: Vec<Report> = every.map_or(Vec::new(), |every| film.headers(every));
        let timeline = fit(&presents, &reports, modes, &[]);
        let (over, under) = misjudged(film, &presents, &timeline);
        let switches = film.panel.len() - 1;
        assert!(
            over == 0 && under <= switches,
            "{name}, {every:?}, {modes:?}, seed {seed}: {over} {under} {timeline:?}"
        );
        if every.is_some() {
            assert!(timeline.uncertain.is_empty(), "{name}, {every:?}, seed {seed}: {timeline:?}");
        }
    }
}

#[test]
fn sixty_to_one_twenty_and_back_inside_one_gesture() {
    let film = Film::from(1_000 * MS)
        .play(hz(60.0), drops(50, 15, 1))
        .play(hz(120.0), drops(120, 15, 2))
        .play(hz(60.0), drops(50, 15, 3));
    for modes in [&[][..], &[60.0, 120.0]] {
        for every in [Some(150 * MS), Some(350 * MS), Some(410 * MS), None] {
            check("60-120-60", &film, every, modes);
        }
    }
}

#[test]
fn adaptive_panels_ramp() {
    for (seed, share) in [(1, 1000), (2, 12)] {
        let film = Film::from(1_000 * MS)
            .play(hz(120.0), drops(150, share, seed))
            .play(hz(80.0), drops(70, share, seed + 1))
            .play(hz(60.0), drops(60, share, seed + 2))
            .play(hz(120.0), drops(150, share, seed + 3));
        check("ramp", &film, Some(350 * MS), &[60.0, 80.0, 120.0]);
        check("ramp", &film, Some(350 * MS), &[]);
        check("ramp", &film, None, &[60.0, 80.0, 120.0]);
    }
    for [slow, fast] in
        [[60.0, 90.0], [60.0, 144.0], [48.0, 144.0], [60.0, 165.0], [90.0, 120.0], [72.0, 144.0]]
    {
        let film = Film::from(0)
            .play(hz(slow), drops(40, 20, 1))
            .play(hz(fast), drops(200, 20, 2))
            .play(hz(slow), drops(60, 20, 3));
        check("slow fast slow", &film, Some(300 * MS), &[slow, fast]);
        check("slow fast slow", &film, Some(300 * MS), &[]);
    }
}

#[test]
fn touch_boost_after_the_first_frames_of_a_gesture() {
    let mut film = Film::from(1_000 * MS).play(hz(60.0), [1, 1, 1]).play(hz(120.0), drops(100, 20, 1));
    for gesture in 2..8 {
        film = film.rest(900 * MS, hz(60.0)).play(hz(60.0), [1, 1]).play(hz(120.0), drops(100, 20, gesture));
    }
    for every in [100 * MS, 350 * MS] {
        check("boost", &film, Some(every), &[60.0, 120.0]);
    }
}

#[test]
fn frames_of_two_vsyncs_do_not_make_a_switch() {
    for seed in 0..20 {
        let film = Film::from(0)
            .play(hz(120.0), drops(400, 3, seed))
            .play(hz(120.0), [2; 12])
            .play(hz(120.0), [1; 90]);
        for reports in [film.headers(350 * MS), Vec::new()] {
            let timeline = fit(&film.noisy(seed + 1), &reports, &[60.0, 120.0], &[]);
            assert_eq!(timeline.segments.len(), 1, "seed {seed}: {timeline:?}");
        }
    }
}

#[test]
fn a_dip_that_no_header_saw_is_marked_and_not_guessed() {
    let film = Film::from(0).play(hz(120.0), [1; 100]).play(hz(60.0), [1; 21]).play(hz(120.0), [1; 100]);
    let says = |ms: i64| Report { at: at(ms * MS), period: Span::from_ns(hz(120.0)) };
    let timeline = fit(&film.noisy(1), &[says(0), says(700), says(1_300), says(2_000)], &[60.0, 120.0], &[]);
    assert_eq!(timeline.segments.len(), 1, "{timeline:?}");
    let [(from, to)] = timeline.uncertain[..] else { panic!("{timeline:?}") };
    assert!(
        (from - at(833 * MS)).ms().abs() < 60.0 && (to - at(1_183 * MS)).ms().abs() < 60.0,
        "{timeline:?}"
    );
}

#[test]
fn a_whole_evening_is_fitted_quickly_and_segments_stay_few() {
    let mut film = Film::from(0);
    for round in 0..100 {
        film = film.play(hz(60.0), drops(300, 20, round)).play(hz(120.0), drops(500, 20, round + 1000));
    }
    assert!(film.presents.len() > 80_000);
    let timeline = fit(&film.noisy(9), &film.headers(400 * MS), &[60.0, 120.0], &[]);
    assert_eq!(timeline.segments.len(), 200);
}

/// Periods of each interval, as judged, for presents given by their lengths in ns, with a header before and one after.
fn judged(lengths: &[i64], modes: &[f64], before: f64, after: f64) -> Vec<i64> {
    let mut presents = vec![at(1_000 * MS)];
    for length in lengths {
        presents.push(presents[presents.len() - 1] + Span::from_ns(*length));
    }
    let report = |at, rate: f64| Report { at, period: Span::from_ns((1e9 / rate) as i64) };
    let end = presents[presents.len() - 1];
    let reports = [report(presents[0], before), report(end, after)];
    let timeline = fit(&presents, &reports, modes, &[]);
    let pairs = presents.windows(2);
    pairs
        .map(|pair| timeline.judging(pair[0], pair[1]).map(|period| (period.ns() + MS / 2) / MS).unwrap_or(0))
        .collect()
}

#[test]
fn the_last_gap_of_a_list_before_the_next_finger_belongs_to_the_rate_it_rested_at() {
    let (slow, fast) = (hz(60.0), hz(90.0));
    // Two refreshes of 60 Hz are three of 90.
    let lengths = [&[fast; 30][..], &[slow; 25], &[2 * slow, 94 * MS], &[fast; 30]].concat();
    assert_eq!(judged(&lengths, &[60.0, 90.0], 90.0, 90.0)[55], 17);
}

#[test]
fn the_last_frames_before_a_pause_belong_to_the_rate_before_it() {
    // 60 Hz with one missed vsync (33.3 ms: two vsyncs at 60 Hz, three at 90), a pause, then 90 Hz.
    let (slow, fast) = (16_666_667, 11_111_111);
    let mut lengths = vec![slow; 40];
    lengths.extend([2 * slow, 400 * MS]);
    lengths.extend(vec![fast; 60]);
    let judged = judged(&lengths, &[60.0, 90.0], 60.0, 90.0);
    assert_eq!(judged[..41], [17; 41], "the missed vsync is one of 60 Hz");
    assert_eq!(judged[42..], [11; 60]);
}

#[test]
fn a_panel_that_slows_down_twice_before_a_pause_does_not_speed_up_in_between() {
    // 120 → 80 → 60 Hz in the end of each fling. Of the second fling, no dump saw the 60.
    let (fast, middle, slow) = (8_333_333, 12_500_000, 16_666_667);
    let mut lengths = Vec::new();
    for _ in 0..2 {
        lengths.extend([vec![fast; 90], vec![middle; 10], vec![slow; 7], vec![225 * MS]].concat());
    }
    lengths.extend(vec![fast; 90]);
    let mut presents = vec![at(1_000 * MS)];
    for length in &lengths {
        presents.push(presents[presents.len() - 1] + Span::from_ns(*length));
    }
    let says = |index: usize, period: i64| Report { at: presents[index], period: Span::from_ns(period) };
    let mut reports =
        vec![says(20, fast), says(60, fast), says(95, middle), says(104, slow), says(130, fast)];
    reports.extend([says(170, fast), says(204, middle), says(240, fast), says(290, fast)]);
    let judged = |reports: &[Report], index: usize| {
        let timeline = fit(&presents, reports, &[60.0, 80.0, 120.0], &[]);
        timeline.judging(presents[index], presents[index + 1]).map(|period| (period.ns() + MS / 2) / MS)
    };
    for index in 208..215 {
        assert_eq!(judged(&reports, index), Some(17), "frame {index}");
    }
    // A dump that says 120 Hz there knows better: the app was late.
    reports.insert(7, says(211, fast));
    assert_eq!(judged(&reports, 211), Some(8));
}

#[test]
fn frames_before_the_touch_boost_are_judged_by_the_rate_the_panel_rested_at() {
    let (slow, fast) = (16_666_667, 8_333_333);
    for resting in 1..=3 {
        let mut lengths = vec![slow; 40];
        lengths.push(400 * MS);
        lengths.extend(vec![slow; resting]);
        lengths.extend(vec![fast; 80]);
        let judged = judged(&lengths, &[60.0, 120.0], 60.0, 120.0);
        assert_eq!(judged[41..41 + resting], vec![17; resting], "{resting} frames at rest");
        assert_eq!(judged[42 + resting..], vec![8; 79]);
    }
}

/// The panel of a launch is fast, slows down at rest, and shows the first frames of each touch at its resting rate. The
/// header of the dump before a touch is older than the rest, or younger than the boost that no frame shows yet.
#[test]
fn a_header_of_the_faster_rate_before_the_first_touch_does_not_make_its_first_frames_late() {
    let (slow, fast) = (hz(60.0), hz(120.0));
    let cases = [
        (60, false, 1),
        (300, false, 1),
        (900, false, 1),
        (60, false, 3),
        (300, false, 3),
        (300, true, 3),
        (900, true, 3),
    ];
    for (ago, first, touched) in cases {
        let mut lengths = if first { Vec::new() } else { vec![fast; 30] };
        let mut touches = Vec::new();
        for rest in &[1_000, 1_500, 1_500][..touched] {
            if !lengths.is_empty() {
                lengths.push(rest * MS);
            }
            touches.push(lengths.len());
            lengths.extend([slow, slow].into_iter().chain(vec![fast; 60]));
        }
        let mut presents = vec![at(1_000 * MS)];
        presents.extend(lengths.iter().scan(1_000 * MS, |now, length| {
            *now += length;
            Some(at(*now))
        }));
        let before = |touch: usize, ms: i64| presents[touches[touch]] - Span::from_ms(ms);
        let says = |at, period| Report { at, period: Span::from_ns(period) };
        let last = *presents.last().expect("a present");
        // The first touch finds 120; later ones, after a longer rest, 60.
        let mut reports = vec![says(before(0, ago), fast)];
        reports.extend((1..touched).map(|touch| says(before(touch, 100), slow)));
        reports.push(says(last, fast));
        let timeline = fit(&presents, &reports, &[60.0, 120.0], &[]);
        for touch in touches {
            for frame in touch..touch + 2 {
                let judged = timeline.judging(presents[frame], presents[frame + 1]);
                assert_eq!(
                    judged.map(|period| period.ms().round() as i64),
                    Some(17),
                    "{ago} ms, {first}, {touched}, touch at {touch}"
                );
            }
        }
    }
}

/// A touch raises the rate before its first frame: what is read in between tells the boost, not the rest.
#[test]
fn a_header_read_after_the_touch_does_not_make_its_first_frames_late_where_the_panel_was_heard_resting() {
    let (slow, fast) = (hz(60.0), hz(120.0));
    let first_frames = |rested: bool| {
        let touch = |_| [1_500 * MS, slow, slow].into_iter().chain(vec![fast; 60]);
        let lengths: Vec<i64> = vec![fast; 30].into_iter().chain((0..3).flat_map(touch)).collect();
        let mut now = 1_000 * MS;
        let mut presents = vec![at(now)];
        presents.extend(lengths.iter().map(|length| {
            now += length;
            at(now)
        }));
        let touches = [31, 94, 157];
        let says = |touch: usize, ms: i64, period| Report {
            at: presents[touches[touch]] - Span::from_ms(ms),
            period: Span::from_ns(period),
        };
        let heard = if rested { slow } else { fast };
        let reports = [says(0, 30, fast), says(1, 200, heard), says(2, 200, heard)];
        let timeline = fit(&presents, &reports, &[60.0, 120.0], &[]);
        let judged = |frame: usize| timeline.judging(presents[frame], presents[frame + 1]);
        [31, 32].map(|frame| judged(frame).map(|period| period.ms().round() as i64))
    };
    assert_eq!(first_frames(true), [Some(17); 2]);
    // Never heard at 60, it did not rest.
    assert_eq!(first_frames(false), [Some(8); 2]);
}

/// A list at 60 Hz, one at 120 Hz, and a pause too short to slow the panel down: the header before its end is believed.
#[test]
fn a_header_among_slow_frames_tells_of_no_rest() {
    let (slow, fast) = (hz(60.0), hz(120.0));
    let lengths = [vec![slow; 60], vec![fast; 60], vec![200 * MS, slow, slow], vec![fast; 60]].concat();
    let mut now = 1_000 * MS;
    let mut presents = vec![at(now)];
    presents.extend(lengths.iter().map(|length| {
        now += length;
        at(now)
    }));
    let says = |frame: usize, ms: i64, period| Report {
        at: presents[frame] + Span::from_ms(ms),
        period: Span::from_ns(period),
    };
    let reports = [says(20, 3, slow), says(40, 3, slow), says(90, 3, fast), says(121, -30, fast)];
    let timeline = fit(&presents, &reports, &[60.0, 120.0], &[]);
    let judged = |frame: usize| timeline.judging(presents[frame], presents[frame + 1]);
    assert_eq!([121, 122].map(|frame| judged(frame).map(|period| period.ms().round() as i64)), [Some(8); 2]);
}

#[test]
fn a_slow_start_longer_than_any_boost_is_slow() {
    // Twelve frames at every second vsync while the header says 120 Hz: an app at half rate, not a panel at 60.
    let (slow, fast) = (16_666_667, 8_333_333);
    let mut lengths = vec![fast; 60];
    lengths.push(400 * MS);
    lengths.extend(vec![slow; 12]);
    lengths.extend(vec![fast; 60]);
    assert_eq!(judged(&lengths, &[60.0, 120.0], 120.0, 120.0)[61..73], [8; 12]);
}

/// A list runs out at half the rate, and the next touch raises it, all between two headers.
#[test]
fn a_rest_between_two_headers_is_no_jank_where_the_panel_was_heard_resting() {
    let (fast, slow) = (hz(120.0), hz(60.0));
    for frames in [4, 8, 17] {
        let film = Film::from(1_000 * MS)
            .play(slow, [1; 20])
            .play(fast, [1; 50])
            .play(slow, vec![1; frames])
            .play(fast, [1; 60]);
        let left = film.panel[2].0;
        let headers = film.headers(10 * MS).into_iter();
        let unheard = |report: &Report| (left - 40 * MS..left + 340 * MS).contains(&report.at.ns());
        let reports: Vec<Report> = headers.filter(|report| !unheard(report)).collect();
        for seed in 1..=20 {
            let presents = film.noisy(seed);
            let timeline = fit(&presents, &reports, &[60.0, 120.0], &[]);
            assert_eq!(misjudged(&film, &presents, &timeline).0, 0, "{frames}, seed {seed}: {timeline:?}");
            // Nobody saw it: an app that drew every second refresh looks the same.
            assert_eq!(timeline.uncertain.len(), 1, "{frames}, seed {seed}: {timeline:?}");
            // A panel nobody ever heard resting did not: its app was late.
            let told: Vec<Report> = reports.iter().filter(|told| told.period.ns() == fast).copied().collect();
            let timeline = fit(&presents[20..], &told, &[120.0], &[]);
            let late = (70..70 + frames).filter(|at| {
                timeline
                    .judging(presents[*at], presents[at + 1])
                    .is_some_and(|period| period.ns() < slow * 3 / 4)
            });
            assert_eq!(late.count(), frames, "{frames}, seed {seed}: {timeline:?}");
        }
    }
}

/// An app at half rate on a panel that rests: one frame of a single refresh after the touch shows that the rate had
/// risen, and what was the app's pace up to the last header is so beside it.
#[test]
fn an_app_at_half_rate_is_late_from_the_touch_to_the_rest_where_headers_beside_say_the_fast_rate() {
    let (fast, slow) = (hz(120.0), hz(60.0));
    let start = [vec![1], vec![2; 14], vec![3, 1], vec![2; 36]].concat();
    let film = Film::from(1_000 * MS)
        .play(fast, [vec![1], vec![2; 28]].concat())
        .rest(900 * MS, slow)
        .play(fast, start.iter().copied())
        .rest(900 * MS, slow);
    let (touched, stopped) = (film.panel[2].0, film.panel[3].0);
    let says = |ns: i64, period: i64| Report { at: at(ns), period: Span::from_ns(period) };
    let reports = [
        says(1_400 * MS, fast),
        says(touched - 90 * MS, slow),
        says(touched + 340 * MS, fast),
        says(stopped - 95 * MS, fast),
        says(stopped + 300 * MS, slow),
    ];
    for seed in 1..=20 {
        let presents = film.noisy(seed);
        let timeline = fit(&presents, &reports, &[60.0, 120.0], &[]);
        let (over, under) = misjudged(&film, &presents, &timeline);
        // The last frame of each fling ends where the panel slows down.
        assert!(over == 0 && under <= 2, "seed {seed}: {over} {under} {timeline:?}");
        assert!(timeline.uncertain.is_empty(), "seed {seed}: {timeline:?}");
    }
}
