//! The file that says what does not gate: a list of entries, with every complaint at its place.

use super::fields::{self, Fields, entries};
use super::one_document::{keys, one_document};
use super::read_context::ReadContext;
use super::{SourceFile, value};
use crate::complaint::{Complaint, quoted};
use crate::node::{Kind, Node};
use crate::quarantine::Entry;
use crate::requirement::Requirement;
use crate::vocabulary::lab_files::{QUARANTINE, QUARANTINED};
use jiff::civil::Date;

/// Reads a file of entries. A list that is empty is none.
///
/// # Errors
/// Every complaint, in order of lines.
pub fn quarantine(file: &SourceFile) -> Result<Vec<Entry>, Vec<Complaint>> {
    let found = one_document(file, "keep one list under `quarantine:`", of_document)?;
    Ok(found.into_iter().map(|entry| Entry { file: file.name.clone(), ..entry }).collect())
}

fn of_document(ctx: &mut ReadContext<'_>, document: &Node) -> Vec<Entry> {
    let instead = "write `quarantine:` with a list of entries below it";
    let Some(keys) = keys(ctx, document, instead) else { return Vec::new() };
    let fields = fields::fields(ctx, "a quarantine file", document.mark, &keys, &[QUARANTINE]);
    let Some(list) = fields.get("quarantine").cloned() else { return Vec::new() };
    let Kind::List(items) = &list.kind else {
        let what = format!("`quarantine` takes a list, and this is {}", list.kind_name());
        ctx.complain(list.mark, what, "write `- serial: …` with `reason:`, `owner:` and `until:` below it");
        return Vec::new();
    };
    items.iter().filter_map(|item| entry(ctx, item)).collect()
}

fn entry(ctx: &mut ReadContext<'_>, item: &Node) -> Option<Entry> {
    let keys = entries(ctx, "quarantine", item)?;
    let fields = fields::fields(ctx, "an entry", item.mark, keys, &[QUARANTINED]);
    let serial = value::text(ctx, &fields, "serial");
    let devices = devices(ctx, &fields);
    let scenario = value::text(ctx, &fields, "scenario");
    let window = value::text(ctx, &fields, "window");
    let reason = value::text(ctx, &fields, "reason");
    let owner = value::text(ctx, &fields, "owner");
    let until = day(ctx, &fields, "until");
    let given = |key: &str| fields.key_mark(key);
    match (given("serial"), given("devices"), given("scenario"), given("window")) {
        (None, None, None, None) => {
            let instead = "say of what: `serial:` or `devices:`, `scenario:`, or both";
            ctx.complain(item.mark, "the entry takes everything out of the gate", instead);
        }
        (None, None, None, Some(mark)) | (Some(_), _, None, Some(mark)) | (_, Some(_), None, Some(mark)) => {
            ctx.complain(mark, "`window` needs `scenario`", "windows of several scenarios may have one name");
        }
        _ => {}
    }
    if let (Some(_), Some(mark)) = (given("serial"), given("devices")) {
        ctx.complain(mark, "`serial` and `devices` say the same thing twice", "keep one of the two");
    }
    let place = item.mark.place;
    let (reason, owner, until) = (reason?, owner?, until?);
    Some(Entry { file: String::new(), place, serial, devices, scenario, window, reason, owner, until })
}

fn devices(ctx: &mut ReadContext<'_>, fields: &Fields) -> Option<Requirement> {
    let text = value::scalar(ctx, "devices", fields.get("devices")?)?;
    match Requirement::parse(&text.value) {
        Ok(devices) if devices.text.is_empty() => {
            ctx.complain(text.mark, "`devices` is empty", "write such as `model = \"Pixel 4\"`");
            None
        }
        Ok(devices) => Some(devices),
        Err(complaint) => {
            ctx.complain(text.part(complaint.at), complaint.what, complaint.instead);
            None
        }
    }
}

/// A day, `2026-12-31`.
fn day(ctx: &mut ReadContext<'_>, fields: &Fields, key: &str) -> Option<Date> {
    let text = value::scalar(ctx, key, fields.get(key)?)?;
    let date = Date::strptime("%Y-%m-%d", text.value.trim());
    if date.is_err() {
        let instead = "write its last day as `2026-12-31`";
        ctx.complain(text.mark, format!("{} is not a day", quoted(&text.value)), instead);
    }
    date.ok()
}
