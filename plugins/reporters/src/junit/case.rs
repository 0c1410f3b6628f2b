//! One case: its status with the verdict, the limits and the place in the scenario, and its output with the numbers and
//! the evidence.
//!
//! A case has one status, so several breached limits share one failure: its type names the first, its text lists all.

use super::naming::Names;
use super::{Options, wall};
use crate::cells::{Cell, phone, slug};
use crate::clean::{BLOCK, NAME, SENTENCE, xml_attribute, xml_block};
use crate::comparison;
use crate::paint::TextStyle;
use crate::{quarantined, rerun, sentence, why, words};
use farmjank_results::event::{CellVerdict, Ending};
use farmjank_results::fault::Fault;
use farmjank_results::metric::Unit;
use farmjank_results::record::TrialRecord;
use farmjank_results::summary::Value;
use farmjank_results::threshold::{Judgement, Outcome};
use farmjank_results::verdict::Verdict;
use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestRerun};

/// Evidence files named in one case.
const ATTACHMENTS: usize = 40;
/// Attempts named that were made again.
const AGAIN: usize = 10;

/// The case of a cell; `plot` is the picture of its frames, where there is one. `room` is the text the file may still
/// hold; what does not fit is left out.
pub(super) fn case(
    cell: &Cell,
    names: &Names,
    plot: Option<&String>,
    options: &Options,
    room: &mut usize,
) -> TestCase {
    let mut status = match quarantined::sentence(cell) {
        Some(told) => skipped(cell, &told),
        None if sentence::is_not_run(cell) => not_run(cell),
        None => status(cell, room),
    };
    // A schema of Jenkins' xunit plugin knows no reruns; a case that did not pass tells them in its text.
    if !options.strict && matches!(status, TestCaseStatus::Success { .. }) {
        let elsewhere = cell.job.moves.iter().map(|one| &one.fault);
        status.add_reruns(elsewhere.chain(again(cell).map(|(_, fault)| fault)).map(of_fault));
    }
    if !options.strict && !matches!(status, TestCaseStatus::Skipped { .. }) {
        status.add_reruns(rerun::before(cell).iter().filter_map(|was| of_before(was)));
    }
    let mut case = TestCase::new(names.name.as_str(), status);
    case.set_classname(names.classname.as_str());
    case.set_time(cell.spent().to_duration());
    if !options.strict {
        let file = xml_attribute(&cell.job.planned.file, NAME);
        case.extra.insert("file".into(), file.as_str().into());
        if let Some((line, _)) = cell.place {
            case.extra.insert("line".into(), line.to_string().as_str().into());
        }
        let began = cell.measured.first().map(|(trial, _)| trial.started).or(cell.job.started);
        if let Some(stamp) = began.and_then(|at| wall(&cell.record.header, at)) {
            case.extra.insert("timestamp".into(), stamp.as_str().into());
        }
        if options.case_properties {
            case.add_properties(properties(cell));
        }
    }
    let output = xml_block(&output(cell, plot, options), BLOCK);
    if output.len() <= *room {
        *room -= output.len();
        case.set_system_out(output.as_str());
    }
    case
}

/// Attempts of this cell's trials that a fault ended and that were made again, with the trial: the case stands on what
/// came after them.
fn again<'a>(cell: &Cell<'a>) -> impl Iterator<Item = (&'a TrialRecord, &'a Fault)> {
    let trials = &cell.job.trials;
    let repeated = |at: usize| trials[at + 1..].iter().any(|next| next.trial == trials[at].trial);
    let ended = move |(at, trial): (usize, &'a TrialRecord)| match &trial.ending {
        Some(Ending::Faulted(fault)) if repeated(at) => Some((trial, fault)),
        _ => None,
    };
    trials.iter().enumerate().filter_map(ended).take(AGAIN)
}

/// Every reader that knows reruns at all knows `flakyFailure`, also for what is no failure of the app: the type says
/// whose.
fn of_fault(fault: &Fault) -> TestRerun {
    let mut rerun = TestRerun::new(NonSuccessKind::Failure);
    let words = xml_attribute(&fault.to_string(), SENTENCE);
    rerun.set_type(format!("infra.{}", slug(fault.code.word())));
    rerun.set_message(words.as_str());
    rerun.set_stack_trace(words.as_str());
    rerun
}

/// What the case came to before somebody had it run again: a `flakyFailure` of one that passes now, a `rerunFailure` of
/// one that does not; none where it had passed.
fn of_before(was: &CellVerdict) -> Option<TestRerun> {
    let kind = was.cause.as_deref()?;
    let mut rerun = TestRerun::new(match was.verdict {
        Some(Verdict::Fail) => NonSuccessKind::Failure,
        _ => NonSuccessKind::Error,
    });
    let reasons = was.reasons.iter().chain(&was.against).map(String::as_str).collect::<Vec<_>>().join("; ");
    let words = xml_attribute(&format!("{}: {reasons}", words::verdict(was.verdict)), SENTENCE);
    rerun.set_type(xml_attribute(kind, NAME).as_str());
    rerun.set_message(words.as_str());
    rerun.set_stack_trace(words.as_str());
    Some(rerun)
}

/// Causes that are properties of a case.
const CAUSES: usize = 3;

fn properties(cell: &Cell) -> Vec<Property> {
    let property = |name: &str, value: &str| Property::new(name, xml_attribute(value, NAME).as_str());
    let mut all = vec![
        property("verdict", words::verdict(cell.verdict)),
        property("scenario", &cell.job.planned.scenario),
        property("device", cell.device().map_or("", |id| &id.0)),
        property("quarantined", if cell.quarantine().is_some() { "true" } else { "false" }),
        property("virtual", if cell.is_virtual() { "true" } else { "false" }),
    ];
    all.extend(rerun::sentence(cell).map(|told| property("rerun", &told)));
    let causes = cell.causes().and_then(|found| found.causes.as_ref());
    for (nth, cause) in causes.iter().flat_map(|found| &found.causes).take(CAUSES).enumerate() {
        let mut told =
            |name: &str, value: &str| all.push(property(&format!("cause.{}.{name}", nth + 1), value));
        told("kind", &cause.named.kind);
        told("title", &cause.named.title);
        told("fingerprint", &cause.fingerprint);
        cause.owner.iter().for_each(|owner| told("owner", owner));
        told("ms", &format!("{:.3}", cause.us as f64 / 1e3));
    }
    for metric in cell.summaries() {
        if let Some(value) = metric.one() {
            all.push(property(&format!("metric.{}", metric.key), &value.to_string()));
        }
    }
    all
}

fn status(cell: &Cell, room: &mut usize) -> TestCaseStatus {
    let Some(kind) = cell.kind() else { return TestCaseStatus::success() };
    let mut status = TestCaseStatus::non_success(match cell.verdict {
        Some(Verdict::Fail) => NonSuccessKind::Failure,
        _ => NonSuccessKind::Error,
    });
    let mut message = sentence::message(cell);
    message += &why::most(cell).map_or_else(String::new, |most| format!("; {most}"));
    status.set_type(kind.as_str());
    status.set_message(xml_attribute(&message, SENTENCE).as_str());
    let body = xml_block(&body(cell, &message), BLOCK);
    // The place is what readers link to; it survives every cut.
    let body = format!("{body}\n{}", xml_block(&place(cell), SENTENCE * 3));
    if body.len() <= *room {
        *room -= body.len();
        status.set_description(body.as_str());
    }
    status
}

/// A case that does not gate is skipped: no reader makes a red build of it, none takes it for a pass. Its message says
/// what it came to, and why that does not count; its output has the limits.
fn skipped(cell: &Cell, told: &str) -> TestCaseStatus {
    let found = match cell.verdict {
        Some(Verdict::Pass) => words::verdict(cell.verdict).to_owned(),
        _ => sentence::message(cell),
    };
    let mut status = TestCaseStatus::skipped();
    status.set_type("quarantined");
    status.set_message(xml_attribute(&format!("{told}; {found}"), SENTENCE).as_str());
    status
}

/// A case that was not run because enough had failed is skipped: the build is red by what failed, and this is neither
/// another failure nor a pass.
fn not_run(cell: &Cell) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_type("not_run");
    status.set_message(xml_attribute(&sentence::what(cell), SENTENCE).as_str());
    status
}

/// Verdict, table of every limit, reasons, coverage.
fn body(cell: &Cell, message: &str) -> String {
    let mut lines = vec![message.to_owned(), String::new()];
    if let Some(judged) = cell.judged.filter(|_| !(cell.by_fault && cell.untold())) {
        let rows: Vec<[String; 4]> = judged.judgements.iter().map(limit_row).collect();
        if !rows.is_empty() {
            let head = ["limit", "outcome", "actual", "must be"].map(str::to_owned);
            let all: Vec<&[String; 4]> = std::iter::once(&head).chain(&rows).collect();
            let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
            let a = width(0);
            let b = width(1);
            let c = width(2);
            lines.extend(all.iter().map(|r| format!("{:<a$}  {:<b$}  {:>c$}  {}", r[0], r[1], r[2], r[3])));
            lines.push(String::new());
        }
        lines.push(format!("trials: {} counted, {} void", judged.counted, judged.void.len()));
        lines.extend(judged.void.iter().map(|why| format!("void: {}", xml_attribute(why, SENTENCE))));
    }
    for one in cell.compared.iter().filter(|one| comparison::is_told(one)) {
        let sentence = xml_attribute(&one.sentence, SENTENCE);
        lines.push(format!("baseline: {}: {sentence}", comparison::word_of(one)));
    }
    if let (Some(compared), false) = (&cell.record.compared, cell.compared.is_empty()) {
        let source = comparison::source(&compared.baseline, TextStyle::default());
        lines.push(format!("compared with: {}", xml_attribute(&source, SENTENCE)));
    }
    lines.push(format!("phone: {}", phone_line(cell)));
    lines.push(format!("coverage: {}", words::coverage(&cell.coverage())));
    lines.extend(
        cell.reasons().iter().take(20).map(|why| format!("reason: {}", xml_attribute(why, SENTENCE))),
    );
    lines.extend(why::of_cell(cell).iter().map(|why| format!("late: {}", xml_attribute(why, SENTENCE))));
    let told = |what: &str| cell.reasons().iter().any(|why| why.contains(what));
    if let Some(fault) = cell.fault().filter(|fault| !told(&fault.what)) {
        lines.push(format!("fault: {}", xml_attribute(&fault.to_string(), SENTENCE)));
    }
    if let Some((_, failure)) = cell.failure() {
        lines.extend(failure.front.as_ref().map(|front| format!("in front: {}", xml_attribute(front, NAME))));
        let texts = failure
            .texts
            .iter()
            .take(60)
            .map(|text| xml_attribute(text, NAME))
            .collect::<Vec<_>>()
            .join(" · ");
        lines.extend(
            (!texts.is_empty()).then(|| format!("on the screen: {}", xml_attribute(&texts, SENTENCE * 3))),
        );
    }
    for (trial, fault) in again(cell) {
        let words = xml_attribute(&fault.to_string(), SENTENCE);
        lines.push(format!("tried again: trial {}: {words}", trial.trial + 1));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn limit_row(judgement: &Judgement) -> [String; 4] {
    let sides = words::sides(judgement);
    let bound = sides.bound.map_or_else(String::new, |bound| format!(" ({bound})"));
    let limit = xml_attribute(&sides.limit, NAME) + &bound;
    let (outcome, why) = match &judgement.outcome {
        Outcome::Held => ("held", String::new()),
        Outcome::Breached => ("BREACHED", String::new()),
        Outcome::Excused(why) => ("excused", format!(": {}", xml_attribute(why, NAME))),
        Outcome::Unknown(why) => ("unknown", format!(": {}", xml_attribute(why, NAME))),
    };
    [xml_attribute(&judgement.metric, 60), outcome.to_owned(), sides.amount, limit + &why]
}

fn phone_line(cell: &Cell) -> String {
    let name = xml_attribute(&phone(cell.device(), cell.facts()), NAME);
    match cell.is_virtual() && cell.device().is_some() {
        true => format!("{name}, virtual"),
        false => name,
    }
}

/// The three forms in which readers look for a place. They begin their lines: dorny/test-reporter's `java-junit` wants
/// `at` in the first column (folders as packages), its `jest-junit` wants `(path:line:column)` at the end.
fn place(cell: &Cell) -> String {
    let file = xml_attribute(&cell.job.planned.file, NAME).replace('\\', "/");
    let Some((line, column)) = cell.place else { return file };
    let mut folders: Vec<&str> = Vec::new();
    for part in file.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." { folders.clear() } else { folders.push(part) }
    }
    let name = folders.pop().unwrap_or(&file).to_owned();
    folders.push("Step");
    let package = folders.join(".");
    let path = file.trim_start_matches("./");
    format!("at {package}({name}:{line})\nat ({path}:{line}:{column})\n{path}:{line}")
}

/// Numbers and evidence.
fn output(cell: &Cell, plot: Option<&String>, options: &Options) -> String {
    let mut lines = vec![format!("{} on {}", xml_attribute(cell.name, NAME), phone_line(cell))];
    lines.push(words::coverage(&cell.coverage()));
    lines.extend(rerun::sentence(cell).map(|told| xml_attribute(&told, SENTENCE)));
    if let Some(told) = quarantined::sentence(cell) {
        lines.extend([told, String::new(), body(cell, &sentence::message(cell))]);
    }
    for metric in cell.summaries() {
        let unit = metric.unit.unwrap_or(Unit::Count);
        let value = match &metric.value {
            Some(Value::One(value)) => words::amount(Some(*value), unit),
            Some(Value::List(list)) => {
                list.iter().map(|v| words::number(Some(*v), unit)).collect::<Vec<_>>().join(" ")
            }
            Some(Value::Table(things)) => format!("{} (listed in results.json)", things.len()),
            None => format!("none: {}", metric.reason.as_deref().unwrap_or("not measured")),
        };
        lines.push(format!("{:<24} {}", xml_attribute(&metric.key, 60), xml_attribute(&value, NAME)));
    }
    let evidence = cell.measured.iter().flat_map(|(_, window)| &window.evidence);
    let failure = cell.failure().into_iter().flat_map(|(_, failure)| failure.files());
    let paths: Vec<&String> =
        plot.into_iter().chain(failure).chain(evidence).filter(|path| !path.contains("]]")).collect();
    let folder = options.bundle.as_ref().map(|folder| xml_attribute(folder.trim_end_matches('/'), NAME));
    for path in paths.iter().take(ATTACHMENTS) {
        let path = xml_attribute(path, NAME);
        let full = folder.as_ref().map_or(path.clone(), |folder| format!("{folder}/{path}"));
        lines.push(format!("[[ATTACHMENT|{full}]]"));
    }
    if paths.len() > ATTACHMENTS {
        lines.push(format!("and {} more files of evidence in the bundle", paths.len() - ATTACHMENTS));
    }
    lines.join("\n")
}
