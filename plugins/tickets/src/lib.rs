//! Tickets for causes of late frames: which to open, comment, reopen and close, and how that is said to GitHub, GitLab
//! and Jira.
//!
//! A ticket is known by a marker in its body, and only tickets with it are ever touched. [`plan`](plan::plan) is pure:
//! causes of a run, what became of them and the tickets there are → steps, each with its reason. [`Driver`] reads the
//! tickets and takes the steps through [`Outside`], with retries in bounds; after a write whose answer was lost it
//! looks again before it writes a second time. Must not know: files, the environment, clocks, printing, connections.
//!
//! ```
//! use farmjank_tickets::text::{Dialect, Line, ours, theirs, written};
//!
//! // What a phone says mentions nobody.
//! let line = Line::of(vec![ours("held by "), theirs("@all `now`")]);
//! assert_eq!(written(&[line], Dialect::Markdown), "held by `@all ˋnowˋ`");
//! ```

pub mod build;
pub mod cause;
mod driver;
pub mod journal;
pub mod life;
pub mod marker;
mod opened;
mod outside;
pub mod plan;
pub mod post;
pub mod report;
pub mod rules;
mod steps;
mod talk;
pub mod targets;
pub mod text;
pub mod ticket;
mod words;

pub use driver::{Driver, Ended, Taken};
pub use outside::{Answer, Lost, Method, Outside, Request, Trouble};
pub use words::TITLE;
