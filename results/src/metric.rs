//! A metric: a named pure function from a window to a reading.

use crate::window::Window;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Unit of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Unit {
    /// Frames per second.
    #[serde(rename = "fps")]
    Fps,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Ms,
    /// Milliseconds of hitch per second of motion.
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

/// One value measured in one window of one trial, or the reason there is none. Never 0 for *no data*.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Measured.
    Value(f64),
    /// Measured, a list in the order the metric documents.
    List(Vec<f64>),
    /// Not measurable, because.
    Unmeasurable(String),
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

/// A metric on presents. Each implementation states formula, unit, direction, needs and source in its header.
pub trait Metric: Sync {
    /// Key in reports and thresholds, such as `hitch_ms_per_s`.
    fn key(&self) -> &'static str;
    /// Unit of its readings.
    fn unit(&self) -> Unit;
    /// Which way is better.
    fn better(&self) -> Better;
    /// One line for people: what it says.
    fn about(&self) -> &'static str;
    /// The reading of one window.
    fn measure(&self, window: &Window) -> Reading;
}
