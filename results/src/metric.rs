//! A metric: a named pure function from a window to a reading.

use crate::window::Window;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Unit of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Unit {
    /// Frames per second.
    #[serde(rename = "fps")]
    Fps,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Ms,
    /// Milliseconds per second: of hitch per second of motion, of CPU time per second.
    #[serde(rename = "ms/s")]
    MsPerS,
    /// Percent, 0..=100.
    #[serde(rename = "%")]
    Percent,
    /// Ratio, 0..=1.
    #[serde(rename = "ratio")]
    Ratio,
    /// A count.
    #[serde(rename = "count")]
    Count,
    /// Megabytes of 1024 kB, as Android prints them.
    #[serde(rename = "MB")]
    Mb,
    /// Kilobytes of 1024 bytes.
    #[serde(rename = "kB")]
    Kb,
    /// Degrees Celsius.
    #[serde(rename = "°C")]
    Celsius,
    /// Milliamperes.
    #[serde(rename = "mA")]
    MilliAmp,
}

impl Unit {
    /// As printed and as written in the reports.
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Fps => "fps",
            Unit::Ms => "ms",
            Unit::MsPerS => "ms/s",
            Unit::Percent => "%",
            Unit::Ratio => "ratio",
            Unit::Count => "count",
            Unit::Mb => "MB",
            Unit::Kb => "kB",
            Unit::Celsius => "°C",
            Unit::MilliAmp => "mA",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Lower is better.
    Lower,
    /// Higher is better.
    Higher,
}

impl Better {
    /// Whether a difference, new minus old, goes the wrong way.
    pub fn is_worse(self, by: f64) -> bool {
        match self {
            Better::Lower => by > 0.0,
            Better::Higher => by < 0.0,
        }
    }
}

/// One value measured in one window of one trial, or the reason there is none. Never 0 for *no data*.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Measured.
    Value(f64),
    /// Measured, a list in the order the metric documents.
    List(Vec<f64>),
    /// Measured, a list of things with named parts, in the order the metric documents; empty when there were none.
    Table(Vec<BTreeMap<String, Cell>>),
    /// Not measurable, because.
    Unmeasurable(Arc<str>),
}

/// One named part of a [`Reading::Table`] entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number; its unit is in its name (`ms`, `fps`) or in the metric's text.
    Number(f64),
    /// Text of the phone: hostile, bounded.
    Text(String),
}

impl Reading {
    /// The number, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Reading::Value(value) => Some(*value),
            _ => None,
        }
    }
}

/// What a metric reads, and so what makes it untrustworthy. The one rule that refuses numbers (`metrics::doubt`) knows
/// only this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    /// Every frame's length in nanoseconds. Refused when frames may be missing or too much time is ambiguous.
    Frames,
    /// Lengths in whole vsyncs. Refused as [`Needs::Frames`] are, and when the refresh period is unknown or uncertain.
    Vsyncs,
    /// Single presents, not intervals. Refused when frames may be missing.
    Presents,
    /// The counters of the evidence itself. Never refused: they say how good the evidence is.
    Counters,
    /// Render stages of every drawn frame. Refused when none were read or one may be missing.
    Stages,
    /// When every drawn frame was finished. Refused as [`Needs::Stages`] are, where no whole trace tells it either.
    Finishes,
    /// SurfaceFlinger's judgement of every frame. Refused without a trace, and when the trace may have lost one.
    Timeline,
    /// Presents of every layer of the app. Refused as [`Needs::Presents`] are.
    Layers,
    /// The phone's log of the stretch. Refused when it was not read.
    Log,
    /// SurfaceFlinger's own counts of the layer. Refused when none were taken or something else cleared them.
    #[serde(rename = "tally")]
    Timestats,
    /// A second source that saw the same single frames. Refused when there was none.
    Cross,
    /// The report of `am start`, which the engine fills in; no frames at all.
    Launch,
    /// Counters and sensors of the phone beside the frames. Refused when nobody asked, or the phone does not tell.
    Resources,
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Needs::Frames => "every frame of the motion windows",
            Needs::Vsyncs => "every frame of the motion windows and the refresh period",
            Needs::Presents => "every present after the start of a gesture",
            Needs::Counters => "nothing: counts what the evidence shows",
            Needs::Stages => "the render stages of every drawn frame (framestats)",
            Needs::Finishes => {
                "when every drawn frame was finished (framestats, or a Perfetto trace of the frame timeline)"
            }
            Needs::Timeline => "SurfaceFlinger's frame timeline (a Perfetto trace)",
            Needs::Layers => "every present of every layer of the app",
            Needs::Log => "the phone's log of the window",
            Needs::Timestats => "SurfaceFlinger's own counts of the layer (timestats)",
            Needs::Cross => "two sources that saw the same single frames",
            Needs::Launch => "a launchApp step in the window",
            Needs::Resources => "looks at the phone's counters and sensors (`beside`, or a limit)",
        })
    }
}

/// Why a metric has no number here, in words for people: nobody decides on them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

impl From<&str> for Refusal {
    fn from(why: &str) -> Refusal {
        Refusal(why.to_owned())
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal(why)
    }
}

impl From<Refusal> for Reading {
    fn from(why: Refusal) -> Reading {
        Reading::Unmeasurable(why.0.into())
    }
}

/// A metric, written down: each states formula, unit, direction, needs, first release and source.
/// One field for each line of its page.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Key in reports and thresholds, such as `hitch_ms_per_s`.
    pub key: &'static str,
    /// Unit of its readings.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// What it reads.
    pub needs: Needs,
    /// One line for people: what it says.
    pub about: &'static str,
    /// The formula, in the letters of docs/design/metrics.md: d length, P period, L vsyncs, l vsyncs late, m frames, T
    /// time.
    pub formula: &'static str,
    /// First Android release that can give it: 7, 12, …
    pub since: u8,
    /// Where the definition comes from and how it differs from what others call alike, for people.
    pub origin: &'static str,
    /// The reading of one window, taken at its word. Callers use `metrics::reading`, which first asks whether the
    /// window can be trusted.
    pub measure: fn(&Window) -> Reading,
}

impl Metric {
    /// Version of the definition, from 1: numbers of different versions are never compared. No definition has changed
    /// yet.
    pub fn version(&self) -> u32 {
        1
    }

    /// The reading of one window, taken at its word.
    pub(crate) fn measure(&self, window: &Window) -> Reading {
        (self.measure)(window)
    }
}
