//! Source disagreements: two sources saw the same frames, and how often they contradict each other.
//!
//! What: presents of either source that the other shows at no instant within one refresh period. Formula: the count
//! over the motions, matched one to one in order. Unit: count. Better: lower (0). Needs: a second source that watched
//! all of the motions. Since: Android 12, where a trace and SurfaceFlinger's ring see single frames. It says how good
//! the evidence is and never changes another number. Source: the project's own;
//! docs/design/stitching.md#what-a-present-is.

use crate::metric::{Better, Metric, Needs, Reading, Unit};

/// Words for a window only one source saw.
pub(super) const ALONE: &str = "no second source saw the single frames of this window (the ring of SurfaceFlinger beside \
    a frame timeline, on Android 12 and newer)";

/// Where two sources contradict each other.
pub(crate) static SOURCE_DISAGREEMENTS: Metric = Metric {
    key: "source_disagreements",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Cross,
    about: "presents that one of two sources shows and the other does not",
    formula: "count of presents of either source without one of the other within one refresh period",
    since: 12,
    origin: "farmjank's own cross-examination. Where a trace and SurfaceFlinger's ring saw the same frames, they are \
        aligned and must agree; each contradiction is counted and never averaged away. Anything above 0 is a problem of \
        the measurement, not of the app: damaged text, lost frames, or a layer that is not the one judged.",
    measure: |window| match &window.beside.cross {
        Some(cross) => Reading::Value(cross.disagreements as f64),
        None => Reading::Unmeasurable(ALONE.into()),
    },
};

#[cfg(test)]
mod tests {
    use super::super::samples::{P60, window};
    use super::*;
    use crate::cross::CrossExamined;
    use crate::frame::SourceId;
    use crate::metrics::{find, reading};

    #[test]
    fn contradictions_are_counted_even_where_the_frames_are_doubted() {
        let metric = find("source_disagreements").unwrap();
        let mut seen = window(P60, &[P60; 20]);
        assert!(
            matches!(reading(metric, &seen), Reading::Unmeasurable(why) if why.contains("second source"))
        );
        let of = |disagreements| {
            Some(CrossExamined { other: SourceId::SurfaceFlinger, compared: 21, disagreements })
        };
        seen.beside.cross = of(0);
        assert_eq!(reading(metric, &seen), Reading::Value(0.0));
        seen.beside.cross = of(3);
        seen.coverage.proved = false;
        assert_eq!(reading(metric, &seen), Reading::Value(3.0));
    }
}
