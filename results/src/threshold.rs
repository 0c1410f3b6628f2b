//! Limits an author writes (`mean >= 95%refresh`) and what became of them.

use crate::metric::Unit;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// How the values of the counted iterations become one number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Aggregate {
    /// Arithmetic mean.
    Mean,
    /// Median (mean of the middle two when even).
    Median,
    /// Smallest.
    Min,
    /// Largest.
    Max,
    /// Nearest-rank percentile, 0 < N <= 100.
    P(f64),
}

/// How the aggregate relates to the limit when it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// `<`
    #[serde(rename = "<")]
    Below,
    /// `<=`
    #[serde(rename = "<=")]
    AtMost,
    /// `>`
    #[serde(rename = ">")]
    Above,
    /// `>=`
    #[serde(rename = ">=")]
    AtLeast,
    /// `==`
    #[serde(rename = "==")]
    Equal,
}

/// The number an aggregate is held against.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// In the metric's own unit (`s` has become ms, and so on).
    Plain(f64),
    /// Percent of the refresh rate in force over the counted intervals of each iteration (frames per second).
    PercentOfRefresh(f64),
}

/// One limit on one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// As the author wrote it, trimmed.
    pub text: String,
    /// Aggregate over counted iterations.
    pub aggregate: Aggregate,
    /// Relation that must hold.
    pub relation: Relation,
    /// Limit.
    pub bound: Bound,
    /// One-sided confidence in percent (50..100 exclusive) with which it must be shown; without it the aggregate alone
    /// decides (docs/design/verdicts.md#the-unit-is-the-iteration).
    pub confidence: Option<f64>,
}

/// Why a limit cannot be read: where in the text, what is wrong, what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitComplaint {
    /// Byte range in the limit's text.
    pub at: Range<usize>,
    /// What is wrong.
    pub what: String,
    /// What to write instead; may be empty.
    pub instead: String,
}

/// What became of a limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It held.
    Held,
    /// It was breached.
    Breached,
    /// It was breached, and not by the app, because: reported, and no failure of the app.
    Excused(String),
    /// It cannot be told, because.
    Unknown(String),
}

/// One limit held against the counted iterations of one window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Metric key.
    pub metric: String,
    /// Unit of `actual`, `limit` and `values`.
    pub unit: Unit,
    /// The limit as written.
    pub text: String,
    /// The aggregate over the counted iterations that have a value.
    pub actual: Option<f64>,
    /// The limit in the metric's unit, resolved against the refresh rate where it is relative.
    pub limit: Option<f64>,
    /// One-sided bound used, when a confidence was asked for.
    pub confidence_bound: Option<f64>,
    /// Value per counted iteration, in order; none where it was not measurable.
    pub values: Vec<Option<f64>>,
    /// What became of it.
    pub outcome: Outcome,
}

impl fmt::Display for LimitComplaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if self.instead.is_empty() { Ok(()) } else { write!(f, "; write {}", self.instead) }
    }
}

impl std::error::Error for LimitComplaint {}

impl fmt::Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aggregate::Mean => f.write_str("mean"),
            Aggregate::Median => f.write_str("median"),
            Aggregate::Min => f.write_str("min"),
            Aggregate::Max => f.write_str("max"),
            Aggregate::P(percent) => write!(f, "p({percent})"),
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Below => "<",
            Relation::AtMost => "<=",
            Relation::Above => ">",
            Relation::AtLeast => ">=",
            Relation::Equal => "==",
        })
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Plain(value) => write!(f, "{value}"),
            Bound::PercentOfRefresh(percent) => write!(f, "{percent}%refresh"),
        }
    }
}

/// The limit in its shortest canonical form, which reads back as the same limit.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.aggregate, self.relation, self.bound)
    }
}
