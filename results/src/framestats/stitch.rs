//! Merging the framestats dumps of one HWUI window, and what proves that no frame of a motion is missing.
//!
//! Frames are merged by set, never by a watermark: dumps may come in any order, twice, or cut into others, and a row
//! that was in flight comes back whole. A ring shows an unbroken run of frames, so two dumps that show one frame in
//! common show an unbroken run together. A motion is proved when one such run reaches from its beginning to its end.
//! Must not know the text, nor which window is the app's. Times are ns of the phone's clock.

use super::known::Known;
use super::{Aside, FrameStats, RenderStages};
use crate::frame::Sample;
use crate::motion::{Motion, Phase};
use crate::time::{DeviceTime, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;

/// Rows that stay unreadable may be this share of the frames, in thousandths, before they are a doubt…
const UNREADABLE_PERMILLE: u64 = 5;
/// … and as many in any case.
const UNREADABLE_FRAMES: u64 = 2;

/// The stitching of one window's dumps.
#[derive(Clone, Debug, Default)]
pub struct FrameStatsStitch {
    frames: Known,
    /// Runs of frames that dumps show unbroken; one that was united with another points at it.
    runs: Vec<Run>,
    left_out: BTreeSet<DeviceTime>,
    unreadable: BTreeSet<DeviceTime>,
    /// The latest dump of a ring that had never drawn a frame.
    unused: Option<DeviceTime>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    into: usize,
    /// Oldest frame.
    oldest: DeviceTime,
    /// The oldest frame was the first one ever in the ring.
    began: bool,
    /// Newest instant it speaks for.
    to: DeviceTime,
}

impl FrameStatsStitch {
    /// Nothing yet.
    pub fn new() -> Self {
        FrameStatsStitch::default()
    }

    /// Adds one dump.
    pub fn add(&mut self, sample: &Sample) {
        for aside in &sample.aside {
            match aside.why {
                Aside::LeftOut => self.left_out.insert(aside.intended),
                Aside::Unreadable => self.unreadable.insert(aside.intended),
            };
        }
        let Some(oldest) = sample.framestats.iter().map(|frame| frame.intended).min() else {
            if sample.zero_rows > 0 && sample.aside.is_empty() {
                self.unused = self.unused.max(sample.asked);
            }
            return;
        };
        let finished = sample.framestats.iter().map(FrameStats::finished).max();
        let to = sample.asked.max(finished).unwrap_or(oldest);
        let run = self.runs.len();
        self.runs.push(Run { into: run, oldest, began: sample.zero_rows > 0, to });
        for of in self.frames.merge(&sample.framestats, run, absorb) {
            self.unite(run, of);
        }
    }

    /// How many frames are known.
    pub fn frames_seen(&self) -> usize {
        self.frames.len()
    }

    /// When the oldest event that each frame handled happened, in order of frames; only of those that say so.
    pub fn inputs(&self) -> impl Iterator<Item = DeviceTime> + '_ {
        self.frames.iter().filter_map(|frame| frame.oldest_input)
    }

    /// How many of them were scheduled inside these motions.
    pub(crate) fn frames_inside(&self, motions: &[Motion]) -> usize {
        self.frames.iter().filter(|frame| inside(motions, frame.intended)).count()
    }

    /// Frames scheduled inside the motions (both ends included), and whether none is missing.
    ///
    /// A frame whose UI work had not reached the render thread when the last dump was taken is not in any ring: dump
    /// again a while after the last motion.
    pub fn finish(&self, motions: &[Motion]) -> RenderStages {
        let mut seen = self.counted(motions);
        let mut doubts: Vec<Doubt> = Vec::new();
        for doubt in motions.iter().filter_map(|motion| self.doubt(motion)) {
            match doubts.iter_mut().find(|other| discriminant(*other) == discriminant(&doubt)) {
                Some(other) => *other = doubt.max(*other),
                None => doubts.push(doubt),
            }
        }
        seen.doubts.splice(..0, doubts.into_iter().map(Doubt::words));
        seen.proved = seen.doubts.is_empty();
        seen
    }

    /// The frames of the motions; the only doubt is that too many of their rows stayed unreadable.
    fn counted(&self, motions: &[Motion]) -> RenderStages {
        let frames: Vec<FrameStats> =
            self.frames.iter().filter(|frame| inside(motions, frame.intended)).copied().collect();
        let ignored = self.left_out.iter().filter(|at| inside(motions, **at)).count() as u64;
        let known = |at: &DeviceTime| frames.binary_search_by_key(at, |frame| frame.intended).is_ok();
        let lost = |at: &&DeviceTime| inside(motions, **at) && !known(at);
        let unreadable = self.unreadable.iter().filter(lost).count() as u64;
        let mut doubts: Vec<String> = Vec::new();
        let all = frames.len() as u64 + unreadable;
        if unreadable > UNREADABLE_FRAMES.max(all * UNREADABLE_PERMILLE / 1000) {
            doubts.push(format!("{unreadable} of {all} rows stayed unreadable in every dump"));
        }
        RenderStages { frames, ignored, unreadable, proved: false, doubts }
    }

    /// Every frame that is known, for files nobody can dump once more: nothing is asked about the time between them, so
    /// only rows that stayed unreadable are a doubt.
    pub fn everything(&self) -> RenderStages {
        let known = || {
            let rows = self.frames.iter().map(|frame| frame.intended);
            rows.chain(self.unreadable.iter().copied()).chain(self.left_out.iter().copied())
        };
        let (first, last) = (known().min(), known().max());
        let all = first.zip(last).map(|(from, to)| Motion { from, to, phase: Phase::Free, touch: None });
        let mut seen = self.counted(all.as_slice());
        seen.proved = seen.doubts.is_empty();
        seen
    }

    /// Why frames of this motion may be missing; none when a run reaches over it.
    fn doubt(&self, motion: &Motion) -> Option<Doubt> {
        let runs = self.whole_runs();
        // The first ring of a window shows all there ever was. One that began after another was cleared, and by whom
        // nobody knows.
        let first = |run: &Run| run.began && !runs.iter().any(|other| other.oldest < run.oldest);
        let begins = |run: &Run| run.oldest <= motion.from || first(run);
        if runs.iter().any(|run| begins(run) && run.to >= motion.to) {
            return None;
        }
        if runs.is_empty() {
            let unused = self.unused.is_some_and(|at| at >= motion.to);
            return (!unused).then_some(Doubt::NoFrame);
        }
        let early = runs.iter().filter(|run| begins(run)).map(|run| run.to).max();
        let late = runs.iter().filter(|run| run.to >= motion.to).map(|run| run.oldest).min();
        Some(match (early, late) {
            (Some(to), None) => Doubt::DumpedBefore(motion.to - to),
            (None, Some(from)) => Doubt::Overwritten(from - motion.from),
            _ => Doubt::Apart,
        })
    }

    /// The runs that are not part of another, in no order that matters.
    fn whole_runs(&self) -> Vec<Run> {
        self.runs.iter().enumerate().filter(|(at, run)| run.into == *at).map(|(_, run)| *run).collect()
    }

    fn root(&self, mut run: usize) -> usize {
        while self.runs[run].into != run {
            run = self.runs[run].into;
        }
        run
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        if one == other {
            return;
        }
        let (kept, gone) = (one.min(other), one.max(other));
        let (mine, theirs) = (self.runs[kept], self.runs[gone]);
        let (oldest, to) = (mine.oldest.min(theirs.oldest), mine.to.max(theirs.to));
        let began = [mine, theirs].iter().any(|run| run.began && run.oldest == oldest);
        self.runs[kept] = Run { into: kept, oldest, began, to };
        self.runs[gone].into = kept;
    }
}

/// Drawn frames of the motions from the dumps of one window, in any order.
pub fn render_stages<'s>(samples: impl IntoIterator<Item = &'s Sample>, motions: &[Motion]) -> RenderStages {
    let mut stitch = FrameStatsStitch::new();
    samples.into_iter().for_each(|sample| stitch.add(sample));
    stitch.finish(motions)
}

/// Of an app's windows by name, the one that drew most while things moved; of equals the first by name. None when none
/// drew a frame then.
pub fn busiest<'w>(
    windows: &'w BTreeMap<String, FrameStatsStitch>,
    motions: &[Motion],
) -> Option<(&'w str, &'w FrameStatsStitch)> {
    let drew = windows.iter().map(|(name, window)| (window.frames_inside(motions), name, window));
    let best = drew
        .filter(|(frames, ..)| *frames > 0)
        .max_by_key(|(frames, name, _)| (*frames, std::cmp::Reverse(*name)));
    best.map(|(_, name, window)| (name.as_str(), window))
}

/// The name of a framestats ring without the column its presents come from: one window may change that column from dump
/// to dump, and its render stages belong together all the same.
pub fn window_name(ring: &str) -> &str {
    let base = [" (FrameCompleted)", " (DisplayPresentTime)"];
    base.iter().find_map(|base| ring.strip_suffix(base)).unwrap_or(ring)
}

fn inside(motions: &[Motion], at: DeviceTime) -> bool {
    motions.iter().any(|motion| motion.from <= at && at <= motion.to)
}

/// What two dumps say about one frame, whichever came first: columns that fill up later win over empty ones.
fn absorb(mine: &mut FrameStats, theirs: &FrameStats) {
    fn later<T: Ord + Copy>(mine: &mut Option<T>, theirs: Option<T>) {
        *mine = (*mine).max(theirs);
    }
    mine.flags = mine.flags.max(theirs.flags);
    mine.completed = mine.completed.max(theirs.completed);
    let instants: [(&mut Option<DeviceTime>, Option<DeviceTime>); 15] = [
        (&mut mine.vsync, theirs.vsync),
        (&mut mine.oldest_input, theirs.oldest_input),
        (&mut mine.handle_input, theirs.handle_input),
        (&mut mine.animation, theirs.animation),
        (&mut mine.traversals, theirs.traversals),
        (&mut mine.draw, theirs.draw),
        (&mut mine.sync_queued, theirs.sync_queued),
        (&mut mine.issue, theirs.issue),
        (&mut mine.swap_completed, theirs.swap_completed),
        (&mut mine.submitted, theirs.submitted),
        (&mut mine.gpu_completed, theirs.gpu_completed),
        (&mut mine.deadline, theirs.deadline),
        (&mut mine.displayed, theirs.displayed),
        (&mut mine.started, theirs.started),
        (&mut mine.swap, theirs.swap),
    ];
    instants.into_iter().for_each(|(mine, theirs)| later(mine, theirs));
    let spans: [(&mut Option<Span>, Option<Span>); 4] = [
        (&mut mine.interval, theirs.interval),
        (&mut mine.workload, theirs.workload),
        (&mut mine.dequeue, theirs.dequeue),
        (&mut mine.queue, theirs.queue),
    ];
    spans.into_iter().for_each(|(mine, theirs)| later(mine, theirs));
}

/// Why frames of a motion may be missing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    /// No dump shows any.
    NoFrame,
    /// The last dump was taken so long before it ended.
    DumpedBefore(Span),
    /// What it drew first was overwritten before a dump was taken: so much of it.
    Overwritten(Span),
    /// Two dumps have no frame in common.
    Apart,
}

impl Doubt {
    fn words(self) -> String {
        match self {
            Doubt::NoFrame => "no dump shows a frame of this window".to_owned(),
            Doubt::DumpedBefore(by) => {
                format!("the last dump was taken {:.0} ms before the motion ended", by.ms())
            }
            Doubt::Overwritten(first) => {
                format!("the ring no longer held the first {:.0} ms of the motion", first.ms())
            }
            Doubt::Apart => {
                "two dumps show no frame in common: the ring of 120 frames went round or was cleared \
                             between them"
                    .to_owned()
            }
        }
    }
}
