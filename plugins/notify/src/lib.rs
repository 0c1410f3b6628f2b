//! Who is told of a run: one comment on a pull request that is kept up to date ([`pull_request`]), a check run on a
//! commit ([`check_run`]), and chats, which get
//! one message of what changed ([`chats`]), as letters do ([`mail`]).
//!
//! Read in this order: [`news`] (what a run says that the one before did not), [`kept`] (the one before) → [`message`]
//! (the same words for all) → [`chats`] (what each is sent, and how it is signed). All of it is built from values; it
//! is sent through [`World`], with retries within a time that is given ([`Talk`]). Must not know: files, the
//! environment, clocks, printing, connections; what a report looks like.
//!
//! ```
//! use farmjank_notify::{Comment, Order};
//!
//! let own = Comment { key: "gate".to_owned(), page: "## pass\n".to_owned(), ..Comment::default() };
//! assert_eq!(own.body(), "<!-- farmjank:gate -->\n## pass\n");
//! assert!(own.is_it(&own.body()) && Order { run: 9, attempt: 1 } > Order { run: 8, attempt: 2 });
//! ```

pub mod chats;
pub mod check_run;
mod comment;
pub mod kept;
pub mod mail;
pub mod message;
pub mod news;
pub mod pull_request;
pub mod repository;
mod sign;
mod world;

pub use comment::{Comment, Order};
pub use world::{Talk, Undelivered, World};
