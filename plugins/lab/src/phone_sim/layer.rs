//! A SurfaceFlinger layer: its ring of presented frames and, when kept, everything it ever presented.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know what produces frames or how rows are printed.

use super::panel::Panel;
use super::pipeline::{self, Made, Stages};
use crate::chance::{Draw, Stream};
use crate::truth::held::TruthWork;
use crate::truth::{Prediction, Trouble, TruthDropped, TruthFrame};
use std::collections::VecDeque;

/// Rows of the classic ring that are visible.
pub(crate) const VISIBLE_ROWS: usize = 127;
/// Frames kept: the visible ones and those on their way.
const KEPT: usize = VISIBLE_ROWS + 8;
/// Present fences scatter by this much around the refresh, ns (docs/design/stitching.md#what-a-present-is).
const FENCE_SD: f64 = 150_000.0;
/// … and never by more than this.
const FENCE_WORST: f64 = 300_000.0;

/// One presented frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Buffer timestamp.
    pub desired: i64,
    /// Acquire fence.
    pub ready: i64,
    /// When SurfaceFlinger took it.
    pub latch: i64,
    /// The refresh, without noise.
    pub vsync: i64,
    /// Present fence.
    pub present: i64,
    noise: i32,
    lead: i32,
    trouble: Trouble,
}

/// What kind of layer, which decides who lists it and whether it ever has frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Gets buffers.
    Buffers,
    /// Never gets buffers: containers, sinks, leashes.
    Container,
}

/// One layer. One field for each thing SurfaceFlinger keeps of a layer.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Name including `#n`, as `--latency` wants it.
    pub name: String,
    /// Number of creation.
    pub id: u32,
    /// Number of the layer it hangs on.
    pub parent: Option<u32>,
    /// Buffers or not.
    pub role: Role,
    /// Package it belongs to; empty for the system's own.
    pub package: String,
    /// Created.
    pub born: i64,
    /// Destroyed.
    pub died: Option<i64>,
    rows: VecDeque<Row>,
    seed: u64,
    count: u64,
    cleared: i64,
    /// Frames since the last clear, as the history engine counts.
    since_clear: u64,
    history: Option<Vec<TruthFrame>>,
    /// The newest buffers that were never shown.
    dropped: VecDeque<TruthDropped>,
    /// Process that draws it; 0 for the system's own.
    pub pid: u32,
}

impl Layer {
    /// A new layer without frames. `keep` keeps everything for the truth.
    pub fn new(name: String, id: u32, role: Role, package: &str, born: i64, seed: u64, keep: bool) -> Layer {
        Layer {
            name,
            id,
            parent: None,
            role,
            package: package.to_owned(),
            born,
            died: None,
            rows: VecDeque::new(),
            seed: crate::chance::mix(seed, Stream::Fence as u64, born as u64 ^ (u64::from(id) << 40)),
            count: 0,
            cleared: i64::MIN,
            since_clear: 0,
            history: keep.then(Vec::new),
            dropped: VecDeque::new(),
            pid: 0,
        }
    }

    /// Takes a frame that will be shown at `made.present`; `token` is its vsync id, if it carries one.
    pub fn push(
        &mut self,
        panel: &Panel,
        made: &Made,
        desired: i64,
        gesture: Option<u32>,
        token: Option<i64>,
    ) {
        let noise = (Draw::of(self.seed, Stream::Fence, self.count).bell() * FENCE_SD)
            .clamp(-FENCE_WORST, FENCE_WORST) as i32;
        self.count += 1;
        self.since_clear += 1;
        if self.rows.len() == KEPT {
            self.rows.pop_front();
        }
        let row = Row {
            desired,
            ready: made.stages.ready,
            latch: made.latch,
            vsync: made.present,
            present: made.present + i64::from(noise),
            noise,
            lead: made.lead as i32,
            trouble: made.promise.trouble,
        };
        self.rows.push_back(row);
        if let Some(history) = &mut self.history {
            history.push(truth(panel, &row, made, gesture, token));
        }
    }

    /// Takes a frame that the next one will replace before it is shown.
    pub(crate) fn drop_frame(&mut self, made: &Made, desired: i64, token: Option<i64>) {
        if self.history.is_none() && self.dropped.len() == KEPT {
            self.dropped.pop_front();
        }
        self.dropped.push_back(TruthDropped {
            token,
            intended: made.stages.intended,
            deadline: made.promise.deadline,
            desired,
            ready: made.stages.ready,
            // SurfaceFlinger finds two buffers at its next wake-up and takes the newer.
            at: made.latch + made.stages.interval,
            display: 0,
            work: work(made),
        });
    }

    /// Buffers given up by `now`, oldest first.
    pub(crate) fn given_up(&self, now: i64) -> impl DoubleEndedIterator<Item = &TruthDropped> + Clone {
        self.dropped.iter().filter(move |dropped| dropped.at <= now)
    }

    /// The panel's lattice changed from `from` on: frames shown later move to it. Answers the refreshes of the last
    /// four frames, newest first.
    pub(crate) fn reschedule(&mut self, panel: &Panel, from: i64) -> impl Iterator<Item = i64> + '_ {
        let first = self.rows.iter().rposition(|row| row.vsync < from).map_or(0, |index| index + 1);
        for index in first..self.rows.len() {
            let before = if index > 0 { self.rows[index - 1].vsync } else { i64::MIN };
            let row = &mut self.rows[index];
            let lead = i64::from(row.lead);
            let planned = panel.at_or_after((row.ready + lead).max(from).max(before.saturating_add(1)));
            row.vsync = pipeline::later(panel, planned, row.trouble);
            row.present = row.vsync + i64::from(row.noise);
            row.latch = row.latch.min((planned - lead).max(row.ready));
            let moved = *row;
            let back = self.rows.len() - index;
            // A history that began later does not hold the oldest rows.
            if let Some(history) = &mut self.history
                && let Some(at) = history.len().checked_sub(back)
            {
                let frame = &mut history[at];
                (frame.present, frame.vsync) = (moved.present, moved.vsync);
                frame.due += planned - frame.planned;
                (frame.latch, frame.planned) = (moved.latch, planned);
                frame.period = panel.at(moved.vsync).period;
            }
        }
        self.rows.iter().rev().map(|row| row.vsync)
    }

    /// Frames since the layer came to be.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The newest frame, even one on its way.
    pub fn newest(&self) -> Option<&Row> {
        self.rows.back()
    }

    /// Rows SurfaceFlinger has taken and not cleared, oldest first: what a dump at `now` can show.
    pub fn visible(&self, now: i64) -> impl DoubleEndedIterator<Item = &Row> + Clone {
        self.rows.iter().filter(move |row| row.latch <= now && row.latch > self.cleared)
    }

    /// Rows SurfaceFlinger has taken, cleared or not, oldest first.
    pub fn taken(&self, now: i64) -> impl DoubleEndedIterator<Item = &Row> + Clone {
        self.rows.iter().filter(move |row| row.latch <= now)
    }

    /// How many entries the history engine walks for this layer: frames taken since the last clear.
    pub(crate) fn since_clear(&self, now: i64) -> u64 {
        let coming = self.rows.iter().rev().take_while(|row| row.latch > now).count() as u64;
        self.since_clear.saturating_sub(coming)
    }

    /// `--latency-clear`.
    pub fn clear(&mut self, now: i64) {
        self.cleared = now;
        self.since_clear = self.rows.iter().rev().take_while(|row| row.latch > now).count() as u64;
    }

    /// The layer goes: what was on its way is never shown.
    pub(crate) fn die(&mut self, now: i64) {
        self.died = Some(now);
        while self.rows.back().is_some_and(|row| row.vsync > now) {
            self.rows.pop_back();
            self.count -= 1;
            if let Some(history) = &mut self.history {
                history.pop();
            }
        }
    }

    /// Keeps every frame from now on, or forgets what was kept.
    pub fn keep(&mut self, on: bool) {
        self.history = on.then(Vec::new);
    }

    /// Present of the newest frame, one on its way included.
    pub fn latest(&self) -> Option<i64> {
        self.rows.iter().map(|row| row.present).max()
    }

    /// What is kept, those on their way included.
    pub fn history(&self) -> &[TruthFrame] {
        self.history.as_deref().unwrap_or_default()
    }

    /// The kept history up to `now`.
    pub(crate) fn take_history(&mut self, now: i64) -> Vec<TruthFrame> {
        let mut frames = self.history.take().unwrap_or_default();
        frames.truncate(frames.partition_point(|frame| frame.present <= now));
        frames
    }

    /// What was drawn and never shown, up to `now`.
    pub(crate) fn take_dropped(&mut self, now: i64) -> Vec<TruthDropped> {
        std::mem::take(&mut self.dropped).into_iter().filter(|dropped| dropped.at <= now).collect()
    }
}

fn truth(panel: &Panel, row: &Row, made: &Made, gesture: Option<u32>, token: Option<i64>) -> TruthFrame {
    TruthFrame {
        present: row.present,
        vsync: row.vsync,
        // A refresh that begins a segment was still waited for at the old rate.
        period: panel.at(row.vsync).period,
        desired: row.desired,
        ready: row.ready,
        cause: made.cause,
        gesture,
        token,
        intended: made.stages.intended,
        start: made.stages.start,
        deadline: made.promise.deadline,
        expected: made.promise.expected,
        latch: row.latch,
        planned: made.promise.planned,
        due: made.due,
        trouble: row.trouble,
        display: 0,
        prediction: if token.is_some() { Prediction::Valid } else { Prediction::None },
        in_time: true,
        jank: 0,
        work: work(made),
    }
}

fn work(made: &Made) -> TruthWork {
    let Stages { start, traversal, draw, sync_queued, sync_start, issue, dequeue, swap, queued, .. } =
        made.stages;
    let dequeue = if dequeue > 100_000 { dequeue } else { 0 };
    TruthWork {
        start,
        traversal,
        draw,
        sync_queued,
        sync_start,
        issue,
        dequeue,
        swap,
        queued,
        held: made.held,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archetype::Archetype;
    use crate::phone_sim::pipeline::{Load, Manner, Pipeline};
    use crate::spec::PageSpec;

    fn filled(frames: usize) -> (Panel, Layer) {
        let archetype = Archetype::find("galaxy-s7").unwrap();
        let panel = Panel::new(archetype, 0, 0);
        let mut layer = Layer::new("a/b".into(), 1, Role::Buffers, "a", 0, 9, true);
        let mut pipeline = Pipeline::new(3);
        let manner = Manner::new(&PageSpec::default(), 1.0);
        let mut vsync = 0;
        for index in 0..frames {
            let load = Load {
                factor: 1.0,
                lead: 0.9,
                first: index == 0,
                paced: false,
                first_draw: 0,
                compositor: None,
            };
            let made = pipeline.make(&panel, &manner, vsync, load);
            layer.push(&panel, &made, made.stages.queued, None, None);
            vsync = panel.after(made.stages.vsync);
        }
        (panel, layer)
    }

    #[test]
    fn fences_never_reorder_and_stay_near_their_refresh() {
        let (_, mut layer) = filled(5_000);
        let frames = layer.take_history(i64::MAX);
        assert_eq!(frames.len(), 5_000);
        assert!(
            frames.windows(2).all(|pair| pair[1].present > pair[0].present && pair[1].vsync > pair[0].vsync)
        );
        assert!(frames.iter().all(|frame| (frame.present - frame.vsync).abs() < 400_000));
        assert!(frames.iter().all(|frame| frame.desired < frame.ready && frame.ready < frame.vsync));
    }

    #[test]
    fn a_dump_sees_at_most_the_ring_and_what_was_taken() {
        let (_, layer) = filled(300);
        let newest = *layer.newest().unwrap();
        assert_eq!(layer.visible(i64::MAX).count(), KEPT);
        assert!(layer.visible(newest.latch - 1).count() < KEPT);
    }
}
