//! The slow end of a fling: gaps of a list that moves by whole pixels, and by less than one in each refresh.
//!
//! Android's lists move by whole pixels: where none was passed, nothing is drawn. A fling with `k` px to go needs `c
//! k^0.424` s for them, with `c = (4.866 dpi)^-0.424`: 59 ms at 160 dpi, 33 ms at 640. So its last frames lie ever
//! further apart, up to `c`, and nobody can see a hitch there (docs/touches.md). Must not know evidence or metrics.
//! Integer ns.

use crate::cut_rules::AMBIGUOUS_FLING_GAP;
use crate::frame::Frame;
use crate::lattice;
use crate::motion::{Motion, Phase};
use crate::time::{DeviceTime, Span};
use crate::timeline::FrameTimeline;

/// Longest time over the last pixel, `c`; also from one refresh without a new pixel to the next such one.
const PIXEL: Span = Span::from_ms(60);
/// Longest such time before the last one: the last pixel but one takes a third of `c`.
const SECOND: Span = Span::from_ms(30);
/// So long before its rest a list passes less than a pixel in a refresh at the earliest.
const REACH: Span = Span::from_ms(200);
/// A list that shows nothing for so long has come to rest.
const RESTED: Span = Span::from_ms(100);
/// Fewest frames at the app's usual pace that show that the list was not slow before them.
const ROW: usize = 3;

/// What a gap near the end of a fling looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slow {
    /// As those of a list that comes to rest.
    Rests,
    /// The same, but a finger may have caught it before its rest.
    Caught,
    /// Longer than any of them: a stall, of which a part may be such a gap.
    Long,
}

/// The gaps near the ends of flings, by the present they begin with.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlowEnds(Vec<(DeviceTime, Slow)>);

impl SlowEnds {
    /// Finds them. `motions` are sorted; `usual` is the length of a frame at the app's own pace, in vsyncs.
    pub(crate) fn new(timeline: &FrameTimeline, motions: &[Motion], usual: i64) -> SlowEnds {
        let mut found = Vec::new();
        for (index, motion) in motions.iter().enumerate().filter(|(_, motion)| motion.phase == Phase::Fling) {
            let touches = |next: &&Motion| matches!(next.phase, Phase::Finger | Phase::Scroll);
            let finger = motions[index + 1..].iter().find(touches).map(|next| next.from);
            let rests = rests(timeline, motion, finger).into_iter();
            for (last, rests) in
                rests.filter(|(last, _)| is_quick_before(timeline, motion.from, *last, usual))
            {
                walk(timeline, motion.from, last, usual, |from, is_long| {
                    found.push((from, if is_long { Slow::Long } else { rests }));
                });
            }
        }
        found.sort_by_key(|(from, _)| *from);
        SlowEnds(found)
    }

    /// What the gap of a fling that begins with this present looks like; none where it is an ordinary one.
    pub(crate) fn of(&self, from: DeviceTime) -> Option<Slow> {
        let at = self.0.binary_search_by_key(&from, |(begins, _)| *begins).ok()?;
        Some(self.0[at].1)
    }
}

/// The last frames (indices) before each rest of a fling: where it paused and something redrew later, and its very
/// last. `finger` comes down next, at the earliest.
fn rests(timeline: &FrameTimeline, motion: &Motion, finger: Option<DeviceTime>) -> Vec<(usize, Slow)> {
    let frames = &timeline.frames;
    let pause = |at: usize| frames.get(at + 1).map(|next| next.present - frames[at].present);
    let begin = frames.partition_point(|frame| frame.present < motion.from);
    let end = frames.partition_point(|frame| frame.present <= motion.to);
    let Some(mut last) = end.checked_sub(1).filter(|last| *last >= begin) else { return Vec::new() };
    let paused = |at: &usize| pause(*at).is_some_and(|pause| pause > AMBIGUOUS_FLING_GAP);
    let mut found: Vec<(usize, Slow)> = (begin..last).filter(paused).map(|at| (at, Slow::Rests)).collect();
    // Past the bound or the end of the window it may go on.
    let goes_on = |at: usize| {
        let within = pause(at).is_some_and(|pause| pause < RESTED) && frames[at].present - motion.to < REACH;
        within && finger.is_none_or(|finger| frames[at + 1].present <= finger)
    };
    while goes_on(last) {
        last += 1;
    }
    let rests = pause(last).is_none_or(|pause| pause >= RESTED)
        && finger.is_none_or(|finger| finger - frames[last].present >= RESTED);
    found.push((last, if rests { Slow::Rests } else { Slow::Caught }));
    found
}

/// Whether the list drew at the app's usual pace until it came in reach of this rest: one that falls to a slower pace
/// long before is late there, too. A fling too short to tell may have been.
fn is_quick_before(timeline: &FrameTimeline, begin: DeviceTime, last: usize, usual: i64) -> bool {
    let reach = timeline.frames[last].present - REACH;
    let frames = &timeline.frames[..timeline.frames.partition_point(|frame| frame.present <= reach)];
    let before = frames.windows(2).rev().take_while(|pair| pair[0].present >= begin).take(ROW);
    let slower = |pair: &&[Frame]| {
        let (from, to) = (pair[0].present, pair[1].present);
        let period = timeline.periods.judging(from, to).map_or(0, Span::ns);
        period > 0 && lattice::vsyncs((to - from).ns(), period) > lattice::at_pace(usual)
    };
    before.filter(slower).count() < 2
}

/// Tells the gaps before a rest, from the last to the first, by their beginning and whether they are too long: none
/// that is in reach of the rest is longer by more than a frame than the one after it, and no row of frames at the usual
/// pace is between.
fn walk(
    timeline: &FrameTimeline,
    begin: DeviceTime,
    last: usize,
    usual: i64,
    mut tell: impl FnMut(DeviceTime, bool),
) {
    let frames = &timeline.frames;
    let reach = frames[last].present - REACH;
    let mut after = None;
    let mut row = (0, Span::ZERO);
    let mut slow = true;
    for pair in frames[..=last].windows(2).rev() {
        let (from, to) = (pair[0].present, pair[1].present);
        let lost = timeline.gaps.iter().any(|gap| gap.touches(from, to));
        if from < begin || to <= reach || !pair[1].follows || lost {
            return;
        }
        let length = to - from;
        let period = timeline.periods.judging(from, to).map_or(0, Span::ns);
        if period <= 0 {
            return;
        }
        let frame = Span::from_ns(usual.saturating_mul(period));
        if lattice::vsyncs(length.ns(), period) <= lattice::at_pace(usual) {
            row = (row.0 + 1, row.1 + length);
            slow &= row.0 < ROW || row.1 <= PIXEL;
            after = Some(length);
            continue;
        }
        row = (0, Span::ZERO);
        // What the app's pace and the fences' noise may add.
        let grows = after.is_none_or(|after: Span| length <= after + frame + Span::from_ns(period / 4));
        if length > PIXEL + frame {
            tell(from, true);
        } else if slow && grows && from >= reach && (after.is_none() || length <= SECOND + frame) {
            tell(from, false);
            after = Some(length);
        }
    }
}
