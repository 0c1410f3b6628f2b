//! States and sentences of whole comparisons.

use super::*;
use crate::compare::samples::session;
use crate::verdict::Verdict;
use std::collections::BTreeMap;

pub(super) const GOOD: [f64; 15] =
    [0.0, 4.1, 8.3, 2.0, 0.0, 5.5, 9.1, 1.2, 3.3, 7.7, 6.4, 2.9, 4.8, 0.0, 5.0];

fn worse(by: f64) -> Vec<f64> {
    GOOD.iter().map(|value| value + by).collect()
}

/// As many again: a pass asks for twenty-nine.
fn twice(values: &[f64]) -> Vec<f64> {
    values.repeat(2)
}

fn one(base: &[CellSession], new: CellSession, given: Given) -> CellCompared {
    let compared = compare(Source::default(), base, &[new.into()], &Rules::of(given, 1));
    compared.cells.into_iter().next().expect("a cell")
}

fn runs(base: &[f64], new: &[f64]) -> CellCompared {
    one(&[session("old", "A", base)], session("new", "A", new), Given::Runs)
}

#[test]
fn a_slow_build_is_a_regression_and_the_same_build_passes() {
    let slow = runs(&GOOD, &worse(30.0));
    assert_eq!((slow.state, slow.verdict()), (State::Regression, Verdict::Fail), "{slow:?}");
    assert!(
        slow.sentence.starts_with("fling the feed on Pixel 7: hitch 3.9 → 34 ms/s (+30, 95 % "),
        "{}",
        slow.sentence
    );
    let shown = "; 15 vs 15 iterations of one session each; would have caught +";
    assert!(slow.sentence.contains(shown), "{}", slow.sentence);
    assert_eq!(runs(&worse(30.0), &GOOD).state, State::Improvement);
    assert_eq!(runs(&GOOD, &twice(&GOOD)).state, State::Pass);
    let few = runs(&twice(&GOOD), &GOOD);
    assert_eq!(few.state, State::Inconclusive);
    let why = "none of 15 iterations is terrible, and 29 rule out that one in ten is";
    assert!(few.sentence.ends_with(why), "{}", few.sentence);
    // Real, and smaller than what matters.
    let little = runs(&twice(&GOOD), &twice(&worse(5.0)));
    assert_eq!(little.state, State::Pass, "{little:?}");
    assert!(little.sentence.contains("smaller than what matters"), "{}", little.sentence);
}

#[test]
fn a_few_iterations_that_users_feel_do_not_pass_however_many_are_fine() {
    // Three of thirty at half rate: the trimmed mean is where it was.
    let mut stutters = twice(&GOOD);
    stutters[..3].fill(500.0);
    let cell = runs(&twice(&GOOD), &stutters);
    assert_eq!(cell.state, State::Inconclusive, "{cell:?}");
    let told = "plain means 4 → 54, 95 % −6.9…+106; 30 vs 30 iterations of one session each; 3 of 30 worse than the old worst by 10";
    assert!(cell.sentence.contains(told), "{}", cell.sentence);
    assert_eq!(cell.terrible.map(|found| (found.count, found.of)), Some((3, 30)));
    // Six and none of the base are no chance.
    stutters[..6].fill(500.0);
    let cell = runs(&twice(&GOOD), &stutters);
    assert_eq!(cell.state, State::Regression, "{cell:?}");
    // A build that is better but for a few iterations is not green either.
    let mut mixed = twice(&GOOD);
    mixed[..3].fill(500.0);
    let mixed = runs(&twice(&worse(30.0)), &mixed);
    assert_eq!(mixed.state, State::Inconclusive, "{mixed:?}");
}

#[test]
fn what_does_not_vary_is_not_certain() {
    let still = runs(&[0.0; 30], &[0.0; 30]);
    let (low, high) = still.interval.expect("an interval");
    assert!(still.state == State::Pass && low < -0.1 && high > 0.1 && still.mde > Some(0.1), "{still:?}");
    // Short windows hide one late frame each: 11 ms of 0.75 s are 15 ms/s.
    let short = |values: &[f64]| {
        let mut short = session("s", "A", values);
        short.seconds.fill(0.75);
        short
    };
    let coarse = one(&[short(&[0.0; 30])], short(&[0.0; 30]), Given::Runs);
    assert!(coarse.mde > still.mde, "{coarse:?}");
    let noise = BTreeMap::from([(session("n", "A", &[]).key, 20.0)]);
    let rules = Rules { noise, ..Rules::of(Given::Runs, 1) };
    let new = session("new", "A", &[0.0; 30]).into();
    let known = compare(Source::default(), &[session("old", "A", &[0.0; 30])], &[new], &rules);
    assert_eq!(known.cells[0].state, State::Inconclusive, "a calibrated noise of 20 cannot rule out 10");
    assert!(known.cells[0].sentence.contains("would have caught +14"), "{}", known.cells[0].sentence);
}

#[test]
fn too_few_iterations_are_never_green() {
    for (base, new, state) in
        [(15, 3, State::Inconclusive), (3, 15, State::NoBaseline), (15, 4, State::Inconclusive)]
    {
        let cell = runs(&GOOD[..base], &worse(30.0)[..new]);
        assert_eq!((cell.state, cell.verdict()), (state, Verdict::Undecided), "{base} {new}");
        assert!(cell.reasons.iter().any(|why| why.contains("needed")), "{:?}", cell.reasons);
    }
}

#[test]
fn void_iterations_make_a_cell_invalid_before_anything_else() {
    let mut new = session("new", "A", &worse(30.0)[..11]);
    new.void = vec!["iteration 3: the phone got too hot".to_owned(); 4];
    let cell = one(&[session("old", "A", &GOOD)], new.clone(), Given::Runs);
    assert_eq!(cell.state, State::Invalid);
    assert!(
        cell.sentence.contains("4 of 15 iterations are void (iteration 3: the phone"),
        "{}",
        cell.sentence
    );
    // A fifth is allowed.
    new.void.truncate(2);
    assert_eq!(one(&[session("old", "A", &GOOD)], new, Given::Runs).state, State::Regression);
}

#[test]
fn without_a_baseline_the_sentence_says_what_stands_between() {
    let mut old: Vec<CellSession> = (0..5).map(|n| session(&format!("o{n}"), "A", &GOOD)).collect();
    old.iter_mut().for_each(|session| session.key.build = "older".to_owned());
    let cell = one(&old, session("new", "A", &GOOD), Given::Run);
    assert_eq!(cell.state, State::NoBaseline);
    assert_eq!(
        cell.sentence,
        "fling the feed on Pixel 7: hitch 3.9 ms/s; no baseline: OS build differs in 5 of 5 sessions"
    );
    let rules = Rules { expired: Some("it is 41 days old".to_owned()), ..Rules::of(Given::Runs, 1) };
    let old = [session("old", "A", &GOOD)];
    let compared = compare(Source::default(), &old, &[session("new", "A", &GOOD).into()], &rules);
    assert_eq!(compared.verdict(), Verdict::Undecided);
    assert!(
        compared.cells[0].sentence.ends_with("no baseline: it is 41 days old"),
        "{}",
        compared.cells[0].sentence
    );
}

#[test]
fn an_absolute_failure_wins_and_secondary_metrics_have_no_vote() {
    let failed = Measured { failed: Some("the limit is broken".into()), ..session("new", "A", &GOOD).into() };
    let mut other = session("new", "A", &[10.0; 15]);
    other.key.metric = "fps".to_owned();
    let mut old_fps = session("old", "A", &[60.0; 15]);
    old_fps.key.metric = "fps".to_owned();
    let base = [session("old", "A", &GOOD), old_fps];
    let compared = compare(Source::default(), &base, &[failed, other.into()], &Rules::of(Given::Runs, 1));
    let told: Vec<_> = compared.cells.iter().map(|cell| (cell.role, cell.state, cell.verdict())).collect();
    assert_eq!(
        told,
        [(Role::Primary, State::Fail, Verdict::Fail), (Role::Secondary, State::Regression, Verdict::Pass)]
    );
    assert_eq!(compared.cells[1].p_adjusted, None);
}

#[test]
fn many_cells_are_corrected_together_and_each_keeps_its_own_interval() {
    // p of one cell alone is under 5 %, and over it among forty that show nothing.
    let slow: Vec<f64> = worse(6.0).iter().map(|value| value * 2.0).collect();
    let alone = runs(&GOOD[..6], &slow[..6]);
    assert!(alone.p_two_sided.is_some_and(|p| (0.002..0.05).contains(&p)), "{alone:?}");
    let of = |run: &str, at: usize, values: &[f64]| {
        let mut one = session(run, "A", values);
        one.key.window = format!("w{at}");
        one
    };
    let base: Vec<CellSession> = (0..40).map(|at| of("old", at, &GOOD[..6])).collect();
    let new: Vec<Measured> =
        (0..40).map(|at| of("new", at, if at == 7 { &slow[..6] } else { &GOOD[..6] }).into()).collect();
    let compared = compare(Source::default(), &base, &new, &Rules::of(Given::Runs, 1));
    let cell = &compared.cells[7];
    assert_eq!(cell.p_two_sided, alone.p_two_sided);
    assert!(cell.p_adjusted.is_some_and(|p| p > 0.05) && cell.state == State::Inconclusive, "{cell:?}");
    let backwards: Vec<Measured> = new.iter().rev().cloned().collect();
    let again = compare(Source::default(), &base, &backwards, &Rules::of(Given::Runs, 1));
    assert_eq!(again.cells[32], *cell);
}

#[test]
fn a_stored_baseline_is_judged_by_how_its_sessions_differ() {
    let night = |n: usize, by: f64| session(&format!("night{n}"), "A", &worse(by));
    let nights = |bys: [f64; 5]| bys.iter().enumerate().map(|(n, by)| night(n, *by)).collect::<Vec<_>>();
    let calm = nights([20.0, 20.4, 19.8, 20.1, 20.2]);
    let found = one(&calm, session("new", "A", &worse(80.0)), Given::Run);
    assert_eq!((found.design, found.state), (Some(Design::Stored), State::Regression), "{found:?}");
    assert!(found.sentence.contains("; 5 sessions vs 15 iterations; "), "{}", found.sentence);
    assert_eq!(one(&calm, session("new", "A", &twice(&worse(20.0))), Given::Run).state, State::Pass);
    let few = one(&calm, session("new", "A", &worse(20.0)), Given::Run);
    assert_eq!(few.state, State::Inconclusive, "{few:?}");
    // The same step, and sessions that differ as much from each other.
    let restless = nights([5.0, 60.0, 20.0, 90.0, 35.0]);
    let doubt = one(&restless, session("new", "A", &worse(80.0)), Given::Run);
    assert_eq!(doubt.state, State::Inconclusive, "{doubt:?}");
    // Sessions without one hitch are not known to have no noise.
    let smooth: Vec<CellSession> = (0..5).map(|n| session(&format!("n{n}"), "A", &[0.0; 15])).collect();
    let same = one(&smooth, session("new", "A", &[0.0; 30]), Given::Run);
    assert!(same.state == State::Pass && same.interval.is_some_and(|(_, high)| high > 0.3), "{same:?}");
    assert_eq!(one(&smooth, session("new", "A", &worse(30.0)), Given::Run).state, State::Regression);
}

#[test]
fn the_last_good_nights_tell_the_noise_of_a_pinned_baseline() {
    let night = |name: &str, n: usize, by: f64| session(&format!("{name}{n}"), "A", &worse(by));
    let pinned: Vec<CellSession> =
        [14.0, 20.0, 27.0, 18.0, 24.0].into_iter().enumerate().map(|(n, by)| night("p", n, by)).collect();
    let rolling: Vec<CellSession> = [30.0, 33.0, 31.0, 34.0, 29.0, 32.0, 31.0, 33.0]
        .into_iter()
        .enumerate()
        .map(|(n, by)| night("r", n, by))
        .collect();
    let held = |nights: &[CellSession]| {
        let new = session("new", "A", &worse(41.0));
        let rules = Rules { nights: nights.to_vec(), ..Rules::of(Given::Run, 1) };
        compare(Source::default(), &pinned, &[new.into()], &rules).cells.remove(0)
    };
    // Five sessions alone are blunt; calm nights since sharpen them, at a higher level too.
    let (alone, beside) = (held(&[]), held(&rolling));
    assert_eq!((alone.state, alone.noise_nights), (State::Inconclusive, None), "{alone:?}");
    assert_eq!((beside.state, beside.noise_nights), (State::Regression, Some(8)), "{beside:?}");
    assert_eq!(alone.estimate, beside.estimate);
    assert!(beside.sentence.contains("15 iterations; noise of 8 more nights; would"), "{}", beside.sentence);
    // What the baseline holds already counts once; fewer than five nights, other phones and other cells tell nothing.
    let again: Vec<CellSession> = pinned.iter().chain(&rolling).cloned().collect();
    assert_eq!(held(&again), beside);
    let mut others = rolling.clone();
    others.iter_mut().for_each(|night| night.device = crate::device::DeviceId("B".into()));
    let mut cells = rolling.clone();
    cells.iter_mut().for_each(|night| night.key.refresh = 120);
    for nothing in [&rolling[..4], &others, &cells] {
        assert_eq!(held(nothing), alone);
    }
}

#[test]
fn frames_that_freeze_again_and_again_fail_without_a_comparison() {
    let frozen = |run: &str, hit: usize| {
        let values: Vec<f64> = (0..15).map(|at| if at < hit { 1.0 } else { 0.0 }).collect();
        let mut one = session(run, "A", &values);
        one.key.metric = "frozen_frames".to_owned();
        one
    };
    let cells = |old: usize, new: usize| {
        let base = [session("old", "A", &GOOD), frozen("old", old)];
        let new = [session("new", "A", &twice(&GOOD)).into(), frozen("new", new).into()];
        compare(Source::default(), &base, &new, &Rules::of(Given::Runs, 1))
    };
    let told = |old, new| {
        let compared = cells(old, new);
        (compared.cells[1].role, compared.cells[1].state, compared.verdict())
    };
    assert_eq!(told(0, 3), (Role::Rare, State::Fail, Verdict::Fail));
    assert_eq!(told(0, 2).2, Verdict::Pass);
    // A phone that froze before is not a slow build.
    assert_eq!(told(4, 4).2, Verdict::Pass);
}

#[test]
fn what_only_the_baseline_has_is_told() {
    let mut other = session("old", "A", &GOOD);
    other.key.window = "open an article".to_owned();
    let compared = compare(
        Source::default(),
        &[other, session("old", "A", &GOOD)],
        &[session("new", "A", &GOOD).into()],
        &Rules::of(Given::Runs, 1),
    );
    let [noise, missing] = &compared.notes[..] else { panic!("{:?}", compared.notes) };
    assert!(noise.starts_with("one session against one"), "{noise}");
    assert_eq!(missing, "only the baseline has Home feed › open an article on Pixel 7");
    assert_eq!(compare(Source::default(), &[], &[], &Rules::of(Given::Run, 1)).verdict(), Verdict::Undecided);
}
