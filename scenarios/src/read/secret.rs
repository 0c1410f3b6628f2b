//! `secret:`, the variables whose values are blacked out of everything that is written. They are given from outside,
//! and stand in no name: names are in every report and in the history.

use super::SourceFile;
use super::fields::Fields;
use super::read_context::ReadContext;
use super::variables::is_name;
use crate::complaint::quoted;
use crate::node::{Kind, Node};
use crate::source::Source;
use crate::yaml;
use std::collections::BTreeSet;

/// Names of the variables that the headers of these files call secret: asked before anything else is read of them, so
/// that no complaint repeats a value.
pub fn secrets(files: &[SourceFile]) -> BTreeSet<String> {
    let sources = files.iter().filter_map(|file| Source::new(&file.name, &file.text).ok());
    let mut names = BTreeSet::new();
    for source in sources {
        for document in &yaml::parse(&source).documents {
            let Kind::Map(entries) = &document.kind else { continue };
            for entry in entries.iter().filter(|entry| entry.key == "secret") {
                names.extend(words(&entry.value).into_iter().map(|(name, _)| name));
            }
        }
    }
    names
}

fn words(node: &Node) -> Vec<(String, &Node)> {
    let word = |node: &Node| match &node.kind {
        Kind::Scalar(scalar) => Some(scalar.text.trim().to_owned()),
        _ => None,
    };
    match &node.kind {
        Kind::List(items) => items.iter().filter_map(|item| Some((word(item)?, item))).collect(),
        _ => word(node).map(|name| (name, node)).into_iter().collect(),
    }
}

/// Takes note of the secrets of a scenario's header, and of what is wrong with them.
pub(super) fn declare_secrets(ctx: &mut ReadContext<'_>, header: &Fields) {
    let Some(node) = header.get("secret").cloned() else { return };
    for (name, node) in words(&node) {
        if !is_name(&name) {
            let what = format!("{} cannot be the name of a variable", quoted(&name));
            ctx.complain(node.mark, what, "use letters, digits and `_`");
        } else if let Some(value) = ctx.scope.given.get(&name) {
            ctx.scope.secret.insert(value.clone());
        } else {
            let what = format!("the secret {} has no value from outside", quoted(&name));
            let instead = format!("give it with `--env-file FILE`, or with `-e {name}` from the environment");
            ctx.complain(node.mark, what, instead);
        }
    }
}

/// A flow cannot make a secret of what was read before it.
pub(super) fn no_secrets(ctx: &mut ReadContext<'_>, header: &Fields) {
    if let Some(mark) = header.key_mark("secret") {
        ctx.complain(
            mark,
            "a file of `runFlow` cannot say what is secret",
            "say it in the scenario that runs it",
        );
    }
}
