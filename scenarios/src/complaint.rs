//! One problem in a scenario file: where, what is wrong, what to write instead; shown as compilers show it.
//!
//! Names and lines come from files somebody else may have written: control and bidirectional characters are shown
//! escaped, long lines are clipped around the caret. Must not know YAML.

use crate::place::{Mark, Place};
use farmjank_leaf::text::acts;
use serde::Serialize;
use std::fmt::Write;

/// Complaints that are kept per file.
pub(crate) const MOST: usize = 100;

/// Characters of a source line that are kept.
const EXCERPT: usize = 110;

/// Characters of a name that are repeated in a message.
const NAME: usize = 60;

/// One problem in one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Complaint {
    /// File as named on the command line, or as found from the step that runs it.
    pub file: String,
    /// Where it starts.
    pub place: Place,
    /// How many characters it spans, >= 1, on one line.
    pub length: u32,
    /// What is wrong: a lower-case fragment.
    pub what: String,
    /// What to write instead; empty when there is nothing to say.
    pub instead: String,
    /// The source line, clipped around the place; `…` at its end where it goes on.
    pub excerpt: String,
    /// Column of the excerpt's first character, from 1.
    pub excerpt_column: u32,
}

impl Complaint {
    pub(crate) fn new(file: &str, mark: Mark, line: &str, what: String, instead: String) -> Self {
        let column = mark.place.column.max(1);
        let before = column as usize - 1;
        let skip = before.saturating_sub(EXCERPT / 2);
        let clipped = line.chars().nth(EXCERPT).is_some();
        let skip = if clipped { skip } else { 0 };
        let mut excerpt: String = line.chars().skip(skip).take(EXCERPT).collect();
        if line.chars().nth(skip + EXCERPT).is_some() {
            excerpt.push('…');
        }
        let place = Place { line: mark.place.line.max(1), column };
        let length = mark.length.max(1);
        Complaint {
            file: file.to_owned(),
            place,
            length,
            what,
            instead,
            excerpt,
            excerpt_column: skip as u32 + 1,
        }
    }

    /// As a compiler shows it: message, `file:line:column`, source line, caret, help. Ends with a newline. With
    /// `color`, ANSI escapes are used; none come from the file.
    pub fn render(&self, color: bool) -> String {
        self.render_as("error", "1;31", "help", color)
    }

    /// The same of something that is no mistake: what is left out, and why.
    pub fn render_notice(&self, color: bool) -> String {
        self.render_as("notice", "1;33", "why", color)
    }

    fn render_as(&self, kind: &str, red: &str, help: &str, color: bool) -> String {
        let paint = |code: &str, text: &str| {
            if color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
        };
        let blue = "1;34";
        let number = self.place.line.to_string();
        let gutter = " ".repeat(number.len());
        let (line, caret) = self.caret();
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}: {}", paint(red, kind), paint("1", &visible(&self.what)));
        let _ = writeln!(
            out,
            "{gutter}{} {}:{}:{}",
            paint(blue, "-->"),
            visible(&self.file),
            self.place.line,
            self.place.column
        );
        let _ = writeln!(out, "{gutter} {}", paint(blue, "|"));
        let _ = writeln!(out, "{} {} {line}", paint(blue, &number), paint(blue, "|"));
        let _ = writeln!(out, "{gutter} {} {}", paint(blue, "|"), paint(red, &caret));
        if !self.instead.is_empty() {
            let _ = writeln!(out, "{gutter} {} {help}: {}", paint(blue, "="), visible(&self.instead));
        }
        out.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// The shown line and the carets under it.
    fn caret(&self) -> (String, String) {
        let from = (self.place.column - self.excerpt_column) as usize;
        let to = from + self.length as usize;
        let mut line = if self.excerpt_column > 1 { "…".to_owned() } else { String::new() };
        let mut indent = line.chars().count();
        let mut carets = 0;
        for (index, c) in self.excerpt.chars().enumerate() {
            let shown = visible_char(c);
            let width = shown.chars().count();
            if index < from {
                indent += width;
            } else if index < to {
                carets += width;
            }
            line.push_str(&shown);
        }
        // A place past the end of the line (something is missing there) still gets its caret.
        let past = from.saturating_sub(self.excerpt.chars().count());
        (line, format!("{}{}", " ".repeat(indent + past.min(1)), "^".repeat(carets.max(1))))
    }
}

/// A name from a file, in backquotes, clipped.
pub fn quoted(name: &str) -> String {
    let mut clipped: String = name.chars().take(NAME).collect();
    if name.chars().nth(NAME).is_some() {
        clipped.push('…');
    }
    format!("`{clipped}`")
}

/// Words as `a, b or c`.
pub fn choice<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Text safe to print: control and direction-changing characters escaped.
pub fn visible(text: &str) -> String {
    text.chars().map(visible_char).collect()
}

fn visible_char(c: char) -> String {
    match c {
        '\t' => "    ".to_owned(),
        c if acts(c) => c.escape_unicode().to_string(),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mark(line: u32, column: u32, length: u32) -> Mark {
        Mark { place: Place { line, column }, length }
    }

    #[test]
    fn it_looks_like_a_compiler_message() {
        let complaint = Complaint::new(
            "home.yaml",
            mark(12, 3, 4),
            "- swip: { direction: UP }",
            "unknown command `swip`".to_owned(),
            "write `swipe`".to_owned(),
        );
        assert_eq!(
            complaint.render(false),
            "error: unknown command `swip`\n  --> home.yaml:12:3\n   |\n12 | - swip: { direction: UP }\n   |   ^^^^\n   = help: write `swipe`\n"
        );
        assert!(complaint.render(true).contains("\x1b[1;31merror\x1b[0m"));
    }

    #[test]
    fn hostile_text_is_shown_and_not_obeyed() {
        let complaint = Complaint::new(
            "a\x1b[2J.yaml",
            mark(1, 6, 2),
            "k: \u{202e}\x07xy",
            "no \x1b[31m".to_owned(),
            String::new(),
        );
        let text = complaint.render(false);
        assert!(!text.contains('\x1b') && !text.contains('\u{202e}') && !text.contains('\x07'), "{text}");
        assert!(text.contains("k: \\u{202e}\\u{7}xy\n  |                 ^^"), "{text}");
    }

    #[test]
    fn long_lines_are_clipped_around_the_caret() {
        let line = format!("{}HERE{}", "a".repeat(5000), "b".repeat(5000));
        let complaint = Complaint::new("x", mark(1, 5001, 4), &line, "bad".to_owned(), String::new());
        let text = complaint.render(false);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[3].chars().count() < 130, "{text}");
        let caret = lines[4].find('^').expect("caret");
        assert_eq!(lines[3].chars().skip(caret).take(4).collect::<String>(), "HERE");
    }

    proptest! {
        #[test]
        fn any_place_in_any_line_renders(line in "\\PC{0,300}|.{0,300}", column in 1u32..400, length in 0u32..400) {
            let complaint = Complaint::new("f", mark(1, column, length), &line, "w".to_owned(), "i".to_owned());
            let text = complaint.render(false);
            prop_assert!(text.contains('^'));
            prop_assert!(text.lines().count() == 6);
        }
    }
}
