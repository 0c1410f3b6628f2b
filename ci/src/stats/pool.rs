//! Pools of iterations from a file, `session,iteration,value`, and the false alarms on them.

use super::replicate::replicates;
use super::rows::{Limit, Report};
use crate::program::Failed;
use farmjank_ci::proving::cells::Interleaved;
use farmjank_ci::proving::farm::any_flagged;
use farmjank_ci::proving::stored::Stored;
use farmjank_ci::proving::{Pool, Proportion};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// First line of a pool.
const HEADER: &str = "session,iteration,value";
/// Iterations of each arm, where sessions are long enough.
const ARM: usize = 15;
/// Fewest iterations of an arm.
const LEAST: usize = 5;
/// Sessions below which a share of 5 % of them is not known to ±1 %: shown, not judged.
const ENOUGH: usize = 400;
/// Cells of a farm.
const CELLS: usize = 300;

/// Reads a pool.
///
/// # Errors
/// The file cannot be read, or a line is not what it should be.
pub fn read(path: &Path) -> Result<Pool, Failed> {
    let text = fs::read_to_string(path)
        .map_err(|why| Failed(format!("{} cannot be read: {why}", path.display())))?;
    let pool = parse(&text).map_err(|why| Failed(format!("{}: {why}", path.display())))?;
    if pool.longest() < 2 * LEAST {
        let words = format!("no session has {} iterations; both arms come from one session", 2 * LEAST);
        return Err(Failed(format!("{}: {words}", path.display())));
    }
    Ok(pool)
}

fn parse(text: &str) -> Result<Pool, String> {
    let mut lines = text.lines().enumerate();
    let header = lines.next().map(|(_, line)| line.trim().to_ascii_lowercase());
    if header.as_deref() != Some(HEADER) {
        return Err(format!("the first line must be `{HEADER}`"));
    }
    let mut sessions: BTreeMap<&str, BTreeMap<u64, f64>> = BTreeMap::new();
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let [session, iteration, value] = cells.as_slice() else {
            return Err(format!("line {}: three columns are needed, {} are there", at + 1, cells.len()));
        };
        let number = iteration.parse();
        let number: u64 = number.map_err(|_| format!("line {}: `{iteration}` is no whole number", at + 1))?;
        let value = value.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
        let value = value.ok_or(format!("line {}: the value must be a number from zero up", at + 1))?;
        if sessions.entry(session).or_default().insert(number, value).is_some() {
            return Err(format!("line {}: iteration {number} of this session is there twice", at + 1));
        }
    }
    Ok(Pool::measured(sessions.into_values().map(|session| session.into_values().collect()).collect()))
}

/// Prints the false alarms on a pool. Values pile up at zero on smooth phones; an exact test then rejects less than 5
/// %, so only too much is outside.
pub fn figures(name: &str, pool: &Pool, count: u64, report: &mut Report) {
    let arm = ARM.min(pool.longest() / 2);
    let zeros = pool.values().filter(|value| *value == 0.0).count();
    report.section(
        &format!("Pool {name}"),
        &format!(
            "{} sessions, {} iterations, {zeros} of them zero; nothing changed, {count} replicates.",
            pool.sessions(),
            pool.values().count(),
        ),
    );
    let design = Interleaved { session_sd: 0.0, ..Interleaved::of(arm) };
    let trial = |replicate, tests: &mut _| design.rejects(pool, pool, 7_000, replicate, tests);
    let what = format!("interleaved, {arm} + {arm} successive iterations of a session");
    // Stretches of few sessions overlap: thousands of replicates of them are no more than a few dozen measurements.
    let (what, limit) = if pool.sessions() < ENOUGH {
        (format!("{what} (judged from {ENOUGH} sessions on)"), Limit::Shown)
    } else {
        (what, Limit::AtMost(6.0))
    };
    report.share(&what, replicates(count, trial, Proportion::and), &limit);
    let sessions = 10.min(pool.sessions().saturating_sub(1));
    if sessions >= 5 {
        let design = Stored { iterations: arm, session_sd: 0.0, ..Stored::of(sessions) };
        let trial = |replicate, _: &mut _| design.rejects(pool, 7_001, replicate).unwrap_or_default();
        let what = format!("stored baseline, 1 session against {sessions}");
        let (what, limit) = if pool.sessions() < ENOUGH {
            (format!("{what} (judged from {ENOUGH} sessions on)"), Limit::Shown)
        } else {
            (what, Limit::AtMost(7.0))
        };
        report.share(&what, replicates(count, trial, Proportion::and), &limit);
    } else {
        report.number("stored baseline: needs six sessions", "–");
    }
    let pools = std::slice::from_ref(pool);
    let trial = |replicate, tests: &mut _| any_flagged(pools, CELLS, arm, 7_002, replicate, tests);
    let what = format!("{CELLS} cells, {arm} + {arm}: runs that flag any");
    report.share(&what, replicates(count, trial, Proportion::and), &Limit::AtMost(6.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_read_by_session_and_in_order_of_iteration() {
        let pool = parse("Session,iteration,value\nb, 2, 5.5\nb,1,4\n\na,1,0\n").unwrap();
        assert_eq!(pool, Pool::measured(vec![vec![0.0], vec![4.0, 5.5]]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |rows: &str| parse(&format!("{HEADER}\n{rows}")).unwrap_err();
        assert!(parse("a,1,2").unwrap_err().contains(HEADER));
        assert!(wrong("a,1,2\na,2").starts_with("line 3: three columns"));
        assert!(wrong("a,x,2").starts_with("line 2: `x`"));
        assert!(wrong("a,1,NaN").contains("line 2") && wrong("a,1,-1").contains("line 2"));
        assert!(wrong("a,1,2\na,1,3").contains("twice"));
    }
}
