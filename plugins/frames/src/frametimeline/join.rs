//! Joins what was gathered into frames: displays to surfaces, expected to actual, every time on CLOCK_MONOTONIC in ns.
//!
//! The trace tells when an app's frame was due (its deadline) but not when it should have been shown: the display frame
//! that did show it has an expectation of its own, which is one vsync later where the app missed its turn. What was
//! expected of the app's frame is found like this: Android 16 tells the delay. Else the deadline is when the compositor
//! was to begin, so the frame was expected at its deadline plus what the compositor is given for its work, as the
//! display frames around tell. That allowance changes with the compositor's mood, so among those seen the one is taken
//! that puts the frame where the platform says it was: on time, or late by whole refreshes.

use super::clocks::Clocks;
use super::events::ActualFrame;
use super::gather::{AppFrame, DROPPED, Display, Gathered, Key, Moment, Slice};
use farmjank_results::frame_timeline::{
    PRESENT_THRESHOLD, Prediction, PresentType, Severity, SurfaceFrame, jank,
};
use farmjank_results::time::{DeviceTime, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Allowances this near to each other are the same, ns.
const SAME: i64 = 300_000;
/// A late frame this near to whole periods after an estimate is on the grid, ns: fences jitter, predictions are made
/// anew.
const GRID: u64 = 1_000_000;
/// Refresh periods a phone can have, ns.
const PERIODS: std::ops::RangeInclusive<i64> = 2_000_000..=100_000_000;
/// Display frames around one that tell its period.
const AROUND: usize = 16;
/// Longest delay taken at its word, ms.
const LONGEST_DELAY: f32 = 60_000.0;

/// A display frame on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Begin and present as expected.
    pub expected: Option<(i64, i64)>,
    /// When it was shown; none for a fence that never told.
    pub present: Option<i64>,
    /// Bits of `JankType`.
    pub jank: u32,
}

/// Display frames, ready to be asked.
pub struct Displays {
    by_token: BTreeMap<i64, Shown>,
    /// Begin and present as expected, in order.
    expected: Vec<(i64, i64)>,
    /// Presents, in order.
    presents: Vec<i64>,
}

/// Turns a slice to CLOCK_MONOTONIC.
pub fn slice(clocks: &Clocks, (from, to): Slice) -> Option<(i64, i64)> {
    let (from, to) = (instant(clocks, from)?, instant(clocks, to)?);
    (from <= to).then_some((from, to))
}

/// Turns an instant to CLOCK_MONOTONIC. Where no snapshot tells any clock, it is taken as it is.
pub fn instant(clocks: &Clocks, moment: Moment) -> Option<i64> {
    if clocks.known() { clocks.monotonic(moment.clock, moment.at) } else { Some(moment.at) }
}

impl Displays {
    /// From what was gathered.
    pub fn new(gathered: &Gathered) -> Displays {
        let shown = |display: &Display| {
            let actual = display.actual.as_ref();
            let dropped = actual.is_some_and(|(_, told)| told.present_type == DROPPED);
            Shown {
                expected: display.expected.and_then(|expected| slice(&gathered.clocks, expected)),
                // A fence without a time ends its slice before it began.
                present: actual
                    .filter(|_| !dropped)
                    .and_then(|(actual, _)| slice(&gathered.clocks, *actual))
                    .map(|(_, present)| present),
                jank: actual.map_or(0, |(_, told)| told.jank),
            }
        };
        let by_token: BTreeMap<i64, Shown> =
            gathered.displays.iter().map(|(token, display)| (*token, shown(display))).collect();
        let mut expected: Vec<(i64, i64)> = by_token.values().filter_map(|shown| shown.expected).collect();
        expected.sort_unstable();
        let mut presents: Vec<i64> = by_token.values().filter_map(|shown| shown.present).collect();
        presents.sort_unstable();
        Displays { by_token, expected, presents }
    }

    /// First and last present.
    pub fn reach(&self) -> Option<(i64, i64)> {
        self.presents.first().copied().zip(self.presents.last().copied())
    }

    /// The last present up to which every frame is told, given the display frames something of which is missing: the
    /// newest one may have lost its last packet, as a writer hands a packet over with the next one.
    pub(crate) fn whole_to(&self, halves: impl Iterator<Item = i64>) -> Option<i64> {
        let newest = self.presents.last().copied()?;
        let hurt = |token: i64| self.get(token).and_then(|shown| shown.present) == Some(newest);
        let whole = self.presents.partition_point(|present| *present < newest);
        if halves.into_iter().any(hurt) { self.presents[..whole].last().copied() } else { Some(newest) }
    }

    /// The display frame of this token.
    pub fn get(&self, token: i64) -> Option<&Shown> {
        self.by_token.get(&token)
    }

    /// Period near an instant: the middle one of the steps between presents around it that are like the one a quarter
    /// up, as refreshes without a frame only make steps longer.
    pub fn period(&self, at: i64) -> Option<i64> {
        let near = around(&self.presents, self.presents.partition_point(|present| *present < at));
        let steps = near.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
        let mut steps: Vec<i64> = steps.filter(|step| PERIODS.contains(step)).collect();
        steps.sort_unstable();
        let like = *steps.get(steps.len() / 4)?;
        steps.retain(|step| step.abs_diff(like) <= like.unsigned_abs() / 4);
        steps.get(steps.len() / 2).copied()
    }

    /// Period of the whole trace: the middle one of those around display frames, of up to 128 spread over it.
    pub(crate) fn common_period(&self) -> Option<i64> {
        let some = self.presents.iter().step_by(self.presents.len().div_ceil(128).max(1));
        let mut periods: Vec<i64> = some.filter_map(|at| self.period(*at)).collect();
        periods.sort_unstable();
        periods.get(periods.len() / 2).copied()
    }

    /// What the compositor was given for its work around a deadline: the middle value, then every other that is not one
    /// of a kind (SurfaceFlinger starts earlier while fingers move and where the GPU composes).
    fn allowances(&self, deadline: i64) -> Vec<i64> {
        let near = around(&self.expected, self.expected.partition_point(|(begin, _)| *begin < deadline));
        let mut all: Vec<i64> = near.iter().map(|(begin, present)| present.saturating_sub(*begin)).collect();
        all.sort_unstable();
        let Some(middle) = all.get(all.len() / 2).copied() else { return Vec::new() };
        let kinds = all.windows(2).filter(|pair| pair[1].abs_diff(pair[0]) <= SAME.unsigned_abs());
        let others = kinds.map(|pair| pair[0]).filter(|kind| kind.abs_diff(middle) > SAME.unsigned_abs());
        let mut kinds: Vec<i64> = others.collect();
        kinds.dedup_by(|later, earlier| later.abs_diff(*earlier) <= SAME.unsigned_abs());
        kinds.insert(0, middle);
        kinds
    }

    /// When a frame should have been shown: see the head of this file.
    fn expected_present(
        &self,
        shown: Option<&Shown>,
        deadline: Option<i64>,
        told: &ActualFrame,
    ) -> Option<i64> {
        let delay = told.present_delay_ms.filter(|ms| *ms != 0.0 && ms.abs() < LONGEST_DELAY);
        let present = shown.and_then(|shown| shown.present);
        if let Some((present, ms)) = present.zip(delay) {
            return Some(present.saturating_sub((f64::from(ms) * 1e6).round() as i64));
        }
        // An app whose prediction expired was expected at no time anybody remembers.
        let deadline = deadline?;
        let vsync = shown.and_then(|shown| shown.expected).map(|(_, vsync)| vsync);
        let estimates: Vec<i64> = self
            .allowances(deadline)
            .into_iter()
            .map(|allowance| deadline.saturating_add(allowance))
            .collect();
        let usual = estimates.first().copied().or(vsync);
        let (Some(present), kind) = (present, present_type(told.present_type)) else { return usual };
        let near = |at: &i64| at.abs_diff(present) <= PRESENT_THRESHOLD.ns().unsigned_abs();
        match kind {
            PresentType::OnTime => return usual.filter(near).or(vsync.filter(near)).or(Some(present)),
            PresentType::Late | PresentType::Early => {}
            PresentType::Dropped | PresentType::Unknown => return usual,
        }
        let Some(period) = self.period(present) else { return usual };
        let agrees = |at: &i64| !near(at) && (*at < present) == (kind == PresentType::Late);
        // The platform says itself when a frame came off the grid; and one allowance leaves nothing to choose.
        let anywhere = estimates.len() == 1 || told.jank & jank::PREDICTION_ERROR != 0;
        let on_grid = |at: &i64| anywhere || steps(present, *at, period).1 <= GRID;
        let found = estimates.iter().find(|at| agrees(at) && on_grid(at)).copied();
        found.or_else(|| {
            let whole = steps(present, usual?, period).0;
            let whole = if kind == PresentType::Late { whole.max(1) } else { whole.min(-1) };
            Some(present.saturating_sub(period.saturating_mul(whole)))
        })
    }
}

/// The neighbours of a place.
fn around<T>(all: &[T], here: usize) -> &[T] {
    &all[here.saturating_sub(AROUND)..(here + AROUND).min(all.len())]
}

/// Whole periods from one instant to a later one, rounded half up, and how far off that is, ns.
fn steps(present: i64, expected: i64, period: i64) -> (i64, u64) {
    let time = i128::from(present) - i128::from(expected);
    let period = i128::from(period);
    let whole = (2 * time + period).div_euclid(2 * period);
    (whole as i64, (time - whole * period).unsigned_abs() as u64)
}

/// `PresentType` of a late frame.
const LATE: u64 = 2;

fn present_type(number: u64) -> PresentType {
    match number {
        1 => PresentType::OnTime,
        LATE => PresentType::Late,
        3 => PresentType::Early,
        DROPPED => PresentType::Dropped,
        _ => PresentType::Unknown,
    }
}

/// One frame of an app; none where it has no actual slice or its times cannot be told.
pub fn frame(
    gathered: &Gathered,
    displays: &Displays,
    (key, frame): (&Key, &AppFrame),
) -> Option<SurfaceFrame> {
    let (actual, display_token, told) = frame.actual?;
    let (actual_start, actual_end) = slice(&gathered.clocks, actual)?;
    let expected = frame.expected.and_then(|expected| slice(&gathered.clocks, expected));
    let shown = displays.get(display_token);
    let present_type = present_type(told.present_type);
    let dropped = present_type == PresentType::Dropped;
    let present = shown.and_then(|shown| shown.present).filter(|_| !dropped);
    let expected_present = displays.expected_present(shown, expected.map(|(_, deadline)| deadline), &told);
    let at = DeviceTime::from_ns;
    Some(SurfaceFrame {
        token: key.1,
        display_token: (display_token != 0 && !dropped).then_some(display_token),
        pid: key.0,
        layer: key.2.clone(),
        expected_start: expected.map(|(start, _)| at(start)),
        expected_end: expected.map(|(_, end)| at(end)),
        actual_start: at(actual_start),
        actual_end: at(actual_end),
        expected_present: expected_present.map(at),
        present: present.map(at),
        present_type,
        on_time_finish: told.on_time_finish,
        jank: told.jank,
        display_jank: shown.map_or(0, |shown| shown.jank),
        prediction: match told.prediction {
            1 => Prediction::Valid,
            2 => Prediction::Expired,
            _ => Prediction::Unknown,
        },
        is_buffer: told.is_buffer,
        severity: match told.severity {
            1 => Severity::None,
            2 => Severity::Partial,
            3 => Severity::Full,
            _ => Severity::Unknown,
        },
        first_draw: false,
    })
}

/// Marks the first frame of each window that was surely opened while the trace ran: one of a process that a scan at the
/// beginning did not find. A layer of any other process may only have been quiet until now. `frames` are in order of
/// time.
pub(crate) fn mark_first_draws(frames: &mut [SurfaceFrame], scanned: &BTreeSet<i32>) {
    let mut layers: BTreeSet<(i32, Rc<str>)> = BTreeSet::new();
    for frame in frames {
        let born = !scanned.is_empty() && !scanned.contains(&frame.pid);
        frame.first_draw = born && layers.insert((frame.pid, frame.layer.clone()));
    }
}

/// When a frame is counted: shown, or dropped.
pub fn when(frame: &SurfaceFrame) -> DeviceTime {
    frame.present.unwrap_or(frame.actual_end)
}

/// A span of this many ns, if it is one.
pub fn span(ns: Option<i64>) -> Option<Span> {
    ns.map(Span::from_ns)
}
