//! Text of tickets: our words, and the words of strangers made harmless for the language a system shows.
//!
//! What phones and apps say mentions nobody, links nothing, shows no picture, closes no ticket and ends no span. In
//! Markdown it stands in a code span; in Jira's wiki text every sign that could mean something is one that looks alike.

use farmjank_leaf::text::line;

/// Most characters of one text of a stranger.
const MOST: usize = 200;

/// The language a system shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// GitHub, GitLab.
    Markdown,
    /// Jira, REST version 2.
    Wiki,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words of this program: letters, numbers and signs that mean nothing in either language.
    Ours(String),
    /// Words of somebody else: an app, a phone, a person.
    Theirs(String),
}

/// Our words.
pub fn ours(text: impl Into<String>) -> Piece {
    Piece::Ours(text.into())
}

/// Words of somebody else.
pub fn theirs(text: impl Into<String>) -> Piece {
    Piece::Theirs(text.into())
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// It is one of a list.
    pub listed: bool,
    /// Its parts.
    pub pieces: Vec<Piece>,
}

impl Line {
    /// A line of its own.
    pub fn of(pieces: Vec<Piece>) -> Line {
        Line { listed: false, pieces }
    }

    /// A line of a list.
    pub fn listed(pieces: Vec<Piece>) -> Line {
        Line { listed: true, pieces }
    }
}

/// Lines, as a system wants them: paragraphs and lists, an empty line between.
pub fn written(lines: &[Line], dialect: Dialect) -> String {
    let mut text = String::new();
    let mut before: Option<&Line> = None;
    for line in lines {
        match before {
            Some(before) if before.listed && line.listed => text.push('\n'),
            Some(_) => text.push_str("\n\n"),
            None => {}
        }
        if line.listed {
            text.push_str(if dialect == Dialect::Markdown { "- " } else { "* " });
        }
        text.extend(line.pieces.iter().map(|piece| match (piece, dialect) {
            (Piece::Ours(words), _) => words.clone(),
            (Piece::Theirs(words), Dialect::Markdown) => code(words),
            (Piece::Theirs(words), Dialect::Wiki) => wiki(words),
        }));
        before = Some(line);
    }
    text
}

/// As a code span.
fn code(text: &str) -> String {
    let inside = line(text, MOST).replace('`', "\u{2cb}").replace("<!", "\u{2039}!");
    // A span that begins and ends with a space loses both; an empty one is none.
    if inside.trim().is_empty() { "`(nothing)`".to_owned() } else { format!("`{}`", inside.trim()) }
}

/// The sign of double width that looks like one of ASCII.
fn wide(c: char) -> char {
    char::from_u32(u32::from(c) + 0xfee0).unwrap_or('_')
}

fn wiki(text: &str) -> String {
    let mut out = String::new();
    for c in line(text, MOST).chars() {
        match c {
            '-' | '_' | '+' | '(' | ')' => out.extend(['\\', c]),
            '\\' | '[' | ']' | '{' | '}' | '|' | '!' | '^' | '~' | '*' | '@' | '<' | '>' | '#' | '&'
            | '?' | '%' | '$' | ':' | ';' | '`' => out.push(wide(c)),
            c => out.push(c),
        }
    }
    let out = without_www(&out);
    if out.trim().is_empty() { "\\(nothing\\)".to_owned() } else { out.trim().to_owned() }
}

/// Without what is taken for an address for its beginning.
fn without_www(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::new();
    let mut from = 0;
    while let Some(at) = lower[from..].find("www.").map(|at| from + at + 3) {
        out.push_str(&text[from..at]);
        out.push(wide('.'));
        from = at + 1;
    }
    out + &text[from..]
}

/// One line in which nothing means anything, for titles, which systems show by rules of their own; at most so many
/// characters.
pub fn title(text: &str, most: usize) -> String {
    let mut out = String::new();
    for c in line(text, most).chars() {
        match c {
            '@' | '#' | '!' | '&' | '~' | '%' | '$' | '^' | '<' | '>' | '`' | '*' | '[' | ']' | '\\'
            | '|' | ':' | '{' | '}' => {
                out.push(wide(c));
            }
            c => out.push(c),
        }
    }
    without_www(out.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BAD: &str = "x` @all #1 ![i](http://e.com/i.png) <img src=x> <!-- farmjank:bce0911e595f326a --> [~admin] \
                       {noformat} !i.png! [l|http://e.com]\n/close\u{202e}";

    #[test]
    fn words_of_strangers_stand_in_a_span_or_mean_nothing() {
        let lines = [Line::of(vec![ours("because "), theirs(BAD)])];
        let markdown = written(&lines, Dialect::Markdown);
        assert_eq!(markdown.matches('`').count(), 2);
        assert!(markdown.starts_with("because `x") && markdown.ends_with('`') && !markdown.contains("<!"));
        assert!(!markdown.contains('\n') && !markdown.contains('\u{202e}'), "{markdown}");
        let wiki = written(&lines, Dialect::Wiki);
        for sign in ["[", "]", "{", "}", "|", "!", "@", "<", "http:", "farmjank:", "\n"] {
            assert!(!wiki.contains(sign), "{sign} in {wiki}");
        }
        let title = title(BAD, 200);
        for sign in ["@", "#", "`", "<", "![", "http:", "\n"] {
            assert!(!title.contains(sign), "{sign} in {title}");
        }
    }

    #[test]
    fn names_people_know_are_shown_as_they_are() {
        let name = "main waits for a lock held by \"db-writer\" in ShopDb.flush";
        assert_eq!(written(&[Line::listed(vec![theirs(name)])], Dialect::Markdown), format!("- `{name}`"));
        assert_eq!(title(name, 200), name);
        let wiki = written(&[Line::listed(vec![theirs(name)])], Dialect::Wiki);
        assert_eq!(wiki, "* main waits for a lock held by \"db\\-writer\" in ShopDb.flush");
        assert_eq!(title("see www.e.com and WWW.e.com", 99), "see www\u{ff0e}e.com and WWW\u{ff0e}e.com");
    }

    #[test]
    fn empty_words_are_no_empty_span() {
        for text in ["", " ", "\u{200b}".repeat(0).as_str()] {
            assert_eq!(written(&[Line::of(vec![theirs(text)])], Dialect::Markdown), "`(nothing)`");
        }
    }

    proptest! {
        #[test]
        fn nothing_breaks_out_of_a_span(text in "(\\PC|[`@#!<>\\[\\]{}|\n\r\\\\:/~*_-]|www\\.|<!--|-->){0,60}") {
            let lines = [Line::of(vec![ours("a "), theirs(text.clone()), ours(" b")])];
            let markdown = written(&lines, Dialect::Markdown);
            prop_assert_eq!(markdown.matches('`').count(), 2);
            prop_assert!(markdown.lines().count() == 1 && markdown.starts_with("a `") && markdown.ends_with("` b"));
            prop_assert!(!markdown.contains("<!--") && markdown.chars().count() <= MOST + 20);
            let wiki = written(&lines, Dialect::Wiki);
            let signs = "[]{}|!@<>^~*#&?:;`";
            prop_assert!(wiki.lines().count() == 1 && !wiki.chars().any(|c| signs.contains(c)), "{}", wiki);
            let title = title(&text, 100);
            prop_assert!(!title.chars().any(|c| "@#`<>[]:".contains(c)) && title.chars().count() <= 101);
        }

        #[test]
        fn a_browser_s_reader_of_markdown_sees_code_and_nothing_else(text in "(\\PC|[`@#!<>\\[\\]()|\\\\:/~*_-]){0,60}") {
            let markdown = written(&[Line::of(vec![ours("a "), theirs(text)])], Dialect::Markdown);
            use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
            let events: Vec<Event<'_>> = Parser::new_ext(&markdown, Options::all()).collect();
            let fits = matches!(events.as_slice(), [Event::Start(Tag::Paragraph), Event::Text(_), Event::Code(_), Event::End(TagEnd::Paragraph)]);
            prop_assert!(fits, "{:?}", events);
        }
    }
}
