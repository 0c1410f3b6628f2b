//! Which scenarios are selected, by name and by tag, and what is said where none is.

use super::Selection;
use crate::complaint::quoted;
use crate::requirement::glob;
use crate::scenario::Scenario;
use farmjank_leaf::nearest::meant;
use std::collections::BTreeSet;

/// Most tags that are offered where none of them was asked for.
pub(super) const OFFERED: usize = 8;

/// Why no scenario is selected, and what there is to select; none where one is.
pub fn nothing_selected(scenarios: &[Scenario], selection: &Selection) -> Option<String> {
    if scenarios.iter().any(|scenario| wanted(scenario, selection)) {
        return None;
    }
    let tags: BTreeSet<&str> =
        scenarios.iter().flat_map(|scenario| &scenario.tags).map(String::as_str).collect();
    let all: Vec<&str> = tags.into_iter().collect();
    let unknown = selection.include_tags.iter().find(|tag| !all.contains(&tag.as_str()));
    let what = match unknown {
        _ if scenarios.is_empty() => return Some("there is no scenario to select from".to_owned()),
        Some(tag) => format!("no scenario has the tag {}", quoted(tag)),
        None if !selection.names.is_empty() => {
            "every scenario of these names is left out by its tags".to_owned()
        }
        None if selection.include_tags.is_empty() => "every scenario has a tag that is left out".to_owned(),
        None => "every scenario with these tags has one that is left out, too".to_owned(),
    };
    let near = unknown.map_or_else(Vec::new, |tag| meant(tag, &all, OFFERED));
    let offered: Vec<String> =
        if near.is_empty() { &all } else { &near }.iter().map(|tag| quoted(tag)).collect();
    Some(match &*offered {
        [] => format!("{what}, nor any other"),
        _ if !near.is_empty() => format!("{what}; did you mean {}?", offered.join(" or ")),
        _ if offered.len() > OFFERED => {
            format!("{what}; tags are {} and {} more", offered[..OFFERED].join(", "), offered.len() - OFFERED)
        }
        _ => format!("{what}; tags are {}", offered.join(", ")),
    })
}

/// Why a scenario that is asked for by name is not there, and which are; none where all are.
pub fn unknown_scenario(scenarios: &[Scenario], selection: &Selection) -> Option<String> {
    let missing = |name: &&String| !scenarios.iter().any(|scenario| is_named(scenario, name));
    let name = selection.names.iter().find(missing)?;
    let all: BTreeSet<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    let all: Vec<&str> = all.into_iter().collect();
    let near = meant(name, &all, OFFERED);
    let offered = |names: &[&str]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>();
    let what = format!("no scenario is called {}", quoted(name));
    Some(match (near.is_empty(), all.len()) {
        (false, _) => format!("{what}; did you mean {}?", offered(&near).join(" or ")),
        (true, 0) => format!("{what}: there is none"),
        (true, count) if count > OFFERED => {
            format!("{what}; there are {} and {} more", offered(&all[..OFFERED]).join(", "), count - OFFERED)
        }
        (true, _) => format!("{what}; there are {}", offered(&all).join(", ")),
    })
}

/// Names are matched as people type them: whatever their case.
fn is_named(scenario: &Scenario, name: &str) -> bool {
    glob(name, &scenario.name, true)
}

/// Whether a scenario is selected.
pub(super) fn wanted(scenario: &Scenario, selection: &Selection) -> bool {
    let named = |name: &String| is_named(scenario, name);
    let tagged = |tags: &[String]| tags.iter().any(|tag| scenario.tags.contains(tag));
    (selection.names.is_empty() || selection.names.iter().any(named))
        && (selection.include_tags.is_empty() || tagged(&selection.include_tags))
        && !tagged(&selection.exclude_tags)
}
