//! FrameTimeline's verdicts over the truth: which display frame showed a frame, and what the platform would say of it.
//!
//! The rules are SurfaceFlinger's of Android 14 (docs/design/trace.md#the-platforms-rules): thresholds of 2 ms on
//! presents and 0 on deadlines. Times are ns on CLOCK_MONOTONIC. Must not know how a trace is written.

use super::{Cause, Prediction, Trouble, TruthDisplay, TruthFrame, TruthLayer};

/// Nothing to say.
pub(crate) const UNSPECIFIED: u32 = 0;
/// Shown when promised.
pub const NONE: u32 = 1;
/// SurfaceFlinger took it for another refresh than promised.
pub const SF_SCHEDULING: u32 = 2;
/// The refresh came off the predicted grid.
pub const PREDICTION_ERROR: u32 = 4;
/// The display was late.
pub const DISPLAY_HAL: u32 = 8;
/// SurfaceFlinger's CPU work was late.
pub const SF_CPU: u32 = 16;
/// SurfaceFlinger's GPU work was late.
pub const SF_GPU: u32 = 32;
/// The app was late.
pub const APP_DEADLINE: u32 = 64;
/// Queued behind a late buffer.
pub const STUFFING: u32 = 128;
/// Cannot be told.
pub const UNKNOWN: u32 = 256;
/// The display frame before took this one's refresh.
pub const SF_STUFFING: u32 = 512;
/// Never shown.
pub const DROPPED: u32 = 1024;

/// Presents this near to the promise are on time, ns.
pub const PRESENT_THRESHOLD: i64 = 2_000_000;
/// Tokens of display frames begin here, far above those of apps.
const DISPLAY_TOKENS: i64 = 1 << 40;
/// Android 12 forgot a promise after this long, ns …
const KEPT_TIME: i64 = 120_000_000;
/// … later releases after so many refreshes.
const KEPT_REFRESHES: i64 = 60;

/// Judges every frame of a phone: finds the display frames, ties the frames to them and sets their verdicts.
/// `causes`: frames that were smooth for the app get the cause the verdict names (stuffed, mispredicted).
pub fn judge(layers: &mut [TruthLayer], sdk: u32, causes: bool) -> Vec<TruthDisplay> {
    let displays = displays(layers);
    for layer in layers.iter_mut() {
        let mut last_latch = 0;
        for frame in &mut layer.frames {
            let shown = displays.partition_point(|display| display.token < token(frame.vsync));
            let Some(display) = displays.get(shown) else { continue };
            frame.display = display.token;
            let kept = if sdk <= 32 { KEPT_TIME } else { KEPT_REFRESHES * frame.period };
            if frame.prediction == Prediction::Valid && frame.desired - frame.intended > kept {
                frame.prediction = Prediction::Expired;
            }
            surface(frame, display, last_latch, sdk);
            last_latch = frame.latch;
            if causes && frame.cause == Cause::Smooth {
                frame.cause = named(frame.jank);
            }
        }
        for dropped in &mut layer.dropped {
            let next = layer.frames.partition_point(|frame| frame.latch < dropped.at);
            dropped.display = layer.frames.get(next).map_or(0, |frame| frame.display);
        }
    }
    displays
}

/// Token of the display frame shown at a refresh.
fn token(vsync: i64) -> i64 {
    DISPLAY_TOKENS + vsync / 1_300_000
}

/// One display frame for every refresh that showed anything. Where several layers share one, an app's speaks.
fn displays(layers: &[TruthLayer]) -> Vec<TruthDisplay> {
    let system = |layer: &TruthLayer| layer.package.is_empty();
    let mut shown: Vec<(i64, bool, &TruthFrame)> = layers
        .iter()
        .flat_map(|layer| layer.frames.iter().map(move |frame| (frame.vsync, system(layer), frame)))
        .collect();
    shown.sort_by_key(|(vsync, system, frame)| (*vsync, *system, frame.latch));
    shown.dedup_by_key(|(vsync, ..)| *vsync);
    let mut before = i64::MIN / 2;
    let composed = |(vsync, _, frame): &(i64, bool, &TruthFrame)| {
        let shift = match frame.trouble {
            Trouble::Mispredicted(shift) => i64::from(shift),
            _ => 0,
        };
        let mut display = TruthDisplay {
            token: token(*vsync),
            wake: frame.latch,
            expected: frame.planned + shift,
            present: frame.present,
            in_time: !matches!(frame.trouble, Trouble::Cpu(_) | Trouble::Gpu(_)),
            gpu: matches!(frame.trouble, Trouble::Gpu(_)),
            period: frame.period,
            jank: NONE,
        };
        display.jank = composition(&display, before);
        before = display.present;
        display
    };
    shown.iter().map(composed).collect()
}

/// What FrameTimeline says of a display frame; `before` is the present of the one before it.
fn composition(display: &TruthDisplay, before: i64) -> u32 {
    let delta = display.present - display.expected;
    match delta {
        _ if delta.abs() <= PRESENT_THRESHOLD => NONE,
        ..0 if !display.in_time || on_grid(delta, display.period) => SF_SCHEDULING,
        ..0 => PREDICTION_ERROR,
        _ if before >= display.expected - PRESENT_THRESHOLD => SF_STUFFING,
        _ if !display.in_time && display.gpu => SF_GPU,
        _ if !display.in_time => SF_CPU,
        _ if on_grid(delta, display.period) => DISPLAY_HAL,
        _ => PREDICTION_ERROR,
    }
}

/// What FrameTimeline says of an app's frame.
fn surface(frame: &mut TruthFrame, display: &TruthDisplay, last_latch: i64, sdk: u32) {
    let delta = display.present - frame.expected;
    frame.in_time = frame.ready <= frame.deadline;
    let early = delta < 0;
    frame.jank = match frame.prediction {
        Prediction::None => UNSPECIFIED,
        // A promise that was forgotten means a huge delay; Android 12 did not dare to say whose.
        Prediction::Expired => {
            frame.in_time = false;
            if sdk >= 33 { APP_DEADLINE } else { UNKNOWN }
        }
        Prediction::Valid if delta.abs() <= PRESENT_THRESHOLD => NONE,
        Prediction::Valid if early && !frame.in_time => UNKNOWN,
        Prediction::Valid if early && on_grid(delta, display.period) => SF_SCHEDULING,
        Prediction::Valid if early => PREDICTION_ERROR,
        Prediction::Valid => {
            let mut bits = 0;
            if last_latch != 0 && frame.deadline <= last_latch {
                bits |= STUFFING;
                frame.in_time = frame.ready < last_latch + display.period;
            }
            if !frame.in_time {
                bits |= APP_DEADLINE;
            }
            if display.jank != NONE {
                bits |= display.jank;
            }
            match bits {
                0 if on_grid(delta, display.period) => SF_SCHEDULING,
                0 => PREDICTION_ERROR,
                bits => bits,
            }
        }
    };
}

/// Whether a delta is a whole number of refreshes, give or take the threshold.
fn on_grid(delta: i64, period: i64) -> bool {
    let rest = delta.abs() % period.max(1);
    rest < PRESENT_THRESHOLD || rest >= period - PRESENT_THRESHOLD
}

/// The cause of a frame that cost the app nothing.
fn named(jank: u32) -> Cause {
    match jank {
        STUFFING => Cause::Stuffed,
        PREDICTION_ERROR => Cause::Mispredicted,
        _ => Cause::Smooth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;
    const P: i64 = 16 * MS;

    fn display(late: i64, in_time: bool, gpu: bool) -> TruthDisplay {
        let (expected, period) = (100 * P, P);
        let (wake, present) = (expected - P, expected + late);
        TruthDisplay { token: 1, wake, expected, present, in_time, gpu, period, jank: 0 }
    }

    #[test]
    fn a_display_frame_is_judged_by_the_table_and_its_borders() {
        let said = |late, in_time, gpu| composition(&display(late, in_time, gpu), 0);
        assert_eq!([said(2 * MS, false, false), said(-2 * MS, false, false)], [NONE, NONE]);
        assert_eq!(said(2 * MS + 1, true, false), PREDICTION_ERROR);
        assert_eq!(
            [said(P, true, false), said(P, false, false), said(P, false, true)],
            [DISPLAY_HAL, SF_CPU, SF_GPU]
        );
        assert_eq!([said(-P, true, false), said(-P / 2, true, false)], [SF_SCHEDULING, PREDICTION_ERROR]);
        assert_eq!(said(P - 2 * MS, true, false), DISPLAY_HAL);
        assert_eq!(said(P - 2 * MS - 1, true, false), PREDICTION_ERROR);
        let late = display(P, false, false);
        assert_eq!(composition(&late, late.expected - 2 * MS), SF_STUFFING);
        assert_eq!(composition(&late, late.expected - 2 * MS - 1), SF_CPU);
    }

    #[test]
    fn a_grid_has_a_threshold_on_both_sides() {
        assert!([0, 2 * MS - 1, 14 * MS, 16 * MS, -18 * MS + 1].into_iter().all(|delta| on_grid(delta, P)));
        assert!(![2 * MS, 8 * MS, 14 * MS - 1, 18 * MS].into_iter().any(|delta| on_grid(delta, P)));
    }
}
