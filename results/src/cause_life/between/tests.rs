//! Causes of two runs: what became of them, and what cannot be told.

use super::*;
use crate::cause_life::samples::{MOTION, blind, told};

fn only(before: &[WindowDiagnosis], after: &[WindowDiagnosis]) -> WindowChange {
    let (mut all, not_asked) = between(before, after);
    assert_eq!((all.len(), not_asked), (1, 0));
    all.remove(0)
}

fn states(before: &[WindowDiagnosis], after: &[WindowDiagnosis]) -> Vec<(String, Result<State, String>)> {
    let causes = only(before, after).causes.expect("both tell");
    causes.into_iter().map(|one| (one.fingerprint, one.state)).collect()
}

#[test]
fn causes_of_two_runs_are_new_grown_known_shrunk_and_gone() {
    let before = [told("A", &[("gone", 30), ("known", 20), ("shrunk", 40), ("grown", 10)])];
    let after = [told("A", &[("grown", 41), ("new", 25), ("known", 24), ("shrunk", 9)])];
    let expected = [
        ("grown", State::Grown),
        ("shrunk", State::Shrunk),
        ("gone", State::Gone),
        ("new", State::New),
        ("known", State::Known),
    ];
    let expected = expected.map(|(print, state)| (print.to_owned(), Ok(state)));
    assert_eq!(states(&before, &after), expected);
    let causes = only(&before, &after).causes.expect("both tell");
    let new = &causes[3];
    let rates = [new.before, new.after].map(|side| side.map(|side| side.ms_per_s()));
    assert_eq!(rates, [Some(0.0), Some(50.0)]);
    assert!(new.chance.is_some_and(|chance| chance < 1e-6) && causes[0].chance.is_none());
}

#[test]
fn what_is_not_known_of_a_run_is_neither_new_nor_gone() {
    let (clean, locked) = (told("A", &[]), told("A", &[("lock", 9)]));
    let lost = blind("A", "events were lost");
    for (before, after) in [(&locked, &lost), (&lost, &locked)] {
        let why = only(std::slice::from_ref(before), std::slice::from_ref(after)).causes;
        assert!(why.as_ref().is_err_and(|why| why.ends_with("events were lost")), "{why:?}");
    }
    let why = only(std::slice::from_ref(&locked), &[]).causes.expect_err("no such window");
    assert!(why.contains("the new run has no such window"), "{why}");
    assert_eq!(states(std::slice::from_ref(&locked), &[clean]), [("lock".to_owned(), Ok(State::Gone))]);
    // What both runs did not ask about is no window to tell of.
    let idle = WindowDiagnosis { asked: false, ..blind("A", "it passed") };
    assert_eq!(between(std::slice::from_ref(&idle), std::slice::from_ref(&idle)), (Vec::new(), 1));
}

#[test]
fn phones_of_a_class_speak_for_each_other_and_not_for_one_that_ran_and_was_not_seen() {
    let before = [told("A", &[("lock", 9)]), told("B", &[])];
    // Other phones of the class, in another night.
    assert_eq!(states(&before, &[told("C", &[])]), [("lock".to_owned(), Ok(State::Gone))]);
    // The phone that had it ran, and was not seen: another one does not speak for it.
    let unseen = states(&before, &[blind("A", "it passed"), told("B", &[])]);
    let why = unseen[0].1.as_ref().expect_err("not known");
    assert!(why.contains("A has it") && why.ends_with("it passed"), "{why}");
    // That of another phone nothing is known does not matter.
    assert_eq!(
        states(&before, &[told("A", &[]), blind("B", "it passed")]),
        [("lock".to_owned(), Ok(State::Gone))]
    );
    // Amounts are of all phones together: as much on one of two is half as much of both.
    let both = only(&before, &[told("A", &[("lock", 9)])]).causes.expect("both tell");
    let rates = [both[0].before, both[0].after].map(|side| side.map(|side| side.ms_per_s()));
    assert_eq!((rates, both[0].state.clone()), ([Some(9.0), Some(18.0)], Ok(State::Known)));
    assert_eq!(both[0].before.map(|before| before.motion), Some(MOTION + MOTION));
}

#[test]
fn another_question_is_not_answered_and_another_system_is_noted() {
    let under = |change: fn(&mut crate::cause_life::Under)| {
        let mut one = told("A", &[("lock", 9)]);
        change(&mut one.under);
        only(&[told("A", &[("lock", 9)])], &[one])
    };
    let why = under(|under| under.hash = "other".to_owned()).causes.expect_err("another scenario");
    assert!(why.ends_with("content of the scenario differs"), "{why}");
    assert!(under(|under| under.refresh = Some(60)).causes.is_err_and(|why| why.contains("refresh rate")));
    let noted = under(|under| under.build = "b".to_owned());
    assert_eq!(noted.notes, ["OS build differs"]);
    assert_eq!(noted.causes.expect("held against each other")[0].state, Ok(State::Known));
}

#[test]
fn what_is_named_by_call_stacks_is_not_held_against_what_is_not() {
    let mut named = told("A", &[("lock", 9)]);
    named.seen.as_mut().expect("told").methods = true;
    let plain = told("A", &[("lock", 9)]);
    let why = only(std::slice::from_ref(&named), &[plain]).causes.expect_err("other names");
    assert!(why.contains("call stacks"), "{why}");
    assert!(only(std::slice::from_ref(&named), &[named.clone()]).causes.is_ok());
}

#[test]
fn crumbs_of_a_cause_are_not_it() {
    let crumbs = |us: i64| {
        let mut one = told("A", &[("lock", 2)]);
        let amount = &mut one.seen.as_mut().expect("told").causes[0].amount;
        (amount.us, amount.squares) = (us, (us * us) as f64 / 2.0);
        [one]
    };
    let lock = |state: State| [("lock".to_owned(), Ok(state))];
    assert_eq!(states(&crumbs(1_000), &[told("A", &[("lock", 9)])]), lock(State::New));
    assert_eq!(states(&[told("A", &[("lock", 9)])], &crumbs(1_000)), lock(State::Gone));
    // A little less than what is there is as before.
    assert_eq!(states(&crumbs(9_900), &crumbs(10_100)), lock(State::Known));
    let small = states(&crumbs(900), &crumbs(1_000));
    assert!(small[0].1.as_ref().is_err_and(|why| why.contains("less than 1 ms/s")), "{small:?}");
}

#[test]
fn a_list_that_was_cut_does_not_show_that_a_cause_is_gone() {
    let mut cut = told("A", &[("other", 30)]);
    cut.seen.as_mut().expect("told").left_out_us = 15_000;
    let all = states(&[told("A", &[("lock", 9)])], &[cut]);
    let lock = all.iter().find(|(print, _)| print == "lock").expect("listed");
    assert!(lock.1.as_ref().is_err_and(|why| why.contains("smaller")), "{lock:?}");
}
