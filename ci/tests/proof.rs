//! `cargo ci stats` in small: a few hundred replicates with fixed seeds and bounds wide enough for their number. A
//! method that is broken misses them by far; whether it holds its limits exactly is the report's question.

use farmjank_ci::noise::{PROFILES, Profile, SILENT};
use farmjank_ci::proving::cells::{Interleaved, Judged};
use farmjank_ci::proving::farm::{Farm, Found, any_flagged, looks};
use farmjank_ci::proving::nights::{Nightly, Step};
use farmjank_ci::proving::stored::Stored;
use farmjank_ci::proving::{Pool, Proportion};
use farmjank_statistics::Mei;
use farmjank_statistics::chance::Chance;
use farmjank_statistics::further::{Known, Level};
use farmjank_statistics::needed::{Moves, to_pass};
use farmjank_statistics::rank::Tests;
use farmjank_statistics::sample::mean;
use farmjank_statistics::student::quantile;

/// Iterations of 20 s, fewer than the report imagines.
fn pool(profile: Profile, seed: u64) -> Pool {
    Pool::loose(profile.hitches(20.0, 4_000, seed))
}

/// A phone and the same one 20 ms/s worse.
fn worse(at: usize) -> (Pool, Pool) {
    let profile = PROFILES[at];
    (pool(profile, 1), pool(profile.worse_by(20.0, 20.0, 2), 3))
}

fn share(count: u64, trial: impl FnMut(u64) -> Proportion) -> f64 {
    (0..count).map(trial).fold(Proportion::default(), Proportion::and).share().expect("there are trials")
}

#[test]
fn interleaved_measurements_rarely_cry_wolf() {
    let mut tests = Tests::default();
    for (at, profile) in PROFILES.into_iter().enumerate() {
        let pool = pool(profile, at as u64);
        let designs = [
            Interleaved::of(15),
            Interleaved { sessions: 3, drift: 0.4, session_sd: 0.5, ..Interleaved::of(15) },
        ];
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

fn judged(design: Interleaved, base: &Pool, candidate: &Pool, count: u64) -> Judged {
    let truth = base.difference(candidate).expect("pools have values");
    let each = (0..count).map(|replicate| design.judged(base, candidate, truth, 6, replicate));
    each.fold(Judged::default(), Judged::and)
}

/// As it is measured: five iterations an installation, the level of the session the same for all.
fn interleaved(iterations: usize) -> Interleaved {
    Interleaved { session_sd: 0.0, per_install: Some(5), ..Interleaved::of(iterations) }
}

#[test]
fn intervals_hold_the_truth_and_states_follow() {
    let (base, slower) = worse(1);
    for (candidate, iterations) in [(&base, 30), (&slower, 15), (&base, 5), (&slower, 5)] {
        let judged = judged(interleaved(iterations), &base, candidate, 600);
        for covered in [judged.covered, judged.covered_plain] {
            let covered = covered.share().unwrap();
            assert!((0.92..=1.0).contains(&covered), "{iterations}: {covered}");
        }
        if iterations == 30 {
            let (passes, alarms) = (judged.pass.share(), judged.regression.share());
            assert!(passes > Some(0.7) && alarms < Some(0.02), "{judged:?}");
        }
        if iterations == 15 {
            let (found, passes) = (judged.regression.share(), judged.pass.share());
            assert!(found > Some(0.9) && passes == Some(0.0), "{judged:?}");
        }
    }
}

#[test]
fn rare_stutters_never_pass_and_quiet_builds_do() {
    for (profile, cost) in [(SILENT, 300.0), (SILENT, 600.0), (PROFILES[1], 300.0), (PROFILES[3], 300.0)] {
        let base = pool(profile, 1);
        let stutters = base.with_stutters(0.1, cost, 2);
        for iterations in [15, 30, 60] {
            let judged = judged(interleaved(iterations), &base, &stutters, 400);
            // 0.9^30 meet none: 4.2 %, and that many may pass
            assert!(judged.pass.share() < Some(0.065), "{} +{cost} {iterations}: {judged:?}", profile.name);
        }
        let quiet = judged(interleaved(65), &base, &base, 400);
        assert!(quiet.pass.share() > Some(0.93) && quiet.regression.share() < Some(0.02), "{quiet:?}");
    }
    let base = pool(SILENT, 1);
    let trimmed = judged(interleaved(60), &base, &base.with_stutters(0.1, 300.0, 2), 400);
    assert!(trimmed.passed_by_trimmed_alone.share() > Some(0.3), "what it is for: {trimmed:?}");
}

#[test]
fn noise_of_every_kind_keeps_the_level() {
    let base = pool(PROFILES[1], 3);
    let stuttering = base.with_stutters(0.1, 300.0, 4);
    let design = interleaved(15);
    let cases = [
        ("half of the iterations zero", pool(SILENT, 5), design, 0.06),
        ("both stutter", stuttering, design, 0.075),
        ("installations differ by a tenth", base.clone(), Interleaved { install_sd: 0.1, ..design }, 0.08),
        ("moods that pass slowly", base, Interleaved { mood: (0.5, 0.15), ..design }, 0.08),
    ];
    for (words, pool, design, most) in cases {
        let judged = judged(design, &pool, &pool, 800);
        assert!(
            judged.alarm.share() < Some(most) && judged.regression.share() < Some(0.03),
            "{words}: {judged:?}"
        );
    }
}

#[test]
fn what_a_pass_is_said_to_need_is_what_it_needs() {
    for (at, seconds) in [(0, 20.0), (2, 6.0), (3, 6.0)] {
        let base = Pool::loose(PROFILES[at].hitches(seconds, 6_000, 1));
        let values: Vec<f64> = base.values().collect();
        let mean = base.means().expect("a pool").1;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        let needed = to_pass(Moves::of(variance.sqrt()), Mei::Hitch.of(mean), 0.95).expect("a number");
        // whole installations: an arm with fewer than the other would be one that needs more
        let judged = judged(interleaved(needed.next_multiple_of(5)), &base, &base, 400);
        assert!(judged.pass.share() > Some(0.92), "{at} {seconds} {needed}: {judged:?}");
        let half = judged_at_half(&base, needed);
        assert!(half < 0.9, "{at} {seconds}: half of {needed} does as well, {half}");
    }
}

fn judged_at_half(base: &Pool, needed: usize) -> f64 {
    judged(interleaved((needed / 2).next_multiple_of(5)), base, base, 300).pass.share().unwrap_or(1.0)
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

/// How often five iterations of another session break a limit of 1 %, from so many sessions of so many iterations that
/// differ by so much.
fn broken(pool: &Pool, (sessions, count, apart): (usize, usize, f64)) -> f64 {
    share(4_000, |replicate| {
        let mut chance = Chance::of(17, replicate);
        let mut session = |count: usize| -> Vec<f64> {
            let level = chance.lognormal(apart);
            pool.stretch(count, &mut chance).into_iter().map(|value| level * value).collect()
        };
        let seen: Vec<Vec<f64>> = (0..sessions).map(|_| session(count)).collect();
        let seen: Vec<&[f64]> = seen.iter().map(Vec::as_slice).collect();
        let level = Level::of(&seen, Known::default(), 0.0).expect("there are iterations");
        let limit = level.worst_mean(5, 0.01).expect("a limit");
        Proportion::once(mean(&session(5)).expect("iterations") > limit)
    })
}

#[test]
fn suggested_limits_are_broken_as_often_as_the_page_says() {
    let page = include_str!("../../docs/suggest.md");
    let designs = [(1, 15, 0.0), (1, 30, 0.0), (1, 60, 0.0), (5, 10, 0.2), (1, 50, 0.2)];
    let mut rows = Vec::new();
    for (at, profile) in PROFILES.into_iter().enumerate() {
        let pool = pool(profile, 20 + at as u64);
        let told: Vec<String> =
            designs.iter().map(|design| format!("{:.1} %", 100.0 * broken(&pool, *design))).collect();
        rows.push(format!("| {} | {} |", profile.name, told.join(" | ")));
    }
    let rows = rows.join("\n");
    // On the scale itself, by mean + t s √(1/n + 1/N), bursts break limits far more often: why it is that of ln(x + 1).
    let flagship = pool(PROFILES[0], 20);
    let plain = share(4_000, |replicate| {
        let mut chance = Chance::of(18, replicate);
        let seen = flagship.stretch(15, &mut chance);
        let level = Level::of(&[&seen], Known::default(), 0.0).expect("there are iterations");
        let reach = quantile(0.99, 14).expect("a quantile") * level.sd * (1.0f64 / 15.0 + 1.0 / 5.0).sqrt();
        let further = mean(&flagship.stretch(5, &mut chance)).expect("iterations");
        Proportion::once(further > level.mean + reach)
    });
    assert!(plain > 0.04, "{plain}");
    assert!(page.contains(&rows), "the page does not say\n{rows}");
}
