//! The decision against the table, row by row and as laws.

use super::*;
use proptest::prelude::*;

fn sound(estimate: f64, interval: (f64, f64), p: f64) -> Grounds {
    Grounds {
        estimate: Some(estimate),
        interval: Some(interval),
        p_adjusted: Some(p),
        means: Some(means(estimate, interval)),
        ..Grounds::of(30, 30, 10.0, Better::Lower)
    }
}

/// Plain means that tell the same story, of thirty iterations.
fn means(difference: f64, interval: (f64, f64)) -> Means {
    Means { difference, interval: Some(interval), mde: Some(5.0), terrible: (0, 30) }
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
    let of = |estimate: f64, interval: (f64, f64), p: f64| Grounds {
        better: Better::Higher,
        mei: 1.0,
        means: Some(Means { mde: Some(0.5), ..means(estimate, interval) }),
        ..sound(estimate, interval, p)
    };
    assert_eq!(of(-3.0, (-4.0, -2.0), 0.001).decide(), State::Regression);
    assert_eq!(of(3.0, (2.0, 4.0), 0.001).decide(), State::Improvement);
    // the worst of an interval of frame rates is its lower end
    assert_eq!(of(0.0, (-2.0, 0.5), 0.9).decide(), State::Inconclusive);
    assert_eq!(of(0.0, (-0.5, 2.0), 0.9).decide(), State::Pass);
}

#[test]
fn a_pass_rules_out_what_a_trimmed_mean_does_not_feel() {
    // three of thirty at half rate: the trimmed mean is where it was
    let trimmed = sound(0.0, (-0.1, 0.1), 0.6);
    let plain = |means: Means| Grounds { means: Some(means), ..trimmed };
    let quiet = means(0.0, (-0.1, 0.1));
    assert_eq!((plain(quiet).decide(), plain(quiet).obstacle()), (State::Pass, None));
    let cases = [
        (Means { difference: 51.0, interval: Some((-5.0, 107.0)), ..quiet }, Obstacle::PlainMean),
        (Means { interval: None, ..quiet }, Obstacle::PlainMean),
        (Means { mde: Some(78.0), ..quiet }, Obstacle::Blunt),
        (Means { mde: None, ..quiet }, Obstacle::Blunt),
        (Means { mde: Some(f64::NAN), ..quiet }, Obstacle::Blunt),
        (Means { terrible: (1, 30), ..quiet }, Obstacle::Terrible(1, 30)),
        // none of fifteen says nothing of one in ten
        (Means { terrible: (0, 15), ..quiet }, Obstacle::Terrible(0, 15)),
    ];
    for (means, obstacle) in cases {
        assert_eq!((plain(means).decide(), plain(means).obstacle()), (State::Inconclusive, Some(obstacle)));
    }
    assert_eq!(Grounds { means: None, ..trimmed }.decide(), State::Inconclusive);
    assert_eq!(Grounds { means: None, counts: true, ..trimmed }.decide(), State::Pass);
}

#[test]
fn what_is_significant_must_matter_somewhere() {
    let significant = Grounds { towards_worse: Some(true), ..sound(0.0, (-0.1, 0.1), 0.001) };
    let plain = |difference: f64, terrible: (usize, usize)| {
        Some(Means { difference, terrible, ..means(difference, (difference - 9.0, difference + 9.0)) })
    };
    // the plain mean is a mean as well
    assert_eq!(Grounds { means: plain(51.0, (0, 60)), ..significant }.decide(), State::Regression);
    // terrible iterations count for themselves when it is they that are significant
    let often = Grounds { means: plain(6.0, (6, 60)), ..significant };
    assert_eq!(often.decide(), State::Inconclusive);
    assert_eq!(Grounds { of_terrible: true, ..often }.decide(), State::Regression);
    let seldom = Grounds { means: plain(6.0, (6, 100)), of_terrible: true, ..significant };
    assert_eq!(seldom.decide(), State::Inconclusive);
    // what is significantly better is no regression, whatever a few iterations do to the mean; nor is it an improvement
    let both = Grounds { towards_worse: Some(false), ..sound(-20.0, (-25.0, -15.0), 0.001) };
    assert_eq!(both.decide(), State::Improvement);
    assert_eq!(Grounds { means: plain(30.0, (3, 30)), ..both }.decide(), State::Inconclusive);
    assert_eq!(Grounds { means: None, ..both }.decide(), State::Inconclusive);
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
    let blind = Means { interval: Some((f64::NAN, f64::NAN)), ..means(0.0, (0.0, 0.0)) };
    assert_eq!(Grounds { means: Some(blind), ..sound(0.0, (0.0, 0.0), 1.0) }.decide(), State::Inconclusive);
}

fn some_means() -> impl Strategy<Value = Means> {
    let interval = proptest::option::of((-40.0f64..40.0, 0.0f64..30.0));
    (-40.0f64..40.0, interval, proptest::option::of(0.0f64..30.0), (0usize..4, 0usize..90)).prop_map(
        |(difference, interval, mde, terrible)| Means {
            difference,
            interval: interval.map(|(low, width)| (low, low + width)),
            mde,
            terrible,
        },
    )
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
        (proptest::option::of(some_means()), any::<bool>(), any::<Option<bool>>(), any::<bool>()),
    )
        .prop_map(
            |((invalid, absolute_failure, base, candidate), estimate, spread, p_adjusted, rest, more)| {
                let ((mei, better), (means, counts, towards_worse, of_terrible)) = (rest, more);
                Grounds {
                    invalid,
                    absolute_failure,
                    estimate,
                    interval: spread.map(|(low, width)| (low, low + width)),
                    p_adjusted,
                    means,
                    counts,
                    towards_worse,
                    of_terrible,
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
            State::Regression => {
                let plain = grounds.means.map(|means| grounds.better.worsening(means.difference));
                let large = |change: Option<f64>| change.is_some_and(|change| change >= grounds.mei);
                prop_assert!(grounds.p_adjusted.unwrap() <= Q && grounds.towards_worse != Some(false));
                prop_assert!(large(worse) || large(plain) || grounds.of_terrible);
            }
            State::Improvement => prop_assert!(grounds.p_adjusted.unwrap() <= Q && -worse.unwrap() >= grounds.mei),
            State::Pass => {
                let (low, high) = grounds.interval.unwrap();
                prop_assert!(grounds.better.worsening(low) < grounds.mei && grounds.better.worsening(high) < grounds.mei);
                prop_assert!(grounds.base >= MINIMUM && grounds.candidate >= MINIMUM);
                if !grounds.counts {
                    let means = grounds.means.unwrap();
                    let (low, high) = means.interval.unwrap();
                    prop_assert!(grounds.better.worsening(low).max(grounds.better.worsening(high)) < grounds.mei);
                    prop_assert!(means.mde.unwrap() <= grounds.mei && means.terrible.1 >= ITERATIONS_TO_PASS);
                }
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
            means: grounds.means.map(|means| Means {
                difference: -means.difference,
                interval: means.interval.map(|(low, high)| (-high, -low)),
                ..means
            }),
            ..grounds
        };
        prop_assert_eq!(grounds.decide(), mirrored.decide());
    }

    #[test]
    fn more_worsening_is_never_a_better_state(grounds in grounds(), more in 0.0f64..30.0) {
        let grounds = Grounds { invalid: false, absolute_failure: false, base: 30, candidate: 30, ..grounds };
        let shift = if grounds.better == Better::Lower { more } else { -more };
        let worse = Grounds {
            estimate: grounds.estimate.map(|estimate| estimate + shift),
            interval: grounds.interval.map(|(low, high)| (low + shift, high + shift)),
            means: grounds.means.map(|means| Means {
                difference: means.difference + shift,
                interval: means.interval.map(|(low, high)| (low + shift, high + shift)),
                ..means
            }),
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
