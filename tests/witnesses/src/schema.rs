//! A JSON Schema validator for exactly the keywords our schemas use; any other keyword is an error, so that none is
//! overlooked. Patterns are checked by the few forms that occur, spelled out by hand.

use serde_json::Value;

/// Ok, or the first reason for refusal.
pub fn accepts(root: &Value, value: &Value) -> Result<(), String> {
    check(root, root, value)
}

fn check(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let Value::Object(keywords) = schema else { return Err(format!("not a schema: {schema}")) };
    for (keyword, wanted) in keywords {
        match keyword.as_str() {
            // What `format` names (`uint32`, `double`) is narrower than JSON, and told by `type` and `minimum` as well.
            "$schema" | "$defs" | "title" | "description" | "properties" | "default" | "format" => {}
            "$ref" => {
                let pointer = wanted.as_str().and_then(|text| text.strip_prefix('#')).ok_or("bad $ref")?;
                check(root, root.pointer(pointer).ok_or("dangling $ref")?, value)?;
            }
            "oneOf" => {
                let parts = wanted.as_array().ok_or("bad oneOf")?;
                let held = parts.iter().filter(|part| check(root, part, value).is_ok()).count();
                match held {
                    1 => {}
                    0 => any_of(root, wanted, value)?,
                    many => return Err(format!("{value} is {many} things of which it should be one")),
                }
            }
            "const" if value != wanted => return Err(format!("{value} is not {wanted}")),
            "const" => {}
            "anyOf" => any_of(root, wanted, value)?,
            "allOf" => {
                wanted.as_array().ok_or("bad allOf")?.iter().try_for_each(|part| check(root, part, value))?
            }
            "enum" => {
                let known = wanted.as_array().ok_or("bad enum")?;
                if !known.contains(value) {
                    return Err(format!("{value} is none of {wanted}"));
                }
            }
            "type" => of_type(wanted, value)?,
            "required" => {
                for name in wanted.as_array().ok_or("bad required")? {
                    if value.is_object() && value.get(name.as_str().unwrap_or_default()).is_none() {
                        return Err(format!("{name} is missing"));
                    }
                }
            }
            "items" => {
                value.as_array().into_iter().flatten().try_for_each(|item| check(root, wanted, item))?
            }
            "minimum" if value.as_f64() < wanted.as_f64() && value.is_number() => {
                return Err(format!("{value} too small"));
            }
            "maximum" if value.as_f64() > wanted.as_f64() && value.is_number() => {
                return Err(format!("{value} too large"));
            }
            "minimum" | "maximum" => {}
            "maxLength" => {
                let length = value.as_str().map_or(0, |text| text.chars().count()) as u64;
                if Some(length) > wanted.as_u64() {
                    return Err("too long".to_owned());
                }
            }
            "pattern" => matches(wanted.as_str().unwrap_or_default(), value)?,
            "additionalProperties" => others(root, schema, wanted, value)?,
            other => return Err(format!("the validator of the tests does not know `{other}`")),
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, inner) in value.as_object().into_iter().flatten() {
        if let Some(wanted) = properties.and_then(|properties| properties.get(name)) {
            check(root, wanted, inner).map_err(|why| format!("{name}: {why}"))?;
        }
    }
    Ok(())
}

fn any_of(root: &Value, wanted: &Value, value: &Value) -> Result<(), String> {
    let mut reasons = Vec::new();
    for part in wanted.as_array().ok_or("bad anyOf")? {
        match check(root, part, value) {
            Ok(()) => return Ok(()),
            Err(why) => reasons.push(why),
        }
    }
    Err(reasons.join(" / "))
}

fn of_type(wanted: &Value, value: &Value) -> Result<(), String> {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    };
    let held = match wanted {
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        name => name.as_str().is_some_and(is),
    };
    if held { Ok(()) } else { Err(format!("{value} is not of type {wanted}")) }
}

fn others(root: &Value, schema: &Value, wanted: &Value, value: &Value) -> Result<(), String> {
    let known = |name: &str| schema.get("properties").and_then(|properties| properties.get(name)).is_some();
    for (name, inner) in value.as_object().into_iter().flatten().filter(|(name, _)| !known(name)) {
        match wanted {
            Value::Bool(false) => return Err(format!("unknown key {name}")),
            Value::Bool(true) => {}
            wanted => check(root, wanted, inner)?,
        }
    }
    Ok(())
}

/// The alternatives of our patterns, in hand-written form: a text with a variable is always accepted.
fn matches(pattern: &str, value: &Value) -> Result<(), String> {
    let Some(text) = value.as_str() else { return Ok(()) };
    if text.contains("${") {
        return Ok(());
    }
    let held = if pattern.starts_with("^[A-Za-z][A-Za-z0-9_]*") {
        text.contains('.') && text.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c))
    } else if pattern.starts_with("^[A-Za-z][A-Za-z0-9+.-]*:") {
        text.contains(':')
    } else if pattern.contains("(ms|s|m|min)") || pattern.contains("(%|px)") || pattern.starts_with("^[0-9") {
        text.trim_start().starts_with(|c: char| c.is_ascii_digit())
    } else if pattern.contains("[Uu][Pp]") {
        ["UP", "DOWN", "LEFT", "RIGHT"].contains(&text.to_ascii_uppercase().as_str())
    } else if let Some(words) = pattern.strip_prefix("^(").and_then(|rest| rest.split(")$").next()) {
        words.split('|').any(|word| word == text)
    } else {
        return Err(format!("the validator of the tests does not know the pattern {pattern}"));
    };
    if held { Ok(()) } else { Err(format!("{text:?} does not match {pattern}")) }
}
