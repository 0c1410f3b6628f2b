//! Stitching: successive dumps of one ring become one timeline (docs/design/stitching.md). Times in ns.
//!
//! Frames are merged *by set* of present time, never by a watermark: a frame that resolves after its successors is not
//! lost. A dump shows an unbroken stretch of its ring, so two neighbouring frames are proved neighbours when some dump
//! shows both (pending rows count where they stand, once a later dump says when they were presented). Neighbours that
//! no dump shows together have a gap between them. That makes the result independent of the order of the dumps and of
//! repeated dumps. Must not know where dumps come from. One [`Stitch`] per ring: two layers are never mixed.

use crate::fit::{fit, plausible};
use crate::frame::{Frame, Row, Sample, Stamp};
use crate::pending::{Memory, Resolved};
use crate::period::Report;
use crate::time::{DeviceTime, Span};
use crate::timeline::{FrameTimeline, Gap, GapCause, RowCounts};

/// What is known about the phone before any dump is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StitchRules {
    /// Refresh rates the display offers, Hz; empty when unknown.
    pub modes: Vec<f64>,
    /// Refresh periods pinned by the user, each from an instant on (from ever, where none); empty when not pinned.
    pub pins: Vec<(Option<DeviceTime>, Span)>,
}

/// Display frames the newer engine of SurfaceFlinger keeps.
const HISTORY: u32 = 64;

/// A frame while stitching. `frame.follows`: some dump shows it together with its predecessor.
#[derive(Clone, Copy)]
struct Known {
    frame: Frame,
    /// It was the oldest row of a dump whose ring had empty slots: the ring began with it.
    began: bool,
}

/// The stitching of one ring. Dumps may be added in any order, and more than once.
/// The fields after the second are what dumps told so far.
#[derive(Default)]
pub struct Stitch {
    rules: StitchRules,
    known: Vec<Known>,
    memory: Memory,
    reports: Vec<Report>,
    asked: Vec<DeviceTime>,
    /// Stamps of dumps that found empty slots and not one frame shown.
    emptied: Vec<DeviceTime>,
    /// Dumps that show what was there when they were asked for: when, and their newest present where the engine may
    /// keep newer ones back.
    looks: Vec<(DeviceTime, Option<DeviceTime>)>,
    row_counts: RowCounts,
    /// Its presents are instants of completion.
    completions: bool,
}

impl Stitch {
    /// An empty stitching.
    pub fn new(rules: StitchRules) -> Self {
        Stitch { rules, ..Stitch::default() }
    }

    /// The same dumps by other rules.
    pub fn by(self, rules: StitchRules) -> Self {
        Stitch { rules, ..self }
    }

    /// Frames known so far.
    pub fn frames_seen(&self) -> usize {
        self.known.len()
    }

    /// Newest present known so far.
    pub fn newest(&self) -> Option<DeviceTime> {
        self.known.last().map(|known| known.frame.present)
    }

    /// Adds one dump.
    pub fn add(&mut self, sample: &Sample) {
        self.row_counts.samples += 1;
        self.row_counts.zero_rows += u64::from(sample.zero_rows);
        self.row_counts.invalid_rows += u64::from(sample.invalid_rows);
        self.row_counts.ignored_rows += u64::from(sample.ignored_rows);
        self.completions |= sample.completions;
        let mut rows: Vec<(DeviceTime, &Row)> = Vec::with_capacity(sample.rows.len());
        let mut pending: Vec<&Row> = Vec::new();
        for row in &sample.rows {
            match row.present {
                Stamp::At(present) => rows.push((present, row)),
                Stamp::Pending => pending.push(row),
            }
        }
        self.row_counts.pending_rows += pending.len() as u64;
        if !rows.is_sorted_by_key(|(present, _)| *present) {
            rows.sort_by_key(|(present, _)| *present);
        }
        let reach = rows.first().zip(rows.last()).map(|(lo, hi)| (lo.0, hi.0));
        self.note_stamps(sample, reach);
        if !pending.is_empty() {
            self.memory.remember(self.row_counts.samples, &pending, reach, sample.asked);
        }
        if let Some(reach) = reach {
            self.merge(&rows, reach, sample.zero_rows > 0);
        }
    }

    /// When the dump was taken, and which period it reports.
    fn note_stamps(&mut self, sample: &Sample, reach: Option<(DeviceTime, DeviceTime)>) {
        let newest = reach.map(|(_, newest)| newest);
        let at = sample.asked.max(newest).or(sample.answered);
        if let Some((at, period)) = at.zip(sample.period).filter(|(_, period)| plausible(*period)) {
            self.reports.push(Report { at, period });
        }
        let Some(asked) = sample.asked else { return };
        self.asked.push(asked);
        if sample.zero_rows > 0 && newest.is_none() {
            self.emptied.push(asked);
        }
        // Without a single row the ring was cleared, died or aged out: what it would have shown before is unknown.
        let shows = !sample.rows.is_empty() || (sample.zero_rows > 0 && self.known.is_empty());
        // Of a ring that was overwritten whole before it was read, nobody knows what it held when it was asked for.
        let overtaken = sample.zero_rows == 0 && reach.is_some_and(|(oldest, _)| oldest > asked);
        if shows && !overtaken {
            let short = sample.capacity == HISTORY && sample.zero_rows == 0;
            self.looks.push((asked, newest.filter(|_| short)));
        }
    }

    /// The instants, in order, up to which some dump saw what was shown. The 64-frame engine walks its history from the
    /// oldest entry, and no further than the layer has frames since it was made or cleared: a young layer's newest
    /// frames stay hidden behind those of other layers (docs/design/phones.md#the-engine-with-64-frames).
    fn seen(&self) -> Vec<DeviceTime> {
        let before = |at: DeviceTime| self.known.partition_point(|known| known.frame.present < at);
        let seen = |(asked, newest): &(DeviceTime, Option<DeviceTime>)| match newest {
            Some(newest) => {
                let all = before(*asked);
                let shown = before(*newest + Span::from_ns(1));
                if shown >= all && all >= HISTORY as usize { *asked } else { *newest }
            }
            None => *asked,
        };
        let mut instants: Vec<DeviceTime> = self.looks.iter().map(seen).collect();
        instants.sort_unstable();
        instants
    }

    /// The instant from which frames were visible: that of the oldest known frame, or that of the first dump where
    /// there is none. A full ring has overwritten what was before, a dump may take long, and a ring that was empty may
    /// have been filled and cleared in between.
    fn watched_from(&self) -> Option<DeviceTime> {
        let asked = *self.asked.first()?;
        Some(self.known.first().map_or(asked, |oldest| oldest.frame.present))
    }

    /// Merges sorted rows of one dump; everything within `reach` is one unbroken stretch. `began`: the ring had empty
    /// slots, so it began with the oldest of them.
    fn merge(&mut self, rows: &[(DeviceTime, &Row)], reach: (DeviceTime, DeviceTime), began: bool) {
        let start = self.known.partition_point(|known| known.frame.present < reach.0);
        let mut at = start;
        let mut fresh: Vec<Known> = Vec::new();
        for (nth, (present, row)) in rows.iter().enumerate() {
            while self.known.get(at).is_some_and(|known| known.frame.present < *present) {
                at += 1;
            }
            let known = self.known.get_mut(at).filter(|known| known.frame.present == *present);
            match known.or(fresh.last_mut().filter(|known| known.frame.present == *present)) {
                Some(known) => {
                    self.row_counts.duplicate_rows += 1;
                    if (known.frame.desired, known.frame.ready, known.frame.intended)
                        != (row.desired, row.ready, row.intended)
                    {
                        self.memory.alias(&known.frame, &frame_of(row, *present));
                        absorb(&mut known.frame, row);
                    }
                    known.began |= began && *present == reach.0;
                }
                None => {
                    if fresh.capacity() == 0 {
                        fresh.reserve_exact(rows.len() - nth);
                    }
                    fresh.push(Known { frame: frame_of(row, *present), began: began && *present == reach.0 });
                }
            }
        }
        self.insert(fresh);
        let within = self.known[start..].iter_mut().take_while(|known| known.frame.present <= reach.1);
        within.filter(|known| known.frame.present > reach.0).for_each(|known| known.frame.follows = true);
    }

    /// Inserts sorted frames whose presents are not known yet; mostly they are newer than all that is.
    fn insert(&mut self, fresh: Vec<Known>) {
        let Some(first) = fresh.first().map(|known| known.frame.present) else { return };
        let at = self.known.partition_point(|known| known.frame.present < first);
        let mut old = self.known.split_off(at).into_iter().peekable();
        for mut new in fresh {
            while let Some(known) = old.next_if(|known| known.frame.present < new.frame.present) {
                self.known.push(known);
            }
            // Where its successor is proved to follow its predecessor, so does what lies between them.
            new.frame.follows = old.peek().is_some_and(|next| next.frame.follows);
            self.known.push(new);
        }
        self.known.extend(old);
    }

    /// The timeline: frames in order, gaps between what no dump proves adjacent, periods fitted.
    pub fn finish(mut self) -> FrameTimeline {
        let Resolved { spans, lost } =
            self.memory.resolve(self.row_counts.samples, self.known.iter().map(|known| &known.frame));
        self.row_counts.unresolved_pending = lost.count;
        for (from, to) in spans {
            let first = self.known.partition_point(|known| known.frame.present <= from);
            for known in self.known[first..].iter_mut().take_while(|known| known.frame.present <= to) {
                known.frame.follows = true;
            }
        }
        if let Some(first) = self.known.first_mut() {
            first.frame.follows = false;
        }
        self.reports.sort_by_key(|report| report.at);
        let presents: Vec<DeviceTime> = self.known.iter().map(|known| known.frame.present).collect();
        let periods = fit(&presents, &self.reports, &self.rules.modes, &self.rules.pins);
        let shortest = self.shortest(periods.shortest());
        self.drop_short(shortest);
        let seen = self.seen();
        let gaps = self.breaks(&seen);
        self.asked.sort_unstable();
        let silences = self.asked.windows(2).map(|pair| pair[1] - pair[0]);
        self.row_counts.longest_silence = silences.max().unwrap_or(Span::ZERO);
        let (watched_from, watched_to) = (self.watched_from(), seen.last().copied());
        let mut timeline = FrameTimeline {
            frames: self.known.into_iter().map(|known| known.frame).collect(),
            periods,
            gaps,
            row_counts: self.row_counts,
            watched_from,
            watched_to,
            told_to: None,
        };
        for (after, before) in lost.places {
            let inside = |gap: &Gap| {
                gap.after.is_some()
                    && gap.after <= after
                    && gap.before.is_some()
                    && gap.before >= before
                    && before.is_some()
            };
            if !timeline.gaps.iter().any(inside) {
                timeline.add_gap(Gap { after, before, cause: GapCause::Unresolved });
            }
        }
        timeline
    }

    /// The shortest period the phone has shown; what the user pins is the whole truth.
    fn shortest(&self, of_segments: Option<Span>) -> Option<Span> {
        if !self.rules.pins.is_empty() {
            return of_segments;
        }
        let modes = self.rules.modes.iter().filter(|hz| hz.is_finite() && **hz > 0.0);
        let modes = modes.map(|hz| Span::from_ns((1e9 / hz) as i64)).filter(|period| plausible(*period));
        self.reports.iter().map(|report| report.period).chain(modes).chain(of_segments).min()
    }

    /// Two presents closer than half the shortest period are one refresh reported twice: drops the later. Completions
    /// of frames drawn for different vsyncs are two frames: a renderer that was held up completes at once what waited
    /// for it.
    fn drop_short(&mut self, shortest: Option<Span>) {
        let Some(shortest) = shortest else { return };
        let before = self.known.len();
        let completions = self.completions;
        let mut last: Option<(DeviceTime, Option<DeviceTime>)> = None;
        let mut broken = false;
        self.known.retain_mut(|known| {
            let own = known.frame.intended;
            let again = |(last, drawn_for): (DeviceTime, Option<DeviceTime>)| {
                let short = (known.frame.present - last).ns().saturating_mul(2) < shortest.ns();
                short && (!completions || own == drawn_for)
            };
            if last.is_some_and(again) {
                broken |= !known.frame.follows;
                return false;
            }
            known.frame.follows &= !broken;
            broken = false;
            last = Some((known.frame.present, own));
            true
        });
        self.row_counts.short_frames += (before - self.known.len()) as u64;
    }

    /// Gaps between neighbours that no dump shows together: from the last of them, or the last dump before the next
    /// that showed nothing newer.
    fn breaks(&mut self, seen: &[DeviceTime]) -> Vec<Gap> {
        let mut gaps = Vec::new();
        self.emptied.sort_unstable();
        for pair in self.known.windows(2).filter(|pair| !pair[1].frame.follows) {
            let (last, next) = (pair[0].frame.present, pair[1].frame.present);
            // Full again by the time it showed a frame, and seen empty before that: it did not overflow, it was
            // emptied.
            let upon = |at: DeviceTime| self.emptied.partition_point(|emptied| *emptied <= at);
            let emptied = upon(last) < upon(next);
            let cause = if pair[1].began || emptied { GapCause::RingReset } else { GapCause::Overflow };
            match cause {
                GapCause::RingReset => self.row_counts.ring_resets += 1,
                _ => self.row_counts.loss_events += 1,
            }
            let looked = seen[..seen.partition_point(|at| *at < next)].last().copied();
            gaps.push(Gap { after: looked.max(Some(last)), before: Some(next), cause });
        }
        gaps
    }
}

fn frame_of(row: &Row, present: DeviceTime) -> Frame {
    Frame { present, desired: row.desired, ready: row.ready, intended: row.intended, follows: false }
}

/// Adds what another row says about the same refresh. Of two buffers, the later is the one on screen.
fn absorb(mine: &mut Frame, theirs: &Row) {
    if theirs.desired > mine.desired {
        (mine.desired, mine.ready) = (theirs.desired, theirs.ready);
    } else if theirs.desired == mine.desired {
        mine.ready = mine.ready.max(theirs.ready);
    }
    mine.intended = mine.intended.max(theirs.intended);
}
