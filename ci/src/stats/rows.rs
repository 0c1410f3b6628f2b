//! The table: figures with their limits, printed as they come, as Markdown that reads well as plain text.

use crate::program::Failed;
use farmjank_ci::proving::Proportion;
use std::ops::RangeInclusive;

/// Widths of the columns, so that a table printed row by row stays one.
const WIDTHS: [usize; 4] = [76, 8, 7, 7];

/// What a share must be, in percent.
#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// Between these.
    Within(RangeInclusive<f64>),
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
    /// Whatever it is: printed to compare with.
    Shown,
}

impl Limit {
    fn words(&self) -> String {
        match self {
            Limit::Within(range) => format!("{}–{} %", range.start(), range.end()),
            Limit::AtMost(most) => format!("≤ {most} %"),
            Limit::AtLeast(least) => format!("≥ {least} %"),
            Limit::Shown => String::new(),
        }
    }

    /// Whether a percentage keeps it.
    fn holds(&self, percent: f64) -> bool {
        match self {
            Limit::Within(range) => range.contains(&percent),
            Limit::AtMost(most) => percent <= *most,
            Limit::AtLeast(least) => percent >= *least,
            Limit::Shown => true,
        }
    }
}

/// What was printed so far.
#[derive(Debug, Default)]
pub struct Report {
    outside: Vec<String>,
    judged: usize,
}

impl Report {
    /// Begins a table.
    pub fn section(&mut self, title: &str, how: &str) {
        println!("\n**{title}** {how}\n");
        line([title, "figure", "limit", ""]);
        line(WIDTHS.map(|width| "-".repeat(width)).each_ref().map(String::as_str));
    }

    /// A share with its limit. A share of nothing is outside every limit.
    pub fn share(&mut self, what: &str, proportion: Proportion, limit: &Limit) {
        let percent = proportion.share().map(|share| share * 100.0);
        let figure = percent.map_or("none".to_owned(), |percent| format!("{percent:.1} %"));
        let holds = percent.is_some_and(|percent| limit.holds(percent));
        self.row(what, &figure, limit, holds);
    }

    /// A number to compare with.
    pub fn number(&mut self, what: &str, figure: &str) {
        self.row(what, figure, &Limit::Shown, true);
    }

    fn row(&mut self, what: &str, figure: &str, limit: &Limit, holds: bool) {
        let verdict = match limit {
            Limit::Shown => "",
            _ if holds => "holds",
            _ => "OUTSIDE",
        };
        self.judged += usize::from(*limit != Limit::Shown);
        if verdict == "OUTSIDE" {
            self.outside.push(format!("{what}: {figure}, limit {}", limit.words()));
        }
        line([what, figure, &limit.words(), verdict]);
    }

    /// The end of the report.
    ///
    /// # Errors
    /// Figures are outside their limits.
    pub fn verdict(self) -> Result<(), Failed> {
        if self.outside.is_empty() {
            println!("\n{} figures, all within their limits", self.judged);
            return Ok(());
        }
        let words = self.outside.join("\n  ");
        Err(Failed(format!(
            "{} of {} figures are outside their limits:\n  {words}",
            self.outside.len(),
            self.judged
        )))
    }
}

fn line(cells: [&str; 4]) {
    println!("{}", row(cells));
}

fn row(cells: [&str; 4]) -> String {
    let padded = cells.iter().zip(WIDTHS).map(|(cell, width)| format!(" {cell:<width$} "));
    format!("|{}|", padded.collect::<Vec<_>>().join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_at_their_borders_and_not_beyond() {
        let within = Limit::Within(3.0..=6.0);
        assert!(within.holds(3.0) && within.holds(6.0) && !within.holds(6.1) && !within.holds(2.9));
        assert!(Limit::AtMost(6.0).holds(0.0) && !Limit::AtMost(6.0).holds(6.5));
        assert!(Limit::AtLeast(80.0).holds(80.0) && !Limit::AtLeast(80.0).holds(79.9));
        assert_eq!(within.words(), "3–6 %");
    }

    #[test]
    fn one_figure_outside_fails_the_report() {
        let mut report = Report::default();
        report.share("held", Proportion { hits: 5.0, of: 100.0 }, &Limit::AtMost(6.0));
        report.share("shown", Proportion { hits: 90.0, of: 100.0 }, &Limit::Shown);
        assert_eq!((report.judged, report.outside.len()), (1, 0));
        report.share("broken", Proportion { hits: 7.0, of: 100.0 }, &Limit::AtMost(6.0));
        report.share("nothing", Proportion::default(), &Limit::AtMost(6.0));
        let Failed(why) = report.verdict().unwrap_err();
        assert!(why.starts_with("2 of 3 figures") && why.contains("broken: 7.0 %, limit ≤ 6 %"), "{why}");
    }

    #[test]
    fn rows_are_aligned() {
        assert_eq!(
            row(["a", "b", "c", ""]).chars().count(),
            row(["–", "5.0 %", "≤ 6 %", "holds"]).chars().count()
        );
    }
}
