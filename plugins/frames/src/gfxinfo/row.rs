//! What one framestats row is: a finished frame, one left out on purpose, or nothing that can be believed
//! (docs/design/phones.md#gfxinfo).
//!
//! Rows of frames in flight hold what the slot held before, or uninitialised memory. Must not know: other rows.

use super::columns::{Cells, Column};
use farmjank_results::framestats::{Aside, FrameStats};
use farmjank_results::time::{DeviceTime, Span};
use std::ops::RangeInclusive;

/// First draw after a window's layout or visibility changed.
pub(crate) const FIRST_DRAW: i64 = 1;
/// Drawn by the render thread alone (ripples, overscroll): a real frame.
pub const RENDER_THREAD: i64 = 2;
/// Drawn through `lockHardwareCanvas`.
pub(crate) const SURFACE_CANVAS: i64 = 4;
/// Nothing was presented.
pub const SKIPPED: i64 = 8;

/// Flags above this are memory, not flags.
const LARGEST_FLAGS: i64 = 0xffff;
/// Without the dump's own time, a frame that took longer than this is memory, not a frame, ns.
const LONGEST_FRAME: i64 = 60_000_000_000;
/// The display shows a frame after it is complete, but for the difference of two clocks' readings, ns.
const EARLY_PRESENT: i64 = 50_000_000;
/// Frame intervals a renderer may believe in, ns.
const INTERVALS: RangeInclusive<i64> = 500_000..=2_000_000_000;

/// Columns in the order the stages of a frame run, as far as every release has them.
const STAGES: [Column; 11] = [
    Column::IntendedVsync,
    Column::Vsync,
    Column::HandleInputStart,
    Column::AnimationStart,
    Column::PerformTraversalsStart,
    Column::DrawStart,
    Column::SyncQueued,
    Column::SyncStart,
    Column::IssueDrawCommandsStart,
    Column::SwapBuffers,
    Column::FrameCompleted,
];

/// Why a row is no finished frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub why: Aside,
    /// The vsync it was scheduled for, where that can be believed.
    pub intended: Option<i64>,
}

/// Judges a row. `now` is when the dump was taken, ns; later instants are not believed.
pub(crate) fn judge(cells: &Cells, now: Option<i64>) -> Result<FrameStats, Refused> {
    let intended = cells.get(Column::IntendedVsync).filter(|at| *at > 0 && now.is_none_or(|now| *at <= now));
    let refused = |why| Refused { why, intended };
    let flags = cells.get(Column::Flags).filter(|flags| (0..=LARGEST_FLAGS).contains(flags));
    let Some(flags) = flags else { return Err(refused(Aside::Unreadable)) };
    if flags & (SKIPPED | SURFACE_CANVAS | FIRST_DRAW) != 0 {
        return Err(refused(Aside::LeftOut));
    }
    finished(cells, now)
        .map(|frame| FrameStats { flags: flags as u32, ..frame })
        .ok_or(refused(Aside::Unreadable))
}

fn finished(cells: &Cells, now: Option<i64>) -> Option<FrameStats> {
    let mut last = 1;
    for instant in STAGES.iter().filter_map(|&stage| cells.get(stage)) {
        if instant < last {
            return None;
        }
        last = instant;
    }
    let intended = cells.get(Column::IntendedVsync)?;
    let completed = cells.get(Column::FrameCompleted)?;
    let latest = now.unwrap_or_else(|| intended.saturating_add(LONGEST_FRAME));
    if completed > latest {
        return None;
    }
    let modern = cells.get(Column::SwapBuffersCompleted);
    if let (Some(swapped), Some(swap)) = (modern, cells.get(Column::SwapBuffers))
        && !(swap..=completed).contains(&swapped)
    {
        return None;
    }
    let sync = cells.get(Column::SyncStart).unwrap_or(intended);
    let at = |column| cells.get(column).map(DeviceTime::from_ns);
    let within = |column, range: RangeInclusive<i64>| {
        cells.get(column).filter(|at| range.contains(at)).map(DeviceTime::from_ns)
    };
    let took = |column| cells.get(column).filter(|ns| (0..=LONGEST_FRAME).contains(ns)).map(Span::from_ns);
    let shown = cells.get(Column::DisplayPresentTime);
    let shown = shown.filter(|&shown| shown > completed.saturating_sub(EARLY_PRESENT) && shown < latest);
    Some(FrameStats {
        flags: 0,
        vsync_id: cells.get(Column::FrameTimelineVsyncId).filter(|id| *id >= 0),
        intended: DeviceTime::from_ns(intended),
        vsync: at(Column::Vsync),
        // No input is INT64_MAX or 0; an event later than its handling is memory.
        oldest_input: within(Column::OldestInputEvent, 1..=completed),
        handle_input: at(Column::HandleInputStart),
        animation: at(Column::AnimationStart),
        traversals: at(Column::PerformTraversalsStart),
        draw: at(Column::DrawStart),
        sync_queued: at(Column::SyncQueued),
        sync_start: at(Column::SyncStart),
        issue: at(Column::IssueDrawCommandsStart),
        swap: at(Column::SwapBuffers),
        swap_completed: modern.map(DeviceTime::from_ns),
        submitted: within(Column::CommandSubmissionCompleted, sync..=completed),
        // Before Android 12 GpuCompleted belongs to the frame four back.
        gpu_completed: within(Column::GpuCompleted, sync..=completed).filter(|_| modern.is_some()),
        completed: DeviceTime::from_ns(completed),
        deadline: within(Column::FrameDeadline, 1..=intended.saturating_add(LONGEST_FRAME)),
        displayed: shown.map(DeviceTime::from_ns),
        interval: cells.get(Column::FrameInterval).filter(|ns| INTERVALS.contains(ns)).map(Span::from_ns),
        started: within(Column::FrameStartTime, 1..=completed),
        workload: took(Column::WorkloadTarget).filter(|target| target.ns() > 0),
        dequeue: took(Column::DequeueBufferDuration),
        queue: took(Column::QueueBufferDuration),
    })
}

#[cfg(test)]
mod tests {
    use super::super::columns::Header;
    use super::*;

    const HEADER: &str = "Flags,IntendedVsync,Vsync,HandleInputStart,AnimationStart,PerformTraversalsStart,DrawStart,\
        SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,GpuCompleted,SwapBuffersCompleted,\
        DisplayPresentTime,";

    fn judged(change: impl Fn(&mut [i64]), now: Option<i64>) -> Result<FrameStats, Refused> {
        // Flags, then stages 10 ms apart from 1 s on; gpu, swapped, displayed.
        let mut row: Vec<i64> =
            std::iter::once(0).chain((0..11).map(|stage| 1_000_000_000 + stage * 10_000_000)).collect();
        row.extend([1_095_000_000, 1_099_000_000, 1_120_000_000]);
        change(&mut row);
        let line: String = row.iter().map(|cell| format!("{cell},")).collect();
        judge(&Header::read(HEADER.as_bytes()).expect("a header").row(line.as_bytes()).expect("a row"), now)
    }

    fn is(why: Aside, judged: Result<FrameStats, Refused>) -> bool {
        judged.is_err_and(|refused| refused.why == why)
    }

    #[test]
    fn a_row_in_order_is_a_frame() {
        let frame = judged(|_| {}, Some(2_000_000_000)).expect("a frame");
        let ns = |at: Option<DeviceTime>| at.map(DeviceTime::ns);
        assert_eq!((frame.intended.ns(), frame.completed.ns()), (1_000_000_000, 1_100_000_000));
        assert_eq!(ns(frame.gpu_completed), Some(1_095_000_000));
        assert_eq!(ns(frame.displayed), Some(1_120_000_000));
        assert_eq!((ns(frame.swap), ns(frame.swap_completed)), (Some(1_090_000_000), Some(1_099_000_000)));
        assert_eq!((frame.interval, frame.deadline, frame.oldest_input), (None, None, None));
        assert_eq!(judged(|row| row[0] = RENDER_THREAD, None).expect("a frame").flags, 2);
    }

    #[test]
    fn flags_leave_rows_out_before_their_columns_are_looked_at() {
        for flags in [FIRST_DRAW, SURFACE_CANVAS, SKIPPED, SKIPPED | RENDER_THREAD] {
            assert!(is(Aside::LeftOut, judged(|row| row[0] = flags, None)));
            let stale = judged(
                |row| {
                    row[0] = flags;
                    row[11] = 0;
                },
                None,
            );
            assert!(is(Aside::LeftOut, stale));
        }
        assert!(is(Aside::Unreadable, judged(|row| row[0] = 279_228_446_890_984_509, None)));
    }

    #[test]
    fn every_broken_order_is_seen() {
        for stage in 1..=11 {
            assert!(is(Aside::Unreadable, judged(|row| row[stage] = 0, None)), "stage {stage}");
            if stage > 1 {
                assert!(
                    is(Aside::Unreadable, judged(|row| row[stage] = row[stage - 1] - 1, None)),
                    "stage {stage}"
                );
            }
        }
        assert!(is(Aside::Unreadable, judged(|row| row[13] = row[11] + 1, None)));
        assert!(is(Aside::Unreadable, judged(|row| row[13] = row[10] - 1, None)));
    }

    #[test]
    fn memory_of_the_future_is_not_a_frame() {
        assert!(is(Aside::Unreadable, judged(|row| row[11] = 288_234_774_265_332_736, Some(2_000_000_000))));
        assert!(is(Aside::Unreadable, judged(|row| row[11] = 288_234_774_265_332_736, None)));
        assert!(is(Aside::Unreadable, judged(|_| {}, Some(1_099_999_999))));
    }

    #[test]
    fn a_present_time_of_another_frame_is_not_taken() {
        for stale in [0, -1, -2, 1_050_000_000, 2_000_000_000] {
            let frame = judged(|row| row[14] = stale, Some(2_000_000_000)).expect("a frame");
            assert_eq!(frame.displayed, None, "{stale}");
        }
    }

    #[test]
    fn what_is_set_aside_tells_its_vsync_where_that_can_be_believed() {
        let at = |change: fn(&mut [i64]), now| judged(change, now).expect_err("no frame").intended;
        assert_eq!(at(|row| row[11] = 0, Some(2_000_000_000)), Some(1_000_000_000));
        assert_eq!(at(|row| row[0] = FIRST_DRAW, None), Some(1_000_000_000));
        assert_eq!(at(|row| row[1] = 0, None), None);
        assert_eq!(at(|row| row[1] = 279_228_446_890_984_509, Some(2_000_000_000)), None);
    }
}
