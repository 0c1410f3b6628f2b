//! What took whose place: another system build, another text of the scenario, another phone of the model. Named, never
//! joined.
//!
//! Must not know: levels.

use super::Line;
use crate::words::several;
use std::collections::{BTreeMap, BTreeSet};

/// Why a line is over, in words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Over {
    /// Another line took its place, which differs from it so.
    Replaced(String),
    /// None of the newest runs has it.
    Unmeasured(String),
}

impl Over {
    /// Why.
    pub fn words(&self) -> &str {
        match self {
            Over::Replaced(why) | Over::Unmeasured(why) => why,
        }
    }
}

/// What is known of a line among the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// What it took the place of, in words.
    pub follows: Option<String>,
    /// Why it is over.
    pub ended: Option<Over>,
}

/// The place of every line. A line is over when another one of its window took its place, or when none of the `newest`
/// runs of all lines has it.
pub(super) fn places(lines: &[Line], newest: usize) -> Vec<Place> {
    let mut places = vec![Place::default(); lines.len()];
    let spot = |line: &Line| {
        let key = &line.key;
        [&key.model, &key.scenario, &key.window, &key.metric].map(String::clone)
    };
    let mut by_spot: BTreeMap<[String; 4], Vec<usize>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        by_spot.entry(spot(line)).or_default().push(at);
    }
    for mut group in by_spot.into_values() {
        group.sort_by_key(|at| (lines[*at].first().order, *at));
        // First those of the phone itself, then phones that took another's place.
        for same_phone in [true, false] {
            for new in group.clone() {
                follow(lines, &group, new, same_phone, &mut places);
            }
        }
    }
    let runs: BTreeSet<usize> = lines.iter().flat_map(|line| &line.nights).map(|night| night.order).collect();
    let oldest = runs.iter().rev().nth(newest.max(1).min(runs.len()).saturating_sub(1)).copied().unwrap_or(0);
    for (line, place) in lines.iter().zip(&mut places) {
        if line.last().order < oldest && place.ended.is_none() {
            place.ended = Some(Over::Unmeasured(format!("no night since {}", day(&line.last().wall))));
        }
    }
    places
}

/// Finds whose place a line took: of the lines that were over before it began, the last to end.
fn follow(lines: &[Line], group: &[usize], new: usize, same_phone: bool, places: &mut [Place]) {
    if places[new].follows.is_some() {
        return;
    }
    let line = &lines[new];
    let over = |at: &&usize| {
        let old = &lines[**at];
        old.last().order < line.first().order
            && places[**at].ended.is_none()
            && (old.device == line.device) == same_phone
    };
    let Some(old) = group.iter().filter(over).max_by_key(|at| (lines[**at].last().order, **at)).copied()
    else {
        return;
    };
    let before = &lines[old];
    let mut differs: Vec<&str> = if same_phone { Vec::new() } else { vec!["phone"] };
    differs.extend(line.key.differs(&before.key));
    let what = if differs.len() == 1 { "differs" } else { "differ" };
    let phone = if same_phone { String::new() } else { format!(" on {}", before.device) };
    let since = day(&line.first().wall);
    places[new].follows = Some(format!(
        "{} {what} since {since}: the {} before{phone} are a line of their own",
        differs.join(" and "),
        several(before.nights.len(), "night", "nights"),
    ));
    places[old].ended = Some(Over::Replaced(format!("{} {what} since {since}", differs.join(" and "))));
}

/// `2026-03-01` of an RFC 3339 text.
fn day(wall: &str) -> String {
    wall.chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::super::samples::{nights, order};
    use super::*;

    #[test]
    fn another_build_and_another_phone_are_named_and_not_joined() {
        let mut sessions = nights("A", 0, &[10.0; 20], 1);
        let mut updated = nights("A", 20, &[10.0; 10], 2);
        updated.iter_mut().for_each(|session| session.key.build = "next".to_owned());
        let mut other = nights("B", 30, &[10.0; 5], 3);
        other.iter_mut().for_each(|session| session.key.build = "next".to_owned());
        sessions.extend(updated);
        sessions.extend(other);
        let found = lines(&sessions, order);
        assert_eq!(found.len(), 3);
        let places = places(&found, 10);
        let told = |phone: &str, build: &str| {
            let of = |line: &Line| line.device.0 == phone && line.key.build.starts_with(build);
            let at = found.iter().position(of).expect("the line");
            (
                places[at].follows.clone().unwrap_or_default(),
                places[at].ended.as_ref().map_or("", Over::words),
            )
        };
        assert_eq!(told("A", "google"), (String::new(), "OS build differs since 2026-01-21"));
        let (follows, ended) = told("A", "next");
        assert_eq!(
            follows,
            "OS build differs since 2026-01-21: the 20 nights before are a line of their own"
        );
        assert_eq!(ended, "phone differs since 2026-02-03");
        let (follows, ended) = told("B", "next");
        assert_eq!(
            follows,
            "phone differs since 2026-02-03: the 10 nights before on A are a line of their own"
        );
        assert_eq!(ended, "");
    }

    #[test]
    fn a_phone_that_left_is_over_and_two_side_by_side_replace_nobody() {
        let mut sessions = nights("A", 0, &[10.0; 30], 1);
        sessions.extend(nights("B", 0, &[10.0; 12], 2));
        let found = lines(&sessions, order);
        let places = places(&found, 10);
        assert_eq!(places[0], Place::default());
        assert_eq!(places[1].ended, Some(Over::Unmeasured("no night since 2026-01-12".to_owned())));
    }
}
