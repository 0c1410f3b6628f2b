//! Whether a window can carry a number at all. The only place that decides it.
//!
//! Detected loss hides hitches and undetected loss fakes them (docs/design/stitching.md#coverage), so a window that may
//! have lost a frame gives no frame metric. Time nobody can explain, or whose refresh period cannot be told, is
//! tolerated up to [`INCONCLUSIVE_SHARE_PERCENT`] (docs/design/windows.md#when-a-number-is-refused). Counters are
//! always given: they say how good the evidence is.

use super::disagreements::ALONE;
use crate::metric::Needs;
use crate::motion::Phase;
use crate::time::Span;
use crate::window::Window;

/// Share of motion time, in percent, above which ambiguous or uncertain time makes a window inconclusive (strictly).
pub const INCONCLUSIVE_SHARE_PERCENT: i64 = 5;

/// Lateness in thousandths of the motion (ms/s) that may rest on an uncertain refresh period: more would decide where
/// people set their limits, and by a guess.
const LATE_UNCERTAIN_MS_PER_S: i64 = 1;

/// Why metrics with these needs cannot be given for this window; none when they can.
pub fn doubt(needs: Needs, window: &Window) -> Option<String> {
    let (frames, intervals, vsyncs) = match needs {
        // Each says by itself who was not asked, and what a phone does not tell.
        Needs::Counters | Needs::Launch | Needs::Resources => (false, false, false),
        Needs::Stages => return stages(window),
        Needs::Finishes => return stages(window).filter(|_| timeline(window).is_some()),
        Needs::Timeline => return timeline(window),
        Needs::Log => return log(window),
        Needs::Timestats => return timestats(window),
        Needs::Cross => return window.beside.cross.is_none().then(|| ALONE.to_owned()),
        Needs::Presents | Needs::Layers => (true, false, false),
        Needs::Frames => (true, true, false),
        Needs::Vsyncs => (true, true, true),
    };
    if frames && !window.motions.is_empty() && !window.coverage.proved {
        return Some(unproved(&window.coverage.doubts));
    }
    if intervals && too_much(window.ambiguous, window) {
        return Some(inconclusive(
            window.ambiguous,
            window,
            "passed without a frame, in a fling or near an end of a touch, and nothing tells \
            whether the content stood still or the app hung",
        ));
    }
    if vsyncs && too_much(window.coverage.period_uncertain, window) {
        let time = window.coverage.period_uncertain;
        return Some(inconclusive(
            time,
            window,
            "of motion has an uncertain refresh period; pin it with --vsync",
        ));
    }
    let late = window.coverage.late_uncertain;
    let motion = motion_time(window);
    if vsyncs && i128::from(late.ns()) * 1_000 > motion * i128::from(LATE_UNCERTAIN_MS_PER_S) {
        return Some(format!(
            "inconclusive: {:.0} ms of lateness ({:.1} ms/s) stand or fall with an uncertain refresh period, in {:.0} ms \
             of motion; pin it with --vsync",
            late.ms(),
            late.ns() as f64 * 1e3 / (motion.max(1) as f64),
            window.coverage.period_uncertain.ms()
        ));
    }
    None
}

fn stages(window: &Window) -> Option<String> {
    match &window.beside.framestats {
        None => Some("no framestats of the app were read in this window".to_owned()),
        Some(stages) if !stages.proved => {
            Some(format!("framestats may have missed drawn frames: {}", stages.doubts.join("; ")))
        }
        Some(_) => None,
    }
}

fn timeline(window: &Window) -> Option<String> {
    match &window.beside.frame_timeline {
        None => Some("no frame timeline was traced in this window (Android 12 and newer can)".to_owned()),
        Some(frame_timeline) if !frame_timeline.doubts.is_empty() => {
            Some(format!("the trace may have missed frames: {}", frame_timeline.doubts.join("; ")))
        }
        Some(_) => None,
    }
}

fn log(window: &Window) -> Option<String> {
    match &window.beside.log {
        None => Some("the phone's log was not read in this window".to_owned()),
        Some(log) if !log.doubts.is_empty() => {
            Some(format!("the log is incomplete: {}", log.doubts.join("; ")))
        }
        Some(_) => None,
    }
}

fn timestats(window: &Window) -> Option<String> {
    match &window.beside.timestats {
        None => {
            Some("SurfaceFlinger's counts were not taken in this window (Android 9 and newer can)".to_owned())
        }
        Some(counts) if !counts.doubts.is_empty() => {
            Some(format!("SurfaceFlinger's counts are not of this window: {}", counts.doubts.join("; ")))
        }
        Some(_) => None,
    }
}

fn unproved(doubts: &[String]) -> String {
    let why = if doubts.is_empty() { "the dumps do not overlap".to_owned() } else { doubts.join("; ") };
    format!("frames may have been missed: {why}")
}

fn inconclusive(time: Span, window: &Window, what: &str) -> String {
    let motion = motion_time(window);
    let share = time.ns() as f64 * 100.0 / (motion.max(1) as f64);
    let limit = INCONCLUSIVE_SHARE_PERCENT;
    format!("inconclusive: {:.0} ms {what} ({share:.1} % of the motion, more than {limit} %)", time.ms())
}

fn too_much(time: Span, window: &Window) -> bool {
    // Mostly there is none, and the intervals need not be summed.
    time.ns() > 0
        && i128::from(time.ns()) * 100 > motion_time(window) * i128::from(INCONCLUSIVE_SHARE_PERCENT)
}

/// Time in which content was expected to move, ns: the gestures in full, and of free stretches what is counted, because
/// their idle gaps are not motion.
fn motion_time(window: &Window) -> i128 {
    let gestures = window.motions.iter().filter(|motion| motion.phase.is_gesture());
    let gestures: i128 = gestures.map(|motion| i128::from((motion.to - motion.from).ns().max(0))).sum();
    let free = window.intervals.iter().filter(|interval| interval.phase == Phase::Free);
    gestures + free.map(|interval| i128::from(interval.length.ns())).sum::<i128>()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, window};
    use super::*;
    use crate::metrics::{find, measure_all, reading, registry};

    /// Ten 100 ms frames: one second of motion.
    fn second() -> Window {
        window(10 * MS, &[100 * MS; 10])
    }

    fn refused(window: &Window) -> Vec<Needs> {
        let all = [Needs::Frames, Needs::Vsyncs, Needs::Presents, Needs::Counters, Needs::Launch];
        all.into_iter().filter(|needs| doubt(*needs, window).is_some()).collect()
    }

    #[test]
    fn a_window_that_may_have_lost_a_frame_gives_counters_and_no_numbers() {
        let mut window = window(P60, &[P60; 20]);
        assert_eq!(refused(&window), []);
        window.coverage.proved = false;
        window.coverage.doubts = vec!["two dumps do not overlap".to_owned()];
        assert_eq!(refused(&window), [Needs::Frames, Needs::Vsyncs, Needs::Presents]);
        for metric in registry() {
            let reading = reading(metric, &window);
            match metric.needs {
                Needs::Counters => assert!(reading.value().is_some(), "{}", metric.key),
                Needs::Frames | Needs::Vsyncs | Needs::Presents | Needs::Layers => assert_eq!(
                    reading,
                    crate::metric::Reading::Unmeasurable(
                        "frames may have been missed: two dumps do not overlap".into()
                    ),
                    "{}",
                    metric.key
                ),
                // What does not read presents has its own reason: nothing stands beside this window.
                _ => assert_eq!(reading.value(), None),
            }
        }
    }

    #[test]
    fn ambiguous_time_is_tolerated_up_to_five_percent() {
        let mut window = second();
        window.ambiguous = Span::from_ms(50);
        assert_eq!(refused(&window), []);
        window.ambiguous = Span::from_ns(50 * MS + 1);
        assert_eq!(refused(&window), [Needs::Frames, Needs::Vsyncs]);
        let why = doubt(Needs::Frames, &window).unwrap();
        assert!(
            why.starts_with("inconclusive: 50 ms passed without a frame") && why.contains("5.0 %"),
            "{why}"
        );
    }

    #[test]
    fn an_uncertain_period_spoils_vsyncs_and_leaves_milliseconds() {
        let mut window = second();
        window.coverage.period_uncertain = Span::from_ms(50);
        assert_eq!(refused(&window), []);
        window.coverage.period_uncertain = Span::from_ns(50 * MS + 1);
        assert_eq!(refused(&window), [Needs::Vsyncs]);
        assert_eq!(measure_all(&window)["fps"].value(), Some(10.0));
        assert_eq!(crate::metrics::refresh_hz(&window), None);
    }

    #[test]
    fn lateness_that_rests_on_an_uncertain_period_decides_nothing() {
        let mut window = second();
        window.coverage.period_uncertain = Span::from_ms(40);
        window.coverage.late_uncertain = Span::from_ms(1);
        assert_eq!(refused(&window), []);
        window.coverage.late_uncertain = Span::from_ms(20);
        assert_eq!(refused(&window), [Needs::Vsyncs]);
        let why = doubt(Needs::Vsyncs, &window).unwrap();
        assert!(why.contains("20 ms of lateness (20.0 ms/s)") && why.contains("in 40 ms of motion"), "{why}");
    }

    #[test]
    fn an_unknown_period_leaves_milliseconds() {
        let readings = measure_all(&window(0, &[100 * MS; 10]));
        assert_eq!(readings["fps"].value(), Some(10.0));
        assert_eq!(readings["p50_ms"].value(), Some(100.0));
        for key in ["hitch_ms", "hitch_ms_per_s", "dropped_frames", "dropped_pct", "delivery_ratio"] {
            assert_eq!(find(key).unwrap().needs, Needs::Vsyncs);
            assert_eq!(readings[key].value(), None, "{key}");
        }
    }

    #[test]
    fn idle_time_of_a_free_stretch_is_not_motion() {
        let mut window = second();
        window.motions[0].phase = Phase::Free;
        window.motions[0].to = window.motions[0].to + Span::from_ms(3_600_000);
        for interval in &mut window.intervals {
            interval.phase = Phase::Free;
        }
        window.coverage.period_uncertain = Span::from_ms(51);
        assert_eq!(refused(&window), [Needs::Vsyncs]);
    }
}
