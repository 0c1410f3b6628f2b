//! The platform's own rules for what a late frame is, computed from times (docs/design/trace.md#the-platforms-rules),
//! so that traces and simulated phones can be checked against the bits the platform wrote. Times in ns.

use super::{Prediction, PresentType, jank};
use crate::time::{DeviceTime, Span};

/// A present within this of what was expected is on time. Android 16 can stretch it to 4 ms behind a flag.
pub const PRESENT_THRESHOLD: Span = Span::from_ms(2);

/// What is known about one frame before it is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// When it was shown; none for a fence that never told.
    pub present: Option<DeviceTime>,
    /// It was replaced before it was shown.
    pub dropped: bool,
    /// When it should have been shown.
    pub expected_present: DeviceTime,
    /// When the app was done.
    pub actual_end: DeviceTime,
    /// When it should have been done.
    pub expected_end: DeviceTime,
    /// When the compositor last took a buffer of this layer before this one.
    pub last_latch: Option<DeviceTime>,
    /// Bits of [`jank`] of the display frame that showed it.
    pub display_jank: u32,
    /// Render period; not positive when unknown: then every distance is on the grid, as the platform has it.
    pub period: Span,
    /// Prediction it is judged by.
    pub prediction: Prediction,
}

/// What comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Bits of [`jank`]; 0 where nothing can be said (no token).
    pub jank: u32,
    /// How it met the screen.
    pub present_type: PresentType,
    /// The app finished before its deadline, a stuffed queue forgiven.
    pub on_time_finish: bool,
}

/// Judges one frame. Present threshold 2 ms, deadline threshold 0, as SurfaceFlinger of Android 12 to 15 does.
pub fn classify(frame: &Judged) -> Verdict {
    let on_time_finish = frame.actual_end <= frame.expected_end;
    let verdict = |jank, present_type, on_time_finish| Verdict { jank, present_type, on_time_finish };
    if frame.dropped {
        return verdict(jank::DROPPED, PresentType::Dropped, on_time_finish);
    }
    let Some(present) = frame.present else {
        return verdict(jank::UNKNOWN, PresentType::Unknown, on_time_finish);
    };
    match frame.prediction {
        Prediction::Expired => return verdict(jank::APP_DEADLINE, PresentType::Unknown, on_time_finish),
        Prediction::Unknown => return verdict(0, PresentType::Unknown, on_time_finish),
        Prediction::Valid => {}
    }
    let delta = (present - frame.expected_present).ns();
    if delta.unsigned_abs() <= PRESENT_THRESHOLD.ns().unsigned_abs() {
        return verdict(jank::NONE, PresentType::OnTime, on_time_finish);
    }
    if delta < 0 {
        let bits = if on_time_finish { off_vsync(delta, frame.period) } else { jank::UNKNOWN };
        return verdict(bits, PresentType::Early, on_time_finish);
    }
    let (bits, on_time_finish) = late(frame, delta, on_time_finish);
    verdict(bits, PresentType::Late, on_time_finish)
}

/// The bits of a late frame, and whether its app was in time after all.
fn late(frame: &Judged, delta: i64, in_time: bool) -> (u32, bool) {
    let latch = frame.last_latch.filter(|latch| frame.expected_end <= *latch);
    // A frame that waited for a free buffer cannot be blamed for its start: it gets one period from the last latch.
    let in_time = latch.map_or(in_time, |latch| latch + frame.period > frame.actual_end);
    let stuffed = if latch.is_some() { jank::BUFFER_STUFFING } else { 0 };
    let display = frame.display_jank & !jank::NONE;
    let bits = match (in_time, display, stuffed) {
        (false, display, stuffed) => stuffed | jank::APP_DEADLINE | display,
        (true, 0, 0) => off_vsync(delta, frame.period),
        (true, display, stuffed) => stuffed | display,
    };
    (bits, in_time)
}

/// Whole vsyncs off: the compositor chose another one. Anything else: the prediction was wrong.
fn off_vsync(delta: i64, period: Span) -> u32 {
    let (threshold, period) = (PRESENT_THRESHOLD.ns(), period.ns());
    let rest = if period > 0 { (delta.unsigned_abs() % period.unsigned_abs()) as i64 } else { 0 };
    let on_grid = rest < threshold || rest >= period.saturating_sub(threshold);
    if on_grid { jank::SF_SCHEDULING } else { jank::PREDICTION_ERROR }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;
    const P: i64 = 16 * MS;

    fn at(ns: i64) -> DeviceTime {
        DeviceTime::from_ns(1_000 * MS + ns)
    }

    /// Expected at 0 with the deadline one period before; on time on both.
    fn frame() -> Judged {
        Judged {
            present: Some(at(0)),
            dropped: false,
            expected_present: at(0),
            actual_end: at(-P),
            expected_end: at(-P),
            last_latch: None,
            display_jank: jank::NONE,
            period: Span::from_ns(P),
            prediction: Prediction::Valid,
        }
    }

    fn bits(delta: i64, change: impl Fn(&mut Judged)) -> u32 {
        let mut frame = Judged { present: Some(at(delta)), ..frame() };
        change(&mut frame);
        classify(&frame).jank
    }

    #[test]
    fn two_milliseconds_are_on_time_and_one_nanosecond_more_is_not() {
        let kind = |delta: i64| classify(&Judged { present: Some(at(delta)), ..frame() }).present_type;
        let edges = [-2 * MS - 1, -2 * MS, -2 * MS + 1, 2 * MS - 1, 2 * MS, 2 * MS + 1];
        use PresentType::{Early, Late, OnTime};
        assert_eq!(edges.map(kind), [Early, OnTime, OnTime, OnTime, OnTime, Late]);
        // On time however late the app finished.
        assert_eq!(bits(2 * MS, |frame| frame.actual_end = at(50 * MS)), jank::NONE);
    }

    #[test]
    fn a_deadline_has_no_slack() {
        for (end, expected) in
            [(-P - 1, jank::SF_SCHEDULING), (-P, jank::SF_SCHEDULING), (-P + 1, jank::APP_DEADLINE)]
        {
            assert_eq!(bits(P, |frame| frame.actual_end = at(end)), expected, "{end}");
        }
    }

    #[test]
    fn whole_vsyncs_are_scheduling_and_the_rest_is_prediction() {
        // Below the threshold past a vsync, and at the threshold before one: on the grid.
        for (delta, expected) in [
            (P + 2 * MS - 1, jank::SF_SCHEDULING),
            (P + 2 * MS, jank::PREDICTION_ERROR),
            (P + 2 * MS + 1, jank::PREDICTION_ERROR),
            (P - 2 * MS - 1, jank::PREDICTION_ERROR),
            (P - 2 * MS, jank::SF_SCHEDULING),
            (P - 2 * MS + 1, jank::SF_SCHEDULING),
        ] {
            assert_eq!(bits(delta, |_| {}), expected, "late {delta}");
            assert_eq!(bits(-delta, |_| {}), expected, "early {delta}");
        }
        assert_eq!(bits(5 * MS, |frame| frame.period = Span::ZERO), jank::SF_SCHEDULING);
    }

    #[test]
    fn early_and_finished_late_is_unknown() {
        assert_eq!(bits(-P, |frame| frame.actual_end = at(-P + 1)), jank::UNKNOWN);
    }

    #[test]
    fn the_display_frames_own_fault_is_passed_on() {
        let faulty = |frame: &mut Judged| frame.display_jank = jank::SF_CPU;
        assert_eq!(bits(P, faulty), jank::SF_CPU);
        let both = |frame: &mut Judged| (frame.display_jank, frame.actual_end) = (jank::SF_CPU, at(0));
        assert_eq!(bits(P, both), jank::APP_DEADLINE | jank::SF_CPU);
        assert_eq!(bits(0, faulty), jank::NONE);
    }

    #[test]
    fn a_stuffed_queue_moves_the_deadline_to_the_last_latch_and_a_period() {
        let stuffed = |latch: i64, end: i64| {
            bits(P, |frame| (frame.last_latch, frame.actual_end) = (Some(at(latch)), at(end)))
        };
        // Latched just before the deadline: not stuffed.
        assert_eq!(stuffed(-P - 1, 0), jank::APP_DEADLINE);
        assert_eq!(stuffed(-P, -1), jank::BUFFER_STUFFING);
        // At the moved deadline it is late.
        assert_eq!(stuffed(-P, 0), jank::BUFFER_STUFFING | jank::APP_DEADLINE);
        let display = |frame: &mut Judged| {
            (frame.last_latch, frame.display_jank) = (Some(at(0)), jank::DISPLAY_HAL);
        };
        assert_eq!(bits(P, display), jank::BUFFER_STUFFING | jank::DISPLAY_HAL);
    }

    #[test]
    fn what_was_not_shown_or_not_predicted_has_its_own_kind() {
        let dropped = classify(&Judged { dropped: true, present: None, ..frame() });
        assert_eq!((dropped.jank, dropped.present_type), (jank::DROPPED, PresentType::Dropped));
        assert_eq!(classify(&Judged { present: None, ..frame() }).jank, jank::UNKNOWN);
        assert_eq!(bits(0, |frame| frame.prediction = Prediction::Expired), jank::APP_DEADLINE);
        assert_eq!(bits(P, |frame| frame.prediction = Prediction::Unknown), 0);
    }

    #[test]
    fn extremes_do_not_overflow() {
        for present in [i64::MIN, i64::MAX] {
            for period in [i64::MIN, -1, 0, 1, i64::MAX] {
                classify(&Judged {
                    present: Some(DeviceTime::from_ns(present)),
                    period: Span::from_ns(period),
                    last_latch: Some(DeviceTime::from_ns(i64::MAX)),
                    ..frame()
                });
            }
        }
    }
}
