//! Cells in a sentence or two, the same in every report: what is wrong, on which phone, how many of each verdict.
//!
//! Must not know: formats. Nothing here is cleaned: the caller knows the medium.

use crate::cells::{self, Cell};
use crate::quarantined::TITLE;
use crate::rerun;
use crate::words;
use farmjank_results::fault::FaultCode;
use farmjank_results::patterns::{self, Pattern};
use farmjank_results::record::Record;
use farmjank_results::threshold::{Judgement, Outcome};
use farmjank_results::verdict::Verdict;

/// One line: the verdict and what is wrong, with numbers.
pub fn message(cell: &Cell) -> String {
    format!("{}: {}", words::verdict(cell.verdict), what(cell))
}

/// Whether a cell was not run, or not to its end, because enough had failed: nobody looked, so nobody is to blame.
pub(crate) fn is_not_run(cell: &Cell) -> bool {
    let cut = |fault: &farmjank_results::fault::Fault| fault.code == FaultCode::NotRun;
    cell.verdict == Some(Verdict::Undecided) && cell.by_fault && cell.fault().is_some_and(cut)
}

/// What is wrong, with numbers: breached limits and what the baseline says, else the fault, else the reasons, else what
/// was seen.
pub fn what(cell: &Cell) -> String {
    let judgements = cell.judged.map_or(&[][..], |judged| &judged.judgements);
    let breached: Vec<String> =
        judgements.iter().filter(|j| j.outcome == Outcome::Breached).map(breach).collect();
    let against = cell.against().map(|one| one.sentence.clone());
    let breached: Vec<String> = breached.into_iter().chain(against).collect();
    match (breached.is_empty(), cell.fault()) {
        (false, _) => breached.join("; "),
        (true, Some(fault)) => fault.to_string(),
        (true, None) => match cell.reasons().is_empty() {
            true => words::coverage(&cell.coverage()),
            false => cell.reasons().join("; "),
        },
    }
}

fn breach(judgement: &Judgement) -> String {
    let sides = words::sides(judgement);
    format!("{} is {}, limit {}", judgement.metric, sides.amount, sides.limit)
}

/// `Pixel 7 (SERIAL)`; simulated phones say so.
pub fn phone(cell: &Cell) -> String {
    let title = cells::phone(cell.device(), cell.facts());
    match cell.is_virtual() && cell.device().is_some() {
        true => format!("{title} [virtual]"),
        false => title,
    }
}

/// `2 failed, 1 broken, 9 passed; 1 in quarantine (1 failed)`, the worst first; `nothing was run` when there is no
/// cell.
pub fn counts(all: &[Cell]) -> String {
    let gating: Vec<&Cell> = all.iter().filter(|cell| cell.quarantine().is_none()).collect();
    let aside: Vec<&Cell> = all.iter().filter(|cell| cell.quarantine().is_some()).collect();
    let told = || format!("{} {TITLE} ({})", words::grouped(aside.len() as u64), verdicts(&aside));
    match (aside.is_empty(), gating.is_empty()) {
        (true, _) => verdicts(&gating),
        (false, false) => format!("{}; {}", verdicts(&gating), told()),
        (false, true) => format!("nothing gates; {}", told()),
    }
}

/// The same of these cells, whether or not they gate.
fn verdicts(all: &[&Cell]) -> String {
    let left = all.iter().filter(|cell| is_not_run(cell)).count();
    let count = |verdict: Option<Verdict>| {
        all.iter().filter(|cell| cell.verdict == verdict && !is_not_run(cell)).count()
    };
    let kinds = [
        (count(Some(Verdict::Fail)), "failed"),
        (count(Some(Verdict::Broken)), "broken"),
        (count(Some(Verdict::Undecided)), "undecided"),
        (left, "not run"),
        (count(None), "not judged"),
        (count(Some(Verdict::Pass)), "passed"),
    ];
    let mut counts: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", words::grouped(*count as u64)))
        .collect();
    // Those that passed are told last.
    let late = all.iter().filter(|cell| rerun::passed_late(cell)).count();
    if let Some(passed) = counts.last_mut().filter(|_| late > 0) {
        *passed += &format!(" ({} only when run again)", words::grouped(late as u64));
    }
    if counts.is_empty() { "nothing was run".to_owned() } else { counts.join(", ") }
}

/// Cells that are told together, in one sentence; phones are called as everywhere.
pub(crate) fn pattern(record: &Record, pattern: &Pattern) -> String {
    patterns::sentence(pattern, |id| cells::phone(Some(id), record.devices.get(id)))
}

/// Every such sentence of a run with what it is about, the worst first, and how many cells are in none.
pub(crate) fn patterns(record: &Record) -> (Vec<(Pattern, String)>, usize) {
    let (all, alone) = patterns::patterns(record);
    let told = all.into_iter().map(|one| (pattern(record, &one), one)).map(|(said, one)| (one, said));
    (told.collect(), alone)
}

/// `and 2 more cells that did not pass`; none where there is none, or nothing they would be more than.
pub(crate) fn alone(patterns: usize, cells: usize) -> Option<String> {
    let more = || words::several(cells, "more cell", "more cells");
    (patterns > 0 && cells > 0).then(|| format!("and {} that did not pass", more()))
}

/// What a run was made on, where it was not made on real phones alone; none where it was.
pub(crate) fn virtual_label(record: &Record) -> Option<String> {
    if let Some(lab) = &record.header.lab {
        return Some(format!("virtual lab {lab}: every phone is simulated"));
    }
    let simulated = record.devices.values().filter(|facts| facts.is_virtual).count();
    match (simulated, record.devices.len()) {
        (0, _) => None,
        (some, all) if some == all => Some("virtual: every phone is simulated".to_owned()),
        (some, all) => Some(format!("virtual: {some} of {all} phones are simulated")),
    }
}
