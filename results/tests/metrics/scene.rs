//! Windows made to order. All numbers are ns on the phone's clock.

use farmjank_results::frame::SourceId;
use farmjank_results::metric::{Cell, Reading};
use farmjank_results::metrics::{find, reading};
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::time::{DeviceTime, Span};
use farmjank_results::timeline::RowCounts;
use farmjank_results::window::{Beside, Coverage, Interval, Window};

/// One millisecond.
pub const MS: i64 = 1_000_000;
/// One second.
pub const SECOND: i64 = 1_000 * MS;
/// A period of 60 Hz.
pub const P60: i64 = 16_666_667;
/// When the first frame begins.
pub const START: i64 = 5_000 * MS;

/// An instant.
pub fn at(ns: i64) -> DeviceTime {
    DeviceTime::from_ns(ns)
}

/// Lengths of one segment, in ns, in one finger motion.
pub fn window(period: i64, lengths: &[i64]) -> Window {
    segments(period, &[lengths.to_vec()], Phase::Finger)
}

/// Lengths in ms of one segment, in one finger motion at 60 Hz.
pub fn millis(lengths: &[f64]) -> Window {
    window(P60, &lengths.iter().map(|ms| (ms * 1e6).round() as i64).collect::<Vec<i64>>())
}

/// Segments 2 s apart, all in one motion of this phase that ends with the last present.
pub fn segments(period: i64, segments: &[Vec<i64>], phase: Phase) -> Window {
    let mut now = START;
    let (mut presents, mut intervals) = (Vec::new(), Vec::new());
    for (segment, lengths) in segments.iter().enumerate() {
        presents.push(at(now));
        for length in lengths {
            let interval = Interval {
                from: at(now),
                length: Span::from_ns(*length),
                period: Span::from_ns(period),
                vsyncs: vsyncs(*length, period),
                late: vsyncs(*length, period).saturating_sub(1),
                segment: segment as u32,
                phase,
            };
            intervals.push(interval);
            now += length;
            presents.push(at(now));
        }
        now += 2 * SECOND;
    }
    let motion = Motion { from: at(START), to: *presents.last().expect("a segment"), phase, touch: None };
    let coverage = Coverage {
        frames_seen: presents.len() as u64,
        samples: 1,
        proved: true,
        share: 1.0,
        gaps: Vec::new(),
        source: SourceId::SurfaceFlinger,
        layer: Some("app".to_owned()),
        periods: Vec::new(),
        period_uncertain: Span::ZERO,
        late_uncertain: Span::ZERO,
        row_counts: RowCounts { samples: 1, ..RowCounts::default() },
        untold: 0,
        doubts: Vec::new(),
    };
    Window {
        intervals,
        uncounted: Vec::new(),
        motions: vec![motion],
        presents,
        first_frame: Vec::new(),
        ambiguous: Span::ZERO,
        idle: (0, Span::ZERO),
        coverage,
        beside: Beside::default(),
    }
}

/// Round half up, at least one.
fn vsyncs(length: i64, period: i64) -> u32 {
    ((2 * length + period) / (2 * period)).max(1) as u32
}

/// The reading of a key.
pub fn read(window: &Window, key: &str) -> Reading {
    reading(find(key).unwrap_or_else(|| panic!("no metric {key}")), window)
}

/// The number of a key.
pub fn number(window: &Window, key: &str) -> f64 {
    let reading = read(window, key);
    reading.value().unwrap_or_else(|| panic!("{key}: {reading:?}"))
}

/// The list of a key.
pub fn list(window: &Window, key: &str) -> Vec<f64> {
    match read(window, key) {
        Reading::List(list) => list,
        reading => panic!("{key}: {reading:?}"),
    }
}

/// The reason why a key has no value.
pub fn reason(window: &Window, key: &str) -> String {
    match read(window, key) {
        Reading::Unmeasurable(why) => why.to_string(),
        reading => panic!("{key}: {reading:?}"),
    }
}

/// One part of every thing of a table.
pub fn column(window: &Window, key: &str, part: &str) -> Vec<f64> {
    let Reading::Table(things) = read(window, key) else { panic!("{key} is no table") };
    let cell = |thing: &std::collections::BTreeMap<String, Cell>| match thing.get(part) {
        Some(Cell::Number(number)) => *number,
        cell => panic!("{key}.{part}: {cell:?}"),
    };
    things.iter().map(cell).collect()
}
