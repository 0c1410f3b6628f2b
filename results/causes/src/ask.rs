//! From the frame timeline to frames that are asked about: which were late, by how much, whom the platform blames.
//! Stalls stand beside them.

use crate::add::FEWEST;
use crate::frame::{Blamed, Frame};
use crate::stall::Stall;
use farmjank_results::frame_timeline::{JankOwner, SurfaceFrame, SurfaceFrames, jank};
use farmjank_results::time::{DeviceTime, Span};
use std::collections::BTreeMap;

/// What the platform holds against the compositor; a wrong prediction is its too.
const COMPOSITOR: u32 =
    jank::SF_SCHEDULING | jank::PREDICTION_ERROR | jank::SF_CPU | jank::SF_GPU | jank::SF_STUFFING;

/// Frames that were shown, each once, and how many were not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Frames, late ones and those in time.
    pub frames: Vec<Frame>,
    /// Frames that were replaced before they were shown: they hold nothing up, and have no causes.
    pub dropped: usize,
    /// Stalls without a frame, see [`stalls`](crate::stall::stalls).
    pub stalls: Vec<Stall>,
}

/// Frames of an app, late by what `ft_hitch_ms_per_s` counts them late, for a refresh period > 0. `clock` gives the
/// time of an instant on the clock of the facts.
pub fn frames(app: &SurfaceFrames, period: Span, clock: &impl Fn(DeviceTime) -> Option<i64>) -> Asked {
    let mut last: BTreeMap<(i32, i64), &SurfaceFrame> = BTreeMap::new();
    for frame in app.frames.iter().filter(|frame| !frame.first_draw) {
        let known = last.entry((frame.pid, frame.token)).or_insert(frame);
        if frame.present > known.present {
            *known = frame;
        }
    }
    let mut asked = Asked::default();
    let mut queued = Vec::new();
    for joint in app.joints().iter() {
        let Some(frame) = last.get(&joint.id) else { continue };
        let Some(present) = joint.present else {
            asked.dropped += 1;
            continue;
        };
        let hitch = i64::try_from(joint.vsyncs_late(period)).unwrap_or(i64::MAX).saturating_mul(period.ns());
        let owner = joint.owner();
        // Late by less than half a refresh: neither late nor a measure of what is usual.
        let waited_in_queue = owner == Some(JankOwner::Stuffing);
        if hitch == 0 && owner.is_some() && !waited_in_queue {
            continue;
        }
        let has = |bits: u32| joint.bits & bits != 0;
        let blamed = Blamed {
            app: owner == Some(JankOwner::App),
            compositor: has(COMPOSITOR),
            composing_gpu: has(jank::SF_GPU),
            display: has(jank::DISPLAY_HAL),
            stuffed: owner == Some(JankOwner::Stuffing),
        };
        let (Some(to), Some(done)) = (clock(present), clock(frame.actual_end)) else { continue };
        // A promise the platform forgot has no beginning: the frame counts for as long as the screen stood still.
        let forgotten = || to.saturating_sub(hitch).saturating_sub(period.ns());
        let from = frame.expected_start.map_or_else(|| Some(forgotten()), clock);
        let Some(from) = from else { continue };
        let to_frames = if hitch == 0 && waited_in_queue { &mut queued } else { &mut asked.frames };
        to_frames.push(Frame {
            process: frame.pid,
            token: frame.token,
            layer: frame.layer.to_string(),
            from,
            done,
            deadline: frame.expected_end.and_then(clock),
            to,
            shown_by: frame.display_token,
            hitch,
            period: period.ns(),
            blamed,
        });
    }
    // After one late frame the queue can stay full to the end of a fling, and no frame be in time by the platform's
    // word. The next best measure of what is usual are frames that waited in it and held nobody up.
    if asked.frames.iter().filter(|frame| frame.hitch == 0).count() < FEWEST {
        asked.frames.extend(queued);
    }
    asked
}
