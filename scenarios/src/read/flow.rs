//! `runFlow`: steps of another file, read where they are run, with variables of their own. Cycles are refused.

use super::fields::Fields;
use super::form::{self, Shape, split};
use super::read_context::{Around, FLOW_BYTES, ReadContext};
use super::{element, fields, page, secret, value};
use crate::complaint::quoted;
use crate::place::Mark;
use crate::source::Source;
use crate::step::{Action, Condition, Step};
use crate::yaml;
use std::mem;
use std::rc::Rc;

/// Files that run each other, at most.
const DEPTH: usize = 16;

pub(super) fn run_flow(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Action> {
    let when = element::condition(ctx, fields, "when");
    if let Some((_, false)) = when {
        // Its steps are another system's: whether they could run here is nobody's concern.
        ctx.notice(fields.mark, "these steps are not for Android", "they are left out");
        return None;
    }
    let when = when.map(|(condition, _)| condition).filter(|condition| *condition != Condition::default());
    if when.is_some() {
        ctx.scope.around.push(Around::When);
    }
    let ran = in_scope(ctx, fields);
    if when.is_some() {
        ctx.scope.around.pop();
    }
    let Ran { file, steps, teardown } = ran?;
    Some(Action::RunFlow { file, when, steps, teardown })
}

/// `retry`: a file or steps, as those of `runFlow`.
pub(super) fn retry(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Action> {
    let retries = value::whole(ctx, fields, "maxRetries").unwrap_or(1);
    ctx.scope.around.push(Around::Retry);
    let ran = in_scope(ctx, fields);
    ctx.scope.around.pop();
    let Ran { file, steps, teardown } = ran?;
    if teardown.is_empty() {
        return Some(Action::Retry { retries, steps });
    }
    let place = fields.mark.place;
    let action = Action::RunFlow { file, when: None, steps, teardown };
    let steps = vec![Step { place, file: ctx.step_file(), label: None, optional: false, action }];
    Some(Action::Retry { retries, steps })
}

/// What a step runs.
struct Ran {
    file: String,
    steps: Vec<Step>,
    teardown: Vec<Step>,
}

/// With the step's own variables in force.
fn in_scope(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Ran> {
    let outer = ctx.scope.env.clone();
    form::declare_env(ctx, fields);
    let ran = flow_or_steps(ctx, fields);
    ctx.scope.env = outer;
    ran
}

fn flow_or_steps(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Ran> {
    match (fields.key_mark("file"), fields.key_mark("steps")) {
        (Some(_), Some(mark)) => {
            ctx.complain(mark, format!("{} takes a file or steps, not both", quoted(&fields.of)), "keep one");
            None
        }
        (None, None) => {
            let instead = match fields.of.as_str() {
                "retry" => "write its steps below `commands:`",
                _ => "write `- runFlow: login.yaml`",
            };
            ctx.complain(fields.mark, format!("{} does not say what to run", quoted(&fields.of)), instead);
            None
        }
        (None, Some(_)) => {
            let steps = fields::inner_steps(ctx, fields);
            Some(Ran { file: ctx.scope.source.name.clone(), steps, teardown: Vec::new() })
        }
        (Some(_), None) => {
            let mark = fields.get("file").map_or(fields.mark, |node| node.mark);
            let path = value::text(ctx, fields, "file")?;
            let file = beside(&ctx.scope.source.name, &path);
            flow(ctx, &file, mark)
        }
    }
}

fn flow(ctx: &mut ReadContext<'_>, file: &str, mark: Mark) -> Option<Ran> {
    if let Some(from) = ctx.files.iter().position(|running| running == file) {
        let chain =
            ctx.files[from..].iter().map(String::as_str).chain([file]).collect::<Vec<_>>().join(" → ");
        ctx.complain(
            mark,
            format!("{} runs itself: {chain}", quoted(file)),
            "take this step out, or use `repeat`",
        );
        return None;
    }
    if ctx.files.len() == DEPTH {
        ctx.complain(mark, format!("more than {DEPTH} files run each other"), "flatten them");
        return None;
    }
    let bytes = fetch(ctx, file, mark)?;
    match Source::read(file, &bytes, ctx.options.sources.is_outside(file)) {
        Ok(source) => inside(ctx, file, Rc::new(source)),
        Err(complaint) => {
            ctx.take([complaint]);
            None
        }
    }
}

/// The bytes of a file that a step runs, within what a scenario may read.
pub(super) fn fetch(ctx: &mut ReadContext<'_>, file: &str, mark: Mark) -> Option<Vec<u8>> {
    let bytes = match ctx.options.sources.fetch(file) {
        Ok(bytes) => bytes,
        Err(why) => {
            let what = format!("{} cannot be read: {why}", quoted(file));
            ctx.complain(mark, what, "the path is relative to the folder of this file");
            return None;
        }
    };
    ctx.spent.flow_bytes = ctx.spent.flow_bytes.saturating_add(bytes.len());
    if ctx.spent.flow_bytes > FLOW_BYTES {
        let what = format!("the files this scenario runs have more than {FLOW_BYTES} bytes together");
        ctx.complain(mark, what, "run each of them fewer times; use `repeat`");
        return None;
    }
    Some(bytes)
}

/// Reads a flow with itself as the file at hand, then returns to the file that runs it.
fn inside(ctx: &mut ReadContext<'_>, file: &str, source: Rc<Source>) -> Option<Ran> {
    ctx.digest.take(file, &source.text);
    let parsed = yaml::parse(&source);
    ctx.take(parsed.complaints);
    let outer = (mem::replace(&mut ctx.scope.source, source), ctx.scope.app.clone(), ctx.scope.pages.clone());
    ctx.files.push(file.to_owned());
    let ran = split(ctx, &parsed.documents, Shape::Flow).map(|form| {
        // The flow's own variables are defaults: what runs it has the last word.
        let outer = ctx.scope.env.clone();
        secret::no_secrets(ctx, &form.header);
        form::declare_env(ctx, &form.header);
        ctx.scope.env.extend(outer);
        if let Some(app) = value::text(ctx, &form.header, "appId") {
            ctx.scope.app = app;
        }
        page::declare_pages(ctx, &form.header);
        let mut steps = around(ctx, &form.header, "setup", Around::Setup);
        let teardown = around(ctx, &form.header, "teardown", Around::Teardown);
        steps.extend((ctx.read_steps)(ctx, &form.steps));
        Ran { file: file.to_owned(), steps, teardown }
    });
    ctx.files.pop();
    (ctx.scope.source, ctx.scope.app, ctx.scope.pages) = outer;
    ran
}

/// Steps that stand before or after those of a flow, as Maestro runs them with it.
fn around(ctx: &mut ReadContext<'_>, header: &Fields, key: &str, around: Around) -> Vec<Step> {
    let Some(node) = header.get(key).cloned() else { return Vec::new() };
    ctx.scope.around.push(around);
    let steps = (ctx.read_steps)(ctx, &node);
    ctx.scope.around.pop();
    steps
}

/// A path relative to the folder of the file that names it, with `.` and `..` resolved; absolute paths stay.
pub(crate) fn beside(from: &str, path: &str) -> String {
    let folder = from.rfind('/').map_or("", |end| &from[..end]);
    let whole =
        if path.starts_with('/') || folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let absolute = whole.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => {
                parts.pop();
            }
            ("..", None) if absolute => {}
            _ => parts.push(part),
        }
    }
    format!("{}{}", if absolute { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        assert_eq!(beside("scenarios/home.yaml", "shared/login.yaml"), "scenarios/shared/login.yaml");
        assert_eq!(beside("scenarios/a/home.yaml", "../login.yaml"), "scenarios/login.yaml");
        assert_eq!(beside("home.yaml", "./login.yaml"), "login.yaml");
        assert_eq!(beside("home.yaml", "../login.yaml"), "../login.yaml");
        assert_eq!(beside("/s/home.yaml", "../../../login.yaml"), "/login.yaml");
        assert_eq!(beside("a/b.yaml", "/abs/x.yaml"), "/abs/x.yaml");
    }
}
