//! Names of cases: stable from run to run, unique in the file, safe in every reader.
//!
//! Readers key history on `classname` and `name`, and GitLab keeps only the first of several equal pairs. So names hold
//! no counter and no date, and names that would collide get a mark made of what tells them apart, not of their order.

use crate::cells::Cell;
use crate::clean::{NAME, xml_attribute};
use farmjank_leaf::hash::Fnv;
use std::collections::BTreeMap;

/// The two names of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// `scenario.Model.SERIAL`.
    pub classname: String,
    /// The window.
    pub name: String,
}

/// The names of all cells, in their order.
pub(crate) fn names(cells: &[Cell]) -> Vec<Names> {
    let identity = |cell: &Cell| {
        let planned = &cell.job.planned;
        let device = planned.device.as_ref().map(|id| id.0.as_str());
        format!("{}\0{}\0{}", planned.scenario, planned.file, device.unwrap_or("\u{1}"))
    };
    // Cells of one job, and of the same scenario on the same phone, share their class.
    let mut classes: BTreeMap<String, String> = BTreeMap::new();
    for cell in cells {
        classes.entry(identity(cell)).or_insert_with(|| classname(cell));
    }
    let unique_classes = unique(classes.iter().map(|(raw, label)| (label.clone(), raw.clone())));
    let classes: BTreeMap<&String, String> = classes.keys().zip(unique_classes).collect();
    let class_of = |cell: &Cell| classes[&identity(cell)].clone();
    let mut members: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, cell) in cells.iter().enumerate() {
        members.entry(class_of(cell)).or_default().push(at);
    }
    let mut out = vec![Names { classname: String::new(), name: String::new() }; cells.len()];
    for (class, members) in members {
        let labels =
            members.iter().map(|at| (xml_attribute(cells[*at].name, NAME), cells[*at].name.to_owned()));
        for (name, at) in unique(labels).into_iter().zip(members) {
            out[at] = Names { classname: class.clone(), name };
        }
    }
    out
}

fn classname(cell: &Cell) -> String {
    let scenario = part(&cell.job.planned.scenario).to_lowercase();
    let (model, serial) = match (cell.device(), cell.facts()) {
        (None, _) => return format!("{scenario}.no_phone"),
        (Some(id), Some(facts)) => (part(&facts.model), part(&id.0)),
        (Some(id), None) => (String::new(), part(&id.0)),
    };
    let parts = [scenario, model, serial];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}

/// One part of a class name: letters, digits, `-`; everything else is one `_`.
fn part(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(NAME / 3) {
        match c {
            c if c.is_alphanumeric() || c == '-' => out.push(c),
            _ if out.is_empty() || out.ends_with('_') => {}
            _ => out.push('_'),
        }
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}

/// Labels made unique: those that collide get `~` and a hash of what they stand for; true twins also their number.
pub(crate) fn unique(items: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let items: Vec<(String, String)> = items.collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    items.iter().for_each(|(label, _)| *seen.entry(label).or_default() += 1);
    let marked: Vec<String> = items
        .iter()
        .map(|(label, raw)| match (seen[label.as_str()], label.is_empty()) {
            (1, false) => label.clone(),
            (1, true) => "unnamed".to_owned(),
            _ => format!("{label}~{:08x}", fingerprint(raw)),
        })
        .collect();
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut numbered = |label: String| {
        let twins = taken.entry(label.clone()).or_default();
        *twins += 1;
        if *twins == 1 { label } else { format!("{label}~{twins}") }
    };
    marked.into_iter().map(&mut numbered).collect()
}

/// The same on every machine and in every version.
fn fingerprint(text: &str) -> u32 {
    Fnv::NOTHING.and(text.bytes()).folded()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(items: &[(&str, &str)]) -> Vec<String> {
        unique(items.iter().map(|(label, raw)| ((*label).to_owned(), (*raw).to_owned())))
    }

    #[test]
    fn class_names_are_words() {
        assert_eq!(part("Feed  fling!"), "Feed_fling");
        assert_eq!(part("192.168.1.5:5555"), "192_168_1_5_5555");
        assert_eq!(part("emulator-5554"), "emulator-5554");
        assert_eq!(part("Рост 増"), "Рост_増");
    }

    #[test]
    fn collisions_are_told_apart_by_content_and_not_by_order() {
        let one = labels(&[("a_b", "a b"), ("a_b", "a.b"), ("c", "c")]);
        let other = labels(&[("c", "c"), ("a_b", "a.b"), ("a_b", "a b")]);
        assert_eq!((&one[0], &one[1], &one[2]), (&other[2], &other[1], &other[0]));
        assert_ne!(one[0], one[1]);
        assert_eq!(one[2], "c");
    }

    #[test]
    fn true_twins_are_numbered() {
        let twins = labels(&[("a", "same"), ("a", "same")]);
        assert_eq!(twins[1], format!("{}~2", twins[0]));
        assert_eq!(labels(&[("", "x")]), ["unnamed"]);
    }
}
