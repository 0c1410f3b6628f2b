//! Which beliefs held: pure functions of a phone's answers and dumps, one file for each kind of belief.

mod agree;
mod clock;
mod cost;
mod period;
mod ring;
mod rows;
mod touch;

use super::{Belief, Held, Proof, Stamps};
use farmjank_results::dump::Dump;
use farmjank_results::frame::{Sample, SourceId};
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::{ClockMap, DeviceTime};
use farmjank_results::timeline::FrameTimeline;
use farmjank_seams::source::FrameSource;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A proof, read.
struct Case<'a> {
    proof: &'a Proof,
    /// The offset of the clocks at the beginning; none when it was not told.
    clock: Option<ClockMap>,
    /// Dumps of rings, each with what our reader makes of it.
    rings: Vec<(&'a Dump, Vec<Sample>)>,
    /// Dumps of framestats.
    stats: Vec<(&'a Dump, Vec<Sample>)>,
    /// The layer whose frames moved most, and its frames.
    list: Option<(String, FrameTimeline)>,
}

/// What this phone says to everything we believe. `sources` read its dumps.
pub fn judge(proof: &Proof, sources: &[Rc<dyn FrameSource>]) -> Vec<Belief> {
    let clock = proof.answers.clocks.first().copied();
    let read = |id: SourceId| {
        let source = sources.iter().find(move |source| source.id() == id);
        let dumps = proof.dumps.iter().filter(move |dump| dump.source == id);
        let samples = move |dump: &Dump| {
            let read = source.and_then(|source| source.read(dump, clock).ok());
            read.unwrap_or_default().into_iter().map(|(_, sample)| sample).collect::<Vec<Sample>>()
        };
        dumps.map(move |dump| (dump, samples(dump))).collect::<Vec<_>>()
    };
    let (rings, stats) = (read(SourceId::SurfaceFlinger), read(SourceId::Gfxinfo));
    let list = list(proof, &rings);
    let case = Case { proof, clock, rings, stats, list };
    [clock::beliefs, ring::beliefs, period::beliefs, touch::beliefs, agree::beliefs, cost::beliefs]
        .iter()
        .flat_map(|kind| kind(&case))
        .collect()
}

/// Whether nothing we believe is wrong on this phone.
pub fn all_held(beliefs: &[Belief]) -> bool {
    beliefs.iter().all(|belief| belief.held != Held::No)
}

/// The layer whose frames moved most.
fn list(proof: &Proof, rings: &[(&Dump, Vec<Sample>)]) -> Option<(String, FrameTimeline)> {
    let modes: Vec<f64> = proof.answers.phone.modes.iter().map(|mode| mode.hz).collect();
    let mut stitches: BTreeMap<&str, Stitch> = BTreeMap::new();
    for (dump, samples) in rings {
        for sample in samples {
            let fresh = || Stitch::new(StitchRules { modes: modes.clone(), pins: Vec::new() });
            stitches.entry(dump.target.as_str()).or_insert_with(fresh).add(sample);
        }
    }
    let timelines = stitches.into_iter().map(|(name, stitch)| (name.to_owned(), stitch.finish()));
    timelines
        .max_by_key(|(_, timeline)| timeline.frames.len())
        .filter(|(_, timeline)| !timeline.frames.is_empty())
}

impl Case<'_> {
    /// Two stamps on the clock of frames, widened by what is not known of it.
    fn on_clock(&self, stamps: Stamps) -> Option<(DeviceTime, DeviceTime)> {
        let clock = self.clock?;
        Some((
            clock.to_device(stamps.asked) - clock.uncertainty,
            clock.to_device(stamps.answered) + clock.uncertainty,
        ))
    }

    /// The swipes on the clock of frames.
    fn swipes(&self) -> Vec<(DeviceTime, DeviceTime)> {
        self.proof.answers.swipes.iter().filter_map(|swipe| self.on_clock(swipe.around)).collect()
    }
}

/// The middle of some numbers; none of none.
fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// Smallest, middle and largest in words.
fn spread(numbers: &[f64]) -> String {
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match median(numbers.to_vec()) {
        Some(middle) => format!("{middle:.0} ms ({least:.0} to {most:.0}, {} times)", numbers.len()),
        None => "never".to_owned(),
    }
}
