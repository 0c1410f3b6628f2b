//! How many frames were late in which way, and who is to blame (Android 12 and newer).
//!
//! What: each frame of the app once, by the bits SurfaceFlinger gave it. Formula: counts. Unit: count. Better: lower.
//! Needs: a trace without losses. Source: the platform's `JankType`, and docs/design/trace.md#whose-fault for the
//! blame.

use super::frametimeline::{count, frames, still_ns};
use crate::frame_timeline::{JankOwner, jank};
use crate::metric::{Better, Metric, Needs, Reading, Unit};

/// How many bits the platform has given a meaning.
const KINDS: usize = 16;

macro_rules! kinds {
    ($($name:ident $key:literal $bit:ident $about:literal $kind:literal;)*) => {$(
        #[doc = $about]
        pub static $name: Metric = Metric {
            key: $key,
            unit: Unit::Count,
            better: Better::Lower,
            needs: Needs::Timeline,
            about: $about,
            formula: concat!("count of ", $kind),
            since: 12,
            origin: concat!("the bit ", $kind, " SurfaceFlinger gives a frame; a frame can have several"),
            measure: |window| count(window, |joint| joint.bits & jank::$bit != 0),
        };
    )*};
}

kinds! {
    FT_BUFFER_STUFFING "ft_buffer_stuffing" BUFFER_STUFFING
        "frames that waited in a full queue: shown late, though in step" "BufferStuffing";
    FT_DROPPED "ft_dropped" DROPPED "frames replaced before they were shown" "Dropped";
    FT_DISPLAY_HAL "ft_display_hal" DISPLAY_HAL "frames the display driver showed late" "DisplayHAL";
    FT_SF_CPU "ft_sf_cpu" SF_CPU "frames SurfaceFlinger composed late on the CPU" "SurfaceFlingerCpuDeadlineMissed";
    FT_SF_GPU "ft_sf_gpu" SF_GPU "frames SurfaceFlinger composed late on the GPU" "SurfaceFlingerGpuDeadlineMissed";
    FT_SF_SCHEDULING "ft_sf_scheduling" SF_SCHEDULING
        "frames SurfaceFlinger put on another vsync" "SurfaceFlingerScheduling";
    FT_PREDICTION_ERROR "ft_prediction_error" PREDICTION_ERROR
        "frames whose vsync was predicted wrongly" "PredictionError";
    FT_UNKNOWN "ft_unknown" UNKNOWN "late frames the platform cannot explain" "Unknown";
}

/// All of them at once.
pub(crate) static FT_JANK_TYPES: Metric = Metric {
    key: "ft_jank_types",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Timeline,
    about: "frames by the bits SurfaceFlinger gave them: [none, sf_scheduling, prediction_error, display_hal, sf_cpu, \
        sf_gpu, app_deadline, buffer_stuffing, unknown, sf_stuffing, dropped, non_animating, app_resynced, display_off, \
        mode_change, power_change]",
    formula: "count per bit, from bit 0 to bit 15",
    since: 12,
    origin: "JankType of SurfaceFlinger's frame timeline; the last five exist from Android 15 or 16 on",
    measure: |window| match frames(window) {
        Ok((_, joints)) => {
            let of_bit = |bit: usize| joints.iter().filter(|joint| joint.bits >> bit & 1 == 1).count() as f64;
            Reading::List((0..KINDS).map(of_bit).collect())
        }
        Err(why) => why.into(),
    },
};

/// One culprit per frame.
pub(crate) static FT_BLAME: Metric = Metric {
    key: "ft_blame",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Timeline,
    about: "late frames by who is to blame: [app, compositor, display, stuffing, dropped]",
    formula: "dropped: never shown; else app: AppDeadlineMissed, app resync or Unknown; else compositor: any of \
        SurfaceFlinger's own or PredictionError; else display: DisplayHAL; else stuffing: BufferStuffing",
    since: 12,
    origin: "each frame has one culprit; the app's are what Perfetto's own queries hold against the app, the rest is not",
    measure: |window| match frames(window) {
        Ok((_, joints)) => {
            let of =
                |owner: JankOwner| joints.iter().filter(|joint| joint.owner() == Some(owner)).count() as f64;
            Reading::List(JankOwner::ALL.into_iter().map(of).collect())
        }
        Err(why) => why.into(),
    },
};

/// What each culprit cost.
pub(crate) static FT_BLAME_MS: Metric = Metric {
    key: "ft_blame_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Timeline,
    about: "time the screen stood still by who is to blame: [app, compositor, display, stuffing, dropped]",
    formula: "per culprit: sum min(vsyncs late, vsyncs since the frame before - 1) P",
    since: 12,
    origin: "ft_blame weighed by what one could see: a frame that missed its deadline in a queue that was late already, and \
        came one vsync after the one before it, costs nothing. A limit that only the compositor and the display break \
        by this measure does not fail the app",
    measure: |window| match still_ns(window) {
        Ok(shares) => Reading::List(shares.values().map(|ns| *ns as f64 / 1e6).collect()),
        Err(why) => why.into(),
    },
};

#[cfg(test)]
mod tests {
    use super::super::samples::window;
    use super::*;
    use crate::frame_timeline::samples_of_frames::{P, frame, trace};
    use crate::metrics::reading;
    use crate::window::Window;

    /// One frame of each bit, two of the app's.
    fn of_each() -> Window {
        let bits = (0..KINDS).map(|bit| 1 << bit).chain([jank::APP_DEADLINE]);
        let mut window = window(P, &[P; 60]);
        window.beside.frame_timeline =
            Some(trace(bits.zip(1..).map(|(bits, token)| frame(token, 0, bits)).collect()));
        window
    }

    #[test]
    fn each_kind_is_counted_under_its_own_key() {
        let window = of_each();
        for entry in [
            &FT_BUFFER_STUFFING,
            &FT_DROPPED,
            &FT_DISPLAY_HAL,
            &FT_SF_CPU,
            &FT_SF_GPU,
            &FT_SF_SCHEDULING,
            &FT_PREDICTION_ERROR,
            &FT_UNKNOWN,
        ] {
            assert_eq!(reading(entry, &window), Reading::Value(1.0), "{}", entry.key);
        }
        let mut list = vec![1.0; KINDS];
        list[6] = 2.0;
        assert_eq!(reading(&FT_JANK_TYPES, &window), Reading::List(list));
        assert_eq!(FT_JANK_TYPES.about.split(',').count(), KINDS);
    }

    #[test]
    fn every_late_frame_has_one_culprit() {
        // app: deadline twice, resync, unknown; compositor: scheduling, prediction, CPU, GPU, stuffing.
        assert_eq!(reading(&FT_BLAME, &of_each()), Reading::List(vec![4.0, 5.0, 1.0, 1.0, 1.0]));
        let words: Vec<_> = JankOwner::ALL.iter().map(|owner| owner.word()).collect();
        assert!(FT_BLAME.about.ends_with(&format!("[{}]", words.join(", "))));
    }
}
