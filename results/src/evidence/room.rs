//! How much evidence may unfold to. A bundle comes with a ticket, from anyone: a few bytes of it say "these lines
//! again", and would fill any memory if they were believed.
//!
//! The figures are in docs/limits.md, "Bundles", with what real runs need beside them.

use super::EvidenceError;

/// Most lines of one dump. The longest dumps are logs of 5000 lines.
pub(super) const DUMP_LINES: usize = 1 << 20;
/// Most bytes of one dump. Sampling keeps at most 1 MiB of one.
pub(super) const DUMP_BYTES: usize = 64 << 20;
/// What a dump costs beside its text, bytes.
pub(super) const EACH: u64 = 256;
/// What a line that is repeated costs beside its text, bytes.
pub(super) const LINE: usize = 8;
/// Bytes that one window's files unfold to at most.
const WINDOW: u64 = 512 << 20;
/// Bytes that a file may unfold to whatever its size.
const FILE: u64 = 1 << 20;
/// The same of all files of a bundle together.
const BUNDLE: u64 = 256 << 20;
/// How many times its size a file may unfold to. A still screen, dumped again and again, comes to some hundreds.
const TIMES: u64 = 1024;

pub(super) const A_DUMP: &str = "64 MiB or a million lines in one dump";
const A_FILE: &str = "512 MiB or 1024 times its size";
const A_BUNDLE: &str = "1024 times the bundle's size in all";

/// How many bytes there is room for.
#[derive(Clone, Debug)]
pub struct Room {
    left: u64,
    of: &'static str,
}

impl Room {
    /// For a file, or the files of one window together, of so many bytes.
    pub fn of_file(bytes: u64) -> Room {
        Room { left: bytes.saturating_mul(TIMES).saturating_add(FILE).min(WINDOW), of: A_FILE }
    }

    /// For a whole bundle whose files have so many bytes, each counted once.
    pub fn of_bundle(bytes: u64) -> Room {
        Room { left: bytes.saturating_mul(TIMES).saturating_add(BUNDLE), of: A_BUNDLE }
    }

    /// Lets so many bytes in.
    ///
    /// # Errors
    /// [`EvidenceError::TooMuch`]: there is no room for them.
    pub fn take(&mut self, bytes: u64) -> Result<(), EvidenceError> {
        self.left = self.left.checked_sub(bytes).ok_or(EvidenceError::TooMuch(self.of))?;
        Ok(())
    }

    /// Runs something in a part of the room, and takes from the whole what that took.
    ///
    /// # Errors
    /// What `work` says, or there is no room left in the whole.
    pub fn within<T, E: From<EvidenceError>>(
        &mut self,
        part: Room,
        work: impl FnOnce(&mut Room) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut inner = if part.left < self.left { part } else { self.clone() };
        let before = inner.left;
        let done = work(&mut inner);
        self.take(before - inner.left)?;
        done
    }
}
