//! The ten stages of a frame, and how long each took: p50, p95, longest.
//!
//! What: durations between neighbouring columns, under the names Android's FrameMetrics gives them. Formula: see each;
//! nearest rank. Unit: ms. Better: lower. Needs: every drawn frame. The stages are not the whole of the render time:
//! the wait for the vsync itself is none of them, the GPU runs beside the rest. Source: docs/design/phones.md#gfxinfo.

use super::frames::{ranks, read};
use crate::framestats::FrameStats;
use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::time::{DeviceTime, Span};
use crate::window::Window;

/// How long a frame spent in a stage; none where a column is missing or cannot be believed.
pub(super) type Stage = fn(&FrameStats) -> Option<Span>;

fn between(from: Option<DeviceTime>, to: Option<DeviceTime>) -> Option<Span> {
    from.zip(to).map(|(from, to)| to - from).filter(|took| took.ns() >= 0)
}

/// Every stage, in the order they run; the GPU last, beside the others. Their names are in the keys below.
pub(super) static STAGES: [Stage; 10] = [
    |frame| between(Some(frame.intended), frame.handle_input),
    |frame| between(frame.handle_input, frame.animation),
    |frame| between(frame.animation, frame.traversals),
    |frame| between(frame.traversals, frame.draw),
    |frame| between(frame.draw, frame.sync_queued),
    |frame| between(frame.sync_queued, frame.sync_start),
    |frame| between(frame.sync_start, frame.issue),
    |frame| between(frame.issue, frame.swap),
    |frame| between(frame.swap, frame.swap_completed.or(Some(frame.completed))),
    |frame| between(frame.submitted, frame.gpu_completed),
];

fn stage(window: &Window, nth: usize, missing: &str) -> Reading {
    read(window, |frames| {
        let times: Vec<i64> =
            frames.all.iter().filter_map(|frame| STAGES[nth](frame)).map(Span::ns).collect();
        ranks(times, &[50, 95, 100]).map(Reading::List).ok_or_else(|| missing.into())
    })
}

const MISSING: &str = "the phone's framestats have no column for this stage";

macro_rules! stages {
    ($($name:ident $nth:literal $key:literal since $since:literal $about:literal $formula:literal $missing:expr;)*) => {$(
        #[doc = $about]
        pub(super) static $name: Metric = Metric {
            key: $key,
            unit: Unit::Ms,
            better: Better::Lower,
            needs: Needs::Stages,
            about: $about,
            formula: $formula,
            since: $since,
            origin: ORIGIN,
            measure: |window| stage(window, $nth, $missing),
        };
    )*};
}

const ORIGIN: &str = "Android's FrameMetrics, from gfxinfo framestats: list of p50, p95, longest (nearest rank). Frames the \
                      render thread draws alone have no work on the UI thread: their early stages are 0";

stages! {
    UNKNOWN_DELAY 0 "stage_unknown_delay_ms" since 7
        "wait before the UI thread began a frame: it was busy with something else"
        "HandleInputStart - IntendedVsync" MISSING;
    INPUT 1 "stage_input_ms" since 7
        "handling input"
        "AnimationStart - HandleInputStart" MISSING;
    ANIMATION 2 "stage_animation_ms" since 7
        "running animations; a list binds its rows here when it flings"
        "PerformTraversalsStart - AnimationStart" MISSING;
    LAYOUT_MEASURE 3 "stage_layout_measure_ms" since 7
        "measuring and laying out views"
        "DrawStart - PerformTraversalsStart" MISSING;
    DRAW 4 "stage_draw_ms" since 7
        "recording what to draw"
        "SyncQueued - DrawStart" MISSING;
    SYNC_QUEUE 5 "stage_sync_queue_ms" since 7
        "wait for the render thread to be done with the frame before"
        "SyncStart - SyncQueued" MISSING;
    SYNC 6 "stage_sync_ms" since 7
        "taking over to the render thread, uploading bitmaps"
        "IssueDrawCommandsStart - SyncStart" MISSING;
    COMMAND_ISSUE 7 "stage_command_issue_ms" since 7
        "issuing draw commands on the render thread"
        "SwapBuffers - IssueDrawCommandsStart" MISSING;
    SWAP_BUFFERS 8 "stage_swap_buffers_ms" since 7
        "handing the buffer over"
        "SwapBuffersCompleted - SwapBuffers (before Android 12: FrameCompleted - SwapBuffers)" MISSING;
    GPU 9 "stage_gpu_ms" since 12
        "work of the GPU, beside the other stages"
        "GpuCompleted - CommandSubmissionCompleted"
        "the GPU's work is not known: framestats print its beginning (CommandSubmissionCompleted) on Android 13 and newer, \
         and on some phones with 12";
}

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, frame, old_frame, taking, window};
    use super::*;

    #[test]
    fn every_stage_is_the_time_to_the_next_column() {
        let all = [
            &UNKNOWN_DELAY,
            &INPUT,
            &ANIMATION,
            &LAYOUT_MEASURE,
            &DRAW,
            &SYNC_QUEUE,
            &SYNC,
            &COMMAND_ISSUE,
            &SWAP_BUFFERS,
            &GPU,
        ];
        for entry in all {
            let window = window(vec![frame(0, 0), frame(1, 0)]);
            assert_eq!(entry.measure(&window), Reading::List(vec![1.0; 3]), "{}", entry.key);
        }
    }

    #[test]
    fn a_longer_stage_shows_in_its_own_list_only() {
        let mut late = frame(1, 0);
        late.draw = late.traversals.map(|at| at + Span::from_ns(MS / 2));
        let window = window(vec![frame(0, 0), late, frame(2, 0)]);
        assert_eq!(LAYOUT_MEASURE.measure(&window), Reading::List(vec![1.0, 1.0, 1.0]));
        assert_eq!(DRAW.measure(&window), Reading::List(vec![1.0, 1.5, 1.5]));
    }

    #[test]
    fn swap_ends_with_the_frame_before_android_12() {
        assert_eq!(SWAP_BUFFERS.measure(&window(vec![old_frame(0, 20 * MS)])), Reading::List(vec![12.0; 3]));
        assert_eq!(SWAP_BUFFERS.measure(&window(vec![taking(0, 20 * MS)])), Reading::List(vec![1.0; 3]));
        let gpu = GPU.measure(&window(vec![old_frame(0, 20 * MS)]));
        assert!(matches!(gpu, Reading::Unmeasurable(why) if why.contains("Android 13")));
        assert_eq!(GPU.measure(&window(vec![taking(0, 20 * MS)])), Reading::List(vec![12.0; 3]));
    }

    #[test]
    fn a_missing_column_is_missing_and_not_zero() {
        let mut bare = frame(0, 0);
        bare.handle_input = None;
        for entry in [&UNKNOWN_DELAY, &INPUT] {
            let reading = entry.measure(&window(vec![bare]));
            assert!(matches!(reading, Reading::Unmeasurable(_)), "{reading:?}");
        }
    }
}
