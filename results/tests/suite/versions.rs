//! An app that was updated between iterations: no sample of either version.

use farmjank_results::event::{Around, WindowMeasured};
use farmjank_results::gate::judge_window;
use farmjank_results::metric::{Reading, Unit};
use farmjank_results::threshold::Limit;
use farmjank_results::verdict::Verdict;

fn trial(hitch: f64, version: Option<&str>) -> WindowMeasured {
    let readings = [("hitch_ms_per_s".to_owned(), Reading::Value(hitch))];
    let around = version.map(|version| Around { app_version: Some(version.to_owned()), ..Around::default() });
    WindowMeasured {
        window: "w".into(),
        readings: readings.into_iter().collect(),
        around,
        ..WindowMeasured::default()
    }
}

fn judged(trials: &[WindowMeasured]) -> (Verdict, Option<String>) {
    let limit = Limit::parse("max < 10", Unit::MsPerS).expect("a limit");
    let judged = judge_window(&[("hitch_ms_per_s".to_owned(), limit)], trials);
    (judged.verdict, judged.reasons.first().cloned())
}

#[test]
fn iterations_of_two_versions_of_the_app_decide_nothing() {
    let (old, new) = (Some("7.4.1 (741)"), Some("7.5.0 (750)"));
    let words =
        "invalid: the app was updated between iterations: 7.4.1 (741), and 7.5.0 (750) from iteration 3 on";
    for last in [1.0, 99.0] {
        let trials = [trial(1.0, old), trial(1.0, old), trial(last, new)];
        assert_eq!(judged(&trials), (Verdict::Undecided, Some(words.to_owned())), "{last}");
    }
}

#[test]
fn a_void_iteration_and_a_phone_that_tells_no_version_are_no_other_version() {
    let (old, new) = (Some("7.4.1 (741)"), Some("7.5.0 (750)"));
    let mut trials = vec![trial(1.0, old); 5];
    trials[1] = trial(1.0, new);
    trials[1].void = Some("screen off".into());
    trials[2] = trial(1.0, None);
    assert_eq!(judged(&trials), (Verdict::Pass, None));
}
