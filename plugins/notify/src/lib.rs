//! Who is told of a run: one comment on a pull request that is kept up to date ([`pull_request`]).
//!
//! What is said is built from values; it is sent through [`World`], with retries within a time that is given
//! ([`Talk`]). Must not know: files, the environment, clocks, printing, connections; what a report looks like.
//!
//! ```
//! use farmjank_notify::{Comment, Order};
//!
//! let own = Comment { key: "gate".to_owned(), page: "## pass\n".to_owned(), ..Comment::default() };
//! assert_eq!(own.body(), "<!-- farmjank:gate -->\n## pass\n");
//! assert!(own.is_it(&own.body()) && Order { run: 9, attempt: 1 } > Order { run: 8, attempt: 2 });
//! ```

mod comment;
pub mod pull_request;
mod world;

pub use comment::{Comment, Order};
pub use world::{Talk, Undelivered, World};
