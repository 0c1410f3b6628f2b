//! What it costs to trace the trials that count for why frames are late: those beside references between them, which
//! are not (docs/causes.md#traced-while-it-counts).
//!
//! Differences are of iterations, with the interval of [`shift`]; one that holds nothing is *inconclusive*, never a
//! number alone. Must not know words of reports.

use crate::cells::{counts, measured};
use crate::event::{Ending, TraceSize, WindowMeasured};
use crate::metric::Reading;
use crate::record::JobRecord;
use farmjank_statistics::shift::{Shift, shift};

/// What is looked at: how late frames were, and how long they took.
pub const LOOKED_AT: [&str; 2] = ["hitch_ms_per_s", "mean_ms"];

/// What tracing costs a window.
#[derive(Clone, Debug, PartialEq)]
pub struct TracingCost {
    /// One for each metric of [`LOOKED_AT`].
    pub metrics: Vec<MetricCost>,
    /// What the trace of each trial took, in order; none where none came.
    pub traces: Vec<Option<TraceSize>>,
}

/// What tracing costs a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricCost {
    /// Its key.
    pub metric: &'static str,
    /// Iterations that were traced and have a value, and such reference iterations.
    pub of: (usize, usize),
    /// Traced less reference, in its unit; none where one of both has no value.
    pub shift: Option<Shift>,
}

/// What tracing costs a window of a job; none where no trial that counts was traced.
pub fn of(job: &JobRecord, window: &str) -> Option<TracingCost> {
    let traced = job.causes_over.get(window)?;
    let at = |key: &str, one: &WindowMeasured| one.readings.get(key).and_then(Reading::value);
    let all = measured(job, window);
    let own = all.iter().filter(|(trial, one)| counts(trial, one)).map(|(_, one)| *one);
    let own: Vec<&WindowMeasured> = own.collect();
    let beside = job.diagnoses.iter().filter(|trial| trial.reference);
    let beside =
        beside.filter(|trial| trial.ending == Some(Ending::Completed)).flat_map(|trial| &trial.windows);
    let beside: Vec<&WindowMeasured> =
        beside.filter(|one| one.window == window && one.void.is_none()).collect();
    let metric = |metric: &'static str| {
        let values =
            |all: &[&WindowMeasured]| -> Vec<f64> { all.iter().filter_map(|one| at(metric, one)).collect() };
        let (reference, traced) = (values(&beside), values(&own));
        MetricCost { metric, of: (traced.len(), reference.len()), shift: shift(&reference, &traced) }
    };
    Some(TracingCost {
        metrics: LOOKED_AT.map(metric).into(),
        traces: traced.iterations.iter().map(|one| one.trace).collect(),
    })
}
