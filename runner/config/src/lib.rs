//! `farmjank.toml`: what a repository says of its runs. Text and environment in, values with their origin out. Must not
//! know files, flags' library, phones.
//!
//! ```
//! use farmjank_config::{Config, Told, settle};
//! use std::collections::BTreeMap;
//!
//! let text = "[default]\niterations = 3\n\n[profile.gate]\nretries = 1\n";
//! let config = Config::read("farmjank.toml", text.as_bytes(), "").expect("it is right");
//! let flags = BTreeMap::new();
//! let told = Told {
//!     flags: &flags,
//!     env: &|name| (name == "FARMJANK_ITERATIONS").then(|| "7".to_owned()),
//!     takes: &|key| ["iterations", "retries"].contains(&key.name),
//!     conflicts: &|_, _| false,
//!     built_in: &|_| None,
//! };
//! let settled = settle(Some(&config), Some("gate"), &told).expect("the profile is there");
//! let words = settled.settings.iter().map(|one| one.origin.words("farmjank.toml"));
//! assert_eq!(words.collect::<Vec<_>>(), ["environment, FARMJANK_ITERATIONS", "profile gate, farmjank.toml:5"]);
//!
//! let complaints = Config::read("farmjank.toml", b"[default]\niteration = 3\n", "").expect_err("no such key");
//! assert_eq!(complaints[0].instead, "write `iterations`");
//! ```
//!
//! [`key`] is the one table of what can be said; it drives the reader, the JSON [`schema`](schema::schema) and the
//! names of variables alike.

pub mod key;
mod merge;
mod read;
pub mod schema;
#[cfg(test)]
mod tests;
mod value;

pub use merge::{NotSettled, Origin, Setting, Settled, Told, settle};
pub use read::{Config, FILE_BYTES};
pub use value::Value;
