//! Scroll frame rate in samples of a second of drawing.
//!
//! What: walk the counted frames of one stretch of motion (a finger with its fling; all of it where no gesture is
//! known); whenever their time reaches 1 s, give frames / time and start again at 0. The remainder is dropped; time is
//! carried over breaks inside a stretch, never into the next one. Unit: fps. Better: higher. Needs: every frame. Since:
//! Android 7. Source: docs/design/metrics.md#frame-rate.

use super::stretches::gestures;
use super::sums::counted;
use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::window::{Interval, Window};

const SAMPLE_NS: i128 = 1_000_000_000;

fn samples(window: &Window) -> Reading {
    let mut frames = match counted(window) {
        Ok(frames) => frames,
        Err(why) => return why.into(),
    };
    let mut found = Vec::new();
    for stretch in gestures(window) {
        let end = frames.partition_point(|frame| frame.from < stretch.to);
        let (own, rest) = frames.split_at(end);
        walk(own, &mut found);
        frames = rest;
    }
    if found.is_empty() {
        return Reading::Unmeasurable("no gesture moved the content for a whole second".into());
    }
    Reading::List(found)
}

fn walk(frames: &[Interval], found: &mut Vec<f64>) {
    let mut count = 0u64;
    let mut time = 0i128;
    for frame in frames {
        count += 1;
        time += i128::from(frame.length.ns());
        if time >= SAMPLE_NS {
            found.push(count as f64 * 1e9 / time as f64);
            (count, time) = (0, 0);
        }
    }
}

/// The samples.
pub(crate) static SCROLL_FPS_1S: Metric = Metric {
    key: "scroll_fps_1s",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "scroll frame rate in samples of at least a second of frames, in order",
    formula: "k / sum d of each k frames in a row that first reach sum d >= 1 s",
    since: 7,
    origin: "The sliding samples of frame rate monitors inside apps: a sample closes with the frame that completes its \
        second and the next one starts from zero; what remains when the gesture ends is dropped. The mean of the samples \
        is not fps: every sample weighs alike, however far its last frame ran beyond the second, and the remainder is \
        missing. Where no gesture is known the whole stretch is walked.",
    measure: samples,
};
