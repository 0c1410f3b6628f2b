//! Conducts a run. Knows the seams and the pure crates, never a concrete plugin.
//!
//! Read in this order: [`conduct`] (a run), or [`lab_shards`] (a simulated one on several threads) → `job_runner` (its
//! jobs) → [`dispatch`] (which job when, pure) → [`job`] and [`trial`] (one job, one pass) → [`perform`] (one step)
//! beside [`observe`] and [`collect`] (frames) → `measure` (frames to readings, by [`farmjank_measure`]).

mod ab_job;
pub mod android;
pub mod announce;
pub mod builds;
pub mod collect;
pub mod conduct;
pub mod device_session;
pub mod dispatch;
mod faults;
pub mod job;
mod job_runner;
pub mod lab_shards;
mod ledger;
pub mod log;
mod measure;
pub mod observe;
pub mod patience;
pub mod perform;
pub mod permits;
pub mod probes;
pub mod progress;
pub mod prove;
mod screens;
pub mod scribe;
mod slug;
pub mod still;
pub mod stop;
pub mod survey;
mod thumbnail;
pub mod touched;
pub mod trial;
