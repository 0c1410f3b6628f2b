//! A limit that only a slow compositor breaks: reported, and no failure of the app.

use farmjank_results::event::WindowMeasured;
use farmjank_results::gate::judge_window;
use farmjank_results::metric::Reading;
use farmjank_results::threshold::{Limit, Outcome};
use farmjank_results::verdict::Verdict;

/// One trial: hitch time and, where a trace was read, who was late: app, compositor, display, stuffing, dropped.
fn trial(hitch: f64, blame: Option<[f64; 5]>) -> WindowMeasured {
    let mut readings = vec![
        ("hitch_ms_per_s".to_owned(), Reading::Value(hitch)),
        ("ft_sf_missed".to_owned(), Reading::Value(blame.map_or(0.0, |blame| blame[1]))),
        ("render_p95_ms".to_owned(), Reading::Value(40.0)),
    ];
    let keys = ["ft_blame", "ft_blame_ms"];
    readings.extend(keys.iter().filter_map(|key| Some(((*key).to_owned(), Reading::List(blame?.to_vec())))));
    WindowMeasured {
        window: "w".into(),
        readings: readings.into_iter().collect(),
        ..WindowMeasured::default()
    }
}

fn judged(metric: &str, limit: &str, trials: &[WindowMeasured]) -> (Verdict, Outcome, Vec<String>) {
    let unit = farmjank_results::metrics::find(metric).expect("a metric").unit;
    let limit = Limit::parse(limit, unit).expect("a limit");
    let judged = judge_window(&[(metric.to_owned(), limit)], trials);
    (judged.verdict, judged.judgements[0].outcome.clone(), judged.reasons)
}

const SLOW_COMPOSITOR: Option<[f64; 5]> = Some([0.0, 3.0, 1.0, 2.0, 0.0]);

#[test]
fn a_breach_of_the_compositor_alone_is_said_and_does_not_fail() {
    // A trial in which nothing was late at all says nothing against it.
    let trials = [trial(40.0, SLOW_COMPOSITOR), trial(41.0, SLOW_COMPOSITOR), trial(0.0, Some([0.0; 5]))];
    let (verdict, outcome, reasons) = judged("hitch_ms_per_s", "mean < 10", &trials);
    assert_eq!(verdict, Verdict::Pass);
    assert!(matches!(outcome, Outcome::Excused(_)), "{outcome:?}");
    assert!(reasons[0].contains("not by the app") && reasons[0].contains("8.00 ms"), "{reasons:?}");
}

#[test]
fn what_the_app_caused_must_meet_the_limit_alone() {
    let with =
        |blame| judged("hitch_ms_per_s", "mean < 10", &[trial(40.0, SLOW_COMPOSITOR), trial(41.0, blame)]).0;
    assert_eq!(with(SLOW_COMPOSITOR), Verdict::Pass);
    assert_eq!(with(Some([9.0, 9.0, 0.0, 0.0, 0.0])), Verdict::Fail, "half of 41 is the app's");
    assert_eq!(with(Some([0.0, 9.0, 0.0, 0.0, 1.0])), Verdict::Fail, "dropped");
    assert_eq!(with(None), Verdict::Fail, "a trial without a trace");
    assert_eq!(
        judged("hitch_ms_per_s", "mean < 10", &[trial(40.0, Some([0.0; 5]))]).0,
        Verdict::Fail,
        "nobody's"
    );
}

#[test]
fn hitch_time_is_split_exactly_and_other_metrics_are_not() {
    // 40 ms/s, a quarter of the standstill the app's: 10 ms/s.
    let quarter = trial(40.0, Some([1.0, 2.0, 1.0, 5.0, 0.0]));
    let with = |limit: &str| judged("hitch_ms_per_s", limit, std::slice::from_ref(&quarter)).0;
    assert_eq!((with("mean < 10"), with("mean <= 10")), (Verdict::Fail, Verdict::Pass));
    let mut slow = quarter.clone();
    slow.readings.insert("p95_ms".into(), Reading::Value(33.0));
    assert_eq!(judged("p95_ms", "mean < 20", &[slow]).0, Verdict::Fail);
    let mut slow = trial(40.0, SLOW_COMPOSITOR);
    slow.readings.insert("p95_ms".into(), Reading::Value(33.0));
    assert_eq!(judged("p95_ms", "mean < 20", &[slow]).0, Verdict::Pass);
}

#[test]
fn limits_on_the_compositor_or_the_renderer_are_what_they_are() {
    let trials = [trial(40.0, SLOW_COMPOSITOR)];
    assert_eq!(judged("ft_sf_missed", "max == 0", &trials).0, Verdict::Fail);
    assert_eq!(judged("render_p95_ms", "max < 16ms", &trials).0, Verdict::Fail);
}
