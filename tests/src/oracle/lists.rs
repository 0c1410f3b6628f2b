//! Lists and tables on presents, and what is made of them: seconds, levels, stutter windows.
//!
//! Presents and starts of gestures are known exactly, so seconds are exact; levels may be off by one frame for each
//! change of the refresh rate; stutter windows stand on the fitted period and are tried with it a little longer and
//! shorter.

use super::answer::{Answer, Rows};
use super::presents::{PERIOD_ERROR, runs};
use super::{Expected, TrueInterval};
use std::collections::BTreeMap;

/// Rates that panels have, Hz.
const PANELS: [f64; 10] = [24.0, 30.0, 48.0, 60.0, 72.0, 90.0, 120.0, 144.0, 165.0, 240.0];

/// What a metric that is a list must read, and what stands on one; none for keys this does not know.
pub fn list(e: &Expected, key: &str) -> Option<Answer> {
    let seconds = seconds(e);
    let all: Vec<f64> = seconds.concat();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let some = |answer: Answer| if all.is_empty() { Answer::Absent } else { answer };
    let switched = e.switches as f64;
    Some(match key {
        "fps_buckets" => some(Answer::list(all.clone(), 0.0)),
        "perfdog_fps_avg" => some(Answer::exact(mean)),
        "perfdog_fps_var" => {
            let spread = all.iter().map(|fps| (fps - mean) * (fps - mean)).sum::<f64>();
            some(Answer::exact(spread / all.len() as f64))
        }
        "perfdog_drop_fps" => {
            let falls = |of: &Vec<f64>| of.windows(2).filter(|two| two[0] - two[1] > 8.0).count() as f64;
            some(Answer::exact(seconds.iter().map(falls).sum()))
        }
        "scroll_fps_1s" => match scrolled(e) {
            samples if samples.is_empty() => Answer::Absent,
            samples => Answer::list(samples, 1e-6),
        },
        "drop_levels60" => Answer::list(levels(e, on_sixty), switched),
        "matrix_levels" => Answer::list(levels(e, |one| one.vsyncs - 1.0), switched),
        "stutter_windows" if e.switches > 0 => {
            let rows = stutters(e, Lengths::Whole(1.0)).len();
            Answer::RowCount(rows.saturating_sub(e.switches), rows + e.switches)
        }
        "stutter_windows" => {
            // Its starts are instants and its frames whole; only `ms` stands on the fitted period.
            let tried =
                [-PERIOD_ERROR, 0.0, PERIOD_ERROR].map(|error| stutters(e, Lengths::Whole(1.0 + error)));
            Answer::Rows(tried.map(without_lengths).to_vec())
        }
        "stutter_windows_seed" => Answer::Rows(vec![stutters(e, Lengths::Raw)]),
        _ => return None,
    })
}

/// Presents of each whole second of each gesture.
fn seconds(e: &Expected) -> Vec<Vec<f64>> {
    let Some(presents) = e.layers.first() else { return Vec::new() };
    let second = 1_000_000_000;
    let of = |stroke: &super::Stroke| -> Vec<f64> {
        let whole = (stroke.to - stroke.from) / second;
        let count = |nth: i64| {
            let (from, to) = (stroke.from + nth * second, stroke.from + (nth + 1) * second);
            presents.iter().filter(|at| **at >= from && **at < to && **at <= stroke.to).count() as f64
        };
        (0..whole).map(count).collect()
    };
    e.strokes.iter().map(of).collect()
}

fn scrolled(e: &Expected) -> Vec<f64> {
    let mut samples = Vec::new();
    for stroke in &e.strokes {
        let mut frames = 0.0;
        let mut ns = 0;
        for one in
            e.intervals.iter().filter(|one| one.from >= stroke.from && one.from < stroke.to.max(stroke.from))
        {
            frames += 1.0;
            ns += one.ns;
            if ns >= 1_000_000_000 {
                samples.push(frames * 1e9 / ns as f64);
                (frames, ns) = (0.0, 0);
            }
        }
    }
    samples
}

/// Missed refreshes on the scale of 60 Hz.
fn on_sixty(one: &TrueInterval) -> f64 {
    let hz = 1e3 / one.period_ms;
    let panel = PANELS.into_iter().min_by(|a, b| (a - hz).abs().total_cmp(&(b - hz).abs())).unwrap_or(60.0);
    (one.vsyncs - 1.0) * 60.0 / panel
}

fn levels(e: &Expected, missed: impl Fn(&TrueInterval) -> f64) -> Vec<f64> {
    let mut counts = vec![0.0; 5];
    for one in &e.intervals {
        let level = [3.0, 9.0, 24.0, 42.0].into_iter().filter(|least| missed(one) >= least - 1e-9).count();
        counts[level] += 1.0;
    }
    counts
}

/// How lengths of stutter windows are read.
#[derive(Clone, Copy)]
enum Lengths {
    /// Whole refreshes, of a period so much longer.
    Whole(f64),
    /// As presented.
    Raw,
}

fn stutters(e: &Expected, lengths: Lengths) -> Rows {
    let length = |one: &TrueInterval| match lengths {
        Lengths::Whole(scale) => one.vsyncs * one.period_ms * scale,
        Lengths::Raw => one.ms,
    };
    let origin = e.intervals.first().map_or(0, |one| one.from);
    let mut rows = Rows::new();
    for run in runs(e) {
        let mut at = 0;
        while at < run.len() {
            if length(&run[at]) <= 33.3 {
                at += 1;
                continue;
            }
            let first = at;
            let mut ms = 0.0;
            while at < run.len() && !(ms >= 99.6 && length(&run[at]) < 17.0) {
                ms += length(&run[at]);
                at += 1;
            }
            let own = &run[first..at];
            let frames = (at - first) as f64;
            let refreshes: f64 = own.iter().map(|one| one.vsyncs).sum();
            let listed = match lengths {
                Lengths::Whole(_) => 60.0 * frames / refreshes < 50.0 - 1e-9,
                Lengths::Raw => 1e3 * frames / ms < 50.0,
            };
            if listed {
                let longest = own.iter().map(length).fold(0.0, f64::max);
                rows.push(BTreeMap::from([
                    ("start", (own[0].from - origin) as f64 / 1e6),
                    ("frames", frames),
                    ("ms", ms),
                    ("fps", 1e3 * frames / ms),
                    ("max_ms", longest),
                    ("refreshes", refreshes),
                ]));
            }
        }
    }
    for row in &mut rows {
        let refreshes = row.remove("refreshes").unwrap_or(f64::NAN);
        if let Lengths::Whole(_) = lengths {
            row.insert("fps_60eq", 60.0 * row["frames"] / refreshes);
        }
    }
    rows
}

fn without_lengths(mut rows: Rows) -> Rows {
    rows.iter_mut().for_each(|row| row.retain(|name, _| ["start", "frames", "fps_60eq"].contains(name)));
    rows
}
