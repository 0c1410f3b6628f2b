//! `cargo ci stats` in small: a few hundred replicates with fixed seeds and bounds wide enough for their number. A method that is
//! broken misses them by far; whether it holds its limits exactly is the report's question.

use farmjank_statistics::noise::{PROFILES, Profile};
use farmjank_statistics::proving::cells::{Interleaved, Judged};
use farmjank_statistics::proving::farm::{Farm, Found, any_flagged, looks};
use farmjank_statistics::proving::nights::{Nightly, Step};
use farmjank_statistics::proving::stored::Stored;
use farmjank_statistics::proving::{Pool, Tally};
use farmjank_statistics::rank::Tests;

/// Iterations of 20 s, fewer than the report imagines.
fn pool(profile: Profile, seed: u64) -> Pool {
    Pool::loose(profile.hitches(20.0, 4_000, seed))
}

/// A phone and the same one 20 ms/s worse.
fn worse(at: usize) -> (Pool, Pool) {
    let profile = PROFILES[at];
    (pool(profile, 1), pool(profile.worse_by(20.0, 20.0, 2), 3))
}

fn share(count: u64, trial: impl FnMut(u64) -> Tally) -> f64 {
    (0..count).map(trial).fold(Tally::default(), Tally::and).share().expect("there are trials")
}

#[test]
fn interleaved_measurements_rarely_cry_wolf() {
    let mut tests = Tests::default();
    for (at, profile) in PROFILES.into_iter().enumerate() {
        let pool = pool(profile, at as u64);
        let designs =
            [Interleaved::of(15), Interleaved { sessions: 3, drift: 0.4, session_sd: 0.5, iterations: 15 }];
        for design in designs {
            let alarms = share(800, |replicate| design.rejects(&pool, &pool, 9, replicate, &mut tests));
            assert!((0.02..0.08).contains(&alarms), "{}: {alarms}", profile.name);
        }
    }
}

#[test]
fn stored_sessions_keep_their_level_and_pooled_iterations_do_not() {
    let pool = pool(PROFILES[1], 1);
    for sessions in [5, 10] {
        let design = Stored::of(sessions);
        let alarms =
            share(1_000, |replicate| design.rejects(&pool, 4, replicate).expect("a loose pool has enough"));
        assert!((0.025..0.085).contains(&alarms), "{sessions}: {alarms}");
    }
    let (design, mut tests) = (Stored::of(5), Tests::default());
    let pooled = share(300, |replicate| design.rejects_pooled(&pool, 4, replicate, &mut tests));
    assert!(pooled > 0.12, "sessions that differ must fool a test that does not know them: {pooled}");
}

#[test]
fn a_change_that_matters_is_found() {
    let (base, slower) = worse(1);
    let mut tests = Tests::default();
    let found = share(200, |replicate| Interleaved::of(15).rejects(&base, &slower, 5, replicate, &mut tests));
    assert!(found > 0.95, "{found}");
}

#[test]
fn intervals_hold_the_truth_and_states_follow() {
    let (base, slower) = worse(1);
    let truth = slower.trimmed_mean().unwrap() - base.trimmed_mean().unwrap();
    let judge = |candidate: &Pool, truth: f64| {
        let design = Interleaved { session_sd: 0.0, ..Interleaved::of(15) };
        let each = (0..150).map(|replicate| design.judged(&base, candidate, truth, 6, replicate));
        each.fold(Judged::default(), Judged::and)
    };
    let (same, changed) = (judge(&base, 0.0), judge(&slower, truth));
    for judged in [same, changed] {
        let covered = judged.covered.share().unwrap();
        assert!((0.89..1.0).contains(&covered), "{covered}");
    }
    assert!(same.pass.share() > Some(0.9) && same.regression.share() < Some(0.03), "{same:?}");
    assert!(changed.regression.share() > Some(0.85) && changed.pass.share() < Some(0.03), "{changed:?}");
}

#[test]
fn many_cells_are_screened_and_confirmed() {
    let (base, slower) = worse(2);
    let mut tests = Tests::default();
    let none =
        share(150, |replicate| any_flagged(std::slice::from_ref(&base), 100, 15, 7, replicate, &mut tests));
    assert!(none < 0.12, "{none}");
    let farm = Farm { base: &base, slower: &slower, cells: 100, planted: 5 };
    let runs = (0..60).map(|replicate| farm.screen_and_confirm(10, 20, 8, replicate, &mut tests));
    let found = runs.fold(Found::default(), Found::and);
    assert!(found.power.share() > Some(0.7) && found.false_discovery.share() < Some(0.12), "{found:?}");
}

#[test]
fn looking_three_times_costs_no_false_alarms() {
    let base = Pool::loose(PROFILES[2].hitches(6.0, 4_000, 1));
    let slower = Pool::loose(PROFILES[2].worse_by(20.0, 6.0, 2).hitches(6.0, 4_000, 3));
    let mut tests = Tests::default();
    let mut found =
        |candidate: &Pool| share(500, |replicate| looks(&base, candidate, 10, 9, replicate, &mut tests).0);
    let (quiet, worse) = (found(&base), found(&slower));
    assert!(quiet < 0.085 && worse > 0.8, "{quiet} {worse}");
}

#[test]
fn nights_ring_when_they_should() {
    let (base, slower) = worse(2);
    let design = Nightly { iterations: 10, session_sd: 0.15 };
    let quiet = share(200, |replicate| design.quiet(&base, 10, replicate).0);
    let step =
        (0..200).map(|replicate| design.step(&base, &slower, 11, replicate)).fold(Step::default(), Step::and);
    assert!(
        quiet < 0.06 && step.found.share() > Some(0.75) && step.placed.share() > Some(0.9),
        "{quiet} {:?}",
        step.found
    );
}
