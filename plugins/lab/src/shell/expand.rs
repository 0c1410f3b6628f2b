//! Words to fields: variables, substitutions, arithmetic, splitting, file patterns.
//!
//! Substitutions wait for commands and are done first; the rest is plain text work.

use super::pattern::{self, Glyph, glyphs};
use super::shell_error::ShellError;
use super::state::Shell;
use super::stream::Sink;
use super::syntax::{Edit, Part, Script, Word};
use super::{absolute, arith};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

/// What the substitutions of some words printed, in the order of the words.
type Printed = VecDeque<String>;

/// A field being put together.
#[derive(Default)]
struct Field {
    text: String,
    /// Something was there, if only `""`.
    begun: bool,
    /// Byte positions of unquoted pattern characters.
    globs: Vec<usize>,
}

impl Field {
    fn push(&mut self, text: &str, quoted: bool) {
        self.begun |= quoted || !text.is_empty();
        if !quoted {
            let from = self.text.len();
            self.globs.extend(text.bytes().enumerate().filter(|(_, b)| is_glob(*b)).map(|(i, _)| from + i));
        }
        self.text.push_str(text);
    }
}

/// A character of file patterns.
fn is_glob(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[')
}

/// The fields that words stand for.
///
/// # Errors
/// A complaint that ends the shell.
pub(super) async fn fields(shell: &mut Shell, words: &[Word]) -> Result<Vec<String>, ShellError> {
    let mut printed = substitutions(shell, words).await?;
    let mut fields = Vec::with_capacity(words.len());
    for word in words {
        if let Some(text) = word.bare().filter(|text| !text.bytes().any(is_glob)) {
            fields.push(text.to_owned());
        } else {
            split(shell, word, &mut printed, &mut fields)?;
        }
    }
    Ok(fields)
}

/// A word as one text: assignments, redirections, here-documents.
pub(super) async fn text(shell: &mut Shell, word: &Word) -> Result<String, ShellError> {
    let mut printed = substitutions(shell, std::slice::from_ref(word)).await?;
    whole(shell, word, &mut printed)
}

/// A word as a pattern.
pub(super) async fn pattern(shell: &mut Shell, word: &Word) -> Result<Vec<Glyph>, ShellError> {
    let mut printed = substitutions(shell, std::slice::from_ref(word)).await?;
    glyphs_of(shell, word, &mut printed)
}

async fn substitutions(shell: &mut Shell, words: &[Word]) -> Result<Printed, ShellError> {
    let mut printed = Printed::new();
    for word in words.iter().filter(|word| has_command(word)) {
        substitute(shell, word, &mut printed).await?;
    }
    Ok(printed)
}

fn substitute<'a>(
    shell: &'a mut Shell,
    word: &'a Word,
    printed: &'a mut Printed,
) -> Pin<Box<dyn Future<Output = Result<(), ShellError>> + 'a>> {
    Box::pin(async move {
        for part in &word.0 {
            match part {
                Part::Command { script, .. } => printed.push_back(capture(shell, script).await),
                Part::Variable { edit: Some((_, inner)), .. }
                | Part::Arithmetic { expression: inner, .. } => {
                    substitute(shell, inner, printed).await?;
                }
                _ => {}
            }
        }
        Ok(())
    })
}

/// Runs a script in a subshell and returns what it printed, without newlines at the end.
async fn capture(shell: &mut Shell, script: &Rc<Script>) -> String {
    let into = Rc::new(RefCell::new(Vec::new()));
    let mut inner = shell.fork();
    inner.io.out = Sink::Capture(into.clone());
    inner.script(script).await;
    shell.status = inner.status;
    drop(inner);
    let bytes = std::mem::take(&mut *into.borrow_mut());
    let mut text = String::from_utf8_lossy(&bytes).replace('\0', "");
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// A word without splitting.
fn whole(shell: &mut Shell, word: &Word, printed: &mut Printed) -> Result<String, ShellError> {
    let mut text = String::new();
    for part in &word.0 {
        match part {
            Part::Text { text: literal, .. } => text.push_str(literal),
            other => text.push_str(&value_of(shell, other, printed)?),
        }
    }
    Ok(text)
}

fn glyphs_of(shell: &mut Shell, word: &Word, printed: &mut Printed) -> Result<Vec<Glyph>, ShellError> {
    let mut pattern = Vec::new();
    for part in &word.0 {
        let (Part::Text { quoted, .. }
        | Part::Variable { quoted, .. }
        | Part::Command { quoted, .. }
        | Part::Arithmetic { quoted, .. }) = part;
        match part {
            Part::Text { text, .. } => pattern.extend(glyphs(text, *quoted)),
            other => pattern.extend(glyphs(&value_of(shell, other, printed)?, *quoted)),
        }
    }
    Ok(pattern)
}

fn split(
    shell: &mut Shell,
    word: &Word,
    printed: &mut Printed,
    fields: &mut Vec<String>,
) -> Result<(), ShellError> {
    let mut field = Field::default();
    for part in &word.0 {
        match part {
            Part::Text { text, quoted } => field.push(text, *quoted),
            Part::Variable { name, edit: None, quoted } if name == "@" || (name == "*" && !quoted) => {
                for (i, value) in shell.env.params.clone().iter().enumerate() {
                    if i > 0 {
                        end(shell, std::mem::take(&mut field), fields);
                    }
                    field.push(value, *quoted);
                }
            }
            Part::Variable { quoted: true, .. }
            | Part::Command { quoted: true, .. }
            | Part::Arithmetic { quoted: true, .. } => {
                let value = value_of(shell, part, printed)?;
                field.push(&value, true);
            }
            _ => {
                let value = value_of(shell, part, printed)?;
                push_split(shell, &value, &mut field, fields);
            }
        }
    }
    end(shell, field, fields);
    Ok(())
}

/// Adds an unquoted value, beginning a new field at each separator of `IFS`.
fn push_split(shell: &Shell, value: &str, field: &mut Field, fields: &mut Vec<String>) {
    let separators = shell.env.separators();
    let mut rest = value;
    while let Some(at) = rest.find(|c| separators.contains(c)) {
        field.push(&rest[..at], false);
        let blank = rest[at..].starts_with(char::is_whitespace);
        field.begun |= !blank;
        end(shell, std::mem::take(field), fields);
        let step = rest[at..].chars().next().map_or(1, char::len_utf8);
        rest = &rest[at + step..];
    }
    field.push(rest, false);
}

fn end(shell: &Shell, field: Field, fields: &mut Vec<String>) {
    if !field.begun {
        return;
    }
    let found = files_like(shell, &field);
    if found.is_empty() { fields.push(field.text) } else { fields.extend(found) }
}

/// Files that match a field's pattern. None match: the field stays as it was written.
fn files_like(shell: &Shell, field: &Field) -> Vec<String> {
    let (Some(_), true) = (field.globs.first(), field.text.contains('/')) else { return Vec::new() };
    let pattern: Vec<Glyph> =
        field.text.char_indices().map(|(i, c)| (c, field.globs.binary_search(&i).is_err())).collect();
    let first = field.globs[0];
    let folder = field.text[..first].rfind('/').map_or("/", |end| &field.text[..end]);
    let depth = field.text.matches('/').count();
    let mut found = shell.phone.files_below(&absolute(&shell.env.cwd, folder));
    found.retain(|path| path.matches('/').count() == depth);
    found.retain(|path| pattern::matches(&pattern, &path.chars().collect::<Vec<_>>()));
    found
}

fn value_of(shell: &mut Shell, part: &Part, printed: &mut Printed) -> Result<String, ShellError> {
    match part {
        Part::Text { text, .. } => Ok(text.clone()),
        Part::Command { .. } => Ok(printed.pop_front().unwrap_or_default()),
        Part::Arithmetic { expression, .. } => {
            let text = whole(shell, expression, printed)?;
            arith::evaluate(&text, &|name| shell.variable(name).unwrap_or_default()).map(|n| n.to_string())
        }
        Part::Variable { name, edit: None, .. } => Ok(shell.variable(name).unwrap_or_default()),
        Part::Variable { name, edit: Some((edit, word)), .. } => edited(shell, name, *edit, word, printed),
    }
}

fn edited(
    shell: &mut Shell,
    name: &str,
    edit: Edit,
    word: &Word,
    printed: &mut Printed,
) -> Result<String, ShellError> {
    let value = shell.variable(name);
    let missing = |empty_too: bool| value.as_ref().is_none_or(|v| empty_too && v.is_empty());
    let plain = value.clone();
    let value_or_empty = value.clone().unwrap_or_default();
    match edit {
        Edit::Length if matches!(name, "@" | "*") => Ok(shell.env.params.len().to_string()),
        Edit::Length => Ok(value_or_empty.chars().count().to_string()),
        Edit::Default(empty) | Edit::Assign(empty) => {
            let other = whole(shell, word, printed)?;
            if !missing(empty) {
                return Ok(plain.unwrap_or_default());
            }
            if matches!(edit, Edit::Assign(_)) {
                shell.env.vars.insert(name.to_owned(), other.clone());
            }
            Ok(other)
        }
        Edit::Alternative(empty) => {
            let other = whole(shell, word, printed)?;
            Ok(if missing(empty) { String::new() } else { other })
        }
        Edit::CutFront(longest) | Edit::CutBack(longest) => {
            let pattern = glyphs_of(shell, word, printed)?;
            Ok(pattern::cut(&pattern, &value_or_empty, matches!(edit, Edit::CutFront(_)), longest))
        }
    }
}

fn has_command(word: &Word) -> bool {
    word.0.iter().any(|part| match part {
        Part::Command { .. } => true,
        Part::Variable { edit: Some((_, inner)), .. } | Part::Arithmetic { expression: inner, .. } => {
            has_command(inner)
        }
        _ => false,
    })
}
