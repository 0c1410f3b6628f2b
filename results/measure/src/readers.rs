//! Who reads evidence: the readers of sources and probes, handed in by who knows them.

use farmjank_results::frame::SourceId;
use farmjank_results::reader::{DumpReader, ProbeReader};
use std::rc::Rc;

/// Every reader at hand.
#[derive(Clone, Default)]
pub struct Readers {
    /// Of dumps.
    pub dumps: Vec<Rc<dyn DumpReader>>,
    /// Of what probes said.
    pub probes: Vec<Rc<dyn ProbeReader>>,
}

impl Readers {
    /// The reader of dumps of a source.
    ///
    /// # Errors
    /// In words, when there is none.
    pub fn of(&self, source: SourceId) -> Result<&dyn DumpReader, String> {
        let reader = self.dumps.iter().find(|reader| reader.id() == source);
        reader.map(|reader| &**reader).ok_or_else(|| format!("evidence of {source} cannot be read here"))
    }
}
