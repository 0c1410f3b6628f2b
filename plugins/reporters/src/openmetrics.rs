//! `metrics.txt`: headline numbers of every cell as OpenMetrics text, which Prometheus reads too.
//!
//! Base units (seconds, hertz, ratios) in fixed precision, so that readers that compare text see changes and not noise.
//! What was not measured has no sample, never 0. Labels hold no run, build or date: a series goes on from run to run. A
//! pure function of the record. Must not know: files.

mod families;

use crate::cells::{Cell, cells, duration};
use crate::clean::{NAME, line};
use crate::junit::naming::unique;
use crate::sentence;
use crate::words;
use families::{Family, HEADLINES};
use farmjank_results::event::Absent;
use farmjank_results::record::Record;
use farmjank_results::threshold::Outcome;
use farmjank_results::verdict::Verdict;
use std::collections::BTreeMap;

/// Every verdict a run or a cell can have.
const VERDICTS: [Option<Verdict>; 5] =
    [Some(Verdict::Pass), Some(Verdict::Fail), Some(Verdict::Broken), Some(Verdict::Undecided), None];

/// The document, ending with `# EOF`.
pub fn openmetrics(record: &Record) -> String {
    let all = cells(record);
    let labels = labels(&all);
    let mut text = String::new();
    of_run(record, &all).iter().for_each(|family| family.write(&mut text));
    of_cells(&all, &labels).iter().for_each(|family| family.write(&mut text));
    for headline in &HEADLINES {
        let mut family = headline.family();
        for (cell, labels) in all.iter().zip(&labels).filter(|(cell, _)| !cell.whole) {
            headline.read(cell, labels, &mut family);
        }
        family.write(&mut text);
    }
    causes(&all, &labels).write(&mut text);
    absent(record).write(&mut text);
    of_phones(record).iter().for_each(|family| family.write(&mut text));
    text + "# EOF\n"
}

/// Time frames were late by, per time of motion, by kind: names of locks and sections would never end.
fn causes(all: &[Cell], labels: &[String]) -> Family {
    let mut family = Family::new(
        "farmjank_cause_ratio",
        "ratio",
        "Time frames were late by because of each kind of cause, per time of motion, in the iteration traced for it.",
    );
    for (cell, labels) in all.iter().zip(labels) {
        let Some(found) = cell.causes().and_then(|found| found.causes.as_ref()) else { continue };
        let mut kinds: BTreeMap<&str, i64> = BTreeMap::new();
        for one in &found.causes {
            // Which process answers is a name, too.
            let kind = one.named.kind.split_once("binder.").map_or(&*one.named.kind, |_| "binder");
            *kinds.entry(kind).or_default() += one.us;
        }
        if found.motion.is_some() {
            kinds.insert("unexplained", found.unexplained_us);
        }
        for (kind, us) in kinds {
            let Some(ms_per_s) = found.ms_per_s(us) else { continue };
            let kind = pair("kind", &line(kind, NAME));
            family.add(&format!("{labels},{kind}"), &format!("{:.6}", ms_per_s / 1e3));
        }
    }
    family
}

/// What names a cell: the same from run to run, and unique in the file.
fn labels(all: &[Cell]) -> Vec<String> {
    let parts = |cell: &Cell| {
        let facts = cell.facts();
        [
            ("app", cell.job.planned.app.clone()),
            ("scenario", cell.job.planned.scenario.clone()),
            ("window", cell.name.to_owned()),
            ("model", facts.map_or_else(String::new, |facts| facts.model.clone())),
            ("serial", cell.device().map_or_else(String::new, |id| id.0.clone())),
        ]
    };
    let clean = |cell: &Cell| parts(cell).map(|(name, value)| (name, line(&value, NAME)));
    let shown = |cell: &Cell| clean(cell).map(|(_, value)| value).join("\0");
    let raw = |cell: &Cell| parts(cell).map(|(_, value)| value).join("\0") + "\0" + &cell.job.planned.file;
    let names = unique(all.iter().map(|cell| (shown(cell), raw(cell))));
    let one = |(cell, name): (&Cell, String)| {
        let mark = &name[shown(cell).len()..];
        let mut pairs: Vec<String> = clean(cell).iter().map(|(name, value)| pair(name, value)).collect();
        // Cells that look alike once they are cleaned are told apart by a label that no other cell has.
        pairs.extend((!mark.is_empty()).then(|| pair("twin", mark)));
        pairs.push(pair("virtual", if cell.is_virtual() { "true" } else { "false" }));
        pairs.join(",")
    };
    all.iter().zip(names).map(one).collect()
}

/// `name="value"`, the value cleaned already.
fn pair(name: &str, value: &str) -> String {
    let mut out = format!("{name}=\"");
    for c in value.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out + "\""
}

fn of_run(record: &Record, all: &[Cell]) -> Vec<Family> {
    let lab = record.header.lab.as_deref().unwrap_or_default();
    // A run with a single simulated phone is none of real phones.
    let is_virtual = if sentence::virtual_label(record).is_some() { "true" } else { "false" };
    let mut about = Family::new("farmjank_run_info", "", "What made this file; always 1.");
    let pairs = [pair("tool", &line(&record.header.tool, NAME)), pair("lab", &line(lab, NAME))];
    about.add(&format!("{},{}", pairs.join(","), pair("virtual", is_virtual)), "1");
    let mut verdict = Family::new(
        "farmjank_run_verdict",
        "",
        "Whether the run had this verdict: 1 for its own, 0 for the others.",
    );
    for one in VERDICTS {
        let labels = format!("{},{}", pair("verdict", words::verdict(one)), pair("virtual", is_virtual));
        verdict.add(&labels, if one == record.verdict { "1" } else { "0" });
    }
    let mut lasted = Family::new("farmjank_run_duration_seconds", "seconds", "Length of the run.");
    lasted.add(&pair("virtual", is_virtual), &format!("{:.3}", duration(record).secs()));
    let mut busy = Family::new(
        "farmjank_run_phones_busy_ratio",
        "ratio",
        "Share of the time in which phones had work that they worked.",
    );
    if let Some(share) = record.busy.share() {
        busy.add(&pair("virtual", is_virtual), &format!("{:.4}", share.percent() / 100.0));
    }
    let mut counts = Family::new("farmjank_cells", "", "Cells (a window on a phone) of each verdict.");
    for one in VERDICTS {
        let count = all.iter().filter(|cell| cell.verdict == one).count();
        let labels = format!("{},{}", pair("verdict", words::verdict(one)), pair("virtual", is_virtual));
        counts.add(&labels, &count.to_string());
    }
    vec![about, verdict, lasted, busy, counts]
}

fn of_cells(all: &[Cell], labels: &[String]) -> Vec<Family> {
    let mut verdict =
        Family::new("farmjank_cell_verdict", "", "The verdict of each cell, as a label; always 1.");
    let mut quarantined = Family::new(
        "farmjank_cell_quarantined",
        "",
        "A cell that does not gate, with the last day of its quarantine; always 1.",
    );
    let mut iterations =
        Family::new("farmjank_cell_iterations", "", "Iterations that count, and that are void.");
    let mut coverage = Family::new(
        "farmjank_cell_coverage_ratio",
        "ratio",
        "Lowest share of motion time in which no frame can have been missed.",
    );
    let mut frames = Family::new("farmjank_cell_frames", "", "Frames seen over the counted iterations.");
    let mut limits =
        Family::new("farmjank_limit_outcome", "", "What became of each limit, as a label; always 1.");
    for (cell, labels) in all.iter().zip(labels) {
        verdict.add(&format!("{labels},{}", pair("verdict", words::verdict(cell.verdict))), "1");
        if let Some(terms) = cell.quarantine() {
            quarantined.add(&format!("{labels},{}", pair("until", &line(&terms.until, NAME))), "1");
        }
        let Some(judged) = cell.judged else { continue };
        for (state, count) in [("counted", judged.counted as usize), ("void", judged.void.len())] {
            iterations.add(&format!("{labels},{}", pair("state", state)), &count.to_string());
        }
        if let Some(share) = cell.lowest_share().filter(|share| share.is_finite()) {
            // Rounded down: only what is whole reads as whole.
            coverage.add(labels, &format!("{:.4}", (share * 10_000.0).floor() / 10_000.0));
            let seen: u64 = cell.coverage().iter().map(|one| one.frames_seen).sum();
            frames.add(labels, &seen.to_string());
        }
        let written = |judgement: &farmjank_results::threshold::Judgement| {
            let [metric, limit] = [&judgement.metric, &judgement.text].map(|text| line(text, NAME));
            (metric, limit)
        };
        let mut told = std::collections::BTreeSet::new();
        for judgement in judged.judgements.iter().filter(|judgement| told.insert(written(judgement))) {
            let (metric, limit) = written(judgement);
            let outcome = match &judgement.outcome {
                Outcome::Held => "held",
                Outcome::Breached => "breached",
                Outcome::Excused(_) => "excused",
                Outcome::Unknown(_) => "unknown",
            };
            let own = [pair("metric", &metric), pair("limit", &limit), pair("outcome", outcome)].join(",");
            limits.add(&format!("{labels},{own}"), "1");
        }
    }
    vec![verdict, quarantined, iterations, coverage, frames, limits]
}

/// Phones nothing was measured on, and why.
fn absent(record: &Record) -> Family {
    let mut absent = Family::new(
        "farmjank_phone_absent",
        "",
        "A phone nothing was measured on, with the code of why and whether it may be missing; always 1.",
    );
    let shown = |one: &Absent| (line(&one.device.0, NAME), one.device.0.clone());
    let serials = unique(record.absent.iter().map(shown));
    for (one, serial) in record.absent.iter().zip(serials) {
        let labels = [
            pair("serial", &serial),
            pair("code", &line(one.fault.code.word(), NAME)),
            pair("allowed", if one.allowed { "true" } else { "false" }),
            pair("virtual", if record.header.lab.is_some() { "true" } else { "false" }),
        ];
        absent.add(&labels.join(","), "1");
    }
    absent
}

/// Health of the lab, as the phones told it before their first job.
fn of_phones(record: &Record) -> Vec<Family> {
    let mut charge =
        Family::new("farmjank_phone_battery_ratio", "ratio", "Charge of the phone when it was last asked.");
    let mut heat = Family::new(
        "farmjank_phone_battery_temperature_celsius",
        "celsius",
        "Temperature of the phone's battery when it was last asked.",
    );
    let mut status = Family::new(
        "farmjank_phone_thermal_status",
        "",
        "Thermal status of the phone when it was last asked, from 0 (none) to 6 (shutdown).",
    );
    let phones: Vec<_> = record.devices.values().collect();
    let shown = |at: usize| (line(&phones[at].id.0, NAME), phones[at].id.0.clone());
    let serials = unique((0..phones.len()).map(shown));
    for (facts, serial) in phones.iter().zip(serials) {
        let is_virtual = facts.is_virtual || record.header.lab.is_some();
        let labels = [
            pair("model", &line(&facts.model, NAME)),
            pair("serial", &serial),
            pair("virtual", if is_virtual { "true" } else { "false" }),
        ]
        .join(",");
        // What somebody set by hand is no health.
        if let Some(battery) = facts.battery.filter(|battery| !battery.faked) {
            charge.add(&labels, &format!("{:.2}", f64::from(battery.percent) / 100.0));
            heat.add(&labels, &format!("{:.1}", f64::from(battery.decidegrees) / 10.0));
        }
        if let Some(now) = facts.thermal_status {
            status.add(&labels, &now.to_string());
        }
    }
    vec![charge, heat, status]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_end_early() {
        assert_eq!(pair("a", "x\"} 1\n# EOF\\"), "a=\"x\\\"} 1\\n# EOF\\\\\"");
    }
}
