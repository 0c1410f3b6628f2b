//! The keys of one map, matched against the vocabulary: unknown keys, double spellings and missing keys complained of.

use super::read_context::ReadContext;
use crate::complaint::quoted;
use crate::node::{Entry, Kind, Node};
use crate::place::Mark;
use crate::step::Step;
use crate::vocabulary::maestro::{KEYS_NOT_RUN, KEYS_NOTED};
use crate::vocabulary::{Key, Shape};
use farmjank_leaf::nearest::nearest;
use std::collections::BTreeMap;

/// One map's values by the vocabulary's names.
pub(super) struct Fields {
    /// What the map describes, for messages: a command, `header`, `a page`.
    pub(super) of: String,
    /// Where it stands.
    pub(super) mark: Mark,
    keys: Vec<&'static Key>,
    found: BTreeMap<&'static str, (Mark, Node)>,
}

impl Fields {
    /// The value of a key, if it is given and not empty.
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        self.found.get(name).map(|(_, node)| node).filter(|node| !matches!(node.kind, Kind::Null))
    }

    /// Where the key itself was written.
    pub(super) fn key_mark(&self, name: &str) -> Option<Mark> {
        self.found.get(name).map(|(mark, _)| *mark)
    }

    /// The form of a key's value.
    pub(super) fn shape(&self, name: &str) -> Option<Shape> {
        self.keys.iter().find(|key| key.name == name).map(|key| key.shape)
    }
}

/// Sorts a map's entries by the vocabulary. `of` names it in messages.
pub(super) fn fields(
    ctx: &mut ReadContext<'_>,
    of: &str,
    mark: Mark,
    entries: &[Entry],
    keys: &[&'static [Key]],
) -> Fields {
    let keys: Vec<&'static Key> = keys.iter().flat_map(|keys| keys.iter()).collect();
    let mut fields = Fields { of: of.to_owned(), mark, keys, found: BTreeMap::new() };
    for entry in entries {
        field(ctx, &mut fields, entry);
    }
    let missing: Vec<_> = fields
        .keys
        .iter()
        .filter(|key| key.required && !fields.found.contains_key(key.name))
        .copied()
        .collect();
    for key in missing {
        let instead = format!("add `{}:` ({})", key.name, key.about);
        ctx.complain(mark, format!("{} needs {}", title(of), quoted(key.name)), instead);
    }
    fields
}

fn field(ctx: &mut ReadContext<'_>, fields: &mut Fields, entry: &Entry) {
    if ctx.is_full() {
        return;
    }
    let name = entry.key.as_str();
    let Some(key) = fields.keys.iter().find(|key| key.name == name || key.also.contains(&name)).copied()
    else {
        if let Some((_, _, why)) = KEYS_NOTED.iter().find(|(of, key, _)| *of == fields.of && *key == name) {
            let what = format!("{} of {} changes nothing", quoted(name), title(&fields.of));
            return ctx.notice(entry.mark, what, why);
        }
        let (what, instead, meant) = unknown_key(fields, name);
        ctx.complain(entry.mark, what, instead);
        // Read as what was probably meant, so that its own mistakes show at once and it does not count as missing.
        if let Some(meant) = meant {
            fields.found.entry(meant).or_insert((entry.mark, entry.value.clone()));
        }
        return;
    };
    if let Some((first, _)) = fields.found.get(key.name) {
        let (line, column) = (first.place.line, first.place.column);
        let instead = format!("it already stands at {line}:{column} under its other name; keep one");
        return ctx.complain(entry.mark, format!("{} is given twice", quoted(key.name)), instead);
    }
    if matches!(entry.value.kind, Kind::Null) {
        let instead = format!("write a value ({}) or remove the key", key.about);
        ctx.complain(entry.mark, format!("{} has no value", quoted(name)), instead);
    }
    fields.found.insert(key.name, (entry.mark, entry.value.clone()));
}

fn unknown_key(fields: &Fields, name: &str) -> (String, String, Option<&'static str>) {
    if let Some((_, _, instead)) = KEYS_NOT_RUN.iter().find(|(of, key, _)| *of == fields.of && *key == name) {
        let what = format!("{} of {} is not supported by farmjank", quoted(name), title(&fields.of));
        return (what, (*instead).to_owned(), None);
    }
    let spellings = fields.keys.iter().flat_map(|key| [key.name].into_iter().chain(key.also.iter().copied()));
    let near = nearest(name, spellings);
    let instead = match near {
        Some(meant) => format!("write `{meant}`"),
        None if fields.keys.is_empty() => "remove it".to_owned(),
        None => {
            format!("keys here are {}", fields.keys.iter().map(|key| key.name).collect::<Vec<_>>().join(", "))
        }
    };
    let key =
        near.and_then(|near| fields.keys.iter().find(|key| key.name == near || key.also.contains(&near)));
    (format!("unknown key {} in {}", quoted(name), title(&fields.of)), instead, key.map(|key| key.name))
}

/// A map written as such, or as the single value that stands for one of its keys.
pub(super) fn fields_or(
    ctx: &mut ReadContext<'_>,
    of: &str,
    node: &Node,
    keys: &'static [Key],
    short: &'static str,
) -> Option<Fields> {
    match &node.kind {
        Kind::Map(entries) => Some(fields(ctx, of, node.mark, entries, &[keys])),
        Kind::Scalar(_) => {
            let entry = Entry { key: short.to_owned(), mark: node.mark, value: node.clone() };
            Some(fields(ctx, of, node.mark, &[entry], &[keys]))
        }
        _ => {
            let names: Vec<_> = keys.iter().map(|key| key.name).collect();
            let what = format!("{of} is {}, and this is {}", quoted(short), node.kind_name());
            ctx.complain(node.mark, what, format!("write a single value, or a map of {}", names.join(", ")));
            None
        }
    }
}

/// A map's name in a sentence: commands in backquotes, descriptions as they are.
fn title(of: &str) -> String {
    match of {
        "header" => "the scenario".to_owned(),
        described if described.contains(' ') => described.to_owned(),
        command => quoted(command),
    }
}

/// The steps under a key; none when it is not given. Complains when the list is empty.
pub(super) fn inner_steps(ctx: &mut ReadContext<'_>, fields: &Fields) -> Vec<Step> {
    let Some(node) = fields.get("steps") else { return Vec::new() };
    if matches!(&node.kind, Kind::List(items) if items.is_empty()) {
        ctx.complain(node.mark, format!("{} has no steps", quoted(&fields.of)), "add a step, or remove it");
    }
    let node = node.clone();
    (ctx.read_steps)(ctx, &node)
}

/// What stands under a key as entries of a map, in order; none and a complaint when it is something else.
pub(super) fn entries<'n>(ctx: &mut ReadContext<'_>, of: &str, node: &'n Node) -> Option<&'n [Entry]> {
    match &node.kind {
        Kind::Map(entries) => Some(entries),
        _ => {
            let what = format!("{} takes a map, and this is {}", quoted(of), node.kind_name());
            ctx.complain(node.mark, what, "write `name: value` lines, indented below the key");
            None
        }
    }
}
