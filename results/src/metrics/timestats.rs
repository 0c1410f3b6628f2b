//! What SurfaceFlinger's own counts give: a family for apps no per-frame source sees, and a second opinion for the
//! rest.
//!
//! What: frames, rates and percentiles of the present-to-present histogram of one layer over the whole window, gestures
//! and pauses alike. Formulas below; a bucket b after a holds lengths of a + 1 up to below b + 1 ms, and its middle
//! (a + b + 2) / 2 stands for them. Unit: fps, ms, count. Needs: the counts of the window. Since Android 9. Source:
//! `dumpsys SurfaceFlinger --timestats`; docs/design/phones.md#timestats. The `averageFPS` it prints is no metric here:
//! it reads 62.5 at 60 Hz and counts idle time.

use crate::metric::{Better, Metric, Needs, Reading, Refusal, Unit};
use crate::timestats::{FrameCounts, IDLE_BUCKET_MS};
use crate::window::Window;

/// Longest whole milliseconds that 20 frames a second allow.
const LONG_MS: u32 = 50;

/// Upper edges of the platform's buckets grow in these steps: by 1 to 34 ms, 2 to 50, 4 to 150, 50 to 1000.
fn middle_ms(bucket: u32) -> f64 {
    let step = match bucket {
        0..=34 => 1,
        35..=50 => 2,
        51..=150 => 4,
        _ => 50,
    };
    f64::from(bucket) + 1.0 - f64::from(step) / 2.0
}

fn with_counts(window: &Window, value: impl FnOnce(&FrameCounts) -> Result<f64, Refusal>) -> Reading {
    let Some(counts) = &window.beside.timestats else {
        return Reading::Unmeasurable("SurfaceFlinger's counts were not taken in this window".into());
    };
    match value(counts) {
        Ok(value) => Reading::Value(value),
        Err(why) => why.into(),
    }
}

const NO_FRAMES: &str = "SurfaceFlinger counted no two frames in a row on this layer";

fn fps(counts: &FrameCounts) -> Result<f64, Refusal> {
    let (frames, ms) = counts.moving().fold((0.0, 0.0), |(frames, ms), (bucket, count)| {
        (frames + count as f64, ms + count as f64 * middle_ms(bucket))
    });
    if frames > 0.0 { Ok(1e3 * frames / ms) } else { Err(NO_FRAMES.into()) }
}

/// Nearest rank: the bucket of interval number ceil(p m / 100).
fn percentile(counts: &FrameCounts, percent: u64) -> Result<f64, Refusal> {
    let total: u64 = counts.moving().fold(0, |sum: u64, (_, count)| sum.saturating_add(count));
    let rank = u128::from(total) * u128::from(percent);
    let mut below: u128 = 0;
    for (bucket, count) in counts.moving() {
        below += u128::from(count) * 100;
        if count > 0 && below >= rank {
            return Ok(f64::from(bucket));
        }
    }
    Err(NO_FRAMES.into())
}

fn dropped(counts: &FrameCounts) -> Result<f64, Refusal> {
    counts
        .dropped_frames
        .map(|count| count as f64)
        .ok_or_else(|| "Android 9 does not count dropped frames".into())
}

fn from_bucket(counts: &FrameCounts, first: u32, beyond: u32) -> Result<f64, Refusal> {
    // Frames without a single length: the histogram was not printed whole, or there was one frame.
    if counts.present_to_present.is_empty() && counts.total_frames > 0 {
        return Err(NO_FRAMES.into());
    }
    Ok(counts
        .present_to_present
        .range(first..beyond)
        .map(|(_, count)| *count as f64)
        .fold(0.0, |sum, count| sum + count))
}

fn judged(counts: &FrameCounts, names: &[&str]) -> Result<f64, Refusal> {
    match counts.counters.get("totalTimelineFrames") {
        None => Err("needs Android 12 or newer: older counts judge no frame".into()),
        Some(0) => {
            Err("the frame timeline judged no frame of this layer (it knows no SurfaceView or game here)"
                .into())
        }
        Some(_) => {
            Ok(names.iter().filter_map(|name| counts.counters.get(*name)).map(|count| *count as f64).sum())
        }
    }
}

macro_rules! timestats {
    ($($name:ident $key:literal $unit:ident $better:ident $since:literal $about:literal $formula:literal $value:expr;)*) => {$(
        #[doc = $about]
        pub static $name: Metric = Metric {
            key: $key,
            unit: Unit::$unit,
            better: Better::$better,
            needs: Needs::Timestats,
            about: $about,
            formula: $formula,
            since: $since,
            origin: "dumpsys SurfaceFlinger --timestats over the window; no per-frame times, so idle and motion mix",
            measure: |window| {
                let value: fn(&FrameCounts) -> Result<f64, Refusal> = $value;
                with_counts(window, value)
            },
        };
    )*};
}

timestats! {
    TALLY_FPS "tally_fps" Fps Higher 9
        "frame rate from SurfaceFlinger's histogram, pauses of 151 ms and more left out"
        "m / sum of bucket middles, buckets below 200 ms; each length is known to its bucket: ±0.5 ms up to 34 ms"
        fps;
    TALLY_FRAMES "tally_frames" Count Higher 9
        "frames SurfaceFlinger counted on the layer; the first one and up to two last ones are not in it"
        "totalFrames of the layer, all its refresh rates added up"
        |counts| Ok(counts.total_frames as f64);
    TALLY_DROPPED_FRAMES "tally_dropped_frames" Count Lower 10
        "buffers of the layer replaced by newer ones before they were shown"
        "droppedFrames of the layer"
        dropped;
    TALLY_P50_MS "tally_p50_ms" Ms Lower 9
        "median frame length by SurfaceFlinger's histogram, pauses left out"
        "bucket of interval ceil(50 m / 100), buckets below 200 ms"
        |counts| percentile(counts, 50);
    TALLY_P90_MS "tally_p90_ms" Ms Lower 9
        "90th percentile of frame length by SurfaceFlinger's histogram, pauses left out"
        "bucket of interval ceil(90 m / 100), buckets below 200 ms"
        |counts| percentile(counts, 90);
    TALLY_P95_MS "tally_p95_ms" Ms Lower 9
        "95th percentile of frame length by SurfaceFlinger's histogram, pauses left out"
        "bucket of interval ceil(95 m / 100), buckets below 200 ms"
        |counts| percentile(counts, 95);
    TALLY_P99_MS "tally_p99_ms" Ms Lower 9
        "99th percentile of frame length by SurfaceFlinger's histogram, pauses left out"
        "bucket of interval ceil(99 m / 100), buckets below 200 ms"
        |counts| percentile(counts, 99);
    TALLY_LONG_FRAMES "tally_long_frames" Count Lower 9
        "frames of 51 up to below 151 ms by SurfaceFlinger's histogram"
        "intervals in buckets 54 to 150 ms"
        |counts| from_bucket(counts, LONG_MS + 1, IDLE_BUCKET_MS);
    TALLY_GAPS "tally_gaps" Count Lower 9
        "gaps of 151 ms and more by SurfaceFlinger's histogram: pauses or freezes, a histogram cannot tell which"
        "intervals in buckets of 200 ms and more"
        |counts| from_bucket(counts, IDLE_BUCKET_MS, u32::MAX);
    TALLY_APP_MISSED "tally_app_missed" Count Lower 12
        "frames for which the app missed its deadline, as SurfaceFlinger counted them"
        "appUnattributedJankyFrames of the layer"
        |counts| judged(counts, &["appUnattributedJankyFrames"]);
    TALLY_SF_MISSED "tally_sf_missed" Count Lower 12
        "frames that were late through SurfaceFlinger or the display, as SurfaceFlinger counted them"
        "sfLongCpu + sfLongGpu + sfUnattributed + sfScheduling JankyFrames of the layer"
        |counts| judged(counts, &[
            "sfLongCpuJankyFrames",
            "sfLongGpuJankyFrames",
            "sfUnattributedJankyFrames",
            "sfSchedulingJankyFrames",
        ]);
}

#[cfg(test)]
mod tests {
    use super::super::samples::{P60, window};
    use super::*;
    use crate::metrics::measure_all;
    use crate::readings::Readings;

    fn readings(counts: FrameCounts) -> Readings {
        let mut window = window(P60, &[]);
        window.beside.timestats = Some(counts);
        measure_all(&window)
    }

    fn histogram(buckets: &[(u32, u64)]) -> FrameCounts {
        let total_frames = buckets.iter().map(|(_, count)| count).sum();
        FrameCounts {
            total_frames,
            present_to_present: buckets.iter().copied().collect(),
            ..FrameCounts::default()
        }
    }

    #[test]
    fn a_bucket_s_middle_is_the_middle_of_the_lengths_it_holds() {
        // 16 holds 16..17, 36 holds 35..37, 54 holds 51..55, 200 holds 151..201.
        let middles = [16, 34, 36, 50, 54, 150, 200].map(middle_ms);
        assert_eq!(middles, [16.5, 34.5, 36.0, 50.0, 53.0, 149.0, 176.0]);
    }

    #[test]
    fn idle_gaps_do_not_drag_the_rate_down() {
        let readings = readings(histogram(&[(0, 0), (16, 99), (33, 1), (200, 3), (1000, 7)]));
        let fps = readings["tally_fps"].value().unwrap();
        assert!((fps - 1e3 * 100.0 / (99.0 * 16.5 + 33.5)).abs() < 1e-9, "{fps}");
        assert_eq!(readings["tally_gaps"], Reading::Value(10.0));
        assert_eq!(readings["tally_frames"], Reading::Value(110.0));
        assert_eq!(readings["tally_p50_ms"], Reading::Value(16.0));
        assert_eq!(readings["tally_p99_ms"], Reading::Value(16.0));
    }

    #[test]
    fn percentiles_change_bucket_at_their_rank() {
        let at = |fast: u64, slow: u64| readings(histogram(&[(8, fast), (50, slow)]))["tally_p95_ms"].clone();
        assert_eq!(at(95, 5), Reading::Value(8.0));
        assert_eq!(at(94, 6), Reading::Value(50.0));
    }

    #[test]
    fn long_frames_begin_at_51_ms() {
        let long = |bucket| readings(histogram(&[(bucket, 2)]))["tally_long_frames"].value();
        assert_eq!([50, 54, 150, 200].map(long), [Some(0.0), Some(2.0), Some(2.0), Some(0.0)]);
    }

    #[test]
    fn what_was_not_counted_is_not_zero() {
        let refused = readings(histogram(&[(1000, 4)]));
        for key in ["tally_fps", "tally_p50_ms", "tally_dropped_frames", "tally_app_missed"] {
            assert!(matches!(refused[key], Reading::Unmeasurable(_)), "{key}: {:?}", refused[key]);
        }
        let mut counts = histogram(&[(16, 4)]);
        counts.counters =
            [("totalTimelineFrames", 4), ("appUnattributedJankyFrames", 1), ("sfLongCpuJankyFrames", 2)]
                .map(|(name, count)| (name.to_owned(), count))
                .into();
        assert_eq!(readings(counts.clone())["tally_app_missed"], Reading::Value(1.0));
        assert_eq!(readings(counts.clone())["tally_sf_missed"], Reading::Value(2.0));
        counts.counters.insert("totalTimelineFrames".to_owned(), 0);
        assert_eq!(readings(counts.clone())["tally_sf_missed"].value(), None);
        counts.doubts = vec!["cleared".to_owned()];
        let why = readings(counts)["tally_frames"].clone();
        assert_eq!(
            why,
            Reading::Unmeasurable("SurfaceFlinger's counts are not of this window: cleared".into())
        );
    }
}
