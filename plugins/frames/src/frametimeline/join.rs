//! Joins what was gathered into frames: displays to surfaces, expected to actual, every time on CLOCK_MONOTONIC in ns.
//!
//! The trace tells when an app's frame was due (its deadline) but not when it should have been shown: the display frame that
//! did show it has an expectation of its own, which is one vsync later where the app missed its turn. What was expected
//! of the app's frame is found like this: Android 16 tells the delay; a frame on time was expected when its display
//! frame was; a late one was aimed at the display frame that was to begin at the app's deadline, and, where no such frame
//! was made, at the vsync of the display's grid nearest to the deadline plus what the compositor takes.

use super::clocks::Clocks;
use super::events::Told;
use super::gather::{DROPPED, Display, Drawn, Gathered, Key, Moment, Slice};
use farmjank_results::lateness::{PRESENT_THRESHOLD, Prediction, PresentType, Severity, SurfaceFrame};
use farmjank_results::time::{DeviceTime, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How far the begin of a display frame may lie from the deadline of the frames aimed at it: predictions are made anew.
const AIM: i64 = 1_000_000;
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
    /// Presents as expected, in order.
    grid: Vec<i64>,
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
        let mut grid: Vec<i64> = expected.iter().map(|(_, present)| *present).collect();
        grid.sort_unstable();
        Displays { by_token, expected, grid }
    }

    /// First and last present.
    pub fn reach(&self) -> Option<(i64, i64)> {
        let presents = || self.by_token.values().filter_map(|shown| shown.present);
        presents().min().zip(presents().max())
    }

    /// The display frame of this token.
    pub fn get(&self, token: i64) -> Option<&Shown> {
        self.by_token.get(&token)
    }

    /// Period of the grid near an instant: the shortest step between presents expected around it.
    pub fn period(&self, at: i64) -> Option<i64> {
        let here = self.grid.partition_point(|present| *present < at);
        let near = &self.grid[here.saturating_sub(AROUND)..(here + AROUND).min(self.grid.len())];
        near.windows(2)
            .map(|pair| pair[1].saturating_sub(pair[0]))
            .filter(|step| PERIODS.contains(step))
            .min()
    }

    /// Period of the whole trace: the middle one of those around each display frame.
    pub fn common_period(&self) -> Option<i64> {
        let mut periods: Vec<i64> = self.grid.iter().filter_map(|at| self.period(*at)).collect();
        periods.sort_unstable();
        periods.get(periods.len() / 2).copied()
    }

    /// The display frame nearest to begin at this deadline as expected.
    fn aimed(&self, deadline: i64) -> Option<(i64, i64)> {
        let after = self.expected.partition_point(|(begin, _)| *begin < deadline);
        let around = after.checked_sub(1).and_then(|index| self.expected.get(index)).into_iter();
        around.chain(self.expected.get(after)).copied().min_by_key(|(begin, _)| begin.abs_diff(deadline))
    }

    /// When a frame should have been shown: see the head of this file.
    fn expected_present(&self, shown: &Shown, deadline: Option<i64>, told: &Told) -> Option<i64> {
        let delay = told.present_delay_ms.filter(|ms| *ms != 0.0 && ms.abs() < LONGEST_DELAY);
        if let Some((present, ms)) = shown.present.zip(delay) {
            return Some(present.saturating_sub((f64::from(ms) * 1e6).round() as i64));
        }
        // An app whose prediction expired was expected at no time anybody remembers.
        let deadline = deadline?;
        // Where the compositor's own prediction expired, only the app's is left.
        let Some((_, vsync)) = shown.expected else { return self.estimate(deadline) };
        let present = shown.present.unwrap_or(vsync);
        let in_time = present.abs_diff(vsync) <= PRESENT_THRESHOLD.ns().unsigned_abs();
        match present_type(told.present_type) {
            PresentType::OnTime if in_time => return Some(vsync),
            PresentType::OnTime => return Some(present),
            PresentType::Late | PresentType::Early => {}
            PresentType::Dropped | PresentType::Unknown => return self.estimate(deadline),
        }
        let (begin, aimed) = self.aimed(deadline)?;
        if begin.abs_diff(deadline) <= AIM.unsigned_abs() && fits(told, present, aimed) {
            return Some(aimed);
        }
        let estimate = deadline.saturating_add(aimed.saturating_sub(begin));
        let Some(period) = self.period(vsync) else { return Some(estimate) };
        let mut steps = rounded(vsync.saturating_sub(estimate), period);
        // A display frame in time cannot make its frames late or early: they were aimed at another.
        if in_time && told.present_type == LATE {
            steps = steps.max(1);
        } else if in_time {
            steps = steps.min(-1);
        }
        Some(vsync.saturating_sub(period.saturating_mul(steps)))
    }

    /// The deadline and what the compositor takes, as far as its frames around tell.
    fn estimate(&self, deadline: i64) -> Option<i64> {
        let (begin, present) = self.aimed(deadline)?;
        Some(deadline.saturating_add(present.saturating_sub(begin)))
    }
}

/// `PresentType` of a late frame.
const LATE: u64 = 2;

/// Whether an expectation agrees with what the platform says of the frame.
fn fits(told: &Told, present: i64, expected: i64) -> bool {
    let delta = present.saturating_sub(expected);
    if told.present_type == LATE { delta > 0 } else { delta < 0 }
}

fn rounded(time: i64, period: i64) -> i64 {
    let (time, period) = (i128::from(time), i128::from(period));
    (2 * time + period).div_euclid(2 * period) as i64
}

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
pub fn frame(gathered: &Gathered, displays: &Displays, (key, drawn): (&Key, &Drawn)) -> Option<SurfaceFrame> {
    let (actual, display_token, told) = drawn.actual?;
    let (actual_start, actual_end) = slice(&gathered.clocks, actual)?;
    let expected = drawn.expected.and_then(|expected| slice(&gathered.clocks, expected));
    let shown = displays.get(display_token);
    let present_type = present_type(told.present_type);
    let dropped = present_type == PresentType::Dropped;
    let (present, expected_present) = match shown {
        Some(shown) => {
            let deadline = expected.map(|(_, deadline)| deadline);
            (shown.present.filter(|_| !dropped), displays.expected_present(shown, deadline, &told))
        }
        None => (None, expected.and_then(|(_, deadline)| displays.estimate(deadline))),
    };
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

/// Marks the first frame of each window that was opened while the trace ran: one of a process that was shown before in
/// another layer, or that a scan at the beginning did not find. `frames` are in order of time.
pub fn mark_first_draws(frames: &mut [SurfaceFrame], scanned: &BTreeSet<i32>) {
    let mut layers: BTreeSet<(i32, Rc<str>)> = BTreeSet::new();
    let mut processes: BTreeSet<i32> = BTreeSet::new();
    for frame in frames {
        let known = !processes.insert(frame.pid);
        let new_layer = layers.insert((frame.pid, frame.layer.clone()));
        let born = !scanned.is_empty() && !scanned.contains(&frame.pid);
        frame.first_draw = new_layer && (known || born);
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
