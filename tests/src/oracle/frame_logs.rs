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

/// How long the tool says that nobody knows what came after the last present of a window, ns; 0 where it says nothing
/// of it.
pub fn unanswered(frame_log: &FrameLog, last: i64) -> i64 {
    let at = u64::try_from((last - frame_log.origin.ns() + 500).div_euclid(1_000)).unwrap_or(0);
    let bar = frame_log.bars.last().filter(|bar| bar.what == What::Uncounted(Why::Ambiguous));
    let bar = bar.filter(|bar| bar.from_us.abs_diff(at) <= CLOSE_US);
    bar.map_or(0, |bar| bar.length_us as i64 * 1_000)
}
