//! A small strict reader of XML 1.0 without DTD: well-formed or an error, and the tree. Written for tests only, on
//! purpose without the crate that writes the reports: two witnesses, not one.

use std::collections::BTreeMap;

/// An element, with everything in it.
#[derive(Debug, Default)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// Its attributes, decoded.
    pub attributes: BTreeMap<String, String>,
    /// The elements right below it, in order.
    pub children: Vec<Element>,
    /// Its own text, decoded, that of its children left out.
    pub text: String,
}

impl Element {
    /// The children of this name.
    pub fn all(&self, name: &str) -> Vec<&Element> {
        self.children.iter().filter(|child| child.name == name).collect()
    }

    /// The first child of this name.
    pub fn one(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// An attribute; empty where there is none.
    pub fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

/// Reads a whole document.
///
/// # Errors
/// What makes it no XML 1.0, or more than these tests expect: a DTD, a comment, a CDATA section.
pub fn read(text: &str) -> Result<Element, String> {
    if let Some(c) = text.chars().find(|c| !allowed(*c)) {
        return Err(format!("U+{:04X} cannot be in XML", u32::from(c)));
    }
    let body = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").ok_or("no declaration")?;
    let mut open: Vec<Element> = vec![Element::default()];
    let mut rest = body;
    while !rest.is_empty() {
        let Some(at) = rest.find('<') else {
            open.last_mut().unwrap().text += &decoded(rest)?;
            break;
        };
        open.last_mut().unwrap().text += &decoded(&rest[..at])?;
        let (tag, after) = tag_end(&rest[at + 1..])?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let closed = open.pop().filter(|_| !open.is_empty()).ok_or("one end tag too many")?;
            if closed.name != name {
                return Err(format!("<{}> is closed by </{name}>", closed.name));
            }
            open.last_mut().unwrap().children.push(closed);
        } else if let Some(tag) = tag.strip_suffix('/') {
            let element = element(tag)?;
            open.last_mut().unwrap().children.push(element);
        } else {
            open.push(element(tag)?);
        }
    }
    let mut document = open.pop().filter(|_| open.is_empty()).ok_or("an element is never closed")?;
    match document.children.len() {
        1 if document.text.trim().is_empty() => Ok(document.children.remove(0)),
        count => Err(format!("{count} roots, or text outside the root")),
    }
}

fn allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Splits after the `>` that ends a tag; `>` inside quotes does not.
fn tag_end(text: &str) -> Result<(&str, &str), String> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return Ok((&text[..at], &text[at + 1..])),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (_, '<') => return Err("a raw < inside a tag".to_owned()),
            _ => {}
        }
    }
    Err("a tag never ends".to_owned())
}

fn element(tag: &str) -> Result<Element, String> {
    let (name, mut rest) = tag.split_at(tag.find(char::is_whitespace).unwrap_or(tag.len()));
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Err(format!("<{name}> is not a name"));
    }
    let mut element = Element { name: name.to_owned(), ..Element::default() };
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(element);
        }
        let (key, after) = rest.split_once("=\"").ok_or_else(|| format!("no attribute in {rest:.40}"))?;
        let (value, after) = after.split_once('"').ok_or("an attribute never ends")?;
        if !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Err(format!("{key} is not an attribute"));
        }
        if element.attributes.insert(key.to_owned(), decoded(value)?).is_some() {
            return Err(format!("{key} twice"));
        }
        rest = after;
    }
}

fn decoded(text: &str) -> Result<String, String> {
    if text.contains("]]>") {
        return Err("]]> in text".to_owned());
    }
    let mut out = String::new();
    let mut parts = text.split('&');
    out += parts.next().unwrap_or_default();
    for part in parts {
        let (entity, tail) = part.split_once(';').ok_or("a raw &")?;
        out.push(match entity {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            other => {
                let number = other.strip_prefix('#').ok_or_else(|| format!("&{other}; is unknown"))?;
                let code = match number.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16),
                    None => number.parse(),
                };
                let c = code.ok().and_then(char::from_u32).filter(|c| allowed(*c));
                c.ok_or_else(|| format!("&{other}; is no character"))?
            }
        });
        out += tail;
    }
    Ok(out)
}

#[test]
fn the_xml_checker_refuses_what_is_not_well_formed() {
    let document = |body: &str| format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{body}");
    assert!(read(&document("<a b=\"1\"><c/>x &lt; y</a>")).is_ok());
    for bad in [
        "<a>",
        "<a></b>",
        "<a b=\"<\"/>",
        "<a>&x;</a>",
        "<a>\u{1}</a>",
        "<a>]]></a>",
        "<a/><b/>",
        "<a b=\"1\" b=\"2\"/>",
    ] {
        assert!(read(&document(bad)).is_err(), "{bad}");
    }
}
