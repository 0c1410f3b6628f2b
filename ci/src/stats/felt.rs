//! The figures on what users feel and a trimmed mean does not: rare stutters, and noise of more kinds.
//!
//! Every measurement is in turns of five iterations an installation, as `farmjank ab` does it; each cell is judged as
//! the only one.

use super::replicate::replicates;
use super::rows::{Limit, Report};
use farmjank_ci::noise::{PROFILES, Profile, SILENT};
use farmjank_ci::proving::Pool;
use farmjank_ci::proving::cells::{Interleaved, Judged};
use farmjank_statistics::Mei;
use farmjank_statistics::needed::{Moves, each, to_pass};

/// Iterations imagined of each phone.
const POOL: usize = 20_000;
/// Replicates at most: a share of 5 % is known to ±0.7 %.
const REPLICATES: u64 = 4_000;
/// Share of the iterations that stutter.
const RARE: f64 = 0.1;
/// What a stutter costs, ms/s.
const COSTS: [f64; 2] = [300.0, 600.0];
/// Iterations of each arm.
const SIZES: [usize; 3] = [15, 30, 60];

/// A phone and what it measures in 20 s of motion.
struct Phone {
    profile: Profile,
    base: Pool,
    seed: u64,
}

fn phones() -> Vec<Phone> {
    let all = [SILENT].into_iter().chain(PROFILES).enumerate();
    let phone = |(at, profile): (usize, Profile)| Phone {
        base: Pool::loose(profile.hitches(20.0, POOL, 10 * at as u64)),
        profile,
        seed: at as u64,
    };
    all.map(phone).collect()
}

/// Five iterations an installation.
fn turns(iterations: usize) -> Interleaved {
    Interleaved { per_install: Some(5), ..Interleaved::of(iterations) }
}

/// The level of a session multiplies a difference too: there is one truth only without it.
fn one_level(iterations: usize) -> Interleaved {
    Interleaved { session_sd: 0.0, ..turns(iterations) }
}

fn judge(design: Interleaved, base: &Pool, candidate: &Pool, seed: u64, count: u64) -> Judged {
    let truth = base.difference(candidate).unwrap_or((f64::NAN, f64::NAN));
    replicates(
        count,
        |replicate, _: &mut _| design.judged(base, candidate, truth, seed, replicate),
        Judged::and,
    )
}

/// Prints all figures.
pub fn figures(count: u64, report: &mut Report) {
    let phones = phones();
    let count = count.min(REPLICATES);
    println!("\nIn turns of five iterations an installation; {count} replicates.");
    stutters(&phones, count, report);
    quiet(&phones, count, report);
    alarms(&phones, count, report);
    power(&phones[1..], count, report);
    coverage(&phones[1..], count, report);
}

fn stutters(phones: &[Phone], count: u64, report: &mut Report) {
    report.section(
        "Rare stutters",
        "One iteration in ten of the candidate is worse by so many ms/s; how often it passes all the same.",
    );
    for phone in phones {
        for cost in COSTS {
            let stutters = phone.base.with_stutters(RARE, cost, 70 + phone.seed);
            for iterations in SIZES {
                let judged = judge(one_level(iterations), &phone.base, &stutters, 8_000 + phone.seed, count);
                let name = format!("{}, +{cost}, {iterations} + {iterations}", phone.profile.name);
                report.share(&format!("{name}: passes"), judged.pass, &Limit::AtMost(5.0));
                let alone = judged.passed_by_trimmed_alone;
                report.share("… by the trimmed mean alone: how not to do it", alone, &Limit::Shown);
                report.share("… ends as a regression", judged.regression, &Limit::Shown);
            }
        }
    }
}

fn quiet(phones: &[Phone], count: u64, report: &mut Report) {
    report.section(
        "Nothing changed",
        "How often a cell passes, and how often with as many iterations as are said to be needed for 95 %.",
    );
    for phone in phones {
        let judged =
            |iterations| judge(one_level(iterations), &phone.base, &phone.base, 8_100 + phone.seed, count);
        for iterations in SIZES {
            let judged = judged(iterations);
            let name = format!("{}, {iterations} + {iterations}", phone.profile.name);
            report.share(&format!("{name}: passes"), judged.pass, &Limit::Shown);
            report.share("… ends as a regression", judged.regression, &Limit::AtMost(2.5));
        }
        let (Some((_, mean)), values) = (phone.base.means(), phone.base.values()) else { continue };
        let (squares, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + (value - mean).powi(2), n + 1.0));
        let moves = Moves::of(f64::sqrt(squares / n));
        let Some(needed) = to_pass(moves, Mei::Hitch.of(mean), each(0.95, 1)) else { continue };
        let whole = needed.next_multiple_of(5);
        let name = format!("{}, {whole} + {whole}, as needed", phone.profile.name);
        report.share(&format!("{name}: passes"), judged(whole).pass, &Limit::AtLeast(94.0));
    }
}

fn alarms(phones: &[Phone], count: u64, report: &mut Report) {
    report.section(
        "False alarms with more noise",
        "Nothing changed; rejected at 5 %, all three questions together, either way.",
    );
    let fifteen = turns(15);
    let designs = [
        ("15 + 15", fifteen, Limit::AtMost(6.0)),
        (
            "15 + 15, installations differ by 10 %",
            Interleaved { install_sd: 0.1, ..fifteen },
            Limit::AtMost(7.0),
        ),
        ("15 + 15, installations differ by 20 %", Interleaved { install_sd: 0.2, ..fifteen }, Limit::Shown),
        (
            "15 + 15, moods of 15 % that pass slowly",
            Interleaved { mood: (0.5, 0.15), ..fifteen },
            Limit::AtMost(7.0),
        ),
        (
            "15 + 15, moods of 25 % that pass slowly",
            Interleaved { mood: (0.5, 0.25), ..fifteen },
            Limit::Shown,
        ),
    ];
    for phone in phones {
        let mut row = |words: &str, pool: &Pool, design: Interleaved, limit: &Limit| {
            let judged = judge(design, pool, pool, 8_200 + phone.seed, count);
            report.share(&format!("{}, {words}", phone.profile.name), judged.alarm, limit);
            let regression = if *limit == Limit::Shown { Limit::Shown } else { Limit::AtMost(5.0) };
            report.share("… ends as a regression", judged.regression, &regression);
        };
        for (words, design, limit) in &designs {
            row(words, &phone.base, *design, limit);
        }
        let both = phone.base.with_stutters(RARE, COSTS[0], 90 + phone.seed);
        row("15 + 15, both stutter in one of ten", &both, fifteen, &Limit::AtMost(6.0));
        row("30 + 30, both stutter in one of ten", &both, turns(30), &Limit::AtMost(6.0));
    }
}

/// Percent of 2 000 cells that ended as a regression when trimmed means and ranks alone were asked: of phones A to D,
/// with 20 ms/s more at 15 + 15 and 30 + 30, then with 40 more.
const BEFORE: [[f64; 4]; 4] = [
    [93.0, 95.8, 100.0, 100.0],
    [90.2, 94.3, 100.0, 100.0],
    [45.4, 43.7, 97.1, 99.5],
    [4.9, 1.9, 35.2, 33.6],
];
/// What 2 000 replicates leave open of a share, in percent.
const OPEN: f64 = 1.5;

fn power(phones: &[Phone], count: u64, report: &mut Report) {
    report.section(
        "Power of the whole",
        "The candidate is worse by so many ms/s and ends as a regression; limits are the figures before, less what they leave open.",
    );
    for (phone, before) in phones.iter().zip(BEFORE) {
        let mut before = before.into_iter();
        for effect in [20.0, 40.0] {
            let slower = phone.profile.worse_by(effect, 20.0, 10 * phone.seed + 2);
            let slower = Pool::loose(slower.hitches(20.0, POOL, 10 * phone.seed + 1));
            for iterations in [15, 30] {
                let judged = judge(turns(iterations), &phone.base, &slower, 8_400 + phone.seed, count);
                let name = format!("{}, +{effect}, {iterations} + {iterations}", phone.profile.name);
                let least = before.next().unwrap_or(100.0) - OPEN;
                let limit = Limit::AtLeast((least * 10.0).round() / 10.0);
                report.share(&format!("{name}: ends as a regression"), judged.regression, &limit);
                report.share("… significant at 5 %, and worse", judged.found, &Limit::Shown);
            }
        }
    }
}

/// Of 95 % intervals. Hitch times are skewed: five iterations of a much worse build say less of their mean than t
/// believes.
const COVERED: Limit = Limit::AtLeast(92.0);

fn coverage(phones: &[Phone], count: u64, report: &mut Report) {
    report.section(
        "Intervals",
        "95 % intervals hold the true difference, of trimmed means and of plain means.",
    );
    for phone in phones {
        let slower = phone.profile.worse_by(20.0, 20.0, 10 * phone.seed + 2);
        let slower = Pool::loose(slower.hitches(20.0, POOL, 10 * phone.seed + 1));
        for (words, candidate) in [("nothing changed", &phone.base), ("20 ms/s worse", &slower)] {
            for iterations in [5, 10, 15, 30] {
                let judged = judge(one_level(iterations), &phone.base, candidate, 8_500 + phone.seed, count);
                let name = format!("{}, {iterations} + {iterations}, {words}", phone.profile.name);
                report.share(&format!("{name}: trimmed"), judged.covered, &COVERED);
                report.share("… plain", judged.covered_plain, &COVERED);
            }
        }
    }
}
