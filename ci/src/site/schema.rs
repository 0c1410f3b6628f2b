//! A page for a JSON Schema: a table of keys for the file itself and for each of its parts.

use super::said::Ask;
use crate::program::Failed;
use serde_json::{Map, Value};

/// What keys may stand in a file of its own below its parts.
const PART: &str = "#/$defs/";

/// Kinds of files whose schema the binary prints, each with what it says of it.
///
/// # Errors
/// It does not say.
pub fn kinds(ask: Ask) -> Result<Vec<(String, String)>, Failed> {
    let help = ask("schema --help")?;
    let listed = help.lines().skip_while(|line| line.trim() != "Possible values:").skip(1);
    let listed = listed.map_while(|line| line.trim().strip_prefix("- "));
    let kinds: Vec<_> = listed
        .filter_map(|line| line.split_once(':'))
        .map(|(kind, about)| (kind.to_owned(), about.trim().replace('`', "")))
        .collect();
    if kinds.is_empty() {
        Err(Failed("`farmjank schema --help` lists no kinds".to_owned()))
    } else {
        Ok(kinds)
    }
}

/// The page of one kind.
///
/// # Errors
/// The schema is no JSON object.
pub fn page(kind: &str, about: &str, schema: &str) -> Result<String, Failed> {
    let schema: Value = serde_json::from_str(schema)
        .map_err(|why| Failed(format!("`farmjank schema {kind}` is no JSON: {why}")))?;
    let mut page = format!(
        "# Schema: {about}\n\nMade from `farmjank schema {kind}`, which prints the JSON Schema that editors read.\n"
    );
    part(&mut page, 2, &schema);
    for (name, own) in schema["$defs"].as_object().into_iter().flatten() {
        page.push_str(&format!("\n## {name}\n"));
        part(&mut page, 3, own);
    }
    Ok(page)
}

/// What a part says of itself, and its keys; those that have keys of their own under a heading of this depth.
fn part(page: &mut String, depth: usize, schema: &Value) {
    if let Some(words) = schema["description"].as_str() {
        page.push_str(&format!("\n{}\n", cell(words)));
    }
    let with_keys = objects(schema);
    if with_keys.is_empty() {
        page.push_str(&format!("\nIt is {}.\n", told(schema)));
        return;
    }
    // One key each, as steps are: the keys of all ways in one table.
    page.push_str("\n| key | what it is | what it says |\n| --- | --- | --- |\n");
    let (mut seen, mut deeper) = (Vec::new(), Vec::new());
    for object in with_keys {
        let required: Vec<&str> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (key, value) in object["properties"].as_object().into_iter().flatten() {
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            if !objects(value).is_empty() {
                deeper.push((key, value));
            }
            let must = if required.contains(&key.as_str()) && schema["properties"].is_object() {
                ", always"
            } else {
                ""
            };
            let words = value["description"].as_str().unwrap_or_default();
            page.push_str(&format!("| `{key}` | {}{must} | {} |\n", told(value), cell(words)));
        }
    }
    for (key, value) in deeper {
        page.push_str(&format!("\n{} {key}\n", "#".repeat(depth)));
        part(page, depth + 1, value);
    }
}

/// The ways in which a value has keys.
fn objects(schema: &Value) -> Vec<&Value> {
    ways(schema).into_iter().filter(|way| way["properties"].is_object()).collect()
}

/// The schema itself, or each that may hold instead.
fn ways(schema: &Value) -> Vec<&Value> {
    let of = |name: &str| schema[name].as_array().into_iter().flatten().collect::<Vec<_>>();
    let ways = [of("anyOf"), of("oneOf")].concat();
    if ways.is_empty() || schema["properties"].is_object() { vec![schema] } else { ways }
}

/// What a value is, in words; of a part, a link to it.
fn told(schema: &Value) -> String {
    let mut all: Vec<String> = Vec::new();
    for way in ways(schema) {
        let words = one(way);
        if !all.contains(&words) {
            all.push(words);
        }
    }
    all.join(" or ")
}

fn one(schema: &Value) -> String {
    if let Some(part) = schema["$ref"].as_str().and_then(|path| path.strip_prefix(PART)) {
        return format!("[{part}](#{})", part.to_lowercase());
    }
    if ways(schema).len() > 1 {
        return told(schema);
    }
    let values =
        schema["enum"].as_array().cloned().or_else(|| schema.get("const").map(|one| vec![one.clone()]));
    if let Some(values) = values {
        let quoted = values
            .iter()
            .map(|value| format!("`{}`", value.as_str().map_or(value.to_string(), str::to_owned)));
        return cell(&quoted.collect::<Vec<_>>().join(", "));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        many => many.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
    };
    let names: Vec<String> = types.iter().map(|kind| named(kind, schema)).collect();
    if names.is_empty() { "anything".to_owned() } else { names.join(" or ") }
}

/// What a kind of JSON is called, with what it holds.
fn named(kind: &str, schema: &Value) -> String {
    let inner = |name: &str| schema.get(name).filter(|one| one.is_object()).map(told);
    match kind {
        "string" => "text".to_owned(),
        "integer" => format!("a whole number{}", between(schema.as_object())),
        "number" => format!("a number{}", between(schema.as_object())),
        "boolean" => "`true` or `false`".to_owned(),
        "null" => "nothing".to_owned(),
        "array" => inner("items").map_or("a list".to_owned(), |each| format!("a list, each {each}")),
        "object" => {
            inner("additionalProperties").map_or("keys".to_owned(), |each| format!("names, each with {each}"))
        }
        other => other.to_owned(),
    }
}

fn between(schema: Option<&Map<String, Value>>) -> String {
    let bound = |name: &str| schema.and_then(|schema| schema.get(name)).map(Value::to_string);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" from {least}"),
        (None, Some(most)) => format!(" up to {most}"),
        (None, None) => String::new(),
    }
}

/// Words that stay in their cell of a table.
fn cell(words: &str) -> String {
    words.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"{
        "description": "a lab", "type": "object", "required": ["name"],
        "properties": {
            "name": { "type": "string", "description": "a | b" },
            "seed": { "type": ["integer", "null"], "minimum": 0, "maximum": 9 },
            "phones": { "type": "array", "items": { "$ref": "#/$defs/Phone" } },
            "env": { "type": "object", "additionalProperties": { "type": "boolean" } },
            "tap": { "anyOf": [ { "type": "null" }, { "type": "object", "properties": { "at": { "type": "string" } } } ] },
            "how": { "anyOf": [ { "enum": ["a", "b"] }, { "type": "string", "pattern": "x" } ] }
        },
        "$defs": {
            "Phone": { "anyOf": [ { "enum": ["none"] }, { "properties": { "tap": { "type": "string" } } },
                                  { "properties": { "tap": {}, "swipe": { "type": "number" } } } ] },
            "Name": { "type": "string", "description": "what it is called" }
        }
    }"##;

    #[test]
    fn every_key_of_every_part_has_a_line_with_what_it_is_and_says() {
        let page = page("lab", "Labs", SCHEMA).unwrap();
        for line in [
            "| `name` | text, always | a \\| b |",
            "| `seed` | a whole number from 0 to 9 or nothing |  |",
            "| `phones` | a list, each [Phone](#phone) |  |",
            "| `env` | names, each with `true` or `false` |  |",
            "| `how` | `a`, `b` or text |  |",
            "## tap",
            "| `at` | text |  |",
            "## Phone",
            "| `swipe` | a number |  |",
            "It is text.",
        ] {
            assert!(page.lines().any(|own| own == line), "{line}\n{page}");
        }
        assert_eq!(page.matches("| `tap` |").count(), 2);
        assert!(super::page("lab", "Labs", "no").is_err());
    }
}
