//! Frame sources: what phones print about their frames, read and sampled.
//!
//! Two sources implement [`FrameSource`](farmjank_seams::source::FrameSource): [`SurfaceFlinger`] (present fences of any
//! app's layers) and [`Gfxinfo`] (render stages of HWUI windows). Each is a pure reader of one kind of text plus a thin
//! [`Tap`](farmjank_seams::source::Tap): a shell loop that stamps its dumps with the phone's clock. Reading never
//! depends on the phone that printed: formats of Android 7 to 16 are told apart by their own text.
//! Times are integer nanoseconds on the phone's CLOCK_MONOTONIC, stamps are on its CLOCK_BOOTTIME.

pub mod frametimeline;
pub mod gfxinfo;
mod intake;
pub mod logcat;
mod marks;
mod recognise;
mod refusal;
pub mod rhythm;
pub mod surfaceflinger;
mod tap;
pub mod text;
pub mod timestats;

pub use frametimeline::FrameTimeline;
pub use gfxinfo::{Gfxinfo, read_clock};
pub use logcat::Logcat;
pub use recognise::{Text, Torn, counters, kind, read_auto, read_frameless, read_text, torn};
pub use surfaceflinger::SurfaceFlinger;
pub use timestats::TimeStats;
