//! Which lines a step or a key of the header has, so that it can be taken out whole.

use crate::node::{Entry, Kind, Node};
use crate::source::Source;
use std::ops::RangeInclusive;

/// A step or a key of the header that has lines of its own.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Its lines, from 1.
    pub(super) lines: RangeInclusive<u32>,
    /// Characters before its `-` or its key.
    pub(super) indent: usize,
    /// Its command, or its key.
    pub(super) name: String,
    /// What it is.
    pub(super) node: Node,
    /// Steps within it.
    pub(super) inner: Vec<Part>,
}

impl Part {
    /// The innermost part on a line.
    pub(super) fn at(&self, line: u32) -> Option<&Part> {
        self.lines.contains(&line).then(|| self.inner.iter().find_map(|part| part.at(line)).unwrap_or(self))
    }
}

/// A file's parts.
#[derive(Default)]
pub(super) struct Parts {
    /// Keys of the header, but for the steps.
    pub(super) header: Vec<Part>,
    /// The list of steps.
    pub(super) steps: Vec<Part>,
}

/// Keys whose values are steps.
const STEPS: [&str; 2] = ["steps", "commands"];

/// The parts of a file that was parsed.
pub(super) fn parts(source: &Source, documents: &[Node]) -> Parts {
    let last = u32::try_from(source.text.lines().count()).unwrap_or(u32::MAX);
    let mut parts = Parts::default();
    let (header, list) = match documents {
        [one, two, ..] => (Some(one), Some(two)),
        [one] if matches!(one.kind, Kind::List(_)) => (None, Some(one)),
        [one] => (Some(one), None),
        [] => (None, None),
    };
    if let Some(list) = list {
        parts.steps = steps(source, list, last);
    }
    if let Some(Kind::Map(entries)) = header.map(|header| &header.kind) {
        let end = list.map_or(last, |list| list.mark.place.line.saturating_sub(1));
        for (entry, to) in ended(entries, end) {
            if STEPS.contains(&entry.key.as_str()) && list.is_none() {
                parts.steps = steps(source, &entry.value, to);
            } else if own_line(source, entry.mark.place.line, entry.mark.place.column) == Some(false) {
                parts.header.push(Part {
                    lines: entry.mark.place.line..=tail(source, entry.mark.place.line, to),
                    indent: 0,
                    name: entry.key.clone(),
                    node: entry.value.clone(),
                    inner: Vec::new(),
                });
            }
        }
    }
    parts
}

/// Entries, each with the last line it may have.
fn ended(entries: &[Entry], end: u32) -> impl Iterator<Item = (&Entry, u32)> {
    let next = entries.iter().skip(1).map(|entry| entry.mark.place.line.saturating_sub(1));
    entries.iter().zip(next.chain([end]))
}

/// The steps of a list; none where they do not have lines of their own.
fn steps(source: &Source, list: &Node, end: u32) -> Vec<Part> {
    let Kind::List(items) = &list.kind else { return Vec::new() };
    let first: Option<Vec<(u32, usize)>> = items.iter().map(|item| begins(source, item)).collect();
    let Some(first) = first else { return Vec::new() };
    if !first.is_sorted_by(|a, b| a.0 < b.0) || first.last().is_some_and(|(line, _)| *line > end) {
        return Vec::new();
    }
    let ends = first.iter().skip(1).map(|(line, _)| line - 1).chain([end]);
    items.iter().zip(first.iter().zip(ends)).map(|(item, (from, to))| step(source, item, *from, to)).collect()
}

fn step(source: &Source, item: &Node, (from, indent): (u32, usize), to: u32) -> Part {
    let to = tail(source, from, to);
    let (name, value) = command(item);
    let mut inner = Vec::new();
    let mut maps = vec![(item, to)];
    while let Some((Node { kind: Kind::Map(entries), .. }, end)) = maps.pop() {
        for (entry, end) in ended(entries, end) {
            match &entry.value.kind {
                Kind::List(_) if STEPS.contains(&entry.key.as_str()) => {
                    inner.extend(steps(source, &entry.value, end));
                }
                Kind::Map(_) if value.is_some() && entry.key == name => maps.push((&entry.value, end)),
                _ => {}
            }
        }
    }
    Part { lines: from..=to, indent, name: name.to_owned(), node: item.clone(), inner }
}

/// A step's command and what stands behind it.
pub(super) fn command(item: &Node) -> (&str, Option<&Node>) {
    match &item.kind {
        Kind::Scalar(scalar) => (&scalar.text, None),
        Kind::Map(entries) => {
            let beside = ["label", "optional"];
            let named = entries.iter().find(|entry| !beside.contains(&entry.key.as_str()));
            named.map_or(("", None), |entry| (&entry.key, Some(&entry.value)))
        }
        _ => ("", None),
    }
}

/// The line of a step's `-`, and how far that is indented.
fn begins(source: &Source, item: &Node) -> Option<(u32, usize)> {
    let place = item.mark.place;
    let indent = |line: u32| {
        let text = source.line(line);
        text.chars().count() - text.trim_start().chars().count()
    };
    match own_line(source, place.line, place.column)? {
        true => Some((place.line, indent(place.line))),
        // The dash stands alone on a line above.
        false => {
            let above = (1..place.line).rev().find(|line| !is_idle(source.line(*line)))?;
            (source.line(above).trim() == "-").then(|| (above, indent(above)))
        }
    }
}

/// Whether a dash stands before this place; none where anything else does.
fn own_line(source: &Source, line: u32, column: u32) -> Option<bool> {
    let before: String = source.line(line).chars().take(column.saturating_sub(1) as usize).collect();
    match before.trim() {
        "" => Some(false),
        "-" => Some(true),
        _ => None,
    }
}

/// The last line of a part, without what is idle at its end.
fn tail(source: &Source, from: u32, to: u32) -> u32 {
    (from..=to.max(from)).rev().find(|line| !is_idle(source.line(*line))).unwrap_or(from)
}

fn is_idle(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#') || line == "---" || line == "..."
}
