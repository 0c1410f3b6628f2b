//! Text from phones, files and strangers, made safe to show: nothing in it moves a cursor, hides, or reorders a line,
//! and nothing is longer than asked. Lengths are counted in characters of the output.

use std::fmt::Write as _;

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

/// Applies `each` to characters until `most` are written; then the mark. Reads no further than it writes.
pub fn bounded(text: &str, most: usize, mark: &str, mut each: impl FnMut(char, &mut String)) -> String {
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

    proptest! {
        #[test]
        fn nothing_that_acts_survives(text in any::<String>(), most in 0usize..300) {
            for clean in [line(&text, most), bytes_line(text.as_bytes(), most), typed(&text, most)] {
                prop_assert!(!clean.chars().any(acts), "{clean:?}");
                prop_assert!(clean.chars().count() <= most + 1);
            }
        }
    }
}
