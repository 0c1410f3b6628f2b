//! Drawn frames for tests: at 60 Hz, one interval apart, each stage one millisecond.

use crate::framestats::{FrameStats, RenderStages};
use crate::time::{DeviceTime, Span};
use crate::window::Window;

pub(in crate::metrics) use crate::metrics::samples::MS;
/// A frame interval at 60 Hz, ns; even, so that its half is whole.
pub(in crate::metrics) const P60: i64 = 16_666_660;
/// The first vsync.
pub(in crate::metrics) const START: i64 = 1_000 * MS;

pub(in crate::metrics) fn at(ns: i64) -> Option<DeviceTime> {
    Some(DeviceTime::from_ns(ns))
}

/// The nth frame, as Android 14 prints it, every stage 1 ms long, finished `late` ns after its ten stages.
/// Its deadline is two intervals after its vsync.
pub(in crate::metrics) fn frame(nth: i64, late: i64) -> FrameStats {
    let vsync = START + nth * P60;
    let stage = |after: i64| at(vsync + after * MS);
    let completed = vsync + 9 * MS + late;
    FrameStats {
        flags: 0,
        vsync_id: Some(nth),
        intended: DeviceTime::from_ns(vsync),
        vsync: at(vsync),
        oldest_input: None,
        handle_input: stage(1),
        animation: stage(2),
        traversals: stage(3),
        draw: stage(4),
        sync_queued: stage(5),
        sync_start: stage(6),
        issue: stage(7),
        swap: stage(8),
        swap_completed: stage(9),
        submitted: stage(8),
        gpu_completed: at(completed),
        completed: DeviceTime::from_ns(completed),
        deadline: at(vsync + 2 * P60),
        displayed: None,
        interval: Some(Span::from_ns(P60)),
        started: at(vsync + MS / 2),
        workload: Some(Span::from_ns(2 * P60)),
        dequeue: Some(Span::ZERO),
        queue: Some(Span::ZERO),
    }
}

/// The nth frame as Android 10 prints it, finished `took` ns after its vsync.
pub(in crate::metrics) fn old_frame(nth: i64, took: i64) -> FrameStats {
    FrameStats {
        vsync_id: None,
        swap_completed: None,
        submitted: None,
        gpu_completed: None,
        deadline: None,
        interval: None,
        started: None,
        workload: None,
        ..taking(nth, took)
    }
}

/// The nth frame, whose GPU finished `took` ns after its vsync.
pub(in crate::metrics) fn taking(nth: i64, took: i64) -> FrameStats {
    frame(nth, took - 9 * MS)
}

/// A window in which the app drew these frames, all of them proved. It has no presents and no periods.
pub(in crate::metrics) fn window(frames: Vec<FrameStats>) -> Window {
    let mut window = crate::metrics::samples::window(0, &[]);
    window.motions[0].to = DeviceTime::from_ns(START + 100_000 * MS);
    window.presents.clear();
    window.beside.framestats = Some(RenderStages { frames, proved: true, ..RenderStages::default() });
    window
}
