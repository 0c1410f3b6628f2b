//! Drop levels: how bad the late frames are, in five classes.
//!
//! What: every frame falls into Best, Normal, Middle, High or Frozen by how many refreshes it missed. Formula: D = L -
//! 1 against 3, 9, 24, 42: in device frames, or on the scale of 60 Hz (D 60 >= k nominal Hz). Unit: count, five of
//! them. Better: lower (but for the first). Needs: every frame and the period. Since: Android 7. Source:
//! docs/design/metrics.md#levels (Matrix's classes).

use super::sums::in_vsyncs;
use crate::lattice::NOMINAL_HZ;
use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::window::{Interval, Window};

/// Fewest missed refreshes of Normal, Middle, High and Frozen.
const LEVELS: [i128; 4] = [3, 9, 24, 42];
/// A panel this near, in percent, to a rate that panels have runs at that rate.
const NOMINAL_PERCENT: i128 = 3;
const SECOND_NS: i128 = 1_000_000_000;

/// The nominal rate of a period as a fraction of Hz: the nearest rate within 3 %, else what the period says.
fn nominal(period: i64) -> (i128, i128) {
    let period = i128::from(period);
    let off = |hz: i64| (SECOND_NS - i128::from(hz) * period).abs();
    let nearest = NOMINAL_HZ.into_iter().min_by_key(|hz| off(*hz));
    match nearest.filter(|hz| off(*hz) * 100 <= NOMINAL_PERCENT * i128::from(*hz) * period) {
        Some(hz) => (i128::from(hz), 1),
        None => (SECOND_NS, period),
    }
}

fn levels(window: &Window, level: impl Fn(&Interval) -> usize) -> Reading {
    match in_vsyncs(window) {
        Ok(frames) => {
            let mut counts = [0u64; LEVELS.len() + 1];
            frames.iter().for_each(|frame| counts[level(frame)] += 1);
            Reading::List(counts.map(|count| count as f64).to_vec())
        }
        Err(why) => why.into(),
    }
}

/// How many levels are reached.
fn reached(reaches: impl Fn(i128) -> bool) -> usize {
    LEVELS.into_iter().take_while(|level| reaches(*level)).count()
}

fn dropped(frame: &Interval) -> i128 {
    i128::from(frame.vsyncs.saturating_sub(1))
}

fn on_sixty(frame: &Interval) -> usize {
    let missed = dropped(frame);
    // Most frames miss nothing: no need to know the panel for them.
    if missed == 0 {
        return 0;
    }
    let (hz, per) = nominal(frame.period.ns());
    reached(|level| (missed * 60).saturating_mul(per) >= level * hz)
}

/// On the 60 Hz scale.
pub(crate) static DROP_LEVELS60: Metric = Metric {
    key: "drop_levels60",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "frames by how late they were: best, normal (50 ms), middle (150), high (400), frozen (700)",
    formula: "counts of D 60 / Hz in [0, 3), [3, 9), [9, 24), [24, 42), [42, ..); Hz: the panel's nominal rate",
    since: 7,
    origin: "The classes of Matrix (Tencent), counted in refreshes of 60 Hz on every panel, so that Frozen is 700 ms \
        late everywhere; in refreshes of the panel itself it is matrix_levels. The nominal rate is the nearest of the \
        rates panels have (24 to 240 Hz) within 3 %. Matrix itself measures frames of the app's main thread; these are \
        presents on the screen.",
    measure: |window| levels(window, on_sixty),
};

/// In device frames.
pub(crate) static MATRIX_LEVELS: Metric = Metric {
    key: "matrix_levels",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "frames by refreshes missed, as Matrix classes them: best, normal (3), middle (9), high (24), frozen (42)",
    formula: "counts of D in [0, 3), [3, 9), [9, 24), [24, 42), [42, ..)",
    since: 7,
    origin: "The classes of Matrix (Tencent) taken literally, in refreshes of the panel: Frozen begins 700 ms late at \
        60 Hz but 350 ms late at 120 Hz. To compare phones read drop_levels60. Matrix itself measures frames of the \
        app's main thread; these are presents on the screen.",
    measure: |window| levels(window, |frame| reached(|level| dropped(frame) >= level)),
};
