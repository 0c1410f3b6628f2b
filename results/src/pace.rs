//! The pace a page kept by itself, and whether the scenario says so.
//!
//! A page that shows a frame every second refresh or more, over and over, is slow or means to be. Nobody but its author
//! knows, and the numbers depend on it, so it is said in words and the target is never guessed. Must not know reporters
//! or verdicts. Rates in frames per second, hitches in ms per second of motion.

use crate::frame_timeline::SurfaceFrames;
use crate::lattice::{self, NOMINAL_HZ};
use crate::metric::Needs;
use crate::metrics::doubt;
use crate::schedule;
use crate::time::Span;
use crate::window::{Interval, Window};
use serde::{Deserialize, Serialize};

/// Fewest frames that make a pace.
const FEWEST: usize = 20;
/// Of so many frames, in percent, that keep it.
const STEADY_PERCENT: usize = 80;
/// A rate that is this near another, in percent, is the same.
const SAME_PERCENT: f64 = 4.0;
/// Rates that apps keep by uneven steps, fps.
const RATES: [f64; 12] = [24.0, 25.0, 30.0, 36.0, 40.0, 45.0, 48.0, 50.0, 60.0, 72.0, 80.0, 90.0];

/// A pace other than what the scenario declares, a frame on every refresh where it declares nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Frames per second the page keeps: a share of the panel's nominal rate.
    pub fps: f64,
    /// Nominal rate of the panel meanwhile, Hz.
    pub panel_hz: f64,
    /// The rate the scenario declares, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_fps: Option<f64>,
    /// Hitch time as it was counted, ms/s.
    pub counted_ms_per_s: f64,
    /// Hitch time, had the pace been the target, ms/s.
    pub kept_ms_per_s: f64,
    /// Rate at which the phone gave this page its turns, Hz; none where nothing tells. As slow as the page, the phone
    /// may have slowed the page and not the page itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_hz: Option<f64>,
}

/// The pace of a window that differs from what its scenario declares; none where there is none, or where lengths in
/// refreshes cannot be told.
pub fn pace(window: &Window, target_fps: Option<f64>) -> Option<Pace> {
    if doubt(Needs::Vsyncs, window).is_some() {
        return None;
    }
    let period = usual_period(&window.intervals)?;
    let panel_hz = nominal(period);
    let fps = kept(&window.intervals, panel_hz)?;
    let meant = target_fps.unwrap_or(panel_hz).min(panel_hz);
    if near(fps, meant) {
        return None;
    }
    Some(Pace {
        fps,
        panel_hz,
        target_fps,
        counted_ms_per_s: hitch(&window.intervals),
        kept_ms_per_s: hitch(&held(&window.intervals, fps)),
        offered_hz: offered(window, period),
    })
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() * 100.0 <= SAME_PERCENT * other
}

/// The period that most frames are judged by; none where no one period is most frames'.
fn usual_period(frames: &[Interval]) -> Option<Span> {
    let mut periods: Vec<i64> = frames.iter().map(|frame| frame.period.ns()).collect();
    periods.sort_unstable();
    let middle = *periods.get(periods.len() / 2)?;
    let like = periods.iter().filter(|period| lattice::same(**period, middle)).count();
    (middle > 0 && like * 100 >= frames.len() * STEADY_PERCENT).then(|| Span::from_ns(middle))
}

/// The rate panels have that is nearest, Hz; the rate itself where none is near.
fn nominal(period: Span) -> f64 {
    let off = |hz: &&i64| (1_000_000_000 / **hz - period.ns()).abs();
    let nearest =
        NOMINAL_HZ.iter().min_by_key(off).filter(|hz| lattice::same(1_000_000_000 / **hz, period.ns()));
    nearest.map_or(1e9 / period.ns() as f64, |hz| *hz as f64)
}

/// The rate that frames keep: one length in refreshes that four fifths of them have, or two neighbouring lengths in the
/// steps of a rate that apps keep.
fn kept(frames: &[Interval], panel_hz: f64) -> Option<f64> {
    if frames.len() < FEWEST {
        return None;
    }
    let mut lengths: Vec<u32> = frames.iter().map(|frame| frame.vsyncs).collect();
    lengths.sort_unstable();
    let middle = lengths[lengths.len() / 2];
    let enough = |count: usize| count * 100 >= frames.len() * STEADY_PERCENT;
    let of = |length: u32| lengths.iter().filter(|one| **one == length).count();
    if enough(of(middle)) {
        return Some((panel_hz / f64::from(middle) * 1e3).round() / 1e3);
    }
    let pair = [middle.saturating_sub(1), middle]
        .into_iter()
        .find(|short| *short > 0 && enough(of(*short) + of(short + 1)))?;
    let short = of(pair);
    let long = of(pair + 1);
    let mean = (short as f64 * f64::from(pair) + long as f64 * f64::from(pair + 1)) / (short + long) as f64;
    let rate = RATES
        .into_iter()
        .min_by(|one, other| (one - panel_hz / mean).abs().total_cmp(&(other - panel_hz / mean).abs()))?;
    let late = held(frames, rate).iter().filter(|frame| frame.late > 0).count();
    (near(panel_hz / mean, rate) && late * 10 <= frames.len()).then_some(rate)
}

/// The same frames, held against another target.
fn held(frames: &[Interval], fps: f64) -> Vec<Interval> {
    let mut frames = frames.to_vec();
    schedule::hold(&mut frames, Some(fps));
    frames
}

fn hitch(frames: &[Interval]) -> f64 {
    let late: f64 = frames.iter().map(|frame| f64::from(frame.late) * frame.period.ns() as f64).sum();
    let time: f64 = frames.iter().map(|frame| frame.length.ns() as f64).sum();
    late * 1e3 / time.max(1.0)
}

/// How often the phone gave the page a turn: the frame interval of its renderer, or, where a trace ran, the finest step
/// in which its frames were promised to the screen.
fn offered(window: &Window, period: Span) -> Option<f64> {
    let frames = window.beside.framestats.as_ref().map_or(&[][..], |stages| &stages.frames);
    let mut intervals: Vec<i64> = frames.iter().filter_map(|frame| frame.interval).map(Span::ns).collect();
    intervals.sort_unstable();
    if let Some(middle) = intervals.get(intervals.len() / 2).filter(|ns| **ns > 0) {
        return Some(nominal(Span::from_ns(*middle)));
    }
    // A page promised to refreshes that are no whole number of its own steps apart was free to use every one.
    let joints = window.beside.frame_timeline.as_ref().map(SurfaceFrames::joints).unwrap_or_default();
    let mut promised: Vec<i64> = joints
        .iter()
        .filter_map(|joint| Some((joint.present?.ns(), joint.late?.ns())))
        .map(|(at, late)| at - late)
        .collect();
    promised.sort_unstable();
    let steps = promised.windows(2).map(|two| lattice::vsyncs(two[1] - two[0], period.ns()));
    (steps.fold(0, schedule::gcd) == 1).then(|| nominal(period))
}

/// What to say of a window, given the pace of every iteration of it that counts: one sentence, where at least half of
/// them keep one pace.
pub fn notice(window: &str, iterations: &[Option<&Pace>]) -> Option<String> {
    let mut paces: Vec<&Pace> = iterations.iter().copied().flatten().collect();
    paces.sort_by(|one, other| one.fps.total_cmp(&other.fps));
    let middle = *paces.get(paces.len() / 2)?;
    paces.retain(|pace| near(pace.fps, middle.fps) && pace.panel_hz == middle.panel_hz);
    if paces.len() * 2 < iterations.len() {
        return None;
    }
    let mean = |of: fn(&Pace) -> f64| paces.iter().map(|pace| of(pace)).sum::<f64>() / paces.len() as f64;
    Some(format!(
        "{window}: {}",
        middle.words(mean(|pace| pace.counted_ms_per_s), mean(|pace| pace.kept_ms_per_s))
    ))
}

impl Pace {
    /// In words, with the hitch time counted and the one that would be, ms/s.
    fn words(&self, counted: f64, kept: f64) -> String {
        let (fps, hz) = (rate(self.fps), rate(self.panel_hz));
        let looks = match self.target_fps {
            None => format!(
                "looks like a {fps} fps page on a {hz} Hz panel; say `target_fps: {fps}` if it means to be \
                 ({kept:.1} ms/s of hitches), or it counts as {counted:.0} ms/s"
            ),
            Some(target) if self.fps > target => format!(
                "the scenario says `target_fps: {}`, the page runs at {fps} fps on a {hz} Hz panel; say \
                 `target_fps: {fps}`, or frames of it can be late unseen ({kept:.1} ms/s of hitches, counted as {counted:.1})",
                rate(target)
            ),
            Some(target) => format!(
                "the scenario says `target_fps: {}`, the page keeps {fps} fps on a {hz} Hz panel: it is too slow for its \
                 target ({counted:.0} ms/s of hitches), or means {fps} fps ({kept:.1} ms/s)",
                rate(target)
            ),
        };
        match self.offered_hz {
            Some(offered) if near(offered, self.panel_hz) => looks,
            Some(offered) if offered < self.panel_hz && self.fps <= offered * 1.04 => format!(
                "{looks}; the phone itself gave the page {} turns a second: a panel that follows the content, a vote of \
                 the app, or power saving",
                rate(offered)
            ),
            _ => format!("{looks}; nothing here tells a slow page from a panel that follows the content"),
        }
    }
}

/// A rate with no more digits than it needs.
fn rate(fps: f64) -> String {
    let text = format!("{fps:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
