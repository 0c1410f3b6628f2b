//! Launch time, as Android reports it.
//!
//! What: `TotalTime` of `am start -W`. No window knows it: the engine reads it from the step and puts it in place of
//! this entry's refusal. Unit: ms. Better: lower. Needs: a `launchApp` step in the window. Source: `am start -W`.

use crate::metric::{Better, Metric, Needs, Reading, Unit};

/// `TotalTime` of the launch.
pub static LAUNCH_TOTAL_MS: Metric = Metric {
    key: "launch_total_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Launch,
    about: "launch time as Android reports it",
    formula: "TotalTime of am start -W",
    since: 7,
    origin: "The phone's own number: from the start of the activity until its first frame was drawn (time to initial \
        display), counted by Android. Cold, warm and hot launches differ by far: keep them in windows of their own.",
    measure: |_| Reading::Unmeasurable("no launchApp in this window".into()),
};

#[cfg(test)]
mod tests {
    use crate::metrics::samples::{P60, window};

    #[test]
    fn a_window_never_has_a_launch_time_of_its_own() {
        let readings = crate::metrics::measure_all(&window(P60, &[P60; 9]));
        let why = crate::metric::Reading::Unmeasurable("no launchApp in this window".into());
        assert_eq!(readings["launch_total_ms"], why);
    }
}
