//! SurfaceFrames against the rate an app means to run at, by that rate's own schedule on the panel's refreshes.
//!
//! A rate that does not divide the panel's is shown in uneven steps (24 fps on 60 Hz: 2, 3, 2, 3 refreshes), and no
//! whole number of refreshes says what one frame was due to take. So frames are held against the schedule of the whole
//! run: frame n is due at the refresh after `phase + n T`, and what is late is told in whole refreshes, once. Where the
//! phase lies nobody says; it is the one by which the frames are late least often. `docs/targets.md` has the reasons.
//!
//! Must not know presents, dumps or thresholds: lengths in refreshes in, refreshes late out. Integer ns.

use crate::lattice::{self, NOMINAL_HZ};
use crate::window::Interval;

/// Frames around one frame that tell how the app paces itself.
const AROUND: usize = 25;
/// A level that one frame in so many reaches is how the app paces itself, and no lateness.
const RECURS: usize = 5;
/// No screen that moves is meant to be slower, Hz.
const SLOWEST: f64 = 1.0;
/// A panel may be this far from its nominal rate, in thousandths; what follows its refreshes is then too.
const NEARLY: i64 = 20;
/// Finest share of a refresh that counts as a share: beyond, a schedule by time says the same.
const FINEST: i64 = 200;
/// So many phases of the schedule are tried in full.
const PHASES: usize = 32;
/// How well the period of n frames is known at their ends, ns times the root of n: presents are off by 0.15 ms (one
/// standard deviation), the line through them by 0.52 ms over the root of n. So far a debt may seem to drift.
const DRIFT: f64 = 1_200_000.0;
/// How the debts may drift, in eighths of that: the period as it was told first.
const SLOPES: [i64; 5] = [0, 4, -4, 8, -8];
/// Those between, tried where by none of these every frame is in time.
const BETWEEN: [i64; 12] = [1, -1, 2, -2, 3, -3, 5, -5, 6, -6, 7, -7];
/// Two periods this little apart at the ends may be one.
const MAYBE_ONE: f64 = 1_600_000.0;
/// Two periods this far apart at the ends are surely two.
const SURELY_TWO: f64 = 2_400_000.0;
/// Refreshes more that a clock takes in a window, from which on one of them is as likely as not.
const AS_LIKELY: f64 = 0.5;

/// Fills in by how many refreshes each frame of a window is late: beyond one without a target, else by the schedule of
/// the target. A schedule begins anew with every segment, and where the panel changes its rate.
pub(crate) fn hold(intervals: &mut [Interval], target_fps: Option<f64>) {
    let frames = intervals.len();
    for interval in intervals.iter_mut() {
        interval.late = interval.vsyncs.saturating_sub(1);
    }
    let Some(fps) = target_fps.filter(|fps| fps.is_finite() && *fps >= SLOWEST) else { return };
    let together = |one: &Interval, next: &Interval| {
        one.segment == next.segment && lattice::same(one.period.ns(), next.period.ns())
    };
    let mut ways = Ways::default();
    for run in intervals.chunk_by(together).filter(|run| run[0].period.ns() > 0) {
        ways.add(run, fps, frames);
    }
    let by_time = ways.is_by_time();
    let runs = intervals.chunk_by_mut(together).filter(|run| run[0].period.ns() > 0);
    for (run, Run { by_share, by_clock, .. }) in runs.zip(ways.runs) {
        let held = if by_time { by_clock.or(by_share) } else { by_share.or(by_clock) };
        for (interval, late) in run.iter_mut().zip(held.into_iter().flat_map(|held| held.late)) {
            interval.late = late;
        }
    }
}

/// A window held against both ways of keeping a rate: by counting refreshes, or by a clock.
#[derive(Default)]
struct Ways {
    runs: Vec<Run>,
}

/// One stretch of frames at one rate of the panel.
#[derive(Default)]
struct Run {
    /// Refreshes it shows less than a clock takes, on a panel faster than its nominal rate; below 0 on a slower one.
    more: f64,
    /// Parts of a refresh that the share is counted in: so many frames in a row each have a place of their own, and a
    /// clock that drifts by a refresh carries all of them over.
    parts: f64,
    /// By a share of the refreshes. None where that is no share of them, or every refresh is asked for.
    by_share: Option<Held>,
    /// By a clock. None where nothing tells it from the share.
    by_clock: Option<Held>,
}

/// Frames held against one schedule.
struct Held {
    /// Refreshes late, of each frame.
    late: Vec<u32>,
    /// How far frames went back and forth, in refreshes.
    moved: u64,
}

impl Ways {
    /// Holds one run against what it may have been meant to keep. The period was told by so many `frames` in all.
    fn add(&mut self, run: &[Interval], fps: f64, frames: usize) {
        let vsyncs: Vec<u32> = run.iter().map(|interval| interval.vsyncs).collect();
        let sum: i128 = run.iter().map(|interval| i128::from(interval.period.ns())).sum();
        let told = i64::try_from(sum / run.len() as i128).unwrap_or(i64::MAX).max(1);
        let refreshes: i64 = vsyncs.iter().map(|vsyncs| i64::from(*vsyncs)).sum();
        let apart = |own: &i64| {
            (own - told).saturating_abs().saturating_mul(refreshes) > over_root(SURELY_TWO, run.len())
        };
        let period = slope(run).filter(|own| lattice::same(*own, told)).filter(apart).unwrap_or(told);
        let target = (1e9 / fps).round() as i64;
        let share = share(fps, told);
        if share.as_ref().map_or(target <= period, |share| share.target < share.period) {
            return self.runs.push(Run::default());
        }
        let steps = |share: &Pace| share.target as f64 / share.period as f64;
        let more = |share: &Pace| (target as f64 / period as f64 - steps(share)) * run.len() as f64;
        let more = share.as_ref().map_or(0.0, more);
        // So many frames cannot tell the two apart, where the panel runs at its nominal rate.
        let off = more.abs() * period as f64 / run.len() as f64 * frames as f64;
        let one = share.is_some() && off <= over_root(MAYBE_ONE, frames) as f64;
        let clock = Pace { period, target, drift: over_root(DRIFT, run.len()).min(period / 8) };
        self.runs.push(Run {
            more,
            parts: share.as_ref().map_or(1.0, |share| share.period as f64 / 2.0),
            by_share: share.map(|share| late(&vsyncs, &share)),
            by_clock: Some(clock).filter(|_| target > period && !one).map(|clock| late(&vsyncs, &clock)),
        });
    }

    /// Whether a clock explains the window better. On a panel a little faster than its nominal rate a clock takes one
    /// refresh more now and then, and that looks like a frame late by one: it is believed as often as a clock would do
    /// so, and where that is at least as likely as not.
    fn is_by_time(&self) -> bool {
        let both: Vec<(&Run, &Held, &Held)> = self
            .runs
            .iter()
            .filter_map(|run| Some((run, run.by_share.as_ref()?, run.by_clock.as_ref()?)))
            .collect();
        let sum = |of: fn(&Held) -> u64| {
            both.iter().fold((0, 0), |(share, clock), (_, by_share, by_clock)| {
                (share + of(by_share), clock + of(by_clock))
            })
        };
        let more: f64 = both.iter().map(|(run, ..)| run.more).sum();
        if more < 0.0 {
            let (share, clock) = sum(|held| held.moved);
            return clock < share;
        }
        let (share, clock) = sum(|held| held.late.iter().filter(|late| **late > 0).count() as u64);
        let (refreshes, least) = sum(|held| held.late.iter().map(|late| u64::from(*late)).sum());
        let parts = both.iter().map(|(run, ..)| run.parts).fold(1.0, f64::max);
        let spread = 1.0 + 0.5 * (both.len() as f64 - 1.0).max(0.0).sqrt();
        // Uneven steps are no clock's by chance; even ones look like it with every frame that is late by one.
        let carried = parts > 1.0 || refreshes.saturating_sub(least) as f64 <= more + spread;
        clock < share && more * parts >= AS_LIKELY && carried
    }
}

/// The refresh period by a run's own presents, ns: least squares of time over refreshes.
fn slope(run: &[Interval]) -> Option<i64> {
    let mut at = 0_i128;
    let mut refreshes = 0_i128;
    let mut sum_n = 0_i128;
    let mut sum_t = 0_i128;
    let mut sum_nn = 0_i128;
    let mut sum_nt = 0_i128;
    for interval in run {
        at += i128::from(interval.length.ns());
        refreshes += i128::from(interval.vsyncs);
        sum_n += refreshes;
        sum_t += at;
        sum_nn += refreshes * refreshes;
        sum_nt += refreshes * at;
    }
    let points = run.len() as i128 + 1;
    let (up, across) = (points * sum_nt - sum_n * sum_t, points * sum_nn - sum_n * sum_n);
    (across > 0).then(|| i64::try_from((2 * up + across).div_euclid(2 * across)).ok()).flatten()
}

fn over_root(ns: f64, frames: usize) -> i64 {
    (ns / (frames.max(1) as f64).sqrt()) as i64
}

/// What a run is held against: the panel's period and the target's, in one unit, and how far debts may drift in it.
#[derive(Debug)]
struct Pace {
    period: i64,
    target: i64,
    drift: i64,
}

/// The target as a share of the refreshes of a panel that runs at one of the rates panels have, or nearly: who shows
/// every fourth refresh of 118.8 Hz keeps 30 fps. Exact, in fractions of a refresh.
fn share(fps: f64, period: i64) -> Option<Pace> {
    let off = |hz: &&i64| (1_000_000_000 / **hz - period).abs();
    let hz = NOMINAL_HZ
        .iter()
        .min_by_key(off)
        .filter(|hz| off(hz).saturating_mul(1000) <= period.saturating_mul(NEARLY))?;
    // Rates are written with few digits: 16.67 is a third of 50.
    let simple = (1..=3).find_map(|parts| {
        let refreshes = (*hz as f64 * parts as f64 / fps).round();
        let near = (*hz as f64 * parts as f64 / refreshes - fps).abs() < 2e-4 * fps;
        near.then_some((parts, refreshes as i64))
    });
    let thousandths = (fps * 1e3).round();
    let divisor = gcd(hz * 1000, thousandths as i64).max(1);
    let exact = Some((thousandths as i64 / divisor, hz * 1000 / divisor))
        .filter(|_| (thousandths - fps * 1e3).abs() < 1e-6);
    let (period, target) = simple.or(exact).filter(|(parts, _)| (1..=FINEST).contains(parts))?;
    // Twice, so that the middle between two whole numbers is one.
    Some(Pace { period: 2 * period, target: 2 * target, drift: 0 })
}

/// The greatest number that divides both; of 0 and a number, the number.
pub(crate) fn gcd(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// Refreshes late of each frame of a run, given the refreshes each took. The target's period is not the shorter one.
///
/// The debt before each frame and after the last is time shown less time due. Early frames save up one refresh at most,
/// and only where the app paces itself so over and over.
fn late(vsyncs: &[u32], pace: &Pace) -> Held {
    let Pace { period, target, drift } = *pace;
    let mut debt = 0_i64;
    let mut debts = vec![0];
    for taken in vsyncs {
        let shown = i64::from(*taken).saturating_mul(period);
        debt = debt.saturating_add(shown).saturating_sub(target);
        debts.push(debt);
    }
    let best = |slopes: &[i64]| {
        let all = slopes.iter().flat_map(|slope| {
            let debts = tilted(&debts, slope * drift);
            phases(&debts, period).into_iter().map(move |phase| steps(&debts, period, phase))
        });
        all.min_by_key(|steps| left(steps)).unwrap_or_else(|| vec![0; debts.len()])
    };
    let mut steps = best(if drift > 0 { &SLOPES } else { &SLOPES[..1] });
    if drift > 0 && left(&steps) > 0 {
        let finer = best(&BETWEEN);
        steps = if left(&finer) == 0 { finer } else { steps };
    }
    let mut due =
        if paced(&steps[..steps.len().min(AROUND)]) { kept(&steps, 0).max(steps[0]) } else { steps[0] };
    let frame = |(before, step): (usize, &i64)| {
        let late = (step - due).max(0);
        due = if late > 0 { *step } else { due.min(kept(&steps, before + 1).min(step + 1).max(*step)) };
        // What took one refresh is never late.
        u32::try_from(late).unwrap_or(u32::MAX).min(vsyncs[before].saturating_sub(1))
    };
    let late = steps[1..].iter().enumerate().map(frame).collect();
    Held { late, moved: steps.windows(2).map(|two| two[0].abs_diff(two[1])).sum() }
}

/// Where in a refresh the schedule may lie: the phases by which debts leave it the least, each in the middle of a
/// stretch of phases that say the same, the widest first.
fn phases(debts: &[i64], period: i64) -> Vec<i64> {
    let mut steps: Vec<i64> = debts.iter().map(|debt| debt.div_euclid(period)).collect();
    let mut order: Vec<(i64, usize)> =
        debts.iter().enumerate().map(|(nth, debt)| (debt.rem_euclid(period), nth)).collect();
    order.sort_unstable();
    let rise = |steps: &[i64], nth: usize| match nth {
        1.. if nth < steps.len() => (steps[nth] - steps[nth - 1]).max(0),
        _ => 0,
    };
    let mut rises: i64 = (1..steps.len()).map(|nth| rise(&steps, nth)).sum();
    let (first, last) = (order[0].0, order[order.len() - 1].0);
    let away = |rises: i64, steps: &[i64]| rises.max(rises - (steps[steps.len() - 1] - steps[0]));
    let mut found = vec![(away(rises, &steps), last - period - first, (last - period + first).div_euclid(2))];
    for (at, (offset, nth)) in order.iter().enumerate() {
        // A phase beyond this frame's own makes it one refresh earlier.
        rises -= rise(&steps, *nth) + rise(&steps, nth + 1);
        steps[*nth] -= 1;
        rises += rise(&steps, *nth) + rise(&steps, nth + 1);
        if let Some((next, _)) = order.get(at + 1).filter(|(next, _)| next > offset) {
            found.push((away(rises, &steps), offset - next, offset + (next - offset) / 2));
        }
    }
    found.sort_unstable();
    found.truncate(PHASES);
    found.into_iter().map(|(.., phase)| phase).collect()
}

/// How often frames leave the schedule: what rises and falls back did so once, and so did what only falls.
fn left(steps: &[i64]) -> i64 {
    let rises: i64 = steps.windows(2).map(|two| (two[1] - two[0]).max(0)).sum();
    rises.max(rises - (steps[steps.len() - 1] - steps[0]))
}

/// The debts as they are where the panel's period is a little longer or shorter than it was told: off by that much at
/// the ends, in eighths of it, and by nothing in the middle. All drift one way: what rises and falls back is no drift.
fn tilted(debts: &[i64], eighths: i64) -> Vec<i64> {
    let last = (debts.len() as i64 - 1).max(1);
    debts
        .iter()
        .zip(0..)
        .map(|(debt, nth): (&i64, i64)| debt + eighths * (2 * nth - last) / (8 * last))
        .collect()
}

/// Whole refreshes each debt is from the schedule.
fn steps(debts: &[i64], period: i64, phase: i64) -> Vec<i64> {
    debts.iter().map(|debt| (debt - phase).div_euclid(period)).collect()
}

/// Whether frames go back and forth so often that it is how the app paces itself.
fn paced(steps: &[i64]) -> bool {
    let forth = steps.windows(2).filter(|two| two[1] > two[0]).count();
    let back = steps.windows(2).filter(|two| two[1] < two[0]).count();
    // One long frame and others that catch up with it went forth once.
    forth.min(back) >= 2 && back * RECURS >= steps.len() - 1
}

/// The latest level that frames around this one are at, or come up to over and over. Frames that are late and catch up
/// step by step are above the schedule for a while, each time once: that is no pace.
fn kept(steps: &[i64], nth: usize) -> i64 {
    let from = nth.saturating_sub(AROUND / 2).min(steps.len().saturating_sub(AROUND));
    let near = &steps[from..steps.len().min(from + AROUND)];
    let often = near.len().div_ceil(RECURS).max(2);
    let mut levels = near.to_vec();
    levels.sort_unstable();
    levels.dedup();
    let is_kept = |level: &&i64| {
        let there = near.iter().filter(|step| *step >= *level).count();
        let up = near.windows(2).filter(|two| two[0] < **level && two[1] >= **level).count();
        there >= often.min(near.len()) && (2 * there > near.len() || up >= often)
    };
    levels.iter().rev().find(is_kept).copied().unwrap_or(near[0])
}

#[cfg(test)]
mod tests;
