//! Text for GitHub-flavoured Markdown: what came from phones, files and people stays text.
//!
//! Must not know: pages. No character of it starts a tag, a link, an emphasis, a table cell, a mention of somebody or a
//! reference to an issue. Result is one line.

use crate::clean::line;

/// An empty comment: it is not shown, and what stands before and after it is no word together.
const BREAK: &str = "<!-- -->";

/// Foreign text on one line, at most `most` characters of it.
pub(crate) fn text(foreign: &str, most: usize) -> String {
    let clean = line(foreign, most);
    let mut out = String::with_capacity(clean.len() + 16);
    let mut rest = clean.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            // `@name` calls people, `#12` names an issue: both are found in the page after it was made.
            '@' | '#' => {
                out.push('\\');
                out.push(c);
                out.push_str(BREAK);
            }
            // `https://…` and `www.…` become links.
            ':' if rest.peek() == Some(&'/') => out.push_str("\\:"),
            '.' if before.eq_ignore_ascii_case(&'w') => out.push_str("\\."),
            c => out.push(c),
        }
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_marked_up() {
        assert_eq!(text("<b>a|b</b>", 99), "&lt;b&gt;a\\|b&lt;/b&gt;");
        assert_eq!(text("[x](https://y)", 99), "\\[x\\](https\\://y)");
        assert_eq!(text("@you #1\n", 99), "\\@<!-- -->you \\#<!-- -->1\\\\n");
        assert_eq!(text("hitch_ms_per_s www.a", 99), "hitch\\_ms\\_per\\_s www\\.a");
    }
}
