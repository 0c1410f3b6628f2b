//! Frame sources: what phones print about their frames, read and sampled.
//!
//! ```
//! use farmjank_frames::{kind, read_auto};
//!
//! // What a phone printed says itself what it is.
//! let text = b"16666667\n1000\t100016666667\t2000\n1000\t100033333334\t2000\n";
//! let (source, rings) = read_auto(text, None).map_err(|why| why.words().to_owned())?;
//! let (_, dump) = &rings[0];
//! assert_eq!(dump.period.map(|period| period.ns()), Some(16_666_667));
//! assert_eq!(dump.rows.len(), 2);
//! # Ok::<(), String>(())
//! ```
//!
//! Two sources implement [`FrameSource`](farmjank_seams::source::FrameSource): [`SurfaceFlinger`] (present fences of
//! any app's layers) and [`Gfxinfo`] (render stages of HWUI windows). Each is a pure reader of one kind of text plus a
//! thin [`SamplingLoop`](farmjank_seams::sampling_loop::SamplingLoop): a shell loop that stamps its dumps with the
//! phone's clock. Reading never depends on the phone that printed: formats of Android 7 to 16 are told apart by their
//! own text. Times are integer nanoseconds on the phone's CLOCK_MONOTONIC, stamps are on its CLOCK_BOOTTIME.

pub mod frametimeline;
pub mod ftrace;
pub mod gfxinfo;
pub mod logcat;
mod recognise;
mod refusal;
pub mod registry;
pub mod resources;
pub mod rhythm;
pub mod stacks;
pub mod surfaceflinger;
pub mod text;
pub mod timestats;

pub use frametimeline::FrameTimeline;
pub use gfxinfo::{Gfxinfo, read_clock};
pub use logcat::Logcat;
pub use recognise::{Text, Torn, counters, kind, read_auto, read_frameless, read_text, torn};
pub use resources::Resources;
pub use surfaceflinger::SurfaceFlinger;
pub use timestats::TimeStats;
