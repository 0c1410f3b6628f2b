//! The folder of a run, opened and read: for the tool itself, and for programs of other people.
//!
//! ```
//! use farmjank_bundle::reader::BundleReader;
//! use farmjank_results::cells;
//!
//! // Every window of a run on every phone: its verdict, and its frame rate in each trial or why there is none.
//! let record = BundleReader::open("../../results/tests/run".as_ref()).record()?;
//! for job in record.jobs.values() {
//!     for cell in cells::of_job(&record, job) {
//!         let trials = cells::measured(job, &cell.window);
//!         let fps: Vec<_> = trials.iter().map(|(_, window)| &window.readings["fps"]).collect();
//!         println!("{} on {:?}: {:?}, {fps:?}", cell.window, cell.device, cell.verdict);
//! #       assert!(cell.window == "fling the feed" && fps[0].value().is_some_and(|fps| fps > 100.0));
//!     }
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
