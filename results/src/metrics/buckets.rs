//! Presents per whole second, and what PerfDog makes of them.
//!
//! What: each stretch of motion (a finger with its fling; all of it where no gesture is known) is cut into seconds from
//! its start; a present belongs to the second it falls into, a last partial second is dropped, a second without
//! presents counts 0. Formula: counts; mean; population variance; steps down of more than 8. Unit: fps, count. Better:
//! higher, lower. Needs: every frame. Since: Android 7. Source: docs/design/metrics.md#perfdog.

use super::stretches::{watched, within};
use super::sums::{counted, number};
use crate::metric::{Better, Metric, Needs, Reading, Refusal, Unit};
use crate::window::Window;

const SECOND_NS: i64 = 1_000_000_000;
/// Most seconds that are listed: more than a day of motion is no measurement, but a hostile clock.
const MOST_SECONDS: i64 = 100_000;
/// A step down of more than this many frames per second is a drop (strictly).
const DROP: u32 = 8;

/// Counts per whole second, one list per stretch that has a whole second; in order.
fn seconds(window: &Window) -> Result<Vec<Vec<u32>>, Refusal> {
    counted(window)?;
    let stretches = watched(window);
    let whole = |from_to: i64| from_to.max(0) / SECOND_NS;
    let total = stretches.iter().fold(0i64, |sum, one| sum.saturating_add(whole((one.to - one.from).ns())));
    if total == 0 {
        return Err("nothing moved for a whole second".into());
    }
    if total > MOST_SECONDS {
        return Err(format!("{total} seconds are too many to list; judge a part of it with --window").into());
    }
    let mut all = Vec::new();
    for stretch in stretches {
        let mut counts = vec![0u32; whole((stretch.to - stretch.from).ns()) as usize];
        for present in within(&window.presents, stretch) {
            // Never negative: presents of a stretch are not before it. The last, partial second has no place.
            let second = (*present - stretch.from).ns() / SECOND_NS;
            if let Some(count) = usize::try_from(second).ok().and_then(|second| counts.get_mut(second)) {
                *count += 1;
            }
        }
        all.push(counts);
    }
    Ok(all)
}

fn buckets(window: &Window) -> Reading {
    match seconds(window) {
        Ok(lists) => Reading::List(lists.iter().flatten().map(|count| f64::from(*count)).collect()),
        Err(why) => why.into(),
    }
}

/// Number of seconds, their sum and the sum of their squares.
fn moments(lists: &[Vec<u32>]) -> (f64, f64, f64) {
    lists.iter().flatten().fold((0.0, 0.0, 0.0), |(seconds, sum, squares), count| {
        let count = f64::from(*count);
        (seconds + 1.0, sum + count, squares + count * count)
    })
}

fn average(lists: &[Vec<u32>]) -> f64 {
    let (seconds, sum, _) = moments(lists);
    sum / seconds
}

/// Whole counts: every sum is exact, so n sum x^2 - (sum x)^2 is never negative.
fn variance(lists: &[Vec<u32>]) -> f64 {
    let (seconds, sum, squares) = moments(lists);
    (seconds * squares - sum * sum) / (seconds * seconds)
}

fn drops(lists: &[Vec<u32>]) -> f64 {
    let steps = lists.iter().flat_map(|counts| counts.windows(2));
    steps.filter(|pair| pair[0] > pair[1].saturating_add(DROP)).count() as f64
}

/// The counts.
pub(crate) static FPS_BUCKETS: Metric = Metric {
    key: "fps_buckets",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "presents in each whole second of motion, in order",
    formula: "count of presents in [start + k s, start + (k + 1) s)",
    since: 7,
    origin: "The per-second FPS curve most tools draw. Each gesture with its fling starts its own seconds; without known \
        gestures they start at the first present. A second's count is right to one frame only, seconds in which nothing \
        was due count 0, and a last part of a second is dropped.",
    measure: buckets,
};

/// Their mean.
pub(crate) static PERFDOG_FPS_AVG: Metric = Metric {
    key: "perfdog_fps_avg",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "PerfDog Avg(FPS): mean of the presents per whole second",
    formula: "mean of fps_buckets",
    since: 7,
    origin: "PerfDog shows it as Avg(FPS). Seconds in which nothing was due pull it down and the last part of a second is \
        left out, so it differs from fps, which divides frames by the time they took.",
    measure: |window| number(seconds(window).map(|lists| average(&lists))),
};

/// Their variance.
pub(crate) static PERFDOG_FPS_VAR: Metric = Metric {
    key: "perfdog_fps_var",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "PerfDog Var(FPS): variance of the presents per whole second, in fps squared",
    formula: "population variance of fps_buckets",
    since: 7,
    origin: "PerfDog shows it as Var(FPS). It grows with every pause and every change of the refresh rate; for uneven \
        pacing inside a second read jitter_ms.",
    measure: |window| number(seconds(window).map(|lists| variance(&lists))),
};

/// Steps down.
pub(crate) static PERFDOG_DROP_FPS: Metric = Metric {
    key: "perfdog_drop_fps",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "PerfDog Drop(FPS): seconds with more than 8 presents fewer than the second before",
    formula: "count of seconds k with fps_buckets[k - 1] - fps_buckets[k] > 8",
    since: 7,
    origin: "PerfDog's Drop(FPS), as a plain count: its table shows times per hour. Seconds of different gestures are \
        never compared.",
    measure: |window| number(seconds(window).map(|lists| drops(&lists))),
};
