//! The honesty counters: what the evidence itself says about its quality.
//!
//! What: rows and gaps set aside on the way from dumps to intervals. Formula: counts of the stitching and the cutting.
//! Unit: count, ms. Better: lower. Needs: nothing, so they are given for every window that was sampled, proved or not.
//! Row counters are of the window's whole timeline, gap counters of its motions. Source:
//! docs/design/metrics.md#honesty-counters.

use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::window::Window;

fn counted(window: &Window, value: f64) -> Reading {
    if window.coverage.samples.max(window.coverage.row_counts.samples) == 0 {
        return Reading::Unmeasurable("no dump was taken".into());
    }
    Reading::Value(value)
}

macro_rules! counters {
    ($($name:ident $key:literal $unit:ident $about:literal $formula:literal $origin:literal $value:expr;)*) => {$(
        #[doc = $about]
        pub static $name: Metric = Metric {
            key: $key,
            unit: Unit::$unit,
            better: Better::Lower,
            needs: Needs::Counters,
            about: $about,
            formula: $formula,
            since: 7,
            origin: $origin,
            measure: |window| {
                let value: fn(&Window) -> f64 = $value;
                counted(window, value(window))
            },
        };
    )*};
}

counters! {
    ZERO_ROWS "zero_rows" Count "ring slots never used or cleared, over all dumps" "rows with present = 0"
        "SurfaceFlinger prints slots of its ring that were never used as rows of zeros. Many of them in a \
            late dump tell that somebody cleared the ring or that the layer is new."
        |window| window.coverage.row_counts.zero_rows as f64;
    PENDING_ROWS "pending_rows" Count "rows met before their frame was presented" "rows with present = INT64_MAX"
        "SurfaceFlinger prints the largest number there is while it does not yet know when a frame was shown. \
            Such rows come back resolved in a later dump; tools that skip all rows up to the newest lose them."
        |window| window.coverage.row_counts.pending_rows as f64;
    INVALID_ROWS "invalid_rows" Count "rows that could not be read" "rows with present < 0 or malformed"
        "Negative stamps and rows that are no numbers. Each is a frame whose time nobody knows."
        |window| window.coverage.row_counts.invalid_rows as f64;
    DUPLICATE_ROWS "duplicate_rows" Count "rows known from an earlier dump (overlap)" "rows with a present seen before"
        "Wanted: dumps overlap on purpose, and overlap is what proves that no frame was missed between them."
        |window| window.coverage.row_counts.duplicate_rows as f64;
    SHORT_FRAMES "short_frames" Count "presents dropped as repeats of one refresh" "d < half the shortest P"
        "One refresh reported twice, left out as Chromium does. It is half the shortest period the phone has \
            shown, so that real frames survive a switch to a faster rate."
        |window| window.coverage.row_counts.short_frames as f64;
    LOSS_EVENTS "loss_events" Count "times the ring overflowed between dumps" "dumps without overlap, ring full"
        "The frames between two such dumps are unknown, so the time between them is no frame, and a window \
            that it touches gives no numbers."
        |window| window.coverage.row_counts.loss_events as f64;
    RING_RESETS "ring_resets" Count "times the ring was cleared or made anew" "dumps without overlap, ring not full"
        "Another tool that clears the statistics does this, and so does a layer that is destroyed and made \
            anew. The time between is no frame."
        |window| window.coverage.row_counts.ring_resets as f64;
    IDLE_GAPS "idle_gaps" Count "gaps in which no frame was due" "count of idle gaps"
        "Outside of gestures a gap longer than the idle limit (1 s unless told otherwise), in flings one in \
            which render stages show that no frame was due."
        |window| f64::from(window.idle.0);
    IDLE_MS "idle_ms" Ms "time in which no frame was due" "sum of idle gaps"
        "Time of idle_gaps. It is in no other number."
        |window| window.idle.1.ms();
    AMBIGUOUS_GAP_MS "ambiguous_gap_ms" Ms "motion time in gaps nothing explains" "sum of d > 250 ms in flings, and of pauses near an end of a touch"
        "A long gap in a fling is a list that stopped, or an app that hung; without render stages or a frame \
            timeline nobody can tell. Above 5 % of the motion no number of frames is given."
        |window| window.ambiguous.ms();
    UNRESOLVED_PENDING "unresolved_pending" Count "pending rows that never came back" "pending at the end"
        "Frames of which no dump ever told when they were shown. Each makes a gap that may hide a frame."
        |window| window.coverage.row_counts.unresolved_pending as f64;
}

#[cfg(test)]
mod tests {
    use super::super::samples::{P60, window};
    use crate::metric::Reading;
    use crate::metrics::measure_all;
    use crate::time::Span;
    use crate::timeline::RowCounts;

    #[test]
    fn each_counter_reads_its_own_field() {
        let mut window = window(P60, &[P60; 3]);
        window.coverage.proved = false;
        window.coverage.row_counts = RowCounts {
            samples: 1,
            zero_rows: 2,
            pending_rows: 3,
            invalid_rows: 4,
            duplicate_rows: 5,
            short_frames: 6,
            loss_events: 7,
            ring_resets: 8,
            unresolved_pending: 9,
            ..RowCounts::default()
        };
        window.idle = (10, Span::from_ms(11));
        window.ambiguous = Span::from_ms(12);
        let readings = measure_all(&window);
        let keys = "zero_rows pending_rows invalid_rows duplicate_rows short_frames loss_events ring_resets \
            unresolved_pending idle_gaps idle_ms ambiguous_gap_ms";
        for (key, value) in keys.split_whitespace().zip(2..) {
            assert_eq!(readings[key], Reading::Value(f64::from(value)), "{key}");
        }
        assert!(!readings.contains_key("ignored_rows"));
    }

    #[test]
    fn nothing_sampled_is_not_zero() {
        let mut window = window(P60, &[]);
        (window.coverage.samples, window.coverage.row_counts.samples) = (0, 0);
        assert_eq!(measure_all(&window)["loss_events"], Reading::Unmeasurable("no dump was taken".into()));
    }
}
