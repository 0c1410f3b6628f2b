//! The inventory of a lab: adb servers, and phones with names and tags, with every complaint at its place.

use super::document::tags;
use super::fields::{self, Fields, entries};
use super::one_document::{keys, one_document};
use super::read_context::ReadContext;
use super::{SourceFile, value};
use crate::complaint::{Complaint, quoted};
use crate::inventory::{Inventory, InventoryPhone};
use crate::node::{Kind, Node};
use crate::vocabulary::lab_files::{INVENTORY, INVENTORY_PHONE};

/// Reads an inventory.
///
/// # Errors
/// Every complaint, in order of lines.
pub fn inventory(file: &SourceFile) -> Result<Inventory, Vec<Complaint>> {
    one_document(file, "keep one list under `phones:`", of_document)
}

fn of_document(ctx: &mut ReadContext<'_>, document: &Node) -> Inventory {
    let instead = "write `phones:` with a list of phones below it";
    let Some(keys) = keys(ctx, document, instead) else { return Inventory::default() };
    let fields = fields::fields(ctx, "an inventory", document.mark, &keys, &[INVENTORY]);
    let servers = servers(ctx, &fields);
    Inventory { phones: phones(ctx, &fields, &servers), servers }
}

fn servers(ctx: &mut ReadContext<'_>, fields: &Fields) -> Vec<String> {
    let Some(node) = fields.get("adb").cloned() else { return Vec::new() };
    let items = match &node.kind {
        Kind::List(items) => items.to_vec(),
        _ => vec![node],
    };
    let text = |item: &Node| value::scalar(ctx, "adb", item).map(|text| text.value);
    items.iter().filter_map(text).collect()
}

fn phones(ctx: &mut ReadContext<'_>, fields: &Fields, servers: &[String]) -> Vec<InventoryPhone> {
    let Some(list) = fields.get("phones").cloned() else { return Vec::new() };
    let Kind::List(items) = &list.kind else {
        let what = format!("`phones` takes a list, and this is {}", list.kind_name());
        ctx.complain(list.mark, what, "write `- serial: …` for each phone");
        return Vec::new();
    };
    let mut found: Vec<InventoryPhone> = Vec::new();
    for item in items.iter() {
        let Some(keys) = entries(ctx, "phones", item) else { continue };
        let fields = fields::fields(ctx, "a phone", item.mark, keys, &[INVENTORY_PHONE]);
        let (serial, name) = (value::text(ctx, &fields, "serial"), value::text(ctx, &fields, "name"));
        let tags = tags(ctx, &fields, "tags");
        let server = value::text(ctx, &fields, "server");
        let Some(serial) = serial else { continue };
        if let (Some(mark), None) = (fields.key_mark("server"), &name) {
            let what = "a phone with a `server` is called by its name, and has none";
            ctx.complain(mark, what, "add `name:`, what reports call it");
            continue;
        }
        if let Some(server) = server.as_ref().filter(|server| !servers.contains(server)) {
            let mark = fields.key_mark("server").unwrap_or(item.mark);
            let what = format!("{} is none of the servers of `adb`", quoted(server));
            ctx.complain(mark, what, "write it as it stands there, or add it");
            continue;
        }
        let phone = InventoryPhone { serial, server, name, tags };
        if let Some((key, own)) = found.iter().find_map(|twin| same(twin, &phone)) {
            let mark = fields.key_mark(key).unwrap_or(item.mark);
            let instead = match key {
                "serial" => "keep one of the two, or say on which `server:` each of them is",
                _ => "keep one of the two",
            };
            ctx.complain(mark, format!("{key} {} stands twice", quoted(own)), instead);
            continue;
        }
        found.push(phone);
    }
    found
}

/// The key by which two phones would be one, and what it says.
fn same<'p>(one: &InventoryPhone, other: &'p InventoryPhone) -> Option<(&'static str, &'p str)> {
    let apart = matches!((&one.server, &other.server), (Some(one), Some(other)) if one != other);
    if one.serial == other.serial && !apart {
        return Some(("serial", &other.serial));
    }
    let name = other.name.as_deref()?;
    let taken = one.name.as_deref() == Some(name) || one.id() == name;
    if taken {
        Some(("name", name))
    } else {
        (one.name.as_deref() == Some(other.id())).then_some(("serial", other.id()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Inventory, String> {
        let file = SourceFile { name: "farm.yaml".to_owned(), text: text.as_bytes().to_vec() };
        inventory(&file).map_err(|all| all.iter().map(|one| one.render(false)).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn servers_and_phones_with_names_and_tags_are_read() {
        let text = "adb: [ '127.0.0.1:5037', rack7:15037 ]\nphones:\n  - { serial: R58M1, name: left, tags: [ gate, old ] }\n  - serial: P8\n    labels: gate\n";
        let read = read(text).expect("it is right");
        assert_eq!(read.servers, ["127.0.0.1:5037", "rack7:15037"]);
        let left = read.phone("R58M1").expect("it is there");
        assert_eq!(
            (left.name.as_deref(), &left.tags[..]),
            (Some("left"), &["gate".to_owned(), "old".to_owned()][..])
        );
        assert_eq!(read.phone("P8").map(|phone| phone.tags.clone()), Some(vec!["gate".to_owned()]));
        assert_eq!(self::read(""), Ok(Inventory::default()));
    }

    #[test]
    fn phones_of_one_serial_at_two_servers_have_names_of_their_own() {
        let two = |more: &str| {
            read(&format!(
                "adb: [ 'a:5037', 'b:5037' ]\nphones:\n  - {{ serial: emulator-5554, server: 'a:5037', name: left }}\n  \
                 - {{ serial: emulator-5554{more} }}\n"
            ))
        };
        let read = two(", server: 'b:5037', name: right").expect("it is right");
        assert_eq!(read.phone("right").and_then(|phone| phone.server.as_deref()), Some("b:5037"));
        assert!(read.phone("emulator-5554").is_none(), "its serial is no name of it");
        for (more, wanted) in [
            ("", "say on which `server:` each of them is"),
            (", server: 'b:5037'", "add `name:`"),
            (", server: 'a:5037', name: right", "stands twice"),
            (", server: 'b:5037', name: left", "name `left` stands twice"),
            (", server: 'c:5037', name: right", "`c:5037` is none of the servers of `adb`"),
        ] {
            let why = two(more).expect_err(more);
            assert!(why.contains(wanted) && why.contains("farm.yaml:4"), "no `{wanted}` in\n{why}");
        }
    }

    #[test]
    fn every_mistake_is_told_at_its_place_with_what_is_meant() {
        let text = "phones:\n  - { serial: A, nmae: x }\n  - { name: y }\n  - { serial: A }\n  - { serial: B, name: n }\n  - { serial: C, name: n }\nserver: x\n";
        let why = read(text).expect_err("all of it is wrong");
        for wanted in [
            "farm.yaml:2",
            "`name`",
            "farm.yaml:3",
            "serial",
            "farm.yaml:4",
            "stands twice",
            "farm.yaml:6",
            "farm.yaml:7",
        ] {
            assert!(why.contains(wanted), "no `{wanted}` in\n{why}");
        }
    }
}
