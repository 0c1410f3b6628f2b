//! Lists of steps: which command each step is, its value in short or long form, and what stands around it.

use super::fields::Fields;
use super::read_context::{ReadContext, STEPS};
use super::{command, fields, value};
use crate::complaint::{choice, quoted};
use crate::node::{Entry, Kind, Node};
use crate::place::Mark;
use crate::step::Step;
use crate::vocabulary::maestro::{NOT_RUN, NOTED};
use crate::vocabulary::{COMMANDS, Command, EVERY_STEP, find};
use farmjank_leaf::nearest::nearest;

/// The steps of a list.
pub(super) fn steps(ctx: &mut ReadContext<'_>, node: &Node) -> Vec<Step> {
    match &node.kind {
        Kind::List(items) => items.iter().filter_map(|item| step(ctx, item)).collect(),
        _ => {
            let what = format!("a list of steps is expected, and this is {}", node.kind_name());
            ctx.complain(node.mark, what, "write each step on its own line after `- `");
            Vec::new()
        }
    }
}

fn step(ctx: &mut ReadContext<'_>, node: &Node) -> Option<Step> {
    if ctx.is_full() {
        return None;
    }
    ctx.spent.steps += 1;
    if ctx.spent.steps > STEPS {
        if ctx.spent.steps == STEPS + 1 {
            let what = format!("the scenario has more than {STEPS} steps with everything it runs");
            ctx.complain(node.mark, what, "use `repeat`");
        }
        return None;
    }
    match &node.kind {
        Kind::Scalar(scalar) => {
            let command = command_named(ctx, &scalar.text, node.mark).ok()?;
            if !command.bare {
                let (what, instead) = bare(command);
                ctx.complain(node.mark, what, instead);
                return None;
            }
            let fields = fields::fields(ctx, command.name, node.mark, &[], &command.key_sets());
            finish(ctx, command, &fields)
        }
        Kind::Map(entries) => {
            let (command, fields) = map_step(ctx, node, entries)?;
            finish(ctx, command, &fields)
        }
        Kind::Null => {
            ctx.complain(node.mark, "an empty step", "remove the `-`, or write a command after it");
            None
        }
        Kind::List(_) => {
            ctx.complain(
                node.mark,
                "a list stands where a step is expected",
                "write the command's name after `- `",
            );
            None
        }
    }
}

fn finish(ctx: &mut ReadContext<'_>, command: &'static Command, fields: &Fields) -> Option<Step> {
    if let Some(why) = command.disturbs {
        ctx.not_in_window(fields.mark, quoted(command.name), why);
    }
    let label = label(ctx, fields);
    let optional = value::flag(ctx, fields, "optional").unwrap_or(false);
    let place = fields.mark.place;
    let file = ctx.step_file();
    let action = command::action(ctx, command.verb, fields)?;
    Some(Step { place, file, label, optional, action })
}

/// A label may be anything a report can show: where it holds expressions, as they were written.
fn label(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<String> {
    let (template, written) = value::filled(ctx, "label", fields.get("label")?)?;
    match template.fixed() {
        Some(_) => value::text(ctx, fields, "label"),
        None => Some(written.value),
    }
}

/// The command of this name, or the one that was probably meant, after complaining.
fn command_named(
    ctx: &mut ReadContext<'_>,
    name: &str,
    mark: Mark,
) -> Result<&'static Command, Option<&'static Command>> {
    if let Some(command) = find(name) {
        return Ok(command);
    }
    if let Some((_, instead)) = NOT_RUN.iter().find(|(known, _)| *known == name) {
        ctx.complain(mark, format!("{} is not supported by farmjank", quoted(name)), *instead);
        return Err(None);
    }
    if let Some((_, why)) = NOTED.iter().find(|(known, _)| *known == name) {
        ctx.notice(mark, format!("{} does nothing on an Android phone", quoted(name)), why);
        return Err(None);
    }
    let known = COMMANDS.iter().map(|command| command.name);
    let meant = nearest(name, known.clone());
    let instead = match meant {
        Some(meant) => format!("write `{meant}`"),
        None => format!("commands are {}", known.collect::<Vec<_>>().join(", ")),
    };
    ctx.complain(mark, format!("unknown command {}", quoted(name)), instead);
    Err(meant.and_then(find))
}

/// A step written as a map: one command, and beside it only what may stand there.
fn map_step(ctx: &mut ReadContext<'_>, node: &Node, entries: &[Entry]) -> Option<(&'static Command, Fields)> {
    let is_command = |entry: &&Entry| {
        let maestros = NOT_RUN.iter().chain(NOTED);
        find(&entry.key).is_some() || maestros.into_iter().any(|(name, _)| *name == entry.key)
    };
    let of_every_step = |entry: &&Entry| EVERY_STEP.iter().any(|key| key.name == entry.key);
    let Some(entry) =
        entries.iter().find(is_command).or_else(|| entries.iter().find(|entry| !of_every_step(entry)))
    else {
        let what = if entries.is_empty() { "an empty step" } else { "a step without a command" };
        ctx.complain(node.mark, what, "write a command after `- `");
        return None;
    };
    let command = command_named(ctx, &entry.key, entry.mark);
    let others: Vec<&Entry> = entries.iter().filter(|other| other.key != entry.key).collect();
    for other in others.iter().filter(|other| is_command(other)) {
        ctx.complain(
            other.mark,
            "a second command in one step",
            format!("begin it with `- `: `- {}`", other.key),
        );
    }
    // A misspelt command is read as what was meant, so that mistakes inside it show at once.
    let command = command.or_else(|meant| meant.ok_or(())).ok()?;
    let mut given = Vec::new();
    let mut misplaced = false;
    for other in others.into_iter().filter(|other| !is_command(other)) {
        if command.beside || of_every_step(&other) {
            given.push(other.clone());
        } else {
            misplaced = true;
            beside(ctx, command, other);
        }
    }
    // A value missing because it stands at the wrong indentation has been complained of.
    if misplaced && matches!(entry.value.kind, Kind::Null) {
        return None;
    }
    let mut argument = argument(ctx, command, entry)?;
    argument.append(&mut given);
    let fields = fields::fields(ctx, command.name, entry.mark, &argument, &command.key_sets());
    Some((command, fields))
}

/// A key beside a command where it may not stand.
fn beside(ctx: &mut ReadContext<'_>, command: &Command, other: &Entry) {
    let mut keys = command.key_sets().into_iter().flatten();
    let own = keys.any(|key| key.name == other.key || key.also.contains(&other.key.as_str()));
    let instead = if own {
        format!("indent it below `{}:`", command.name)
    } else if let Some(meant) = nearest(&other.key, COMMANDS.iter().map(|command| command.name)) {
        format!("a step has one command; write `- {meant}` on a line of its own")
    } else {
        format!(
            "a step has one command; beside it stand only {}",
            choice(EVERY_STEP.iter().map(|key| key.name))
        )
    };
    ctx.complain(
        other.mark,
        format!("{} stands beside {}", quoted(&other.key), quoted(command.name)),
        instead,
    );
}

/// A command's value as the entries of its long form.
fn argument(ctx: &mut ReadContext<'_>, command: &Command, entry: &Entry) -> Option<Vec<Entry>> {
    match (&entry.value.kind, command.short) {
        (Kind::Map(entries), _) => Some(entries.to_vec()),
        (Kind::Null, _) if command.bare || command.beside => Some(Vec::new()),
        (Kind::Scalar(_), Some(short)) => {
            Some(vec![Entry { key: short.to_owned(), mark: entry.value.mark, value: entry.value.clone() }])
        }
        (Kind::Null, _) => {
            let (what, instead) = bare(command);
            ctx.complain(entry.mark, what, instead);
            None
        }
        _ => {
            let what = format!("{} does not take {}", quoted(command.name), entry.value.kind_name());
            ctx.complain(entry.value.mark, what, bare(command).1);
            None
        }
    }
}

/// A command that stands without its value.
fn bare(command: &Command) -> (String, String) {
    let example = match (command.name, command.short) {
        ("wait", _) => "- wait: 250ms".to_owned(),
        ("swipe", _) => "- swipe: { direction: UP }".to_owned(),
        ("openLink", _) => "- openLink: shop://feed".to_owned(),
        ("pressKey", _) => "- pressKey: HOME".to_owned(),
        (name, Some(short)) => format!("- {name}: {}", short.to_uppercase()),
        (name, None) => {
            let keys: Vec<_> = command.keys.iter().map(|key| format!("{}: …", key.name)).collect();
            format!("- {name}: {{ {} }}", keys.join(", "))
        }
    };
    (format!("{} needs a value", quoted(command.name)), format!("write `{example}`"))
}
