//! Values of keys, as a file or the environment writes them. Files are told apart from names, and lie where the
//! `farmjank.toml` that names them lies.

use crate::key::Kind;
use farmjank_scenarios::complaint::choice;
use farmjank_scenarios::prepare::Wishes;
use farmjank_scenarios::requirement::Requirement;
use std::ops::Range;
use std::path::Path;
use toml::de::DeValue;

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Given or not.
    Flag(bool),
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// Why something is no value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Bytes of the text it is about; all of it where none.
    pub(crate) at: Option<Range<usize>>,
    pub(crate) what: String,
    pub(crate) instead: String,
}

fn wrong(what: impl Into<String>, instead: impl Into<String>) -> Wrong {
    Wrong { at: None, what: what.into(), instead: instead.into() }
}

impl Value {
    /// The texts it gives a flag; none for a flag that is not given.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Value::Flag(_) => Vec::new(),
            Value::One(text) => vec![text],
            Value::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }

    /// For people.
    pub fn shown(&self) -> String {
        match self {
            Value::Flag(given) => given.to_string(),
            Value::One(text) => text.clone(),
            Value::Many(texts) => texts.join(", "),
        }
    }

    /// Reads the value of a key in a file that lies in `root`.
    pub(crate) fn of_toml(name: &str, kind: Kind, value: &DeValue<'_>, root: &str) -> Result<Value, Wrong> {
        let takes = |what: &str| wrong(format!("`{name}` takes {what}"), String::new());
        match (kind, value) {
            (Kind::Flag, DeValue::Boolean(given)) => Ok(Value::Flag(*given)),
            (Kind::Flag, _) => Err(takes("`true` or `false`")),
            (Kind::Whole(..), DeValue::Integer(number)) if number.radix() == 10 => {
                Value::of_text(name, kind, number.as_str(), root)
            }
            (Kind::Whole(least, most), _) => Err(takes(&whole(least, most))),
            (Kind::Pairs, DeValue::Table(table)) => {
                let pair = |(name, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
                    let name: &std::borrow::Cow<'_, str> = name.get_ref();
                    match value.get_ref() {
                        DeValue::String(text) => Ok(format!("{name}={text}")),
                        DeValue::Integer(number) => Ok(format!("{name}={}", number.as_str())),
                        DeValue::Boolean(flag) => Ok(format!("{name}={flag}")),
                        _ => Err(takes("texts")),
                    }
                };
                table.iter().map(pair).collect::<Result<Vec<_>, _>>().map(Value::Many)
            }
            (kind, DeValue::Array(items)) if kind.is_list() => {
                let text = |item: &toml::Spanned<DeValue<'_>>| match item.get_ref() {
                    DeValue::String(text) => one(kind, text, root),
                    _ => Err(takes("texts")),
                };
                items.iter().map(text).collect::<Result<Vec<_>, _>>().map(Value::Many)
            }
            (kind, DeValue::String(text)) if kind.is_list() => Ok(Value::Many(vec![one(kind, text, root)?])),
            (_, DeValue::String(text)) => Value::of_text(name, kind, text, root),
            (kind, _) if kind.is_list() => Err(takes("a list of texts")),
            _ => Err(takes("a text")),
        }
    }

    /// Reads the value of a key from the text of an environment's variable; several with commas between them.
    pub(crate) fn of_text(name: &str, kind: Kind, text: &str, root: &str) -> Result<Value, Wrong> {
        match kind {
            Kind::Flag => match text {
                "true" | "yes" | "on" | "1" => Ok(Value::Flag(true)),
                "false" | "no" | "off" | "0" => Ok(Value::Flag(false)),
                _ => Err(wrong(format!("`{name}` takes true or false"), String::new())),
            },
            Kind::Whole(least, most) => {
                let number = text.replace('_', "").parse::<u64>().ok();
                let number = number.filter(|number| (least..=most).contains(number));
                let refused = || wrong(format!("`{name}` takes {}", whole(least, most)), String::new());
                number.map(|number| Value::One(number.to_string())).ok_or_else(refused)
            }
            kind if kind.is_list() => {
                let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
                parts.map(|part| one(kind, part, root)).collect::<Result<Vec<_>, _>>().map(Value::Many)
            }
            kind => one(kind, text, root).map(Value::One),
        }
    }
}

fn whole(least: u64, most: u64) -> String {
    if most > 1_000_000 {
        format!("a whole number, {least} or more")
    } else {
        format!("a whole number from {least} to {most}")
    }
}

/// One text of a kind.
fn one(kind: Kind, text: &str, root: &str) -> Result<String, Wrong> {
    match kind {
        Kind::Time => {
            let read = text.trim().parse::<jiff::SignedDuration>().ok().filter(|time| !time.is_negative());
            read.ok_or_else(|| wrong("this is no time", "write for example `250ms`, `60s` or `2m`"))?;
        }
        Kind::Choice(words) if !words.contains(&text) => {
            let near = farmjank_leaf::nearest::nearest(text, words.iter().copied());
            let instead = near.map_or_else(|| choice(words.iter().copied()), |near| format!("`{near}`"));
            return Err(wrong("this is none of its words", format!("write {instead}")));
        }
        Kind::Filter => drop(filter(text)?),
        Kind::Wishes => drop(Wishes::read([text]).map_err(|why| wrong(why.to_string(), String::new()))?),
        Kind::Pairs => {
            let name = text.split('=').next().unwrap_or_default();
            let fits = |c: char| !c.is_control() && !c.is_whitespace();
            if name.is_empty() || !name.chars().all(fits) {
                return Err(wrong("this has no name", "write `NAME=VALUE`, or `NAME` alone"));
            }
        }
        Kind::Path | Kind::Paths => return Ok(beside(root, text)),
        Kind::Place if is_file(text) => return Ok(beside(root, text)),
        Kind::Reports => {
            return Ok(match text.split_once('=') {
                Some((name, file)) => format!("{name}={}", beside(root, file)),
                None => text.to_owned(),
            });
        }
        _ => {}
    }
    Ok(text.to_owned())
}

/// Reads a device filter.
pub(crate) fn filter(text: &str) -> Result<Requirement, Wrong> {
    Requirement::parse(text).map_err(|why| Wrong { at: Some(why.at), what: why.what, instead: why.instead })
}

/// Whether a text that may be a name is that of a file: it has a folder, or an ending files have.
fn is_file(text: &str) -> bool {
    let ends = [".yaml", ".yml", ".json", ".csv", ".sqlite", ".db"];
    !text.contains("://") && (text.contains('/') || ends.iter().any(|end| text.ends_with(end)))
}

/// A path of a file in `root`, from where the command is run.
fn beside(root: &str, path: &str) -> String {
    if root.is_empty() { path.to_owned() } else { Path::new(root).join(path).to_string_lossy().into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_lie_beside_the_file_that_names_them_and_names_are_left_alone() {
        let read = |kind, text: &str| one(kind, text, "..").unwrap_or_else(|why| why.what);
        assert_eq!(read(Kind::Path, "out"), "../out");
        assert_eq!(read(Kind::Path, "/tmp/out"), "/tmp/out");
        assert_eq!(read(Kind::Place, "demo"), "demo");
        assert_eq!(read(Kind::Place, "rack.yaml"), "../rack.yaml");
        assert_eq!(read(Kind::Place, "postgres://lab@db/jank"), "postgres://lab@db/jank");
        assert_eq!(read(Kind::Reports, "junit=a/b.xml"), "junit=../a/b.xml");
        assert_eq!(read(Kind::Reports, "github"), "github");
        assert_eq!(one(Kind::Path, "out", "").as_deref(), Ok("out"));
    }

    #[test]
    fn variables_of_the_environment_are_read_by_what_their_key_takes() {
        let read = |kind, text| Value::of_text("key", kind, text, "").map_err(|why| why.what);
        assert_eq!(read(Kind::Flag, "0"), Ok(Value::Flag(false)));
        assert_eq!(read(Kind::Whole(1, 3), "2"), Ok(Value::One("2".to_owned())));
        assert_eq!(read(Kind::Whole(1, 3), "4"), Err("`key` takes a whole number from 1 to 3".to_owned()));
        assert_eq!(read(Kind::Texts, "a, b"), Ok(Value::Many(vec!["a".to_owned(), "b".to_owned()])));
        assert!(read(Kind::Time, "60").is_err() && read(Kind::Filter, "sdk >=").is_err());
    }
}
