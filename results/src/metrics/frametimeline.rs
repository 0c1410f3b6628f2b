//! SurfaceFlinger's own judgement of every frame: how late, and by whose fault (Android 12 and newer).
//!
//! What: each frame of the app once (process and vsync token), however many layers carried it; first draws of windows
//! are left out, as Android's own interaction monitor does. Formulas: beside each entry. Units: ms/s, counts. Better:
//! lower. Needs: a trace without losses. Source: docs/design/trace.md#whose-fault.

use crate::frame_timeline::{JankOwner, Joint, Severity, SurfaceFrames, jank};
use crate::metric::{Better, Metric, Needs, Reading, Refusal, Unit};
use crate::time::{DeviceTime, Span};
use crate::window::Window;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The app's side in Android's own interaction monitor.
const APP_MISSED: u32 = jank::APP_DEADLINE | jank::PREDICTION_ERROR;
/// The compositor's and the display's side there.
const SF_MISSED: u32 = jank::DISPLAY_HAL | jank::SF_CPU | jank::SF_GPU | jank::SF_SCHEDULING;

/// The trace of the window and its frames; the reason when there are none.
pub(super) fn frames(window: &Window) -> Result<(&SurfaceFrames, Cow<'_, [Joint]>), Refusal> {
    let frame_timeline =
        window.beside.frame_timeline.as_ref().ok_or("no frame timeline was traced in this window")?;
    let joints = frame_timeline.joints();
    if joints.is_empty() {
        return Err("the trace shows no frame of the app in this window".into());
    }
    Ok((frame_timeline, joints))
}

/// How many frames are of a kind.
pub(super) fn count(window: &Window, kind: impl Fn(&Joint) -> bool) -> Reading {
    match frames(window) {
        Ok((_, joints)) => Reading::Value(joints.iter().filter(|joint| kind(joint)).count() as f64),
        Err(why) => why.into(),
    }
}

/// Time the screen stood still, ns, by whose fault it is.
pub(super) fn still_ns(window: &Window) -> Result<BTreeMap<JankOwner, i128>, Refusal> {
    let (frame_timeline, joints) = frames(window)?;
    let mut shares: BTreeMap<JankOwner, i128> = JankOwner::ALL.into_iter().map(|owner| (owner, 0)).collect();
    for joint in joints.iter() {
        let Some(share) = joint.owner().and_then(|owner| shares.get_mut(&owner)) else { continue };
        let period = period(window, frame_timeline, joint.present).ok_or(
            "the refresh period is not known, so lateness in vsyncs cannot be told; pin it with --vsync",
        )?;
        *share += i128::from(joint.vsyncs_still(period)) * i128::from(period.ns());
    }
    Ok(shares)
}

/// Refresh period a frame is judged by: that of the counted interval it ends, else that of the trace.
fn period(window: &Window, frame_timeline: &SurfaceFrames, present: Option<DeviceTime>) -> Option<Span> {
    let ends = |at: DeviceTime| {
        let next = window.intervals.partition_point(|interval| interval.from + interval.length < at);
        window.intervals.get(next).filter(|interval| interval.from < at)
    };
    let counted = present.and_then(ends).map(|interval| interval.period);
    counted.filter(|period| period.ns() > 0).or(frame_timeline.period).filter(|period| period.ns() > 0)
}

/// Whole vsyncs late, as ns.
fn hitch_ns(window: &Window, frame_timeline: &SurfaceFrames, joints: &[Joint]) -> Option<i128> {
    joints.iter().try_fold(0_i128, |sum, joint| {
        let period = period(window, frame_timeline, joint.present)?;
        Some(sum + i128::from(joint.vsyncs_late(period)) * i128::from(period.ns()))
    })
}

/// T, ns: the counted intervals where they are proved, else the time between the trace's own presents in each motion.
fn motion_ns(window: &Window, frame_timeline: &SurfaceFrames) -> i128 {
    if window.coverage.proved && !window.intervals.is_empty() {
        return window.intervals.iter().map(|interval| i128::from(interval.length.ns())).sum();
    }
    frame_timeline.moving_ns(&window.motions)
}

fn hitch(window: &Window) -> Result<f64, Refusal> {
    let (frame_timeline, joints) = frames(window)?;
    let late = hitch_ns(window, frame_timeline, &joints).ok_or(
        "the refresh period is not known, so lateness in vsyncs cannot be told; pin it with --vsync",
    )?;
    match motion_ns(window, frame_timeline) {
        time if time > 0 => Ok(late as f64 * 1e3 / time as f64),
        _ => Err("one present only: a single present has no rate".into()),
    }
}

/// Hitch time against the platform's own deadlines.
pub(crate) static FT_HITCH_MS_PER_S: Metric = Metric {
    key: "ft_hitch_ms_per_s",
    unit: Unit::MsPerS,
    better: Better::Lower,
    needs: Needs::Timeline,
    about: "time by which frames came later than SurfaceFlinger expected, in whole vsyncs, per second of motion",
    formula: "sum round(max(0, present - expected present) / P) P / T; frames that only waited in a full queue count \
        what they are later than the frame before",
    since: 12,
    origin: "SurfaceFlinger's expected present of each frame instead of the present before it, so it stays true where \
        the refresh rate moves",
    measure: |window| match hitch(window) {
        Ok(value) => Reading::Value(value),
        Err(why) => why.into(),
    },
};

/// Frames judged.
pub(crate) static FT_FRAMES: Metric = Metric {
    key: "ft_frames",
    unit: Unit::Count,
    better: Better::Higher,
    needs: Needs::Timeline,
    about: "frames of the app SurfaceFlinger judged",
    formula: "distinct (process, vsync token)",
    since: 12,
    origin: "frame timeline of a Perfetto trace; the first draw of a window is left out",
    measure: |window| count(window, |_| true),
};

/// The app's misses.
pub(crate) static FT_APP_MISSED: Metric = Metric {
    key: "ft_app_missed",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Timeline,
    about: "frames missed on the app's side",
    formula: "count of AppDeadlineMissed or PredictionError",
    since: 12,
    origin: "the split of Android's own interaction monitor, which puts a wrong prediction on the app's side; ft_blame \
        does not",
    measure: |window| count(window, |joint| joint.bits & APP_MISSED != 0),
};

/// The compositor's misses.
pub(crate) static FT_SF_MISSED: Metric = Metric {
    key: "ft_sf_missed",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Timeline,
    about: "frames missed on the compositor's or the display's side",
    formula: "count of DisplayHAL, SurfaceFlingerCpu/GpuDeadlineMissed or SurfaceFlingerScheduling",
    since: 12,
    origin: "the split of Android's own interaction monitor; a frame can be on both sides",
    measure: |window| count(window, |joint| joint.bits & SF_MISSED != 0),
};

/// How bad the late ones were.
pub(crate) static FT_SEVERITY: Metric = Metric {
    key: "ft_severity",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Timeline,
    about: "late frames by how much they missed: [less than one period, one period or more]",
    formula: "partial: |present - expected present| < P; full: the rest; over frames somebody is to blame for",
    since: 12,
    origin: "the platform's own severity where it tells (Android 14), else the same rule on the times of the trace",
    measure: |window| match severities(window) {
        Ok(counts) => Reading::List(counts.to_vec()),
        Err(why) => why.into(),
    },
};

fn severities(window: &Window) -> Result<[f64; 2], Refusal> {
    let (frame_timeline, joints) = frames(window)?;
    let mut counts = [0.0; 2];
    for joint in joints.iter().filter(|joint| joint.owner().is_some_and(|owner| owner != JankOwner::Dropped))
    {
        let period = period(window, frame_timeline, joint.present);
        let full = match (joint.severity, joint.late, period) {
            (Severity::None, ..) => continue,
            (Severity::Partial, ..) => false,
            (Severity::Full, ..) => true,
            (Severity::Unknown, Some(late), Some(period)) => {
                late.ns().unsigned_abs() >= period.ns().unsigned_abs()
            }
            (Severity::Unknown, ..) => continue,
        };
        counts[usize::from(full)] += 1.0;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::super::samples::window;
    use super::*;
    use crate::frame_timeline::SurfaceFrame;
    use crate::frame_timeline::samples_of_frames::{P, frame, trace};
    use crate::metrics::reading;

    /// Sixty periods of motion and these frames.
    fn of(frames: Vec<SurfaceFrame>) -> Window {
        let mut window = window(P, &[P; 60]);
        window.beside.frame_timeline = Some(trace(frames));
        window
    }

    fn value(entry: &Metric, window: &Window) -> f64 {
        reading(entry, window).value().unwrap_or_else(|| panic!("{:?}", reading(entry, window)))
    }

    #[test]
    fn without_a_trace_or_with_losses_there_is_no_number() {
        let none = window(P, &[P; 60]);
        assert!(matches!(reading(&FT_HITCH_MS_PER_S, &none), Reading::Unmeasurable(_)));
        let mut lossy = of(vec![frame(1, 0, jank::NONE)]);
        assert_eq!(value(&FT_FRAMES, &lossy), 1.0);
        if let Some(frame_timeline) = &mut lossy.beside.frame_timeline {
            frame_timeline.doubts.push("packets were lost".to_owned());
        }
        assert!(
            matches!(reading(&FT_FRAMES, &lossy), Reading::Unmeasurable(why) if why.contains("packets were lost"))
        );
        assert!(matches!(reading(&FT_FRAMES, &of(Vec::new())), Reading::Unmeasurable(_)));
    }

    #[test]
    fn hitch_is_whole_vsyncs_over_the_counted_time() {
        let late = |delta: i64| value(&FT_HITCH_MS_PER_S, &of(vec![frame(1, delta, jank::APP_DEADLINE)]));
        let one = 1e3 / 60.0;
        for (delta, vsyncs) in [(P / 2 - 1, 0.0), (P / 2, 1.0), (P / 2 + 1, 1.0), (2 * P, 2.0), (-P, 0.0)] {
            assert!((late(delta) - vsyncs * one).abs() < 1e-9, "{delta}: {}", late(delta));
        }
    }

    #[test]
    fn each_frame_is_judged_by_the_period_of_its_own_interval() {
        let mut window = of(vec![frame(1, 3 * P, jank::APP_DEADLINE)]);
        // The frame is shown 4 P after the window began, at the end of its fourth interval.
        for interval in &mut window.intervals {
            interval.period = Span::from_ns(P);
        }
        window.intervals[3].period = Span::from_ns(2 * P);
        assert!((value(&FT_HITCH_MS_PER_S, &window) - 4.0 * 1e3 / 60.0).abs() < 1e-9);
        window.intervals[3].period = Span::ZERO;
        assert!((value(&FT_HITCH_MS_PER_S, &window) - 3.0 * 1e3 / 60.0).abs() < 1e-9);
        if let Some(frame_timeline) = &mut window.beside.frame_timeline {
            frame_timeline.period = None;
        }
        assert!(
            matches!(FT_HITCH_MS_PER_S.measure(&window), Reading::Unmeasurable(why) if why.contains("--vsync"))
        );
    }

    #[test]
    fn without_proved_intervals_the_trace_measures_its_own_time() {
        let frames = (1..=11).map(|token| frame(token, if token == 11 { P } else { 0 }, jank::APP_DEADLINE));
        let mut window = of(frames.collect());
        window.coverage.proved = false;
        // Eleven periods from the first present to the last, one of them late.
        assert!((value(&FT_HITCH_MS_PER_S, &window) - 1e3 / 11.0).abs() < 1e-9);
        window.intervals.clear();
        assert!((value(&FT_HITCH_MS_PER_S, &window) - 1e3 / 11.0).abs() < 1e-9);
        window.motions.clear();
        assert!(matches!(FT_HITCH_MS_PER_S.measure(&window), Reading::Unmeasurable(_)));
    }

    #[test]
    fn the_sides_are_those_of_androids_own_monitor() {
        use jank::*;
        let bits =
            [NONE, APP_DEADLINE, PREDICTION_ERROR, UNKNOWN, BUFFER_STUFFING, DISPLAY_HAL, SF_CPU, SF_GPU];
        let more = [SF_SCHEDULING, SF_STUFFING, DROPPED, APP_DEADLINE | SF_CPU];
        let frames = bits.iter().chain(&more).zip(1..).map(|(bits, token)| frame(token, 0, *bits));
        let window = of(frames.collect());
        assert_eq!(value(&FT_FRAMES, &window), 12.0);
        assert_eq!(value(&FT_APP_MISSED, &window), 3.0);
        assert_eq!(value(&FT_SF_MISSED, &window), 5.0);
    }

    #[test]
    fn severity_is_the_platforms_word_or_the_same_rule() {
        let mut told = frame(4, 9 * P, jank::APP_DEADLINE);
        told.severity = Severity::Partial;
        let mut none = frame(5, 9 * P, jank::APP_DEADLINE);
        none.severity = Severity::None;
        let late = |token: i64, delta: i64| frame(token, delta, jank::SF_CPU);
        let window =
            of(vec![late(1, P - 1), late(2, P), late(3, P + 1), told, none, frame(6, 9 * P, jank::NONE)]);
        assert_eq!(reading(&FT_SEVERITY, &window), Reading::List(vec![2.0, 2.0]));
    }
}
