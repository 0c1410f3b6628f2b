//! A file's documents as a header and a list of steps, and the variables a header puts in force.

use super::fields::{Fields, entries};
use super::read_context::ReadContext;
use super::variables::is_name;
use super::{fields, value};
use crate::complaint::quoted;
use crate::node::{Entry, Kind, Node};
use crate::place::Mark;
use crate::template::Template;
use crate::vocabulary::HEADER;
use std::rc::Rc;

/// A flow's `appId`: as a scenario's, and not required.
const FLOW_APP: &[crate::vocabulary::Key] = &[crate::vocabulary::FLOW_APP];

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A scenario: it needs an app.
    Scenario,
    /// Steps that a scenario runs: the header may be missing.
    Flow,
}

/// A file's header and list of steps.
pub(super) struct Form {
    pub(super) header: Fields,
    pub(super) steps: Node,
}

/// Finds header and steps in a file's documents.
pub(super) fn split(ctx: &mut ReadContext<'_>, documents: &[Node], shape: Shape) -> Option<Form> {
    let example = "a scenario needs `appId:` and `steps:`";
    let (header, list) = match documents {
        [] => (None, None),
        [one] if matches!(one.kind, Kind::List(_)) => (None, Some(one)),
        [one] => (Some(one), None),
        [one, two] => (Some(one), Some(two)),
        [_, _, third, ..] => {
            ctx.complain(
                third.mark,
                "a third document in one file",
                "a file holds a header, `---` and a list of steps",
            );
            return None;
        }
    };
    let none: Rc<Vec<Entry>> = Rc::default();
    let (mark, entries) = match header.map(|node| (node.mark, &node.kind)) {
        Some((mark, Kind::Map(entries))) => (mark, Rc::clone(entries)),
        Some((mark, Kind::Null)) => (mark, none),
        None if list.is_some() => (list.map_or(Mark::top(), |node| node.mark), none),
        None => {
            ctx.complain(Mark::top(), "the file is empty", example);
            return None;
        }
        Some((mark, _)) => {
            ctx.complain(mark, "the file does not begin with keys", example);
            return None;
        }
    };
    if shape == Shape::Scenario && header.is_none() {
        let instead = "put `appId: com.example.shop` and a line `---` above the list";
        ctx.complain(mark, "the file is a list of steps without a header", instead);
        return None;
    }
    let header = read_header(ctx, mark, &entries, shape);
    let steps = match (list, header.get("steps")) {
        (Some(_), Some(inner)) => {
            ctx.complain(
                inner.mark,
                "steps in the header and again after `---`",
                "keep one of the two lists",
            );
            return None;
        }
        (Some(list), None) => list.clone(),
        (None, Some(inner)) => inner.clone(),
        (None, None) => {
            if header.key_mark("steps").is_none() {
                ctx.complain(
                    mark,
                    "the file has no steps",
                    "add `steps:`, or a line `---` and a list of steps",
                );
            }
            Node { mark, kind: Kind::List(Rc::default()) }
        }
    };
    if matches!(&steps.kind, Kind::List(items) if items.is_empty())
        && (list.is_some() || header.get("steps").is_some())
    {
        ctx.complain(steps.mark, "the list of steps is empty", "add a step such as `- launchApp`");
    }
    Some(Form { header, steps })
}

fn read_header(ctx: &mut ReadContext<'_>, mark: Mark, entries: &[Entry], shape: Shape) -> Fields {
    match shape {
        Shape::Scenario => fields::fields(ctx, "header", mark, entries, &[HEADER]),
        Shape::Flow => {
            // A flow needs no app of its own: it runs in the scenario's.
            let app = HEADER.iter().position(|key| key.name == "appId").unwrap_or(0);
            let fields = [&HEADER[..app], FLOW_APP, &HEADER[app + 1..]];
            fields::fields(ctx, "header", mark, entries, &fields)
        }
    }
}

/// Puts the variables of a map in force; each may use those above it and those given.
pub(super) fn declare_env(ctx: &mut ReadContext<'_>, fields: &Fields) {
    let Some(node) = fields.get("env").cloned() else { return };
    let Some(entries) = entries(ctx, "env", &node) else { return };
    for entry in entries {
        if !is_name(&entry.key) {
            let what = format!("{} cannot be the name of a variable", quoted(&entry.key));
            ctx.complain(entry.mark, what, "use letters, digits and `_`");
            continue;
        }
        let value = match &entry.value.kind {
            Kind::Null => None,
            _ => value::filled(ctx, &entry.key, &entry.value).map(|(template, _)| template),
        };
        ctx.scope.env.insert(entry.key.clone(), value.unwrap_or_else(|| Template::from("")));
    }
}
