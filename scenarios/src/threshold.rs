//! A limit on a metric as an author wrote it. What it takes to hold is the judge's business.

use crate::place::Place;
use farmjank_results::threshold::Limit;

/// One limit on one metric, and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// Metric key.
    pub metric: String,
    /// Limit.
    pub limit: Limit,
    /// It faces the way it does on purpose.
    pub backwards: bool,
    /// Where.
    pub place: Place,
}
