//! How much evidence may unfold to. A bundle comes with a ticket, from anyone: a few bytes of it say "these lines
//! again", and would fill any memory if they were believed.
//!
//! The figures are in docs/limits.md, "Bundles", with what real runs need beside them.

use super::EvidenceError;

/// Most lines of one dump. The longest dumps are logs of 5000 lines.
pub(super) const DUMP_LINES: usize = 1 << 17;
/// Most bytes of one dump. Sampling keeps at most 1 MiB of one; a log may have long lines.
pub(super) const DUMP_BYTES: usize = 16 << 20;
/// What a dump costs beside its text, bytes.
pub(super) const EACH: u64 = 256;
/// What a ring costs that a dump shows: its stamps are kept, whether it shows anything new or not; bytes.
const RING: u64 = 256;
/// What a ring costs that no dump showed before: what is kept for it from one dump to the next, and what becomes of it
/// at the end; bytes.
const NEW_RING: u64 = 8 << 10;
/// What a line costs beside its text, bytes: a row of a ring is that large once it is read.
pub(super) const LINE: usize = 64;
/// What the last dumps of all targets may have together, bytes, lines counted too: each may be asked for again. Real
/// windows have a few layers, each with a dump of some kilobytes.
pub(super) const HELD: u64 = 64 << 20;
/// Bytes that one window's files may unfold to where [`TIMES`] allow it…
const WINDOW: u64 = 512 << 20;
/// … and how many times their size in any case: where every dump shows something new, each line stands in two or three.
const ALWAYS: u64 = 16;
/// Bytes that a file may unfold to whatever its size.
const FILE: u64 = 1 << 20;
/// The same of all files of a bundle together.
const BUNDLE: u64 = 256 << 20;
/// How many times its size a file may unfold to. A still screen, dumped again and again, comes to some hundreds.
const TIMES: u64 = 512;
/// Frames that a window may have beside one for each line that is new in its evidence.
const FRAMES: u64 = 10_000;

pub(super) const A_DUMP: &str = "16 MiB or 131072 lines in one dump";
pub(super) const A_LAST: &str = "64 MiB in the last dumps of all layers";
const A_FILE: &str = "512 times its size, or 512 MiB";
const A_BUNDLE: &str = "512 times the bundle's size in all";
const NEW: &str = "a frame for each new line";

/// How many bytes there is room for.
#[derive(Clone, Debug)]
pub struct Room {
    left: u64,
    of: &'static str,
    /// Lines that were new in what was read so far.
    fresh: u64,
}

impl Room {
    /// For a file, or the files of one window together, of so many bytes.
    pub fn of_file(bytes: u64) -> Room {
        let most = WINDOW.max(bytes.saturating_mul(ALWAYS));
        Room { left: bytes.saturating_mul(TIMES).saturating_add(FILE).min(most), of: A_FILE, fresh: 0 }
    }

    /// For a whole bundle, of whose files none was seen yet.
    pub fn of_bundle() -> Room {
        Room { left: BUNDLE, of: A_BUNDLE, fresh: 0 }
    }

    /// One more file of the bundle, of so many bytes, unpacked: each is counted once.
    pub fn widen(&mut self, bytes: u64) {
        self.left = self.left.saturating_add(bytes.saturating_mul(TIMES));
    }

    /// Lets so many bytes in.
    ///
    /// # Errors
    /// [`EvidenceError::TooMuch`]: there is no room for them.
    pub fn take(&mut self, bytes: u64) -> Result<(), EvidenceError> {
        self.left = self.left.checked_sub(bytes).ok_or(EvidenceError::TooMuch(self.of))?;
        Ok(())
    }

    /// Takes note of lines that were new.
    pub(super) fn note(&mut self, lines: usize) {
        self.fresh += lines as u64;
    }

    /// Takes note of a ring that a dump shows, known from an earlier one or not.
    ///
    /// # Errors
    /// [`EvidenceError::TooMuch`]: there is no room for it.
    pub fn ring(&mut self, known: bool) -> Result<(), EvidenceError> {
        self.take(if known { RING } else { NEW_RING })
    }

    /// Whether a window may show so many frames. A frame that is shown was printed once at least, and its line was new
    /// then; frames that come of lines said again are made up.
    ///
    /// # Errors
    /// [`EvidenceError::TooMuch`]: there were not as many new lines.
    pub fn allow(&self, frames: usize) -> Result<(), EvidenceError> {
        match frames as u64 > self.fresh + FRAMES {
            true => Err(EvidenceError::TooMuch(NEW)),
            false => Ok(()),
        }
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
        let mut inner = if part.left < self.left { part } else { Room { fresh: 0, ..self.clone() } };
        let before = inner.left;
        let done = work(&mut inner);
        self.take(before - inner.left)?;
        done
    }
}
