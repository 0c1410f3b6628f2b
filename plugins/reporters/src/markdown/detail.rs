//! How each cell that did not pass was measured: every limit, every iteration, the coverage, the place.
//!
//! Must not know: the rest of the page. Cells that tell the story of one job are told once.

use super::held;
use super::parts::{fold, limit, phone_of, sign, title};
use super::text::text;
use crate::barcode::hitches;
use crate::cells::{Cell, stories};
use crate::clean::{NAME, SENTENCE};
use crate::why;
use crate::words;
use farmjank_results::threshold::{Judgement, Outcome};
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::{FrameLogs, NoFrameLogs};

/// Cells whose frames are read and drawn.
const DRAWN: usize = 200;
/// Length of a line of blocks.
const BARS: usize = 40;
/// Iterations listed of one limit.
const VALUES: usize = 30;

/// One folded part with all of them; none when every cell passed or has nothing more to tell.
pub(super) fn folded(all: &[Cell], frame_logs: &dyn FrameLogs) -> Option<String> {
    let told = stories(all);
    let bad = told.iter().filter(|(cell, _)| cell.verdict != Some(Verdict::Pass));
    let own = bad.filter(|(cell, same)| *same == 1 && !cell.untold());
    let parts: Vec<String> = own
        .enumerate()
        .map(|(at, (cell, _))| part(cell, if at < DRAWN { frame_logs } else { &NoFrameLogs }))
        .collect();
    (!parts.is_empty()).then(|| fold("How these cells were measured", &parts.join("\n\n")))
}

fn part(cell: &Cell, frame_logs: &dyn FrameLogs) -> String {
    let phone = phone_of(cell);
    let mut lines =
        vec![format!("#### {}: {} on {phone}", sign(cell.verdict), title(cell, 1)), String::new()];
    if let Some(judged) = cell.judged.filter(|judged| !judged.judgements.is_empty()) {
        lines.push("| outcome | limit | measured | against the limit | iterations |".to_owned());
        lines.push("| --- | --- | ---: | --- | --- |".to_owned());
        lines.extend(judged.judgements.iter().map(row));
        lines.push(String::new());
    }
    lines.extend(held::sentences(cell));
    if let Some(judged) = cell.judged {
        let void = judged.void.iter().take(5).map(|why| format!("- void: {}", text(why, SENTENCE)));
        lines.push(format!("- {} counted, {} void", judged.counted, judged.void.len()));
        lines.extend(void);
    }
    if let Some((bars, words)) = hitches(cell, frame_logs, BARS) {
        lines.push(format!("- <code>{bars}</code> {words}"));
    }
    lines.push(format!("- {}", text(&words::coverage(&cell.coverage()), SENTENCE)));
    lines.extend(cell.reasons().iter().take(8).map(|why| format!("- why: {}", text(why, SENTENCE))));
    lines.extend(why::of_cell(cell).iter().map(|why| format!("- late: {}", text(why, SENTENCE))));
    let file = text(&cell.job.planned.file, NAME);
    lines.push(match cell.place {
        Some((line, column)) => format!("- written in {file}:{line}:{column}"),
        None => format!("- written in {file}"),
    });
    lines.join("\n")
}

fn row(judgement: &Judgement) -> String {
    let (outcome, why) = match &judgement.outcome {
        Outcome::Held => ("✅ held", None),
        Outcome::Breached => ("❌ breached", None),
        Outcome::Excused(why) => ("⚠️ excused", Some(why)),
        Outcome::Unknown(why) => ("❔ unknown", Some(why)),
    };
    let why = why.map_or_else(String::new, |why| format!(": {}", text(why, SENTENCE)));
    let values: Vec<String> =
        judgement.values.iter().take(VALUES).map(|value| words::number(*value, judgement.unit)).collect();
    let more = judgement.values.len().saturating_sub(VALUES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "| {outcome}{why} | {} | {} | {} | {}{more} |",
        limit(judgement),
        words::sides(judgement).amount,
        words::apart(judgement).unwrap_or_else(|| "–".to_owned()),
        values.join(", "),
    )
}
