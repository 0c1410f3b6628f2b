//! What the page says of a baseline: a line in the heading, a column beside the limits, a sentence in the details.
//! Nothing at all where the run was held against none.
//!
//! Must not know: how it was decided, how long the page may be.

use super::text::text;
use crate::cells::Cell;
use crate::change::against;
use crate::clean::SENTENCE;
use crate::comparison::{self, is_told};
use crate::paint::TextStyle;
use crate::words;
use farmjank_results::compare::{CellCompared, State};
use farmjank_results::metric::Unit;
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;

/// Rows of one cell beside those of its limits.
const ROWS: usize = 6;

/// `> **Against** nightly, 2026-03-01: 1 regression, 11 pass.`
pub(super) fn baseline(record: &Record) -> Option<String> {
    let compared = record.compared.as_ref()?;
    let from = text(&comparison::source(&compared.baseline, TextStyle::default()), SENTENCE);
    Some(format!("> **Against** {from}: {}.\n", comparison::counts(compared)))
}

/// The column of changes, where there is one.
pub(super) struct Column(bool);

impl Column {
    pub(super) fn of(record: &Record) -> Column {
        Column(record.compared.is_some())
    }

    fn cell(&self, text: &str) -> String {
        if self.0 { format!(" {text} |") } else { String::new() }
    }

    pub(super) fn title(&self) -> String {
        self.cell("against the baseline")
    }

    pub(super) fn rule(&self) -> String {
        self.cell("---")
    }

    pub(super) fn nothing(&self) -> String {
        self.cell("–")
    }

    /// Columns it adds.
    pub(super) fn width(&self) -> usize {
        usize::from(self.0)
    }

    /// What became of a metric that has a limit.
    pub(super) fn of_metric(&self, cell: &Cell, metric: &str) -> String {
        let mut all = cell.compared.iter().filter(|one| one.key.metric == metric);
        let one = all.clone().find(|one| one.phones.is_none()).or_else(|| all.next());
        one.map_or_else(|| self.nothing(), |one| self.cell(&against(one)))
    }

    /// What became of the metric that decides.
    pub(super) fn of_primary(&self, cell: &Cell) -> String {
        comparison::own(&cell.compared).map_or_else(|| self.nothing(), |one| self.cell(&against(one)))
    }

    /// Rows of what changed without breaking a limit, those that vote first, from the limit's column on.
    pub(super) fn rows(&self, cell: &Cell) -> Vec<String> {
        let breached = cell.breached();
        let mut all: Vec<&CellCompared> = cell.compared.iter().copied().filter(|one| counts(one)).collect();
        all.retain(|one| !breached.contains(&one.key.metric.as_str()));
        all.sort_by_key(|one| one.verdict() != Verdict::Fail);
        all.iter().take(ROWS).map(|one| self.row(one)).collect()
    }

    fn row(&self, one: &CellCompared) -> String {
        let matters = match one.mei {
            Some(mei) => format!("no more than {} worse", words::amount(Some(mei), unit(one))),
            None => "no worse".to_owned(),
        };
        let metric = text(&one.key.metric, 60);
        let new = words::amount(one.new, unit(one));
        format!("<code>{metric}</code> {matters} | {new} | – |{}", self.cell(&against(one)))
    }
}

fn unit(one: &CellCompared) -> Unit {
    one.unit.unwrap_or(Unit::Count)
}

/// It became worse, or it keeps the cell from passing.
fn counts(one: &CellCompared) -> bool {
    one.state == State::Regression || one.verdict() == Verdict::Fail
}

/// One line per comparison worth telling, with its interval and what it would have caught.
pub(super) fn sentences(cell: &Cell) -> Vec<String> {
    let told = cell.compared.iter().filter(|one| is_told(one)).take(ROWS * 2);
    told.map(|one| {
        let (symbol, _) = comparison::marks_of(one);
        let sentence = text(comparison::there(one), SENTENCE);
        format!("- {symbol} {}: {sentence}", comparison::word_of(one))
    })
    .collect()
}
