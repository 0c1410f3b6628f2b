//! JSON Schema (draft 2020-12) of `farmjank.toml`, for editors. Written from the table the reader walks.

use crate::key::{FOR_PHONES, KEYS, Key, Kind};
use serde_json::{Map, Value, json};

/// The schema, pretty, with a final newline. `about` says what a key is for.
pub fn schema(about: &dyn Fn(&Key) -> String) -> String {
    let mut keys = Map::new();
    for key in KEYS {
        keys.insert(key.name.to_owned(), described(key, about));
    }
    let mut of_profile = keys.clone();
    of_profile.insert(
        "inherits".to_owned(),
        json!({ "type": "string", "description": "the profile this one adds to" }),
    );
    of_profile.insert("overrides".to_owned(), json!({ "$ref": "#/$defs/overrides" }));
    let mut for_phones = Map::new();
    let which = "which phones: a device filter, such as `refresh >= 120`";
    for_phones.insert("devices".to_owned(), json!({ "type": "string", "description": which }));
    for name in FOR_PHONES {
        for_phones.extend(Key::named(name).map(|key| ((*name).to_owned(), described(key, about))));
    }
    let root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "farmjank.toml",
        "type": "object",
        "properties": {
            "default": { "$ref": "#/$defs/default" },
            "profile": {
                "type": "object",
                "description": "sets of values with a name, for `--profile` and FARMJANK_PROFILE",
                "additionalProperties": { "$ref": "#/$defs/profile" },
            },
            "overrides": { "$ref": "#/$defs/overrides" },
        },
        "additionalProperties": false,
        "$defs": {
            "default": object("what counts where nothing else says otherwise", keys, &[]),
            "profile": object("what counts in this profile", of_profile, &[]),
            "overrides": {
                "type": "array",
                "description": "what counts on some phones; the last that matches wins",
                "items": object("what counts on these phones", for_phones, &["devices"]),
            },
        },
    });
    // A tree of maps, lists and text always has a JSON text.
    serde_json::to_string_pretty(&root).unwrap_or_default() + "\n"
}

fn object(about: &str, properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "description": about,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn described(key: &Key, about: &dyn Fn(&Key) -> String) -> Value {
    let mut shape = shape(key.kind);
    if let Value::Object(shape) = &mut shape {
        shape.insert("description".to_owned(), json!(about(key)));
    }
    shape
}

fn shape(kind: Kind) -> Value {
    match kind {
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Whole(least, most) if most > 1_000_000 => json!({ "type": "integer", "minimum": least }),
        Kind::Whole(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::Pairs => json!({
            "anyOf": [
                { "type": "object", "additionalProperties": { "type": ["string", "integer", "boolean"] } },
                { "type": ["array", "string"], "items": { "type": "string" } },
            ]
        }),
        Kind::Texts | Kind::Paths | Kind::Reports | Kind::Wishes => {
            json!({ "type": ["array", "string"], "items": { "type": "string" } })
        }
        Kind::Text | Kind::Time | Kind::Path | Kind::Place | Kind::Filter => json!({ "type": "string" }),
    }
}
