//! The decision against the table, row by row and as laws.

use super::*;
use proptest::prelude::*;

fn sound(estimate: f64, interval: (f64, f64), p: f64) -> Grounds {
    Grounds {
        estimate: Some(estimate),
        interval: Some(interval),
        p_adjusted: Some(p),
        ..Grounds::of(15, 15, 10.0, Better::Lower)
    }
}

#[test]
fn each_state_has_its_case() {
    let worse = sound(27.0, (19.0, 35.0), 0.001);
    assert_eq!(worse.decide(), State::Regression);
    assert_eq!(Grounds { invalid: true, absolute_failure: true, ..worse }.decide(), State::Invalid);
    assert_eq!(Grounds { absolute_failure: true, base: 0, ..worse }.decide(), State::Fail);
    assert_eq!(Grounds { base: 4, candidate: 0, ..worse }.decide(), State::NoBaseline);
    assert_eq!(Grounds { candidate: 4, ..worse }.decide(), State::Inconclusive);
    assert_eq!(sound(-27.0, (-35.0, -19.0), 0.001).decide(), State::Improvement);
    assert_eq!(sound(1.0, (-2.0, 4.0), 0.5).decide(), State::Pass);
    assert_eq!(sound(6.0, (-2.0, 14.0), 0.2).decide(), State::Inconclusive);
}

#[test]
fn the_other_direction_mirrors() {
    let rate = Grounds { better: Better::Higher, mei: 1.0, ..sound(-3.0, (-4.0, -2.0), 0.001) };
    assert_eq!(rate.decide(), State::Regression);
    assert_eq!(
        Grounds { estimate: Some(3.0), interval: Some((2.0, 4.0)), ..rate }.decide(),
        State::Improvement
    );
    // the worst of an interval of frame rates is its lower end
    assert_eq!(
        Grounds { estimate: Some(0.0), interval: Some((-2.0, 0.5)), p_adjusted: Some(0.9), ..rate }.decide(),
        State::Inconclusive
    );
    assert_eq!(
        Grounds { estimate: Some(0.0), interval: Some((-0.5, 2.0)), p_adjusted: Some(0.9), ..rate }.decide(),
        State::Pass
    );
}

#[test]
fn a_real_but_small_change_is_a_pass_with_a_note() {
    let small = sound(3.0, (2.0, 4.0), 0.0001);
    assert_eq!((small.decide(), small.is_small_change()), (State::Pass, true));
    assert!(!sound(3.0, (-2.0, 6.0), 0.3).is_small_change());
    // significant, small, and a large one not ruled out: nobody knows
    assert_eq!(sound(8.0, (1.0, 15.0), 0.01).decide(), State::Inconclusive);
}

#[test]
fn absent_numbers_never_pass() {
    let nothing = Grounds::of(15, 15, 10.0, Better::Lower);
    assert_eq!(nothing.decide(), State::Inconclusive);
    assert_eq!(
        Grounds { p_adjusted: Some(f64::NAN), ..sound(27.0, (19.0, 35.0), 0.0) }.decide(),
        State::Inconclusive
    );
    assert_eq!(
        Grounds { interval: Some((f64::NAN, f64::NAN)), ..sound(0.0, (0.0, 0.0), 1.0) }.decide(),
        State::Inconclusive
    );
}

fn grounds() -> impl Strategy<Value = Grounds> {
    let number = -40.0f64..40.0;
    let better = prop_oneof![Just(Better::Lower), Just(Better::Higher)];
    (
        (any::<bool>(), any::<bool>(), 0usize..9, 0usize..9),
        proptest::option::of(number.clone()),
        proptest::option::of((number.clone(), 0.0f64..30.0)),
        proptest::option::of(0.0f64..0.2),
        (0.0f64..20.0, better),
    )
        .prop_map(
            |((invalid, absolute_failure, base, candidate), estimate, spread, p_adjusted, (mei, better))| {
                Grounds {
                    invalid,
                    absolute_failure,
                    estimate,
                    interval: spread.map(|(low, width)| (low, low + width)),
                    p_adjusted,
                    ..Grounds::of(base, candidate, mei, better)
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn earlier_rows_win(grounds in grounds()) {
        let state = grounds.decide();
        prop_assert_eq!(state == State::Invalid, grounds.invalid);
        prop_assert_eq!(state == State::Fail, !grounds.invalid && grounds.absolute_failure);
        let judged = !grounds.invalid && !grounds.absolute_failure;
        prop_assert_eq!(state == State::NoBaseline, judged && grounds.base < MINIMUM);
        if judged && grounds.base >= MINIMUM && grounds.candidate < MINIMUM {
            prop_assert_eq!(state, State::Inconclusive);
        }
    }

    #[test]
    fn a_verdict_needs_its_numbers(grounds in grounds()) {
        let worse = grounds.estimate.map(|estimate| grounds.better.worsening(estimate));
        match grounds.decide() {
            State::Regression => prop_assert!(grounds.p_adjusted.unwrap() <= Q && worse.unwrap() >= grounds.mei),
            State::Improvement => prop_assert!(grounds.p_adjusted.unwrap() <= Q && -worse.unwrap() >= grounds.mei),
            State::Pass => {
                let (low, high) = grounds.interval.unwrap();
                prop_assert!(grounds.better.worsening(low) < grounds.mei && grounds.better.worsening(high) < grounds.mei);
                prop_assert!(grounds.base >= MINIMUM && grounds.candidate >= MINIMUM);
            }
            _ => {}
        }
    }

    #[test]
    fn mirrored_numbers_give_mirrored_states(grounds in grounds()) {
        let better = if grounds.better == Better::Lower { Better::Higher } else { Better::Lower };
        let mirrored = Grounds {
            better,
            estimate: grounds.estimate.map(|estimate| -estimate),
            interval: grounds.interval.map(|(low, high)| (-high, -low)),
            ..grounds
        };
        prop_assert_eq!(grounds.decide(), mirrored.decide());
    }

    #[test]
    fn more_worsening_is_never_a_better_state(grounds in grounds(), more in 0.0f64..30.0) {
        let grounds = Grounds { invalid: false, absolute_failure: false, base: 15, candidate: 15, ..grounds };
        let shift = if grounds.better == Better::Lower { more } else { -more };
        let worse = Grounds {
            estimate: grounds.estimate.map(|estimate| estimate + shift),
            interval: grounds.interval.map(|(low, high)| (low + shift, high + shift)),
            ..grounds
        };
        // improvement < pass < inconclusive < regression
        let order = |state| match state {
            State::Improvement => 0,
            State::Pass => 1,
            State::Inconclusive => 2,
            State::Regression => 3,
            _ => 4,
        };
        let (before, after) = (order(grounds.decide()), order(worse.decide()));
        prop_assert!(after >= before, "{:?} {:?}", grounds, worse);
    }
}
