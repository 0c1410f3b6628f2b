//! What a window must say, computed from the lab's truth: another statement of the definitions
//! (docs/design/windows.md, docs/metrics.md), in floats and loops, that shares no code with the tool.

pub mod answer;
pub mod counted;
mod frame_logs;
pub mod framestats;
pub mod hwui;
pub mod judged;
pub mod lists;
pub mod presents;
pub mod registry;

use farmjank_lab::truth::{Truth, TruthFrame, TruthLayer};
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame::SourceId;
use farmjank_results::frame_log::FrameLog;
use farmjank_results::motion::Phase;
use frame_logs::Made;

/// One true interval between neighbouring frames of a layer. One field for each thing tests ask of it.
#[derive(Clone, Copy, Debug)]
pub struct TrueInterval {
    /// Present of the frame before, ns.
    pub from: i64,
    /// Length by the present fences, ns.
    pub ns: i64,
    /// The same, ms.
    pub ms: f64,
    /// Whole refreshes from frame to frame, by the panel's own lattice.
    pub vsyncs: f64,
    /// Of these, by how many it came later than its app meant it, by the lab's own account.
    pub late: f64,
    /// Period it is judged by, ms.
    pub period_ms: f64,
    /// Neighbours in the truth: the run of frames it belongs to.
    pub run: usize,
    /// What moved the content.
    pub phase: Phase,
    /// It began while the finger was surely down.
    pub sure: bool,
}

/// A finger and the fling behind it.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// The finger comes down, at the earliest.
    pub from: i64,
    /// How much later it may come down, ns.
    pub slack: i64,
    /// It is lifted; none when no fling follows.
    pub lift: Option<i64>,
    /// The last present of it, or the lift where none follows.
    pub to: i64,
    /// As long as it may move.
    pub end: i64,
}

/// What the truth says of one measured window. One field for each thing tests ask of it.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Frames presented inside its motions.
    pub frames: u64,
    /// Intervals that count.
    pub intervals: Vec<TrueInterval>,
    /// How often the panel changed its rate between the first and the last of them.
    pub switches: usize,
    /// Its gestures.
    pub strokes: Vec<Stroke>,
    /// Presents of each layer of the app that the source shows, the one judged first.
    pub layers: Vec<Vec<i64>>,
    /// Gaps nobody could explain, ns.
    pub ambiguous: i64,
    /// Stretches that count as no frame, from and to.
    pub rests: Vec<(i64, i64)>,
    /// Gaps of which only the end counts: how long that is, is known to the fitted period only.
    pub partial: usize,
    /// What was set aside or counted against the truth, in words.
    pub unjust: Vec<String>,
}

impl Expected {
    /// More than 5 % of the time is in gaps that nobody could explain: the one honest reason for no number.
    pub fn is_inconclusive(&self) -> bool {
        let time: i64 = self.intervals.iter().map(|interval| interval.ns).sum();
        self.ambiguous * 20 > time
    }
}

/// One frame as the source of the window sees it.
#[derive(Clone, Copy)]
struct Shown {
    present: i64,
    vsync: i64,
    due: i64,
    period: i64,
}

/// The truth of a measured window: the layer it was judged by, cut by its own motions. What the tool set aside as
/// stillness is held against the truth: a frame that was late there is an injustice.
pub fn expect(truth: &Truth<'_>, measured: &WindowMeasured, frame_log: &FrameLog) -> Option<Expected> {
    expect_before(truth, measured, frame_log, i64::MAX)
}

/// The same, if nothing was shown from this instant on.
pub fn expect_before(
    truth: &Truth<'_>,
    measured: &WindowMeasured,
    frame_log: &FrameLog,
    until: i64,
) -> Option<Expected> {
    let coverage = measured.coverage.as_ref()?;
    let wanted = coverage.layer.clone()?;
    let mut frames = match coverage.source {
        SourceId::Gfxinfo => completions(truth, &wanted),
        _ => of_layer(truth, |layer| base(&layer.name) == base(&wanted)),
    };
    frames.retain(|frame| frame.present < until);
    let mut expected = Expected { strokes: strokes(&frames, measured), ..Expected::default() };
    let mut counted_to = i64::MIN;
    let mut judged_to = i64::MIN;
    for motion in &measured.motions {
        let (from, to) = (motion.from.ns(), motion.to.ns());
        // Of a finger of which nothing is sure, no frame surely began under it.
        let sure = |at: i64| {
            let known = || motion.sure().is_some_and(|(from, to)| at >= from.ns() && at < to.ns());
            motion.phase != Phase::Finger || known()
        };
        expected.frames += frames
            .iter()
            .filter(|frame| frame.present >= from && frame.present <= to && frame.present > counted_to)
            .count() as u64;
        for (run, pair) in frames.windows(2).enumerate() {
            let (first, second) = (pair[0], pair[1]);
            let starts_inside = first.present >= from && first.present < to;
            let ends_inside = second.present <= to || motion.phase == Phase::Finger;
            if !starts_inside || second.present <= counted_to.max(judged_to) {
                continue;
            }
            let shown = frame_logs::made(frame_log, first.present, second.present);
            // A lift without a fling leaves nothing to show, and the app's next frame may be its next launch's.
            let is_after = shown.is_none() && measured.span.is_some_and(|(_, end)| second.due > end.ns());
            // A stall may end after the motions: by a finger, or by the answer to the question at the end.
            let ended = matches!(shown, Some(Made::Frame | Made::End(_)));
            if is_after || !ends_inside && !ended {
                continue;
            }
            let period = first.period.max(second.period);
            let interval = TrueInterval {
                from: first.present,
                ns: second.present - first.present,
                ms: (second.present - first.present) as f64 / 1e6,
                vsyncs: (((second.vsync - first.vsync) as f64) / period as f64).round().max(1.0),
                late: (((second.vsync - second.due) as f64) / period as f64).round().max(0.0),
                period_ms: period as f64 / 1e6,
                run,
                phase: motion.phase,
                sure: sure(first.present),
            };
            // A stall that the next finger ended: metrics that look at presents alone do not see it. Behind a full
            // queue of buffers a frame is due up to four refreshes after it was promised.
            expected.partial += usize::from(!ends_inside);
            if !ends_inside && interval.late + 4.0 < interval.vsyncs {
                expected.unjust.push(format!("a stall before the next finger was invented: {interval:?}"));
            }
            let unseen = motion.phase == Phase::Fling && is_slow_end(&frames[run..]);
            expected.hold(interval, shown, unseen);
            judged_to = second.present;
        }
        counted_to = counted_to.max(to);
    }
    // Silence under a finger that no frame ended while anybody looked.
    let inside = |frame: &Shown| measured.motions.iter().any(|motion| motion.to.ns() > frame.present);
    if let Some(last) = frames.iter().rposition(inside) {
        let next = frames.get(last + 1).map(|next| next.present);
        let ended =
            next.is_some_and(|next| frame_logs::made(frame_log, frames[last].present, next).is_some());
        expected.ambiguous += frame_logs::unanswered(frame_log, frames[last].present) * i64::from(!ended);
    }
    if let (Some(first), Some(last)) = (measured.motions.first(), measured.motions.last()) {
        let (from, to) = (first.from.ns(), last.to.ns());
        expected.switches =
            truth.switches.iter().filter(|switch| switch.at > from && switch.at <= to).count();
        expected.layers = layers(truth, coverage.source, &wanted, (from, to));
    }
    Some(expected)
}

/// Whether the first two of these frames are a pixel's time or less apart, a frame more, and in reach of the rest that
/// ends a fling.
fn is_slow_end(frames: &[Shown]) -> bool {
    let [first, second, ..] = frames else { return false };
    let rested = |pair: &&[Shown]| pair[1].present - pair[0].present >= 100_000_000;
    let last = frames.windows(2).skip(1).find(rested).map(|pair| pair[0]).or(frames.last().copied());
    let frame = first.period.max(second.period);
    second.present - first.present <= 60_000_000 + frame * 5 / 4
        && last.is_some_and(|last| last.present - first.present <= 200_000_000)
}

fn base(name: &str) -> &str {
    name.rsplit_once('#').map_or(name, |(base, _)| base)
}

fn of_layer(truth: &Truth<'_>, wanted: impl Fn(&TruthLayer) -> bool) -> Vec<Shown> {
    let layers = truth.layers.iter().filter(|layer| wanted(layer));
    let shown = |frame: &TruthFrame| Shown {
        present: frame.present,
        vsync: frame.vsync,
        due: frame.due,
        period: frame.period,
    };
    let mut frames: Vec<Shown> = layers.flat_map(|layer| &layer.frames).map(shown).collect();
    frames.sort_by_key(|frame| frame.present);
    frames
}

/// Framestats show when a frame was finished, not when it was seen.
fn completions(truth: &Truth<'_>, window: &str) -> Vec<Shown> {
    let of =
        truth.hwui_frames.iter().filter(|frame| frame.flags == 0 && window.contains(activity(&frame.layer)));
    let mut frames: Vec<Shown> = of
        .map(|frame| Shown {
            present: frame.completed,
            vsync: frame.completed,
            due: frame.completed,
            period: truth.period_at(frame.completed),
        })
        .collect();
    frames.sort_by_key(|frame| frame.present);
    frames
}

/// `pkg/activity` of a layer's name.
pub fn activity(layer: &str) -> &str {
    let name = base(layer);
    name.rsplit_once(' ').map_or(name, |(_, last)| last)
}

fn strokes(frames: &[Shown], measured: &WindowMeasured) -> Vec<Stroke> {
    let mut strokes: Vec<Stroke> = Vec::new();
    for motion in &measured.motions {
        let (from, end) = (motion.from.ns(), motion.to.ns());
        if motion.phase == Phase::Finger {
            let slack = motion.touch.map_or(0, |touch| (touch.down_by.ns() - from).max(0));
            strokes.push(Stroke { from, slack, lift: None, to: end, end });
        } else if let Some(stroke) = strokes.last_mut() {
            let last = frames.iter().map(|frame| frame.present).filter(|at| *at > from && *at <= end).max();
            *stroke = Stroke { lift: Some(from), to: last.unwrap_or(from), end, ..*stroke };
        }
    }
    strokes
}

/// Presents of the app's layers between two instants; a trace shows only frames with a vsync id.
fn layers(truth: &Truth<'_>, source: SourceId, judged: &str, (from, to): (i64, i64)) -> Vec<Vec<i64>> {
    let owner = truth.layers.iter().find(|layer| base(&layer.name) == base(judged));
    let Some(package) = owner.map(|layer| layer.package.clone()) else { return Vec::new() };
    let mut names: Vec<&str> = Vec::new();
    for layer in truth.layers.iter().filter(|layer| layer.package == package) {
        let seen = |frame: &TruthFrame| source != SourceId::FrameTimeline || frame.token.is_some();
        let inside = |frame: &TruthFrame| frame.present >= from && frame.present <= to;
        if layer.frames.iter().any(|frame| seen(frame) && inside(frame))
            && !names.contains(&base(&layer.name))
        {
            names.push(base(&layer.name));
        }
    }
    names.sort_by_key(|name| *name != base(judged));
    let of = |name: &&str| {
        of_layer(truth, |layer| base(&layer.name) == *name).iter().map(|frame| frame.present).collect()
    };
    names.iter().map(of).collect()
}

impl Expected {
    /// Puts a gap where the tool put it, and remembers where the truth forbids that.
    /// In the slow end of a fling nobody sees a gap, and none counts that nobody saw due (docs/touches.md).
    fn hold(&mut self, interval: TrueInterval, shown: Option<Made>, unseen: bool) {
        let (from, to, late) = (interval.from, interval.from + interval.ns, interval.late);
        let at = format!("{:.1} ms at {from} ({} refreshes, {late} late)", interval.ms, interval.vsyncs);
        match shown {
            Some(Made::Rest) => {
                self.rests.push((from, to));
                // One refresh late, and due at the refresh before: nobody sees that in a rest.
                if late >= interval.vsyncs.min(2.0) && !unseen {
                    self.unjust.push(format!("a stall was taken for rest: {at}"));
                }
            }
            Some(Made::Doubt) => {
                self.rests.push((from, to));
                self.ambiguous += interval.ns;
            }
            Some(Made::End(vsyncs)) => {
                self.partial += 1;
                // A page at a declared rate takes longer than one refresh when it is in time.
                // Behind a full queue of buffers one is due later than promised, by what its neighbours take there.
                if !(-2.0..=2.0).contains(&(f64::from(vsyncs) - 1.0 - late)) {
                    self.unjust.push(format!("a stall of {vsyncs} refreshes was counted: {at}"));
                }
                let ns = i64::from(vsyncs) * (interval.period_ms * 1e6) as i64;
                self.rests.push((from, to - ns));
                let vsyncs = f64::from(vsyncs);
                self.intervals.push(TrueInterval {
                    from: to - ns,
                    ns,
                    ms: ns as f64 / 1e6,
                    vsyncs,
                    ..interval
                });
            }
            Some(Made::Frame) | None => self.intervals.push(interval),
        }
    }

    /// The same with one frame per rate switch counted as on time: the price docs/design/windows.md#length-in-refreshes
    /// allows on adaptive panels. Equal where the rate never changed.
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

    /// Time by which frames came later than their app meant them, ms: what a page that keeps its target must read.
    pub fn hitch_by_pace(&self) -> f64 {
        self.intervals.iter().map(|interval| interval.late * interval.period_ms).sum()
    }

    /// Time of all of them, s.
    pub fn seconds(&self) -> f64 {
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
