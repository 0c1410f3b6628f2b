//! The life of causes: what becomes of why frames were late, from build to build and from night to night.
//!
//! A cause is known by its fingerprint ([`NamedCause::fingerprint`](crate::hitch_causes::NamedCause::fingerprint)). It
//! is only ever held against diagnoses that looked: a window that nobody asked about, or whose events were lost, tells
//! nothing, and above all not that a cause is gone (docs/causes.md, "From build to build"). Phones of one class stand
//! for each other. Must not know: files, stores, words of reports.

mod amount;
mod arrivals;
mod between;
mod diagnosis;
mod nights;
#[cfg(test)]
mod samples;
mod side;

pub use amount::Amount;
pub use arrivals::{Arrival, OnNew, WindowArrivals, arrivals};
pub use between::{CauseChange, WindowChange, between};
pub use diagnosis::{SeenCause, SeenCauses, Spot, Under, WindowDiagnosis, asked_any, diagnoses};
pub use nights::{CauseLine, CauseNight, Night, lines};
pub use side::PhonesAsked;

/// The least that is there, and the least difference that is a change, ms of hitch per second of motion. Every app has
/// crumbs of innocent locks and calls below it.
pub const LEAST: f64 = 1.0;
/// What a cause that is not there may still be of what it is elsewhere: crumbs of it.
pub const CRUMBS: f64 = 0.1;
/// What a cause must be times what it was, to have grown; and the other way round.
pub const FACTOR: f64 = 1.5;
/// What a difference must be of the deviation that chance alone gives it.
pub const SIGMAS: f64 = 3.0;
/// How probable it must be that a run missed a cause by chance, for its being new or gone to be in doubt.
pub const DOUBTFUL: f64 = 0.01;

/// The chance that speaks against a cause being new or gone, where it is [`DOUBTFUL`] or more.
pub fn doubt(chance: Option<f64>) -> Option<f64> {
    chance.filter(|chance| *chance >= DOUBTFUL)
}

/// What became of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It was not there in a diagnosis that would have shown it: less than [`LEAST`], and [`CRUMBS`] of it at most.
    New,
    /// It was gone before, and is there again.
    Back,
    /// More than before, and more than chance explains.
    Grown,
    /// Less than before, and less than chance explains.
    Shrunk,
    /// As before, as far as can be told.
    Known,
    /// It was there, and a diagnosis that would show it does not.
    Gone,
}

impl State {
    /// In the order of reports.
    pub const ALL: [State; 6] =
        [State::New, State::Back, State::Grown, State::Known, State::Shrunk, State::Gone];

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            State::New => "new",
            State::Back => "back",
            State::Grown => "grown",
            State::Shrunk => "shrunk",
            State::Known => "known",
            State::Gone => "gone",
        }
    }
}
