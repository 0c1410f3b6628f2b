//! Target pages and when a page counts as open.

use super::fields::{Fields, entries};
use super::read_context::ReadContext;
use super::{fields, value};
use crate::page::{Page, Ready};
use crate::vocabulary::{PAGE, READY};

/// The pages of a header, put in force beside those in force already.
pub(super) fn declare_pages(ctx: &mut ReadContext<'_>, fields: &Fields) {
    let Some(node) = fields.get("pages").cloned() else { return };
    let Some(entries) = entries(ctx, "pages", &node) else { return };
    for entry in entries {
        let Some(page) = fields::fields_or(ctx, "a page", &entry.value, PAGE, "link") else { continue };
        let ready = ready(ctx, &page);
        if let Some(link) = value::text(ctx, &page, "link") {
            ctx.scope.pages.insert(entry.key.clone(), Page { link, ready });
        }
    }
}

/// `ready` of a page or a link; without it a link counts as open at once.
pub(super) fn ready(ctx: &mut ReadContext<'_>, fields: &Fields) -> Ready {
    let Some(node) = fields.get("ready").cloned() else { return Ready::default() };
    let Some(fields) = fields::fields_or(ctx, "ready", &node, READY, "activity") else {
        return Ready::default();
    };
    let ready = Ready {
        activity: value::text(ctx, &fields, "activity"),
        text: value::text(ctx, &fields, "text"),
        id: value::text(ctx, &fields, "id"),
        timeout: value::time(ctx, &fields, "timeout"),
    };
    if ["activity", "text", "id"].iter().all(|key| fields.key_mark(key).is_none()) {
        ctx.complain(node.mark, "`ready` does not say what to wait for", "add `activity`, `text` or `id`");
    }
    ready
}
