//! Frames and stalls that are asked about, and a trace: what threads did around them, charged. A trace goes through in
//! pieces; what is held grows with them, never with it.

use super::reader::{FtraceReader, Unusable};
use super::stats::Losses;
use farmjank_causes::frame::Frame;
use farmjank_causes::inquiry::{Found, Inquiry};
use farmjank_causes::stacks::Looks;
use farmjank_causes::stall::Stall;
use farmjank_causes::threads::Threads;
use std::rc::Rc;

/// Said of every late frame and stall of a trace that lost events nobody knows where.
const OVERWRITTEN: &str =
    "the kernel overwrote events before they were read, nobody knows where: record it with larger buffers";

/// Looks around frames and stalls.
pub struct Around {
    inquiry: Inquiry,
    reader: FtraceReader,
}

impl Around {
    /// These frames, late ones and those in time, and these stalls; `threads` are those a [`Scan`](super::Scan) of the
    /// same trace met.
    pub fn of(frames: Vec<Frame>, stalls: Vec<Stall>, threads: Threads) -> Around {
        Around { inquiry: Inquiry::of(frames, stalls), reader: FtraceReader::knowing(threads) }
    }

    /// The same, with looks at threads' calls, as a [`Scan`](super::Scan) of the same trace found them.
    pub fn beside(self, looks: Rc<Looks>) -> Around {
        Around { inquiry: self.inquiry.beside(looks), ..self }
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

    /// What every late frame and stall is charged to, and what the trace lacks.
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
