//! Whose fault late frames are: each frame of an app once, however many layers carried it
//! (docs/design/trace.md#whose-fault).
//!
//! A *joint* frame is everything with the same process and vsync token. Times in ns. Must not know metrics or gates.

use super::{PresentType, Severity, SurfaceFrame, SurfaceFrames, jank};
use crate::time::{DeviceTime, Span};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What the app answers for: its deadline, a resync of its own, or what the platform cannot tell from it.
const APP: u32 = jank::APP_DEADLINE | jank::APP_RESYNCED | jank::UNKNOWN;
/// What the compositor answers for. A wrong prediction is its too: it predicts.
const COMPOSITOR: u32 =
    jank::SF_SCHEDULING | jank::PREDICTION_ERROR | jank::SF_CPU | jank::SF_GPU | jank::SF_STUFFING;

/// Who a frame is put down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JankOwner {
    /// The app missed its deadline.
    App,
    /// SurfaceFlinger was late or chose or predicted another vsync.
    Compositor,
    /// The display driver was late.
    Display,
    /// The queue was full: late by what was already lost, though in step.
    Stuffing,
    /// Replaced before it was shown.
    Dropped,
}

impl JankOwner {
    /// In the order of reports.
    pub const ALL: [JankOwner; 5] =
        [JankOwner::App, JankOwner::Compositor, JankOwner::Display, JankOwner::Stuffing, JankOwner::Dropped];

    /// In one word, as reports print it.
    pub fn word(self) -> &'static str {
        match self {
            JankOwner::App => "app",
            JankOwner::Compositor => "compositor",
            JankOwner::Display => "display",
            JankOwner::Stuffing => "stuffing",
            JankOwner::Dropped => "dropped",
        }
    }
}

/// One frame of the app over all its layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joint {
    /// Process and vsync token.
    pub id: (i32, i64),
    /// Bits of all its layers; [`jank::DROPPED`] only when every layer was dropped.
    pub bits: u32,
    /// When the last of its layers was shown; none when none was.
    pub present: Option<DeviceTime>,
    /// Present minus expected present, of the latest layer.
    pub late: Option<Span>,
    /// Time since its layer was shown before: the shortest of its layers; none for the first.
    pub gap: Option<Span>,
    /// What that frame before was late by.
    pub late_before: Option<Span>,
    /// The worst severity the platform told.
    pub severity: Severity,
}

impl Joint {
    /// Whose fault it is; none for a frame that was in time.
    pub fn owner(&self) -> Option<JankOwner> {
        let has = |bits: u32| self.bits & bits != 0;
        if has(jank::DROPPED) {
            Some(JankOwner::Dropped)
        } else if has(APP) {
            Some(JankOwner::App)
        } else if has(COMPOSITOR) {
            Some(JankOwner::Compositor)
        } else if has(jank::DISPLAY_HAL) {
            Some(JankOwner::Display)
        } else if has(jank::BUFFER_STUFFING) {
            Some(JankOwner::Stuffing)
        } else {
            None
        }
    }

    /// Whole vsyncs it came late, rounded half up, for a period > 0. Frames that only waited in a full queue are late
    /// by what was lost before them: they count what they are later than the frame before, and no further than the
    /// screen really stood still. A frame so late that the platform forgot when it was expected counts what the screen
    /// stood still.
    pub fn vsyncs_late(&self, period: Span) -> u64 {
        let whole = |time: Option<Span>| {
            let time = u128::from(time.map_or(0, Span::ns).max(0).unsigned_abs());
            let period = u128::from(period.ns().max(1).unsigned_abs());
            ((2 * time + period) / (2 * period)) as u64
        };
        let still = whole(self.gap).saturating_sub(1);
        match (self.late, self.owner()) {
            (Some(_), Some(JankOwner::Stuffing)) => {
                whole(self.late).saturating_sub(whole(self.late_before.or(self.late))).min(still)
            }
            (None, Some(JankOwner::App)) => still,
            _ => whole(self.late),
        }
    }
}

impl Joint {
    /// Whole vsyncs for which the screen stood still because of this frame, for a period > 0: what it was late by, and
    /// no more than the time since the frame before it beyond one vsync. A frame that came late into a queue that was
    /// late already, and changed nothing one could see, is 0.
    pub(crate) fn vsyncs_still(&self, period: Span) -> u64 {
        let gap = self.gap.map_or(0, Span::ns).max(0);
        let period_ns = period.ns().max(1);
        let still = (2 * i128::from(gap) + i128::from(period_ns)) / (2 * i128::from(period_ns)) - 1;
        self.vsyncs_late(period).min(u64::try_from(still.max(0)).unwrap_or(u64::MAX))
    }
}

/// Frames and hitch time put down to one culprit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Distinct frames.
    pub frames: u64,
    /// Whole vsyncs they came late, as time.
    pub hitch: Span,
}

impl SurfaceFrames {
    /// Every frame once, in order of process and token; first draws of windows are left out, as Android's own
    /// interaction monitor does.
    pub fn joints(&self) -> Cow<'_, [Joint]> {
        self.joined.as_ref().map_or_else(|| self.join_all().into(), |joined| joined[..].into())
    }

    fn join_all(&self) -> Vec<Joint> {
        let mut shown: BTreeMap<(i32, &str), (DeviceTime, Option<Span>)> = BTreeMap::new();
        let mut joints: BTreeMap<(i32, i64), Joint> = BTreeMap::new();
        let mut order: Vec<&SurfaceFrame> = self.frames.iter().collect();
        order.sort_by_key(|frame| frame.present);
        for frame in order {
            let before = frame
                .present
                .and_then(|present| shown.insert((frame.pid, &frame.layer), (present, late(frame))))
                .zip(frame.present)
                .map(|((before, late), present)| (present - before, late));
            if !frame.first_draw {
                let id = (frame.pid, frame.token);
                joints.entry(id).and_modify(|joint| join(joint, frame, before)).or_insert_with(|| Joint {
                    id,
                    bits: bits(frame),
                    present: frame.present,
                    late: late(frame),
                    gap: before.map(|(gap, _)| gap),
                    late_before: before.and_then(|(_, late)| late),
                    severity: frame.severity,
                });
            }
        }
        joints.into_values().collect()
    }

    /// Frames and hitch time by culprit, judged by a period > 0; all five are there.
    pub fn shares(&self, period: Span) -> BTreeMap<JankOwner, Share> {
        let mut shares: BTreeMap<JankOwner, Share> =
            JankOwner::ALL.into_iter().map(|owner| (owner, Share::default())).collect();
        for joint in self.joints().iter() {
            let Some(share) = joint.owner().and_then(|owner| shares.get_mut(&owner)) else { continue };
            let vsyncs = i64::try_from(joint.vsyncs_late(period)).unwrap_or(i64::MAX);
            share.frames += 1;
            share.hitch = share.hitch + Span::from_ns(period.ns().saturating_mul(vsyncs));
        }
        shares
    }
}

fn bits(frame: &SurfaceFrame) -> u32 {
    let dropped = if frame.present_type == PresentType::Dropped { jank::DROPPED } else { 0 };
    frame.jank | dropped
}

fn late(frame: &SurfaceFrame) -> Option<Span> {
    Some(frame.present? - frame.expected_present?)
}

fn join(joint: &mut Joint, frame: &SurfaceFrame, before: Option<(Span, Option<Span>)>) {
    let both_dropped = joint.bits & bits(frame) & jank::DROPPED;
    joint.bits = (joint.bits | bits(frame)) & !jank::DROPPED | both_dropped;
    joint.present = joint.present.max(frame.present);
    joint.late = joint.late.max(late(frame));
    joint.gap = [joint.gap, before.map(|(gap, _)| gap)].into_iter().flatten().min();
    joint.late_before = joint.late_before.max(before.and_then(|(_, late)| late));
    joint.severity = joint.severity.max(frame.severity);
}

/// Whether everything that was late is the compositor's or the display's: some frame is theirs, and no frame is the
/// app's, was wrongly predicted, or was dropped. False where the trace may have missed frames. Waiting in a full queue
/// is what a miss leaves behind and speaks for neither.
pub fn compositor_only(frame_timeline: &SurfaceFrames) -> bool {
    let owned: Vec<(JankOwner, u32)> =
        frame_timeline.joints().iter().filter_map(|joint| Some((joint.owner()?, joint.bits))).collect();
    let innocent = |(owner, bits): &(JankOwner, u32)| match owner {
        JankOwner::App | JankOwner::Dropped => false,
        JankOwner::Compositor | JankOwner::Display => bits & jank::PREDICTION_ERROR == 0,
        JankOwner::Stuffing => true,
    };
    frame_timeline.doubts.is_empty()
        && owned.iter().any(|(owner, _)| matches!(owner, JankOwner::Compositor | JankOwner::Display))
        && owned.iter().all(innocent)
}

#[cfg(test)]
mod tests {
    use super::super::Prediction;
    use super::super::samples_of_frames::{MS, P, frame, trace};
    use super::*;

    fn owners(bits: u32) -> Option<JankOwner> {
        trace(vec![frame(1, 0, bits)]).joints()[0].owner()
    }

    #[test]
    fn each_bit_has_its_culprit_and_the_app_comes_first() {
        use jank::*;
        for (bits, owner) in [
            (0, None),
            (NONE, None),
            (NON_ANIMATING, None),
            (DISPLAY_OFF, None),
            (MODE_CHANGE, None),
            (POWER_CHANGE, None),
            (APP_DEADLINE, Some(JankOwner::App)),
            (APP_RESYNCED, Some(JankOwner::App)),
            (UNKNOWN, Some(JankOwner::App)),
            (APP_DEADLINE | SF_CPU | BUFFER_STUFFING, Some(JankOwner::App)),
            (SF_SCHEDULING, Some(JankOwner::Compositor)),
            (PREDICTION_ERROR, Some(JankOwner::Compositor)),
            (SF_CPU | DISPLAY_HAL, Some(JankOwner::Compositor)),
            (SF_GPU, Some(JankOwner::Compositor)),
            (SF_STUFFING, Some(JankOwner::Compositor)),
            (BUFFER_STUFFING | SF_GPU, Some(JankOwner::Compositor)),
            (DISPLAY_HAL, Some(JankOwner::Display)),
            (BUFFER_STUFFING, Some(JankOwner::Stuffing)),
            (DROPPED, Some(JankOwner::Dropped)),
            (DROPPED | APP_DEADLINE, Some(JankOwner::Dropped)),
        ] {
            assert_eq!(owners(bits), owner, "{bits}");
        }
    }

    #[test]
    fn a_frame_of_two_layers_is_one_frame() {
        let mut other = frame(1, 0, jank::SF_CPU);
        other.layer = "second#2".into();
        other.present = other.present.map(|present| present + Span::from_ms(5));
        let both = trace(vec![frame(1, 0, jank::APP_DEADLINE), other]);
        let joints = both.joints();
        assert_eq!((joints.len(), joints[0].owner()), (1, Some(JankOwner::App)));
        assert_eq!(joints[0].late, Some(Span::from_ms(5)));
        // Shown on one layer, dropped on the other: shown.
        let mut other = frame(1, 0, jank::NONE);
        (other.present_type, other.present, other.layer) = (PresentType::Dropped, None, "second#2".into());
        assert_eq!(trace(vec![frame(1, 0, jank::NONE), other]).joints()[0].owner(), None);
        // The same token of another process is another frame.
        let mut other = frame(1, 0, jank::NONE);
        other.pid = 8;
        assert_eq!(trace(vec![frame(1, 0, jank::NONE), other]).joints().len(), 2);
    }

    #[test]
    fn first_draws_are_not_judged() {
        let mut first = frame(1, 5 * P, jank::APP_DEADLINE);
        first.first_draw = true;
        let shares = trace(vec![first, frame(2, 0, jank::NONE)]).shares(Span::from_ns(P));
        assert!(shares.values().all(|share| share.frames == 0), "{shares:?}");
    }

    #[test]
    fn late_counts_in_whole_vsyncs_rounded_half_up() {
        let late = |delta: i64| trace(vec![frame(1, delta, jank::APP_DEADLINE)]).joints()[0];
        for (delta, vsyncs) in [
            (-P, 0),
            (0, 0),
            (P / 2 - 1, 0),
            (P / 2, 1),
            (P / 2 + 1, 1),
            (P, 1),
            (3 * P / 2 - 1, 1),
            (3 * P / 2, 2),
            (40 * P, 40),
        ] {
            assert_eq!(late(delta).vsyncs_late(Span::from_ns(P)), vsyncs, "{delta}");
        }
    }

    #[test]
    fn stuffed_frames_in_step_are_no_hitch_and_those_after_a_gap_are() {
        let mut frames = vec![frame(1, 0, jank::NONE), frame(2, P, jank::APP_DEADLINE)];
        frames.extend((3..6).map(|token| frame(token, P, jank::BUFFER_STUFFING)));
        let shares = trace(frames.clone()).shares(Span::from_ns(P));
        assert_eq!(shares[&JankOwner::App], Share { frames: 1, hitch: Span::from_ns(P) });
        assert_eq!(shares[&JankOwner::Stuffing], Share { frames: 3, hitch: Span::ZERO });
        frames[2] = frame(3, 3 * P, jank::BUFFER_STUFFING);
        frames.truncate(3);
        let shares = trace(frames).shares(Span::from_ns(P));
        assert_eq!(shares[&JankOwner::Stuffing], Share { frames: 1, hitch: Span::from_ns(2 * P) });
    }

    #[test]
    fn a_frame_nobody_remembers_expecting_counts_what_the_screen_stood_still() {
        let mut forgotten = frame(9, 0, jank::APP_DEADLINE);
        (forgotten.expected_present, forgotten.prediction) = (None, Prediction::Expired);
        let shares = trace(vec![frame(1, 0, jank::NONE), forgotten]).shares(Span::from_ns(P));
        assert_eq!(shares[&JankOwner::App], Share { frames: 1, hitch: Span::from_ns(7 * P) });
    }

    #[test]
    fn the_compositor_alone_is_told_from_everyone_else() {
        let alone = |bits: &[u32]| {
            let frames = bits.iter().zip(1..).map(|(bits, token)| frame(token, 20 * MS, *bits));
            compositor_only(&trace(frames.collect()))
        };
        assert!(alone(&[jank::NONE, jank::SF_CPU, jank::DISPLAY_HAL, jank::BUFFER_STUFFING]));
        assert!(!alone(&[jank::NONE]), "nothing was late");
        assert!(!alone(&[jank::BUFFER_STUFFING]), "nobody was late");
        assert!(!alone(&[jank::SF_CPU, jank::APP_DEADLINE]));
        assert!(!alone(&[jank::SF_CPU, jank::PREDICTION_ERROR]));
        assert!(!alone(&[jank::SF_CPU, jank::UNKNOWN]));
        assert!(!alone(&[jank::SF_CPU, jank::DROPPED]));
        let mut doubtful = trace(vec![frame(1, P, jank::SF_CPU)]);
        assert!(compositor_only(&doubtful));
        doubtful.doubts.push("packets were lost".to_owned());
        assert!(!compositor_only(&doubtful));
    }
}
