//! The scenarios of a test, read as the program reads them.

use farmjank_results::file_error::FileProblem;
use farmjank_results::metric::{Better, Unit};
use farmjank_scenarios::read::{ReadOptions, SourceFile, read};
use farmjank_scenarios::scenario::Scenario;
use std::collections::BTreeMap;

/// Scenarios of these files; every complaint is printed where they have one.
///
/// # Panics
/// They have complaints.
pub fn scenarios(files: &[SourceFile]) -> Vec<Scenario> {
    let known = farmjank_results::metrics::registry().iter();
    let metrics: Vec<(&str, Unit, Better)> =
        known.map(|metric| (metric.key, metric.unit, metric.better)).collect();
    let none = |_: &str| Err(FileProblem::Missing);
    let read = read(files, &BTreeMap::new(), &ReadOptions { metrics: &metrics, sources: &none });
    read.unwrap_or_else(|complaints| {
        let words: String = complaints.iter().map(|complaint| complaint.render(false)).collect();
        panic!("the scenario of a test cannot be read:\n{words}")
    })
}
