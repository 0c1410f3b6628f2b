//! The figures on the noise model.

use super::replicate::replicates;
use super::rows::{Limit, Report};
use farmjank_ci::noise::{PROFILES, Profile};
use farmjank_ci::proving::cells::{Interleaved, Judged};
use farmjank_ci::proving::farm::{Farm, Found, any_flagged, looks};
use farmjank_ci::proving::nights::{Nightly, Step};
use farmjank_ci::proving::stored::Stored;
use farmjank_ci::proving::{Pool, Proportion};

/// Iterations imagined of each phone.
const POOL: usize = 20_000;
/// Seconds of motion of an iteration, where nothing else is said.
const SECONDS: f64 = 20.0;
/// The change that must be found, ms/s.
const EFFECT: f64 = 20.0;
/// Replicates of a trial that is dear: 10 000 bootstrap draws, or hundreds of cells.
const COSTLY: u64 = 4_000;
/// Cells below which each is looked at, not screened.
const LOOKED: usize = 20;
/// Cells of a farm, and slower ones among them.
const FARM: (usize, usize) = (300, 6);

/// A phone's iterations, unchanged and slower.
struct Phone {
    name: &'static str,
    base: Pool,
    slower: Pool,
}

impl Phone {
    fn of(profile: Profile, seconds: f64, seed: u64) -> Phone {
        let pool = |profile: Profile, seed: u64| Pool::loose(profile.hitches(seconds, POOL, seed));
        let slower = profile.worse_by(EFFECT, seconds, seed + 2);
        Phone { name: profile.name, base: pool(profile, seed), slower: pool(slower, seed + 1) }
    }
}

/// Prints all figures.
pub fn figures(count: u64, report: &mut Report) {
    let made = [0, 1, 2, 3].map(|at| Phone::of(PROFILES[at], SECONDS, 10 * at as u64));
    println!(
        "Noise model of four phones, {POOL} iterations each; {count} replicates ({COSTLY} where an interval or a farm is computed)."
    );
    interleaved(&made, count, report);
    stored(&made, count, report);
    power(&made, count, report);
    farm(&made, count, report);
    cells(&made, count, report);
    nights(&made[2], count, report);
}

fn interleaved(phones: &[Phone], count: u64, report: &mut Report) {
    report.section(
        "False alarms, interleaved",
        "Base and candidate in turn, nothing changed, 15 + 15 iterations of 20 s, rejected at 5 %, all questions together.",
    );
    let one = Interleaved::of(15);
    let designs = [
        ("one session", one),
        ("three sessions of 5 + 5", Interleaved { sessions: 3, ..one }),
        ("one session, 40 % slower at its end", Interleaved { drift: 0.4, ..one }),
    ];
    for (words, design) in designs {
        for (at, phone) in phones.iter().enumerate() {
            let trial = |replicate, tests: &mut _| {
                design.rejects(&phone.base, &phone.base, 1_000 + at as u64, replicate, tests)
            };
            let proportion = replicates(count, trial, Proportion::and);
            report.share(&format!("{}, {words}", phone.name), proportion, &Limit::Within(2.0..=6.0));
        }
    }
}

fn stored(phones: &[Phone], count: u64, report: &mut Report) {
    report.section(
        "False alarms, stored baseline",
        "One new session against stored ones, 15 iterations each, sessions differ by 30 %, rejected at 5 %.",
    );
    for sessions in [10, 5] {
        for (at, phone) in phones.iter().enumerate() {
            let design = Stored::of(sessions);
            let trial = |replicate, _: &mut _| {
                design.rejects(&phone.base, 2_000 + at as u64, replicate).unwrap_or_default()
            };
            let proportion = replicates(count, trial, Proportion::and);
            report.share(
                &format!("{}, {sessions} sessions, by session", phone.name),
                proportion,
                &Limit::Within(3.0..=7.0),
            );
        }
    }
    let beside = [(1.0, "as slow"), (3.0, "three times as slow"), (0.8, "a fifth less slow")];
    for (times, words) in beside {
        for (at, phone) in phones.iter().enumerate() {
            let design = Stored { nights: (30, times), ..Stored::of(5) };
            let trial = |replicate, _: &mut _| {
                design.rejects(&phone.base, 2_200 + at as u64, replicate).unwrap_or_default()
            };
            let proportion = replicates(count, trial, Proportion::and);
            report.share(
                &format!("{}, 5 sessions, noise of 10 more nights {words}", phone.name),
                proportion,
                &Limit::Within(3.0..=7.0),
            );
        }
    }
    let phone = &phones[2];
    for (words, nights) in [("5 sessions", 0), ("5 sessions, noise of 10 more nights", 30)] {
        let design = Stored { nights: (nights, 1.0), ..Stored::of(5) };
        let trial = |replicate, _: &mut _| {
            design.finds(&phone.base, &phone.slower, 2_300, replicate).unwrap_or_default()
        };
        let proportion = replicates(count, trial, Proportion::and);
        report.share(&format!("{}, {words}: +20 ms/s found", phone.name), proportion, &Limit::Shown);
    }
    for phone in [&phones[1], &phones[3]] {
        let design = Stored::of(5);
        let trial = |replicate, tests: &mut _| design.rejects_pooled(&phone.base, 2_100, replicate, tests);
        let proportion = replicates(COSTLY, trial, Proportion::and);
        report.share(
            &format!("{}, iterations pooled: how not to do it", phone.name),
            proportion,
            &Limit::Shown,
        );
    }
}

fn power(phones: &[Phone], count: u64, report: &mut Report) {
    report.section("Power", "The candidate is 20 ms/s worse; interleaved, rejected at 5 %, two-sided.");
    let design = Interleaved::of(15);
    for (at, phone) in phones.iter().enumerate() {
        let trial = |replicate, tests: &mut _| {
            design.rejects(&phone.base, &phone.slower, 3_000 + at as u64, replicate, tests)
        };
        let proportion = replicates(count, trial, Proportion::and);
        let limit = if at == 1 { Limit::AtLeast(80.0) } else { Limit::Shown };
        report.share(&format!("{}, 15 + 15 of 20 s", phone.name), proportion, &limit);
    }
    let phone = &phones[2];
    for (words, sessions) in [("three sessions of 5 + 5", 3), ("fifteen of 1 + 1: blocks too small", 15)] {
        let design = Interleaved { sessions, ..design };
        let trial =
            |replicate, tests: &mut _| design.rejects(&phone.base, &phone.slower, 3_010, replicate, tests);
        report.share(
            &format!("{}, {words}", phone.name),
            replicates(count, trial, Proportion::and),
            &Limit::Shown,
        );
    }
    let short = Phone::of(PROFILES[2], 6.0, 90);
    let look = |candidate: &Pool, seed: u64| {
        let trial = |replicate, tests: &mut _| looks(&short.base, candidate, 10, seed, replicate, tests);
        let join = |left: (Proportion, Proportion), right: (Proportion, Proportion)| {
            (left.0.and(right.0), left.1.and(right.1))
        };
        replicates(count, trial, join)
    };
    let (quiet, slower) = (look(&short.base, 3_100), look(&short.slower, 3_101));
    let name = format!("{}, up to three looks of 10 + 10 of 6 s", short.name);
    report.share(&format!("{name}, nothing changed"), quiet.0, &Limit::Within(2.0..=6.0));
    report.share(&name, slower.0, &Limit::AtLeast(85.0));
    let taken = slower.1.share().unwrap_or(f64::NAN);
    report.number("… iterations per arm it took, mean", &format!("{taken:.1}"));
}

fn farm(phones: &[Phone], count: u64, report: &mut Report) {
    let (cells, planted) = FARM;
    report.section("Many cells", "300 cells in one run, Benjamini and Hochberg at 5 %.");
    let bases: Vec<Pool> = phones.iter().map(|phone| phone.base.clone()).collect();
    let trial = |replicate, tests: &mut _| any_flagged(&bases, cells, 15, 4_000, replicate, tests);
    let proportion = replicates(count, trial, Proportion::and);
    report.share("none changed, all four phones: runs that flag any", proportion, &Limit::AtMost(6.0));
    let phone = &phones[2];
    let farm = Farm { base: &phone.base, slower: &phone.slower, cells, planted };
    let mut found = |name: &str, found: Found, limits: (Limit, Limit)| {
        report.share(&format!("{name}: planted cells found"), found.power, &limits.0);
        report.share(&format!("{name}: false among flagged"), found.false_discovery, &limits.1);
        let taken = found.iterations.share().unwrap_or(f64::NAN);
        report.number("… iterations it took", &format!("{taken:.0}"));
    };
    let screened = |replicate, tests: &mut _| farm.screen_and_confirm(10, 20, 4_001, replicate, tests);
    let name = "6 slower among 300 (C), screen 10 + 10, confirm 20 + 20";
    found(name, replicates(COSTLY, screened, Found::and), (Limit::AtLeast(75.0), Limit::AtMost(6.0)));
    let at_once = |replicate, tests: &mut _| farm.all_at_once(20, 4_002, replicate, tests);
    let name = "the same, 20 + 20 everywhere at once";
    found(name, replicates(COSTLY, at_once, Found::and), (Limit::Shown, Limit::AtMost(6.0)));
    let few = |planted| Farm { cells: LOOKED, planted, ..farm };
    let slower = |replicate, tests: &mut _| few(2).look_by_look(15, 4_004, replicate, tests);
    let name = format!("2 slower among {LOOKED} (C), up to three looks of 15 + 15");
    found(&name, replicates(COSTLY, slower, Found::and), (Limit::Shown, Limit::AtMost(6.0)));
    // Where none is slower every flag is a false one.
    let quiet = |replicate, tests: &mut _| few(0).look_by_look(15, 4_003, replicate, tests);
    let any = replicates(COSTLY, quiet, Found::and).false_discovery;
    let name = format!("none changed among {LOOKED} (C), up to three looks of 15 + 15: runs that flag any");
    report.share(&name, any, &Limit::AtMost(6.0));
}

fn cells(phones: &[Phone], count: u64, report: &mut Report) {
    report.section(
        "Intervals in several sessions",
        "95 % intervals hold the true difference where three sessions of 5 + 5 differ by 30 %.",
    );
    for (at, phone) in phones.iter().enumerate() {
        let sessions = Interleaved { sessions: 3, ..Interleaved::of(15) };
        let trial = |replicate, _: &mut _| {
            sessions.judged(&phone.base, &phone.base, (0.0, 0.0), 5_200 + at as u64, replicate)
        };
        let judged = replicates(count, trial, Judged::and);
        report.share(
            &format!("{}, nothing changed: trimmed", phone.name),
            judged.covered,
            &Limit::AtLeast(93.0),
        );
        report.share("… plain", judged.covered_plain, &Limit::AtLeast(93.0));
    }
}

fn nights(phone: &Phone, count: u64, report: &mut Report) {
    report.section("Nights", "Mid phone, 10 iterations of 20 s a night, nights differ by 15 %.");
    let design = Nightly { iterations: 10, session_sd: 0.15 };
    let join = |left: (Proportion, Proportion), right: (Proportion, Proportion)| {
        (left.0.and(right.0), left.1.and(right.1))
    };
    let quiet = replicates(count, |replicate, _| design.quiet(&phone.base, 6_000, replicate), join);
    report.share("90 quiet nights: series with a false alert", quiet.0, &Limit::AtMost(3.0));
    report.share("90 quiet nights: series where E-divisive places a change", quiet.1, &Limit::Shown);
    let mut step = replicates(
        count,
        |replicate, _| design.step(&phone.base, &phone.slower, 6_001, replicate),
        Step::and,
    );
    report.share("+20 ms/s: alert within ten nights", step.found, &Limit::AtLeast(85.0));
    step.nights.sort_unstable();
    let median = step.nights.get(step.nights.len() / 2).map_or("none".to_owned(), usize::to_string);
    report.number("… nights it takes, median", &median);
    report.share("… E-divisive places it within two nights", step.placed, &Limit::Shown);
}
