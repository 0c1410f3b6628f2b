//! The short stable word for what keeps a cell from passing.

use super::{Cell, counts, measured};
use crate::compare::{CellCompared, State};
use crate::event::Ending;
use crate::fault::{Blame, Fault, FaultCode};
use crate::threshold::{Judgement, Outcome};
use crate::verdict::Verdict;

impl Cell<'_> {
    pub(super) fn cause(&self) -> Option<String> {
        let code = |fault: Option<&Fault>| {
            fault.map(|fault| slug(fault.code.word())).filter(|code| !code.is_empty())
        };
        match self.verdict {
            Some(Verdict::Pass) => None,
            Some(Verdict::Fail) => Some(match self.breached() {
                Some(metric) => format!("threshold.{}", slug(metric)),
                None if self.judged.is_some_and(|judged| !judged.new_causes.is_empty()) => {
                    "cause.new".to_owned()
                }
                None if self.against().is_some() => self.against().map(told_as)?,
                None => {
                    let code = code(self.fault()).unwrap_or_else(|| "failed".into());
                    match self.fault().map(|fault| fault.blame) {
                        Some(Blame::App) => format!("app.{}", code.strip_prefix("app_").unwrap_or(&code)),
                        Some(Blame::Scenario) => format!("scenario.{code}"),
                        _ => format!("gate.{code}"),
                    }
                }
            }),
            Some(Verdict::Broken) => {
                Some(format!("infra.{}", code(self.fault()).unwrap_or_else(|| "broken".into())))
            }
            Some(Verdict::Undecided) => Some(format!("undecided.{}", self.doubt())),
            None => Some(format!(
                "undecided.{}",
                if self.is_interrupted() { "interrupted" } else { "not_judged" }
            )),
        }
    }

    fn judgements(&self) -> &[Judgement] {
        self.judged.map_or(&[][..], |judged| &judged.judgements)
    }

    /// The metric of the first limit that was breached.
    fn breached(&self) -> Option<&str> {
        let mut breached = self.judgements().iter().filter(|j| j.outcome == Outcome::Breached);
        breached.next().map(|judgement| judgement.metric.as_str())
    }

    fn is_interrupted(&self) -> bool {
        let by_fault = self.job.fault.as_ref().is_some_and(|fault| fault.code == FaultCode::Interrupted);
        let by_end = self.interrupted
            && self.job.trials.last().is_none_or(|trial| trial.ending != Some(Ending::Completed));
        (by_fault && self.by_fault) || by_end
    }

    fn doubt(&self) -> &'static str {
        let unknown = |bounded: bool| {
            let is_unknown = |j: &Judgement| matches!(j.outcome, Outcome::Unknown(_));
            self.judgements().iter().any(|j| is_unknown(j) && j.confidence_bound.is_some() == bounded)
        };
        let all = if self.whole { Vec::new() } else { measured(self.job, self.name) };
        let counted = all.iter().filter(|(trial, window)| counts(trial, window));
        let coverage: Vec<_> = counted.filter_map(|(_, window)| window.coverage.as_ref()).collect();
        let void = self.judged.is_some_and(|judged| judged.counted == 0 && !judged.void.is_empty());
        match () {
            () if self.is_interrupted() => "interrupted",
            () if self.by_fault && self.fault().is_some_and(|fault| fault.code == FaultCode::NotRun) => {
                "not_run"
            }
            () if self.against().is_some() => self.against().map_or("other", |one| one.state.word()),
            () if void => "void",
            () if coverage.iter().all(|one| one.frames_seen == 0) => "no_frames",
            () if coverage.iter().any(|one| !one.proved) => "coverage",
            () if unknown(true) => "inconclusive",
            () if unknown(false) => "unmeasurable",
            () => "other",
        }
    }
}

/// `regression.hitch_ms_per_s`; `absolute.frozen_frames` for what fails without a comparison.
fn told_as(one: &CellCompared) -> String {
    let what = if one.state == State::Regression { "regression" } else { "absolute" };
    format!("{what}.{}", slug(&one.key.metric))
}

/// A code for reports: lower-case letters, digits, `_`; at most 60 characters.
pub fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(60) {
        match c {
            c if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            _ if out.ends_with('_') || out.is_empty() => {}
            _ => out.push('_'),
        }
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}
