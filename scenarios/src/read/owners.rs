//! Owners of causes: who answers for which package, section or kind, with every complaint at its place.

use super::document::tags;
use super::fields::{self, Fields, entries};
use super::one_document::{keys, one_document};
use super::read_context::ReadContext;
use super::{SourceFile, value};
use crate::complaint::{Complaint, quoted};
use crate::node::{Entry, Node};
use crate::vocabulary::NAME_CHARS;
use crate::vocabulary::lab_files::{OWNERS, TEAM};
use farmjank_leaf::nearest::nearest;
use farmjank_results::owners::{Owners, Team};
use std::collections::BTreeMap;

/// Name of the file.
pub const FILE: &str = "owners.yaml";

/// Reads a file of owners.
///
/// # Errors
/// Every complaint, in order of lines.
pub fn owners(file: &SourceFile) -> Result<Owners, Vec<Complaint>> {
    one_document(file, "keep one map under `owners:`", of_document)
}

fn of_document(ctx: &mut ReadContext<'_>, document: &Node) -> Owners {
    let instead = "write `owners:`, and below it `com.example.feed: team-feed` for each package";
    let Some(keys) = keys(ctx, document, instead) else { return Owners::default() };
    let fields = fields::fields(ctx, "a file of owners", document.mark, &keys, &[OWNERS]);
    let rules = rules(ctx, &fields);
    Owners { teams: teams(ctx, &fields, &rules), rules }
}

/// Names and patterns, each with its owner.
fn rules(ctx: &mut ReadContext<'_>, fields: &Fields) -> Vec<(String, String)> {
    let Some(node) = fields.get("owners").cloned() else { return Vec::new() };
    let Some(all) = entries(ctx, "owners", &node) else { return Vec::new() };
    all.iter().filter_map(|entry| rule(ctx, entry)).collect()
}

fn rule(ctx: &mut ReadContext<'_>, entry: &Entry) -> Option<(String, String)> {
    let owner = value::scalar(ctx, &entry.key, &entry.value)?;
    let length = owner.value.chars().count();
    if length == 0 || length > NAME_CHARS {
        let what = format!("{} cannot be an owner", quoted(&owner.value));
        ctx.complain(owner.mark, what, format!("write a name of at most {NAME_CHARS} characters"));
        return None;
    }
    if entry.key.is_empty() || entry.key.contains(char::is_control) {
        let instead =
            "write a package (`com.example.feed`), a pattern (`'load*'`), or `'*'` for everything else";
        ctx.complain(entry.mark, format!("{} owns nothing", quoted(&entry.key)), instead);
        return None;
    }
    if let Some(package) = entry.key.strip_suffix('.') {
        let instead = format!("write `{package}`: everything below it is meant, too");
        ctx.complain(entry.mark, format!("{} is no package", quoted(&entry.key)), instead);
        return None;
    }
    Some((entry.key.clone(), owner.value))
}

/// What tickets of owners get.
fn teams(ctx: &mut ReadContext<'_>, fields: &Fields, rules: &[(String, String)]) -> BTreeMap<String, Team> {
    let Some(node) = fields.get("teams").cloned() else { return BTreeMap::new() };
    let Some(all) = entries(ctx, "teams", &node) else { return BTreeMap::new() };
    let mut teams = BTreeMap::new();
    for entry in all {
        if !rules.iter().any(|(_, owner)| *owner == entry.key) {
            let known = nearest(&entry.key, rules.iter().map(|(_, owner)| owner.as_str()));
            let instead = match known {
                Some(owner) => format!("did you mean {}?", quoted(owner)),
                None => "give it something under `owners:`, or take it out".to_owned(),
            };
            ctx.complain(entry.mark, format!("{} owns nothing", quoted(&entry.key)), instead);
            continue;
        }
        let Some(keys) = entries(ctx, &entry.key, &entry.value) else { continue };
        let fields = fields::fields(ctx, "a team", entry.value.mark, keys, &[TEAM]);
        teams.insert(entry.key.clone(), Team { labels: tags(ctx, &fields, "labels") });
    }
    teams
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Owners, String> {
        let file = SourceFile { name: "owners.yaml".to_owned(), text: text.as_bytes().to_vec() };
        owners(&file).map_err(|all| all.iter().map(|one| one.render(false)).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn rules_and_what_tickets_of_owners_get_are_read_in_order() {
        let text = "owners:\n  com.shop.db: team-db\n  'load*': team feed\n  '*': team-app\nteams:\n  team-db: { labels: \
                    [ storage, p1 ] }\n  team-app: { labels: app }\n";
        let read = read(text).expect("it is right");
        let rules: Vec<(&str, &str)> =
            read.rules.iter().map(|(rule, owner)| (rule.as_str(), owner.as_str())).collect();
        assert_eq!(rules, [("com.shop.db", "team-db"), ("load*", "team feed"), ("*", "team-app")]);
        let labels = |team: &str| read.teams[team].labels.join(" ");
        assert_eq!((labels("team-db"), labels("team-app")), ("storage p1".to_owned(), "app".to_owned()));
        assert_eq!(self::read(""), Ok(Owners::default()));
    }

    #[test]
    fn every_mistake_is_told_at_its_place_with_what_is_meant() {
        let text = "owners:\n  com.shop.: a\n  com.shop.db: [ b ]\n  com.shop.ui: ''\n  com.shop.x: team-x\nteams:\n  \
                    team-y: { labels: [ a ] }\n  team-x: { lables: [ a ] }\nowner: x\n";
        let why = read(text).expect_err("all of it is wrong");
        for wanted in [
            "owners.yaml:2",
            "write `com.shop`: everything below it is meant, too",
            "owners.yaml:3",
            "a single value",
            "owners.yaml:4",
            "cannot be an owner",
            "owners.yaml:7",
            "did you mean `team-x`?",
            "owners.yaml:8",
            "`labels`",
            "owners.yaml:9",
            "`owners`",
        ] {
            assert!(why.contains(wanted), "no `{wanted}` in\n{why}");
        }
        let why = read("- com.shop: a\n").expect_err("a list");
        assert!(why.contains("write `owners:`"), "{why}");
    }
}
