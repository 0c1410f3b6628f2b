//! Where windows belong: around neighbouring steps that scroll, and the pauses between and after them.

use super::lines::{Part, command};
use crate::node::{Kind, Node};
use std::collections::BTreeSet;

/// Characters of a name that are taken from a step.
const NAME: usize = 40;

/// A window that is put around steps.
#[derive(Clone, Debug)]
pub(super) struct Wrap {
    /// First and last line of its steps.
    pub(super) lines: std::ops::RangeInclusive<u32>,
    /// Characters before its `-`.
    pub(super) indent: usize,
    /// Its name.
    pub(super) name: String,
}

/// The windows of a list of steps.
pub(super) fn wraps(steps: &[Part]) -> Vec<Wrap> {
    let mut found: Vec<Wrap> = Vec::new();
    let mut names = BTreeSet::new();
    let mut at = 0;
    while at < steps.len() {
        if !scrolls(&steps[at].node) {
            at += 1;
            continue;
        }
        let first = at;
        while steps.get(at).is_some_and(|step| scrolls(&step.node) || pauses(&step.node)) {
            at += 1;
        }
        let lines = *steps[first].lines.start()..=*steps[at - 1].lines.end();
        let name = name(&steps[..first]);
        let mut own = name.clone();
        let mut nth = 1;
        while !names.insert(own.clone()) {
            nth += 1;
            own = format!("{name} {nth}");
        }
        found.push(Wrap { lines, indent: steps[first].indent, name: own });
    }
    found
}

/// Scrolls that stand where no window can be, with what they stand in.
pub(super) fn elsewhere(steps: &[Part]) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for step in steps.iter().filter(|step| !scrolls(&step.node) && step.name != "measure") {
        within(step, &mut found);
    }
    found
}

fn within(outer: &Part, found: &mut Vec<(u32, String)>) {
    for step in &outer.inner {
        if is_scroll(command(&step.node).0) {
            found.push((*step.lines.start(), outer.name.clone()));
        }
        within(step, found);
    }
}

fn is_scroll(command: &str) -> bool {
    ["swipe", "scroll", "scrollUntilVisible"].contains(&command)
}

fn pauses(step: &Node) -> bool {
    ["wait", "waitForAnimationToEnd"].contains(&command(step).0)
}

/// It scrolls, and is the same in every trial.
fn scrolls(step: &Node) -> bool {
    let (name, value) = command(step);
    if name != "repeat" {
        return is_scroll(name);
    }
    let Some(Kind::Map(entries)) = value.map(|value| &value.kind) else { return false };
    let of = |keys: &[&str]| entries.iter().find(|entry| keys.contains(&entry.key.as_str()));
    let (Some(_), None) = (of(&["times"]), of(&["while"])) else { return false };
    match of(&["steps", "commands"]).map(|entry| &entry.value.kind) {
        Some(Kind::List(steps)) => {
            steps.iter().any(scrolls) && steps.iter().all(|step| scrolls(step) || pauses(step))
        }
        _ => false,
    }
}

/// What is scrolled is known by what came before.
fn name(before: &[Part]) -> String {
    let told = before.iter().rev().find_map(|step| {
        let (name, value) = command(&step.node);
        match name {
            "launchApp" => Some("launch".to_owned()),
            "tapOn" | "doubleTapOn" | "longPressOn" | "openLink" | "openPage" => words(value?),
            _ => None,
        }
    });
    told.map_or("scroll".to_owned(), |told| format!("scroll after {told}"))
}

/// A step's own words, where they say something.
fn words(value: &Node) -> Option<String> {
    match &value.kind {
        Kind::Scalar(scalar) if !scalar.text.contains("${") => {
            let plain: String = scalar.text.chars().filter(|c| !c.is_control()).take(NAME).collect();
            Some(plain.trim().to_owned()).filter(|plain| !plain.is_empty())
        }
        Kind::Map(entries) => ["text", "id", "link"]
            .iter()
            .find_map(|key| entries.iter().find(|entry| entry.key == *key))
            .and_then(|entry| words(&entry.value)),
        _ => None,
    }
}
