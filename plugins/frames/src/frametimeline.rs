//! SurfaceFlinger's frame timeline, through a Perfetto trace recorded on the phone (Android 12 and newer).
//!
//! [`read_trace`] reads a trace file: of every frame of every app it tells when it was expected, when it was shown, and
//! what SurfaceFlinger holds against it. [`FrameTimeline`] records one around a trial. Decoding is a walk over protobuf
//! fields, packet by packet; times are integer ns on the phone's CLOCK_MONOTONIC, whatever clock the trace uses.

pub(crate) mod clocks;
mod events;
pub(crate) mod framing;
mod gather;
mod inflate;
mod join;
mod of_app;
mod packet;
mod probe;
pub(crate) mod recorder;
mod trace;
pub(crate) mod wire;

pub(crate) use of_app::frames_of;
pub use probe::FrameTimeline;
pub use trace::{Trace, TraceReader, read_trace};
