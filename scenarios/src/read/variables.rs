//! `${…}` in values: variables of the command line first, then those of the file; whatever is no name is an expression,
//! evaluated when its step is carried out.

use super::read_context::Scope;
use crate::complaint::quoted;
use crate::template::{Expression, Piece, Template};
use crate::vocabulary::TEXT_CHARS;
use farmjank_leaf::nearest::nearest;
use std::collections::BTreeMap;
use std::ops::Range;

/// Why a value cannot be filled in: byte range in the value as written, what, what to write instead.
pub(super) type Wrong = (Range<usize>, String, String);

/// Parts a value may have once its variables are filled in.
const PIECES: usize = 64;
/// Variables an expression or script may name.
const NAMED: usize = 50;
/// Expressions whose variables hold expressions, and so on.
const DEPTH: usize = 3;
/// What scripts find without anybody declaring it.
pub(crate) const OF_SCRIPTS: [&str; 2] = ["output", "maestro"];

/// The value of a variable in force.
fn variable(scope: &Scope<'_>, name: &str) -> Option<Template> {
    let given = scope.given.get(name).map(|value| Template::from(value.as_str()));
    given.or_else(|| scope.env.get(name).cloned())
}

/// The text with its variables filled in; `$${` stands for `${`.
pub(super) fn fill_in(scope: &Scope<'_>, text: &str) -> Result<Template, Wrong> {
    let mut pieces = Vec::new();
    let mut letters = 0;
    let mut at = 0;
    while let Some(next) = text[at..].find("${").map(|next| at + next) {
        if text[at..next].ends_with('$') {
            pieces.push(Piece::Text(format!("{}${{", &text[at..next - 1])));
            at = next + 2;
            continue;
        }
        pieces.push(Piece::Text(text[at..next].to_owned()));
        let Some(end) = closed(&text[next + 2..]).map(|end| next + 2 + end) else {
            let instead = "write `${NAME}`, or `$${` for these two characters themselves";
            return Err((next..next + 2, "`${` is never closed".to_owned(), instead.to_owned()));
        };
        let value = value(scope, text[next + 2..end].trim(), next..end + 1)?;
        letters += value.fixed().map_or(0, str::len);
        pieces.extend(value.pieces().iter().cloned());
        if letters > 4 * TEXT_CHARS || pieces.len() > PIECES {
            let what = format!("with its variables filled in, this is longer than {TEXT_CHARS} characters");
            return Err((next..end + 1, what, "shorten the variable".to_owned()));
        }
        at = end + 1;
    }
    pieces.push(Piece::Text(text[at..].to_owned()));
    Ok(Template::new(pieces))
}

/// Where `${` is closed: the first `}` outside of inner braces and of quotes, or the first at all where quotes do not
/// match.
fn closed(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0usize, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, '}') => depth -= 1,
            _ => {}
        }
    }
    text.find('}')
}

/// What stands within `${…}`.
fn value(scope: &Scope<'_>, inside: &str, at: Range<usize>) -> Result<Template, Wrong> {
    match variable(scope, inside) {
        Some(value) => Ok(value),
        None if is_name(inside) && !OF_SCRIPTS.contains(&inside) => Err(unknown(scope, inside, at)),
        None => {
            expression(scope, inside, at).map(|expression| Template::new([Piece::Expression(expression)]))
        }
    }
}

/// An expression with the variables it names.
pub(super) fn expression(scope: &Scope<'_>, source: &str, at: Range<usize>) -> Result<Expression, Wrong> {
    let wrong = |what: String, instead: &str| Err((at.clone(), what, instead.to_owned()));
    if source.is_empty() {
        return wrong("`${}` is empty".to_owned(), "write `${NAME}` or an expression");
    }
    if let Err(error) = scope.checker.check(source) {
        let instead = "set the value under `env:` and write `${NAME}`; `$${` leaves it to the phone";
        return wrong(format!("this is neither the name of a variable nor JavaScript: {error}"), instead);
    }
    let mut variables = BTreeMap::new();
    for name in names(source) {
        if let Some(value) = variable(scope, name) {
            variables.insert(name.to_owned(), value);
        }
    }
    if variables.len() > NAMED {
        return wrong(format!("a script names more than {NAMED} variables"), "divide it");
    }
    if variables.values().map(depth).max().unwrap_or(0) >= DEPTH {
        let instead = "put the value into `output` with `evalScript`, and use it from there";
        return wrong(format!("expressions in variables of expressions, more than {DEPTH} deep"), instead);
    }
    Ok(Expression { source: source.to_owned(), variables })
}

fn depth(template: &Template) -> usize {
    let of = |piece: &Piece| match piece {
        Piece::Text(_) => 0,
        Piece::Expression(expression) => 1 + expression.variables.values().map(depth).max().unwrap_or(0),
    };
    template.pieces().iter().map(of).max().unwrap_or(0)
}

/// Words of a script that could be variables.
fn names(source: &str) -> impl Iterator<Item = &str> {
    source.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| is_name(word))
}

fn unknown(scope: &Scope<'_>, name: &str, at: Range<usize>) -> Wrong {
    let known = scope.given.keys().chain(scope.env.keys()).map(String::as_str);
    let instead = match nearest(name, known) {
        Some(meant) => format!("write `${{{meant}}}`"),
        None => {
            format!("set it under `env:` or with `-e {name}=VALUE`; `$${{{name}}}` leaves it to the phone")
        }
    };
    (at, format!("unknown variable {}", quoted(name)), instead)
}

/// A name a variable can have.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.len() <= 100
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
