//! The lines around those that `grep` wants: `-A`, `-B`, `-C`.

use std::collections::VecDeque;

/// Lines around matches, as they go by.
pub(super) struct Around {
    above: usize,
    below: usize,
    held: VecDeque<Vec<u8>>,
    /// Lines to come that still belong to the last match.
    left: usize,
    /// Something was printed, and then lines were passed over.
    printed: bool,
    skipped: bool,
}

impl Around {
    /// So many lines above a match and below it.
    pub(super) fn new(above: usize, below: usize) -> Around {
        Around { above, below, held: VecDeque::new(), left: 0, printed: false, skipped: false }
    }

    /// Lines of the last match are still to come.
    pub(super) fn follows(&self) -> bool {
        self.left > 0
    }

    /// A line that does not match: answered when it is printed below a match.
    pub(super) fn missed(&mut self, row: impl FnOnce() -> Vec<u8>) -> Option<Vec<u8>> {
        if self.left > 0 {
            self.left -= 1;
            return Some(row());
        }
        if self.above == 0 {
            self.skipped = true;
            return None;
        }
        self.held.push_back(row());
        if self.held.len() > self.above {
            self.held.pop_front();
            self.skipped = true;
        }
        None
    }

    /// A line matches: what is printed before it.
    pub(super) fn found(&mut self) -> Vec<u8> {
        let apart = self.printed && self.skipped && self.above + self.below > 0;
        let mut rows = if apart { b"--\n".to_vec() } else { Vec::new() };
        rows.extend(self.held.drain(..).flatten());
        (self.left, self.printed, self.skipped) = (self.below, true, false);
        rows
    }
}
