//! Histogram evidence: how many frames a layer presented over a stretch, and how far apart, without their order.
//!
//! The independent count that checks the others (docs/design/stitching.md#the-independent-count), and all there is
//! where no source sees single frames. Must not know text formats. Buckets are in ms: an interval is cut to whole ms,
//! then put into the next bucket that is not smaller, so bucket `b` after `a` holds lengths of `a + 1` up to below `b +
//! 1` ms.

use crate::time::Span;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Buckets from this one on (lengths of 151 ms and more) are idle time or a freeze; a histogram cannot tell which.
pub(crate) const IDLE_BUCKET_MS: u32 = 200;
/// Frames the counts may lack without anything being wrong: the first of a layer has no predecessor to be counted from,
/// and the last two are counted when a later one comes.
const NOT_COUNTED: u64 = 3;
/// A frame that was on its way to the screen when counting began is not counted: longest from being latched to being
/// shown, four refreshes at 60 Hz.
pub const UNDERWAY: Span = Span::from_ms(67);
/// Disagreement that is always tolerated, frames.
const TOLERATED: u64 = 2;

/// SurfaceFlinger's timestats of one layer over a stretch, all its refresh-rate buckets added up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameCounts {
    /// Layer name as printed.
    pub layer: String,
    /// Frames presented; the first frame of a layer is not counted by the platform.
    pub total_frames: u64,
    /// Buffers replaced before they were shown (Android 10+).
    pub dropped_frames: Option<u64>,
    /// Present-to-present: upper edge of a bucket in ms → frames.
    pub present_to_present: BTreeMap<u32, u64>,
    /// Frame timeline counters by the platform's own names (`jankyFrames`, `sfLongCpuJankyFrames`, …; Android 12+).
    pub counters: BTreeMap<String, u64>,
    /// Why the count may not be of the whole stretch (another program cleared or collected it), in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
}

impl FrameCounts {
    /// Adds what others counted; the name stays. Counts saturate.
    pub fn absorb(&mut self, other: &FrameCounts) {
        self.total_frames = self.total_frames.saturating_add(other.total_frames);
        self.dropped_frames = match (self.dropped_frames, other.dropped_frames) {
            (Some(own), Some(more)) => Some(own.saturating_add(more)),
            (own, more) => own.or(more),
        };
        for (bucket, frames) in &other.present_to_present {
            let sum = self.present_to_present.entry(*bucket).or_default();
            *sum = sum.saturating_add(*frames);
        }
        for (name, count) in &other.counters {
            let sum = self.counters.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*count);
        }
        for doubt in &other.doubts {
            if !self.doubts.contains(doubt) {
                self.doubts.push(doubt.clone());
            }
        }
    }

    /// Intervals that are surely motion: those in buckets below [`IDLE_BUCKET_MS`].
    pub fn moving(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.present_to_present.range(..IDLE_BUCKET_MS).map(|(bucket, frames)| (*bucket, *frames))
    }
}

/// The counts of an app's layer with the most frames; layers of the app carry its package in their names.
pub fn busiest<'a>(layers: &'a [FrameCounts], package: &str) -> Option<&'a FrameCounts> {
    let own = layers.iter().filter(|counts| names(&counts.layer, package));
    // The first of equals, as printed.
    own.rev().max_by_key(|counts| counts.total_frames)
}

/// Whether a layer's name holds the package as a whole, not as the beginning of a longer one.
pub fn names(layer: &str, package: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_');
    !package.is_empty()
        && layer.match_indices(package).any(|(at, _)| {
            let before = layer[..at].chars().next_back();
            let after = layer[at + package.len()..].chars().next();
            !before.is_some_and(part) && !after.is_some_and(part)
        })
}

/// Holds the count of presents that were seen between enabling and dump against the platform's own: the disagreement in
/// words when it is more than max(2, 0.5 %) frames; none when the two agree.
///
/// The platform may lack the first and the last two frames of a stretch; that is no disagreement.
pub fn check(counts: &FrameCounts, presents_seen: u64) -> Option<String> {
    let (low, high) = (presents_seen.saturating_sub(NOT_COUNTED), presents_seen);
    let counted = counts.total_frames;
    let off = low.saturating_sub(counted).max(counted.saturating_sub(high));
    // Over 0.5 % without fractions: 200 times the difference is more than the count.
    if off <= TOLERATED || u128::from(off) * 200 <= u128::from(counted.max(presents_seen)) {
        return None;
    }
    let what = if counted > high {
        format!("{off} frames were never seen: the dumps missed them, or they are of another layer")
    } else {
        format!("{off} frames too many were seen, or the counts were cleared in between")
    };
    Some(format!("SurfaceFlinger counted {counted} frames on this layer, {presents_seen} were seen: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(layer: &str, total_frames: u64) -> FrameCounts {
        FrameCounts { layer: layer.to_owned(), total_frames, ..FrameCounts::default() }
    }

    #[test]
    fn counts_that_lack_the_first_and_the_last_frames_agree() {
        for counted in [97, 98, 99, 100] {
            assert_eq!(check(&counts("a", counted), 100), None, "{counted}");
        }
        assert_eq!(check(&counts("a", 0), 0), None);
        assert_eq!(check(&counts("a", 0), 3), None);
    }

    #[test]
    fn a_disagreement_of_two_is_tolerated_and_of_three_is_not() {
        assert_eq!(check(&counts("a", 102), 100), None);
        assert!(check(&counts("a", 103), 100).unwrap().contains("3 frames were never seen"));
        assert_eq!(check(&counts("a", 95), 100), None);
        assert!(check(&counts("a", 94), 100).unwrap().contains("3 frames too many"));
    }

    #[test]
    fn half_a_percent_of_many_frames_is_tolerated_and_one_more_is_not() {
        assert_eq!(check(&counts("a", 10_050), 10_000), None);
        assert!(check(&counts("a", 10_051), 10_000).is_some());
        assert_eq!(check(&counts("a", 10_000 - 3 - 50), 10_000), None);
        assert!(check(&counts("a", 10_000 - 3 - 51), 10_000).is_some());
        assert_eq!(check(&counts("a", u64::MAX), u64::MAX), None);
        assert!(check(&counts("a", u64::MAX), 0).is_some());
    }

    #[test]
    fn a_layer_is_the_app_s_when_it_names_the_whole_package() {
        for own in ["com.a/com.a.Main#0", "SurfaceView - com.a/com.a.Main#0", "SurfaceView[com.a/x](BLAST)#9"]
        {
            assert!(names(own, "com.a"), "{own}");
        }
        for other in
            ["com.ab/com.ab.Main#0", "xcom.a/Main#0", "org.com.a/Main#0", "com.a.b/com.a.b.Main#1", ""]
        {
            assert!(!names(other, "com.a"), "{other}");
        }
        assert!(!names("anything", ""));
        let all = [
            counts("StatusBar#0", 900),
            counts("com.a/x#1", 5),
            counts("com.a/y#2", 9),
            counts("com.a/z#3", 9),
        ];
        assert_eq!(busiest(&all, "com.a").map(|counts| counts.layer.as_str()), Some("com.a/y#2"));
        assert_eq!(busiest(&all, "com.b"), None);
    }

    #[test]
    fn tallies_of_one_layer_add_up() {
        let mut first = counts("a", 10);
        first.present_to_present = BTreeMap::from([(8, 4), (200, 1)]);
        first.counters = BTreeMap::from([("jankyFrames".to_owned(), 2)]);
        let second = FrameCounts { dropped_frames: Some(3), doubts: vec!["x".into()], ..first.clone() };
        first.absorb(&second);
        assert_eq!((first.total_frames, first.dropped_frames), (20, Some(3)));
        assert_eq!(first.present_to_present, BTreeMap::from([(8, 8), (200, 2)]));
        assert_eq!(first.counters["jankyFrames"], 4);
        assert_eq!(first.moving().collect::<Vec<_>>(), [(8, 8)]);
        first.absorb(&second);
        assert_eq!(first.doubts, ["x"]);
    }
}
