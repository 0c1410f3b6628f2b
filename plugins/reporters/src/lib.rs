//! Reporters: a recorded run in, text and files out. Pure: the same record gives the same bytes.
//!
//! ```
//! use farmjank_reporters::{Options, by_name, clean, names};
//!
//! for name in names() {
//!     assert!(by_name(name, &mut Options::default()).is_some(), "{name}");
//! }
//! assert!(by_name("junti", &mut Options::default()).is_none());
//! // What a phone calls itself is shown, and colours nobody's terminal.
//! assert_eq!(clean::ascii_line("\u{1b}[31mPixel 8\nfailed", clean::NAME), r"\u{1b}[31mPixel 8\nfailed");
//! ```
//!
//! Read in this order: [`clean`] (hostile text) → [`cells`] (a record, laid out) → [`words`], [`sentence`] and
//! `change` (the same words in all) → [`paint`] (looks) → [`junit`], [`json`], [`openmetrics`], [`markdown`],
//! [`github`], [`gitlab`], [`table`], [`html`] (what a finished run leaves), [`side_by_side`] (several runs),
//! [`comparison`] (against a baseline), [`history`] (a history), [`suggested`] (limits to set), [`lab_health`] (phones
//! over days), [`one_run`] (one run in some lines), [`show`] and [`barcode`] (one cell) → [`console`], [`lanes`] and
//! [`live`] (what a run shows as it goes). Nothing here opens a file, reads a clock or asks the environment; only
//! [`live`] draws, on a target it is handed.

mod absent;
pub mod barcode;
pub mod cause_life;
pub mod caused;
pub mod cells;
mod change;
pub mod clean;
pub mod comparison;
pub mod console;
pub mod ending;
pub mod github;
pub mod gitlab;
pub mod history;
pub mod html;
pub mod json;
pub mod junit;
pub mod lab_health;
pub mod lanes;
pub mod live;
pub mod markdown;
pub mod one_run;
pub mod openmetrics;
pub mod paint;
pub mod plots;
mod quarantined;
mod registry;
mod rerun;
pub mod sentence;
pub mod show;
pub mod side_by_side;
pub mod stacked;
mod story;
pub mod suggested;
pub mod table;
mod used;
mod why;
pub mod words;

pub use registry::{Options, bundled, by_name, documents, names, registry};
