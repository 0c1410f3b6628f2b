//! The folder of a run, opened and read: for the tool itself, and for programs of other people.
//!
//! ```
//! use farmjank_bundle::reader::BundleReader;
//! // Every window of a run on every phone: its verdict, and its frame rate in each trial or why there is none.
//! for window in BundleReader::open("../../results/tests/run".as_ref()).windows()? {
//!     let fps: Vec<_> = window.trials.iter().map(|trial| &trial.readings["fps"]).collect();
//!     println!("{} on {:?}: {:?}, {fps:?}", window.window, window.device, window.verdict);
//! #   assert!(window.window == "fling the feed" && fps[0].value().is_some_and(|fps| fps > 100.0));
//! }
//! # Ok::<(), farmjank_results::file_error::FileError>(())
//! ```
//!
//! The frames of a window are [`BundleReader::frames`](reader::BundleReader::frames). What a run means is in
//! `farmjank_results`, which knows no files: whoever has the bytes of a log from elsewhere begins there, with
//! [`Record::read_ndjson`](farmjank_results::record::Record::read_ndjson).
//!
//! A bundle may come from a stranger: what is read of it is bounded, and lies inside it (docs/limits.md, "Files"). Must
//! not know: what is written into a bundle and how, phones, scenarios, reports.

pub mod packed;
pub mod reader;
pub mod reading;
pub mod windows;
