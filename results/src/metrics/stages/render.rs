//! How long frames took to render, and how many took too long by the lines Android vitals and hwui draw.
//!
//! What: R = FrameCompleted - IntendedVsync per drawn frame; ranks, and counts over fixed lines. Formula: nearest rank;
//! strict lines 16 ms and 700 ms (vitals), 700 ms and more (hwui's own log), the frame's own interval. Unit: ms, count,
//! %. Better: lower. Needs: every drawn frame. Source: docs/design/metrics.md#render-stages.

use super::frames::{Frames, percent, ranks, read};
use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::window::Window;

/// Android vitals call a frame slow above this, ns.
const SLOW_NS: i64 = 16_000_000;
/// Android vitals call a frame frozen above this; hwui writes a line into the log from it on, ns.
const FROZEN_NS: i64 = 700_000_000;

const ORIGIN: &str = "Android vitals' frame time, from gfxinfo framestats: from the vsync the frame was scheduled for to \
                      its completion (before Android 12 without the GPU). Not what the screen showed: a pipelined app may \
                      need two intervals for every frame and still show each in time";

fn times(frames: &Frames<'_>) -> Vec<i64> {
    frames.all.iter().map(|frame| frame.render().ns()).collect()
}

fn rank(window: &Window, percent: usize) -> Reading {
    read(window, |frames| {
        let ranks = ranks(times(frames), &[percent]).unwrap_or_default();
        Ok(Reading::Value(ranks.first().copied().unwrap_or(0.0)))
    })
}

fn counted(window: &Window, line: impl Fn(i64) -> bool) -> Reading {
    read(window, |frames| Ok(Reading::Value(times(frames).into_iter().filter(|ns| line(*ns)).count() as f64)))
}

const RENDER: Metric = Metric {
    key: "render_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Stages,
    about: "render time of the app's frames: list of p50, p90, p95, p99",
    formula: "R of rank ceil(p m / 100), R = FrameCompleted - IntendedVsync",
    since: 7,
    origin: ORIGIN,
    measure: |window| {
        read(window, |frames| Ok(Reading::List(ranks(times(frames), &[50, 90, 95, 99]).unwrap_or_default())))
    },
};

/// Render time at p50, p90, p95 and p99.
pub(super) static RENDER_MS: Metric = RENDER;

macro_rules! ranks {
    ($($name:ident $key:literal $percent:literal $about:literal $formula:literal)*) => {$(
        #[doc = $about]
        pub(super) static $name: Metric = Metric {
            key: $key,
            about: $about,
            formula: $formula,
            measure: |window| rank(window, $percent),
            ..RENDER
        };
    )*};
}

ranks! {
    RENDER_P50_MS "render_p50_ms" 50 "render time that half of the app's frames do not exceed" "R of rank ceil(50 m / 100)"
    RENDER_P90_MS "render_p90_ms" 90 "render time that 90 % of the app's frames do not exceed" "R of rank ceil(90 m / 100)"
    RENDER_P95_MS "render_p95_ms" 95 "render time that 95 % of the app's frames do not exceed" "R of rank ceil(95 m / 100)"
    RENDER_P99_MS "render_p99_ms" 99 "render time that 99 % of the app's frames do not exceed" "R of rank ceil(99 m / 100)"
    RENDER_MAX_MS "render_max_ms" 100 "longest render time of one frame" "max R"
}

/// How many frames the app drew.
pub(super) static FRAME_COUNT: Metric = Metric {
    key: "frame_count",
    unit: Unit::Count,
    better: Better::Higher,
    about: "frames the app drew inside the motions",
    formula: "m",
    origin: "gfxinfo framestats without first draws, skipped frames and surface canvases; macrobenchmark's frameCount. An \
             app that stops drawing needless frames has fewer: no line to gate on",
    measure: |window| read(window, |frames| Ok(Reading::Value(frames.count()))),
    ..RENDER
};

/// Frames over 16 ms.
pub(super) static VITALS_SLOW: Metric = Metric {
    key: "vitals_slow",
    unit: Unit::Count,
    about: "frames Android vitals call slow: over 16 ms to render",
    formula: "how many R > 16 ms",
    origin: "Android vitals, slow rendering. 16 ms is a line for 60 Hz whatever the panel: read over_interval_pct beside it",
    measure: |window| counted(window, |ns| ns > SLOW_NS),
    ..RENDER
};

/// Their share.
pub(super) static VITALS_SLOW_PCT: Metric = Metric {
    key: "vitals_slow_pct",
    unit: Unit::Percent,
    about: "share of frames Android vitals call slow: over 16 ms to render",
    formula: "100 (how many R > 16 ms) / m",
    origin: VITALS_SLOW.origin,
    measure: |window| {
        read(window, |frames| {
            let slow = times(frames).into_iter().filter(|ns| *ns > SLOW_NS).count();
            Ok(Reading::Value(percent(slow, frames.all.len())))
        })
    },
    ..RENDER
};

/// Frames over 700 ms.
pub(super) static VITALS_FROZEN: Metric = Metric {
    key: "vitals_frozen",
    unit: Unit::Count,
    about: "frames Android vitals call frozen: over 700 ms to render",
    formula: "how many R > 700 ms",
    origin: "Android vitals, frozen frames. Render time, not what the screen showed: that is frozen_frames",
    measure: |window| counted(window, |ns| ns > FROZEN_NS),
    ..RENDER
};

/// Frames of 700 ms and more.
pub(super) static FROZEN_RENDER: Metric = Metric {
    key: "frozen_render",
    unit: Unit::Count,
    about: "frames that took 700 ms or more to render",
    formula: "how many R >= 700 ms",
    origin: "the line from which Android's renderer writes `Davey!` into the log; vitals_frozen needs more than 700 ms",
    measure: |window| counted(window, |ns| ns >= FROZEN_NS),
    ..RENDER
};

/// Share of frames that took longer than one interval.
pub(super) static OVER_INTERVAL_PCT: Metric = Metric {
    key: "over_interval_pct",
    unit: Unit::Percent,
    about: "share of frames that took longer to render than the frame interval they were drawn for",
    formula: "100 (how many R > I) / (how many have I)",
    origin: "vitals_slow at the panel's own rate. Before Android 12 the interval is the refresh period the window is \
             judged by",
    measure: |window| {
        read(window, |frames| {
            let known = frames.with_interval()?;
            let over = known.iter().filter(|(frame, interval)| frame.render().ns() > *interval).count();
            Ok(Reading::Value(percent(over, known.len())))
        })
    },
    ..RENDER
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, old_frame, taking, window};
    use super::*;

    fn value(entry: &Metric, times: &[i64]) -> f64 {
        let frames = times.iter().zip(0..).map(|(took, nth)| taking(nth, *took)).collect();
        entry.measure(&window(frames)).value().unwrap()
    }

    #[test]
    fn sixteen_milliseconds_are_not_slow() {
        assert_eq!(value(&VITALS_SLOW, &[16 * MS - 1, 16 * MS]), 0.0);
        assert_eq!(value(&VITALS_SLOW, &[16 * MS, 16 * MS + 1]), 1.0);
        assert_eq!(value(&VITALS_SLOW_PCT, &[16 * MS, 16 * MS + 1, MS, 9 * MS]), 25.0);
    }

    #[test]
    fn seven_hundred_milliseconds_are_frozen_for_the_log_and_not_for_vitals() {
        for (took, vitals, log) in [(700 * MS - 1, 0.0, 0.0), (700 * MS, 0.0, 1.0), (700 * MS + 1, 1.0, 1.0)]
        {
            assert_eq!((value(&VITALS_FROZEN, &[took]), value(&FROZEN_RENDER, &[took])), (vitals, log));
        }
    }

    #[test]
    fn one_interval_is_in_time() {
        assert_eq!(value(&OVER_INTERVAL_PCT, &[P60 - 1, P60]), 0.0);
        assert_eq!(value(&OVER_INTERVAL_PCT, &[P60, P60 + 1]), 50.0);
        let reading = OVER_INTERVAL_PCT.measure(&window(vec![old_frame(0, P60)]));
        assert!(matches!(reading, Reading::Unmeasurable(why) if why.contains("--vsync")));
    }

    #[test]
    fn ranks_are_frames_that_happened() {
        let times: Vec<i64> = (1..=100).rev().map(|n| n * MS).collect();
        let frames: Vec<_> = times.iter().zip(0..).map(|(took, nth)| taking(nth, *took)).collect();
        let list = RENDER_MS.measure(&window(frames));
        assert_eq!(list, Reading::List(vec![50.0, 90.0, 95.0, 99.0]));
        let scalars = [&RENDER_P50_MS, &RENDER_P90_MS, &RENDER_P95_MS, &RENDER_P99_MS, &RENDER_MAX_MS];
        assert_eq!(scalars.map(|entry| value(entry, &times)), [50.0, 90.0, 95.0, 99.0, 100.0]);
        assert_eq!(value(&FRAME_COUNT, &times), 100.0);
    }
}
