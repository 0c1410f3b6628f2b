//! What a window must say, computed from the lab's truth: another statement of the definitions (metrics.md part A), in
//! floats and loops, that shares no code with the tool.

use farmjank_lab::truth::{Truth, TruthFrame, TruthLayer};
use farmjank_results::event::WindowMeasured;
use farmjank_results::window::Phase;

/// One true interval between neighbouring frames of a layer.
#[derive(Clone, Copy, Debug)]
pub struct TrueInterval {
    /// Length by the present fences, ms.
    pub ms: f64,
    /// Whole refreshes from frame to frame, by the panel's own lattice.
    pub vsyncs: f64,
    /// Period it is judged by, ms.
    pub period_ms: f64,
    /// Neighbours in the truth: the run of frames it belongs to.
    pub run: usize,
}

/// What the truth says of one measured window.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Frames presented inside its motions.
    pub frames: u64,
    /// Intervals that count.
    pub intervals: Vec<TrueInterval>,
    /// How often the panel changed its rate between the first and the last of them.
    pub switches: usize,
}

/// The truth of a measured window: the layer it was judged by, cut by its own motions.
pub fn expect(truth: &Truth<'_>, measured: &WindowMeasured) -> Option<Expected> {
    let wanted = measured.coverage.as_ref()?.layer.clone()?;
    let base = |name: &str| name.rsplit_once('#').map_or(name.to_owned(), |(base, _)| base.to_owned());
    let mut frames: Vec<TruthFrame> = Vec::new();
    for layer in truth.layers.iter().filter(|layer: &&TruthLayer| base(&layer.name) == base(&wanted)) {
        frames.extend(layer.frames.iter().copied());
    }
    frames.sort_by_key(|frame| frame.present);
    let mut expected = Expected::default();
    let mut counted_to = i64::MIN;
    for motion in &measured.motions {
        let (from, to) = (motion.from.ns(), motion.to.ns());
        expected.frames += frames
            .iter()
            .filter(|frame| frame.present >= from && frame.present <= to && frame.present > counted_to)
            .count() as u64;
        for (at, pair) in frames.windows(2).enumerate() {
            let (first, second) = (pair[0], pair[1]);
            let starts_inside = first.present >= from && first.present < to;
            let ends_inside = second.present <= to || motion.phase == Phase::Finger;
            if starts_inside && ends_inside && second.present > counted_to {
                let period = first.period.max(second.period);
                expected.intervals.push(TrueInterval {
                    ms: (second.present - first.present) as f64 / 1e6,
                    vsyncs: (((second.vsync - first.vsync) as f64) / period as f64).round().max(1.0),
                    period_ms: period as f64 / 1e6,
                    run: at,
                });
            }
        }
        counted_to = counted_to.max(to);
    }
    if let (Some(first), Some(last)) = (measured.motions.first(), measured.motions.last()) {
        let (from, to) = (first.from.ns(), last.to.ns());
        expected.switches =
            truth.switches.iter().filter(|switch| switch.at > from && switch.at <= to).count();
    }
    Some(expected)
}

impl Expected {
    /// The same with one frame per rate switch counted as on time: the price metrics.md A.1 allows on adaptive panels.
    /// Equal where the rate never changed.
    pub fn least(&self) -> Expected {
        let mut least = self.clone();
        let mut longest: Vec<usize> = (0..least.intervals.len()).collect();
        longest.sort_by(|a, b| self.intervals[*b].vsyncs.total_cmp(&self.intervals[*a].vsyncs));
        for at in longest.into_iter().take(self.switches) {
            least.intervals[at].vsyncs = 1.0;
        }
        least
    }

    /// What a hitch may weigh more or less because a frame next to a rate switch is judged by the other rate's period.
    pub fn slack(&self, key: &str) -> f64 {
        let periods = || self.intervals.iter().map(|interval| interval.period_ms);
        let spread = periods().fold(0.0, f64::max) - periods().fold(f64::INFINITY, f64::min);
        match key {
            "hitch_ms" => self.switches as f64 * spread.max(0.0),
            "hitch_ms_per_s" => self.switches as f64 * spread.max(0.0) / self.seconds(),
            _ => 0.0,
        }
    }

    fn seconds(&self) -> f64 {
        self.intervals.iter().map(|interval| interval.ms).sum::<f64>() / 1e3
    }

    /// The metric of this key; none for those the oracle does not know.
    pub fn metric(&self, key: &str) -> Option<f64> {
        let sum = |value: fn(&TrueInterval) -> f64| self.intervals.iter().map(value).sum::<f64>();
        let count = |is: fn(&TrueInterval) -> bool| {
            self.intervals.iter().filter(|interval| is(interval)).count() as f64
        };
        let frames = self.intervals.len() as f64;
        Some(match key {
            "fps" | "scroll_fps" => frames / self.seconds(),
            "delivery_ratio" => frames / sum(|interval| interval.vsyncs),
            "dropped_frames" => sum(|interval| interval.vsyncs - 1.0),
            "dropped_pct" => 100.0 * sum(|interval| interval.vsyncs - 1.0) / sum(|interval| interval.vsyncs),
            "hitch_ms" => sum(|interval| (interval.vsyncs - 1.0) * interval.period_ms),
            "hitch_ms_per_s" => sum(|interval| (interval.vsyncs - 1.0) * interval.period_ms) / self.seconds(),
            "frozen_frames" => count(|interval| interval.ms > 700.0),
            "frozen_ratio" => count(|interval| interval.ms > 700.0) / frames,
            "p50_ms" => self.rank(50.0),
            "p90_ms" => self.rank(90.0),
            "p95_ms" => self.rank(95.0),
            "p99_ms" => self.rank(99.0),
            "max_ms" => self.rank(100.0),
            "perfdog_jank" => self.perfdog(83.333_333),
            "perfdog_big_jank" => self.perfdog(125.0),
            _ => return None,
        })
    }

    fn rank(&self, percent: f64) -> f64 {
        let mut lengths: Vec<f64> = self.intervals.iter().map(|interval| interval.ms).collect();
        lengths.sort_by(f64::total_cmp);
        let rank = (percent * lengths.len() as f64 / 100.0 - 1e-9).ceil().max(1.0) as usize;
        lengths.get(rank - 1).copied().unwrap_or(f64::NAN)
    }

    fn perfdog(&self, floor_ms: f64) -> f64 {
        let adjacent = |four: &[TrueInterval]| four.windows(2).all(|pair| pair[1].run == pair[0].run + 1);
        let is_jank = |four: &[TrueInterval]| {
            let average = (four[0].ms + four[1].ms + four[2].ms) / 3.0;
            four[3].ms > 2.0 * average && four[3].ms > 83.333_333 && four[3].ms > floor_ms
        };
        self.intervals.windows(4).filter(|four| adjacent(four) && is_jank(four)).count() as f64
    }
}
