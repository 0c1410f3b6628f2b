//! Verdicts, their order of precedence, and the exit codes they become.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Exit code when the command line or a scenario is wrong and nothing ran.
pub const EXIT_USAGE: u8 = 2;
/// Exit code when nothing matched the selection.
pub const EXIT_NOTHING_SELECTED: u8 = 5;
/// Exit code of a run ended by an interrupt (SIGINT).
pub const EXIT_INTERRUPTED: u8 = 130;
/// Exit code of a run ended by a request to terminate (SIGTERM).
pub const EXIT_TERMINATED: u8 = 143;

/// The answer for a window, a job, or the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every judgement held and coverage was sufficient.
    Pass,
    /// A threshold was breached, or the app crashed.
    Fail,
    /// The lab or the tool is to blame: no phone, phone lost, budget spent.
    Broken,
    /// It could not be told: too few frames, gaps, unmeasurable metric, statistics inconclusive.
    Undecided,
}

impl Verdict {
    /// Precedence when verdicts are mixed, worst first: Fail, Broken, Undecided, Pass.
    pub fn worse(self, other: Verdict) -> Verdict {
        let rank = |verdict: Verdict| match verdict {
            Verdict::Fail => 3,
            Verdict::Broken => 2,
            Verdict::Undecided => 1,
            Verdict::Pass => 0,
        };
        if rank(other) > rank(self) { other } else { self }
    }

    /// The worst of many; Pass when there is none.
    pub fn worst(all: impl IntoIterator<Item = Verdict>) -> Verdict {
        all.into_iter().fold(Verdict::Pass, Verdict::worse)
    }

    /// Exit code of a run that ended with this verdict.
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Pass => 0,
            Verdict::Fail => 1,
            Verdict::Broken => 3,
            Verdict::Undecided => 4,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Broken => "broken",
            Verdict::Undecided => "undecided",
        })
    }
}

/// Exit code of a run: of an interrupted one that of the signal, whatever was judged; `nothing` says that nothing
/// matched the selection.
pub fn exit_code(verdict: Verdict, interrupted: Option<&str>, nothing: bool) -> u8 {
    match interrupted {
        Some("SIGTERM") => EXIT_TERMINATED,
        Some(_) => EXIT_INTERRUPTED,
        None if nothing => EXIT_NOTHING_SELECTED,
        None => verdict.exit_code(),
    }
}

/// Exit code of what ended with this one, where something that was asked for could not be written: nobody may take that
/// for a success. A failed gate stays one, and an interrupt too.
pub fn exit_undelivered(code: u8) -> u8 {
    let is_good = code == Verdict::Pass.exit_code() || code == Verdict::Undecided.exit_code();
    if is_good { Verdict::Broken.exit_code() } else { code }
}

/// The word beside an exit code.
pub fn exit_word(code: u8) -> &'static str {
    match code {
        0 => "passed",
        1 => "gate failed",
        EXIT_USAGE => "usage or scenario error",
        3 => "lab fault",
        4 => "undecided",
        EXIT_NOTHING_SELECTED => "nothing selected",
        EXIT_INTERRUPTED => "interrupted",
        EXIT_TERMINATED => "terminated",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fail_never_hides_behind_a_lab_fault() {
        use Verdict::*;
        assert_eq!(Verdict::worst([Pass, Undecided, Broken, Fail, Pass]), Fail);
        assert_eq!(Verdict::worst([Pass, Undecided, Broken]), Broken);
        assert_eq!(Verdict::worst([Pass, Undecided]), Undecided);
        assert_eq!(Verdict::worst([]), Pass);
        assert_eq!([Pass, Fail, Broken, Undecided].map(Verdict::exit_code), [0, 1, 3, 4]);
    }

    #[test]
    fn what_is_not_delivered_is_no_success_and_hides_no_failure() {
        assert_eq!([0, 1, 2, 3, 4, 5, 130, 143].map(exit_undelivered), [3, 1, 2, 3, 3, 5, 130, 143]);
    }

    #[test]
    fn every_exit_code_has_its_word() {
        let of_verdicts = [Verdict::Pass, Verdict::Fail, Verdict::Broken, Verdict::Undecided];
        let words = of_verdicts.map(|verdict| exit_word(verdict.exit_code()));
        assert_eq!(words, ["passed", "gate failed", "lab fault", "undecided"]);
        let others = [EXIT_USAGE, EXIT_NOTHING_SELECTED, EXIT_INTERRUPTED, EXIT_TERMINATED].map(exit_word);
        assert_eq!(others, ["usage or scenario error", "nothing selected", "interrupted", "terminated"]);
    }
}
