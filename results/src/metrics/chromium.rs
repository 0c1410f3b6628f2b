//! The numbers of Chromium's collector of surface statistics.
//!
//! What: lengths as multiples f of the refresh period, shorter ones than half a period left out. Formulas: times
//! round(f_i - f_(i-1)) is in 1..=19; round(max f); lengths kept / T. Rounding is half up, done in integers. Unit:
//! count, fps. Better: lower, higher. Needs: every frame and the period. Since: Android 7. Source:
//! docs/design/metrics.md#chromium.

use super::sums::{in_vsyncs, number};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::{Interval, Window};

/// A longer step is a pause, not a jank of Chromium's: round(step) below this.
const PAUSE: i128 = 20;

/// Whether f is at least one half.
fn kept(frame: &&Interval) -> bool {
    i128::from(frame.length.ns()) * 2 >= i128::from(frame.period.ns())
}

/// Whether round(f_i - f_(i-1)) is in 1..PAUSE, each f by its own period.
fn jumps(one: &Interval, next: &Interval) -> bool {
    let wide = |frame: &Interval| (i128::from(frame.length.ns()), i128::from(frame.period.ns()));
    let ((before, before_period), (length, period)) = (wide(one), wide(next));
    let twice_step = (length * before_period - before * period).saturating_mul(2);
    let unit = period * before_period;
    twice_step >= unit && twice_step < unit.saturating_mul(2 * PAUSE - 1)
}

fn janks(window: &Window) -> Result<f64, Refusal> {
    let mut count = 0u64;
    for segment in in_vsyncs(window)?.chunk_by(|one, next| one.segment == next.segment) {
        let mut before = None;
        for frame in segment.iter().filter(kept) {
            count += u64::from(before.is_some_and(|before| jumps(before, frame)));
            before = Some(frame);
        }
    }
    Ok(count as f64)
}

fn max_delay(window: &Window) -> Result<f64, Refusal> {
    let rounded = |frame: &Interval| {
        let (length, period) = (i128::from(frame.length.ns()), i128::from(frame.period.ns()));
        (2 * length + period) / (2 * period)
    };
    let longest = in_vsyncs(window)?.iter().filter(kept).map(rounded).max();
    longest.map(|vsyncs| vsyncs as f64).ok_or_else(|| "every length is below half a refresh".into())
}

fn avg_fps(window: &Window) -> Result<f64, Refusal> {
    let frames = in_vsyncs(window)?;
    let time: i128 = frames.iter().map(|frame| i128::from(frame.length.ns())).sum();
    Ok(frames.iter().filter(kept).count() as f64 * 1e9 / time as f64)
}

/// Increases of length.
pub(crate) static CHROMIUM_JANK_COUNT: Metric = Metric {
    key: "chromium_jank_count",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "Chromium jank count: times a frame was 1 to 19 refreshes longer than the one before",
    formula: "count of round(f_i - f_(i-1)) in 1..19; f below 0.5 left out",
    since: 7,
    origin: "Chromium's collector of surface statistics. What counts is that frames get longer, not that they are long: \
        lengths of 1 1 1 2 3 1 1 refreshes make 2, and an app that stays at three refreshes makes none. Steps of 20 and \
        more are pauses and do not count. PerfDog's word for its own counts is the same: perfdog_jank.",
    measure: |window| number(janks(window)),
};

/// Longest length.
pub(crate) static CHROMIUM_MAX_FRAME_DELAY: Metric = Metric {
    key: "chromium_max_frame_delay",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "longest frame in refreshes of the panel, as Chromium reports it",
    formula: "round(max f); f below 0.5 left out",
    since: 7,
    origin: "Chromium's collector of surface statistics; it prints the unit as vsyncs. In milliseconds it is max_ms.",
    measure: |window| number(max_delay(window)),
};

/// Frame rate.
pub(crate) static CHROMIUM_AVG_FPS: Metric = Metric {
    key: "chromium_avg_fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Vsyncs,
    about: "frame rate as Chromium reports it: without frames shorter than half a refresh",
    formula: "count of f >= 0.5 / T",
    since: 7,
    origin: "Chromium's collector of surface statistics, which prints it as a whole number. Presents of one refresh that \
        were reported twice are already gone here (short_frames), so it seldom differs from fps.",
    measure: |window| number(avg_fps(window)),
};
