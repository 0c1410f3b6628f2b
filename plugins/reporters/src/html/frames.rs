//! The frame logs of a cell, read once, and the barcode of its worst iteration.
//!
//! Must not know: how a frame log is kept, what a page looks like. Times are ms of motion.

use super::failure::{self, FailureLine};
use super::lanes;
use crate::cells::Cell;
use farmjank_results::event::{Screen, WindowMeasured};
use farmjank_results::frame_lanes::FrameLanes;
use farmjank_results::frame_log::{Bar, FrameLog, What};
use farmjank_results::record::TrialRecord;
use farmjank_results::window::Why;
use farmjank_seams::reporter::FrameLogs;
use serde::Serialize;

/// Why the frames of an iteration cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoFrames {
    /// The run kept dumps alone.
    #[error(
        "this run was recorded without its frames; farmjank report RUN --rejudge SCENARIOS --reporter html measures \
         its dumps again"
    )]
    Unrecorded,
    /// There were none to keep.
    #[error("no single frame was seen")]
    Unseen,
    /// Their file is gone.
    #[error("the file of its frames is not in the bundle")]
    Missing,
    /// Their file is no frame log.
    #[error("the file of its frames cannot be read: {0}")]
    Damaged(String),
}

/// One iteration of a cell: its frames, or why there are none.
pub(crate) struct Iteration<'a> {
    pub trial: &'a TrialRecord,
    pub window: &'a WindowMeasured,
    /// As kept, and as read.
    pub frame_log: Result<(Vec<u8>, FrameLog), NoFrames>,
    /// Pictures of its screen, as many as the page has room for.
    pub pictures: Vec<(&'a Screen, Option<Vec<u8>>)>,
}

/// Every iteration of a cell, warm-ups included.
pub(crate) struct Seen<'a> {
    pub iterations: Vec<Iteration<'a>>,
    /// What the phone showed when a fault ended its job, and the picture of it.
    pub failure: Option<(FailureLine, Option<Vec<u8>>)>,
    /// Pictures of its late frames.
    pub lanes: FrameLanes,
}

/// Bytes of pictures in one page, and of one picture.
const PICTURES: u64 = 6 << 20;
const PICTURE: u64 = 1 << 20;
/// Most pictures listed of one window.
const SCREENS: usize = 500;

/// Reads the frame logs of a cell.
pub(crate) fn seen<'a>(cell: &Cell<'a>, frame_logs: &dyn FrameLogs) -> Seen<'a> {
    let step = every(cell);
    let one = |(trial, window): &(&'a TrialRecord, &'a WindowMeasured)| Iteration {
        trial,
        window,
        frame_log: frame_log(window, frame_logs),
        pictures: pictures(window, step, frame_logs),
    };
    Seen {
        iterations: cell.measured.iter().map(one).collect(),
        failure: failure::shown(cell, frame_logs),
        lanes: lanes::pictures(cell, frame_logs),
    }
}

/// Of all pictures of the run every so many-th is in the page: they are the first to make room.
fn every(cell: &Cell<'_>) -> usize {
    let trials = cell.record.jobs.values().flat_map(|job| &job.trials);
    let screens = trials.flat_map(|trial| &trial.windows).flat_map(|window| &window.screens);
    let bytes = screens.map(|screen| screen.bytes).fold(0, u64::saturating_add);
    usize::try_from(bytes.div_ceil(PICTURES)).unwrap_or(usize::MAX).max(1)
}

/// What the phone printed as pictures; whatever is no PNG is left out.
fn pictures<'a>(
    window: &'a WindowMeasured,
    step: usize,
    frame_logs: &dyn FrameLogs,
) -> Vec<(&'a Screen, Option<Vec<u8>>)> {
    let read = |(nth, screen): (usize, &'a Screen)| {
        let wanted = nth.is_multiple_of(step) && screen.bytes <= PICTURE;
        let bytes = wanted.then(|| frame_logs.frame_log(&screen.path)).flatten();
        let is_png =
            |bytes: &Vec<u8>| bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() as u64 <= PICTURE;
        (screen, bytes.filter(is_png))
    };
    window.screens.iter().enumerate().take(SCREENS).map(read).collect()
}

fn frame_log(window: &WindowMeasured, frame_logs: &dyn FrameLogs) -> Result<(Vec<u8>, FrameLog), NoFrames> {
    let Some(path) = &window.frame_log else {
        return Err(match (&window.coverage, window.evidence.is_empty()) {
            (Some(seen), false) if seen.frames_seen > 0 => NoFrames::Unrecorded,
            _ => NoFrames::Unseen,
        });
    };
    let bytes = frame_logs.frame_log(path).ok_or(NoFrames::Missing)?;
    let frame_log = FrameLog::decode(&bytes).map_err(|why| NoFrames::Damaged(why.to_string()))?;
    Ok((bytes, frame_log))
}

impl Iteration<'_> {
    /// Its frames, where there are any.
    pub(crate) fn bars(&self) -> &[Bar] {
        self.frame_log.as_ref().map_or(&[], |(_, frame_log)| &frame_log.bars)
    }

    /// Neither warm-up nor void.
    pub(crate) fn counts(&self) -> bool {
        self.trial.counted && self.window.void.is_none()
    }

    /// Time its frames came late by, µs.
    fn late_us(&self) -> u64 {
        self.bars().iter().map(Bar::late_us).sum()
    }
}

/// The worst iteration of a cell in stretches of equal length, one digit each: how late the worst frame in it was.
#[derive(Serialize)]
pub(crate) struct Barcode {
    /// Its iteration, from 0 among all measured.
    iteration: usize,
    /// Length of a stretch, ms.
    step_ms: u64,
    /// `0` nothing moved, `1` on time, `2` one vsync late, `3` two or three, `4` four to eight, `5` more; `i` idle, `a`
    /// ambiguous, `g` gap.
    marks: String,
}

/// Longest barcode in stretches.
const STRETCHES: u64 = 160;
/// Shortest stretch, ms: about a frame.
const STEP_MS: u64 = 20;

/// The barcode of the iteration that lost most time among those that count, else of any with frames.
pub(crate) fn barcode(seen: &Seen<'_>) -> Option<Barcode> {
    let numbered = || seen.iterations.iter().enumerate().filter(|(_, one)| !one.bars().is_empty());
    // Of equal ones the first.
    let worst = |counts: bool| {
        numbered().filter(|(_, one)| one.counts() || !counts).rev().max_by_key(|(_, one)| one.late_us())
    };
    let (iteration, worst) = worst(true).or_else(|| worst(false))?;
    Some(stretches(iteration, worst.bars()))
}

/// The barcode of these frames.
pub(crate) fn stretches(iteration: usize, bars: &[Bar]) -> Barcode {
    let length_ms = bars.last().map_or(0, Bar::to_us) / 1000 + 1;
    let step_ms = STEP_MS.max(length_ms.div_ceil(STRETCHES)).next_multiple_of(10);
    let mut marks = vec![0; usize::try_from(length_ms.div_ceil(step_ms)).unwrap_or(0)];
    for bar in bars {
        let mark = mark(bar);
        let place = |us: u64| usize::try_from(us / 1000 / step_ms).unwrap_or(usize::MAX).min(marks.len() - 1);
        // A late frame is seen where the screen stood still: over its whole length.
        let (from, to) = (place(bar.from_us), place(bar.to_us().saturating_sub(1).max(bar.from_us)));
        for one in &mut marks[from..=to] {
            *one = (*one).max(mark);
        }
    }
    let marks = marks.into_iter().map(|rank| char::from(MARKS[rank])).collect();
    Barcode { iteration, step_ms, marks }
}

/// Marks in the order in which one hides another.
const MARKS: [u8; 9] = *b"01iag2345";

/// The rank of a bar's mark.
fn mark(bar: &Bar) -> usize {
    match (bar.what, bar.late()) {
        (What::Frame, 0) => 1,
        (What::Uncounted(Why::Idle), _) => 2,
        (What::Uncounted(Why::Ambiguous), _) => 3,
        (What::Uncounted(Why::Gap), _) => 4,
        (What::Frame, 1) => 5,
        (What::Frame, 2..=3) => 6,
        (What::Frame, 4..=8) => 7,
        (What::Frame, _) => 8,
    }
}
