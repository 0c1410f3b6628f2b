//! A log that is made of the bundles of shards: the facts are theirs, and what is decided over all of them is decided
//! as at the end of a run.

use crate::conduct::{Against, close};
use crate::scribe::{Scribe, Voice};
use farmjank_results::record::Record;
use farmjank_results::shards::merge::Merged;
use farmjank_results::time::RunTime;
use farmjank_seams::host::Files;
use farmjank_seams::reporter::Reporter;
use std::rc::Rc;

/// What merging needs.
pub struct MergeSetup {
    /// What the shards told.
    pub merged: Merged,
    /// The bundle; evidence is there already.
    pub files: Rc<dyn Files>,
    /// Where text for people goes.
    pub voice: Rc<dyn Voice>,
    /// Who is told.
    pub reporters: Vec<Box<dyn Reporter>>,
    /// What all of it is held against.
    pub against: Option<Box<Against>>,
}

/// Writes the merged log and has it judged and reported; the record's exit code is that of the whole.
pub fn write(setup: MergeSetup) -> Record {
    let MergeSetup { merged: Merged { facts, interrupted, nothing, .. }, files, voice, reporters, against } =
        setup;
    let scribe = Scribe::new(files, voice, reporters);
    let mut last = RunTime::from_ns(0);
    for told in facts {
        last = told.at;
        scribe.put_of(told.at, told.shard, told.fact);
    }
    close(&scribe, last, interrupted, nothing, against.as_deref().filter(|_| !nothing));
    scribe.take_record()
}
