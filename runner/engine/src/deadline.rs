//! When a run has had its time (`--deadline`): what is said of the rest. Must not know phones.

use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::{RunTime, Span};
use std::cell::Cell;
use std::time::Duration;

/// So long a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// How long, as it was asked for.
    pub given: Duration,
    /// What of it is left as the run goes on here, where some of it has passed before.
    pub left: Duration,
}

impl Deadline {
    /// None of it has passed.
    pub fn of(given: Duration) -> Deadline {
        Deadline { given, left: given }
    }
}

/// The same, while jobs are at work.
#[derive(Debug, Default)]
pub struct Until {
    /// When, and how long it was in all; none where a run goes on as long as it has work.
    at: Option<(RunTime, Duration)>,
    told: Cell<bool>,
}

impl Until {
    /// The end of what is left from this time on.
    pub fn since(now: RunTime, deadline: Option<Deadline>) -> Until {
        let at = deadline.map(|deadline| (now + Span::from(deadline.left), deadline.given));
        Until { at, ..Until::default() }
    }

    /// When to look again; none where that is over, or never.
    pub(crate) fn due(&self) -> Option<RunTime> {
        self.at.filter(|_| !self.told.get()).map(|(at, _)| at)
    }

    /// Why nothing more is run; none where it is.
    pub(crate) fn over(&self, now: RunTime) -> Option<Fault> {
        let (_, given) = self.at.filter(|(at, _)| now >= *at)?;
        let what = format!("not run: the run has had its time, --deadline {}", told(given));
        Some(Fault::new(FaultCode::NotRun, what))
    }

    /// The same, once.
    pub(crate) fn ends(&self, now: RunTime) -> Option<Fault> {
        self.over(now).filter(|_| !self.told.replace(true))
    }
}

/// A time as it is given: the largest unit that has no rest.
fn told(given: Duration) -> String {
    let ms = given.as_millis();
    let units = [(3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")];
    let (unit, word) = units.into_iter().find(|(unit, _)| ms.is_multiple_of(*unit)).unwrap_or((1, "ms"));
    format!("{}{word}", ms / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_had_its_time_at_the_deadline_and_that_is_told_once() {
        let given = Duration::from_secs(90 * 60);
        let at = |ms: i64| RunTime::from_ns(0) + Span::from_ms(ms);
        let until = Until::since(at(1000), Some(Deadline { given, left: Duration::from_secs(60) }));
        assert_eq!(until.due(), Some(at(61_000)));
        assert_eq!(until.ends(at(60_999)), None);
        let fault = until.ends(at(61_000)).expect("over").to_string();
        assert_eq!(fault, "not run: the run has had its time, --deadline 90m");
        assert_eq!((until.ends(at(62_000)), until.due()), (None, None));
        assert!(until.over(at(62_000)).is_some(), "what runs asks after each iteration");
        assert_eq!(Until::default().over(at(1 << 40)), None);
    }

    #[test]
    fn a_time_is_told_as_it_was_given() {
        let all = [("6h", 21_600_000), ("90s", 90_000), ("45m", 2_700_000), ("250ms", 250), ("1001ms", 1001)];
        for (word, ms) in all {
            assert_eq!(told(Duration::from_millis(ms)), word);
        }
    }
}
