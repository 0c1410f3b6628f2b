//! Where hitches fall in a window, as one line of blocks: time from left to right, height by how late frames were.
//!
//! Made from the frame logs of a cell's trials, on one axis of time that begins with the first motion. Must not know:
//! colours, files. A frame log that is missing or damaged is no frame log: nothing is drawn rather than something
//! wrong.

use crate::cells::Cell;
use crate::story::trial_words;
use crate::words;
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame_log::{FrameLog, What};
use farmjank_results::record::TrialRecord;
use farmjank_results::window::Why;
use farmjank_seams::reporter::FrameLogs;

/// Heights, from a frame on time to one that came more than 32 vsyncs late.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Most vsyncs late of each height but the last.
const STEPS: [u32; 7] = [0, 1, 2, 4, 8, 16, 32];

/// The frames of one trial of a cell.
pub struct Frames<'a> {
    /// The trial.
    pub trial: &'a TrialRecord,
    /// Its window.
    pub window: &'a WindowMeasured,
    /// Its frames.
    pub frame_log: FrameLog,
}

/// The frames of every trial of a cell that were kept and can be read, warm-ups included.
pub fn frames<'a>(cell: &Cell<'a>, frame_logs: &dyn FrameLogs) -> Vec<Frames<'a>> {
    let read = |(trial, window): &(&'a TrialRecord, &'a WindowMeasured)| {
        let bytes = frame_logs.frame_log(window.frame_log.as_deref()?)?;
        let frame_log = FrameLog::decode(&bytes).ok().filter(|frame_log| !frame_log.bars.is_empty())?;
        Some(Frames { trial, window, frame_log })
    };
    cell.measured.iter().filter_map(read).collect()
}

impl Frames<'_> {
    /// Whether its numbers count.
    pub fn counted(&self) -> bool {
        self.trial.counted && self.window.void.is_none()
    }

    /// Where it ends, µs since its origin.
    pub(crate) fn ends_us(&self) -> u64 {
        self.frame_log.bars.last().map_or(0, |bar| bar.to_us())
    }
}

/// One stretch of the line.
#[derive(Clone, Copy, Default)]
struct Bin {
    seen: bool,
    late: u32,
    lost: bool,
}

/// The line of these frame logs over one another, `cells` characters for `ends_us` µs. A blank where nothing was due,
/// `?` where frames may be missing.
pub fn barcode(frame_logs: &[&FrameLog], ends_us: u64, cells: usize) -> String {
    let mut bins = vec![Bin::default(); cells];
    let bin =
        |us: u64| ((u128::from(us) * cells as u128 / u128::from(ends_us.max(1))) as usize).min(cells - 1);
    for bar in frame_logs.iter().flat_map(|frame_log| &frame_log.bars) {
        // A bar that ends where a stretch begins is not in it.
        for bin in &mut bins[bin(bar.from_us)..=bin(bar.to_us().saturating_sub(1).max(bar.from_us))] {
            match bar.what {
                What::Frame => (bin.seen, bin.late) = (true, bin.late.max(bar.late())),
                What::Uncounted(Why::Idle) => {}
                What::Uncounted(Why::Ambiguous | Why::Gap) => bin.lost = true,
            }
        }
    }
    bins.iter().map(block).collect()
}

fn block(bin: &Bin) -> char {
    match bin {
        bin if bin.late == 0 && bin.lost => '?',
        bin if !bin.seen => ' ',
        bin => BLOCKS[STEPS.iter().filter(|most| bin.late > **most).count()],
    }
}

/// The latest frame of counted trials: vsyncs late, µs since the origin, trial.
pub fn worst<'f, 'a>(all: &'f [Frames<'a>]) -> Option<(u32, u64, &'f Frames<'a>)> {
    let mut worst: Option<(u32, u64, &Frames)> = None;
    for frames in all.iter().filter(|frames| frames.counted()) {
        for bar in frames.frame_log.bars.iter().filter(|bar| bar.late() > 0) {
            if worst.is_none_or(|(late, ..)| bar.late() > late) {
                worst = Some((bar.late(), bar.from_us, frames));
            }
        }
    }
    worst
}

/// The line of a cell's counted trials, and its worst frame in words; none where no frames were kept.
pub fn hitches(cell: &Cell, frame_logs: &dyn FrameLogs, cells: usize) -> Option<(String, String)> {
    let mut all = frames(cell, frame_logs);
    all.retain(Frames::counted);
    let ends = all.iter().map(Frames::ends_us).max()?;
    let words = match worst(&all) {
        Some((late, at, one)) => {
            let trial = trial_words(cell.job, one.trial.trial);
            format!("{} of {trial}", late_words(late, at))
        }
        None => "no frame was late".to_owned(),
    };
    let of_all: Vec<&FrameLog> = all.iter().map(|one| &one.frame_log).collect();
    Some((barcode(&of_all, ends, cells), words))
}

/// `worst 5 vsyncs late at 1.2 s`.
pub(crate) fn late_words(late: u32, at_us: u64) -> String {
    let vsyncs = words::several(late, "vsync", "vsyncs");
    format!("worst {vsyncs} late at {:.1} s", at_us as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::frame_log::Bar;
    use farmjank_results::motion::Phase;
    use farmjank_results::time::DeviceTime;
    use proptest::prelude::*;

    fn frame_log(bars: &[(u64, u64, u32, What)]) -> FrameLog {
        let bar = |(from_us, length_us, vsyncs, what): &(u64, u64, u32, What)| Bar {
            from_us: *from_us,
            length_us: *length_us,
            what: *what,
            phase: Phase::Fling,
            period_ns: 16_666_667,
            vsyncs: *vsyncs,
            cadence: 1,
            owner: None,
            stage: None,
        };
        FrameLog { origin: DeviceTime::from_ns(0), bars: bars.iter().map(bar).collect() }
    }

    #[test]
    fn height_is_lateness_and_place_is_time() {
        let frame = What::Frame;
        let gap = What::Uncounted(Why::Gap);
        let idle = What::Uncounted(Why::Idle);
        let one = frame_log(&[
            (0, 10, 1, frame),
            (10, 10, 2, frame),
            (20, 10, 0, gap),
            (30, 10, 0, idle),
            (40, 20, 6, frame),
            (60, 10, 99, frame),
            (70, 10, 1, frame),
        ]);
        assert_eq!(barcode(&[&one], 80, 8), "▁▂? ▅▅█▁");
        assert_eq!(barcode(&[&one], 160, 8), "▂?▅█    ");
        assert_eq!(barcode(&[], 80, 3), "   ");
    }

    proptest! {
        #[test]
        fn every_late_frame_is_seen_and_nothing_else(
            late in proptest::collection::vec(0_u32..40, 1..60),
            cells in 1usize..50,
        ) {
            let bars: Vec<_> = (0..).zip(&late).map(|(at, late)| (at * 7, 7, 1 + late, What::Frame)).collect();
            let line = barcode(&[&frame_log(&bars)], 7 * late.len() as u64, cells);
            prop_assert_eq!(line.chars().count(), cells);
            let highest = late.iter().max().map(|late| block(&Bin { seen: true, late: *late, lost: false }));
            prop_assert_eq!(line.chars().max(), highest);
        }
    }
}
