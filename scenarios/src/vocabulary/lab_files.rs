//! The words of the files about a lab that stand beside scenarios.

use super::{Key, Shape, key, must};

/// Keys of a quarantine file.
pub const QUARANTINE: &[Key] =
    &[must("quarantine", Shape::Quarantined, "what is measured and reported without gating")];

/// Keys of one entry of it.
pub const QUARANTINED: &[Key] = &[
    key("serial", Shape::Name, "only this phone"),
    key("devices", Shape::Requirement, "only phones that match, such as `model = \"Pixel 4\"`"),
    key("scenario", Shape::Name, "only the scenario of this name"),
    key("window", Shape::Name, "only this window of it"),
    must("reason", Shape::Text, "why it does not gate"),
    must("owner", Shape::Name, "who answers for it"),
    must("until", Shape::Day, "the last day it does not gate, such as `2026-12-31`, in UTC"),
];

/// Keys of an inventory.
pub const INVENTORY: &[Key] = &[
    key("adb", Shape::Tags, "adb servers, `host:port`, where the command line names none"),
    key("phones", Shape::InventoryPhones, "the phones that should be there"),
];

/// Keys of one phone of it.
pub const INVENTORY_PHONE: &[Key] = &[
    must("serial", Shape::Name, "its serial, as `farmjank devices` lists it"),
    key(
        "server",
        Shape::Name,
        "the adb server it is on, where several list its serial; it is called by its name then, everywhere",
    ),
    key("name", Shape::Name, "what people call it"),
    Key {
        also: &["labels"],
        ..key("tags", Shape::Tags, "what `devices` of a scenario can ask for: `tag = gate`")
    },
];

/// Keys of a file of owners.
pub const OWNERS: &[Key] = &[
    must(
        "owners",
        Shape::Owners,
        "who answers for causes: packages, patterns with `*`, or `*`, each with its owner",
    ),
    key("teams", Shape::Teams, "what tickets of an owner get"),
];

/// Keys of one team of it.
pub const TEAM: &[Key] = &[must("labels", Shape::Tags, "labels of its tickets")];
