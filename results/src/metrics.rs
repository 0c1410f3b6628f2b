//! The registry of metrics, one line each, and the one rule that refuses a number the evidence cannot carry.
//!
//! To add a metric: one file here (or one entry in a file of its kind) and one line in its family of `FAMILIES`.
//! Definitions are those of docs/metrics.md, and why these is docs/design/metrics.md. A metric knows a [`Window`] and
//! nothing else: no phone, no source, no scenario.
//!
//! Letters used in formulas: an interval d_i has P_i (refresh period, ns), L_i (length in whole vsyncs) and l_i (of
//! these, how many it came late by); m is how many intervals count, T the sum of their d.

mod buckets;
mod cadence;
mod chromium;
mod delivery;
mod disagreements;
mod discrepancy;
mod dropped;
mod first_frame;
mod frame_rate;
mod frametimeline;
mod frametimeline_kinds;
mod frozen;
mod hitch;
mod honesty;
mod labels;
mod launch;
#[cfg(test)]
mod laws;
mod layers;
mod levels;
mod log;
mod meaning;
mod measuring;
mod percentiles;
mod perfdog;
mod perfdog_reset;
mod resources;
#[cfg(test)]
pub(crate) mod samples;
mod scroll_seconds;
mod slow;
mod smooth;
mod spread;
mod stages;
mod stretches;
mod stutter;
mod sums;
mod timestats;
mod trust;
mod worst;

pub use labels::labels;
pub use meaning::{absence, letters};
pub use measuring::measure_all;
pub use resources::{lines as resource_lines, resource};
pub use stages::{STAGE_NAMES, main_factors};
pub use sums::refresh_hz;
pub use trust::doubt;

use crate::cause_selector;
use crate::metric::{Metric, Reading};
use crate::window::Window;
use std::sync::LazyLock;

/// Metrics that belong together, under a title people know.
#[derive(Clone, Copy)]
pub struct Family {
    /// Title.
    pub title: &'static str,
    /// One line on what its metrics have in common.
    pub about: &'static str,
    /// Its metrics, in the order of reports.
    pub metrics: &'static [&'static Metric],
}

static FAMILIES: &[Family] = &[
    Family {
        title: "Frame rate",
        about: "frames per second, from every side",
        metrics: &[
            &frame_rate::FPS,
            &frame_rate::SCROLL_FPS,
            &frame_rate::FINGER_FPS,
            &frame_rate::FLING_FPS,
            &delivery::DELIVERY_RATIO,
            &delivery::FPS_60EQ,
            &frame_rate::FPS_N_OVER_T,
            &scroll_seconds::SCROLL_FPS_1S,
            &buckets::FPS_BUCKETS,
            &worst::LOW1_FPS,
            &worst::P99_FPS,
            &cadence::CADENCE,
        ],
    },
    Family {
        title: "Hitches",
        about: "how much time frames were late by",
        metrics: &[
            &hitch::HITCH_MS_PER_S,
            &hitch::HITCH_MS,
            &hitch::HITCH_RAW_MS_PER_S,
            &dropped::DROPPED_FRAMES,
            &dropped::DROPPED_PCT,
            &frozen::FROZEN_FRAMES,
            &frozen::FROZEN_RATIO,
            &levels::DROP_LEVELS60,
            &levels::MATRIX_LEVELS,
            &stutter::STUTTER_WINDOWS,
            &stutter::STUTTER_WINDOWS_SEED,
        ],
    },
    Family {
        title: "Frame lengths",
        about: "time from one present to the next: ranks, means, spread",
        metrics: &[
            &percentiles::P50_MS,
            &percentiles::P90_MS,
            &percentiles::P95_MS,
            &percentiles::P99_MS,
            &percentiles::MAX_MS,
            &spread::MEAN_MS,
            &spread::RMS_MS,
            &spread::STDEV_MS,
            &spread::JITTER_MS,
        ],
    },
    Family {
        title: "PerfDog",
        about: "the counts of PerfDog, on presents",
        metrics: &[
            &perfdog::PERFDOG_JANK,
            &perfdog::PERFDOG_BIG_JANK,
            &perfdog::PERFDOG_SMALL_JANK,
            &perfdog_reset::PERFDOG_RESET_JANK,
            &perfdog_reset::PERFDOG_RESET_BIG_JANK,
            &perfdog::PERFDOG_STUTTER_PCT,
            &buckets::PERFDOG_FPS_AVG,
            &buckets::PERFDOG_FPS_VAR,
            &buckets::PERFDOG_DROP_FPS,
        ],
    },
    Family {
        title: "Android vitals for games",
        about: "slow frames and slow sessions, on presents",
        metrics: &[&slow::SLOW20_PCT, &slow::SLOW30_PCT, &slow::SLOW_SESSION20, &slow::SLOW_SESSION30],
    },
    Family {
        title: "Chromium",
        about: "the numbers of Chromium's collectors, on presents",
        metrics: &[
            &chromium::CHROMIUM_JANK_COUNT,
            &chromium::CHROMIUM_MAX_FRAME_DELAY,
            &chromium::CHROMIUM_AVG_FPS,
            &discrepancy::CHROMIUM_DISCREPANCY_MS,
            &smooth::PERCENTAGE_SMOOTH,
            &smooth::MOSTLY_SMOOTH,
        ],
    },
    Family {
        title: "Several layers",
        about: "apps that draw on more than one layer",
        metrics: &[&layers::UNION_FPS, &layers::VIEWS_MEAN_FPS, &layers::VIEWS_SUM_JANK],
    },
    Family {
        title: "Render stages",
        about: "where the app spent a frame (framestats)",
        metrics: stages::METRICS,
    },
    Family {
        title: "Waits",
        about: "time until something is seen",
        metrics: &[&first_frame::FIRST_FRAME_LATENCY_MS, &launch::LAUNCH_TOTAL_MS],
    },
    Family {
        title: "Frame timeline",
        about: "SurfaceFlinger's own judgement of each frame of the app, and who is to blame (Android 12 and newer)",
        metrics: &[
            &frametimeline::FT_HITCH_MS_PER_S,
            &frametimeline::FT_FRAMES,
            &frametimeline::FT_APP_MISSED,
            &frametimeline::FT_SF_MISSED,
            &frametimeline_kinds::FT_BLAME,
            &frametimeline_kinds::FT_BLAME_MS,
            &frametimeline::FT_SEVERITY,
            &frametimeline_kinds::FT_BUFFER_STUFFING,
            &frametimeline_kinds::FT_DROPPED,
            &frametimeline_kinds::FT_DISPLAY_HAL,
            &frametimeline_kinds::FT_SF_CPU,
            &frametimeline_kinds::FT_SF_GPU,
            &frametimeline_kinds::FT_SF_SCHEDULING,
            &frametimeline_kinds::FT_PREDICTION_ERROR,
            &frametimeline_kinds::FT_UNKNOWN,
            &frametimeline_kinds::FT_JANK_TYPES,
        ],
    },
    Family {
        title: "Main thread and log",
        about: "what the phone's own log says: stalls of the main thread, with or without a frame",
        metrics: &[
            &log::SLOW_MESSAGE_COUNT,
            &log::EVIL_MESSAGE_COUNT,
            &log::MAIN_THREAD_BLOCKED_MS,
            &log::SLOW_MESSAGES,
            &log::EVIL_MESSAGES,
            &log::DAVEY_COUNT,
            &log::CHOREOGRAPHER_SKIPPED_FRAMES,
        ],
    },
    Family {
        title: "SurfaceFlinger's counts",
        about: "the compositor's own totals and histogram of the layer over the window (timestats)",
        metrics: &[
            &timestats::TALLY_FPS,
            &timestats::TALLY_FRAMES,
            &timestats::TALLY_DROPPED_FRAMES,
            &timestats::TALLY_P50_MS,
            &timestats::TALLY_P90_MS,
            &timestats::TALLY_P95_MS,
            &timestats::TALLY_P99_MS,
            &timestats::TALLY_LONG_FRAMES,
            &timestats::TALLY_GAPS,
            &timestats::TALLY_APP_MISSED,
            &timestats::TALLY_SF_MISSED,
        ],
    },
    Family {
        title: "Beside the frames",
        about: "what the app and its phone used while the window was open: only where it is asked for",
        metrics: &[
            &resources::CPU_MS_PER_S,
            &resources::DEVICE_CPU_PCT,
            &resources::RSS_MB,
            &resources::RSS_PEAK_MB,
            &resources::SKIN_C,
            &resources::BATTERY_C,
            &resources::BATTERY_MA,
            &resources::NETWORK_RX_KB,
            &resources::NETWORK_TX_KB,
        ],
    },
    Family {
        title: "Honesty counters",
        about: "how good the evidence is; given even where every other number is refused",
        metrics: &[
            &honesty::ZERO_ROWS,
            &honesty::PENDING_ROWS,
            &honesty::INVALID_ROWS,
            &honesty::DUPLICATE_ROWS,
            &honesty::SHORT_FRAMES,
            &honesty::LOSS_EVENTS,
            &honesty::RING_RESETS,
            &honesty::IDLE_GAPS,
            &honesty::IDLE_MS,
            &honesty::AMBIGUOUS_GAP_MS,
            &honesty::UNRESOLVED_PENDING,
            &disagreements::SOURCE_DISAGREEMENTS,
        ],
    },
];

static FLAT: LazyLock<Vec<&'static Metric>> =
    LazyLock::new(|| FAMILIES.iter().flat_map(|family| family.metrics.iter().copied()).collect());

/// The registry in order of keys: the map of readings is built from its smallest key on, and a key is looked up.
static BY_KEY: LazyLock<Vec<&'static Metric>> = LazyLock::new(|| {
    let mut metrics = registry().to_vec();
    metrics.sort_by_key(|metric| metric.key);
    metrics
});

/// Every metric by family, in the order of reports.
pub fn families() -> &'static [Family] {
    FAMILIES
}

/// Every metric, in the order of reports.
pub fn registry() -> &'static [&'static Metric] {
    &FLAT
}

/// The metric a limit's key is of, whether the limit is on all of it or on [some causes](crate::cause_selector) alone.
pub fn limited(key: &str) -> Option<&'static Metric> {
    match cause_selector::parts(key) {
        Some((metric, _)) => find(metric).filter(|_| cause_selector::selected(key).is_some()),
        None => find(key),
    }
}

/// The metric with this key.
pub fn find(key: &str) -> Option<&'static Metric> {
    let place = BY_KEY.binary_search_by_key(&key, |metric| metric.key).ok()?;
    BY_KEY.get(place).copied()
}

/// One metric of one window: a number only when the evidence can carry it, else the reason.
pub fn reading(metric: &Metric, window: &Window) -> Reading {
    match doubt(metric.needs, window) {
        Some(why) => Reading::Unmeasurable(why.into()),
        None => metric.measure(window),
    }
}
