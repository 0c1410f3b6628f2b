//! Bundles of shards in memory, merged as the program merges them.

use crate::memory::{Ear, Memory};
use farmjank_engine::merged::{MergeSetup, write};
use farmjank_engine::scribe::LOG;
use farmjank_results::event::Event;
use farmjank_results::record::Record;
use farmjank_results::shards::merge::{Bundle, NotMerged, merge};
use farmjank_seams::host::Files;
use std::rc::Rc;

/// Merges bundles, called `0`, `1` and so on.
///
/// # Errors
/// They are not of one plan, or contradict each other.
pub fn merged(bundles: &[&Memory]) -> Result<(Record, Rc<Memory>), NotMerged> {
    let read = |bundle: &&Memory| Record::read_ndjson(&bundle.read(LOG)).expect("a lawful log");
    let logs: Vec<(Record, Vec<Event>)> = bundles.iter().map(read).collect();
    let names: Vec<String> = (0..bundles.len()).map(|number| number.to_string()).collect();
    let named = names.iter().zip(&logs);
    let given: Vec<Bundle> = named.map(|(name, (record, events))| Bundle { name, record, events }).collect();
    let merged = merge(&given)?;
    let files = Rc::new(Memory::keeping(true));
    for (path, number) in &merged.evidence {
        Files::write(&*files, path, &bundles[*number].read(path)).expect("memory takes it");
    }
    let reporters = farmjank_reporters::registry(farmjank_reporters::Options::default());
    let voice = Rc::new(Ear::default());
    let record = write(MergeSetup { merged, files: files.clone(), voice, reporters, against: None });
    Ok((record, files))
}
