//! Several layers of one app: a list beside a video, a map under its buttons.
//!
//! What: all layers as one picture, and what tools print that add layers up. Formula: frames between the presents of
//! all layers, the same refresh once, over their time; mean of the layers' m / T; sum of the layers' PerfDog counts. A
//! layer without two presents in a row has no rate and is left out. Unit: fps, count. Better: higher, lower. Needs: the
//! presents of every layer. Since: Android 7. Source: docs/design/metrics.md#several-layers.

use super::perfdog::count_lengths;
use super::stretches::{watched, within};
use super::sums::number;
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::time::{DeviceTime, Span};
use crate::window::{LayerPresents, Window};

/// Lengths of frames in ns, by run of adjacent ones.
type Runs = Vec<Vec<i64>>;

/// Frames between presents, where they lie in motions and nothing may be missing between them.
fn runs(presents: &[DeviceTime], window: &Window) -> Runs {
    let mut runs = Runs::new();
    for stretch in watched(window) {
        let mut run = Vec::new();
        for pair in within(presents, stretch).windows(2) {
            let length = pair[1] - pair[0];
            if stretch.holds(pair[0], length) && !rests(pair[0], pair[1], window) {
                run.push(length.ns());
            } else if !run.is_empty() {
                runs.push(std::mem::take(&mut run));
            }
        }
        if !run.is_empty() {
            runs.push(run);
        }
    }
    runs
}

/// Whether most of what the judged layer rested lies between two presents.
fn rests(from: DeviceTime, to: DeviceTime, window: &Window) -> bool {
    let after = window.uncounted.partition_point(|rest| rest.from < to);
    let near = window.uncounted[..after].iter().rev().take_while(|rest| rest.from + rest.length > from);
    near.into_iter().any(|rest| (to - from).ns().saturating_mul(2) > rest.length.ns())
}

/// Runs of one layer; those of the judged layer as they were counted, which knows more than its presents show.
fn of_layer(layer: &LayerPresents, window: &Window) -> Runs {
    if window.coverage.layer.as_deref() != Some(layer.layer.as_str()) {
        return runs(&layer.presents, window);
    }
    let segments = window.intervals.chunk_by(|one, next| one.segment == next.segment);
    segments.map(|run| run.iter().map(|frame| frame.length.ns()).collect()).collect()
}

fn rate(runs: &Runs) -> Option<f64> {
    let frames: usize = runs.iter().map(Vec::len).sum();
    let time: i128 = runs.iter().flatten().map(|length| i128::from(*length)).sum();
    (time > 0).then(|| frames as f64 * 1e9 / time as f64)
}

/// The layers; the reason when none were read.
fn layers(window: &Window) -> Result<&[LayerPresents], Refusal> {
    match window.beside.layers.as_slice() {
        [] => Err("the presents of the app's layers were not kept apart here".into()),
        layers => Ok(layers),
    }
}

fn nothing() -> String {
    "no layer has two presents in a row inside one motion".to_owned()
}

/// Presents of all layers in order; those closer than half a refresh to the one before are the same refresh.
fn united(layers: &[LayerPresents], window: &Window) -> Vec<DeviceTime> {
    let mut all: Vec<DeviceTime> = layers.iter().flat_map(|layer| layer.presents.iter().copied()).collect();
    all.sort_unstable();
    let periods = &window.coverage.periods;
    all.dedup_by(|next, kept| {
        let known = periods.partition_point(|segment| segment.from <= *kept).saturating_sub(1);
        let period = periods.get(known).map_or(Span::ZERO, |segment| segment.period);
        *next == *kept || i128::from((*next - *kept).ns()) * 2 < i128::from(period.ns())
    });
    all
}

fn union_fps(window: &Window) -> Result<f64, Refusal> {
    let presents = united(layers(window)?, window);
    rate(&runs(&presents, window)).ok_or_else(|| nothing().into())
}

fn mean_fps(window: &Window) -> Result<f64, Refusal> {
    let rates: Vec<f64> = layers(window)?.iter().filter_map(|layer| rate(&of_layer(layer, window))).collect();
    if rates.is_empty() { Err(nothing().into()) } else { Ok(rates.iter().sum::<f64>() / rates.len() as f64) }
}

fn sum_jank(window: &Window) -> Result<f64, Refusal> {
    let all: Vec<Runs> = layers(window)?.iter().map(|layer| of_layer(layer, window)).collect();
    if all.iter().all(Vec::is_empty) {
        return Err(nothing().into());
    }
    Ok(all.iter().flatten().map(|run| count_lengths(run)).sum::<u64>() as f64)
}

/// All layers as one picture.
pub(crate) static UNION_FPS: Metric = Metric {
    key: "union_fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Layers,
    about: "frames per second of all layers of the app together, the same refresh counted once",
    formula: "m / T of the presents of all layers, those within half P of the one before left out",
    since: 7,
    origin: "farmjank's answer to apps that draw on several layers: how often anything of the app changed. A smooth video \
        hides a stuck list in it, so limits belong on the layer itself (fps).",
    measure: |window| number(union_fps(window)),
};

/// Mean of the layers.
pub(crate) static VIEWS_MEAN_FPS: Metric = Metric {
    key: "views_mean_fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Layers,
    about: "mean of the frame rates of the app's layers, layers that did not draw left out",
    formula: "mean of m / T of each layer with a frame",
    since: 7,
    origin: "What tools print that average over views: a list at 60 and a video at 15 read 37.5, a rate nothing ran at. \
        Given to compare with such tools. For the picture as a whole read union_fps, for the layer that moves fps.",
    measure: |window| number(mean_fps(window)),
};

/// Sum over the layers.
pub(crate) static VIEWS_SUM_JANK: Metric = Metric {
    key: "views_sum_jank",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Layers,
    about: "PerfDog jank, summed over the layers of the app",
    formula: "sum of perfdog_jank of each layer",
    since: 7,
    origin: "What tools print that add up over views, by PerfDog's conditions. A stall of the whole app counts once per \
        layer, and a video at 12 frames per second is long by itself: compare, do not gate.",
    measure: |window| number(sum_jank(window)),
};
