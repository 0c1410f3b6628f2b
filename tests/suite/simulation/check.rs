//! Checkers from outside: what must be true of any run, whatever happened in it. Complaints are collected, not thrown.

mod apart;
mod expected;
mod windows;

use super::draw::World;
use farmjank_results::event::{Ending, Event, Fact};
use farmjank_results::fault::{Blame, Fault};
use farmjank_results::record::{JobRecord, Record, TrialRecord};
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::Story;
use farmjank_witnesses::xml;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is wrong with a run.
pub fn wrongs(world: &World, story: &Story) -> Vec<String> {
    let mut wrongs = log(story);
    wrongs.extend(verdicts(&story.record));
    wrongs.extend(blamed(world, &story.record));
    wrongs.extend(windows::wrongs(world, story));
    wrongs.extend(junit(story));
    wrongs.extend(json(story));
    wrongs
}

/// The same of one of several runs: a phone in another's hands is no fault of the phone.
pub fn wrongs_of_one(world: &World, story: &Story) -> Vec<String> {
    let mut wrongs = log(story);
    wrongs.extend(verdicts(&story.record));
    wrongs.extend(windows::wrongs(world, story));
    wrongs.extend(junit(story));
    wrongs.extend(json(story));
    wrongs
}

/// The same of a run that went on: what was in its log stays, and no iteration is measured twice. What was measured
/// before it died is of phones that are no more.
pub fn wrongs_of_resumed(world: &World, kept: &[u8], story: &Story) -> Vec<String> {
    let mut wrongs = log(story);
    wrongs.extend(verdicts(&story.record));
    wrongs.extend(blamed(world, &story.record));
    wrongs.extend(junit(story));
    wrongs.extend(json(story));
    if !story.files.read("events.ndjson").starts_with(kept) {
        wrongs.push("what was written before did not stay".to_owned());
    }
    let mut evidence = BTreeSet::new();
    for (number, job) in &story.record.jobs {
        let mut completed = BTreeSet::new();
        for trial in &job.trials {
            if trial.ending.is_none() {
                wrongs.push(format!("trial {} of job {number} never ended", trial.trial));
            }
            if trial.ending == Some(Ending::Completed) && !completed.insert(trial.trial) {
                wrongs.push(format!("trial {} of job {number} was measured twice", trial.trial));
            }
            for path in trial.windows.iter().flat_map(|window| &window.evidence) {
                // A trace is of a whole trial.
                if !path.ends_with(".perfetto-trace.zst") && !evidence.insert(path.clone()) {
                    wrongs.push(format!("{path} holds two windows"));
                }
            }
        }
    }
    let before = Record::read_ndjson(kept).map(|(before, _)| before);
    for (number, job) in before.iter().flat_map(|before| &before.jobs) {
        let now = &story.record.jobs[number];
        // One that moved since begins anew on its new phone; what was measured before is told with the move.
        let moved: u32 = now.moves.iter().skip(job.moves.len()).map(|one| one.trials).sum();
        let ended: Vec<&TrialRecord> = job.trials.iter().filter(|trial| trial.ending.is_some()).collect();
        if now.moves.len() > job.moves.len() {
            if (moved as usize) < ended.len() {
                wrongs.push(format!("job {number} moved, and says less than it had measured"));
            }
            continue;
        }
        let lost = ended.into_iter().filter(|trial| !now.trials.contains(trial));
        wrongs.extend(lost.map(|trial| format!("trial {} of job {number} was lost", trial.trial)));
    }
    wrongs
}

/// A phone with nothing wrong is left as it was found.
pub fn left_behind(world: &World, story: &Story) -> Vec<String> {
    if story.record.interrupted.is_some() {
        return Vec::new();
    }
    let left = |serial: &String| {
        let left = story.lab.phone(serial).map(|phone| phone.model().left_behind()).unwrap_or_default();
        left.into_iter().map(|what| format!("left on {serial}: {what}")).collect::<Vec<String>>()
    };
    world.sound.iter().flat_map(left).collect()
}

pub use apart::apart;

/// The log tells the record, keeps the laws, and judges every planned job once.
fn log(story: &Story) -> Vec<String> {
    let mut wrongs = Vec::new();
    let said = story.ear.err.borrow();
    wrongs.extend(said.lines().filter(|line| line.contains("internal error")).map(str::to_owned));
    wrongs.extend(said.lines().filter(|line| line.contains("reporter ")).map(str::to_owned));
    let (again, events) = match Record::read_ndjson(&story.files.read("events.ndjson")) {
        Ok(read) => read,
        Err(bad) => return vec![format!("the log does not read back: {bad:?}")],
    };
    if again != story.record {
        wrongs.push("the log tells another record".to_owned());
    }
    let mut judged: BTreeMap<u32, u32> = story.record.jobs.keys().map(|job| (*job, 0)).collect();
    let mut faults: Vec<&Fault> = Vec::new();
    for Event { fact, .. } in &events {
        match fact {
            Fact::JobJudged { job, fault, .. } => {
                *judged.entry(*job).or_default() += 1;
                faults.extend(fault);
            }
            // What the lab ended is judged anew.
            Fact::RunResumed { again, anew, .. } => {
                judged.extend(again.iter().chain(anew).map(|job| (*job, 0)));
            }
            Fact::StepFinished { fault: Some(fault), .. } | Fact::LeaseRefused { fault, .. } => {
                faults.push(fault);
            }
            Fact::TrialFinished { ending: Ending::Faulted(fault), .. } => faults.push(fault),
            _ => {}
        }
    }
    wrongs.extend(
        judged
            .iter()
            .filter(|(_, times)| **times != 1)
            .map(|(job, times)| format!("job {job} was judged {times} times")),
    );
    let ours: BTreeSet<String> = faults
        .iter()
        .filter(|fault| fault.blame == Blame::Tool)
        .map(|fault| format!("our fault: {fault}"))
        .collect();
    wrongs.extend(ours);
    wrongs
}

/// Exit code and verdicts follow precedence, and nothing that is not a pass is without a reason.
fn verdicts(record: &Record) -> Vec<String> {
    let mut wrongs = Vec::new();
    let any = |wanted| record.jobs.values().any(|job| job.verdict == Some(wanted));
    let expected = match record.interrupted.as_deref() {
        Some(_) => 130,
        None if record.jobs.is_empty() => 5,
        None if any(Verdict::Fail) => 1,
        None if any(Verdict::Broken) => 3,
        None if any(Verdict::Undecided) => 4,
        None => 0,
    };
    if record.exit_code != Some(expected) {
        wrongs.push(format!("exit code {:?} instead of {expected}", record.exit_code));
    }
    for (number, job) in &record.jobs {
        let completed = |counted: bool| {
            let ended =
                |trial: &&TrialRecord| trial.counted == counted && trial.ending == Some(Ending::Completed);
            job.trials.iter().filter(ended).count() as u32
        };
        let whole = completed(true) == job.planned.iterations && completed(false) == job.planned.warmup;
        let passed = job.verdict == Some(Verdict::Pass);
        if passed && !(whole && job.fault.is_none()) {
            wrongs.push(format!("job {number} passed without all its trials"));
        }
        if !whole && job.fault.is_none() {
            wrongs.push(format!("job {number} lacks trials and says no fault"));
        }
        if passed != (job.fault.is_none() && job.windows.iter().all(|window| window.verdict == Verdict::Pass))
        {
            wrongs.push(format!("job {number} is {:?} beside {:?}", job.verdict, job.windows));
        }
        let silent =
            job.windows.iter().filter(|window| window.verdict != Verdict::Pass && window.reasons.is_empty());
        wrongs.extend(silent.map(|window| format!("job {number}: {} gives no reason", window.window)));
        if completed(true) > job.planned.iterations || completed(false) > job.planned.warmup {
            wrongs.push(format!("job {number} ran a trial too many"));
        }
    }
    wrongs
}

/// A phone with nothing wrong is not blamed.
fn blamed(world: &World, record: &Record) -> Vec<String> {
    let sound =
        |job: &&JobRecord| job.planned.device.as_ref().is_some_and(|device| world.sound.contains(&device.0));
    let broken = |job: &&JobRecord| job.verdict == Some(Verdict::Broken);
    let jobs = record.jobs.values().filter(sound).filter(broken);
    jobs.map(|job| format!("{:?} has nothing wrong and is broken: {:?}", job.planned.device, job.fault))
        .collect()
}

fn junit(story: &Story) -> Vec<String> {
    let bytes = story.files.read("junit.xml");
    let root = match std::str::from_utf8(&bytes).map_err(|error| error.to_string()).and_then(xml::read) {
        Ok(root) => root,
        Err(why) => return vec![format!("junit.xml is not well-formed: {why}")],
    };
    let mut seen = BTreeSet::new();
    let cases = root.all("testsuite").into_iter().flat_map(|suite| suite.all("testcase"));
    let names = cases.map(|case| (case.attribute("classname").to_owned(), case.attribute("name").to_owned()));
    let mut wrongs: Vec<String> = names
        .filter(|name| !seen.insert(name.clone()))
        .map(|name| format!("two cases of junit.xml are called {name:?}"))
        .collect();
    if seen.len() < story.record.jobs.len() {
        wrongs.push(format!("junit.xml has {} cases for {} jobs", seen.len(), story.record.jobs.len()));
    }
    wrongs
}

/// Wherever `results.json` says a value is not known, it says why; and where coverage is not proved, it gives none.
fn json(story: &Story) -> Vec<String> {
    let document: Value = match serde_json::from_slice(&story.files.read("results.json")) {
        Ok(document) => document,
        Err(error) => return vec![format!("results.json cannot be read: {error}")],
    };
    let mut wrongs = Vec::new();
    for cell in document["cells"].as_array().into_iter().flatten() {
        let place = format!("results.json, job {} {}", cell["job"], cell["window"]);
        for (key, metric) in cell["metrics"].as_object().into_iter().flatten() {
            let reason = metric["reason"].as_str().is_some_and(|words| !words.is_empty());
            if metric["value"].is_null() != reason {
                wrongs.push(format!("{place}: {key} is {} because {}", metric["value"], metric["reason"]));
            }
        }
        let passed = cell["verdict"] == "pass";
        if !passed && cell["reasons"].as_array().is_none_or(Vec::is_empty) && cell["fault"].is_null() {
            wrongs.push(format!("{place}: {} without a reason", cell["verdict"]));
        }
    }
    wrongs
}
