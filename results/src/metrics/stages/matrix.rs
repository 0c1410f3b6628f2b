//! Tencent Matrix's drop levels and frame rate, on the times of the UI thread's part of a frame.
//!
//! What: jitter is the end of that part less the vsync the frame was scheduled for; a frame dropped floor(jitter / I)
//! others. Levels count frames by that; the rate charges each frame (dropped + 1) intervals and says frames per charged
//! second whenever 200 ms are charged, never above the refresh rate. Idle time is never charged. Unit: count, fps.
//! Needs: every drawn frame and its interval. Source: docs/design/metrics.md#matrix. Integers until the final division.

use super::frames::{Frames, read};
use crate::framestats::RENDER_THREAD;
use crate::metric::{Better, Metric, Needs, Reading, Refusal, Unit};
use crate::window::Window;

/// Dropped frames from which the levels Normal, Middle, High and Frozen begin.
const LEVELS: [i64; 4] = [3, 9, 24, 42];
/// Charged time after which the rate is said, ns.
const SAMPLE_NS: i128 = 200_000_000;

/// Dropped frames and interval of every frame of the UI thread, in order.
fn drops(frames: &Frames<'_>) -> Result<Vec<(i64, i64)>, Refusal> {
    let known = frames.with_interval()?;
    let drops = known.into_iter().filter(|(frame, _)| frame.flags & RENDER_THREAD == 0).filter_map(
        |(frame, interval)| {
            let jitter = (frame.sync_queued? - frame.intended).ns().max(0);
            Some((jitter / interval, interval))
        },
    );
    let drops: Vec<_> = drops.collect();
    if drops.is_empty() { Err("no frame of the UI thread has a known end".into()) } else { Ok(drops) }
}

/// Frames per second of every 200 ms charged; what is charged after the last of them is left out.
fn rates(drops: &[(i64, i64)]) -> Vec<f64> {
    let mut rates = Vec::new();
    let mut frames = 0_u32;
    let mut cost = 0_i128;
    for (dropped, interval) in drops {
        frames += 1;
        cost += (i128::from(*dropped) + 1) * i128::from(*interval);
        if cost >= SAMPLE_NS {
            let refresh = 1e9 / *interval as f64;
            rates.push((f64::from(frames) * 1e9 / cost as f64).min(refresh));
            (frames, cost) = (0, 0);
        }
    }
    rates
}

fn sampled(window: &Window, value: impl Fn(Vec<f64>) -> Reading) -> Reading {
    read(window, |frames| match rates(&drops(frames)?) {
        rates if rates.is_empty() => Err("the app drew for less than 200 ms".into()),
        rates => Ok(value(rates)),
    })
}

/// Frames by drop level.
pub(super) static MATRIX_DO_FRAME_LEVELS: Metric = Metric {
    key: "matrix_do_frame_levels",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Stages,
    about: "frames by how many the UI thread dropped: list of Best, Normal (3), Middle (9), High (24), Frozen (42)",
    formula: "floor((SyncQueued - IntendedVsync) / I) in [0,3) [3,9) [9,24) [24,42) [42,..)",
    since: 7,
    origin: ORIGIN,
    measure: |window| {
        read(window, |frames| {
            let mut counts = vec![0.0; LEVELS.len() + 1];
            for (dropped, _) in drops(frames)? {
                counts[LEVELS.partition_point(|level| *level <= dropped)] += 1.0;
            }
            Ok(Reading::List(counts))
        })
    },
};

const ORIGIN: &str = "Tencent Matrix's FrameTracer, which times doFrame inside the app. Framestats tell when the UI thread \
                      handed the frame over (SyncQueued); doFrame itself ends a little later, when the render thread has \
                      taken it. In device frames: at 120 Hz Frozen begins at 350 ms";

/// Frame rate by charged time, one value per 200 ms.
pub(super) static MATRIX_FPS200: Metric = Metric {
    key: "matrix_fps200",
    unit: Unit::Fps,
    better: Better::Higher,
    about: "Matrix frame rate: list of values, one whenever frames were charged 200 ms",
    formula: "a frame costs (floor((SyncQueued - IntendedVsync) / I) + 1) I; min(1 / I, frames / cost) at cost >= 200 ms",
    measure: |window| sampled(window, Reading::List),
    ..MATRIX_DO_FRAME_LEVELS
};

/// Their mean.
pub(super) static MATRIX_FPS200_MEAN: Metric = Metric {
    key: "matrix_fps200_mean",
    about: "Matrix frame rate: mean of its 200 ms values",
    formula: "mean of matrix_fps200",
    measure: |window| sampled(window, |rates| Reading::Value(rates.iter().sum::<f64>() / rates.len() as f64)),
    ..MATRIX_FPS200
};

#[cfg(test)]
mod tests {
    use super::super::samples::{P60, frame, old_frame, window};
    use super::*;
    use crate::framestats::FrameStats;
    use crate::time::Span;

    /// 60 Hz in numbers that divide 200 ms: twelve intervals are 200 ms.
    const TWELFTH: i64 = 16_666_667;

    fn busy(interval: i64, jitters: &[i64]) -> Window {
        let one = |(jitter, nth): (&i64, i64)| {
            let frame = frame(nth, 0);
            let sync_queued = Some(frame.intended + Span::from_ns(*jitter));
            FrameStats { sync_queued, interval: Some(Span::from_ns(interval)), ..frame }
        };
        window(jitters.iter().zip(0..).map(one).collect())
    }

    fn list(entry: &Metric, window: &Window) -> Vec<f64> {
        match entry.measure(window) {
            Reading::List(list) => list,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn levels_begin_on_their_whole_intervals() {
        for (level, dropped) in [3, 9, 24, 42].into_iter().enumerate() {
            let below = list(&MATRIX_DO_FRAME_LEVELS, &busy(P60, &[dropped * P60 - 1]));
            let on = list(&MATRIX_DO_FRAME_LEVELS, &busy(P60, &[dropped * P60]));
            let above = list(&MATRIX_DO_FRAME_LEVELS, &busy(P60, &[dropped * P60 + 1]));
            assert_eq!((below[level], below[level + 1]), (1.0, 0.0), "{dropped}");
            assert_eq!((on[level], on[level + 1]), (0.0, 1.0), "{dropped}");
            assert_eq!(above, on);
        }
    }

    #[test]
    fn one_dropped_frame_needs_one_whole_interval() {
        let drop = |jitter| {
            let window = busy(P60, &[jitter]);
            drops(&Frames::of(&window).unwrap()).unwrap()[0].0
        };
        assert_eq!([drop(P60 - 1), drop(P60), drop(P60 + 1)], [0, 1, 1]);
    }

    #[test]
    fn one_long_frame_in_200_ms_costs_what_the_classes_say() {
        let after = |dropped: i64, others: usize| {
            let mut jitters = vec![dropped * TWELFTH];
            jitters.resize(others + 1, 0);
            list(&MATRIX_FPS200, &busy(TWELFTH, &jitters))
        };
        // One 3-drop frame is 45 FPS, one 9-drop frame 15.
        assert!((after(3, 8)[0] - 45.0).abs() < 1e-5, "{:?}", after(3, 8));
        assert!((after(9, 2)[0] - 15.0).abs() < 1e-5, "{:?}", after(9, 2));
        assert!((after(0, 11)[0] - 60.0).abs() < 1e-5);
    }

    #[test]
    fn two_hundred_milliseconds_charged_make_a_value() {
        let values = |interval: i64| rates(&[(0, interval); 10]).len();
        assert_eq!([values(19_999_999), values(20_000_000), values(20_000_001)], [0, 1, 1]);
        let short = MATRIX_FPS200.measure(&busy(P60, &[0; 11]));
        assert!(matches!(short, Reading::Unmeasurable(why) if why.contains("200 ms")));
        // The second begins from nothing.
        assert_eq!(rates(&[(0, 20_000_000); 20]), [50.0, 50.0]);
    }

    #[test]
    fn idle_is_never_charged_and_the_render_thread_alone_drops_nothing() {
        let mut window = busy(TWELFTH, &[0; 12]);
        window.beside.framestats.as_mut().unwrap().frames[11].intended =
            crate::time::DeviceTime::from_ns(i64::MAX / 2);
        let mean = MATRIX_FPS200_MEAN.measure(&window).value().unwrap();
        assert!((mean - 60.0).abs() < 1e-5);
        for frame in &mut window.beside.framestats.as_mut().unwrap().frames {
            frame.flags = RENDER_THREAD;
        }
        assert!(matches!(MATRIX_FPS200.measure(&window), Reading::Unmeasurable(_)));
        let old = MATRIX_FPS200.measure(&super::super::samples::window(vec![old_frame(0, 1)]));
        assert!(matches!(old, Reading::Unmeasurable(why) if why.contains("interval")));
    }
}
