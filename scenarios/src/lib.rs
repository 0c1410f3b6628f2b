//! What farmjank wants: YAML text → [`scenario::Scenario`]s or complaints → a plan. Sync and pure.
//!
//! Three stages. [`read`](mod@read): text in, scenarios out, or every [`complaint`] of every file at once. The checked
//! [`scenario`]s are made of [`step`]s and [`gesture`]s, and say with a [`requirement`] which phones qualify.
//! [`plan`](mod@plan): scenarios × phones become jobs in a stable order. [`vocabulary`] is the one table of commands and
//! keys; it drives the reader and the JSON [`schema`] for editors alike.
//!
//! Text in, values out: files that a scenario runs are fetched through [`read::Sources`], which the caller provides.

pub mod complaint;
pub mod gesture;
mod keycode;
mod node;
pub mod plan;
pub mod read;
pub mod requirement;
pub mod scenario;
pub mod schema;
mod source;
pub mod step;
pub mod vocabulary;
pub mod windows;
mod yaml;
