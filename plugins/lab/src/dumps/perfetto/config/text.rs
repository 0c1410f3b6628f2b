//! The text form of protobuf messages, as a phone's client reads it: names, values, blocks; and what it says of a text
//! that it cannot read.
//!
//! Must not know what is asked for.

use super::super::fields::Kind;

/// Deepest nesting of blocks.
const DEEPEST: usize = 40;

/// What a phone prints of a configuration it cannot read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("config:{line}:{column} error: {what}\n{shown}\n{}^\n", " ".repeat(.column - 1))]
pub struct ConfigError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// The line itself.
    pub shown: String,
}

/// What a field holds.
pub(super) enum Value<'a> {
    Word(&'a str),
    Block(Vec<Field<'a>>),
}

/// A field and where it is.
pub(super) struct Field<'a> {
    pub name: &'a str,
    pub at: usize,
    pub value: Value<'a>,
}

impl<'a> Field<'a> {
    pub fn known(&self, kind: Kind, sdk: u32, text: &str) -> Result<(), ConfigError> {
        if kind.knows(self.name, sdk) {
            return Ok(());
        }
        let what = format!("No field named \"{}\" in proto {}", self.name, kind.name());
        Err(complaint(text, self.at, &what))
    }

    pub fn wrong(&self, text: &str) -> ConfigError {
        complaint(text, self.at, &format!("Expected a different value for field {}", self.name))
    }

    pub fn word(&self, text: &str) -> Result<&'a str, ConfigError> {
        match &self.value {
            Value::Word(word) => Ok(word),
            Value::Block(_) => Err(self.wrong(text)),
        }
    }

    /// The word without what escapes in it stand for.
    pub fn plain(&self, text: &str) -> Result<String, ConfigError> {
        let mut plain = String::new();
        let mut rest = self.word(text)?.chars();
        while let Some(letter) = rest.next() {
            plain.push(match (letter, letter == '\\') {
                (_, true) => match rest.next() {
                    Some('n') => '\n',
                    Some('r') => '\r',
                    Some('t') => '\t',
                    other => other.unwrap_or('\\'),
                },
                (letter, false) => letter,
            });
        }
        Ok(plain)
    }

    pub fn number(&self, text: &str) -> Result<u64, ConfigError> {
        self.word(text)?.parse().map_err(|_| self.wrong(text))
    }

    pub fn block(&self, kind: Kind, sdk: u32, text: &str) -> Result<&[Field<'a>], ConfigError> {
        let Value::Block(fields) = &self.value else { return Err(self.wrong(text)) };
        fields.iter().try_for_each(|field| field.known(kind, sdk, text))?;
        Ok(fields)
    }
}

/// Where and what, as the phone words it.
fn complaint(text: &str, at: usize, what: &str) -> ConfigError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = at - before.rfind('\n').map_or(0, |end| end + 1) + 1;
    let shown = text.lines().nth(line - 1).unwrap_or("");
    let what = what.to_owned();
    ConfigError { line, column, what, shown: shown.to_owned() }
}

/// Reads a text.
pub(super) struct Reader<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Reader<'a> {
    /// Fields up to the closing brace, or to the end on level 0.
    pub fn block(&mut self, depth: usize) -> Result<Vec<Field<'a>>, ConfigError> {
        let mut fields = Vec::new();
        loop {
            self.blank();
            let at = self.at;
            match self.text.as_bytes().get(at) {
                None if depth == 0 => return Ok(fields),
                None => return Err(complaint(self.text, at, "Nested message not closed")),
                Some(b'}' | b'>') if depth > 0 => {
                    self.at += 1;
                    return Ok(fields);
                }
                Some(_) => {}
            }
            let name = self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if name.is_empty() || depth > DEEPEST {
                return Err(complaint(self.text, at, "Expected a field name"));
            }
            self.blank();
            let colon = self.text.as_bytes().get(self.at) == Some(&b':');
            self.at += usize::from(colon);
            self.blank();
            let value = match self.text.as_bytes().get(self.at) {
                Some(b'{' | b'<') => {
                    self.at += 1;
                    Value::Block(self.block(depth + 1)?)
                }
                Some(quote @ (b'"' | b'\'')) if colon => Value::Word(self.quoted(*quote)?),
                _ if colon => {
                    Value::Word(self.run(|byte| byte.is_ascii_alphanumeric() || b"_-+.".contains(&byte)))
                }
                _ => return Err(complaint(self.text, self.at, "Expected ':' or '{'")),
            };
            if matches!(value, Value::Word("")) && !self.text[..self.at].ends_with(['"', '\'']) {
                return Err(complaint(self.text, self.at, "Expected a value"));
            }
            fields.push(Field { name, at, value });
        }
    }

    fn run(&mut self, takes: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|byte| takes(*byte)).count();
        self.at += length;
        &rest[..length]
    }

    fn quoted(&mut self, quote: u8) -> Result<&'a str, ConfigError> {
        let rest = &self.text[self.at + 1..];
        let mut escaped = false;
        for (end, byte) in rest.bytes().enumerate() {
            match (std::mem::take(&mut escaped), byte) {
                (true, b'"' | b'\'' | b'\\' | b'n' | b'r' | b't') => {}
                (true, _) => return Err(complaint(self.text, self.at, "Unknown string escape")),
                (false, b'\\') => escaped = true,
                (false, byte) if byte == quote => {
                    self.at += end + 2;
                    return Ok(&rest[..end]);
                }
                _ => {}
            }
        }
        Err(complaint(self.text, self.at, "Unterminated string literal"))
    }

    /// Blanks, comments and the separators that mean nothing.
    fn blank(&mut self) {
        loop {
            self.run(|byte| byte.is_ascii_whitespace() || b",;".contains(&byte));
            if self.text.as_bytes().get(self.at) != Some(&b'#') {
                return;
            }
            self.run(|byte| byte != b'\n');
        }
    }
}
