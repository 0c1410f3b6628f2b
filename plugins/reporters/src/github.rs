//! Annotations for GitHub Actions: workflow commands that mark the line of the scenario where a window is written.
//!
//! At most ten errors and ten warnings, the worst first, because GitHub shows no more of a step; a notice counts them
//! all. A pure function of the record. Must not know: whether this runs on GitHub.

use crate::cells::{Cell, stories, worst_first};
use crate::clean::{NAME, SENTENCE, line};
use crate::paint::TextStyle;
use crate::{absent, comparison, quarantined, rerun, sentence, why, words};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;

/// Annotations of one kind that GitHub shows of one step.
pub const MOST: usize = 10;

/// The commands, one per line.
pub fn annotations(record: &Record) -> String {
    let all = worst_first(record);
    let (aside, told): (Vec<_>, Vec<_>) =
        stories(&all).into_iter().partition(|(cell, _)| cell.quarantine().is_some());
    let of = |is_error: bool| {
        let kind = move |cell: &Cell| (cell.verdict == Some(Verdict::Fail)) == is_error;
        let bad = told.iter().filter(|(cell, _)| cell.verdict != Some(Verdict::Pass));
        bad.filter(move |(cell, _)| kind(cell)).collect::<Vec<_>>()
    };
    let (errors, warnings) = (of(true), of(false));
    let shown = |all: &[&(&Cell, usize)], command: &str| -> String {
        all.iter().take(MOST).map(|(cell, same)| annotation(cell, *same, command)).collect()
    };
    let mut text = shown(&errors, "error") + &shown(&warnings, "warning");
    let (all_bad, left) = (
        errors.len() + warnings.len(),
        errors.len().saturating_sub(MOST) + warnings.len().saturating_sub(MOST),
    );
    let mut count = format!("{}: {}", words::verdict(record.verdict), sentence::counts(&all));
    if let Some(compared) = &record.compared {
        let from = comparison::source(&compared.baseline, TextStyle::default());
        count += &format!("; against {from}: {}", comparison::counts(compared));
    }
    if let Some((_, said)) = sentence::patterns(record).0.first() {
        count += &format!("; {}", line(said, SENTENCE));
    }
    if left > 0 {
        count += &format!(" (the worst {} of {all_bad} are annotated)", all_bad - left);
    }
    count += &absent::count(record).map_or_else(String::new, |absent| format!("; {absent}"));
    if let Some(label) = sentence::virtual_label(record) {
        count += &format!(". {label}");
    }
    // One notice is the count's.
    let missing = absent::sentences(record);
    for one in missing.iter().take(MOST - 1) {
        text += &format!("::notice title={}::{}\n", absent::TITLE, data(&line(one, SENTENCE)));
    }
    let room = (MOST - 1).saturating_sub(missing.len());
    let bad = aside.iter().filter(|(cell, _)| cell.verdict != Some(Verdict::Pass));
    text += &bad.take(room).map(|(cell, same)| annotation(cell, *same, "notice")).collect::<String>();
    text += &format!("::notice title=farmjank::{}\n", data(&line(&count, SENTENCE)));
    text
}

/// A place in a scenario, and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The scenario's file, as the repository has it.
    pub file: String,
    /// Row and column, from 1; none where it is about several.
    pub place: Option<(u32, u32)>,
    /// What it came to: none where it does not gate.
    pub verdict: Option<Verdict>,
    /// In a few words.
    pub title: String,
    /// In full.
    pub message: String,
}

/// Every cell that did not pass, the worst first; those of a job that all say the same are one.
pub fn marks(record: &Record) -> Vec<Mark> {
    let all = worst_first(record);
    let bad = stories(&all).into_iter().filter(|(cell, _)| cell.verdict != Some(Verdict::Pass));
    bad.map(|(cell, same)| mark(cell, same)).collect()
}

/// What the run came to, in a line.
pub fn headline(record: &Record) -> String {
    let counts = sentence::counts(&worst_first(record));
    let label = sentence::virtual_label(record).map(|label| format!(". {label}")).unwrap_or_default();
    line(&format!("{}: {counts}{label}", words::verdict(record.verdict)), SENTENCE)
}

fn mark(cell: &Cell, same: usize) -> Mark {
    let planned = &cell.job.planned;
    let file = planned.file.replace('\\', "/");
    let what = if same > 1 { format!("all {same} windows") } else { cell.name.to_owned() };
    let what = line(&what, NAME);
    let is_regression = cell.kind().is_some_and(|kind| kind.starts_with("regression."));
    let kind = if is_regression { "regression" } else { words::verdict(cell.verdict) };
    let told = quarantined::sentence(cell).map(|told| format!("; {}", line(&told, SENTENCE)));
    let aside = if told.is_some() { format!("{}, ", quarantined::TITLE) } else { String::new() };
    let title = format!("{aside}{kind}: {what} on {}", line(&sentence::phone(cell), NAME));
    let message = format!(
        "{}: {}{}",
        line(&planned.scenario, NAME),
        line(&sentence::what(cell), SENTENCE),
        told.unwrap_or_default()
    );
    let again = rerun::sentence(cell).map(|again| format!("; {}", line(&again, SENTENCE)));
    let late = cell.causes().map(|found| format!("; {}", line(&why::plain(found), SENTENCE)));
    Mark {
        file: line(file.trim_start_matches("./"), NAME),
        place: cell.place.filter(|_| same == 1),
        verdict: cell.verdict.filter(|_| cell.quarantine().is_none()),
        title,
        message: message + &again.unwrap_or_default() + &late.unwrap_or_default(),
    }
}

/// One command. What made the app fail is an error; what could not be told is a warning, and no word about the app.
fn annotation(cell: &Cell, same: usize, command: &str) -> String {
    let Mark { file, place, title, message, .. } = mark(cell, same);
    let mut parts = vec![format!("file={}", property(&file))];
    if let Some((row, column)) = place {
        parts.push(format!("line={row},col={column}"));
    }
    parts.push(format!("title={}", property(&title)));
    format!("::{command} {}::{}\n", parts.join(","), data(&message))
}

/// A command's message, as the runner undoes it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A command's property, as the runner undoes it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The same text with nothing in it that a CI runner obeys (`::command::` at the start of a line, `##[command]` and
/// `##vso[command]` anywhere): what a phone calls itself must not set a mask or end a group.
pub fn uncommanded(text: &str) -> String {
    let tame = |line: &str| {
        let line = line.replace("##[", "# #[").replace("##vso[", "# #vso[");
        match line.trim_start().starts_with("::") {
            true => line.replacen("::", ": :", 1),
            false => line,
        }
    };
    text.split_inclusive('\n').map(tame).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_command_or_a_property_is_escaped() {
        assert_eq!(property("a:b,c%d\r\ne"), "a%3Ab%2Cc%25d%0D%0Ae");
        assert_eq!(data("a:b,c%d\ne"), "a:b,c%25d%0Ae");
    }

    #[test]
    fn commands_in_other_texts_are_disarmed() {
        let text = "::add-mask::pass\n  ::error::x\na ::ok\n##[group]y ##vso[task]\n";
        assert_eq!(uncommanded(text), ": :add-mask::pass\n  : :error::x\na ::ok\n# #[group]y # #vso[task]\n");
    }
}
