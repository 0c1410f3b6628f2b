//! A speedscope file (<https://www.speedscope.app/file-format-schema.json>): a profile for each stall, µs.

use super::calls;
use farmjank_results::held_stacks::HeldStacks;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The file.
pub fn speedscope(app: &str, stalls: &[HeldStacks]) -> String {
    let mut frames: Vec<Value> = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut profiles: Vec<Value> = Vec::new();
    for stall in stalls {
        let mut samples = Vec::new();
        for stack in &stall.stacks {
            let stack = calls(stack).map(|call| {
                *numbers.entry(call).or_insert_with_key(|call| {
                    frames.push(json!({ "name": call }));
                    frames.len() - 1
                })
            });
            samples.push(stack.collect::<Vec<usize>>());
        }
        let weights: Vec<i64> = stall.stacks.iter().map(|stack| stack.ns / 1_000).collect();
        let length: i64 = weights.iter().sum();
        let at = stall.from as f64 / 1e9;
        profiles.push(json!({
            "type": "sampled",
            "name": format!("main at {at:.3} s"),
            "unit": "microseconds",
            "startValue": 0,
            "endValue": length,
            "samples": samples,
            "weights": weights,
        }));
    }
    let whole = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": "farmjank",
        "name": super::line(app, super::NAME),
        "activeProfileIndex": 0,
        "shared": { "frames": frames },
        "profiles": profiles,
    });
    format!("{whole}\n")
}
