//! What our questions cost the phone, against what they may.

use super::{Case, median, spread};
use crate::prove::{Belief, Stamps};
use farmjank_results::dump::Dump;
use farmjank_results::frame::Sample;

/// A cycle of dumps may take this share of the longest pause that loses nothing: the rest of the rhythm is pause.
const RING_SHARE: f64 = 0.4;
/// A dump of framestats holds the app up: at rest, and no longer than this, ms.
const FRAMESTATS_MS: f64 = 500.0;
/// The dispatcher's dump, ms.
const EVENTS_MS: f64 = 500.0;

pub fn beliefs(case: &Case<'_>) -> Vec<Belief> {
    let answers = &case.proof.answers;
    let events =
        answers.swipes.iter().filter_map(|swipe| swipe.events.as_ref().map(|(stamps, _)| stamps.ms()));
    let ring = times(&case.rings);
    vec![
        belief(
            "cost.ring",
            "a dump of a ring is short against the time the ring lasts",
            ring,
            answers.longest_ms * RING_SHARE,
        ),
        belief(
            "cost.framestats",
            "a dump of framestats is over in the pause after a fling",
            times(&case.stats),
            FRAMESTATS_MS,
        ),
        belief(
            "cost.input",
            "the dispatcher's last events are told in the pause after a fling",
            events.collect(),
            EVENTS_MS,
        ),
    ]
}

fn times(dumps: &[(&Dump, Vec<Sample>)]) -> Vec<f64> {
    let took = |dump: &Dump| Some(Stamps { asked: dump.asked?, answered: dump.answered? }.ms());
    dumps.iter().filter_map(|(dump, _)| took(dump)).collect()
}

fn belief(key: &'static str, what: &str, took: Vec<f64>, most: f64) -> Belief {
    match median(took.clone()) {
        None => Belief::untold(key, what, "it was not told on this phone"),
        Some(middle) => {
            Belief::of(key, what, middle <= most, format!("{}; at most {most:.0} ms", spread(&took)))
        }
    }
}
