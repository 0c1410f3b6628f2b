//! Cadence: the pace the app keeps.
//!
//! What: the length in vsyncs that at least 80 % of the frames have; 0 where no length does. Formula: modal L when its
//! count is >= 0.8 m, else 0. Unit: count (vsyncs). Needs: every frame and the period. Since: Android 7. It has no good
//! direction of its own. Source: docs/design/windows.md#length-in-refreshes.

use super::sums::{in_vsyncs, number};
use crate::metric::{Better, Metric, Needs, Unit};
use crate::window::Interval;

/// The only length that can hold a majority (Boyer and Moore's vote), if it holds four fifths.
fn pace(frames: &[Interval]) -> u32 {
    let mut held = 0;
    let mut votes = 0u64;
    for frame in frames {
        if votes == 0 {
            held = frame.vsyncs;
        }
        votes = if held == frame.vsyncs { votes + 1 } else { votes - 1 };
    }
    let share = frames.iter().filter(|frame| frame.vsyncs == held).count();
    if share as u128 * 5 >= frames.len() as u128 * 4 { held } else { 0 }
}

/// Modal length.
pub(crate) static CADENCE: Metric = Metric {
    key: "cadence",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "refreshes that at least 80 % of the frames take: the pace the app keeps; 0 when it keeps none",
    formula: "the L of at least 80 % of the frames, else 0",
    since: 7,
    origin: "farmjank's own check of the scenario. 1 is an app that draws on every refresh, 2 one held at half the \
        panel's rate, such as a 30 FPS game on 60 Hz. Where it is not the target rate of the scenario, hitch_ms_per_s \
        counts every frame as late: name the target rate. The target is never guessed from this.",
    measure: |window| number(in_vsyncs(window).map(|frames| f64::from(pace(frames)))),
};
