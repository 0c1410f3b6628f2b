//! Which limits judge a window on a phone.
//!
//! For each metric, the most particular block that names it gives all of its limits:
//! 1. the last override whose requirement the phone meets and that names the metric;
//! 2. the window's own block;
//! 3. the scenario's block.
//!
//! Launch metrics apply only to windows in which the app is launched, `launch` among them; frame metrics apply to every
//! window but `launch`. An override may add a metric nobody else limits.

use crate::scenario::Scenario;
use crate::threshold::Threshold;
use crate::vocabulary::is_launch_metric;
use farmjank_results::device::DeviceFacts;

/// Limits that apply to a window on a phone, in the order they were written: the scenario's metrics, then the window's
/// own, then those only an override names. Empty when the scenario has no such window.
pub fn thresholds_for(scenario: &Scenario, window: &str, facts: &DeviceFacts) -> Vec<Threshold> {
    let windows = scenario.windows();
    let Some(window) = windows.iter().find(|declared| declared.name == window) else { return Vec::new() };
    let matching: Vec<&[Threshold]> = scenario
        .overrides
        .iter()
        .filter(|exception| exception.devices.matches(facts).is_ok())
        .map(|exception| exception.thresholds.as_slice())
        .collect();
    let mut blocks = vec![scenario.thresholds.as_slice(), window.thresholds];
    blocks.extend(matching);
    let mut metrics: Vec<&str> = Vec::new();
    for threshold in blocks.iter().flat_map(|block| block.iter()) {
        if !metrics.contains(&threshold.metric.as_str()) {
            metrics.push(&threshold.metric);
        }
    }
    let applies = |metric: &str| if is_launch_metric(metric) { window.launches } else { !window.implicit };
    let mut limits = Vec::new();
    for metric in metrics.into_iter().filter(|metric| applies(metric)) {
        let names = |block: &&&[Threshold]| block.iter().any(|threshold| threshold.metric == metric);
        if let Some(block) = blocks.iter().rev().find(names) {
            limits.extend(block.iter().filter(|threshold| threshold.metric == metric).cloned());
        }
    }
    limits
}
