//! JSON Schema (draft 2020-12) of the language, for editors: completion, descriptions, unknown keys marked.
//!
//! Written from the same [`vocabulary`](crate::vocabulary) the reader walks. It is looser than the reader where JSON
//! Schema cannot say it (which steps may stand where, limits against metrics). It is stricter in one thing: it asks
//! every header for `appId`, which a file that is only run by others may leave out. A document is a scenario, or the
//! list of steps of Maestro's two-document form.

use crate::vocabulary::lab_files::{INVENTORY, INVENTORY_PHONE, OWNERS, QUARANTINE, QUARANTINED, TEAM};
use crate::vocabulary::maestro::{KEYS_NOTED, NOTED};
use crate::vocabulary::{
    BASELINE, CAUSES, COMMANDS, CONDITION, Command, EVERY_STEP, HEADER, Key, LIMIT, NAME_CHARS, OVERRIDE,
    PAGE, PREPARE, READY, SELECTOR, Shape, TEXT_CHARS,
};
use serde_json::{Map, Value, json};

/// Any text that a variable fills in.
const VARIABLE: &str = r"\$\{";

/// The schema of a scenario file, as `farmjank schema` prints it: stable, pretty, with a final newline.
pub fn schema() -> String {
    let root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "farmjank scenario",
        "anyOf": [{ "$ref": "#/$defs/scenario" }, { "$ref": "#/$defs/steps" }],
        "$defs": definitions(),
    });
    // The empty text would fail the test beside schema.json.
    pretty(&root)
}

/// The schema of a quarantine file, in the same form.
pub fn quarantine() -> String {
    let mut root = object(QUARANTINE, "what is measured and reported without gating");
    root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".to_owned(), json!("farmjank quarantine"));
    root.insert("$defs".to_owned(), json!({ "entry": Value::Object(object(QUARANTINED, "one entry")) }));
    pretty(&Value::Object(root))
}

/// The schema of an inventory, in the same form.
pub fn inventory() -> String {
    let mut root = object(INVENTORY, "the adb servers and phones of a lab");
    root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".to_owned(), json!("farmjank inventory"));
    root.insert("$defs".to_owned(), json!({ "phone": Value::Object(object(INVENTORY_PHONE, "one phone")) }));
    pretty(&Value::Object(root))
}

/// The schema of a file of owners, in the same form.
pub fn owners() -> String {
    let mut root = object(OWNERS, "who answers for causes of late frames");
    root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".to_owned(), json!("farmjank owners"));
    root.insert("$defs".to_owned(), json!({ "team": Value::Object(object(TEAM, "one team")) }));
    pretty(&Value::Object(root))
}

/// A tree of maps, lists and text always has a JSON text.
fn pretty(root: &Value) -> String {
    serde_json::to_string_pretty(root).unwrap_or_default() + "\n"
}

fn definitions() -> Value {
    let noted = NOTED.iter().map(|(name, _)| json!(name));
    let bare = COMMANDS.iter().filter(|command| command.bare).map(|command| json!(command.name));
    let mut steps: Vec<Value> = bare.chain(noted).collect();
    let mut header = object(HEADER, "a scenario, or the header of one");
    note(&mut header, "header");
    let bare = json!({ "enum": std::mem::take(&mut steps), "description": "a command without a value" });
    let step: Vec<Value> = std::iter::once(bare).chain(COMMANDS.iter().map(command)).collect();
    json!({
        "scenario": Value::Object(header),
        "steps": { "type": "array", "items": { "$ref": "#/$defs/step" } },
        "step": { "anyOf": step },
        "ready": either(json!({ "type": "string" }), object(READY, "when a page counts as open")),
        "element": either(json!({ "type": "string" }), object(SELECTOR, "an element on the screen")),
        "condition": Value::Object(object(CONDITION, "what must hold before steps run")),
        "page": either(json!({ "type": "string" }), object(PAGE, "a target page")),
        "limit": either(json!({ "type": "string" }), object(LIMIT, "a limit with a confidence")),
        "baseline": Value::Object(object(BASELINE, "how a run is held against a baseline")),
        "causes": Value::Object(object(CAUSES, "what becomes of causes of late frames")),
        "prepare": Value::Object(object(PREPARE, "what is changed on phones")),
        "override": Value::Object(object(OVERRIDE, "limits for some phones")),
    })
}

/// One command as a step: its name with its value, and what may stand beside it.
fn command(command: &Command) -> Value {
    let keys = || command.key_sets().into_iter().flatten();
    let mut whole = object_of(keys(), command.about);
    note(&mut whole, command.name);
    let mut forms = vec![Value::Object(whole)];
    if command.beside || command.keys.iter().all(|key| !key.required) {
        // A form without the required keys: they stand beside the command, or there are none.
        let mut loose = object_of(keys(), command.about);
        note(&mut loose, command.name);
        loose.remove("required");
        loose.remove("allOf");
        forms = vec![Value::Object(loose)];
    }
    if let Some(key) = command.short.and_then(|short| keys().find(|key| key.name == short)) {
        forms.push(shape(key.shape));
    }
    if command.bare {
        forms.push(json!({ "type": "null" }));
    }
    let value = if forms.len() == 1 { forms.remove(0) } else { json!({ "anyOf": forms }) };
    let mut properties = Map::new();
    properties.insert(command.name.to_owned(), describe(value, command.about));
    for key in command.keys.iter().filter(|_| command.beside).chain(EVERY_STEP) {
        for name in spellings(key) {
            properties.insert(name.to_owned(), describe(shape(key.shape), key.about));
        }
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": [command.name],
        "additionalProperties": false,
    })
}

/// Keys that are taken and change nothing.
fn note(object: &mut Map<String, Value>, of: &str) {
    let Some(Value::Object(properties)) = object.get_mut("properties") else { return };
    for (_, key, why) in KEYS_NOTED.iter().filter(|(owner, _, _)| *owner == of) {
        properties.insert((*key).to_owned(), json!({ "description": format!("changes nothing: {why}") }));
    }
}

fn spellings(key: &Key) -> impl Iterator<Item = &'static str> {
    std::iter::once(key.name).chain(key.also.iter().copied())
}

fn object(keys: &'static [Key], about: &str) -> Map<String, Value> {
    object_of(keys.iter(), about)
}

fn object_of<'k>(keys: impl Iterator<Item = &'k Key>, about: &str) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut either = Vec::new();
    for key in keys {
        for name in spellings(key) {
            properties.insert(name.to_owned(), describe(shape(key.shape), key.about));
        }
        match (key.required, key.also.is_empty()) {
            (true, true) => required.push(json!(key.name)),
            (true, false) => {
                let ways: Vec<Value> = spellings(key).map(|name| json!({ "required": [name] })).collect();
                either.push(json!({ "anyOf": ways }));
            }
            (false, _) => {}
        }
    }
    let mut object = Map::new();
    object.insert("type".to_owned(), json!("object"));
    if !about.is_empty() {
        object.insert("description".to_owned(), json!(about));
    }
    object.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        object.insert("required".to_owned(), Value::Array(required));
    }
    if !either.is_empty() {
        object.insert("allOf".to_owned(), Value::Array(either));
    }
    object.insert("additionalProperties".to_owned(), json!(false));
    object
}

fn describe(mut value: Value, about: &str) -> Value {
    if let Value::Object(map) = &mut value {
        map.insert("description".to_owned(), json!(about));
    }
    value
}

fn either(one: Value, other: Map<String, Value>) -> Value {
    json!({ "anyOf": [one, Value::Object(other)] })
}

/// A pattern, or any text with a variable in it.
fn pattern(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": format!("{pattern}|{VARIABLE}") })
}

/// A number, or its digits as text, or a variable.
fn number(number: Value, digits: &str) -> Value {
    json!({ "anyOf": [number, pattern(digits)] })
}

fn shape(shape: Shape) -> Value {
    let single = json!(["string", "number", "boolean"]);
    match shape {
        Shape::Text => json!({ "type": single, "maxLength": TEXT_CHARS }),
        Shape::Name => json!({ "type": single, "maxLength": NAME_CHARS }),
        Shape::AppId => pattern(r"^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$"),
        Shape::Link => pattern(r"^[A-Za-z][A-Za-z0-9+.-]*:."),
        Shape::Flag => json!({ "anyOf": [{ "type": "boolean" }, pattern("^(true|false)$")] }),
        Shape::Whole(least, most) => {
            number(json!({ "type": "integer", "minimum": least, "maximum": most }), "^[0-9]+$")
        }
        Shape::Number(least, most) => {
            number(json!({ "type": "number", "minimum": least, "maximum": most }), r"^[0-9.]+$")
        }
        Shape::Time(least, most) => number(
            json!({ "type": "number", "minimum": least, "maximum": most }),
            r"^\s*[0-9.]+\s*(ms|s|m|min)?\s*$",
        ),
        Shape::Point => pattern(r"^\s*[0-9.]+\s*(%|px)?\s*,\s*[0-9.]+\s*(%|px)?\s*$"),
        Shape::Direction => pattern("^([Uu][Pp]|[Dd][Oo][Ww][Nn]|[Ll][Ee][Ff][Tt]|[Rr][Ii][Gg][Hh][Tt])$"),
        Shape::KeyName => json!({ "type": single }),
        Shape::Spread => json!({ "anyOf": [{ "type": "boolean" }, pattern("^(true|false|iterations)$")] }),
        Shape::Source => pattern("^(auto|frametimeline|surfaceflinger|gfxinfo|timestats)$"),
        Shape::Requirement => json!({ "type": "string" }),
        Shape::Resources => {
            let names = farmjank_results::resources::Resource::ALL.map(|one| one.name());
            let one = json!({ "enum": names });
            json!({ "anyOf": [one, { "type": "array", "items": one }] })
        }
        Shape::Tags => json!({ "type": ["array", "string", "number"], "items": { "type": single } }),
        Shape::Map => {
            json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean", "null"] } })
        }
        Shape::Steps => json!({ "$ref": "#/$defs/steps" }),
        Shape::Ready => json!({ "$ref": "#/$defs/ready" }),
        Shape::Element => json!({ "$ref": "#/$defs/element" }),
        Shape::Elements => json!({ "type": "array", "items": { "$ref": "#/$defs/element" } }),
        Shape::Condition => json!({ "$ref": "#/$defs/condition" }),
        Shape::Signed => number(json!({ "type": "number" }), r"^-?[0-9]+(\.0)?$"),
        Shape::Script => json!({ "type": single, "maxLength": TEXT_CHARS }),
        Shape::Platform => pattern("^([Aa]ndroid|ANDROID|i[Oo][Ss]|IOS|[Ww]eb|WEB)$"),
        Shape::Pages => json!({ "type": "object", "additionalProperties": { "$ref": "#/$defs/page" } }),
        Shape::Thresholds => json!({
            "type": "object",
            "additionalProperties": {
                "anyOf": [{ "$ref": "#/$defs/limit" }, { "type": "array", "items": { "$ref": "#/$defs/limit" } }]
            }
        }),
        Shape::Baseline => json!({ "$ref": "#/$defs/baseline" }),
        Shape::Causes => json!({ "$ref": "#/$defs/causes" }),
        Shape::OnNew => pattern("^(fail|warn)$"),
        Shape::Day => pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
        Shape::Owners => json!({
            "type": "object",
            "additionalProperties": { "type": "string", "minLength": 1, "maxLength": NAME_CHARS }
        }),
        Shape::Teams => json!({ "type": "object", "additionalProperties": { "$ref": "#/$defs/team" } }),
        Shape::InventoryPhones => json!({ "type": "array", "items": { "$ref": "#/$defs/phone" } }),
        Shape::Quarantined => json!({ "type": "array", "items": { "$ref": "#/$defs/entry" } }),
        Shape::Prepare => json!({ "$ref": "#/$defs/prepare" }),
        Shape::Overrides => json!({ "type": "array", "items": { "$ref": "#/$defs/override" } }),
    }
}
