//! Limits against iterations, and windows against all their limits.

use farmjank_results::event::WindowMeasured;
use farmjank_results::frame::SourceId;
use farmjank_results::gate::{VOID_SHARE_MAX, judge_window};
use farmjank_results::judge::{IterationValue, judge};
use farmjank_results::metric::{Reading, Unit};
use farmjank_results::threshold::{Judgement, Limit, Outcome};
use farmjank_results::time::Span;
use farmjank_results::timeline::RowCounts;
use farmjank_results::verdict::Verdict;
use farmjank_results::window::Coverage;
use proptest::prelude::*;

fn limit(text: &str, unit: Unit) -> Limit {
    Limit::parse(text, unit).unwrap_or_else(|complaint| panic!("{text}: {complaint}"))
}

fn values(given: &[f64]) -> Vec<IterationValue> {
    given.iter().map(|value| IterationValue { value: Some(*value), refresh_hz: Some(60.0) }).collect()
}

fn outcome(text: &str, given: &[f64]) -> Outcome {
    judge("hitch_ms", Unit::Ms, &limit(text, Unit::Ms), &values(given)).outcome
}

fn confident(text: &str, percent: f64, given: &[f64]) -> Judgement {
    let limit = limit(text, Unit::Ms).with_confidence(percent).unwrap();
    judge("hitch_ms", Unit::Ms, &limit, &values(given))
}

#[test]
fn each_relation_is_exact_at_its_bound() {
    let beside = [10.0f64.next_down(), 10.0, 10.0f64.next_up()];
    for (relation, held) in [
        ("<", [true, false, false]),
        ("<=", [true, true, false]),
        (">", [false, false, true]),
        (">=", [false, true, true]),
        ("==", [false, true, false]),
    ] {
        for (value, held) in beside.into_iter().zip(held) {
            let expected = if held { Outcome::Held } else { Outcome::Breached };
            assert_eq!(outcome(&format!("mean {relation} 10"), &[value]), expected, "{value} {relation} 10");
        }
    }
}

#[test]
fn each_aggregate_reads_its_own_number() {
    let given = [1.0, 2.0, 3.0, 10.0];
    for (aggregate, number) in [("mean", 4.0), ("median", 2.5), ("min", 1.0), ("max", 10.0), ("p(75)", 3.0)] {
        let judgement = judge(
            "hitch_ms",
            Unit::Ms,
            &limit(&format!("{aggregate} == {number}"), Unit::Ms),
            &values(&given),
        );
        assert_eq!((judgement.outcome, judgement.actual), (Outcome::Held, Some(number)), "{aggregate}");
        assert_eq!((judgement.limit, judgement.confidence_bound), (Some(number), None));
        assert_eq!(judgement.values, given.map(Some));
    }
}

#[test]
fn percent_of_refresh_is_taken_iteration_by_iteration() {
    // 57 of 60 and 114 of 120 are both exactly 95 %
    let mixed = [(57.0, 60.0), (114.0, 120.0)];
    let given = |given: &[(f64, f64)]| -> Vec<IterationValue> {
        given.iter().map(|(fps, hz)| IterationValue { value: Some(*fps), refresh_hz: Some(*hz) }).collect()
    };
    let held = judge("fps", Unit::Fps, &limit("min >= 95%refresh", Unit::Fps), &given(&mixed));
    assert_eq!((held.outcome, held.actual, held.limit), (Outcome::Held, Some(57.0), Some(85.5)));
    let slow = [(57.0f64.next_down(), 60.0), (114.0, 120.0)];
    let breached = judge("fps", Unit::Fps, &limit("min >= 95%refresh", Unit::Fps), &given(&slow));
    assert_eq!(breached.outcome, Outcome::Breached);
    // raw mean 85.5 is 95 % of the mean rate, yet 110 % and 90 % average to 100 %
    let judged = judge(
        "fps",
        Unit::Fps,
        &limit("mean >= 100%refresh", Unit::Fps),
        &given(&[(66.0, 60.0), (108.0, 120.0)]),
    );
    assert_eq!((judged.outcome, judged.actual, judged.limit), (Outcome::Held, Some(87.0), Some(90.0)));
}

#[test]
fn an_unknown_refresh_rate_makes_a_relative_limit_unknown_and_leaves_a_plain_one() {
    let given = [
        IterationValue { value: Some(60.0), refresh_hz: Some(60.0) },
        IterationValue { value: Some(60.0), refresh_hz: None },
    ];
    let relative = judge("fps", Unit::Fps, &limit("mean >= 95%refresh", Unit::Fps), &given);
    assert_eq!(relative.outcome, Outcome::Unknown("1 of 2 iterations has no known refresh rate".into()));
    assert_eq!((relative.actual, relative.limit), (Some(60.0), Some(57.0)));
    assert_eq!(judge("fps", Unit::Fps, &limit("mean >= 57", Unit::Fps), &given).outcome, Outcome::Held);
    let zero = IterationValue { value: Some(60.0), refresh_hz: Some(0.0) };
    let judged = judge("fps", Unit::Fps, &limit("mean >= 95%refresh", Unit::Fps), &[zero]);
    assert_eq!((judged.limit, matches!(judged.outcome, Outcome::Unknown(_))), (None, true));
}

#[test]
fn a_missing_value_is_unknown_unless_nothing_could_mend_the_breach() {
    let mut given = values(&[1.0, 2.0, 50.0, 3.0, 4.0]);
    given[1].value = None;
    let of = |text: &str| judge("hitch_ms", Unit::Ms, &limit(text, Unit::Ms), &given).outcome;
    let unknown = Outcome::Unknown("1 of 5 iterations has no value".into());
    assert_eq!(of("max < 60"), unknown);
    assert_eq!(of("max < 50"), Outcome::Breached);
    assert_eq!(of("max == 0"), Outcome::Breached);
    assert_eq!(of("mean < 20"), unknown, "58 / 5 is below 20, and nobody knows the fifth");
    assert_eq!(of("mean < 11.6"), Outcome::Breached, "58 / 5 with the missing one as 0");
    assert_eq!(of("mean > 1000"), unknown, "the missing one may be huge");
    assert_eq!(of("min >= 1.5"), Outcome::Breached);
    assert_eq!(of("min >= 1"), unknown);
    given.iter_mut().for_each(|value| value.value = None);
    let judged = judge("hitch_ms", Unit::Ms, &limit("mean >= 0", Unit::Ms), &given);
    assert_eq!(judged.outcome, Outcome::Unknown("5 of 5 iterations have no value".into()));
    assert_eq!((judged.actual, judged.values), (None, vec![None; 5]));
    let none = judge("hitch_ms", Unit::Ms, &limit("mean < 5", Unit::Ms), &[]);
    assert_eq!(none.outcome, Outcome::Unknown("no iteration was counted".into()));
}

#[test]
fn with_confidence_the_one_sided_bound_decides() {
    // mean 12, s sqrt(10), t(95 %, 4) = 2.1318: bounds 8.985 and 15.015
    let given = [8.0, 10.0, 12.0, 14.0, 16.0];
    let held = confident("mean < 15.02", 95.0, &given);
    assert_eq!(held.outcome, Outcome::Held);
    assert!((held.confidence_bound.unwrap() - 15.014_89).abs() < 1e-4, "{held:?}");
    let open = confident("mean < 15.01", 95.0, &given);
    let Outcome::Unknown(why) = &open.outcome else { panic!("{open:?}") };
    assert_eq!(why, "not shown with 95 % confidence: the bound over 5 iterations is 15.015 ms; run more");
    assert!(matches!(confident("mean < 8.99", 95.0, &given).outcome, Outcome::Unknown(_)));
    let breached = confident("mean < 8.98", 95.0, &given);
    assert_eq!(breached.outcome, Outcome::Breached);
    assert!((breached.confidence_bound.unwrap() - 8.985_11).abs() < 1e-4, "{breached:?}");
    assert_eq!(confident("mean > 8.98", 95.0, &given).outcome, Outcome::Held);
    assert_eq!(confident("mean > 15.02", 95.0, &given).outcome, Outcome::Breached);
    assert_eq!(outcome("mean < 12.5", &given), Outcome::Held, "without confidence the mean alone decides");
}

#[test]
fn with_confidence_the_median_goes_by_ranks_and_needs_five() {
    let few = confident("median < 1000", 95.0, &[1.0, 2.0, 3.0, 4.0]);
    let Outcome::Unknown(why) = few.outcome else { panic!("four cannot show it") };
    assert_eq!(why, "4 iterations are too few to show it with 95 % confidence; run more");
    let given = [1.0, 2.0, 3.0, 4.0, 5.0];
    assert_eq!(confident("median <= 5", 95.0, &given).outcome, Outcome::Held);
    assert!(matches!(confident("median < 5", 95.0, &given).outcome, Outcome::Unknown(_)));
    assert_eq!(confident("median < 1", 95.0, &given).outcome, Outcome::Breached);
    assert!(matches!(confident("mean < 5", 95.0, &[1.0]).outcome, Outcome::Unknown(_)));
}

#[test]
fn a_limit_built_around_the_grammar_is_never_held() {
    for text in ["max < 1000", "min > 0", "p(100) < 1000", "mean == 3"] {
        let limit = Limit { confidence: Some(95.0), ..limit(text, Unit::Ms) };
        let judged = judge("hitch_ms", Unit::Ms, &limit, &values(&[3.0; 20]));
        assert_eq!(
            judged.outcome,
            Outcome::Unknown("no number of iterations can show it with confidence".into())
        );
    }
}

#[test]
fn a_relative_bound_is_reported_in_the_metrics_unit() {
    let limit = limit("mean >= 90%refresh", Unit::Fps).with_confidence(95.0).unwrap();
    let judged = judge("fps", Unit::Fps, &limit, &values(&[57.0, 58.0, 59.0, 58.0, 57.0]));
    assert_eq!((judged.outcome, judged.limit), (Outcome::Held, Some(54.0)));
    // mean 57.8, s 0.83666: 57.8 - 2.13185 x 0.83666 / sqrt 5
    assert!((judged.confidence_bound.unwrap() - 57.002_3).abs() < 1e-3, "{:?}", judged.confidence_bound);
}

fn trial(readings: &[(&str, Reading)], proved: bool) -> WindowMeasured {
    let coverage = Coverage {
        frames_seen: 100,
        samples: 3,
        proved,
        share: 1.0,
        gaps: Vec::new(),
        source: SourceId::SurfaceFlinger,
        layer: None,
        periods: Vec::new(),
        period_uncertain: Span::ZERO,
        late_uncertain: Span::ZERO,
        row_counts: RowCounts::default(),
        untold: 0,
        doubts: if proved { Vec::new() } else { vec!["the ring overflowed once".into()] },
    };
    WindowMeasured {
        window: "fling the feed".into(),
        readings: readings.iter().map(|(key, reading)| ((*key).to_owned(), reading.clone())).collect(),
        refresh_hz: Some(60.0),
        coverage: Some(coverage),
        ..WindowMeasured::default()
    }
}

fn hitching(given: &[f64]) -> Vec<WindowMeasured> {
    given.iter().map(|ms| trial(&[("hitch_ms_per_s", Reading::Value(*ms))], true)).collect()
}

fn limits(given: &[(&str, &str, Unit)]) -> Vec<(String, Limit)> {
    given.iter().map(|(key, text, unit)| ((*key).to_owned(), limit(text, *unit))).collect()
}

fn hitch_limit(text: &str) -> Vec<(String, Limit)> {
    limits(&[("hitch_ms_per_s", text, Unit::MsPerS)])
}

#[test]
fn the_worst_judgement_decides_the_window() {
    let all = limits(&[
        ("hitch_ms_per_s", "mean < 10", Unit::MsPerS),
        ("fps", "mean >= 95%refresh", Unit::Fps),
        ("frozen_frames", "max == 0", Unit::Count),
    ]);
    let with = |hitch: f64, fps: Reading, frozen: f64| {
        let readings = [
            ("hitch_ms_per_s", Reading::Value(hitch)),
            ("fps", fps),
            ("frozen_frames", Reading::Value(frozen)),
        ];
        judge_window(&all, &[trial(&readings, true), trial(&readings, true)])
    };
    let passed = with(9.0, Reading::Value(59.0), 0.0);
    assert_eq!((passed.verdict, passed.counted, passed.reasons.len()), (Verdict::Pass, 2, 0));
    assert_eq!(passed.window, "fling the feed");
    assert_eq!(
        passed.judgements.iter().map(|j| j.metric.as_str()).collect::<Vec<_>>(),
        ["hitch_ms_per_s", "fps", "frozen_frames"]
    );
    let lost = || Reading::Unmeasurable("frames may have been missed: x".into());
    let undecided = with(9.0, lost(), 0.0);
    assert_eq!(undecided.verdict, Verdict::Undecided);
    assert_eq!(
        undecided.reasons,
        [
            "fps: whether `mean >= 95%refresh` holds cannot be told: 2 of 2 iterations have no value (iteration 1: frames \
          may have been missed: x)"
        ]
    );
    let failed = with(12.346, lost(), 1.0);
    assert_eq!(failed.verdict, Verdict::Fail);
    assert_eq!(
        failed.reasons[0],
        "hitch_ms_per_s: mean is 12.3 ms/s, limit `mean < 10`; iterations: 12.3, 12.3"
    );
    // What failed stands before what cannot be told.
    assert_eq!(failed.reasons[1], "frozen_frames: max is 1, limit `max == 0`; iterations: 1, 1");
    let slow = with(9.0, Reading::Value(51.2), 0.0);
    assert_eq!(
        slow.reasons,
        ["fps: mean is 51.2 fps, limit `mean >= 95%refresh` = 57.0 fps; iterations: 51.2, 51.2"]
    );
}

#[test]
fn numbers_in_a_sentence_are_told_apart() {
    let judged = judge_window(
        &limits(&[("hitch_ms", "mean < 10", Unit::Ms)]),
        &[trial(&[("hitch_ms", Reading::Value(10.00004))], true)],
    );
    assert_eq!(judged.reasons, ["hitch_ms: mean is 10.00004 ms, limit `mean < 10`; iterations: 10.00004"]);
    let slow = judge_window(
        &limits(&[("fps", "median >= 55", Unit::Fps)]),
        &[trial(&[("fps", Reading::Value(54.96))], true)],
    );
    assert_eq!(slow.reasons, ["fps: median is 54.96 fps, limit `median >= 55`; iterations: 54.96"]);
}

#[test]
fn up_to_a_fifth_may_be_void_and_no_more() {
    assert_eq!(VOID_SHARE_MAX, 0.2);
    let mut trials = hitching(&[1.0, 99.0, 1.0, 1.0, 1.0]);
    trials[1].void = Some("thermal status rose to severe".into());
    let judged = judge_window(&hitch_limit("max < 10"), &trials);
    assert_eq!((judged.verdict, judged.counted), (Verdict::Pass, 4), "{:?}", judged.reasons);
    assert_eq!(judged.void, ["iteration 2: thermal status rose to severe"]);
    let judged = judge_window(&hitch_limit("max < 10"), &trials[..4]);
    assert_eq!((judged.verdict, judged.counted), (Verdict::Undecided, 3));
    assert_eq!(
        judged.reasons,
        [
            "invalid: 1 of 4 iterations are void, more than 20 %; the first: iteration 2: thermal status rose to severe"
        ]
    );
    let judged = judge_window(&hitch_limit("max < 0.5"), &trials[..4]);
    assert_eq!(judged.verdict, Verdict::Undecided, "too little is left to fail it");
    assert_eq!((judged.judgements[0].outcome.clone(), judged.reasons.len()), (Outcome::Breached, 2));
}

#[test]
fn nothing_counted_is_undecided() {
    let judged = judge_window(&hitch_limit("max < 10"), &[]);
    assert_eq!((judged.verdict, judged.counted, judged.window.as_str()), (Verdict::Undecided, 0, ""));
    assert_eq!(judged.reasons[0], "no iteration was counted");
    let mut trials = hitching(&[1.0]);
    trials[0].void = Some("screen off".into());
    assert_eq!(judge_window(&hitch_limit("max < 10"), &trials).verdict, Verdict::Undecided);
    assert_eq!(judge_window(&[], &[]).verdict, Verdict::Undecided);
}

#[test]
fn a_window_without_limits_passes_only_when_every_frame_was_seen() {
    let judged = judge_window(&[], &[trial(&[], true), trial(&[], true)]);
    assert_eq!(
        (judged.verdict, judged.reasons),
        (Verdict::Pass, vec!["no limit is set on this window: measured only".into()])
    );
    let judged = judge_window(&[], &[trial(&[], true), trial(&[], false)]);
    assert_eq!(judged.verdict, Verdict::Undecided);
    assert_eq!(judged.reasons, ["iteration 2: coverage is not proved: the ring overflowed once"]);
    let mut still = trial(&[], true);
    still.coverage.as_mut().expect("coverage").frames_seen = 0;
    let judged = judge_window(&[], &[trial(&[], true), still]);
    assert_eq!(judged.verdict, Verdict::Undecided);
    assert_eq!(judged.reasons, ["iteration 2: nothing moved, not one frame was shown"]);
    let mut unsampled = trial(&[], true);
    unsampled.coverage = None;
    assert_eq!(judge_window(&[], &[unsampled]).verdict, Verdict::Undecided);
}

#[test]
fn a_metric_nobody_knows_and_a_list_are_unknown() {
    let judged = judge_window(&limits(&[("jank", "max < 10", Unit::Count)]), &hitching(&[1.0]));
    assert_eq!(judged.verdict, Verdict::Undecided);
    assert!(judged.reasons[0].contains("there is no such metric"), "{:?}", judged.reasons);
    let list = trial(&[("hitch_ms_per_s", Reading::List(vec![1.0]))], true);
    let judged = judge_window(&hitch_limit("max < 10"), &[list]);
    assert!(judged.reasons[0].contains("a list cannot be held against a limit"), "{:?}", judged.reasons);
    let judged = judge_window(&hitch_limit("max < 10"), &[trial(&[], true)]);
    assert!(judged.reasons[0].ends_with("(iteration 1: not measured)"), "{:?}", judged.reasons);
}

fn any_limit() -> impl Strategy<Value = String> {
    let aggregates = prop::sample::select(vec!["mean", "median", "min", "max", "p(90)", "p(10)"]);
    let relations = prop::sample::select(vec!["<", "<=", ">", ">=", "=="]);
    (aggregates, relations, 0u32..30)
        .prop_map(|(aggregate, relation, bound)| format!("{aggregate} {relation} {bound}"))
}

proptest! {
    #[test]
    fn a_breach_despite_missing_values_is_a_breach_whatever_they_were(
        text in any_limit(),
        given in proptest::collection::vec(proptest::option::of(0u32..30), 1..12),
        filled in proptest::collection::vec(0u32..1000, 12),
    ) {
        let limit = limit(&text, Unit::Ms);
        let value = |value: u32| IterationValue { value: Some(f64::from(value)), refresh_hz: None };
        let with_holes: Vec<_> = given.iter().map(|v| v.map_or(IterationValue::default(), value)).collect();
        let judged = judge("hitch_ms", Unit::Ms, &limit, &with_holes).outcome;
        let complete: Vec<_> = given.iter().zip(&filled).map(|(v, fill)| value(v.unwrap_or(*fill))).collect();
        let truth = judge("hitch_ms", Unit::Ms, &limit, &complete).outcome;
        prop_assert!(!matches!(truth, Outcome::Unknown(_)));
        if given.contains(&None) {
            prop_assert!(judged != Outcome::Held, "never held with a hole");
            prop_assert!(judged != Outcome::Breached || truth == Outcome::Breached);
        } else {
            prop_assert_eq!(judged, truth);
        }
    }

    #[test]
    fn what_is_shown_with_confidence_is_also_so_without(
        aggregate in prop::sample::select(vec!["mean", "median", "p(80)"]),
        relation in prop::sample::select(vec!["<", "<=", ">", ">="]),
        bound in 0u32..40, confidence in 51.0f64..99.9,
        given in proptest::collection::vec(0u32..40, 1..30),
    ) {
        let text = format!("{aggregate} {relation} {bound}");
        let given: Vec<f64> = given.into_iter().map(f64::from).collect();
        let sure = confident(&text, confidence, &given).outcome;
        prop_assert!(matches!(sure, Outcome::Unknown(_)) || sure == outcome(&text, &given), "{:?}", sure);
    }
}

#[test]
fn a_window_of_launches_alone_needs_no_frames() {
    let launched = |reading: Reading| {
        let readings = [("launch_total_ms".to_owned(), reading)].into();
        WindowMeasured { coverage: None, readings, ..trial(&[], true) }
    };
    let timed = || launched(Reading::Value(350.0));
    assert_eq!(judge_window(&[], &[timed(), timed()]).verdict, Verdict::Pass);
    let lost = launched(Reading::Unmeasurable("the app was already in front".into()));
    assert_eq!(judge_window(&[], &[timed(), lost]).verdict, Verdict::Undecided);
    let blind = WindowMeasured { coverage: None, ..trial(&[], true) };
    assert_eq!(judge_window(&[], &[blind]).verdict, Verdict::Undecided);
}
