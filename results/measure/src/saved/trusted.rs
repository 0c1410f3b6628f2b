//! Which numbers saved dumps can carry, and why there is none.
//!
//! A run refuses every number of a window that may have lost a frame, because it judges. Here nothing is judged and
//! nobody can dump once more, so numbers are refused only where the dumps show that a frame of the stretch asked for
//! may be missing (docs/design/stitching.md#coverage). Must not know files or flags.

use farmjank_results::metric::{Needs, Reading};
use farmjank_results::metrics::{find, measure_all};
use farmjank_results::readings::Readings;
use farmjank_results::timeline::{FrameTimeline, Gap, GapCause, RowCounts};
use farmjank_results::window::Window;
use std::collections::BTreeSet;

/// Every metric of a window. `given`: the user named the motion; otherwise it is the whole file. `empty` says what
/// files without a frame are.
///
/// A loss voids a motion the user named. The whole file is split there as at an idle gap: the interval across the loss
/// is no frame, what lies on either side is. What no dump shows before the oldest row, and frames still pending after
/// the newest, is outside of what is counted. The coverage keeps saying all of it.
pub(super) fn readings(
    window: &mut Window,
    timeline: &FrameTimeline,
    given: bool,
    empty: &BTreeSet<String>,
) -> Readings {
    let ends = timeline.frames.first().zip(timeline.frames.last());
    let Some((first, last)) = ends else {
        let why = frameless(&timeline.row_counts, empty);
        window.coverage.proved = false;
        window.coverage.doubts = vec![why.clone()];
        return without_frames(window, &why);
    };
    let gaps = &window.coverage.gaps;
    let bearable = |gap: &Gap| !given || outside(gap);
    let mut trusted = window.clone();
    trusted.coverage.proved |= !gaps.is_empty() && gaps.iter().all(bearable);
    if trusted.coverage.proved && trusted.presents.is_empty() {
        let (first, last) = (first.present.ns(), last.present.ns());
        let why = format!("no present in the window; the dumps hold presents from {first} ns to {last} ns");
        return without_frames(&trusted, &why);
    }
    measure_all(&trusted)
}

/// Whether a gap lies before everything the dumps show, or after it with nothing known but that a frame was due.
fn outside(gap: &Gap) -> bool {
    match gap.cause {
        GapCause::LateStart => gap.after.is_none(),
        GapCause::Unresolved => gap.before.is_none(),
        _ => false,
    }
}

/// Why dumps without a single present have none: what the files are, else what their rows are.
fn frameless(counts: &RowCounts, empty: &BTreeSet<String>) -> String {
    if !empty.is_empty() && counts.pending_rows + counts.invalid_rows + counts.ignored_rows == 0 {
        let kinds: Vec<&str> = empty.iter().map(String::as_str).collect();
        return format!("no present at all: {}", kinds.join("; "));
    }
    let kinds = [
        (counts.pending_rows, "still pending"),
        (counts.invalid_rows, "invalid"),
        (counts.ignored_rows, "left out"),
        (counts.zero_rows, "empty"),
    ];
    let rows: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| format!("{count} {} {kind}", if *count == 1 { "row is" } else { "rows are" }))
        .collect();
    let rows = if rows.is_empty() { "the dump has no rows".to_owned() } else { rows.join(", ") };
    format!("no present at all: {rows}; dump again after the layer has drawn")
}

/// The counters of a window without any present, and the reason for every number of frames.
pub(super) fn without_frames(window: &Window, why: &str) -> Readings {
    let mut readings = measure_all(window);
    for (key, reading) in readings.iter_mut() {
        let Some(needs) = find(key).map(|metric| metric.needs) else { continue };
        let of_frames = match needs {
            Needs::Frames | Needs::Vsyncs | Needs::Presents | Needs::Layers => true,
            Needs::Stages => window.beside.framestats.is_none(),
            Needs::Finishes => window.beside.framestats.is_none() && window.beside.frame_timeline.is_none(),
            _ => false,
        };
        if of_frames {
            *reading = Reading::Unmeasurable(why.into());
        }
    }
    readings
}
