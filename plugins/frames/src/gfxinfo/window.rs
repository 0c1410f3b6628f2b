//! One window's ring: its rows made a sample on one time base.
//!
//! Must not know: where the rows stand in a dump.

use super::columns::Cells;
use super::row::{FIRST_DRAW, RENDER_THREAD, Refused, SKIPPED, SURFACE_CANVAS, judge};
use crate::rhythm::Ring;
use farmjank_results::frame::{Row, Sample, Stamp};
use farmjank_results::framestats::{Aside, FrameStats, SetAside};
use farmjank_results::time::{DeviceTime, Span};
use std::fmt;

/// Rows whose DisplayPresentTime still belongs to earlier frames: HWUI writes it four frames late.
const STALE_ROWS: usize = 4;

/// Which column the presents of a window come from: one for a whole window, never mixed, so that intervals are
/// differences on one clock point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeBase {
    /// `FrameCompleted`: HWUI finished the frame (before Android 12 without the GPU). Always there.
    #[default]
    Completed,
    /// `DisplayPresentTime`: the display showed it. Only where the app listens for frame metrics (JankStats does):
    /// taken when at least nine in ten of the frames that are not among the newest four rows have it.
    Presented,
}

impl fmt::Display for TimeBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimeBase::Completed => "FrameCompleted",
            TimeBase::Presented => "DisplayPresentTime",
        })
    }
}

/// How many rows carry each flag, whatever else they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// First draw after a layout or visibility change; left out.
    pub first_draw: u32,
    /// Drawn by the render thread alone; counted.
    pub render_thread: u32,
    /// Drawn through `lockHardwareCanvas`; left out.
    pub surface_canvas: u32,
    /// Not presented; left out.
    pub skipped: u32,
}

/// One window of one process, read from a dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Process id; 0 where the dump does not say.
    pub pid: u32,
    /// Process name; empty where the dump does not say.
    pub process: String,
    /// Window title, with the `@hash` of its view root where known: unique and lasting.
    pub title: String,
    /// 0 visible, 4 invisible, 8 gone; `None` where the dump does not say.
    pub visibility: Option<u8>,
    /// Which column the presents come from.
    pub time_base: TimeBase,
    /// Rows by flag.
    pub classes: Classes,
    /// Frames HWUI counted for this window since its counters began.
    pub total_frames: Option<u64>,
    /// The ring. Frames are sorted by present; pending ones come last.
    pub sample: Sample,
}

impl Window {
    /// The name of the window's ring: `pid/title@hash (column of its presents)`. Rings of different time bases have
    /// different names, because their presents must not be stitched together.
    pub fn name(&self) -> String {
        format!("{}/{} ({})", self.pid, self.title, self.time_base)
    }

    /// Whether the window is on screen, as far as the dump says.
    pub fn visible(&self) -> bool {
        self.visibility.is_none_or(|visibility| visibility == 0)
    }

    /// When its newest frame was finished or shown.
    pub fn newest(&self) -> Option<DeviceTime> {
        self.sample.rows.iter().filter_map(at).max()
    }
}

/// Rows of a window while they are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    frames: Vec<FrameStats>,
    /// The place of each of them among the printed rows.
    places: Vec<usize>,
    aside: Vec<SetAside>,
    printed: usize,
    invalid: u32,
    ignored: u32,
    classes: Classes,
}

impl Rows {
    /// Takes the next printed row; `None` is one that could not be read as cells.
    pub fn push(&mut self, cells: Option<&Cells>, now: Option<i64>) {
        let place = self.printed;
        self.printed += 1;
        let Some(cells) = cells else {
            self.invalid += 1;
            return;
        };
        self.classify(cells);
        let Refused { why, intended } = match judge(cells, now) {
            Ok(frame) => {
                if self.frames.capacity() == 0 {
                    self.frames.reserve_exact(Ring::Framestats.rows() as usize);
                }
                self.frames.push(frame);
                self.places.push(place);
                return;
            }
            Err(refused) => refused,
        };
        match why {
            Aside::LeftOut => self.ignored += 1,
            Aside::Unreadable => self.invalid += 1,
        }
        self.aside.extend(intended.map(|at| SetAside { intended: DeviceTime::from_ns(at), why }));
    }

    fn classify(&mut self, cells: &Cells) {
        let flags = cells.get(super::columns::Column::Flags).unwrap_or(0);
        let count = |bit: i64| u32::from((0..=0xffff).contains(&flags) && flags & bit != 0);
        self.classes.first_draw += count(FIRST_DRAW);
        self.classes.render_thread += count(RENDER_THREAD);
        self.classes.surface_canvas += count(SURFACE_CANVAS);
        self.classes.skipped += count(SKIPPED);
    }

    /// Completes the window.
    pub fn finish(mut self, window: &mut Window) {
        let base = self.time_base();
        let fresh = self.printed.saturating_sub(STALE_ROWS);
        let mut sample = Sample {
            period: self.period(),
            zero_rows: self.unfilled(window.total_frames),
            invalid_rows: self.invalid,
            ignored_rows: self.ignored,
            capacity: (self.printed as u32).max(Ring::Framestats.rows()),
            completions: matches!(base, TimeBase::Completed),
            ..Sample::default()
        };
        sample.rows.reserve_exact(self.frames.len());
        for (place, frame) in self.places.iter().zip(&self.frames) {
            let present = match (base, frame.displayed) {
                (TimeBase::Completed, _) => Stamp::At(frame.completed),
                (TimeBase::Presented, _) if *place >= fresh => Stamp::Pending,
                (TimeBase::Presented, Some(shown)) => Stamp::At(shown),
                (TimeBase::Presented, None) => {
                    sample.invalid_rows += 1;
                    continue;
                }
            };
            let intended = Some(frame.intended);
            // The scheduled vsync also stands where a layer's row has the buffer's stamp: it identifies a pending
            // frame.
            sample.rows.push(Row { present, desired: intended, ready: frame.gpu_completed, intended });
        }
        for (place, frame) in self.places.iter().zip(&mut self.frames) {
            frame.displayed = frame.displayed.filter(|_| *place < fresh);
        }
        sample.framestats = self.frames;
        sample.aside = self.aside;
        sample.rows.sort_by_key(|row| (at(row).is_none(), at(row), row.intended));
        window.time_base = base;
        window.classes = self.classes;
        window.sample = sample;
    }

    fn time_base(&self) -> TimeBase {
        let fresh = self.printed.saturating_sub(STALE_ROWS);
        let placed = self.places.iter().zip(&self.frames);
        let mut all = 0;
        let mut shown = 0;
        for (_, frame) in placed.filter(|(place, _)| **place < fresh) {
            all += 1;
            shown += usize::from(frame.displayed.is_some());
        }
        if all > 0 && shown * 10 >= all * 9 { TimeBase::Presented } else { TimeBase::Completed }
    }

    /// The median FrameInterval (the lower one of two).
    fn period(&self) -> Option<Span> {
        let mut intervals: Vec<Span> = self.frames.iter().filter_map(|frame| frame.interval).collect();
        intervals.sort_unstable();
        intervals.get(intervals.len().saturating_sub(1) / 2).copied()
    }

    /// Slots that were never filled. The dump does not print them; they are certain only when every frame the window
    /// ever counted is still among the rows.
    fn unfilled(&self, total: Option<u64>) -> u32 {
        let capacity = Ring::Framestats.rows();
        let printed = self.printed as u64;
        let all_here =
            total.is_some_and(|total| total <= printed.saturating_sub(u64::from(self.classes.skipped)));
        if all_here { capacity.saturating_sub(printed as u32) } else { 0 }
    }
}

fn at(row: &Row) -> Option<DeviceTime> {
    match row.present {
        Stamp::At(present) => Some(present),
        Stamp::Pending => None,
    }
}
