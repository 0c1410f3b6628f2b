//! A slow app is never taken for a slow panel: whatever pace an app keeps on whatever panel, a period that is told is
//! the true one, or the time is uncertain.

use crate::film::{Film, MS, Noise, at, hz};
use farmjank_results::fit::fit;
use farmjank_results::period::{PeriodTimeline, Report};
use farmjank_results::time::{DeviceTime, Span};
use proptest::prelude::*;

/// Panels as phones tell of them: what line 1 says, the modes, and how much faster the panel truly is, ppm.
const PANELS: [(f64, &[f64], i64); 10] = [
    (48.0, &[48.0, 60.0, 120.0], 0),
    (60.0, &[60.0], 380),
    (60.0, &[60.0], 15_700),
    (60.0, &[60.0, 120.0], -45),
    (90.0, &[60.0, 90.0], 120),
    (120.0, &[60.0, 120.0], 2_490),
    (120.0, &[24.0, 30.0, 48.0, 60.0, 120.0], -45),
    (120.0, &[120.0], -130),
    (144.0, &[60.0, 120.0, 144.0], 90),
    (165.0, &[60.0, 120.0, 165.0], 60),
];

/// How an app paces its frames.
#[derive(Clone, Copy, Debug)]
enum Pace {
    /// Its own clock, pulled down to the refreshes.
    Clock(f64),
    /// So many vsyncs, always.
    Every(i64),
    /// One or the other at random.
    Either(i64, i64),
}

/// The lengths of about so many seconds in vsyncs.
fn lengths(pace: Pace, period: i64, seconds: f64, seed: u64) -> Vec<i64> {
    let mut noise = Noise::new(seed);
    let phase = noise.below(period as u64) as f64;
    let (mut lengths, mut vsync, mut count) = (Vec::new(), 0_i64, 1.0);
    while (vsync * period) as f64 / 1e9 < seconds {
        let length = match pace {
            Pace::Clock(fps) => {
                let due = phase + count * 1e9 / fps;
                count += 1.0;
                ((due / period as f64).ceil() as i64 - vsync).max(1)
            }
            Pace::Every(vsyncs) => vsyncs,
            Pace::Either(one, other) => [one, other][noise.below(2) as usize],
        };
        vsync += length;
        lengths.push(length);
    }
    lengths
}

/// Presents as fences tell them: 0.15 ms, 0.3 ms at worst.
fn noisy(film: &Film, seed: u64) -> Vec<DeviceTime> {
    let mut noise = Noise::new(seed);
    film.presents.iter().map(|present| at(present + noise.fence().clamp(-300_000, 300_000))).collect()
}

/// How a phone is asked.
#[derive(Clone, Copy, Debug)]
enum Reported {
    /// Headers every so many ms.
    Every(i64),
    /// One header before, and one after when the panel went idle, at this rate.
    Around(f64),
    /// None: a trace.
    Never,
}

fn reports(told: Reported, says: i64, film: &Film) -> Vec<Report> {
    let (start, end) = (film.presents[0], film.presents[film.presents.len() - 1]);
    let report = |ns: i64, period: i64| Report { at: at(ns), period: Span::from_ns(period) };
    match told {
        Reported::Every(ms) => {
            let times =
                (0..).map(|k| start - 40 * MS + k * ms * MS).take_while(|time| *time < end + 300 * MS);
            times.map(|time| report(time, says)).collect()
        }
        Reported::Around(idle) => vec![report(start - 400 * MS, says), report(end + 900 * MS, hz(idle))],
        Reported::Never => Vec::new(),
    }
}

/// Frames that are judged wrongly though nothing says they are uncertain, and the share of the time that is. With more
/// than 5 % of it no metric in vsyncs is given.
fn wrong(film: &Film, presents: &[DeviceTime], timeline: &PeriodTimeline) -> (usize, f64) {
    let mut wrong = 0;
    for index in 1..presents.len() {
        let (from, to) = (presents[index - 1], presents[index]);
        let doubted = timeline.uncertain.iter().any(|(begin, end)| *begin < to && *end > from);
        let truth = film.panel.iter().rev().find(|(begin, _)| *begin < film.presents[index]);
        let truth = truth.map_or(0, |(_, period)| *period);
        let right =
            timeline.judging(from, to).is_some_and(|period| (period.ns() - truth).abs() * 200 < truth);
        wrong += usize::from(!right && !doubted && !timeline.segments.is_empty());
    }
    let open: f64 = timeline.uncertain.iter().map(|(from, to)| (*to - *from).ms()).sum();
    let all = (presents[presents.len() - 1] - presents[0]).ms();
    (wrong, open / all)
}

const PACES: [Pace; 16] = [
    Pace::Clock(24.0),
    Pace::Clock(25.0),
    Pace::Clock(30.0),
    Pace::Clock(40.0),
    Pace::Clock(45.0),
    Pace::Clock(48.0),
    Pace::Clock(59.94),
    Pace::Clock(60.0),
    Pace::Every(1),
    Pace::Every(2),
    Pace::Every(3),
    Pace::Every(4),
    Pace::Every(5),
    Pace::Either(5, 6),
    Pace::Either(2, 3),
    Pace::Either(1, 2),
];

/// The film of one pace, the presents, and what the phone says its period is.
fn film(panel: usize, pace: Pace, seed: u64) -> (Film, Vec<DeviceTime>, i64) {
    let (rate, _, skew) = PANELS[panel];
    let period = hz(rate * (1.0 + skew as f64 / 1e6));
    let film = Film::from(5_000 * MS).play(period, lengths(pace, period, 3.0, seed));
    let presents = noisy(&film, seed + 1);
    (film, presents, hz(rate))
}

#[test]
fn every_pace_on_every_panel_is_judged_by_the_panel_where_headers_are_read() {
    for (panel, known) in PANELS.iter().enumerate() {
        for pace in PACES {
            for seed in 1..6 {
                for every in [350, 410] {
                    let (film, presents, says) = film(panel, pace, seed);
                    let timeline =
                        fit(&presents, &reports(Reported::Every(every), says, &film), known.1, &[]);
                    let (wrong, open) = wrong(&film, &presents, &timeline);
                    let place = format!("{:?} {pace:?} seed {seed}: {timeline:?}", known);
                    assert!(!timeline.segments.is_empty(), "{place}");
                    assert_eq!((wrong, open), (0, 0.0), "{place}");
                }
            }
        }
    }
}

#[test]
fn a_pace_nobody_looked_at_is_judged_by_the_panel_or_uncertain() {
    let (mut told, mut doubted) = (0, 0);
    for (panel, known) in PANELS.iter().enumerate() {
        let idle = known.1.iter().copied().fold(f64::INFINITY, f64::min);
        for pace in PACES {
            for asked in [Reported::Around(known.0), Reported::Around(idle), Reported::Never] {
                for seed in 1..4 {
                    let (film, presents, says) = film(panel, pace, seed);
                    let timeline = fit(&presents, &reports(asked, says, &film), known.1, &[]);
                    let (wrong, open) = wrong(&film, &presents, &timeline);
                    let place = format!("{:?} {pace:?} {asked:?} seed {seed}: {timeline:?}", known);
                    assert!(wrong == 0 || open > 0.05, "{wrong} frames, {open}: {place}");
                    told += usize::from(open < 0.05);
                    doubted += usize::from(open >= 0.05);
                }
            }
        }
    }
    assert!(told > doubted, "{told} told, {doubted} uncertain");
}

#[test]
fn a_list_that_falls_to_a_slow_pace_for_three_seconds_is_slow_and_the_panel_is_not() {
    for (panel, (rate, modes, skew)) in PANELS.iter().enumerate() {
        let period = hz(rate * (1.0 + *skew as f64 / 1e6));
        for (seed, pace) in [(1, Pace::Clock(25.0)), (2, Pace::Clock(30.0)), (3, Pace::Either(5, 6))] {
            let fast = vec![1; (1e9 / period as f64) as usize];
            let film = Film::from(5_000 * MS).play(period, fast.clone());
            let film = film.play(period, lengths(pace, period, 3.0, seed)).play(period, fast);
            let presents = noisy(&film, seed);
            let timeline = fit(&presents, &reports(Reported::Every(380), hz(*rate), &film), modes, &[]);
            let (wrong, open) = wrong(&film, &presents, &timeline);
            assert_eq!((wrong, open), (0, 0.0), "{:?} {pace:?}: {timeline:?}", PANELS[panel]);
        }
    }
}

#[test]
fn a_panel_that_truly_drops_is_followed_where_headers_or_modes_say_so() {
    for modes in [&[24.0, 30.0, 60.0, 120.0][..], &[]] {
        let film = Film::from(5_000 * MS)
            .play(hz(120.0), vec![1; 240])
            .play(hz(60.0), vec![1; 90])
            .play(hz(30.0), vec![1; 40])
            .play(hz(24.0), vec![1; 40])
            .play(hz(120.0), vec![1; 240]);
        for seed in 1..10 {
            let timeline = fit(&noisy(&film, seed), &film.headers(350 * MS), modes, &[]);
            let (wrong, open) = wrong(&film, &noisy(&film, seed), &timeline);
            assert!(wrong <= 4 && open < 0.12, "{modes:?} seed {seed}: {wrong} {open} {timeline:?}");
        }
    }
}

#[test]
fn a_pace_that_no_multiple_of_the_reported_period_explains_is_doubted() {
    // A panel that waits for its content: every 40 ms, and neither header nor modes know such a rate.
    let film = Film::from(0).play(40 * MS, vec![1; 75]);
    let says = reports(Reported::Every(350), hz(120.0), &film);
    let timeline = fit(&noisy(&film, 3), &says, &[60.0, 120.0], &[]);
    let open: f64 = timeline.uncertain.iter().map(|(from, to)| (*to - *from).ms()).sum();
    assert!(open > 2_900.0, "{timeline:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The law: what is told is the truth, or it is uncertain.
    #[test]
    fn a_period_is_true_or_uncertain(
        panel in 0usize..PANELS.len(),
        fps in prop_oneof![(12u32..130).prop_map(f64::from), (120u32..1300).prop_map(|tenth| f64::from(tenth) / 10.0)],
        every in prop::option::weighted(0.7, 120i64..500),
        seed in 1u64..1_000_000,
    ) {
        let (film, presents, says) = film(panel, Pace::Clock(fps), seed);
        let told = every.map_or(Reported::Never, Reported::Every);
        let timeline = fit(&presents, &reports(told, says, &film), PANELS[panel].1, &[]);
        let (wrong, open) = wrong(&film, &presents, &timeline);
        let place = format!("{:?} {fps} {told:?}: {timeline:?}", PANELS[panel]);
        prop_assert!(wrong == 0 || open > 0.05, "{} frames, {}: {}", wrong, open, place);
    }
}
