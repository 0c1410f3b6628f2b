//! Scripts of steps: plain JavaScript or `${…}` around it, and files of it.

use super::fields::Fields;
use super::flow::{beside, fetch};
use super::read_context::ReadContext;
use super::{element, form, value, variables};
use crate::complaint::quoted;
use crate::step::Action;

/// `runScript`: the file is read now, and runs when its step does.
pub(super) fn run_script(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Action> {
    let outer = ctx.scope.env.clone();
    form::declare_env(ctx, fields);
    let script = file(ctx, fields);
    ctx.scope.env = outer;
    let (when, here) = element::condition(ctx, fields, "when").unwrap_or((Default::default(), true));
    let (file, script) = script?;
    // For another system only: it never runs here.
    here.then_some(Action::RunScript { file, script, when })
}

fn file(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<(String, crate::template::Expression)> {
    let path = value::text(ctx, fields, "file")?;
    let mark = fields.get("file").map_or(fields.mark, |node| node.mark);
    let file = beside(&ctx.scope.source.name, &path);
    let bytes = fetch(ctx, &file, mark)?;
    let Ok(source) = String::from_utf8(bytes) else {
        ctx.complain(mark, format!("{} is not UTF-8", quoted(&file)), "save it as UTF-8");
        return None;
    };
    ctx.digest.take(&file, &source);
    // Where it is nobody's script by its place, no word of it is repeated.
    let outside = ctx.options.sources.is_outside(&file);
    match variables::expression(&ctx.scope, &source, 0..source.len()) {
        Ok(expression) => Some((file, expression)),
        Err(_) if outside => {
            ctx.complain(mark, format!("{} is no JavaScript that can run", quoted(&file)), "");
            None
        }
        Err((_, what, _)) => {
            ctx.complain(mark, format!("{}: {what}", quoted(&file)), "correct the script");
            None
        }
    }
}
