//! One session against one: a warm phone looks like a slow build, so it decides nothing unless that is asked for.
//!
//! Words and states only.

use super::compared::State;

/// What must be known of a comparison without session-to-session noise (docs/design/statistics.md#designs).
const ONE_AGAINST_ONE: &str = "one session against one: how much sessions differ is not known, so a warmer phone or a busier \
    hour can look like the build; five or more sessions in a baseline, or both builds in turn in one session, tell them apart";
/// What is said with it where it was not asked to decide.
const NOT_ASKED: &str = "; it decides nothing, unless --one-session says that it shall";

/// What helps where the older side has fewer iterations than the test needs.
pub(super) const TOO_FEW: &str = "the older side has too few iterations to compare with: measure it again, with `--iterations 15`; \
    `farmjank plan --baseline` says what more would find";

/// What to know of such a comparison; `decides` where it was asked to.
pub(super) fn note(decides: bool) -> String {
    format!("{ONE_AGAINST_ONE}{}", if decides { "" } else { NOT_ASKED })
}

/// What one session against one may say of a difference: that it does not know. A difference for the better rules out a
/// worse one as far as any single session does.
pub(super) fn undone(found: State) -> State {
    match found {
        State::Regression | State::Fail => State::Inconclusive,
        State::Improvement => State::Pass,
        other => other,
    }
}

/// Why it does not know, in words.
pub(super) fn doubt(found: State) -> String {
    let looks = if found == State::Improvement { "looks better" } else { "looks worse" };
    format!(
        "{looks}, but one session against one does not tell a build from a warm phone: five or more, or `farmjank ab`, do"
    )
}
