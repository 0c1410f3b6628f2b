//! Where bytes are put aside that memory need not hold. Must not know: files, what is put aside.

use farmjank_results::file_error::FileError;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// A block before it is packed, bytes. Twice as much of a list is in memory, and its last entry.
pub const BLOCK: usize = 64 << 10;

/// Where bytes are put aside that memory need not hold, as long as this process lives.
pub trait Spill {
    /// Puts bytes aside; where they lie.
    ///
    /// # Errors
    /// There is no room, or no place.
    fn put(&self, bytes: &[u8]) -> Result<u64, FileError>;

    /// So many bytes from there.
    ///
    /// # Errors
    /// They cannot be read back.
    fn get(&self, at: u64, many: usize) -> Result<Vec<u8>, FileError>;
}

/// Memory, for tests.
#[derive(Debug, Default)]
pub struct InMemory(RefCell<Vec<u8>>);

impl Spill for InMemory {
    fn put(&self, bytes: &[u8]) -> Result<u64, FileError> {
        let mut all = self.0.borrow_mut();
        let at = all.len() as u64;
        all.extend_from_slice(bytes);
        Ok(at)
    }

    fn get(&self, at: u64, many: usize) -> Result<Vec<u8>, FileError> {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        Ok(self.0.borrow().iter().skip(at).take(many).copied().collect())
    }
}

/// Where lists put their older parts, and in blocks of how many bytes.
#[derive(Clone)]
pub struct Aside {
    spill: Rc<dyn Spill>,
    block: usize,
}

impl Aside {
    /// There, in blocks of this size before they are packed.
    pub fn new(spill: Rc<dyn Spill>, block: usize) -> Aside {
        Aside { spill, block }
    }

    pub(crate) fn spill(&self) -> &dyn Spill {
        &*self.spill
    }

    pub(crate) fn block(&self) -> usize {
        self.block
    }
}

impl fmt::Debug for Aside {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "aside in blocks of {}", self.block)
    }
}
