//! What the parts of the page have in common: the sign of a verdict, a cell's name and phone, a limit, a fold.
//!
//! Must not know: what the page lists. Foreign text goes through [`super::text`] without exception.

use super::text::text;
use crate::cells::{Cell, phone};
use crate::clean::NAME;
use crate::{sentence, words};
use farmjank_results::threshold::Judgement;
use farmjank_results::verdict::Verdict;

/// Sign and word of a verdict: the word alone says it too.
pub(crate) fn sign(verdict: Option<Verdict>) -> String {
    let sign = match verdict {
        Some(Verdict::Pass) => "✅",
        Some(Verdict::Fail) => "❌",
        Some(Verdict::Broken) => "⚠️",
        Some(Verdict::Undecided) | None => "❔",
    };
    format!("{sign} {}", words::verdict(verdict))
}

/// `Home feed › **fling the feed**`; of several cells that tell one story, how many there are.
pub(crate) fn title(cell: &Cell, same: usize) -> String {
    let scenario = text(&cell.job.planned.scenario, NAME);
    match same {
        1 => format!("{scenario} › **{}**", text(cell.name, NAME)),
        many => format!("{scenario} › **all {many} windows**"),
    }
}

/// The phone; marked as simulated where the heading does not say so of all.
pub(super) fn phone_of(cell: &Cell) -> String {
    match cell.record.header.lab {
        Some(_) => text(&phone(cell.device(), cell.facts()), NAME),
        None => text(&sentence::phone(cell), NAME),
    }
}

/// `hitch_ms_per_s mean < 10`, with its bound.
pub(super) fn limit(judgement: &Judgement) -> String {
    let sides = words::sides(judgement);
    let bound = sides.bound.map_or_else(String::new, |bound| format!(" ({bound})"));
    format!("<code>{}</code> {}{bound}", text(&judgement.metric, 60), text(&sides.limit, NAME))
}

/// A part that opens on demand.
pub(super) fn fold(title: &str, body: &str) -> String {
    format!("<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>\n")
}
