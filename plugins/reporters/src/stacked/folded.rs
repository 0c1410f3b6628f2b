//! Folded lines, as Brendan Gregg's flame graphs, Perfetto and speedscope read them: `main;outer;inner 1200`.

use super::calls;
use farmjank_results::held_stacks::HeldStacks;
use std::collections::BTreeMap;

/// One line for each stack, its methods apart by `;`, then its time over all stalls, µs.
pub fn folded(stalls: &[HeldStacks]) -> String {
    let mut all: BTreeMap<String, i64> = BTreeMap::new();
    for stack in stalls.iter().flat_map(|stall| &stall.stacks) {
        let path: Vec<String> = calls(stack).map(|call| call.replace(';', ":")).collect();
        let path = std::iter::once("main".to_owned()).chain(path).collect::<Vec<_>>().join(";");
        *all.entry(path).or_default() += stack.ns / 1_000;
    }
    all.into_iter().map(|(path, us)| format!("{path} {us}\n")).collect()
}
