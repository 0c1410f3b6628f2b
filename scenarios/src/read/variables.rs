//! `${NAME}` in values: variables of the command line first, then those of the file.

use super::read_context::Scope;
use crate::complaint::quoted;
use crate::vocabulary::TEXT_CHARS;
use farmjank_leaf::nearest::nearest;
use std::ops::Range;

/// Why a value cannot be filled in: byte range in the value as written, what, what to write instead.
type Wrong = (Range<usize>, String, String);

/// The value of a variable in force.
pub(super) fn variable<'c>(scope: &'c Scope<'_>, name: &str) -> Option<&'c str> {
    scope.given.get(name).or_else(|| scope.env.get(name)).map(String::as_str)
}

/// The text with its variables filled in; `$${` stands for `${`.
pub(super) fn fill_in(scope: &Scope<'_>, text: &str) -> Result<String, Wrong> {
    let mut filled = String::new();
    let mut at = 0;
    while let Some(next) = text[at..].find("${").map(|next| at + next) {
        if text[at..next].ends_with('$') {
            filled.push_str(&text[at..next - 1]);
            filled.push_str("${");
            at = next + 2;
            continue;
        }
        filled.push_str(&text[at..next]);
        let Some(end) = text[next..].find('}').map(|end| next + end) else {
            let instead = "write `${NAME}`, or `$${` for these two characters themselves";
            return Err((next..next + 2, "`${` is never closed".to_owned(), instead.to_owned()));
        };
        let name = text[next + 2..end].trim();
        let Some(value) = variable(scope, name) else { return Err(unknown(scope, name, next..end + 1)) };
        filled.push_str(value);
        if filled.len() > 4 * TEXT_CHARS {
            let what = format!("with its variables filled in, this is longer than {TEXT_CHARS} characters");
            return Err((next..end + 1, what, "shorten the variable".to_owned()));
        }
        at = end + 1;
    }
    filled.push_str(&text[at..]);
    Ok(filled)
}

fn unknown(scope: &Scope<'_>, name: &str, at: Range<usize>) -> Wrong {
    if !is_name(name) {
        let what = "`${…}` takes the name of a variable; farmjank evaluates no scripts".to_owned();
        return (
            at,
            what,
            "set the value under `env:` and write `${NAME}`; `$${` leaves it to the phone".to_owned(),
        );
    }
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
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.len() <= 100
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
