//! Requests to systems of other people: what is sent and answered ([`Request`], [`Answer`]), when it is tried again
//! ([`again`]), and the one door through which it goes ([`door`]); and letters, through a door of their own ([`mail`]).
//!
//! Must not know: what is said to whom, files, the environment, printing, which system it is. Times are in seconds
//! since 1970 unless a type says otherwise.
//!
//! ```
//! use farmjank_requests::{Answer, again};
//!
//! let headers = vec![("retry-after".to_owned(), "7".to_owned())];
//! let busy = Answer { status: 429, headers, ..Answer::default() };
//! assert_eq!((again::is_limit(&busy), again::asked_wait(&busy, 0)), (true, Some(7)));
//! ```

pub mod again;
pub mod door;
mod exchange;
mod letter;
pub mod mail;

pub use exchange::{Answer, Lost, Method, Request};
pub use letter::{Letter, NotTaken};
