//! Which raw evidence of a run comes along: dumps and traces are most of its bytes, and seldom looked at where all went
//! well. What does not come lies on the host that measured it, and can be asked for.

use farmjank_results::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// Of which jobs raw evidence comes to whoever conducts the run. Frames, pictures and what tells of a failure always
/// do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Of every job, as it is measured.
    #[default]
    All,
    /// Of jobs that did not pass, once they are judged.
    Failed,
    /// Of none.
    None,
}

impl Evidence {
    /// Every one.
    pub const ALL: [Evidence; 3] = [Evidence::All, Evidence::Failed, Evidence::None];

    /// Its word: `all`, `failed`, `none`.
    pub fn word(self) -> &'static str {
        match self {
            Evidence::All => "all",
            Evidence::Failed => "failed",
            Evidence::None => "none",
        }
    }

    /// By its word.
    pub fn named(word: &str) -> Option<Evidence> {
        Evidence::ALL.into_iter().find(|evidence| evidence.word() == word)
    }

    /// Whether it waits until a job is judged.
    pub fn waits(self) -> bool {
        self != Evidence::All
    }

    /// Whether that of a job comes that was judged so.
    pub fn brings(self, verdict: Verdict) -> bool {
        match self {
            Evidence::All => true,
            Evidence::Failed => verdict != Verdict::Pass,
            Evidence::None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_pass_comes_with_failed_and_nothing_with_none() {
        let brought = |evidence: Evidence| {
            [Verdict::Pass, Verdict::Fail, Verdict::Broken, Verdict::Undecided].map(|v| evidence.brings(v))
        };
        assert_eq!(brought(Evidence::All), [true; 4]);
        assert_eq!(brought(Evidence::Failed), [false, true, true, true]);
        assert_eq!(brought(Evidence::None), [false; 4]);
        for evidence in Evidence::ALL {
            assert_eq!(Evidence::named(evidence.word()), Some(evidence));
            assert_eq!(serde_json::to_string(&evidence).unwrap(), format!("{:?}", evidence.word()));
        }
    }
}
