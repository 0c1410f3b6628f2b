//! From call stacks of the main thread to why it was held up: what a profiler such as simpleperf saw, cut where main
//! had nothing to do, named by the app's own methods, added up as everything here is (docs/causes.md, "Call stacks").
//!
//! Pure: a [`Recording`] comes in as plain values, whoever read it. Stacks name the code; they do not know frames, so
//! what comes out of them alone are stalls. Those a tracer took beside its other events ([`Looks`]) name what these
//! leave open (docs/causes.md, "Methods in a trace").

mod issues;
mod key;
mod key_stack;
mod looks;
mod name;
mod pieces;
mod recording;
mod spent;
mod stretch;
mod weighed;

pub use issues::{Inside, Issue, of_issues};
pub use key::Key;
pub use looks::{Look, Looks};
pub use name::{is_idle, is_platform, method};
pub use pieces::{Doing, Piece, pieces};
pub use recording::{Call, Main, Recording, Sample, Seen};
pub use stretch::{Rules, stalls};
pub use weighed::weighed;
