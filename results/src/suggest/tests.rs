//! Limits out of sessions: what each rests on, where there is none, how they stand together.

use super::*;
use crate::compare::session as sample;

const ASKED: Asked = Asked { false_alarms: 0.01, iterations: Some(5) };

fn session(run: &str, model: &str, values: &[f64]) -> CellSession {
    let mut session = sample(run, &format!("{model}-1"), values);
    session.key.model = model.to_owned();
    session
}

fn of(sessions: &[CellSession]) -> Suggested {
    suggest(sessions, &BTreeMap::new(), ASKED)
}

/// Window, limit and models of every limit for all; model and limit of every exception.
fn told(suggested: &Suggested) -> (Vec<String>, Vec<String>) {
    let models = |shared: &GroupLimit| {
        shared.of.iter().map(|one| one.key.model.as_str()).collect::<Vec<_>>().join(" ")
    };
    let windows = suggested.scenarios.iter().flat_map(|scenario| &scenario.windows);
    let common = windows.flat_map(|window| {
        window.limits.iter().map(|one| format!("{}: {} ({})", window.window, one.limit, models(one)))
    });
    let exceptions = suggested.scenarios.iter().flat_map(|scenario| &scenario.overrides);
    let exceptions =
        exceptions.flat_map(|model| model.limits.iter().map(|one| format!("{}: {}", model.model, one.limit)));
    (common.collect(), exceptions.collect())
}

#[test]
fn models_that_differ_by_what_matters_have_limits_of_their_own() {
    let around = |level: f64| [level, level + 2.0, level + 4.0, level + 2.0, level, level + 4.0];
    let found = of(&[
        session("one", "A", &around(4.0)),
        session("one", "B", &around(6.0)),
        session("one", "C", &around(80.0)),
    ]);
    let (common, exceptions) = told(&found);
    assert_eq!(common, ["fling the feed: mean <= 12.5 (B A)"]);
    assert_eq!(exceptions, ["C: mean <= 85.8"]);
    assert!((found.any_false_alarm() - 0.03).abs() < 1e-9 && found.few_sessions());
    // The same limit, kept by a build that is not another one.
    assert!(found.proposals().all(|one| one.limit.relation == crate::threshold::Relation::AtMost));
}

#[test]
fn an_exception_is_the_loosest_of_its_models_windows() {
    let other = |mut session: CellSession| {
        session.key.window = "fling again".to_owned();
        session
    };
    let low = [1.0, 2.0, 3.0, 2.0, 1.0];
    let high = low.map(|value| value + 80.0);
    let found = of(&[
        session("one", "A", &low),
        other(session("one", "A", &low)),
        session("one", "B", &low),
        other(session("one", "B", &high)),
        session("one", "C", &low),
        other(session("one", "C", &low)),
    ]);
    let (common, exceptions) = told(&found);
    assert_eq!((common.len(), exceptions.len()), (2, 1), "{common:?} {exceptions:?}");
    assert!(common.iter().all(|one| one.contains("(A C)")) && exceptions[0].starts_with("B: mean <= 8"));
}

#[test]
fn iterations_that_do_not_differ_let_single_events_pass_and_no_less() {
    let still = of(&[session("one", "A", &[0.0; 15])]);
    let one = still.proposals().next().expect("a limit");
    // 20 s at 90 Hz: a late frame is 0.56 ms/s of an iteration; C(5, 3) / C(20, 3) is below 1 %, so two may be chance.
    assert_eq!((one.events, one.limit.text.as_str()), (Some(2), "mean <= 0.4ms/s"));
    // Of hundreds it is one: never a limit of no noise.
    let long = of(&[session("one", "A", &[0.0; 900])]);
    let one = long.proposals().next().expect("a limit");
    assert_eq!((one.events, one.limit.text.as_str()), (Some(1), "mean <= 0.2ms/s"));
    let mut frozen = session("one", "A", &[0.0; 15]);
    frozen.key.metric = "frozen_frames".to_owned();
    assert_eq!(told(&of(&[frozen])).0, ["fling the feed: mean <= 0.4 (A)"]);
    // Five are too few to say what three may show: 3 of 8 are all late in 1 of 56.
    let asked = Asked { iterations: Some(3), ..ASKED };
    let few = suggest(&[session("one", "A", &[0.0; 5])], &BTreeMap::new(), asked);
    assert!(few.scenarios.is_empty() && few.untold[0].why.contains("measure 2 more"), "{few:?}");
    // A time without steps says nothing of its noise.
    let mut length = session("one", "A", &[16.67; 15]);
    length.key.metric = "p95_ms".to_owned();
    let why = &of(&[length.clone()]).untold[0].why;
    assert!(why.contains("all 15 iterations gave 16.7 ms"), "{why}");
    // Unless it was calibrated.
    let known = [(length.key.clone(), Known { sd: 0.5, freedom: 28 })].into();
    assert_eq!(told(&suggest(&[length], &known, ASKED)).0, ["fling the feed: mean <= 17.5 (A)"]);
}

#[test]
fn the_mean_that_is_told_is_what_was_measured_though_faster_than_the_panel_calls_itself() {
    let mut fast = session("one", "A", &[60.9, 60.8, 61.0, 60.9, 60.9]);
    (fast.key.metric, fast.key.refresh) = ("fps".to_owned(), 60);
    let known = [(fast.key.clone(), Known { sd: 0.3, freedom: 28 })].into();
    let found = suggest(&[fast], &known, ASKED);
    let mean = found.proposals().next().expect("a limit").mean;
    assert!((mean - 60.9).abs() < 1e-9, "{mean}");
}

#[test]
fn what_cannot_be_trusted_gives_no_number() {
    let mut void = session("one", "A", &[1.0, 2.0, 3.0, 4.0, 5.0]);
    void.void = vec!["iteration 6: coverage is not proved".to_owned(); 2];
    let why = |found: Suggested| found.untold.first().map(|one| one.why.clone()).unwrap_or_default();
    let told_why = why(of(&[void.clone()]));
    assert_eq!(told_why, "no iteration counts, and it takes 5; void: iteration 6: coverage is not proved");
    let few = session("two", "A", &[1.0, 2.0, 3.0]);
    assert!(
        why(of(&[void, few])).starts_with("3 iterations cannot tell how much they differ: measure 2 more")
    );
    let mut unknown = session("one", "A", &[50.0, 51.0, 52.0, 53.0, 54.0]);
    (unknown.key.metric, unknown.key.refresh) = ("fps".to_owned(), 0);
    assert!(why(of(&[unknown])).contains("refresh rate"));
    let wild = session("one", "A", &[0.0, 0.0, 0.0, 0.0, 1e300]);
    assert!(of(&[wild]).scenarios.is_empty());
}

#[test]
fn only_the_newest_conditions_of_a_model_count() {
    let mut old = session("one", "A", &[90.0, 91.0, 92.0, 93.0, 94.0]);
    old.key.hash = "another".to_owned();
    let new = CellSession {
        wall: "2026-03-02T00:00:00Z".to_owned(),
        ..session("two", "A", &[1.0, 2.0, 3.0, 4.0, 5.0])
    };
    let found = of(&[old.clone(), new]);
    assert_eq!((found.aside.get("A"), found.proposals().count()), (Some(&1), 1));
    assert!(found.proposals().all(|one| one.mean == 3.0 && one.iterations == 5));
    // Of one night with two builds of Android the limit is the one that lets more pass.
    old.key.hash = session("one", "A", &[]).key.hash;
    old.key.build = "another".to_owned();
    let both = of(&[old, session("one", "A", &[1.0, 2.0, 3.0, 4.0, 5.0])]);
    assert!(both.aside.is_empty() && both.proposals().all(|one| one.mean == 92.0));
}

#[test]
fn runs_have_as_many_iterations_as_the_shortest_and_five_at_most() {
    let usual = |count: usize| {
        let values: Vec<f64> = (0..count).map(|at| at as f64).collect();
        let asked = Asked { iterations: None, ..ASKED };
        let found = suggest(&[session("one", "A", &values)], &BTreeMap::new(), asked);
        found.proposals().map(|one| one.further).next()
    };
    assert_eq!([usual(30), usual(5), usual(4)], [Some(5), Some(5), None]);
}
