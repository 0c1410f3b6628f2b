//! Every source and every probe, in one list each. Who asks a phone is who reads its evidence again: nobody can be
//! asked whose words `--rejudge` does not understand.
//!
//! Must not know: scenarios, the command line.

use crate::ftrace::Methods;
use crate::{FrameTimeline, Gfxinfo, Logcat, Resources, SurfaceFlinger, TimeStats};
use farmjank_results::frame::SourceId;
use farmjank_results::reader::{DumpReader, ProbeReader};
use farmjank_seams::probe::Probe;
use farmjank_seams::source::FrameSource;
use std::rc::Rc;

/// Every source, best first. `layer` pins what SurfaceFlinger is asked for; `seed` makes the marks around dumps.
pub fn sources(layer: Option<String>, seed: u64) -> Vec<Rc<dyn FrameSource>> {
    vec![Rc::new(SurfaceFlinger::new(layer, seed)), Rc::new(Gfxinfo::new(seed))]
}

/// The source of this kind alone; every source where none is pinned, or where a probe is: its numbers are held against
/// the rings, which are read all the same.
pub fn sources_pinned(
    layer: Option<String>,
    seed: u64,
    pinned: Option<SourceId>,
) -> Vec<Rc<dyn FrameSource>> {
    let mut all = sources(layer, seed);
    if let Some(pinned) = pinned.filter(|pinned| all.iter().any(|source| source.id() == *pinned)) {
        all.retain(|source| source.id() == pinned);
    }
    all
}

/// Every probe, in the order they are asked at both ends of trials and windows.
pub fn probes() -> Vec<Rc<dyn Probe>> {
    probes_telling(Methods::default())
}

/// The same, telling methods so where it is asked why frames are late.
pub fn probes_telling(methods: Methods) -> Vec<Rc<dyn Probe>> {
    vec![
        Rc::new(FrameTimeline { methods }),
        Rc::new(TimeStats),
        Rc::new(Logcat::default()),
        Rc::new(Resources::default()),
    ]
}

/// The sources, as readers of kept dumps.
pub fn dump_readers() -> Vec<Rc<dyn DumpReader>> {
    sources(None, 0).into_iter().map(|source| source as Rc<dyn DumpReader>).collect()
}

/// The probes, as readers of what they were told.
pub fn probe_readers() -> Vec<Rc<dyn ProbeReader>> {
    probes().into_iter().map(|probe| probe as Rc<dyn ProbeReader>).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(pinned: Option<SourceId>) -> Vec<SourceId> {
        sources_pinned(None, 0, pinned).iter().map(|source| source.id()).collect()
    }

    #[test]
    fn a_pinned_ring_is_read_alone_and_beside_a_pinned_probe_all_rings_are() {
        let all = [SourceId::SurfaceFlinger, SourceId::Gfxinfo];
        assert_eq!(ids(None), all);
        assert_eq!(ids(Some(SourceId::Gfxinfo)), [SourceId::Gfxinfo]);
        for probe in probes() {
            assert_eq!(ids(Some(probe.id())), all);
        }
    }

    #[test]
    fn everybody_has_a_kind_of_its_own() {
        let mut kinds = ids(None);
        kinds.extend(probes().iter().map(|probe| probe.id()));
        for (nth, kind) in kinds.iter().enumerate() {
            assert!(
                !kinds[..nth].contains(kind),
                "two of {kind}: evidence of one would be read by the other"
            );
        }
    }
}
