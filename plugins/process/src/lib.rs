//! Plugins that are programs of their own: one JSON object per line on their standard input and output
//! (docs/plugins.md).
//!
//! [`protocol`] has the messages, [`session`] is who may say what when and how much of it: lines in, values out.
//! [`talk`] leads the conversation over a [`Pipe`], [`reporter`] is a plugin as one of the run's reporters, [`hooks`]
//! asks it before and after jobs and trials, [`metrics`] about windows, [`lending`] has phones of it, [`check`] plays a
//! recorded run to one and says which rules it keeps. Must not know: processes, files, clocks, threads; a [`Pipe`] is
//! handed in.
//!
//! ```
//! use farmjank_process::session::{Session, Told};
//!
//! let mut session = Session::default();
//! let hello = br#"{"plugin":"hello","protocol":1,"offers":["reporter"]}"#;
//! assert_eq!(session.hear(hello), Ok(Told::Nothing));
//! let early = session.hear(br#"{"plugin":"done"}"#).expect_err("nobody asked");
//! assert_eq!(early.to_string(), "it said `done` before it was asked to conclude");
//! ```

pub mod check;
mod file_name;
pub mod hooks;
pub mod lending;
pub mod limits;
pub mod metrics;
mod misdeed;
mod pipe;
#[cfg(test)]
mod played_pipe;
pub mod protocol;
pub mod reporter;
pub mod session;
pub mod talk;
mod values;

pub use misdeed::Misdeed;
pub use pipe::{Backlog, Exit, Heard, Parting, Pipe};
