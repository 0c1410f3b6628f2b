//! Plain lines as things happen, for logs and pipes; then the table.
//!
//! Calm: results and troubles are told at once, progress now and then. Rates are measured in the run's own time, so the
//! same log gives the same lines. Lines go to standard error, the table to standard output.

use crate::paint::{TextStyle, Tint};
use crate::story::{Line, Story, Weight};
use crate::table;
use farmjank_results::event::Event;
use farmjank_results::record::Record;
use farmjank_results::time::{RunTime, Span};
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};
use std::collections::BTreeMap;

/// Shortest time between two lines of progress of one job.
const EVERY_JOB: Span = Span::from_ms(10_000);
/// Shortest time between two lines of progress at all.
const EVERY_LINE: Span = Span::from_ms(1_000);
/// Shortest time between two troubles of one phone or job that say the same.
const EVERY_TROUBLE: Span = Span::from_ms(10_000);
/// Different troubles and notes remembered, so that a hostile log cannot fill the memory.
const REMEMBERED: usize = 2_000;

/// Which lines are told, and when.
#[derive(Default)]
pub(crate) struct Calm {
    last_line: Option<RunTime>,
    last_of: BTreeMap<String, RunTime>,
    /// Troubles and notes told: when last, and how often kept quiet since.
    told: BTreeMap<(String, String), (RunTime, u64)>,
}

impl Calm {
    /// The text to tell now, if any.
    pub(crate) fn pass(&mut self, line: &Line, at: RunTime) -> Option<String> {
        match line.weight {
            Weight::Judged(_) => Some(line.text.clone()),
            Weight::Progress => {
                let since = |last: Option<RunTime>, least: Span| last.is_none_or(|last| at - last >= least);
                let due = since(self.last_line, EVERY_LINE)
                    && since(self.last_of.get(&line.about).copied(), EVERY_JOB);
                due.then(|| {
                    self.last_line = Some(at);
                    self.last_of.insert(line.about.clone(), at);
                    line.text.clone()
                })
            }
            Weight::Milestone | Weight::Trouble => {
                // A job that has just been told about needs no progress line at once.
                self.last_of.insert(line.about.clone(), at);
                self.once(line, at)
            }
        }
    }

    fn once(&mut self, line: &Line, at: RunTime) -> Option<String> {
        if self.told.len() > REMEMBERED {
            self.told.clear();
        }
        let key = (line.about.clone(), line.text.clone());
        let Some((last, quiet)) = self.told.get_mut(&key) else {
            self.told.insert(key, (at, 0));
            return Some(line.text.clone());
        };
        if at - *last < EVERY_TROUBLE || line.weight == Weight::Milestone {
            *quiet += 1;
            return None;
        }
        let text = match *quiet {
            0 => line.text.clone(),
            times => format!("{} (and {times} × since the last such line)", line.text),
        };
        (*last, *quiet) = (at, 0);
        Some(text)
    }
}

/// Lines, then the table.
pub struct Console {
    style: TextStyle,
    bundle: Option<String>,
    /// The table has what needs a person alone.
    brief: bool,
    story: Story,
    calm: Calm,
}

impl Console {
    /// A console that looks like this; `bundle` is named in the last line of the table.
    pub fn new(style: TextStyle, bundle: Option<String>) -> Self {
        Console { style, bundle, brief: false, story: Story::new(style), calm: Calm::default() }
    }

    /// With `brief` its table has what needs a person alone.
    pub fn brief(self, brief: bool) -> Self {
        Console { brief, ..self }
    }
}

impl Reporter for Console {
    fn name(&self) -> &str {
        "console"
    }

    fn observe(&mut self, event: &Event, record: &Record) -> Vec<Delivery> {
        let lines = self.story.tell(event, record);
        let passed =
            lines.into_iter().filter_map(|line| Some((self.calm.pass(&line, event.at)?, line.weight)));
        passed.map(|(text, weight)| Delivery::Err(stamped(&text, weight, event.at, self.style))).collect()
    }

    fn conclude(&mut self, record: &Record, frame_logs: &dyn FrameLogs) -> Vec<Delivery> {
        let bundle = self.bundle.as_deref();
        let text = match self.brief {
            true => table::brief(record, self.style, bundle),
            false => table::table(record, frame_logs, self.style, bundle),
        };
        vec![Delivery::Out(text)]
    }
}

/// `[ 1:02.4] …`, with a line break.
pub(crate) fn stamped(text: &str, weight: Weight, at: RunTime, style: TextStyle) -> String {
    let tint = match weight {
        Weight::Progress => Some(Tint::Quiet),
        Weight::Milestone => None,
        Weight::Judged(Verdict::Pass) => Some(Tint::Good),
        Weight::Judged(Verdict::Fail) => Some(Tint::Bad),
        Weight::Judged(Verdict::Broken) => Some(Tint::Odd),
        Weight::Judged(Verdict::Undecided) | Weight::Trouble => Some(Tint::Doubt),
    };
    let text = style.glyphs(text);
    // Line by line: something else may be drawn between two.
    let painted = |tint| text.split('\n').map(|line| style.paint(tint, line)).collect::<Vec<_>>().join("\n");
    let text = tint.map_or_else(|| text.clone(), painted);
    let tenths = at.ns().max(0) / 100_000_000;
    format!("[{:>3}:{:02}.{}] {text}\n", tenths / 600, tenths / 10 % 60, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(weight: Weight, about: &str, text: &str) -> Line {
        Line { weight, about: about.to_owned(), text: text.to_owned() }
    }

    fn told(calm: &mut Calm, seconds: i64, weight: Weight, about: &str, text: &str) -> Option<String> {
        calm.pass(&line(weight, about, text), RunTime::from_ns(seconds * 1_000_000_000))
    }

    #[test]
    fn progress_is_told_now_and_then() {
        let mut calm = Calm::default();
        assert!(told(&mut calm, 0, Weight::Progress, "1", "a").is_some());
        assert!(told(&mut calm, 0, Weight::Progress, "2", "b").is_none(), "one line a second");
        assert!(told(&mut calm, 5, Weight::Progress, "1", "a").is_none(), "ten seconds per job");
        assert!(told(&mut calm, 5, Weight::Progress, "2", "b").is_some());
        assert!(told(&mut calm, 10, Weight::Progress, "1", "a").is_some());
    }

    #[test]
    fn a_loose_cable_is_not_a_flood() {
        let mut calm = Calm::default();
        let lines: Vec<String> =
            (0..31).filter_map(|at| told(&mut calm, at, Weight::Trouble, "X", "X: is gone")).collect();
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert_eq!(lines[1], "X: is gone (and 9 × since the last such line)");
        assert!(told(&mut calm, 31, Weight::Judged(Verdict::Fail), "X", "r").is_some());
        assert!(
            told(&mut calm, 31, Weight::Judged(Verdict::Fail), "X", "r").is_some(),
            "results are never dropped"
        );
    }

    #[test]
    fn times_are_minutes_and_seconds() {
        let at = RunTime::from_ns(62_430_000_000);
        assert_eq!(stamped("x", Weight::Milestone, at, TextStyle::default()), "[  1:02.4] x\n");
    }
}
