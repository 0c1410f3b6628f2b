//! What one framestats row is: a finished frame, one left out on purpose, or nothing that can be believed
//! (frame-sources.md 2.5).
//!
//! Rows of frames in flight hold what the slot held before, or uninitialised memory. Must not know: other rows.

use super::columns::{Cells, Column};

/// First draw after a window's layout or visibility changed.
pub const FIRST_DRAW: i64 = 1;
/// Drawn by the render thread alone (ripples, overscroll): a real frame.
pub const RENDER_THREAD: i64 = 2;
/// Drawn through `lockHardwareCanvas`.
pub const SURFACE_CANVAS: i64 = 4;
/// Nothing was presented.
pub const SKIPPED: i64 = 8;

/// Flags above this are memory, not flags.
const LARGEST_FLAGS: i64 = 0xffff;
/// Without the dump's own time, a frame that took longer than this is memory, not a frame, ns.
const LONGEST_FRAME: i64 = 60_000_000_000;
/// The display shows a frame after it is complete, but for the difference of two clocks' readings, ns.
const EARLY_PRESENT: i64 = 50_000_000;

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

/// A frame HWUI finished, ns CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    pub intended: i64,
    pub completed: i64,
    pub ready: Option<i64>,
    pub displayed: Option<i64>,
    pub interval: Option<i64>,
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    Frame(Finished),
    Ignored,
    Invalid,
}

/// Judges a row. `now` is when the dump was taken, ns; later instants are not believed.
pub(crate) fn judge(cells: &Cells, now: Option<i64>) -> Judged {
    let Some(flags) = cells.get(Column::Flags).filter(|flags| (0..=LARGEST_FLAGS).contains(flags)) else {
        return Judged::Invalid;
    };
    if flags & (SKIPPED | SURFACE_CANVAS | FIRST_DRAW) != 0 {
        return Judged::Ignored;
    }
    finished(cells, now).map_or(Judged::Invalid, Judged::Frame)
}

fn finished(cells: &Cells, now: Option<i64>) -> Option<Finished> {
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
    // Before Android 12 GpuCompleted belongs to the frame four back.
    let gpu = cells.get(Column::GpuCompleted).filter(|_| modern.is_some());
    let shown = cells.get(Column::DisplayPresentTime);
    Some(Finished {
        intended,
        completed,
        ready: gpu.filter(|gpu| (sync..=completed).contains(gpu)),
        displayed: shown.filter(|&shown| shown > completed.saturating_sub(EARLY_PRESENT) && shown < latest),
        interval: cells
            .get(Column::FrameInterval)
            .filter(|interval| (500_000..=2_000_000_000).contains(interval)),
    })
}

#[cfg(test)]
mod tests {
    use super::super::columns::Header;
    use super::*;

    const HEADER: &str = "Flags,IntendedVsync,Vsync,HandleInputStart,AnimationStart,PerformTraversalsStart,DrawStart,\
        SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,GpuCompleted,SwapBuffersCompleted,\
        DisplayPresentTime,";

    fn judged(change: impl Fn(&mut [i64]), now: Option<i64>) -> Judged {
        // Flags, then stages 10 ms apart from 1 s on; gpu, swapped, displayed.
        let mut row: Vec<i64> =
            std::iter::once(0).chain((0..11).map(|stage| 1_000_000_000 + stage * 10_000_000)).collect();
        row.extend([1_095_000_000, 1_099_000_000, 1_120_000_000]);
        change(&mut row);
        let line: String = row.iter().map(|cell| format!("{cell},")).collect();
        judge(&Header::read(HEADER.as_bytes()).expect("a header").row(line.as_bytes()).expect("a row"), now)
    }

    #[test]
    fn a_row_in_order_is_a_frame() {
        let frame = Finished {
            intended: 1_000_000_000,
            completed: 1_100_000_000,
            ready: Some(1_095_000_000),
            displayed: Some(1_120_000_000),
            interval: None,
        };
        assert_eq!(judged(|_| {}, Some(2_000_000_000)), Judged::Frame(frame));
        assert_eq!(judged(|row| row[0] = RENDER_THREAD, None), Judged::Frame(frame));
    }

    #[test]
    fn flags_leave_rows_out_before_their_columns_are_looked_at() {
        for flags in [FIRST_DRAW, SURFACE_CANVAS, SKIPPED, SKIPPED | RENDER_THREAD] {
            assert_eq!(judged(|row| row[0] = flags, None), Judged::Ignored);
            let stale = judged(
                |row| {
                    row[0] = flags;
                    row[11] = 0;
                },
                None,
            );
            assert_eq!(stale, Judged::Ignored);
        }
        assert_eq!(judged(|row| row[0] = 279_228_446_890_984_509, None), Judged::Invalid);
    }

    #[test]
    fn every_broken_order_is_seen() {
        for stage in 1..=11 {
            assert_eq!(judged(|row| row[stage] = 0, None), Judged::Invalid, "stage {stage}");
            if stage > 1 {
                assert_eq!(
                    judged(|row| row[stage] = row[stage - 1] - 1, None),
                    Judged::Invalid,
                    "stage {stage}"
                );
            }
        }
        assert_eq!(judged(|row| row[13] = row[11] + 1, None), Judged::Invalid);
        assert_eq!(judged(|row| row[13] = row[10] - 1, None), Judged::Invalid);
    }

    #[test]
    fn memory_of_the_future_is_not_a_frame() {
        assert_eq!(judged(|row| row[11] = 288_234_774_265_332_736, Some(2_000_000_000)), Judged::Invalid);
        assert_eq!(judged(|row| row[11] = 288_234_774_265_332_736, None), Judged::Invalid);
        assert_eq!(judged(|_| {}, Some(1_099_999_999)), Judged::Invalid);
    }

    #[test]
    fn a_present_time_of_another_frame_is_not_taken() {
        for stale in [0, -1, -2, 1_050_000_000, 2_000_000_000] {
            let Judged::Frame(frame) = judged(|row| row[14] = stale, Some(2_000_000_000)) else {
                panic!("no frame")
            };
            assert_eq!(frame.displayed, None, "{stale}");
        }
    }
}
