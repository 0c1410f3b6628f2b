//! PerfDog's jank and big jank, with the history emptied after each.
//!
//! What: as `perfdog.rs`, but after a frame that counts, three new frames must pass before another can. Formula: with
//! h = the three frames since the last one that counted: 3 d > 2 sum h and 3 d > 250 ms; big: also d > 125 ms. All
//! strict, integer ns, within a segment. Unit: count. Better: lower. Needs: every frame. Since: Android 7.
//! Source: docs/design/metrics.md#perfdog.

use super::perfdog::is_jank;
use super::sums::{counted, number};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::Window;

fn janks(window: &Window, longer_than: i64) -> Result<f64, Refusal> {
    let mut count = 0u64;
    for segment in counted(window)?.chunk_by(|one, next| one.segment == next.segment) {
        let mut last = 3;
        while let Some(frame) = segment.get(last) {
            let late = is_jank(&segment[last - 3..=last]);
            count += u64::from(late && frame.length.ns() > longer_than);
            // The frame that counted is not part of the new history either: three others come first.
            last += if late { 4 } else { 1 };
        }
    }
    Ok(count as f64)
}

/// Frames above 83.33 ms and twice the mean of three since the last that counted.
pub(crate) static PERFDOG_RESET_JANK: Metric = Metric {
    key: "perfdog_reset_jank",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "PerfDog jank, where after each one three new frames must pass first",
    formula: "as perfdog_jank, with d_(i-1), d_(i-2), d_(i-3) all after the last one that counted",
    since: 7,
    origin: "How one open implementation reads PerfDog: the history is emptied after each count. A stall of several long \
        frames then counts once: 125, 300, 300, 300 ms after smooth frames is 1 here and 3 in perfdog_jank.",
    measure: |window| number(janks(window, 0)),
};

/// The same above 125 ms.
pub(crate) static PERFDOG_RESET_BIG_JANK: Metric = Metric {
    key: "perfdog_reset_big_jank",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "PerfDog big jank (over 125 ms), where after each PerfDog jank three new frames must pass first",
    formula: "as perfdog_reset_jank, and d_i > 125 ms",
    since: 7,
    origin: "As perfdog_reset_jank, for PerfDog's big class: more than three frames of film (125 ms). A smaller one also \
        empties the history.",
    measure: |window| number(janks(window, 125_000_000)),
};
