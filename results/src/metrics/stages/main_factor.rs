//! Which stage ate the frame.
//!
//! What: of frames that took longer than two intervals to render, the stage that took longest, if it took more than
//! half of that line; else none. Formula: below; both lines strict; of equal stages the earlier. Unit: count, %.
//! Better: lower. Needs: every drawn frame and its interval. Source: docs/design/metrics.md#render-stages, with a
//! threshold of two intervals: the first length that can cost a vsync.

use super::frames::{Frames, percent, read};
use super::stage::STAGES;
use crate::framestats::FrameStats;
use crate::metric::{Better, Metric, Needs, Reading, Refusal, Unit};
use crate::window::Window;

/// Frames are looked at when they took longer than this many intervals; a stage is the main factor above half of them.
const LINE: i64 = 2;
/// The place of `none` among the counts, after the stages.
const NONE: usize = STAGES.len();

/// The place of the stage that ate a frame; none for a frame that did not take long.
fn factor(frame: &FrameStats, interval: i64) -> Option<usize> {
    let line = i128::from(interval) * i128::from(LINE);
    if i128::from(frame.render().ns()) <= line {
        return None;
    }
    let mut longest = (NONE, 0);
    for (place, stage) in STAGES.iter().enumerate() {
        let took = stage(frame).map_or(0, |took| took.ns());
        if took > longest.1 {
            longest = (place, took);
        }
    }
    Some(if 2 * i128::from(longest.1) > line { longest.0 } else { NONE })
}

/// Long frames of a window, in order of the vsync they were scheduled for, with the place of the stage that ate each:
/// an index into [`STAGE_NAMES`](super::STAGE_NAMES), or its length where no single stage did. Empty without
/// framestats.
pub fn main_factors(window: &Window) -> Vec<(FrameStats, usize)> {
    let Ok(frames) = Frames::of(window) else { return Vec::new() };
    let long = |frame: &FrameStats| Some((*frame, factor(frame, frames.interval(frame)?)?));
    frames.all.iter().filter_map(long).collect()
}

fn counts(frames: &Frames<'_>) -> Result<[usize; NONE + 1], Refusal> {
    let mut counts = [0; NONE + 1];
    for (frame, interval) in frames.with_interval()? {
        if let Some(place) = factor(frame, interval) {
            counts[place] += 1;
        }
    }
    Ok(counts)
}

/// Long frames by the stage that ate them.
pub(super) static MAIN_FACTOR: Metric = Metric {
    key: "main_factor",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Stages,
    about: "which stage ate the long frames: list of counts for unknown_delay, input, animation, layout_measure, draw, \
            sync_queue, sync, command_issue, swap_buffers, gpu, none",
    formula: "of frames with R > 2 I: the longest stage if it took more than I, else none; of equal ones the earlier",
    since: 7,
    origin: "an APM team's rule: the stage over half of the frame's line. Two intervals are the first length that can cost a \
             refresh. unknown_delay is the UI thread busy before the frame began; gpu needs Android 13 (some 12)",
    measure: |window| {
        read(window, |frames| {
            Ok(Reading::List(counts(frames)?.into_iter().map(|count| count as f64).collect()))
        })
    },
};

/// Share of long frames that no single stage ate.
pub(super) static MAIN_FACTOR_NONE_PCT: Metric = Metric {
    key: "main_factor_none_pct",
    unit: Unit::Percent,
    about: "share of long frames that no single stage ate",
    formula: "100 (how many none) / (how many R > 2 I)",
    measure: |window| {
        read(window, |frames| {
            let counts = counts(frames)?;
            match counts.iter().sum() {
                0 => Err("no frame took longer than two intervals: there is nothing to explain".into()),
                long => Ok(Reading::Value(percent(counts[NONE], long))),
            }
        })
    },
    ..MAIN_FACTOR
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, old_frame, taking, window};
    use super::*;
    use crate::time::{DeviceTime, Span};

    /// A frame that took `took`, most of it drawing commands: `issue` of it.
    fn long(took: i64, issue: i64) -> FrameStats {
        let mut frame = taking(0, took);
        let issued = frame.issue.unwrap();
        frame.swap = Some(issued + Span::from_ns(issue));
        frame.swap_completed = frame.swap;
        (frame.submitted, frame.gpu_completed) = (None, None);
        frame
    }

    fn list(frames: Vec<FrameStats>) -> Vec<f64> {
        match MAIN_FACTOR.measure(&window(frames)) {
            Reading::List(list) => list,
            other => panic!("{other:?}"),
        }
    }

    fn only(place: usize) -> Vec<f64> {
        (0..=NONE).map(|at| f64::from(u8::from(at == place))).collect()
    }

    #[test]
    fn the_text_names_the_stages_in_the_order_of_the_counts() {
        let stages: Vec<&str> = super::super::METRICS
            .iter()
            .filter_map(|metric| metric.key.strip_prefix("stage_")?.strip_suffix("_ms"))
            .collect();
        assert_eq!((stages.len(), &stages[..]), (STAGES.len(), &super::super::STAGE_NAMES[..]));
        assert!(MAIN_FACTOR.about.ends_with(&format!("{}, none", stages.join(", "))), "{stages:?}");
    }

    #[test]
    fn two_intervals_are_not_long() {
        let issue = P60 + 1;
        assert_eq!(list(vec![long(2 * P60, issue)]), vec![0.0; 11]);
        assert_eq!(list(vec![long(2 * P60 - 1, issue)]), vec![0.0; 11]);
        assert_eq!(list(vec![long(2 * P60 + 1, issue)]), only(7));
    }

    #[test]
    fn half_of_the_line_is_not_a_factor() {
        assert_eq!(list(vec![long(3 * P60, P60)]), only(NONE));
        assert_eq!(list(vec![long(3 * P60, P60 - 1)]), only(NONE));
        assert_eq!(list(vec![long(3 * P60, P60 + 1)]), only(7));
    }

    #[test]
    fn the_longest_wins_and_of_equal_ones_the_earlier() {
        let mut frame = long(6 * P60, 2 * P60);
        frame.handle_input = Some(frame.intended + Span::from_ns(2 * P60));
        assert_eq!(list(vec![frame]), only(0));
        frame.handle_input = Some(frame.intended + Span::from_ns(2 * P60 - 1));
        assert_eq!(list(vec![frame]), only(7));
    }

    #[test]
    fn shares_are_of_long_frames_only() {
        let share = |frames| MAIN_FACTOR_NONE_PCT.measure(&window(frames));
        let frames = vec![
            long(3 * P60, P60),
            long(3 * P60, P60 + 1),
            taking(1, MS),
            long(4 * P60, 0),
            long(9 * P60, MS),
        ];
        assert_eq!(share(frames), Reading::Value(75.0));
        assert!(
            matches!(share(vec![taking(0, P60)]), Reading::Unmeasurable(why) if why.contains("nothing to explain"))
        );
        assert!(
            matches!(share(vec![old_frame(0, P60)]), Reading::Unmeasurable(why) if why.contains("interval"))
        );
    }

    #[test]
    fn a_gpu_that_works_long_is_a_factor_of_its_own() {
        let mut frame = taking(0, 4 * P60);
        assert_eq!(list(vec![frame]), only(9));
        frame.submitted = Some(DeviceTime::from_ns(frame.completed.ns() - P60));
        assert_eq!(list(vec![frame]), only(NONE));
    }
}
