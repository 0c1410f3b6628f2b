//! Text from phones, files and strangers, made safe to show: nothing in it moves a cursor, hides, or reorders a line,
//! and nothing is longer than asked. Lengths are counted in characters of the output.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Longest name of a file that is shown, characters.
const NAME: usize = 1_000;
/// Longest list of colours in one sequence, bytes.
const LONGEST_COLOUR: usize = 32;

/// True for a character that is not simply shown: controls, line separators, bidirectional and other format controls,
/// zero-width characters, noncharacters.
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
        || nonchar(c)
}

/// True for a code point that is no character and never will be.
pub fn nonchar(c: char) -> bool {
    let code = u32::from(c);
    (0xfdd0..=0xfdef).contains(&code) || code & 0xfffe == 0xfffe
}

/// Appends a character as a visible escape: `\n`, `\u{1b}`.
pub fn escape(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0' => out.push_str("\\0"),
        // Writing to a String cannot fail.
        c => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
    }
}

/// One line for a terminal, a log or a message: everything that [`acts`] becomes a visible escape; cut after `most`
/// characters with `…`.
pub fn line(text: &str, most: usize) -> String {
    bounded(text, most, "…", |c, out| if acts(c) { escape(c, out) } else { out.push(c) })
}

/// The name of a file or folder, on one line.
pub fn name(path: &std::path::Path) -> String {
    line(&path.to_string_lossy(), NAME)
}

/// Whole text on its way to a terminal or a log: lines stay lines and tabs tabs, colours stay where `colour` says that
/// they are ours, and everything else that [`acts`] becomes a visible escape; within JSON one of JSON's own, so that
/// the document says what it said.
pub fn printed(text: &str, colour: bool) -> Cow<'_, str> {
    if !text.contains(|c| acts(c) && c != '\n') {
        return Cow::Borrowed(text);
    }
    let is_json = text.starts_with(['{', '[']) && text.trim_end().ends_with(['}', ']']);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let sequence = if colour { colour_sequence(rest) } else { None };
        let taken = sequence.unwrap_or(c.len_utf8());
        match c {
            '\n' | '\t' => out.push(c),
            _ if sequence.is_some() => out.push_str(&rest[..taken]),
            c if acts(c) && is_json => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c if acts(c) => escape(c, &mut out),
            c => out.push(c),
        }
        rest = &rest[taken..];
    }
    Cow::Owned(out)
}

/// Length of the sequence at the start that sets a colour and does nothing else: `ESC [ 1 ; 31 m`.
fn colour_sequence(text: &str) -> Option<usize> {
    let body = text.strip_prefix("\u{1b}[")?;
    let end = body.bytes().take(LONGEST_COLOUR).position(|byte| !byte.is_ascii_digit() && byte != b';')?;
    (body.as_bytes()[end] == b'm').then_some(2 + end + 1)
}

/// As [`line`], of bytes, no more of which are decoded than are shown; space around it is dropped.
pub fn bytes_line(bytes: &[u8], most: usize) -> String {
    // Four bytes are the longest character.
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(most.saturating_mul(4).saturating_add(4))]);
    line(head.trim(), most)
}

/// What somebody typed, without what [`acts`], `most` characters of it: for showing a wrong word back to them.
pub fn typed(text: &str, most: usize) -> String {
    text.chars().filter(|c| !acts(*c)).take(most).collect()
}

/// The first line that is not empty, made safe as by [`line`]; `(nothing)` where there is none.
pub fn first_line(text: &str, most: usize) -> String {
    line(text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("(nothing)"), most)
}

/// Applies `each` to characters until `most` are written; then the mark. Reads no further than it writes. `each` leaves
/// printable ASCII as it is: text of nothing else is not looked at twice.
pub fn bounded(text: &str, most: usize, mark: &str, mut each: impl FnMut(char, &mut String)) -> String {
    if text.len() <= most && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len().min(most.saturating_mul(4)));
    let mut written = 0;
    let mut piece = String::new();
    for c in text.chars() {
        piece.clear();
        each(c, &mut piece);
        let length = piece.chars().count();
        if written + length > most {
            out.push_str(mark);
            break;
        }
        out.push_str(&piece);
        written += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hostile_text_is_shown_and_not_obeyed() {
        assert_eq!(line("a\u{1b}[31m\tb\0\u{202e}c\n\u{ad}", 99), "a\\u{1b}[31m\\tb\\0\\u{202e}c\\n\\u{ad}");
        assert_eq!(typed("fp\u{200b}s\u{7}", 9), "fps");
        assert_eq!(first_line("\n\n  one\ntwo", 9), "one");
        assert_eq!(first_line(" \n", 20), "(nothing)");
    }

    #[test]
    fn a_megabyte_becomes_a_line() {
        let long = "x".repeat(1 << 20);
        assert_eq!(line(&long, 200).chars().count(), 201);
        assert_eq!(bytes_line(long.as_bytes(), 200).chars().count(), 201);
    }

    #[test]
    fn printed_text_keeps_lines_tabs_our_colours_and_what_json_says() {
        assert_eq!(printed("a\n\tb\u{1b}[2J\r", false), "a\n\tb\\u{1b}[2J\\r");
        assert_eq!(printed("\u{1b}[1;31mx\u{1b}[0m\u{1b}[2J", true), "\u{1b}[1;31mx\u{1b}[0m\\u{1b}[2J");
        assert_eq!(printed("\u{1b}[31mx", false), "\\u{1b}[31mx");
        assert_eq!(printed("{\"a\":\"\u{202e}\u{e0001}\"}\n", true), "{\"a\":\"\\u202e\\udb40\\udc01\"}\n");
        assert_eq!(printed("plain\n", true), "plain\n");
    }

    proptest! {
        #[test]
        fn printed_text_holds_nothing_that_acts(text in any::<String>()) {
            prop_assert!(!printed(&text, false).chars().any(|c| acts(c) && c != '\n' && c != '\t'));
            let left = printed(&text, true).replace("\u{1b}[", "");
            prop_assert!(!left.chars().any(|c| acts(c) && c != '\n' && c != '\t'));
        }

        #[test]
        fn nothing_that_acts_survives(text in any::<String>(), most in 0usize..300) {
            for clean in [line(&text, most), bytes_line(text.as_bytes(), most), typed(&text, most)] {
                prop_assert!(!clean.chars().any(acts), "{clean:?}");
                prop_assert!(clean.chars().count() <= most + 1);
            }
        }
    }
}
