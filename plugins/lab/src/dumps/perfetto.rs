//! Perfetto: the text config a phone is given, and the trace file it writes (docs/design/trace.md#recording).
//!
//! The file is written from the truth, so it cannot disagree with what else the phone prints. Times are ns on
//! CLOCK_MONOTONIC unless a name says otherwise. Must not know commands, processes' lives or shells.

mod capture;
pub mod config;
mod deflate;
mod fields;
mod frames;
mod kernel;
mod processes;
mod proto;
mod ring;
mod service;
mod trace;

pub(super) use kernel::{Moment, Was, moments};

pub use capture::Capture;
pub use config::Config;
pub use trace::trace;

/// Process id of SurfaceFlinger.
pub(crate) const SURFACEFLINGER_PID: u32 = 588;
/// The data source of frames.
pub(crate) const FRAMETIMELINE: &str = "android.surfaceflinger.frametimeline";
/// The data source of processes.
pub(crate) const PROCESS_STATS: &str = "linux.process_stats";
/// The data source of the kernel's events.
pub(crate) const FTRACE: &str = "linux.ftrace";
