//! One run in some lines: how it ended, when, on which phones, where it lies, and what there is to do next.
//!
//! A pure function of the record and of where it is kept. Must not know: files, clocks, other runs.

use crate::cells::{Cell, cells, duration, phone, worst_first};
use crate::clean::{NAME, SENTENCE, json_text};
use crate::paint::{TextStyle, Tint, flow};
use crate::{rerun, sentence, words};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use serde_json::{Value, json};

/// Version of the form for programs.
const FORMAT: u32 = 1;
/// Where the values begin.
const INDENT: usize = 11;
/// Phones named.
const PHONES: usize = 12;

/// A run's folder, as somebody found it.
pub struct Kept<'a> {
    /// Its folder, as the user may type it.
    pub folder: &'a str,
    /// When it began; of a virtual lab, whose clock is its own, when it was written. None: not known.
    pub when: Option<&'a str>,
    /// Room it takes, bytes.
    pub bytes: u64,
    /// Files in it that people open, in order.
    pub reports: &'a [&'a str],
    /// Jobs that can still be measured to their end.
    pub left: usize,
}

/// In words.
pub fn told(record: &Record, kept: &Kept<'_>, style: TextStyle) -> String {
    let all = worst_first(record);
    let header = &record.header;
    let mut lines = vec![heading(record, style)];
    let mut line = |name: &str, parts: &[String]| {
        let parts: Vec<String> = parts.iter().filter(|part| !part.is_empty()).cloned().collect();
        let told = flow(&parts, " · ", style.columns(), INDENT);
        lines.extend(told.iter().enumerate().map(|(at, line)| {
            let head = if at == 0 { format!("  {name}") } else { String::new() };
            format!("{}{}", crate::paint::left(&head, INDENT), line.trim_start())
        }));
    };
    let when = kept.when.map_or_else(|| "not known".to_owned(), |when| style.text(&spaced(when), 40));
    line("when", &[when, words::length(duration(record)), went_on(record)]);
    line("tool", &[style.text(&header.tool, 40), sentence::virtual_label(record).unwrap_or_default()]);
    line("phones", &phones(record, style));
    line("windows", &[style.text(&sentence::counts(&all), SENTENCE)]);
    let compared = record.compared.as_ref();
    let against = compared.map(|one| crate::comparison::source(&one.baseline, style));
    if let Some(against) = against {
        line("against", &[against]);
    }
    let room = format!("{:.1} MB", kept.bytes as f64 / 1e6);
    line("bundle", &[style.text(kept.folder, NAME), room, kept.reports.join(", ")]);
    for (at, (what, how)) in next(record, &all, kept).into_iter().enumerate() {
        let head = crate::paint::left(if at == 0 { "  next" } else { "" }, INDENT);
        // A command is for copying: it stands alone.
        lines.push(format!("{head}{what}"));
        lines.push(format!("{}{}", " ".repeat(INDENT + 2), style.text(&how, SENTENCE)));
    }
    lines.iter().map(|line| style.glyphs(line.trim_end()) + "\n").collect()
}

/// For programs.
pub fn json(record: &Record, kept: &Kept<'_>) -> String {
    let all = worst_first(record);
    let header = &record.header;
    let count = |verdict| all.iter().filter(|cell| cell.verdict == verdict).count();
    let phones = record.devices.values();
    let next = next(record, &all, kept).into_iter();
    let value = json!({
        "format": FORMAT,
        "run": json_text(&header.run),
        "folder": json_text(kept.folder),
        "bytes": kept.bytes,
        "reports": kept.reports,
        "when": kept.when.map(json_text),
        "duration_ms": duration(record).ms(),
        "tool": json_text(&header.tool),
        "lab": header.lab.as_deref().map(json_text),
        "verdict": record.verdict,
        "exit": record.exit_code.map(|code| json!({ "code": code, "word": words::exit(code) })),
        "interrupted": record.interrupted.as_deref().map(json_text),
        "resumed": record.resumed,
        "phones": phones.map(|one| json!({ "serial": json_text(&one.id.0), "model": json_text(&one.model) })).collect::<Vec<Value>>(),
        "windows": {
            "pass": count(Some(Verdict::Pass)),
            "fail": count(Some(Verdict::Fail)),
            "broken": count(Some(Verdict::Broken)),
            "undecided": count(Some(Verdict::Undecided)),
            "unjudged": count(None),
            "passed_late": all.iter().filter(|cell| rerun::passed_late(cell)).count(),
        },
        "jobs_left": kept.left,
        "next": next.map(|(what, how)| json!({ "command": json_text(&how), "what": json_text(&what) })).collect::<Vec<Value>>(),
    });
    crate::json::written(&value)
}

/// `✗ FAIL  lab-shop-seed0 · exit 1 (gate failed)`
fn heading(record: &Record, style: TextStyle) -> String {
    let (tint, verdict) = match (record.verdict, record.exit_code) {
        (Some(Verdict::Pass), Some(0)) => (Tint::Good, words::verdict(record.verdict)),
        (Some(Verdict::Fail), _) => (Tint::Bad, words::verdict(record.verdict)),
        (None, _) => (Tint::Doubt, "unfinished"),
        _ => (Tint::Doubt, words::verdict(record.verdict)),
    };
    let exit = match record.exit_code {
        Some(code) => format!("exit {code} ({})", words::exit(code)),
        None => "its log ends before it was judged".to_owned(),
    };
    let verdict = style.paint(tint, &verdict.to_uppercase());
    format!("{verdict}  {} · {exit}", style.text(&record.header.run, NAME))
}

fn spaced(when: &str) -> String {
    when.replace('T', " ").replace('Z', " UTC")
}

fn went_on(record: &Record) -> String {
    match record.resumed {
        0 => String::new(),
        1 => "went on once".to_owned(),
        times => format!("went on {times} times"),
    }
}

fn phones(record: &Record, style: TextStyle) -> Vec<String> {
    let all = record.devices.iter();
    let mut named: Vec<String> =
        all.take(PHONES).map(|(id, facts)| style.text(&phone(Some(id), Some(facts)), NAME)).collect();
    let left = record.devices.len().saturating_sub(PHONES);
    named.extend((left > 0).then(|| format!("and {left} more")));
    if named.is_empty() {
        named.push("none was seen".to_owned());
    }
    named
}

/// What there is to do: what for, and the command.
fn next(record: &Record, all: &[Cell<'_>], kept: &Kept<'_>) -> Vec<(String, String)> {
    let folder = kept.folder;
    let gates = |verdict: Verdict| {
        all.iter().filter(|cell| cell.quarantine().is_none() && cell.verdict == Some(verdict)).count()
    };
    let (failed, undecided) = (gates(Verdict::Fail), gates(Verdict::Undecided));
    let mut next = Vec::new();
    let mut add = |how: String, what: &str| next.push((what.to_owned(), how));
    let over = record.exit_code.is_some() && record.interrupted.is_none();
    if !over || kept.left > 0 {
        add(format!("farmjank run … --resume {folder}"), "measure what is left; the other flags as before");
    }
    if cells(record).is_empty() {
        return next;
    }
    if failed + undecided > 0 {
        add(format!("farmjank show {folder}"), "see one window in depth");
    }
    if over && failed > 0 {
        add(
            format!("farmjank run … --last-failed={folder}"),
            "run again what failed, the other flags as before",
        );
    }
    if over && undecided > 0 {
        add(
            format!("farmjank run … --undecided={folder}"),
            "run again what could not be told, the other flags as before",
        );
    }
    if over && failed + undecided == 0 && record.verdict == Some(Verdict::Pass) {
        add(format!("farmjank suggest {folder}"), "set limits that an unchanged build keeps");
        add(format!("farmjank baseline save main {folder}"), "hold later runs against this one");
    }
    add(format!("farmjank report {folder}"), "see every window and limit");
    add(format!("farmjank view {folder}"), "see them in a browser, with every frame");
    next
}
