//! SurfaceFlinger's judgement of frames, from the lab's truth: bits, lateness, and whose fault it was.

use super::answer::Answer;
use farmjank_lab::truth::{Cause, Prediction, Truth, TruthFrame, verdict};
use farmjank_results::event::WindowMeasured;
use farmjank_results::motion::{Motion, Phase};

/// Culprits in the order of reports: app, compositor, display, stuffing, dropped.
const CULPRITS: usize = 5;

/// One frame of the app in the motions of a window. One field for each thing the verdict looks at.
#[derive(Clone, Copy, Debug)]
pub struct JudgedFrame {
    /// The platform's bits.
    pub bits: u32,
    /// Why it came when it came.
    pub cause: Cause,
    /// Present; none for a frame never shown.
    pub present: Option<i64>,
    /// Present less promise, ns; none where the promise was forgotten.
    pub late: Option<i64>,
    /// The same of the frame shown before, and the time since.
    pub before: Option<(Option<i64>, i64)>,
    /// Refresh period, ns.
    pub period: i64,
    /// When it was finished less its deadline, ns; none where the deadline was forgotten, or it was never shown.
    pub over: Option<i64>,
    /// Its buffer was ready after its deadline.
    pub unready: bool,
    /// The buffer before it was taken only when this one should have been ready.
    pub behind: bool,
    /// A refresh after the buffer before it was taken this one was not ready either.
    pub overdue: bool,
}

/// SurfaceFlinger tells of a display frame with a later one: so many may be on no trace where it ends.
const UNTOLD: usize = 4;

/// Frames of the app's own windows that the motions hold, each once, without first draws. At the end of a trace the
/// last few are untold: as many as the window counts too few, if they are few.
pub fn judged(truth: &Truth<'_>, measured: &WindowMeasured, package: &str) -> Vec<JudgedFrame> {
    let mut found = existed(truth, measured, package);
    let counted = measured.readings.get("ft_frames").and_then(|reading| reading.value());
    let untold = counted.map_or(0, |counted| found.len().saturating_sub(counted as usize));
    if untold <= UNTOLD {
        found.sort_by_key(|(display, _)| *display);
        found.truncate(found.len() - untold);
    }
    found.into_iter().map(|(_, frame)| frame).collect()
}

/// Every one of them with the display frame that showed it, or the newer one.
fn existed(truth: &Truth<'_>, measured: &WindowMeasured, package: &str) -> Vec<(i64, JudgedFrame)> {
    let mut found = Vec::new();
    for layer in truth.layers.iter().filter(|layer| layer.package == package) {
        let mut before: Option<&TruthFrame> = None;
        let own = |frame: &&TruthFrame| frame.token.is_some();
        for frame in layer.frames.iter().filter(own) {
            let previous = before.replace(frame);
            if frame.cause == Cause::FirstDraw || !holds(measured, frame.present, promised(frame)) {
                continue;
            }
            let shown = JudgedFrame {
                bits: frame.jank,
                cause: frame.cause,
                present: Some(frame.present),
                late: promised(frame).map(|promise| frame.present - promise),
                before: previous.map(|one| {
                    (promised(one).map(|promise| one.present - promise), frame.present - one.present)
                }),
                period: frame.period,
                over: promised(frame)
                    .map(|_| frame.ready.max(frame.desired.min(frame.latch)) - frame.deadline),
                unready: frame.ready > frame.deadline,
                behind: previous.is_some_and(|one| one.latch >= frame.deadline),
                overdue: previous.is_some_and(|one| frame.ready >= one.latch + frame.period),
            };
            found.push((frame.display, shown));
        }
        for dropped in layer.dropped.iter().filter(|dropped| dropped.token.is_some()) {
            if holds(measured, dropped.at, None) {
                let (bits, cause) = (verdict::DROPPED, Cause::Dropped);
                let period = truth.period_at(dropped.at);
                let present = None;
                let late = None;
                let before = None;
                let over = None;
                let unready = false;
                let behind = false;
                let overdue = false;
                let frame = JudgedFrame {
                    bits,
                    cause,
                    present,
                    late,
                    before,
                    period,
                    over,
                    unready,
                    behind,
                    overdue,
                };
                found.push((dropped.display, frame));
            }
        }
    }
    found
}

fn promised(frame: &TruthFrame) -> Option<i64> {
    (frame.prediction == Prediction::Valid).then_some(frame.expected)
}

fn holds(measured: &WindowMeasured, at: i64, promised: Option<i64>) -> bool {
    let inside = |motion: &Motion, at: i64| at >= motion.from.ns() && at <= motion.to.ns();
    measured.motions.iter().any(|motion| {
        inside(motion, at)
            || motion.phase == Phase::Finger && promised.is_some_and(|promised| inside(motion, promised))
    })
}

impl JudgedFrame {
    /// Place of the culprit among the five by the platform's bits; none for a frame in time.
    pub fn culprit(&self) -> Option<usize> {
        use verdict::*;
        let classes = [
            (4, DROPPED),
            (0, APP_DEADLINE | UNKNOWN),
            (1, SF_SCHEDULING | PREDICTION_ERROR | SF_CPU | SF_GPU | SF_STUFFING),
            (2, DISPLAY_HAL),
            (3, STUFFING),
        ];
        classes.into_iter().find(|(_, bits)| self.bits & bits != 0).map(|(place, _)| place)
    }

    /// The same by what the lab did to it. A frame without a cause of its own may be late all the same: the first ones
    /// after rest wake clocks and caches, and are not ready in time; one behind a late one waits in the queue, is late
    /// even for the refresh after it, or finds its refresh taken and is put on the next by SurfaceFlinger.
    pub fn caused(&self) -> Option<usize> {
        let is_late = |late: Option<i64>| late.is_some_and(|late| late > verdict::PRESENT_THRESHOLD);
        match self.cause {
            Cause::Smooth if !is_late(self.late) => None,
            Cause::Smooth if self.unready && !self.behind || self.behind && self.overdue => Some(0),
            Cause::Smooth if self.behind => Some(3),
            Cause::Smooth if self.before.is_some_and(|(late, _)| is_late(late)) => Some(1),
            Cause::Smooth | Cause::FirstDraw => None,
            Cause::AppSlow | Cause::RenderSlow | Cause::Frozen => Some(0),
            Cause::CompositorCpu | Cause::CompositorGpu | Cause::Mispredicted => Some(1),
            Cause::DisplayLate => Some(2),
            Cause::Stuffed => Some(3),
            Cause::Dropped => Some(4),
        }
    }

    /// Whole refreshes late.
    fn refreshes(&self) -> f64 {
        let whole = |ns: i64| (ns.max(0) as f64 / self.period as f64 + 0.5).floor();
        let still = self.before.map_or(0.0, |(_, since)| (whole(since) - 1.0).max(0.0));
        match (self.late, self.culprit()) {
            (Some(late), Some(3)) => {
                let known = self.before.and_then(|(late, _)| late).unwrap_or(late);
                (whole(late) - whole(known)).max(0.0).min(still)
            }
            (None, Some(0)) => still,
            (late, _) => whole(late.unwrap_or(0)),
        }
    }
}

/// What a metric must read; none for keys this does not know. `seconds`: time of the motion that frames cover.
pub fn answer(frames: &[JudgedFrame], seconds: f64, switches: usize, key: &str) -> Option<Answer> {
    use verdict::*;
    if frames.is_empty() {
        return Some(Answer::Absent);
    }
    let count = |bits: u32| Answer::exact(frames.iter().filter(|one| one.bits & bits != 0).count() as f64);
    Some(match key {
        "ft_frames" => Answer::exact(frames.len() as f64),
        "ft_app_missed" => count(APP_DEADLINE | PREDICTION_ERROR),
        "ft_sf_missed" => count(DISPLAY_HAL | SF_CPU | SF_GPU | SF_SCHEDULING),
        "ft_buffer_stuffing" => count(STUFFING),
        "ft_dropped" => count(DROPPED),
        "ft_display_hal" => count(DISPLAY_HAL),
        "ft_sf_cpu" => count(SF_CPU),
        "ft_sf_gpu" => count(SF_GPU),
        "ft_sf_scheduling" => count(SF_SCHEDULING),
        "ft_prediction_error" => count(PREDICTION_ERROR),
        "ft_unknown" => count(UNKNOWN),
        "ft_jank_types" => {
            let of = |bit: u32| frames.iter().filter(|one| one.bits & (1 << bit) != 0).count() as f64;
            Answer::list((0..16).map(of), 0.0)
        }
        "ft_blame" => {
            let of = |place: usize| frames.iter().filter(|one| one.culprit() == Some(place)).count() as f64;
            Answer::list((0..CULPRITS).map(of), 0.0)
        }
        "ft_blame_ms" => {
            let still = |one: &JudgedFrame| {
                let since = one.before.map_or(0.0, |(_, since)| since as f64 / one.period as f64);
                one.refreshes().min(((since + 0.5).floor() - 1.0).max(0.0)) * one.period as f64 / 1e6
            };
            let of = |place: usize| {
                frames.iter().filter(|one| one.culprit() == Some(place)).map(still).sum::<f64>()
            };
            let shares: Vec<f64> = (0..CULPRITS).map(of).collect();
            // The tool knows nothing of what was shown before the window.
            let first = frames.iter().min_by_key(|one| one.present).map_or(0.0, still);
            let slack = shares.iter().sum::<f64>() * 0.003 + 100.0 * switches as f64 + first;
            Answer::list(shares, slack)
        }
        "ft_severity" => {
            let blamed = || frames.iter().filter(|one| one.culprit().is_some_and(|place| place != 4));
            let full = |one: &&JudgedFrame| one.late.is_some_and(|late| late.abs() >= one.period);
            let forgotten = blamed().filter(|one| one.late.is_none()).count();
            // A frame a whole refresh late is so up to the jitter of its fence: it may be either.
            let edge =
                |one: &&JudgedFrame| one.late.is_some_and(|late| (late.abs() - one.period).abs() < 1_000_000);
            let edges = blamed().filter(edge).count() + forgotten;
            let fully = blamed().filter(full).count();
            let all = blamed().count() - forgotten;
            Answer::list([all - fully, fully].map(|count| count as f64), edges as f64)
        }
        "ft_hitch_ms_per_s" => {
            let hitch: f64 = frames.iter().map(|one| one.refreshes() * one.period as f64 / 1e6).sum();
            // Each change of the rate may have one frame judged by the other rate, at most 100 ms of it.
            let slack = hitch / seconds * 0.003 + 100.0 * switches as f64 / seconds;
            Answer::about(hitch / seconds, slack + 1e-6)
        }
        _ => return None,
    })
}
