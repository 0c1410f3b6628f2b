//! Numbers on presents, from the truth, in loops and floats: a second statement of each definition.
//!
//! Lengths are exact, because the fences are printed as they were. What is read in refreshes may be off by one frame
//! for each change of the rate, and what multiplies the refresh period by how well that can be fitted
//! ([`PERIOD_ERROR`]).

use super::answer::Answer;
use super::{Expected, TrueInterval};
use farmjank_results::motion::Phase;

/// How far the fitted refresh period may be off, as a share of it.
pub const PERIOD_ERROR: f64 = 0.003;

/// What a metric that is one number must read; none for keys this does not know.
pub fn number(e: &Expected, key: &str) -> Option<Answer> {
    on_lengths(e, key).or_else(|| on_vsyncs(e, key)).or_else(|| on_layers(e, key))
}

fn on_lengths(e: &Expected, key: &str) -> Option<Answer> {
    let lengths: Vec<f64> = e.intervals.iter().map(|interval| interval.ms).collect();
    let count = lengths.len() as f64;
    let mean = lengths.iter().sum::<f64>() / count;
    let over = |limit: f64| lengths.iter().filter(|ms| **ms >= limit).count() as f64;
    Some(match key {
        "finger_fps" => Answer::known(of_phase(e, Phase::Finger)),
        "fling_fps" => Answer::known(of_phase(e, Phase::Fling)),
        "fps_n_over_t" => Answer::exact((count + runs(e).len() as f64) / e.seconds()),
        "low1_fps" => {
            let mut longest = lengths;
            longest.sort_by(|one, other| other.total_cmp(one));
            longest.truncate((longest.len() as f64 / 100.0).ceil() as usize);
            Answer::exact(1e3 * longest.len() as f64 / longest.iter().sum::<f64>())
        }
        "p99_fps" => Answer::exact(1e3 / e.metric("p99_ms")?),
        "mean_ms" => Answer::exact(mean),
        "rms_ms" => Answer::exact((lengths.iter().map(|ms| ms * ms).sum::<f64>() / count).sqrt()),
        "stdev_ms" => {
            Answer::exact((lengths.iter().map(|ms| (ms - mean) * (ms - mean)).sum::<f64>() / count).sqrt())
        }
        "jitter_ms" => {
            let steps: Vec<f64> = runs(e)
                .iter()
                .flat_map(|run| run.windows(2).map(|two| (two[1].ms - two[0].ms).abs()).collect::<Vec<f64>>())
                .collect();
            Answer::exact(steps.iter().sum::<f64>() / steps.len() as f64)
        }
        "perfdog_small_jank" => Answer::exact(stand_outs(e, 125.0 / 3.0).len() as f64),
        "perfdog_reset_jank" => Answer::exact(resetting(e, 0.0)),
        "perfdog_reset_big_jank" => Answer::exact(resetting(e, 125.0)),
        "perfdog_stutter_pct" => {
            let stuttered: f64 = stand_outs(e, 250.0 / 3.0).iter().sum();
            Answer::exact(100.0 * stuttered / 1e3 / e.seconds())
        }
        "slow20_pct" => Answer::exact(100.0 * over(50.0) / count),
        "slow30_pct" => Answer::exact(100.0 * over(34.0) / count),
        "slow_session20" => Answer::exact(f64::from(over(50.0) > count / 4.0)),
        "slow_session30" => Answer::exact(f64::from(over(34.0) > count / 4.0)),
        "percentage_smooth" => Answer::exact(100.0 * (count - over(17.0)) / count),
        "mostly_smooth" => Answer::exact(f64::from(e.metric("p95_ms")? < 19.0)),
        "chromium_discrepancy_ms" => {
            Answer::exact(runs(e).iter().map(|run| discrepancy(run)).fold(0.0, f64::max))
        }
        "first_frame_latency_ms" => Answer::known(first_frame(e)),
        "ambiguous_gap_ms" => Answer::exact(e.ambiguous as f64 / 1e6),
        _ => return None,
    })
}

fn on_vsyncs(e: &Expected, key: &str) -> Option<Answer> {
    let least = e.least();
    let switched = e.switches as f64;
    let sum = |e: &Expected| e.intervals.iter().map(|interval| interval.vsyncs).sum::<f64>();
    let count = e.intervals.len() as f64;
    Some(match key {
        "fps_60eq" => Answer::between(60.0 * count / sum(e), 60.0 * count / sum(&least), 0.0),
        "hitch_raw_ms_per_s" => {
            let beyond = e.intervals.iter().map(|interval| (interval.ms - interval.period_ms).max(0.0));
            // A frame beside a change of the rate may be judged by the other rate's period.
            let slack = 1e3 * PERIOD_ERROR + e.slack("hitch_ms_per_s");
            Answer::about(beyond.sum::<f64>() / e.seconds(), slack)
        }
        "cadence" => Answer::between(pace(e), pace(&least), 0.0),
        "chromium_jank_count" => Answer::about(longer(e), 2.0 * switched + 1e-6),
        "chromium_max_frame_delay" => {
            let at = |period: f64| (e.metric("max_ms").unwrap_or(0.0) / period + 0.5).floor();
            let periods = || e.intervals.iter().map(|interval| interval.period_ms);
            let range = (periods().fold(0.0, f64::max), periods().fold(f64::INFINITY, f64::min));
            match e.switches {
                0 => Answer::exact(e.intervals.iter().map(|one| one.vsyncs).fold(0.0, f64::max)),
                _ => Answer::between(at(range.0), at(range.1), 0.0),
            }
        }
        "chromium_avg_fps" => {
            // Half a refresh of the slow rate is about a whole one of the fast rate: such frames may be left out.
            Answer::Number((count - 2.0 * switched) / e.seconds() - 1e-6, count / e.seconds() + 1e-6)
        }
        _ => return None,
    })
}

fn on_layers(e: &Expected, key: &str) -> Option<Answer> {
    let shortest = e.intervals.iter().map(|interval| interval.period_ms).fold(f64::INFINITY, f64::min);
    Some(match key {
        "union_fps" => {
            let mut all: Vec<i64> = e.layers.concat();
            all.sort_unstable();
            all.dedup_by(|next, kept| (*next - *kept) as f64 / 1e6 < shortest / 2.0);
            Answer::known(rate(&moving(e, &all)))
        }
        "views_mean_fps" => {
            let rates: Vec<f64> = e.layers.iter().filter_map(|layer| rate(&moving(e, layer))).collect();
            Answer::known((!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64))
        }
        "views_sum_jank" => {
            let of =
                |run: &Vec<f64>| run.windows(4).filter(|four| stands_out(four, 250.0 / 3.0)).count() as f64;
            let sum = e.layers.iter().flat_map(|layer| moving(e, layer)).map(|run| of(&run)).sum();
            Answer::exact(sum)
        }
        _ => return None,
    })
}

/// Counted intervals in a row: each begins where the one before it ended.
pub fn runs(e: &Expected) -> Vec<Vec<TrueInterval>> {
    let mut runs: Vec<Vec<TrueInterval>> = Vec::new();
    for interval in &e.intervals {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| last.from + last.ns == interval.from) => {
                run.push(*interval)
            }
            _ => runs.push(vec![*interval]),
        }
    }
    runs
}

fn of_phase(e: &Expected, phase: Phase) -> Option<f64> {
    let own = e.intervals.iter().filter(|one| one.phase == phase && one.sure);
    let own: Vec<f64> = own.map(|one| one.ms).collect();
    (!own.is_empty()).then(|| 1e3 * own.len() as f64 / own.iter().sum::<f64>())
}

fn stands_out(four: &[f64], floor: f64) -> bool {
    four[3] > 2.0 * (four[0] + four[1] + four[2]) / 3.0 && four[3] > floor
}

/// Lengths of the frames that stand out, ms.
fn stand_outs(e: &Expected, floor: f64) -> Vec<f64> {
    let mut found = Vec::new();
    for run in runs(e) {
        let lengths: Vec<f64> = run.iter().map(|one| one.ms).collect();
        found.extend(lengths.windows(4).filter(|four| stands_out(four, floor)).map(|four| four[3]));
    }
    found
}

fn resetting(e: &Expected, longer_than: f64) -> f64 {
    let mut count = 0.0;
    for run in runs(e) {
        let mut history: Vec<f64> = Vec::new();
        for frame in run {
            history.push(frame.ms);
            if let Some(four) = history.len().checked_sub(4).map(|at| &history[at..])
                && stands_out(four, 250.0 / 3.0)
            {
                count += f64::from(frame.ms > longer_than);
                history.clear();
            }
        }
    }
    count
}

/// By trying every stretch.
fn discrepancy(run: &[TrueInterval]) -> f64 {
    let mut at = vec![0.0];
    run.iter().for_each(|one| at.push(at[at.len() - 1] + one.ms));
    let mean = at[run.len()] / run.len() as f64;
    let mut worst = 0.0f64;
    for i in 0..at.len() {
        for j in i..at.len() {
            let presents = (j - i + 1) as f64;
            let time = at[j] - at[i];
            worst = worst.max(presents * mean - time);
            if j > i {
                worst = worst.max(time - (presents - 2.0) * mean);
            }
        }
    }
    worst
}

fn first_frame(e: &Expected) -> Option<f64> {
    // A touch known no better has no latency.
    if e.strokes.iter().any(|stroke| stroke.slack > 25_000_000) {
        return None;
    }
    let presents = e.layers.first()?;
    let wait = |stroke: &super::Stroke| {
        let start = stroke.from + stroke.slack / 2;
        let first = presents.iter().find(|at| **at >= start).filter(|at| **at <= stroke.end)?;
        Some((first - start) as f64 / 1e6)
    };
    let waits: Vec<f64> = e.strokes.iter().filter_map(wait).collect();
    (!waits.is_empty()).then(|| waits.iter().sum::<f64>() / waits.len() as f64)
}

fn pace(e: &Expected) -> f64 {
    let held = |vsyncs: f64| e.intervals.iter().filter(|one| one.vsyncs == vsyncs).count() as f64;
    let kept = (1..100).map(f64::from).find(|vsyncs| held(*vsyncs) >= 0.8 * e.intervals.len() as f64);
    kept.unwrap_or(0.0)
}

/// Times a frame is one to nineteen refreshes longer than the one before.
fn longer(e: &Expected) -> f64 {
    let mut count = 0;
    for run in runs(e) {
        let kept: Vec<f64> = run.iter().map(|one| one.ms / one.period_ms).filter(|f| *f >= 0.5).collect();
        let step = |two: &[f64]| (two[1] - two[0] + 0.5).floor();
        count += kept.windows(2).filter(|two| (1.0..20.0).contains(&step(two))).count();
    }
    count as f64
}

/// Lengths between presents inside the strokes, ms, in runs that no rest interrupts.
fn moving(e: &Expected, presents: &[i64]) -> Vec<Vec<f64>> {
    let mut runs = Vec::new();
    for stroke in &e.strokes {
        let own: Vec<i64> =
            presents.iter().copied().filter(|at| *at >= stroke.from && *at <= stroke.to).collect();
        let mut run = Vec::new();
        for two in own.windows(2) {
            let in_rest = |rest: &(i64, i64)| {
                rest.0 < two[1] && rest.1 > two[0] && (two[1] - two[0]) * 2 > rest.1 - rest.0
            };
            if e.rests.iter().any(in_rest) {
                runs.push(std::mem::take(&mut run));
            } else {
                run.push((two[1] - two[0]) as f64 / 1e6);
            }
        }
        runs.push(run);
    }
    runs
}

fn rate(runs: &[Vec<f64>]) -> Option<f64> {
    let count = runs.iter().map(Vec::len).sum::<usize>();
    let ms = runs.iter().flatten().sum::<f64>();
    (ms > 0.0).then(|| 1e3 * count as f64 / ms)
}
