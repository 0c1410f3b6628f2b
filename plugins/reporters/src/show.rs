//! One cell in depth, on a terminal: limits, iterations, the frames of its worst trial, whose fault, where the numbers
//! come from.
//!
//! A pure function of record, frame logs and style. Must not know: files, how the cell was named. Every line fits.

mod find;
mod plot;

pub use find::{Missed, find, fits, listed, names};

use crate::barcode::{Frames, barcode, frames, late_words, worst};
use crate::cells::{Cell, phone};
use crate::clean::{NAME, SENTENCE};
use crate::paint::{TextStyle, Tint, cut, flow, left, right, wrap};
use crate::story::trial_words;
use crate::{quarantined, rerun, sentence, used, why, words};
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame_log::What;
use farmjank_results::frame_timeline::JankOwner;
use farmjank_results::metric::Unit;
use farmjank_results::metrics::STAGE_NAMES;
use farmjank_results::record::TrialRecord;
use farmjank_results::threshold::{Judgement, Outcome};
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::FrameLogs;
use std::collections::BTreeMap;

/// Iterations shown; the rest is in `results.json`.
const TRIALS: usize = 40;
/// Indent of everything under a title.
const INDENT: usize = 2;

/// The cell, in text.
pub fn show(cell: &Cell, frame_logs: &dyn FrameLogs, style: TextStyle) -> String {
    let all = frames(cell, frame_logs);
    let mut lines = heading(cell, style);
    let mut part = |title: &str, body: Vec<String>| {
        if !body.is_empty() {
            lines.push(String::new());
            lines.extend(wrap(title, style.columns(), 0).iter().map(|line| style.paint(Tint::Strong, line)));
            lines.extend(body);
        }
    };
    part("why", why(cell, style));
    part("why frames were late", late(cell, style));
    part("limits", limits(cell, style));
    part("iterations", iterations(cell, &all, style));
    part("beside the frames", beside(cell, style));
    if let Some((title, body)) = drawn(cell, &all, style) {
        part(&title, body);
    }
    part("whose fault", owners(&all, style));
    part("where the numbers come from", provenance(cell, style));
    lines.iter().map(|line| style.glyphs(line.trim_end()) + "\n").collect()
}

fn heading(cell: &Cell, style: TextStyle) -> Vec<String> {
    let tint = match cell.verdict {
        Some(Verdict::Pass) => Tint::Good,
        Some(Verdict::Fail) => Tint::Bad,
        _ => Tint::Doubt,
    };
    let planned = &cell.job.planned;
    let verdict = words::verdict(cell.verdict).to_uppercase();
    let title =
        format!("{verdict}: {} › {}", style.text(&planned.scenario, NAME), style.text(cell.name, NAME));
    let mut lines: Vec<String> =
        wrap(&title, style.columns(), INDENT).iter().map(|line| style.paint(tint, line)).collect();
    let mut parts = vec![style.text(&phone(cell.device(), cell.facts()), NAME)];
    if let Some(facts) = cell.facts() {
        parts.push(format!("Android {}", style.text(&facts.release, 20)));
        parts.extend(facts.fastest_hz().map(|hz| format!("{hz:.0} Hz")));
        parts.push(style.text(&facts.fingerprint, NAME));
    }
    let file = style.text(&planned.file, NAME);
    parts.push(cell.place.map_or(file.clone(), |(line, column)| format!("{file}:{line}:{column}")));
    parts.push(format!("run {}", style.text(&cell.record.header.run, NAME)));
    parts.extend(sentence::virtual_label(cell.record).map(|label| style.text(&label.to_uppercase(), NAME)));
    parts.retain(|part| !part.is_empty());
    lines.extend(flow(&parts, " · ", style.columns(), INDENT));
    lines
}

/// Wrapped under a title.
fn under(text: &str, style: TextStyle) -> Vec<String> {
    let mut lines = wrap(text, style.columns(), INDENT);
    lines[0].insert_str(0, &" ".repeat(INDENT));
    lines
}

fn why(cell: &Cell, style: TextStyle) -> Vec<String> {
    let mut texts: Vec<String> =
        quarantined::sentence(cell).into_iter().chain(rerun::sentence(cell)).collect();
    texts.extend_from_slice(cell.reasons());
    if let Some(fault) = cell.fault().filter(|fault| !texts.iter().any(|text| text.contains(&fault.what))) {
        texts.push(fault.to_string());
    }
    texts.iter().take(12).flat_map(|text| under(&style.text(text, SENTENCE), style)).collect()
}

fn late(cell: &Cell, style: TextStyle) -> Vec<String> {
    let mut lines = why::lines(cell, style, INDENT);
    let frames = cell.causes().and_then(|found| Some(found.causes.as_ref()?.frames.len()));
    if frames.is_some_and(|frames| frames > 0) {
        lines.extend(under("frame by frame: farmjank causes, with this run and this window", style));
    }
    lines
}

fn beside(cell: &Cell, style: TextStyle) -> Vec<String> {
    let lines = used::lines(cell, &[], style.columns().saturating_sub(INDENT), style);
    lines.iter().map(|line| format!("{}{line}", " ".repeat(INDENT))).collect()
}

fn limits(cell: &Cell, style: TextStyle) -> Vec<String> {
    let judgements = cell.judged.map_or(&[][..], |judged| &judged.judgements);
    judgements.iter().flat_map(|judgement| limit(judgement, style)).collect()
}

fn limit(judgement: &Judgement, style: TextStyle) -> Vec<String> {
    let (sign, tint, doubt) = match &judgement.outcome {
        Outcome::Held => ("✓", Tint::Good, None),
        Outcome::Breached => ("✗", Tint::Bad, None),
        Outcome::Excused(why) => ("!", Tint::Doubt, Some(format!("excused: {why}"))),
        Outcome::Unknown(why) => ("?", Tint::Doubt, Some(format!("unknown: {why}"))),
    };
    let sides = words::sides(judgement);
    let metric = style.text(&judgement.metric, 60);
    let head = cut(&format!("{sign} {metric} {}", sides.amount), style.columns() - INDENT);
    let mut parts = vec![style.text(&sides.limit, NAME)];
    parts.extend(words::apart(judgement));
    parts.extend(sides.bound);
    parts.extend(doubt.map(|doubt| style.text(&doubt, SENTENCE)));
    let values: Vec<String> =
        judgement.values.iter().take(TRIALS).map(|value| words::number(*value, judgement.unit)).collect();
    parts.push(format!("iterations {}", values.join(" ")));
    let mut lines = vec![format!("{}{}", " ".repeat(INDENT), style.paint(tint, &head))];
    let body = flow(&parts, " · ", style.columns(), INDENT + 2);
    lines.extend(body.iter().map(|line| format!("{}{}", " ".repeat(INDENT + 2), line.trim_start())));
    lines
}

fn iterations(cell: &Cell, all: &[Frames], style: TextStyle) -> Vec<String> {
    let numbers = [
        ("fps", "fps", Unit::Fps),
        ("hitch ms/s", "hitch_ms_per_s", Unit::MsPerS),
        ("p95 ms", "p95_ms", Unit::Ms),
        ("frozen", "frozen_frames", Unit::Count),
    ];
    if cell.measured.is_empty() {
        return Vec::new();
    }
    let name = 13;
    let head: String = numbers.iter().map(|(title, ..)| right(title, 11)).collect();
    let titles = format!("{}{}{head}{}", " ".repeat(INDENT), left("", name), right("frames", 9));
    let mut lines = vec![style.paint(Tint::Quiet, &cut(&titles, style.columns()))];
    let ends = all.iter().map(Frames::ends_us).max().unwrap_or(0);
    for (trial, window) in cell.measured.iter().take(TRIALS) {
        let value = |key: &str| window.readings.get(key).and_then(farmjank_results::metric::Reading::value);
        let row: String =
            numbers.iter().map(|(_, key, unit)| right(&words::number(value(key), *unit), 11)).collect();
        let seen =
            window.coverage.as_ref().map_or_else(|| "–".to_owned(), |one| words::grouped(one.frames_seen));
        let title = left(&trial_words(cell.job, trial.trial), name);
        let line = format!("{}{title}{row}{}", " ".repeat(INDENT), right(&seen, 9));
        let counts = trial.counted && window.void.is_none();
        lines
            .push(style.paint(if counts { Tint::Strong } else { Tint::Quiet }, &cut(&line, style.columns())));
        let width = style.columns().saturating_sub(INDENT + name).min(64);
        if let Some(frames) = of_trial(all, trial, window) {
            let bars = barcode(&[&frames.frame_log], ends, width);
            lines.push(format!("{}{bars}", " ".repeat(INDENT + name)));
        }
        if let Some(void) = &window.void {
            lines.extend(under(&format!("void: {}", style.text(void, SENTENCE)), style));
        }
    }
    if cell.measured.len() > TRIALS {
        lines.push(format!(
            "{}and {} more, in results.json",
            " ".repeat(INDENT),
            cell.measured.len() - TRIALS
        ));
    }
    lines
}

fn of_trial<'f, 'a>(
    all: &'f [Frames<'a>],
    trial: &TrialRecord,
    window: &WindowMeasured,
) -> Option<&'f Frames<'a>> {
    all.iter().find(|one| std::ptr::eq(one.trial, trial) && std::ptr::eq(one.window, window))
}

/// The plot of the trial with the latest frame, else of the first that counts.
fn drawn(cell: &Cell, all: &[Frames], style: TextStyle) -> Option<(String, Vec<String>)> {
    let (frames, what) = match worst(all) {
        Some((late, at, frames)) => (frames, late_words(late, at)),
        None => (all.iter().find(|one| one.counted())?, "no frame was late".to_owned()),
    };
    let trial = trial_words(cell.job, frames.trial.trial);
    let mut lines = plot::plot(&frames.frame_log, style.columns());
    let legend = "height: vsyncs from one frame to the next · ━ finger, ─ fling · ? frames may be missing";
    lines.extend(under(legend, style).iter().map(|line| style.paint(Tint::Quiet, line)));
    Some((format!("frames of {trial}: {what}"), lines))
}

/// Late frames of the counted trials by culprit and by the stage that ate them.
fn owners(all: &[Frames], style: TextStyle) -> Vec<String> {
    let bars = all.iter().filter(|one| one.counted()).flat_map(|one| &one.frame_log.bars);
    let late: Vec<_> = bars.filter(|bar| bar.what == What::Frame && bar.late() > 0).collect();
    if late.is_empty() {
        return Vec::new();
    }
    let ms: f64 = late.iter().map(|bar| f64::from(bar.late()) * bar.period_ns as f64 / 1e6).sum();
    let mut culprits: BTreeMap<&str, u64> = BTreeMap::new();
    let mut stages: BTreeMap<&str, u64> = BTreeMap::new();
    for bar in &late {
        *culprits.entry(bar.owner.map_or("not told", JankOwner::word)).or_default() += 1;
        if let Some(stage) = bar.stage {
            *stages
                .entry(STAGE_NAMES.get(usize::from(stage)).copied().unwrap_or("no single stage"))
                .or_default() += 1;
        }
    }
    let counted = |counts: &BTreeMap<&str, u64>| {
        let mut counts: Vec<(&&str, &u64)> = counts.iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
    };
    let frames = words::several(late.len(), "late frame", "late frames");
    let mut lines = under(&format!("{frames}, {ms:.0} ms in all: {}", counted(&culprits)), style);
    if !stages.is_empty() {
        lines.extend(under(&format!("longest stage: {}", counted(&stages)), style));
    }
    lines
}

fn provenance(cell: &Cell, style: TextStyle) -> Vec<String> {
    let mut lines = under(&style.text(&words::coverage(&cell.coverage()), SENTENCE), style);
    let Some((trial, window)) = cell.counted().last() else { return lines };
    if let Some(coverage) = &window.coverage {
        let layer = coverage
            .layer
            .as_deref()
            .map_or_else(String::new, |layer| format!(" of {}", style.text(layer, NAME)));
        lines.extend(under(&format!("read from {}{layer}", coverage.source), style));
        let hz = |segment: &farmjank_results::period::PeriodSegment| {
            format!("{:.2} ms ({:.0} Hz)", segment.period.ms(), 1e9 / segment.period.ns().max(1) as f64)
        };
        let periods: Vec<String> = coverage.periods.iter().take(6).map(hz).collect();
        if !periods.is_empty() {
            lines.extend(under(&format!("refresh period, in order: {}", periods.join(", ")), style));
        }
    }
    if let Some(clock) = window.clock {
        let ms = clock.uncertainty.ms();
        lines.extend(under(&format!("borders of motions are known to ±{ms:.0} ms"), style));
    }
    for over in window.passed_over.iter().take(6) {
        let text =
            format!("passed over {}: {}", style.text(&over.what, NAME), style.text(&over.why, SENTENCE));
        lines.extend(under(&text, style));
    }
    let trial = trial_words(cell.job, trial.trial);
    let evidence: Vec<String> = window.evidence.iter().take(6).map(|path| style.text(path, NAME)).collect();
    if !evidence.is_empty() {
        lines.extend(under(&format!("evidence of {trial}: {}", evidence.join(", ")), style));
    }
    let unread = cell.summary("hitch_ms_per_s").reason;
    lines.extend(
        unread
            .into_iter()
            .flat_map(|why| under(&format!("no hitch time: {}", style.text(&why, SENTENCE)), style)),
    );
    lines
}
