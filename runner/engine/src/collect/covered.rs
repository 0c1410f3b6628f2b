//! Which of the targets of a loop were seen after a window's end.

use farmjank_results::dump::Dump;
use farmjank_results::time::BootTime;
use std::collections::BTreeMap;

/// The targets that were looked at, and whether nothing of them is missing.
#[derive(Default)]
pub(super) struct Covered(BTreeMap<String, bool>);

impl Covered {
    /// Whether every target has been asked about after the end, with no frame still on its way, now that this dump is
    /// in.
    pub(super) fn by(&mut self, dump: &Dump, ended: BootTime, pending: bool, targets: &[String]) -> bool {
        let settled = dump.asked.is_some_and(|asked| asked > ended) && !pending;
        self.0.insert(dump.target.clone(), settled);
        targets.iter().all(|target| self.0.get(target) == Some(&true))
    }
}
