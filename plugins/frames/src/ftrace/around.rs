//! Frames that are asked about, and a trace: what threads did around them, charged. A trace goes through in pieces;
//! what is held grows with the frames, never with it.

use super::reader::{FtraceReader, Unusable};
use super::stats::Losses;
use farmjank_causes::frame::Frame;
use farmjank_causes::inquiry::{Found, Inquiry};
use farmjank_causes::threads::Threads;

/// Said of every late frame of a trace that lost events nobody knows where.
const OVERWRITTEN: &str =
    "the kernel overwrote events before they were read, nobody knows where: record it with larger buffers";

/// Looks around frames.
pub struct Around {
    inquiry: Inquiry,
    reader: FtraceReader,
}

impl Around {
    /// These frames, late ones and those in time; `threads` are those a [`Scan`](super::Scan) of the same trace met.
    pub fn frames(frames: Vec<Frame>, threads: Threads) -> Around {
        Around { inquiry: Inquiry::about(frames), reader: FtraceReader::knowing(threads) }
    }

    /// Takes the next bytes of the trace.
    pub fn feed(&mut self, piece: &[u8]) {
        let Around { inquiry, reader } = self;
        reader.feed(piece, &mut |_, fact| inquiry.take(&fact));
        if let Some(reached) = reader.reached().filter(|reached| inquiry.ready(*reached)) {
            let mut known = inquiry.known();
            reader.all_open(&mut |_, fact| known.take(&fact));
            inquiry.look(known, reached, reader.threads());
        }
    }

    /// What every late frame is charged to, and what the trace lacks.
    ///
    /// # Errors
    /// [`Unusable`]: it holds nothing of threads.
    pub fn finish(self) -> Result<(Found, Losses), Unusable> {
        let Around { mut inquiry, reader } = self;
        let (losses, threads) = reader.finish(&mut |_, fact| inquiry.take(&fact))?;
        let lost = (!losses.overrun.is_empty()).then_some(OVERWRITTEN);
        Ok((inquiry.finish(&threads, lost), losses))
    }
}
