//! What the kernel's tracer and the marks of apps say in a Perfetto trace: threads' states, slices, binder calls, lock
//! contention, clock rates, reclaim, and what was lost.
//!
//! [`FtraceReader`] takes a trace piece by piece and hands out [`Fact`]s as soon as nothing older can come. It holds
//! what is open and what waits to be put in order, never the trace. Times are ns of CLOCK_BOOTTIME, the tracer's own
//! clock; of traces on another clock nothing is read. States and slices are what Perfetto's own reader makes of the
//! same bytes.

mod around;
mod batch;
mod binder;
mod bundle;
mod compact;
mod event;
mod explain;
mod mark;
mod order;
mod probe;
mod processes;
mod reader;
mod scan;
mod slices;
mod states;
mod stats;

pub use around::Around;
pub use explain::{Explain, Methods};
pub use farmjank_causes::fact::Fact;
pub use farmjank_causes::threads::Threads;
pub use probe::CauseTrace;
pub use reader::{FtraceReader, Unusable};
pub use scan::{Scan, Scanned};
pub use stats::Losses;
