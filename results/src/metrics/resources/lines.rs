//! What was used over time, for those who draw it under the frames: a line for each metric of what was asked for.
//!
//! Numbers of verdicts are the metrics' own: lines are rounded, and bounded however long a window is.

use super::{
    BATTERY_C, BATTERY_MA, CPU_MS_PER_S, DEVICE_CPU_PCT, NETWORK_RX_KB, NETWORK_TX_KB, RSS_MB, SKIN_C,
    megabytes,
};
use crate::metric::Metric;
use crate::resources::{Resource, ResourceLine, ResourceSample, ResourceWatch, Spent};
use crate::time::{DeviceTime, Span};

/// Most points of a line: of longer windows each is of several looks.
const MOST: usize = 120;
/// What a counter says of less time than this is its own grain: CPU time comes in ticks of 10 ms.
const LEAST: Span = Span::from_ms(500);

/// The lines of what was asked for, in the order people are told them; of what the phone keeps, lines without a point.
pub fn lines(watch: &ResourceWatch) -> Vec<ResourceLine> {
    watch.asked.keys().flat_map(|resource| of(watch, *resource)).collect()
}

fn of(watch: &ResourceWatch, resource: Resource) -> Vec<ResourceLine> {
    let looks = |metric: &Metric, value: fn(&ResourceSample) -> Option<f64>| {
        line(metric, false, highest(watch.samples.iter().map(|look| (look.at, value(look))).collect()))
    };
    // What services tell is looked at as a window begins and ends: that no other look tells it is no news.
    let ends = |metric: &Metric, value: fn(&ResourceSample) -> Option<f64>| {
        let told = watch.samples.iter().filter_map(|look| Some((look.at, Some(value(look)?))));
        line(metric, false, highest(told.collect()))
    };
    match resource {
        Resource::Cpu => vec![
            line(&CPU_MS_PER_S, true, rates(&watch.cpu_spent(), 1_000.0)),
            line(&DEVICE_CPU_PCT, true, rates(&watch.cores_spent(), 100.0)),
        ],
        Resource::Memory => vec![looks(&RSS_MB, megabytes)],
        Resource::Temperature => {
            vec![ends(&SKIN_C, |look| look.skin), ends(&BATTERY_C, |look| look.battery)]
        }
        Resource::Battery => vec![looks(&BATTERY_MA, ResourceSample::draws_ma)],
        Resource::Network => {
            let bytes = watch.network();
            let moved = |bytes: u64| bytes as f64 / 1_024.0;
            vec![
                line(&NETWORK_RX_KB, true, whole(watch, bytes.map(|(received, _)| moved(received)))),
                line(&NETWORK_TX_KB, true, whole(watch, bytes.map(|(_, sent)| moved(sent)))),
            ]
        }
    }
}

type Points = Vec<(DeviceTime, Option<f64>)>;

/// A line that nothing tells of has no point.
fn line(metric: &Metric, since: bool, points: Points) -> ResourceLine {
    let told = points.iter().any(|(_, value)| value.is_some());
    let rounded =
        |(at, value): (DeviceTime, Option<f64>)| (at, value.map(|value| (value * 100.0).round() / 100.0));
    let points = if told { points.into_iter().map(rounded).collect() } else { Vec::new() };
    ResourceLine { metric: metric.key.to_owned(), since, points }
}

/// What was moved over the whole window.
fn whole(watch: &ResourceWatch, moved: Option<f64>) -> Points {
    let ends = watch.samples.first().zip(watch.samples.last());
    ends.map_or_else(Vec::new, |(first, last)| vec![(first.at, None), (last.at, moved)])
}

/// Each point the highest of its looks, at its own time.
fn highest(looks: Points) -> Points {
    let many = looks.len().div_ceil(MOST).max(1);
    let of = |looks: &[(DeviceTime, Option<f64>)]| {
        looks.iter().copied().max_by(|(_, a), (_, b)| a.unwrap_or(f64::MIN).total_cmp(&b.unwrap_or(f64::MIN)))
    };
    looks.chunks(many).filter_map(of).collect()
}

/// Each point what was spent since the point before it, in parts of so many; looks too near each other are one.
fn rates(spent: &[Spent], parts: f64) -> Points {
    let Some((first, last)) = spent.first().zip(spent.last()) else { return Vec::new() };
    let least = LEAST.max(Span::from_ns((last.to - first.from).ns() / MOST as i64));
    let mut points = vec![(first.from, None)];
    let mut begun = 0;
    for (nth, one) in spent.iter().enumerate() {
        let is_last = nth + 1 == spent.len();
        // What would be left too short goes along with what is before it.
        if is_last || (one.to - spent[begun].from >= least && last.to - one.to >= least) {
            points.push((one.to, rate(&spent[begun..=nth], parts)));
            begun = nth + 1;
        }
    }
    points
}

/// None where nothing ran that could spend.
fn rate(spent: &[Spent], parts: f64) -> Option<f64> {
    let used = spent.iter().filter_map(|one| one.used).reduce(|sum, used| sum + used)?;
    let of = spent.iter().fold(Span::ZERO, |sum, one| sum + one.of);
    (of > Span::ZERO).then(|| parts * used.ns() as f64 / of.ns() as f64)
}

#[cfg(test)]
mod tests;
