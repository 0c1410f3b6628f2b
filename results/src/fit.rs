//! Period detection: which refresh period was in force when (docs/periods.md#how-it-is-found).
//!
//! Presents sit on the vsync lattice; headers say what the phone believed at the instant of each dump; modes say what
//! the panel can do. Windows of half a second find the rates in play (`lattice.rs`), the cheapest path through them
//! places the switches (`path.rs`), and each rate is refined by least squares. Integer ns.

use crate::divided::{parts, slow_down};
use crate::lattice::{self, GLUED, LONG, Windows, candidates, far, fits, multiple, refine, same, usable};
use crate::path::{FitInput, Rate, cheapest};
use crate::pauses::{
    boost_after_pauses, hold_beside_headers, rest_before_pauses, rest_unheard, switch_in_pauses,
};
use crate::period::{PeriodOrigin, PeriodSegment, PeriodTimeline, Report};
use crate::time::{DeviceTime, Span};
use crate::uncertain::uncertain;

/// Length of the sliding window (rule 5), and its step.
const WINDOW: i64 = 500_000_000;
const STEP: i64 = 125_000_000;
/// From here on windows must agree (rule 1); fewer lengths are one window.
const MANY: usize = 30;
/// More rates than this are noise.
const MOST_RATES: usize = 16;
/// A period longer than this is no panel's unless presents leave nothing else.
const SLOW: i64 = 17_500_000;

/// True for a period a moving screen can have: 10 to 500 Hz. Idle panels report less, missing ones zero.
pub fn plausible(period: Span) -> bool {
    (GLUED..=LONG).contains(&period.ns())
}

/// The period timeline of sorted presents. `reports` are sorted by time; `modes` in Hz, empty when unknown; `pins` are
/// taken as they are and decide alone. Empty when nothing is reported and nothing fits.
pub fn fit(
    presents: &[DeviceTime],
    reports: &[Report],
    modes: &[f64],
    pins: &[(Option<DeviceTime>, Span)],
) -> PeriodTimeline {
    if !pins.is_empty() {
        return pinned(pins);
    }
    let modes: Vec<i64> = modes.iter().filter(|hz| **hz > 0.0).map(|hz| (1e9 / hz).round() as i64).collect();
    let mut modes: Vec<i64> = modes.into_iter().filter(|period| plausible(Span::from_ns(*period))).collect();
    // Where two modes explain the presents equally well, the slower one does (rule 3).
    modes.sort_unstable_by(|one, other| other.cmp(one));
    let lengths: Vec<i64> = presents.windows(2).map(|pair| (pair[1] - pair[0]).ns()).collect();
    let rates = rates(presents, &lengths, reports, &modes);
    let input = FitInput::new(presents, &lengths, &rates, &modes, reports);
    let mut path = cheapest(&input);
    overrule(&mut path, &input);
    switch_in_pauses(&mut path, &rates, &lengths);
    slow_down(&mut path, &input);
    rest_before_pauses(&mut path, &input, reports);
    boost_after_pauses(&mut path, &input);
    hold_beside_headers(&mut path, &input);
    rest_unheard(&mut path, &input);
    let fitted: Vec<Option<Fitted>> = (0..rates.len()).map(|rate| settle(&input, &path, rate)).collect();
    let mut timeline = PeriodTimeline::default();
    for (index, rate) in path.iter().enumerate() {
        let settled = rate.and_then(|rate| fitted[rate]).or_else(|| reported_for(&input, reports, index));
        if let Some(Fitted { period, origin }) = settled {
            extend(&mut timeline.segments, presents[index], period, origin);
        }
    }
    if timeline.segments.is_empty() {
        for report in reports.iter().filter(|report| input.credible(report.period.ns())) {
            extend(&mut timeline.segments, report.at, report.period, PeriodOrigin::Reported);
        }
    }
    let exact = |settled: &Option<Fitted>| {
        settled.filter(|fitted| fitted.origin == PeriodOrigin::Fitted).map(|fitted| fitted.period.ns())
    };
    let exact: Vec<Option<i64>> = fitted.iter().map(exact).collect();
    timeline.uncertain = uncertain(&input, &path, &exact);
    timeline
}

/// A rate that leaves too many of its own lengths off its lattice is not in force where a faster one the phone tells of
/// explains them all: 55 frames a second on 120 Hz are mostly, and not only, single vsyncs of 60 Hz.
fn overrule(path: &mut [Option<usize>], input: &FitInput) {
    for slow in 0..input.rates.len() {
        let mine =
            |(at, length): (usize, &i64)| (path[at] == Some(slow) && usable(*length)).then_some(*length);
        let lengths: Vec<i64> = input.lengths.iter().enumerate().filter_map(mine).collect();
        let spare = 1 + lengths.len() / 20;
        let period = input.rates[slow].period;
        if lengths.len() < lattice::FEWEST || fits(&lengths, period, spare).is_some() {
            continue;
        }
        let explains = |(_, rate): &(usize, &Rate)| {
            let told = rate.told.is_some_and(|told| input.credible(told));
            told && rate.period < period && fits(&lengths, rate.period, 0).is_some()
        };
        let fast = input.rates.iter().enumerate().filter(explains).max_by_key(|(_, rate)| rate.period);
        if let Some((fast, _)) = fast {
            path.iter_mut().filter(|rate| **rate == Some(slow)).for_each(|rate| *rate = Some(fast));
        }
    }
}

fn pinned(pins: &[(Option<DeviceTime>, Span)]) -> PeriodTimeline {
    let mut pins: Vec<_> = pins.iter().filter(|(_, period)| period.ns() > 0).collect();
    pins.sort_by_key(|(from, _)| *from);
    let segment = |(from, period): &&(Option<DeviceTime>, Span)| PeriodSegment {
        from: from.unwrap_or(DeviceTime::from_ns(i64::MIN)),
        period: *period,
        origin: PeriodOrigin::Pinned,
    };
    PeriodTimeline { segments: pins.iter().map(segment).collect(), uncertain: Vec::new() }
}

fn extend(segments: &mut Vec<PeriodSegment>, from: DeviceTime, period: Span, origin: PeriodOrigin) {
    if segments.last().is_none_or(|last| (last.period, last.origin) != (period, origin)) {
        segments.push(PeriodSegment { from, period, origin });
    }
}

/// Rates worth considering: what headers report, what modes offer, and what windows of presents agree on.
fn rates(presents: &[DeviceTime], lengths: &[i64], reports: &[Report], modes: &[i64]) -> Vec<Rate> {
    let mut rates: Vec<Rate> = Vec::new();
    let mut heard: Vec<(i64, usize)> = Vec::new();
    for report in reports {
        match heard.iter_mut().find(|(period, _)| same(*period, report.period.ns())) {
            Some((_, times)) => *times += 1,
            None => heard.push((report.period.ns(), 1)),
        }
    }
    heard.sort_by_key(|(period, times)| (usize::MAX - times, *period));
    rates.extend(heard.iter().take(MOST_RATES).map(|(period, _)| Rate::reported(*period)));
    for mode in modes {
        if !rates.iter().any(|rate| same(rate.period, *mode)) {
            rates.push(Rate::offered(*mode));
        }
    }
    let known: Vec<i64> = rates.iter().map(|rate| rate.period).collect();
    let busy: Vec<i64> = lengths.iter().copied().filter(|length| usable(*length)).collect();
    let mut slow_apps: Vec<i64> = Vec::new();
    for vote in votes(presents, lengths, &candidates(&known)) {
        match rates.iter_mut().find(|rate| same(rate.period, vote)) {
            Some(rate) => rate.sharpen(vote),
            // A slower period than the phone tells of, whole refreshes of one it does: the app's pace, not the panel's.
            None if vote > SLOW && known.iter().any(|base| multiple(vote, *base).is_some()) => {
                slow_apps.push(vote);
            }
            None => rates.push(Rate::found(vote)),
        }
    }
    for part in parts(lengths, modes, reports) {
        if !rates.iter().any(|rate| same(rate.period, part)) {
            rates.push(Rate::offered(part));
        }
    }
    rates.truncate(MOST_RATES);
    // A slow app shows no single vsync for a vote, and the lattice of the panel all the same.
    for rate in &mut rates {
        let exact = refine(lengths.iter().map(|length| usable(*length).then_some(*length)), rate.period);
        if let Some(exact) =
            exact.filter(|exact| same(*exact, rate.period) && fits(&busy, *exact, 0).is_some())
        {
            rate.sharpen(exact);
        }
    }
    // A rate nobody reported that no length is one vsync of explains nothing, unless an app at a part of it does.
    let found = rates.iter().filter(|rate| rate.told.is_none()).map(|rate| rate.period);
    let paces: Vec<i64> = found.chain(slow_apps).collect();
    let seen = |rate: &Rate| {
        let one = |length: &i64| usable(*length) && (*length - rate.period).abs() < far(rate.period);
        rate.is_reported()
            || lengths.iter().any(one)
            || paces.iter().any(|slow| multiple(*slow, rate.period).is_some())
            || (reports.is_empty() && busy.len() >= lattice::FEWEST && fits(&busy, rate.period, 0).is_some())
    };
    rates.retain(seen);
    rates
}

/// Rule 5: the periods that two consecutive windows agree on; all lengths together when they are few or short.
fn votes(presents: &[DeviceTime], lengths: &[i64], candidates: &[i64]) -> Vec<i64> {
    let all = || lengths.iter().zip(presents).filter(|(length, _)| usable(**length));
    let (lengths, starts): (Vec<i64>, Vec<i64>) = all().map(|(length, from)| (*length, from.ns())).unzip();
    let mut windows = Windows::new(&lengths);
    let mut votes = Vec::new();
    if lengths.len() < MANY || lengths.iter().sum::<i64>() < WINDOW + 2 * STEP {
        votes.extend(windows.longest(0..lengths.len(), candidates, None).map(|(_, period)| period));
    }
    let mut lo = 0;
    let mut hi = 0;
    let mut last: Option<(i64, i64)> = None;
    while hi < starts.len() {
        let start = starts[lo];
        hi = hi.max(lo) + starts[hi.max(lo)..].iter().take_while(|from| **from < start + WINDOW).count();
        let vote = windows.longest(lo..hi, candidates, last);
        if let (Some((_, one)), Some((_, other))) = (last, vote)
            && same(one, other)
        {
            votes.push(other);
        }
        last = vote;
        lo += starts[lo..].iter().take_while(|from| **from < start + STEP).count().max(1);
        lo = lo.min(starts.len() - 1);
    }
    votes
}

#[derive(Clone, Copy)]
struct Fitted {
    period: Span,
    origin: PeriodOrigin,
}

/// Rules 3, 4 and 7 over everything the path gives to one rate: its exact period, else what was reported or offered.
fn settle(input: &FitInput, path: &[Option<usize>], rate: usize) -> Option<Fitted> {
    let base = &input.rates[rate];
    let mine = |index: usize, length: i64| path[index] == Some(rate) && usable(length);
    let masked =
        input.lengths.iter().enumerate().map(|(index, length)| mine(index, *length).then_some(*length));
    let lengths: Vec<i64> = masked.clone().flatten().collect();
    let refined = (lengths.len() >= lattice::FEWEST).then(|| refine(masked, base.period)).flatten();
    if let Some(period) = refined
        && same(period, base.period)
        && (fits(&lengths, period, 1 + lengths.len() / 20).is_some()
            || (base.told.is_some() && lattice::loosely_fits(&lengths, period)))
    {
        return Some(Fitted { period: Span::from_ns(period), origin: PeriodOrigin::Fitted });
    }
    let told = base.told?;
    Some(Fitted { period: Span::from_ns(told), origin: PeriodOrigin::Reported })
}

/// Rule 7: nothing fits this length, so what the dump that first showed its frame reports.
fn reported_for(input: &FitInput, reports: &[Report], index: usize) -> Option<Fitted> {
    let end = input.presents[index + 1];
    let first = reports.partition_point(|report| report.at < end);
    let report = reports.get(first).or(reports.last())?;
    Some(Fitted { period: report.period, origin: PeriodOrigin::Reported })
}
