//! Target pages and when a page counts as open.

use super::command::entries;
use super::fields::Fields;
use super::read_context::ReadContext;
use crate::page::{Page, Ready};
use crate::vocabulary::{PAGE, READY};

impl ReadContext<'_> {
    /// The pages of a header, put in force beside those in force already.
    pub(super) fn declare_pages(&mut self, fields: &Fields) {
        let Some(node) = fields.get("pages").cloned() else { return };
        let Some(entries) = entries(self, "pages", &node) else { return };
        for entry in entries {
            let Some(page) = self.fields_or("a page", &entry.value, PAGE, "link") else { continue };
            let ready = self.ready(&page);
            if let Some(link) = self.text(&page, "link") {
                self.pages.insert(entry.key.clone(), Page { link, ready });
            }
        }
    }

    /// `ready` of a page or a link; without it a link counts as open at once.
    pub(super) fn ready(&mut self, fields: &Fields) -> Ready {
        let Some(node) = fields.get("ready").cloned() else { return Ready::default() };
        let Some(fields) = self.fields_or("ready", &node, READY, "activity") else { return Ready::default() };
        let ready = Ready {
            activity: self.text(&fields, "activity"),
            text: self.text(&fields, "text"),
            id: self.text(&fields, "id"),
            timeout: self.time(&fields, "timeout"),
        };
        if ["activity", "text", "id"].iter().all(|key| fields.key_mark(key).is_none()) {
            self.complain(
                node.mark,
                "`ready` does not say what to wait for",
                "add `activity`, `text` or `id`",
            );
        }
        ready
    }
}
