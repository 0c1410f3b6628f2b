//! What begins with `$` or a backtick: variables, `${…}` edits, command substitution, arithmetic.
//!
//! Part of the lexer; depends on the parser because commands nest inside words.

use super::escapes::{Style, decode};
use super::lexer::{Lexer, flush};
use super::parser;
use super::syntax::{Edit, Part, Script, Trouble, Word};
use std::rc::Rc;

impl Lexer {
    /// Something that begins with `$` or a backtick; a `$` that begins nothing is text.
    pub(super) fn dollar(
        &mut self,
        text: &mut String,
        parts: &mut Vec<Part>,
        quoted: bool,
    ) -> Result<(), Trouble> {
        let part = if self.take("`") {
            Part::Command { script: Rc::new(self.backticks()?), quoted }
        } else if self.starts_with("$((") {
            match arithmetic(self, quoted)? {
                Some(part) => part,
                None => self.command(quoted)?,
            }
        } else if self.starts_with("$(") {
            self.command(quoted)?
        } else if self.take("${") {
            self.enter()?;
            let part = self.braces(quoted);
            self.leave();
            part?
        } else {
            self.at += 1;
            match self.peek() {
                Some('\'') if !quoted => {
                    self.at += 1;
                    let mut raw = String::new();
                    let mut escaped = false;
                    loop {
                        let Some(c) = self.peek() else { return Err(Trouble::NoClosingQuote) };
                        self.at += 1;
                        match c {
                            '\'' if escaped => drop(raw.pop()),
                            '\'' => break,
                            _ => {}
                        }
                        escaped = c == '\\' && !escaped;
                        raw.push(c);
                    }
                    let (bytes, _) = decode(&raw, Style::Dollar);
                    Part::Text { text: String::from_utf8_lossy(&bytes).into_owned(), quoted: true }
                }
                Some(c) if c.is_ascii_alphabetic() || c == '_' => self.variable(quoted),
                Some(c) if c.is_ascii_digit() || "?$!#@*".contains(c) => {
                    self.at += 1;
                    Part::Variable { name: c.to_string(), edit: None, quoted }
                }
                _ => {
                    text.push('$');
                    return Ok(());
                }
            }
        };
        flush(text, parts, quoted);
        parts.push(part);
        Ok(())
    }

    fn name(&mut self) -> String {
        let from = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        self.chars[from..self.at].iter().collect()
    }

    fn variable(&mut self, quoted: bool) -> Part {
        Part::Variable { name: self.name(), edit: None, quoted }
    }

    fn command(&mut self, quoted: bool) -> Result<Part, Trouble> {
        self.at += 2;
        self.enter()?;
        let list = parser::inside_parentheses(self);
        self.leave();
        let script = Script { lines: vec![list?], trouble: None };
        Ok(Part::Command { script: Rc::new(script), quoted })
    }

    fn backticks(&mut self) -> Result<Script, Trouble> {
        let mut inner = String::new();
        loop {
            let Some(c) = self.peek() else { return Err(Trouble::NoClosingQuote) };
            self.at += 1;
            match c {
                '`' => break,
                '\\' if self.peek().is_some_and(|e| matches!(e, '`' | '\\' | '$')) => {
                    inner.extend(self.peek());
                    self.at += 1;
                }
                _ => inner.push(c),
            }
        }
        self.enter()?;
        let script = parser::parse_at(&inner, self.depth);
        self.leave();
        match script.trouble {
            Some(trouble) => Err(trouble),
            None => Ok(script),
        }
    }

    fn braces(&mut self, quoted: bool) -> Result<Part, Trouble> {
        let length = self.peek() == Some('#') && self.peek_at(1).is_some_and(|c| c != '}');
        if length {
            self.at += 1;
        }
        let mut name = self.name();
        if name.is_empty()
            && let Some(c) = self.peek().filter(|c| "?$!#@*".contains(*c))
        {
            name.push(c);
            self.at += 1;
        }
        if length && self.take("}") && !name.is_empty() {
            return Ok(Part::Variable { name, edit: Some((Edit::Length, Word::default())), quoted });
        }
        if self.take("}") && !name.is_empty() {
            return Ok(Part::Variable { name, edit: None, quoted });
        }
        const EDITS: [(&str, Edit); 10] = [
            (":-", Edit::Default(true)),
            ("-", Edit::Default(false)),
            (":=", Edit::Assign(true)),
            ("=", Edit::Assign(false)),
            (":+", Edit::Alternative(true)),
            ("+", Edit::Alternative(false)),
            ("##", Edit::CutFront(true)),
            ("#", Edit::CutFront(false)),
            ("%%", Edit::CutBack(true)),
            ("%", Edit::CutBack(false)),
        ];
        let edit = EDITS
            .iter()
            .find(|(text, _)| !length && !name.is_empty() && self.take(text))
            .map(|&(_, edit)| edit);
        let Some(edit) = edit else {
            let rest = self.until('}')?;
            return Err(Trouble::BadSubstitution(format!(
                "${{{name}{}}}",
                rest.chars().take(40).collect::<String>()
            )));
        };
        let word = self.brace_word()?;
        Ok(Part::Variable { name, edit: Some((edit, word)), quoted })
    }

    /// The word of `${x:-word}`: blanks are part of it, quotes are honoured, `}` ends it.
    fn brace_word(&mut self) -> Result<Word, Trouble> {
        let mut parts = Vec::new();
        let mut bare = String::new();
        loop {
            let Some(c) = self.peek() else { return Err(Trouble::NoClosingQuote) };
            match c {
                '}' => break,
                '$' | '`' => {
                    self.dollar(&mut bare, &mut parts, false)?;
                    continue;
                }
                '\'' | '"' => {
                    self.at += 1;
                    flush(&mut bare, &mut parts, false);
                    match c {
                        '"' => parts.extend(self.quoted_until(Some('"'))?.0),
                        _ => parts.push(Part::Text { text: self.until('\'')?, quoted: true }),
                    }
                    continue;
                }
                '\\' => {
                    self.at += 1;
                    flush(&mut bare, &mut parts, false);
                    parts.push(Part::Text {
                        text: self.peek().map(String::from).unwrap_or_default(),
                        quoted: true,
                    });
                }
                _ => bare.push(c),
            }
            self.at += 1;
        }
        self.at += 1;
        flush(&mut bare, &mut parts, false);
        Ok(Word(parts))
    }
}

/// `$((…))`, or nothing when the parentheses do not end together (then it is a command that begins with one).
fn arithmetic(lexer: &mut Lexer, quoted: bool) -> Result<Option<Part>, Trouble> {
    let start = lexer.at + 3;
    let mut depth = 0u32;
    let mut i = lexer.at + 3;
    while i < lexer.chars.len() {
        match lexer.chars[i] {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ')' => {
                if lexer.chars.get(i + 1) != Some(&')') {
                    return Ok(None);
                }
                let text: String = lexer.chars[start..i].iter().collect();
                lexer.enter()?;
                let expression = Lexer::new(&text, lexer.depth).quoted_until(None);
                lexer.leave();
                lexer.at = i + 2;
                return Ok(Some(Part::Arithmetic { expression: expression?, quoted }));
            }
            _ => {}
        }
        i += 1;
    }
    Err(Trouble::NoClosingQuote)
}
