//! Who reads evidence: the readers of sources and probes, handed in by who knows them.

use farmjank_results::frame::SourceId;
use farmjank_results::reader::{DumpReader, ProbeReader};
use std::rc::Rc;

/// Nobody here reads dumps of this source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("evidence of {0} cannot be read here")]
pub struct NoReader(pub SourceId);

/// Every reader at hand.
#[derive(Clone, Default)]
pub struct Readers {
    /// Of dumps.
    pub dumps: Vec<Rc<dyn DumpReader>>,
    /// Of what probes said.
    pub probes: Vec<Rc<dyn ProbeReader>>,
}

impl Readers {
    /// The reader of what a probe says, if the source is one.
    pub(crate) fn probe(&self, source: SourceId) -> Option<&dyn ProbeReader> {
        self.probes.iter().find(|probe| probe.id() == source).map(|probe| &**probe)
    }

    /// The reader of dumps of a source.
    ///
    /// # Errors
    /// [`NoReader`] of it.
    pub fn of(&self, source: SourceId) -> Result<&dyn DumpReader, NoReader> {
        let reader = self.dumps.iter().find(|reader| reader.id() == source);
        reader.map(|reader| &**reader).ok_or(NoReader(source))
    }
}
