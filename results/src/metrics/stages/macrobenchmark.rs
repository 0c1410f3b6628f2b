//! Jetpack Macrobenchmark's two frame timings, from framestats instead of a trace.
//!
//! (Overruns come from the trace itself where framestats may have missed frames.)
//!
//! What: frameDurationCpuMs, from the frame callback to the end of the render thread's work; frameOverrunMs, how much
//! later than its deadline a frame was finished (negative: head room). Formula: p50, p90, p95, p99, each by linear
//! interpolation between the two neighbours of (n - 1) p / 100, as that library does. Unit: ms. Better: lower. Needs:
//! every drawn frame; a deadline for the second. Source: docs/design/metrics.md#render-stages. Keys are theirs,
//! camelCase included.

use super::frames::read;
use super::hwui::{modern, verdicts};
use crate::framestats::{FrameStats, RENDER_THREAD};
use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::time::Span;
use crate::window::Window;
use std::collections::BTreeMap;

/// The percentiles that library prints.
const PERCENTS: [usize; 4] = [50, 90, 95, 99];

/// Percentiles of times in ns by linear interpolation, as ms; none of nothing.
fn linear(mut times: Vec<i64>) -> Option<Vec<f64>> {
    times.sort_unstable();
    let last = times.len().checked_sub(1)?;
    let at = |percent: usize| {
        let place = last * percent / 100;
        let rest = last * percent % 100;
        let (low, high) = (times[place] as f64, times[(place + 1).min(last)] as f64);
        (low + (high - low) * rest as f64 / 100.0) / 1e6
    };
    Some(PERCENTS.map(at).to_vec())
}

/// From the frame callback to the end of the render thread's work. A frame of the render thread alone begins with its
/// own work.
fn on_cpu(frame: &FrameStats) -> Option<Span> {
    let alone = frame.flags & RENDER_THREAD != 0;
    let began = if alone { frame.sync_start } else { frame.started.or(frame.handle_input) };
    let ended = frame.swap_completed.unwrap_or(frame.completed);
    began.map(|began| ended - began).filter(|took| took.ns() >= 0)
}

/// How much later than its deadline each frame that was shown was finished, ns, as a whole trace tells; none where none
/// does. A frame of several layers is finished with its last one.
fn overrun_in_trace(window: &Window) -> Option<Vec<i64>> {
    let frame_timeline =
        window.beside.frame_timeline.as_ref().filter(|frame_timeline| frame_timeline.doubts.is_empty())?;
    let mut frames: BTreeMap<(i32, i64), i64> = BTreeMap::new();
    let counted = frame_timeline.frames.iter().filter(|frame| frame.is_buffer && !frame.first_draw);
    for frame in counted.filter(|frame| frame.present.is_some()) {
        let Some(deadline) = frame.expected_end else { continue };
        let over = (frame.actual_end - deadline).ns();
        frames.entry((frame.pid, frame.token)).and_modify(|known| *known = over.max(*known)).or_insert(over);
    }
    Some(frames.into_values().collect())
}

/// CPU time of frames.
pub(super) static FRAME_DURATION_CPU_MS: Metric = Metric {
    key: "frameDurationCpuMs",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Stages,
    about: "Macrobenchmark's frame duration on the CPU: list of p50, p90, p95, p99",
    formula: "(SwapBuffersCompleted, before Android 12 FrameCompleted) - (FrameStartTime, else HandleInputStart)",
    since: 7,
    origin: "Jetpack Macrobenchmark's FrameTimingMetric measures it in a trace, from the doFrame slice to the end of the \
             DrawFrame slice; these are the same instants as framestats print them, tenths of a millisecond apart. Linear \
             interpolation on n - 1, per window; that library pools the frames of all iterations",
    measure: |window| {
        read(window, |frames| {
            let times = frames.all.iter().filter_map(on_cpu).map(Span::ns).collect();
            linear(times)
                .map(Reading::List)
                .ok_or_else(|| "the phone's framestats have no column for the beginning of a frame".into())
        })
    },
};

/// How much too late frames were finished.
pub(super) static FRAME_OVERRUN_MS: Metric = Metric {
    key: "frameOverrunMs",
    needs: Needs::Finishes,
    about: "Macrobenchmark's frame overrun: list of p50, p90, p95, p99; above 0 is late, below 0 is head room",
    formula: "FrameCompleted - (FrameDeadline before hwui moved it)",
    since: 12,
    origin: "Jetpack Macrobenchmark's FrameTimingMetric, there from the frame timeline of a trace: max(actual end, end of \
             the render thread's work) - expected end. Taken from a trace only where framestats may have missed a frame: \
             actual end - expected end. Framestats print the same deadline, one interval later where the \
             queue was stuffed: that interval is taken off again. Linear interpolation on n - 1, per window",
    measure: |window| {
        let whole = window.beside.framestats.as_ref().is_some_and(|stages| stages.proved);
        if let Some(list) = overrun_in_trace(window).filter(|_| !whole).and_then(linear) {
            return Reading::List(list);
        }
        read(window, |frames| {
            if !modern(frames.all) {
                return Err("no frame has a deadline: framestats print it from Android 12 on".into());
            }
            let known = frames.with_interval()?;
            let over = known.iter().zip(verdicts(frames)?).filter_map(|((frame, _), verdict)| {
                Some(frame.completed.ns().saturating_sub(verdict.deadline?))
            });
            linear(over.collect()).map(Reading::List).ok_or_else(|| "no frame has a deadline".into())
        })
    },
    ..FRAME_DURATION_CPU_MS
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, frame, old_frame, taking, window};
    use super::*;

    #[test]
    fn percentiles_lie_between_neighbours() {
        assert_eq!(linear((1..=101).map(|n| n * MS).collect()), Some(vec![51.0, 91.0, 96.0, 100.0]));
        assert_eq!(linear(vec![20 * MS, 10 * MS]), Some(vec![15.0, 19.0, 19.5, 19.9]));
        assert_eq!(linear(vec![7 * MS]), Some(vec![7.0; 4]));
        assert_eq!(linear(Vec::new()), None);
    }

    #[test]
    fn time_on_the_cpu_is_without_the_gpu_and_the_wait_before() {
        assert_eq!(
            FRAME_DURATION_CPU_MS.measure(&window(vec![taking(0, 40 * MS)])),
            Reading::List(vec![8.5; 4])
        );
        assert_eq!(
            FRAME_DURATION_CPU_MS.measure(&window(vec![old_frame(0, 12 * MS)])),
            Reading::List(vec![11.0; 4])
        );
        let alone = FrameStats { flags: RENDER_THREAD, ..frame(0, 0) };
        assert_eq!(FRAME_DURATION_CPU_MS.measure(&window(vec![alone])), Reading::List(vec![3.0; 4]));
    }

    #[test]
    fn overrun_is_zero_on_the_deadline_and_negative_before_it() {
        let over = |took| match FRAME_OVERRUN_MS.measure(&window(vec![taking(0, took)])) {
            Reading::List(list) => list[0],
            other => panic!("{other:?}"),
        };
        assert_eq!(over(2 * P60), 0.0);
        assert_eq!(over(2 * P60 + 1), 1e-6);
        assert_eq!(over(2 * P60 - MS), -1.0);
        let old = FRAME_OVERRUN_MS.measure(&window(vec![old_frame(0, MS)]));
        assert!(matches!(old, Reading::Unmeasurable(why) if why.contains("Android 12")));
    }

    #[test]
    fn a_whole_trace_tells_overruns_where_framestats_missed_frames() {
        use crate::frame_timeline::jank;
        use crate::frame_timeline::samples_of_frames::{P, frame, trace};
        let mut window = window(vec![taking(0, 2 * P60 - MS)]);
        window.beside.frame_timeline =
            Some(trace(vec![frame(1, 0, jank::NONE), frame(2, P, jank::APP_DEADLINE)]));
        let first = |window: &Window| match crate::metrics::reading(&FRAME_OVERRUN_MS, window) {
            Reading::List(list) => Ok(list),
            other => Err(other),
        };
        assert_eq!(first(&window).map(|list| list[0]), Ok(-1.0), "framestats missed nothing");
        if let Some(stages) = &mut window.beside.framestats {
            (stages.proved, stages.doubts) = (false, vec!["some".to_owned()]);
        }
        let p = P as f64 / 1e6;
        assert_eq!(first(&window).map(|list| list[0]), Ok(p / 2.0), "between 0 and a period");
        if let Some(frame_timeline) = &mut window.beside.frame_timeline {
            frame_timeline.doubts.push("packets were lost".to_owned());
        }
        assert!(first(&window).is_err_and(|why| format!("{why:?}").contains("framestats may have missed")));
    }

    #[test]
    fn a_deadline_that_was_moved_is_moved_back() {
        let stuffed = |workload: bool| {
            let mut second = taking(1, P60);
            second.deadline = Some(second.intended + Span::from_ns(3 * P60));
            let first = taking(0, 2 * P60);
            let frames = [first, second]
                .map(|frame| FrameStats { workload: frame.workload.filter(|_| workload), ..frame });
            FRAME_OVERRUN_MS.measure(&window(frames.to_vec()))
        };
        // 0 on the first, one interval of head room on the second, by either way of knowing.
        let Reading::List(list) = stuffed(true) else { panic!() };
        assert_eq!(Reading::List(list.clone()), stuffed(false));
        assert!((list[0] + P60 as f64 / 2e6).abs() < 1e-9, "{list:?}");
    }
}
