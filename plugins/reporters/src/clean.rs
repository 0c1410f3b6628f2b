//! One cleaner for text that came from phones, files and other people, per medium it is written to.
//!
//! Purpose: whatever a phone calls itself, a report shows it as text: no escape sequence acts on a terminal, no byte
//! breaks XML, no override reorders a line, and no string is longer than the reader bears. Must not know: what the text
//! means. Lengths are counted in characters of the output.

pub use farmjank_leaf::text::{acts, line};
use farmjank_leaf::text::{bounded, escape, nonchar};

/// Longest name (scenario, window, phone) written anywhere.
pub const NAME: usize = 200;
/// Longest sentence (reason, advice, notice) written anywhere.
pub const SENTENCE: usize = 600;
/// Longest block of text inside an XML element.
pub const BLOCK: usize = 16_000;
/// Longest string inside JSON.
pub(crate) const STRING: usize = 4_000;

/// As [`line`], for terminals that show ASCII only: every other character becomes an escape; cut with `...`.
pub fn ascii_line(text: &str, most: usize) -> String {
    bounded(text, most, "...", |c, out| match c {
        ' '..='~' => out.push(c),
        c => escape(c, out),
    })
}

/// One line for an XML attribute: ANSI sequences removed, tabs and line breaks become a space, what XML 1.0 cannot hold
/// becomes U+FFFD, invisible and reordering characters become visible escapes; cut after `most` characters with `…`.
pub(crate) fn xml_attribute(text: &str, most: usize) -> String {
    let plain = without_ansi(text, most);
    bounded(&plain, most, "…", |c, out| match c {
        '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push(' '),
        c => xml_char(c, out),
    })
}

/// Text of an XML element: as [`xml_attribute`], but lines stay lines, a tab is four spaces, and the cut says so on a
/// line of its own.
pub(crate) fn xml_block(text: &str, most: usize) -> String {
    let plain = without_ansi(text, most);
    let mut previous = ' ';
    bounded(&plain, most, "\n[cut here: the text goes on]", |c, out| {
        match c {
            '\t' => out.push_str("    "),
            '\n' if previous == '\r' => {}
            '\n' | '\r' => out.push('\n'),
            c => xml_char(c, out),
        }
        previous = c;
    })
}

/// Text for a JSON string: kept as it is (JSON escapes it), cut after [`STRING`] characters with `…`.
pub(crate) fn json_text(text: &str) -> String {
    bounded(text, STRING, "…", |c, out| out.push(c))
}

fn xml_char(c: char, out: &mut String) {
    if c.is_control() || nonchar(c) {
        out.push(char::REPLACEMENT_CHARACTER);
    } else if acts(c) {
        escape(c, out);
    } else {
        out.push(c);
    }
}

/// Longest operating-system-command sequence that is believed to be one.
const LONGEST_SEQUENCE: usize = 512;

/// Removes terminal sequences (CSI, OSC, two-character escapes, and their 8-bit forms). An unfinished sequence loses
/// only its introducer, so that a lone ESC cannot swallow a report. Stops reading once `most` characters are kept.
fn without_ansi(text: &str, most: usize) -> String {
    if text.len() <= most && text.bytes().all(|byte| byte.is_ascii() && byte != b'\x1b') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len().min(most.saturating_mul(4)));
    let mut kept = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\u{1b}' => match after.chars().next() {
                Some('[') => after_csi(&after[1..]).unwrap_or(&after[1..]),
                Some(']' | 'P' | 'X' | '^' | '_') => after_string(&after[1..]).unwrap_or(&after[1..]),
                Some(next @ ' '..='~') => &after[next.len_utf8()..],
                _ => after,
            },
            '\u{9b}' => after_csi(after).unwrap_or(after),
            '\u{9d}' | '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => after_string(after).unwrap_or(after),
            c => {
                out.push(c);
                kept += 1;
                // One more than fits, so that the cut is still noticed.
                if kept > most {
                    break;
                }
                after
            }
        };
    }
    out
}

/// What follows a CSI sequence: parameters, then one final byte.
fn after_csi(text: &str) -> Option<&str> {
    let end = text.char_indices().take(LONGEST_SEQUENCE).find(|(_, c)| !matches!(c, ' '..='?'))?;
    matches!(end.1, '@'..='~').then(|| &text[end.0 + 1..])
}

/// What follows a string sequence: it ends with BEL or ST.
fn after_string(text: &str) -> Option<&str> {
    let mut escaped = false;
    for (at, c) in text.char_indices().take(LONGEST_SEQUENCE) {
        match c {
            '\u{7}' | '\u{9c}' => return Some(&text[at + c.len_utf8()..]),
            '\\' if escaped => return Some(&text[at + 1..]),
            '\n' => return None,
            c => escaped = c == '\u{1b}',
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_medium_gets_what_it_can_bear() {
        let nasty = "a\u{1b}[31mred\u{1b}[0m\tb\0c\u{202e}d]]>\u{ffff}\nend";
        assert_eq!(line(nasty, 99), "a\\u{1b}[31mred\\u{1b}[0m\\tb\\0c\\u{202e}d]]>\\u{ffff}\\nend");
        assert_eq!(xml_attribute(nasty, 99), "ared b\u{fffd}c\\u{202e}d]]>\u{fffd} end");
        assert_eq!(xml_block(nasty, 99), "ared    b\u{fffd}c\\u{202e}d]]>\u{fffd}\nend");
        assert_eq!(ascii_line("Größe ok", 99), "Gr\\u{f6}\\u{df}e ok");
    }

    #[test]
    fn sequences_go_and_unfinished_ones_swallow_nothing() {
        assert_eq!(xml_block("\u{1b}]0;title\u{7}x\u{9b}1;2Hy\u{1b}(Bz", 99), "xyBz");
        assert_eq!(xml_block("\u{1b}]0;never ends\nbut this is kept", 99), "0;never ends\nbut this is kept");
        assert_eq!(xml_block("\u{1b}[12", 99), "12");
        assert_eq!(xml_block("tail\u{1b}", 99), "tail");
        assert_eq!(xml_block("a\r\nb\rc", 99), "a\nb\nc");
    }

    #[test]
    fn a_megabyte_becomes_a_name() {
        let long = "x".repeat(1 << 20);
        assert_eq!(line(&long, NAME).chars().count(), NAME + 1);
        assert!(xml_block(&long, BLOCK).ends_with("the text goes on]"));
        assert!(xml_block(&long, BLOCK).len() < BLOCK + 100);
    }

    proptest! {
        #[test]
        fn nothing_that_acts_survives(text in any::<String>(), most in 0usize..300) {
            for clean in [line(&text, most), ascii_line(&text, most), xml_attribute(&text, most)] {
                prop_assert!(!clean.chars().any(acts), "{clean:?}");
                prop_assert!(clean.chars().count() <= most + 3);
            }
            let block = xml_block(&text, most);
            prop_assert!(!block.chars().any(|c| c != '\n' && acts(c)), "{block:?}");
        }

        #[test]
        fn cleaning_twice_changes_nothing(text in "[\\PC\u{0}-\u{1f}\u{7f}-\u{9f}\u{200b}-\u{202e}]{0,80}") {
            for clean in [line, ascii_line, xml_attribute, xml_block] {
                let once = clean(&text, 10_000);
                prop_assert_eq!(clean(&once, 10_000), once);
            }
        }

        #[test]
        fn the_xml_writer_has_nothing_left_to_remove(text in "[\\PC\u{0}-\u{1f}\u{7f}-\u{9f}\u{fffe}\u{ffff}]{0,80}") {
            for clean in [xml_attribute(&text, 1000), xml_block(&text, 1000)] {
                let written = quick_junit::XmlString::new(&clean);
                prop_assert_eq!(written.as_str(), clean.as_str());
            }
        }
    }
}
