//! Stutter windows: about 100 ms around a long frame, reported when their frame rate is below 50.
//!
//! What: a frame over 33.3 ms opens a window; frames are added until they last 99.6 ms or more and the next one is
//! below 17 ms, or the segment ends; windows never overlap. Formula: `stutter_windows` takes lengths as L P and reports
//! where 6 m < 5 sum L (below 50 on the scale of 60 Hz); `stutter_windows_seed` takes d and reports where m / sum d <
//! 50. Parts: `start` (ms after the first counted frame of the measured window began), `frames`, `ms`, `fps` (frames /
//! ms), `max_ms`; `fps_60eq` for the first. Unit: ms. Better: lower (fewer). Needs: every frame (and the period).
//! Since: Android 7. Source: docs/design/metrics.md#stutter-windows.

use super::sums::{counted, in_vsyncs};
use crate::metric::{Better, Cell, Metric, Needs, Reading, Unit};
use crate::window::Interval;
use std::collections::BTreeMap;

/// A longer frame opens a window, ns (strictly).
const OPENS_NS: i128 = 33_300_000;
/// A window lasts at least this long, ns; six frames of 16.6 ms.
const LASTS_NS: i128 = 99_600_000;
/// A shorter frame ahead closes it, ns (strictly).
const CLOSES_NS: i128 = 17_000_000;

/// One window, reported or not.
struct Spell {
    start_ns: i64,
    frames: u64,
    ns: i128,
    vsyncs: u128,
    longest_ns: i128,
}

impl Spell {
    fn below_fifty(&self) -> bool {
        i128::from(self.frames) * 1_000_000_000 < 50 * self.ns
    }

    fn below_fifty_of_sixty(&self) -> bool {
        6 * u128::from(self.frames) < 5 * self.vsyncs
    }

    fn parts(&self) -> BTreeMap<String, Cell> {
        let parts = [
            ("start", self.start_ns as f64 / 1e6),
            ("frames", self.frames as f64),
            ("ms", self.ns as f64 / 1e6),
            ("fps", self.frames as f64 * 1e9 / self.ns as f64),
            ("max_ms", self.longest_ns as f64 / 1e6),
        ];
        parts.map(|(name, number)| (name.to_owned(), Cell::Number(number))).into()
    }
}

/// Every window of every segment, with lengths read this way.
fn spells(frames: &[Interval], length: fn(&Interval) -> i128) -> Vec<Spell> {
    let mut found: Vec<Spell> = Vec::new();
    let Some(origin) = frames.first().map(|first| first.from) else { return found };
    for segment in frames.chunk_by(|one, next| one.segment == next.segment) {
        let mut open: Option<Spell> = None;
        for frame in segment {
            let ns = length(frame);
            if let Some(done) = open.take_if(|spell| spell.ns >= LASTS_NS && ns < CLOSES_NS) {
                found.push(done);
            }
            if open.is_none() && ns > OPENS_NS {
                let start_ns = (frame.from - origin).ns();
                open = Some(Spell { start_ns, frames: 0, ns: 0, vsyncs: 0, longest_ns: 0 });
            }
            if let Some(spell) = &mut open {
                spell.frames += 1;
                spell.ns += ns;
                spell.vsyncs += u128::from(frame.vsyncs);
                spell.longest_ns = spell.longest_ns.max(ns);
            }
        }
        found.extend(open);
    }
    found
}

fn default(frames: &[Interval]) -> Reading {
    let whole = |frame: &Interval| i128::from(frame.vsyncs) * i128::from(frame.period.ns());
    let found = spells(frames, whole);
    let told = |spell: &Spell| {
        let mut parts = spell.parts();
        let sixty = 60.0 * spell.frames as f64 / spell.vsyncs as f64;
        parts.insert("fps_60eq".to_owned(), Cell::Number(sixty));
        parts
    };
    Reading::Table(found.iter().filter(|spell| spell.below_fifty_of_sixty()).map(told).collect())
}

fn seed(frames: &[Interval]) -> Reading {
    let found = spells(frames, |frame| i128::from(frame.length.ns()));
    Reading::Table(found.iter().filter(|spell| spell.below_fifty()).map(Spell::parts).collect())
}

/// On whole vsyncs.
pub(crate) static STUTTER_WINDOWS: Metric = Metric {
    key: "stutter_windows",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "stretches of about 100 ms around a long frame that ran below 50 fps on a 60 Hz scale",
    formula: "from L P > 33.3 ms until sum L P >= 99.6 ms and the next L P < 17 ms; listed if 60 frames / sum L < 50",
    since: 7,
    origin: "The stutter frame rate of an app monitoring team, which looks at the worst moments instead of the mean: \
        each is listed with its start (ms after the first counted frame began), frames, ms, fps, longest frame, and \
        fps_60eq, the rate on a 60 Hz scale that is held against 50. Lengths are whole refreshes, so that the jitter of \
        fences decides nothing: a single missed refresh at 60 Hz is never listed, a frame of 50 ms always. With raw \
        lengths and rates it is stutter_windows_seed. PerfDog's Stutter is perfdog_stutter_pct, another thing.",
    measure: |window| in_vsyncs(window).map_or_else(Reading::from, default),
};

/// On raw lengths.
pub(crate) static STUTTER_WINDOWS_SEED: Metric = Metric {
    key: "stutter_windows_seed",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "stretches of about 100 ms around a long frame that ran below 50 fps, on raw lengths",
    formula: "from d > 33.3 ms until sum d >= 99.6 ms and the next d < 17 ms; listed if frames / sum d < 50 fps",
    since: 7,
    origin: "The published definition of the stutter frame rate, literally. One missed refresh at 60 Hz lands exactly on \
        its limits, so microseconds decide whether it is listed, and panels faster than 60 Hz are rarely listed at all: \
        stutter_windows mends both. Parts: start (ms after the first counted frame began), frames, ms, fps, max_ms.",
    measure: |window| counted(window).map_or_else(Reading::from, seed),
};
