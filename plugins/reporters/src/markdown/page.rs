//! The page at one level of detail: heading, tables, folded parts.
//!
//! Must not know: how long it may be. Foreign text goes through [`super::text`] without exception.

use super::parts::{fold, limit, phone_of, sign, title};
use super::text::text;
use super::{Level, MARKER, beside, detail, held, quarantined};
use crate::cells::{Cell, duration, phone, stories, worst_first};
use crate::clean::{NAME, SENTENCE};
use crate::quarantined::is_against;
use crate::{absent, rerun, sentence, words};
use farmjank_results::metric::Unit;
use farmjank_results::record::Record;
use farmjank_results::threshold::{Judgement, Outcome};
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::FrameLogs;
use std::collections::BTreeSet;

/// Most sentences about cells told together.
const SENTENCES: usize = 10;

pub(super) fn page(record: &Record, frame_logs: &dyn FrameLogs, level: &Level, most: usize) -> String {
    let all = worst_first(record);
    let mut parts = vec![heading(record, &all)];
    parts.extend(in_short(record));
    parts.extend(held::baseline(record));
    if !level.without.is_empty() {
        let most = words::grouped(most as u64);
        parts.push(format!(
            "> Left out to stay within {most} bytes: {}. `results.json` in the run bundle has it all.\n",
            level.without
        ));
    }
    parts.extend(failed(record, &all, level.rows));
    parts.extend(unmeasured(&all, level.rows));
    parts.extend(missing(record, level.rows));
    parts.extend(run_again(&all, level.rows));
    parts.extend(quarantined::table(&all, level.rows));
    if level.details {
        parts.extend(detail::folded(&all, frame_logs));
        parts.extend(beside::folded(&all));
    }
    if level.passing {
        parts.extend(passed(record, &all));
    }
    if level.notes {
        parts.extend(refused(record));
        parts.extend(notes(record));
    }
    parts.join("\n")
}

fn heading(record: &Record, all: &[Cell]) -> String {
    let header = &record.header;
    let phones: BTreeSet<_> = all.iter().filter_map(Cell::device).collect();
    let mut parts = vec![
        text(&header.tool, 60),
        format!("run {}", text(&header.run, 80)),
        words::several(phones.len(), "phone", "phones"),
        words::length(duration(record)),
    ];
    parts.push(match record.exit_code {
        Some(code) => format!("exit {code} ({})", words::exit(code)),
        None => "the log ends before the run was judged".to_owned(),
    });
    let mut lines = vec![
        MARKER.to_owned(),
        format!("## {}: {}", sign(record.verdict), sentence::counts(all)),
        String::new(),
        parts.join(" · "),
        String::new(),
    ];
    if let Some(label) = sentence::virtual_label(record) {
        lines.extend([format!("> **Simulated:** {}.", text(&label, NAME)), String::new()]);
    }
    if let Some(what) = &record.interrupted {
        let what = text(what, SENTENCE);
        lines
            .extend([format!("> **Interrupted:** {what}. What was measured so far follows."), String::new()]);
    }
    lines.join("\n")
}

/// What is told together, a sentence each.
fn in_short(record: &Record) -> Option<String> {
    let (patterns, alone) = sentence::patterns(record);
    let said = patterns
        .iter()
        .take(SENTENCES)
        .map(|(one, said)| format!("- {} **{}**", sign(Some(one.verdict)), text(said, SENTENCE)));
    let more = patterns.len().saturating_sub(SENTENCES);
    let rest = (more > 0).then(|| format!("- and {more} more such sentences, in `results.json`"));
    let alone = sentence::alone(patterns.len(), alone).map(|alone| format!("- {alone}"));
    let lines: Vec<String> = said.chain(rest).chain(alone).collect();
    (!lines.is_empty()).then(|| lines.join("\n") + "\n")
}

/// The row that says how many are not listed.
fn more(all: usize, shown: usize, columns: usize) -> Option<String> {
    let left = all.checked_sub(shown).filter(|left| *left > 0)?;
    Some(format!("| … | and {left} more |{}", " |".repeat(columns - 2)))
}

/// The limits a cell broke and what the baseline says against it, one row each; its fault where there is neither.
fn failed(record: &Record, all: &[Cell], rows: usize) -> Option<String> {
    let told = stories(all);
    let failed: Vec<_> = told
        .iter()
        .filter(|(cell, _)| cell.quarantine().is_none() && cell.verdict == Some(Verdict::Fail))
        .collect();
    if failed.is_empty() || rows == 0 {
        return None;
    }
    let column = held::Column::of(record);
    let mut lines = vec![
        "### Failed\n".to_owned(),
        format!("| verdict | window | phone | limit | measured | against the limit |{}", column.title()),
        format!("| --- | --- | --- | --- | ---: | --- |{}", column.rule()),
    ];
    for (cell, same) in failed.iter().take(rows) {
        let head = format!("| {} | {} | {} |", sign(cell.verdict), title(cell, *same), phone_of(cell));
        let judgements = cell.judged.map_or(&[][..], |judged| &judged.judgements);
        let breached: Vec<&Judgement> =
            judgements.iter().filter(|j| j.outcome == Outcome::Breached).collect();
        let mut all = Vec::new();
        for judgement in &breached {
            let apart = words::apart(judgement).unwrap_or_else(|| "–".to_owned());
            let amount = words::sides(judgement).amount;
            let held = column.of_metric(cell, &judgement.metric);
            all.push(format!("{} | {amount} | {apart} |{held}", limit(judgement)));
        }
        all.extend(column.rows(cell));
        if all.is_empty() {
            let what = text(&sentence::what(cell), SENTENCE);
            all.push(format!("{what} | – | – |{}", column.nothing()));
        }
        let heads = std::iter::once(head.as_str()).chain(std::iter::repeat("| | | |"));
        lines.extend(heads.zip(all).map(|(head, row)| format!("{head} {row}")));
    }
    lines.extend(more(failed.len(), rows, 6 + column.width()));
    Some(lines.join("\n") + "\n")
}

/// What the lab, the tool or the evidence kept from being judged: never green, and no word about the app.
fn unmeasured(all: &[Cell], rows: usize) -> Option<String> {
    let told = stories(all);
    let told: Vec<_> =
        told.iter().filter(|(cell, _)| is_against(cell) && cell.verdict != Some(Verdict::Fail)).collect();
    if told.is_empty() || rows == 0 {
        return None;
    }
    let mut lines = vec![
        "### Not measured\n".to_owned(),
        "| verdict | window | phone | why | what to do |".to_owned(),
        "| --- | --- | --- | --- | --- |".to_owned(),
    ];
    for (cell, same) in told.iter().take(rows) {
        let advice = cell.fault().map_or("", |fault| fault.advice.as_str());
        let why = match cell.fault() {
            Some(fault) => fault.what.clone(),
            None => sentence::what(cell),
        };
        lines.push(format!(
            "| {} | {} | {} | {} | {} |",
            sign(cell.verdict),
            title(cell, *same),
            phone_of(cell),
            text(&why, SENTENCE),
            if advice.is_empty() { "–".to_owned() } else { text(advice, SENTENCE) },
        ));
    }
    lines.extend(more(told.len(), rows, 5));
    Some(lines.join("\n") + "\n")
}

/// The phones the run went without, as it was allowed to: named, and never among what passed.
fn missing(record: &Record, rows: usize) -> Option<String> {
    let all = absent::sentences(record);
    let count = absent::count(record).filter(|_| rows > 0)?;
    let mut lines: Vec<String> =
        all.iter().take(rows).map(|one| format!("- {}", text(one, SENTENCE))).collect();
    let left = all.len().saturating_sub(rows);
    lines.extend((left > 0).then(|| format!("- and {left} more")));
    Some(format!("### {}\n\n{}\n", text(&count, NAME), lines.join("\n")))
}

/// What was run again because somebody asked for it: what passes now and did not before first.
fn run_again(all: &[Cell], rows: usize) -> Option<String> {
    let mut told: Vec<(&Cell, String)> =
        all.iter().filter_map(|cell| Some((cell, rerun::sentence(cell)?))).collect();
    if told.is_empty() || rows == 0 {
        return None;
    }
    told.sort_by_key(|(cell, _)| !rerun::passed_late(cell));
    let one = |(cell, said): &(&Cell, String)| {
        format!("- {} {} on {}: {}", sign(cell.verdict), title(cell, 1), phone_of(cell), text(said, SENTENCE))
    };
    let left = told.len().saturating_sub(rows);
    let mut lines: Vec<String> = told.iter().take(rows).map(one).collect();
    lines.extend((left > 0).then(|| format!("- and {left} more")));
    Some(format!("### Run again\n\n{}\n", lines.join("\n")))
}

fn passed(record: &Record, all: &[Cell]) -> Option<String> {
    let gates = |cell: &&Cell| cell.quarantine().is_none() && cell.verdict == Some(Verdict::Pass);
    let passed: Vec<&Cell> = all.iter().filter(gates).collect();
    if passed.is_empty() {
        return None;
    }
    let column = held::Column::of(record);
    let mut lines = vec![
        format!(
            "| verdict | window | phone | fps | hitch ms/s | frozen | limits | trials |{}",
            column.title()
        ),
        format!("| --- | --- | --- | ---: | ---: | ---: | --- | ---: |{}", column.rule()),
    ];
    for cell in &passed {
        let one = |key: &str, unit: Unit| cell.judged_number(key, unit);
        lines.push(format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |{}",
            sign(cell.verdict),
            title(cell, 1),
            phone_of(cell),
            one("fps", Unit::Fps),
            one("hitch_ms_per_s", Unit::MsPerS),
            one("frozen_frames", Unit::Count),
            limits(cell),
            cell.judged.map_or(0, |judged| judged.counted),
            column.of_primary(cell),
        ));
    }
    let title = words::several(passed.len(), "cell passed", "cells passed");
    Some(fold(&title, &lines.join("\n")))
}

/// `3 held, 1 excused`.
fn limits(cell: &Cell) -> String {
    let judgements = cell.judged.map_or(&[][..], |judged| &judged.judgements);
    let held = judgements.iter().filter(|j| j.outcome == Outcome::Held).count();
    let excused = judgements.iter().filter(|j| matches!(j.outcome, Outcome::Excused(_))).count();
    match (judgements.len(), excused) {
        (0, _) => "none set".to_owned(),
        (_, 0) => format!("{held} held"),
        (_, excused) => format!("{held} held, {excused} excused (broken, and not by the app)"),
    }
}

fn refused(record: &Record) -> Option<String> {
    let lines: Vec<String> = record
        .refusals
        .iter()
        .map(|refusal| {
            let phone = phone(Some(&refusal.device), record.devices.get(&refusal.device));
            let [scenario, phone] = [&refusal.scenario, &phone].map(|foreign| text(foreign, NAME));
            format!("- {scenario} on {phone}: {}", text(&refusal.why, SENTENCE))
        })
        .collect();
    let title = words::several(lines.len(), "phone did not qualify", "times a phone did not qualify");
    (!lines.is_empty()).then(|| fold(&title, &lines.join("\n")))
}

fn notes(record: &Record) -> Option<String> {
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let compared = record.compared.iter().flat_map(|compared| &compared.notes);
    let all = record.notices.iter().map(|(_, what)| what).chain(compared);
    let fresh = all.filter(|what| told.insert(what));
    let lines: Vec<String> = fresh.map(|what| format!("- {}", text(what, SENTENCE))).collect();
    let title = words::several(lines.len(), "note", "notes");
    (!lines.is_empty()).then(|| fold(&title, &lines.join("\n")))
}
