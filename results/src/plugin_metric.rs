//! Metrics that plugins compute: what they are called, what is said of one, and what a plugin answered for a window.
//!
//! The key of one is `NAME.metric`: the plugin as the user calls it, a point, the metric as the plugin calls it. No
//! metric of our own has a point in its key. What one is, only the plugin knows; so every window that was asked about
//! says it beside the readings, and a limit is read by that. Numbers of two versions of a plugin may be of two
//! definitions, and nobody can tell: they are judged inside a run and compared with none. Must not know how plugins are
//! spoken to.

use crate::metric::{Better, Reading, Unit};
use crate::motion::Phase;
use crate::threshold::{Limit, LimitComplaint};
use crate::window::{Why, Window};
use farmjank_leaf::hash::Fnv;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longest name of a plugin or a metric, bytes.
const LONGEST: usize = 40;
/// Units in which a limit is looked for before anybody says what the metric's is: the one without a sign first.
const UNITS: [Unit; 10] = [
    Unit::Count,
    Unit::Ms,
    Unit::Percent,
    Unit::MsPerS,
    Unit::Fps,
    Unit::Ratio,
    Unit::Mb,
    Unit::Kb,
    Unit::Celsius,
    Unit::MilliAmp,
];

/// A metric, as its plugin says it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginMetric {
    /// Its name, without the plugin's.
    pub name: String,
    /// Unit of its readings.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// One line on what it means.
    pub about: String,
}

/// A plugin that was to say what it computes of a window; its readings are among those of the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginAsked {
    /// What the user calls it.
    pub plugin: String,
    /// Its version, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its metrics, in its order.
    pub metrics: Vec<PluginMetric>,
    /// A hash of the frames it was told; none where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<String>,
}

impl PluginAsked {
    /// The key of one of its metrics in readings and limits.
    pub fn key(&self, metric: &str) -> String {
        format!("{}.{metric}", self.plugin)
    }
}

/// The plugin and the metric of a key; none of a metric of our own.
pub fn parts(key: &str) -> Option<(&str, &str)> {
    key.rsplit_once('.').filter(|_| !key.contains('['))
}

/// Whether a metric of a plugin can be called so.
pub fn is_name(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    name.len() <= LONGEST && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain)
}

/// Whether a plugin can be called so: its name becomes a folder.
pub fn is_plugin(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    !name.is_empty() && name.len() <= LONGEST && !name.starts_with(['.', '-']) && name.chars().all(plain)
}

/// Reads a limit of which nobody has said yet what the unit of its metric is.
///
/// # Errors
/// No unit fits it.
pub fn limit(text: &str) -> Result<Limit, LimitComplaint> {
    let mut complaints = Vec::new();
    for unit in UNITS {
        match Limit::parse(text, unit) {
            Ok(limit) => return Ok(limit),
            Err(complaint) => complaints.push(complaint),
        }
    }
    let mut first = complaints.swap_remove(0);
    // What is wrong whatever the unit is no matter of units.
    if complaints.iter().any(|other| other.what != first.what) {
        let units = UNITS.iter().skip(1).map(|unit| unit.symbol()).collect::<Vec<_>>().join(", ");
        first.what =
            format!("what stands behind the number is no unit: a metric has none, or one of {units}");
    }
    Err(first)
}

/// One frame, or a stretch of a motion that is none, as plugins are told it: the rows of a frame log, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FrameTold {
    what: &'static str,
    phase: &'static str,
    from_ns: i64,
    to_ns: i64,
    period_ns: i64,
    vsyncs: u32,
    late_vsyncs: u32,
}

impl FrameTold {
    /// A frame of a fling that took so many refreshes, one of which was due.
    pub fn flung(from_ns: i64, period_ns: i64, vsyncs: u32) -> FrameTold {
        let to_ns = from_ns + period_ns * i64::from(vsyncs);
        let (what, phase, late_vsyncs) = ("frame", Phase::Fling.word(), vsyncs.saturating_sub(1));
        FrameTold { what, phase, from_ns, to_ns, period_ns, vsyncs, late_vsyncs }
    }

    /// Its end: its present, where it is a frame.
    pub fn to_ns(&self) -> i64 {
        self.to_ns
    }
}

/// The frames of a window, in order of time.
pub fn told(window: &Window) -> Vec<FrameTold> {
    let frames = window.intervals.iter().map(|interval| FrameTold {
        what: "frame",
        phase: interval.phase.word(),
        from_ns: interval.from.ns(),
        to_ns: (interval.from + interval.length).ns(),
        period_ns: interval.period.ns(),
        vsyncs: interval.vsyncs,
        late_vsyncs: interval.late,
    });
    let rest = window.uncounted.iter().map(|rest| FrameTold {
        what: match rest.why {
            Why::Idle => "idle",
            Why::Ambiguous => "ambiguous",
            Why::Gap => "gap",
        },
        phase: rest.phase.word(),
        from_ns: rest.from.ns(),
        to_ns: (rest.from + rest.length).ns(),
        period_ns: 0,
        vsyncs: 0,
        late_vsyncs: 0,
    });
    let mut all: Vec<FrameTold> = frames.chain(rest).collect();
    all.sort_by_key(|row| (row.from_ns, row.to_ns));
    all
}

/// A hash of frames as they are told.
pub fn hash(frames: &[FrameTold]) -> String {
    let row = |hash: Fnv, row: &FrameTold| {
        let FrameTold { what, phase, from_ns, to_ns, period_ns, vsyncs, late_vsyncs } = row;
        let numbers = [*from_ns, *to_ns, *period_ns, i64::from(*vsyncs), i64::from(*late_vsyncs)];
        let hash = hash.part(what.as_bytes()).part(phase.as_bytes());
        hash.and(numbers.into_iter().flat_map(i64::to_le_bytes))
    };
    frames.iter().fold(Fnv::NOTHING, row).hex()
}

/// Readings by key, of metrics that all have the same reason to have none.
pub fn without(asked: &PluginAsked, why: &str) -> BTreeMap<String, Reading> {
    let none = |metric: &PluginMetric| (asked.key(&metric.name), Reading::Unmeasurable(why.into()));
    asked.metrics.iter().map(none).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_plugin_up_to_the_last_point_and_selectors_of_causes_are_none() {
        assert_eq!(parts("a.b.uneven"), Some(("a.b", "uneven")));
        assert_eq!((parts("fps"), parts("hitch_ms_per_s[lock.*]")), (None, None));
        assert!(crate::metrics::registry().iter().all(|metric| parts(metric.key).is_none()));
        assert!(is_name("p95_ms") && !is_name("P95") && !is_name("") && !is_name("9x") && !is_name("a.b"));
    }

    #[test]
    fn a_limit_is_read_in_any_unit_there_is_and_complains_of_none() {
        for text in ["mean < 3", "max <= 3 %", "p(95) < 20ms", "mean >= 55fps", "mean < 900MB"] {
            assert_eq!(limit(text).unwrap().text, text);
        }
        let wrong = limit("mean < 3 parsecs").unwrap_err();
        assert!(wrong.what.contains("is no unit: a metric has none, or one of ms, %, ms/s"), "{wrong:?}");
        assert_eq!(limit("meen < 3").unwrap_err().what, "unknown aggregate `meen`");
    }
}
