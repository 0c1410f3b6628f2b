//! What the tool made of the time between two presents, by the frame log it kept of the window: so that the truth can
//! be asked whether it may.

use farmjank_results::frame_log::{Bar, FrameLog, What};
use farmjank_results::window::Why;

/// What the tool made of a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// All of it is a frame.
    Frame,
    /// None of it is: nothing was due.
    Rest,
    /// None of it is: nobody knows.
    Doubt,
    /// Its end is a frame of so many refreshes.
    End(u32),
}

/// Instants of a frame log are whole µs.
const CLOSE_US: u64 = 2;

/// What a frame log shows from one present to the next; none where it shows neither frame nor rest.
pub fn made(frame_log: &FrameLog, from: i64, to: i64) -> Option<Made> {
    let micros = |at: i64| u64::try_from((at - frame_log.origin.ns() + 500).div_euclid(1_000)).ok();
    let (from, to) = (micros(from)?, micros(to)?);
    let first = frame_log.bars.partition_point(|bar| bar.from_us + CLOSE_US < from);
    let bar = frame_log.bars.get(first).filter(|bar| bar.from_us <= from + CLOSE_US)?;
    let ends = |bar: &Bar| bar.to_us().abs_diff(to) <= CLOSE_US;
    match (bar.what, ends(bar)) {
        (What::Frame, true) => Some(Made::Frame),
        (What::Uncounted(Why::Idle), true) => Some(Made::Rest),
        (What::Uncounted(Why::Ambiguous), true) => Some(Made::Doubt),
        (What::Uncounted(Why::Idle), false) => {
            let next = frame_log.bars.get(first + 1).filter(|next| next.what == What::Frame && ends(next))?;
            Some(Made::End(next.vsyncs))
        }
        _ => None,
    }
}
