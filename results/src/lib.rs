//! What farmjank knows: time, frames, windows, metrics, verdicts, events. Pure: no I/O, no async, no clock.
//!
//! ```
//! use farmjank_results::{cells, record::Record};
//! # let log = include_bytes!("../tests/run/events.ndjson");
//! // What became of every window of a run on every phone, by the bytes of its log.
//! let (record, _) = Record::read_ndjson(log)?;
//! for cell in record.jobs.values().flat_map(|job| cells::of_job(&record, job)) {
//!     println!("{} on {:?}: {:?}", cell.window, cell.device, cell.verdict);
//! #   assert_eq!(cell.window, "fling the feed");
//! }
//! # Ok::<(), farmjank_results::journal::BadLog>(())
//! ```
//!
//! ```
//! use farmjank_results::frame::{Row, Sample, Stamp};
//! use farmjank_results::stitch::{Stitch, StitchRules};
//! use farmjank_results::time::DeviceTime;
//!
//! // A ring shows the newest frames only. Two dumps of it overlap, and so nothing between them can be missing.
//! let vsync = |nth: i64| DeviceTime::from_ns(1_000_000_000 + nth * 16_666_667);
//! let row = |nth: i64| Row {
//!     desired: Some(vsync(nth)),
//!     present: Stamp::At(vsync(nth)),
//!     ready: Some(vsync(nth)),
//!     intended: None,
//! };
//! let dump = |frames: std::ops::Range<i64>| Sample { rows: frames.map(row).collect(), capacity: 127, ..Sample::default() };
//!
//! let mut ring = Stitch::new(StitchRules::default());
//! ring.add(&dump(0..100));
//! ring.add(&dump(60..160));
//! let timeline = ring.finish();
//! assert_eq!((timeline.frames.len(), timeline.gaps.len()), (160, 0));
//! assert_eq!(timeline.periods.at(vsync(80)).map(|period| period.ns() / 1_000), Some(16_666));
//! ```
//!
//! Read in this order: [`time`], [`device`], [`dump`] (raw text, and its [`reader`]) → [`frame`] (rows of one dump) →
//! [`timeline`] and [`period`] (frames in order, by [`stitch`] and [`fit`]) → [`window`] (its [`motion`]s cut, by
//! [`cut`] and its [`cut_rules`]), with what other probes say beside it ([`side_reading`]: [`framestats`],
//! [`frame_timeline`], [`timestats`], [`logcat_events`]) → [`metric`] and [`metrics`] (readings; those of other people:
//! [`plugin_metric`]) → [`threshold`] (limits and judgements) → [`verdict`], [`compare`] (sessions of a [`cell`]
//! against those of a baseline), [`trend`] (night after night), [`suggest`] (limits an unchanged build keeps),
//! [`lab_health`] (phones day by day), and [`event`] / [`record`] (the run as a stream of facts), with the verdict of
//! every window on every phone ([`cells`]) and what its readings come to ([`summary`]). How a value is written for
//! people: [`words`].

pub mod around;
pub mod bundle_files;
pub mod busy;
pub mod cause_life;
pub mod cause_selector;
pub mod cell;
pub mod cells;
pub mod compare;
pub mod counterfactual;
mod coverage;
pub mod cross;
pub mod cut;
pub mod cut_rules;
pub mod device;
mod divided;
pub mod dump;
pub mod estimate;
pub mod event;
pub mod evidence;
mod excuse;
pub mod failure;
pub mod fault;
mod fault_code;
pub mod file_error;
mod first_frame;
pub mod fit;
pub mod frame;
pub mod frame_lanes;
pub mod frame_log;
pub mod frame_timeline;
pub mod framestats;
pub mod gate;
mod held;
pub mod held_stacks;
pub mod hitch_causes;
pub mod iteration_time;
pub mod journal;
pub mod judge;
pub mod lab_health;
mod lattice;
pub mod laws;
mod limit;
pub mod logcat_events;
pub mod metric;
pub mod metric_key;
pub mod metrics;
pub mod motion;
pub mod moved;
pub mod owners;
pub mod pace;
mod path;
pub mod patterns;
mod pauses;
mod pending;
pub mod period;
mod planned_job;
pub mod plugin_metric;
pub mod plugin_readings;
pub mod prepared;
pub mod quarantine;
pub mod reader;
pub mod readings;
pub mod record;
pub mod recovery;
pub mod rerun;
pub mod resources;
mod schedule;
pub mod shards;
pub mod side_reading;
mod slow_end;
pub mod stall;
pub mod stitch;
pub mod suggest;
pub mod summary;
pub mod threshold;
pub mod time;
pub mod timeline;
pub mod timestats;
pub mod touch;
pub mod tracing_cost;
pub mod trend;
mod trial_record;
pub mod turn;
mod uncertain;
pub mod untold;
pub mod verdict;
pub mod window;
pub mod window_causes;
pub mod words;
