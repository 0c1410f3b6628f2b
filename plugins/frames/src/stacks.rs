//! Recordings of call stacks: what simpleperf writes (`perf.data`), what its `report-sample --protobuf` makes of it,
//! and method traces of ART, read into a [`Recording`] of main threads; those a Perfetto trace holds beside its other
//! events ([`TracedStacks`]); and slow methods that apps tell of themselves ([`matrix`]). Formats and traps:
//! docs/causes.md, "Call stacks".
//!
//! The files say what was on a phone and how long everything is: no length in them is believed before it is held
//! against what is there.

mod art;
mod attributes;
mod beside;
mod bytes;
mod interned;
mod maps;
pub mod matrix;
mod of_trace;
mod perf;
mod recorder;
mod report_sample;
mod retrace;
mod simpleperf;

use farmjank_causes::stacks::Recording;
use thiserror::Error;

pub use beside::BesideTrace;
pub(crate) use of_trace::SDK;
pub use of_trace::{Beside, TracedStacks};
pub(crate) use recorder::{FILE as BESIDE, companion, sweep};
pub use retrace::retrace;

/// Most calls of one stack that are kept: the innermost.
const DEEPEST: usize = 512;
/// Most different stacks that are kept.
const STACKS: u32 = 4_000_000;

/// Why a recording cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unread {
    /// It ends before what it says of itself.
    #[error("it is cut off or damaged: {0}")]
    Damaged(&'static str),
    /// It is of a kind that is not read.
    #[error("{0}")]
    Unknown(&'static str),
    /// It holds nothing of a main thread.
    #[error(
        "it holds no stack of a main thread: record the app's process, as in `simpleperf record --app PKG -e cpu-clock \
         -f 1000 -g --trace-offcpu --duration 10`"
    )]
    Empty,
}

/// Whether a file that begins so is a recording of call stacks.
pub fn is_recording(start: &[u8]) -> bool {
    [perf::MAGIC, report_sample::MAGIC, art::HEAD, art::MAGIC].iter().any(|magic| start.starts_with(magic))
}

/// Reads a recording. Names are as the phone's symbols have them: [`retrace`] gives back those of the source.
///
/// # Errors
/// It is damaged, of another kind, or holds no main thread.
pub fn read(file: &[u8]) -> Result<Recording, Unread> {
    let begins = |magic| file.starts_with(magic);
    let mut recording = if begins(report_sample::MAGIC) {
        report_sample::read(file)?
    } else if begins(art::HEAD) || begins(art::MAGIC) {
        art::read(file)?
    } else {
        perf::read(file)?
    };
    recording.mains.retain(|_, main| !main.samples.is_empty());
    if recording.mains.is_empty() {
        return Err(Unread::Empty);
    }
    recording.sort();
    Ok(recording)
}
