//! A job that somebody had run again (`run --last-failed`, `--undecided`): what its cells came to before. A result is
//! never measured into another in silence: whoever tells of a cell tells of this too. Must not know: reports.

use crate::cells;
use crate::compare::{Measured, measured};
use crate::event::CellVerdict;
use crate::record::{JobRecord, Record};
use crate::verdict::Verdict;
use std::borrow::Cow;

/// A cell that was run again, and what it came to before.
pub struct Rerun<'a> {
    job: &'a JobRecord,
    /// What it came to each time before, in order. Where there was no such cell, what stood for the job as a whole,
    /// else the worst of its cells.
    pub before: Vec<Cow<'a, CellVerdict>>,
}

impl<'a> Rerun<'a> {
    /// Of a window, or of the job as a whole; none where the job was not run again.
    pub fn of(record: &'a Record, job: &'a JobRecord, whole: bool, window: &str) -> Option<Rerun<'a>> {
        let before: Vec<_> = job.before.iter().filter_map(|was| one(record, was, whole, window)).collect();
        (!before.is_empty()).then_some(Rerun { job, before })
    }

    /// Whether a cell of this verdict passes only since it was run again: what was measured first failed, or could not
    /// be told.
    pub fn passed_late(&self, verdict: Option<Verdict>) -> bool {
        let passed = Some(Verdict::Pass);
        verdict == passed && self.before.iter().any(|was| was.verdict != passed)
    }

    /// `run again: before, it failed (hitch_ms_per_s: mean is 50.1 ms/s, limit …)`. Not cleaned.
    pub fn sentence(&self) -> String {
        let all: Vec<String> = self.before.iter().map(|cell| told(cell)).collect();
        let times = if all.len() == 1 { String::new() } else { format!(" {} times", all.len()) };
        let versions = other_build(self.job).unwrap_or_default();
        format!("run again{times}: before, it {}{versions}", all.join(", then "))
    }
}

fn one<'a>(
    record: &'a Record,
    was: &'a JobRecord,
    whole: bool,
    window: &str,
) -> Option<Cow<'a, CellVerdict>> {
    // A log that was merged of shards has only the cells of all of them, at its end.
    let mut cells: Vec<Cow<'a, CellVerdict>> = match was.cells.is_empty() {
        true => cells::alone(record, was).into_iter().map(Cow::Owned).collect(),
        false => was.cells.iter().map(Cow::Borrowed).collect(),
    };
    let same = |cell: &Cow<'_, CellVerdict>| cell.whole == whole && (whole || cell.window == window);
    cells.sort_by_key(|cell| (!same(cell), !cell.whole, cells::rank(cell.verdict)));
    cells.into_iter().next()
}

fn told(cell: &CellVerdict) -> String {
    let word = match cell.verdict {
        Some(Verdict::Pass) => "passed",
        Some(Verdict::Fail) => "failed",
        Some(Verdict::Broken) => "was broken",
        Some(Verdict::Undecided) | None => "was undecided",
    };
    let why = cell.reasons.first().or(cell.against.as_ref());
    match why.filter(|_| cell.verdict != Some(Verdict::Pass)) {
        Some(why) => format!("{word} ({why})"),
        None => word.to_owned(),
    }
}

/// `; the app was 7.4.1 then, and is 7.5.0 now`: another build passes for reasons of its own.
fn other_build(job: &JobRecord) -> Option<String> {
    let (then, now) = (version(job.before.first()?)?, version(job)?);
    (then != now).then(|| format!("; the app was {then} then, and is {now} now"))
}

fn version(job: &JobRecord) -> Option<&str> {
    let mut windows = job.trials.iter().flat_map(|trial| &trial.windows);
    windows.find_map(|window| window.around.as_ref()?.app_version.as_deref())
}

/// What a run measured, for those who keep numbers: of a job that failed and was run again, what it measured when it
/// failed. Who keeps the better of two samples keeps no sample.
pub fn to_keep(record: &Record) -> Vec<Measured> {
    let fails = |was: &JobRecord| was.cells.iter().any(|cell| cell.verdict == Some(Verdict::Fail));
    let failed = |was: &&JobRecord| was.verdict == Some(Verdict::Fail) || fails(was);
    if record.jobs.values().all(|job| job.before.is_empty()) {
        return measured(record);
    }
    let mut first = record.clone();
    for job in first.jobs.values_mut() {
        if let Some(was) = job.before.iter().find(failed).cloned() {
            *job = was;
        }
    }
    measured(&first)
}
