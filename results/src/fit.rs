//! Period detection: which refresh period was in force when (frame-sources.md 5.5, metrics.md C.2).
//!
//! Presents sit on the vsync lattice; headers say what the phone believed at the instant of each dump; modes say what the
//! panel can do. Windows of half a second find the rates in play (`lattice.rs`), the cheapest path through them
//! places the switches (`path.rs`), and each rate is refined by least squares. Integer ns.

use crate::lattice::{self, GLUED, LONG, Windows, candidates, fits, multiple, refine, same, usable};
use crate::path::{Ground, Rate, cheapest};
use crate::period::{PeriodOrigin, PeriodSegment, PeriodTimeline};
use crate::time::{DeviceTime, Span};

/// Length of the sliding window (rule 5), and its step.
const WINDOW: i64 = 500_000_000;
const STEP: i64 = 125_000_000;
/// From here on windows must agree (rule 1); fewer lengths are one window.
const MANY: usize = 30;
/// More rates than this are noise.
const MOST_RATES: usize = 16;
/// A stretch at every second (third) vsync this long is uncertain (metrics.md C.2).
const UNCERTAIN: i64 = 300_000_000;
/// Panels faster than this may drop to half their rate unseen, whatever their modes say.
const FAST: i64 = 15_000_000;

/// What one dump's header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// When the dump was taken: its stamp, or its newest present.
    pub at: DeviceTime,
    /// The period it reports.
    pub period: Span,
}

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
    let ground = Ground::new(presents, &lengths, &rates, &modes, reports);
    let mut path = cheapest(&ground);
    switch_in_pauses(&mut path, &rates, &lengths);
    rest_before_pauses(&mut path, &ground, reports);
    boost_after_pauses(&mut path, &rates, &lengths);
    let fitted: Vec<Option<Fitted>> = (0..rates.len()).map(|rate| settle(&ground, &path, rate)).collect();
    let mut timeline = PeriodTimeline::default();
    for (index, rate) in path.iter().enumerate() {
        let settled = rate.and_then(|rate| fitted[rate]).or_else(|| reported_for(&ground, reports, index));
        if let Some(Fitted { period, origin }) = settled {
            extend(&mut timeline.segments, presents[index], period, origin);
        }
    }
    if timeline.segments.is_empty() {
        for report in reports.iter().filter(|report| ground.credible(report.period.ns())) {
            extend(&mut timeline.segments, report.at, report.period, PeriodOrigin::Reported);
        }
    }
    timeline.uncertain = uncertain(&ground, &timeline);
    timeline
}

/// Most lengths before a pause that may be taken for the faster rate by mistake.
const STRAY: usize = 3;

/// A switch to a faster rate just before a pause belongs into the pause when the lengths in between fit the slower rate
/// too (two vsyncs at 60 Hz are three at 90): a touch ends a pause and raises the rate, and a switch never makes jank.
fn switch_in_pauses(path: &mut [Option<usize>], rates: &[Rate], lengths: &[i64]) {
    for index in 1..path.len() {
        let (Some(before), Some(now)) = (path[index - 1], path[index]) else { continue };
        let slow = rates[before].period;
        if slow <= rates[now].period {
            continue;
        }
        let ahead = lengths[index..].iter().take(STRAY + 1);
        let Some(stray) = ahead.clone().position(|length| *length > LONG) else { continue };
        let fits_slow = |length: &i64| lattice::residual(*length, slow) * 100 < slow * 8;
        if ahead.take(stray).all(fits_slow) {
            path[index..=index + stray].fill(Some(before));
        }
    }
}

/// A stretch that ends in a pause, at a rate faster than the one before it, without a single length of one vsync: the
/// panel went on slowing down, where each length is exactly one vsync of a rate in use elsewhere. No dump saw that rate
/// here, and none the faster one. A touch ends a pause and raises the rate, and a switch never makes jank.
fn rest_before_pauses(path: &mut [Option<usize>], ground: &Ground, reports: &[Report]) {
    let (rates, lengths) = (ground.rates, ground.lengths);
    let used: Vec<usize> = (0..rates.len()).filter(|rate| path.contains(&Some(*rate))).collect();
    for start in 1..path.len() {
        let (Some(before), Some(fast)) = (path[start - 1], path[start]) else { continue };
        // First the test that nearly always ends it: what follows looks ahead to the next pause.
        if rates[before].period <= rates[fast].period {
            continue;
        }
        let frames = lengths[start..].iter().take_while(|length| **length <= LONG).count();
        let end = start + frames;
        let stays = end < path.len() && path[start..=end].iter().all(|rate| *rate == Some(fast));
        if frames == 0 || !stays {
            continue;
        }
        let (from, to) = (ground.presents[start], ground.presents[end]);
        let inside = |report: &&Report| report.at > from && report.at < to;
        let told = |report: &Report| same(report.period.ns(), rates[fast].period);
        let all_one = |rate: usize| lengths[start..end].iter().all(|length| is_one(*length, &rates[rate]));
        let rested = used.iter().find(|rate| rates[**rate].period > rates[fast].period && all_one(**rate));
        if let Some(slow) = rested.filter(|_| !reports.iter().filter(inside).any(told)) {
            path[start..=end].fill(Some(*slow));
        }
    }
}

/// A length of exactly one vsync.
fn is_one(length: i64, rate: &Rate) -> bool {
    (length - rate.period).abs() * 100 < rate.period * 8
}

/// Most frames a panel still shows at its resting rate after a touch (frame-sources.md 5.4).
const BEFORE_BOOST: usize = 3;

/// The first frames after a pause may still be at the rate the panel rested at: lengths of exactly one vsync of a slower
/// rate that is in use elsewhere are taken for it, up to the first frame at the faster one. A boost never makes jank.
fn boost_after_pauses(path: &mut [Option<usize>], rates: &[Rate], lengths: &[i64]) {
    let used: Vec<usize> = (0..rates.len()).filter(|rate| path.contains(&Some(*rate))).collect();
    let is_one = |length: i64, rate: usize| is_one(length, &rates[rate]);
    for start in (0..lengths.len()).filter(|at| *at == 0 || lengths[at - 1] > LONG) {
        let Some(fast) = path[start] else { continue };
        let rested = used.iter().copied().filter(|rate| rates[*rate].period > rates[fast].period);
        let resting =
            |slow: &usize| lengths[start..].iter().take_while(|length| is_one(**length, *slow)).count();
        let Some((slow, frames)) =
            rested.map(|slow| (slow, resting(&slow))).max_by_key(|(_, frames)| *frames)
        else {
            continue;
        };
        let then_fast = lengths.get(start + frames).is_some_and(|length| is_one(*length, fast));
        if (1..=BEFORE_BOOST).contains(&frames) && then_fast {
            path[start..start + frames].fill(Some(slow));
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
    for vote in votes(presents, lengths, &candidates(&known)) {
        match rates.iter_mut().find(|rate| same(rate.period, vote)) {
            Some(rate) => rate.sharpen(vote),
            None => rates.push(Rate::found(vote)),
        }
    }
    rates.truncate(MOST_RATES);
    // A rate nobody reported that no length is one vsync of explains nothing, unless an app at half of it does.
    let found: Vec<i64> = rates.iter().filter(|rate| rate.told.is_none()).map(|rate| rate.period).collect();
    let seen = |rate: &Rate| {
        let ones = |length: &&i64| usable(**length) && (**length - rate.period).abs() * 5 < rate.period;
        rate.is_reported()
            || lengths.iter().filter(ones).take(3).count() == 3
            || found.iter().any(|slow| multiple(*slow, rate.period).is_some())
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
    let (mut lo, mut hi) = (0, 0);
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
fn settle(ground: &Ground, path: &[Option<usize>], rate: usize) -> Option<Fitted> {
    let base = &ground.rates[rate];
    let mine = |index: usize, length: i64| path[index] == Some(rate) && usable(length);
    let masked =
        ground.lengths.iter().enumerate().map(|(index, length)| mine(index, *length).then_some(*length));
    let lengths: Vec<i64> = masked.clone().flatten().collect();
    let refined = (lengths.len() >= lattice::FEWEST).then(|| refine(masked, base.period)).flatten();
    if let Some(period) = refined
        && same(period, base.period)
        && fits(&lengths, period, 1 + lengths.len() / 20).is_some()
    {
        return Some(Fitted { period: Span::from_ns(period), origin: PeriodOrigin::Fitted });
    }
    let told = base.told?;
    Some(Fitted { period: Span::from_ns(told), origin: PeriodOrigin::Reported })
}

/// Rule 7: nothing fits this length, so what the dump that first showed its frame reports.
fn reported_for(ground: &Ground, reports: &[Report], index: usize) -> Option<Fitted> {
    let end = ground.presents[index + 1];
    let first = reports.partition_point(|report| report.at < end);
    let report = reports.get(first).or(reports.last())?;
    Some(Fitted { period: report.period, origin: PeriodOrigin::Reported })
}

/// Stretches of at least 0.3 s in which nine lengths of ten are two (or three) vsyncs of a fast reported period: an app
/// at half rate, or a panel that switched between two dumps. Presents alone cannot tell.
fn uncertain(ground: &Ground, timeline: &PeriodTimeline) -> Vec<(DeviceTime, DeviceTime)> {
    let mut stretches: Vec<(DeviceTime, DeviceTime)> = Vec::new();
    let in_force = in_force(ground.presents, timeline);
    let slow = |index: usize| -> i64 {
        let Some(period) = in_force[index].max(in_force[index + 1]).map(Span::ns) else { return 0 };
        let vsyncs = lattice::vsyncs(ground.lengths[index], period);
        let told =
            (2..=3).contains(&vsyncs) && ground.says(index, period) && may_drop(ground, period, vsyncs);
        if told { vsyncs } else { 0 }
    };
    let slow: Vec<i64> = (0..ground.lengths.len()).map(slow).collect();
    for k in [2, 3].into_iter().filter(|k| slow.contains(k)) {
        stretches.extend(dense(ground, |index| slow[index] == k));
    }
    stretches.sort_unstable();
    let mut merged: Vec<(DeviceTime, DeviceTime)> = Vec::new();
    for (from, to) in stretches {
        match merged.last_mut() {
            Some(last) if last.1 >= from => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// [`PeriodTimeline::at`] every one of the sorted presents.
fn in_force(presents: &[DeviceTime], timeline: &PeriodTimeline) -> Vec<Option<Span>> {
    let segments = &timeline.segments;
    let mut after = 0;
    let at = |present: &DeviceTime| {
        while segments.get(after).is_some_and(|segment| segment.from <= *present) {
            after += 1;
        }
        segments.get(after.saturating_sub(1)).map(|segment| segment.period)
    };
    presents.iter().map(at).collect()
}

/// True when a panel reported at `period` may in truth have run `k` times slower.
fn may_drop(ground: &Ground, period: i64, k: i64) -> bool {
    period < FAST || ground.modes.iter().any(|mode| multiple(*mode, period) == Some(k))
}

/// Shortest windows of at least 0.3 s in which at least 90 % are marked, from first to last marked length.
fn dense(ground: &Ground, marked: impl Fn(usize) -> bool) -> Vec<(DeviceTime, DeviceTime)> {
    let mut found = Vec::new();
    let (mut end, mut hits) = (0, 0);
    let count = ground.lengths.len();
    for start in 0..count {
        while end < count && (ground.presents[end] - ground.presents[start]).ns() < UNCERTAIN {
            hits += usize::from(marked(end));
            end += 1;
        }
        let span = ground.presents[end] - ground.presents[start];
        if span.ns() < UNCERTAIN {
            break;
        }
        if marked(start) && marked(end - 1) && hits * 10 >= (end - start) * 9 {
            found.push((ground.presents[start], ground.presents[end]));
        }
        hits -= usize::from(marked(start));
    }
    found
}
