//! How text looks on a terminal: width, colour, character set. Colour never says anything that words do not.
//!
//! Must not know: records. Widths are in terminal cells.

use crate::clean;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What the terminal can show. Decided by the command line, never read from the environment here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStyle {
    /// Columns, at least 40.
    pub width: usize,
    /// Colours may be used.
    pub color: bool,
    /// Only ASCII can be shown.
    pub ascii: bool,
}

impl Default for TextStyle {
    fn default() -> Self {
        TextStyle { width: 80, color: false, ascii: false }
    }
}

/// A colour by what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// Good.
    Good,
    /// Bad.
    Bad,
    /// Not the app's fault.
    Odd,
    /// Not known.
    Doubt,
    /// Less important.
    Quiet,
    /// More important.
    Strong,
}

impl TextStyle {
    /// Columns to fill: between 40 and 160, so that rows stay readable.
    pub fn columns(self) -> usize {
        self.width.clamp(40, 160)
    }

    /// Foreign text on one line, harmless, at most `most` characters.
    pub fn text(self, text: &str, most: usize) -> String {
        if self.ascii { clean::ascii_line(text, most) } else { clean::line(text, most) }
    }

    /// Our own text in the terminal's character set; glyphs are replaced one for one.
    pub fn glyphs(self, text: &str) -> String {
        if !self.ascii {
            return text.to_owned();
        }
        let plain = |c| match c {
            '✓' => '+',
            '✗' => 'x',
            '…' => '~',
            '–' => '-',
            '›' => '>',
            '·' => '|',
            '█' => '#',
            '░' => '.',
            '▁' => '_',
            '▂' => '.',
            '▃' => ':',
            '▄' => '-',
            '▅' => '=',
            '▆' => '+',
            '▇' => '*',
            '━' => '=',
            '─' => '-',
            '│' | '└' => '|',
            '▲' => '^',
            '▼' => 'v',
            '×' => 'x',
            '±' => '~',
            c => c,
        };
        text.chars().map(plain).collect()
    }

    /// Coloured, when colours may be used.
    pub fn paint(self, tint: Tint, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let code = match tint {
            Tint::Good => "32",
            Tint::Bad => "1;31",
            Tint::Odd => "1;35",
            Tint::Doubt => "1;33",
            Tint::Quiet => "2",
            Tint::Strong => "1",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// Width in cells.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Cut to `cells` with `…` when longer.
pub fn cut(text: &str, cells: usize) -> String {
    if text.width() <= cells {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > cells {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// The name of a phone in exactly `cells`: whole where it fits, its model where no other phone here is of that model
/// (`alone`); else of `Pixel 8 (virtual-pixel-8-14)` stay the model and the end of the serial, where the phones of one
/// model differ.
pub fn phone(name: &str, alone: bool, cells: usize) -> String {
    let model = name.find(" (").unwrap_or(0);
    let fits = |text: &str| text.width() <= cells;
    if fits(name) {
        return left(name, cells);
    }
    if alone && model > 0 && fits(&name[..model]) {
        return left(&name[..model], cells);
    }
    let opened = if model > 0 { name[..model + 2].width() } else { 0 };
    let head = if opened <= cells * 3 / 5 { opened } else { cells / 2 };
    let reversed: String = name.chars().rev().collect();
    let tail: String = cut(&reversed, cells.saturating_sub(head)).chars().rev().collect();
    let start = cut(name, head + 1);
    left(&(start.trim_end_matches('…').to_owned() + &tail), cells)
}

/// Cut and filled up on the right to exactly `cells`.
pub fn left(text: &str, cells: usize) -> String {
    let text = cut(text, cells);
    let fill = cells.saturating_sub(text.width());
    text + &" ".repeat(fill)
}

/// Cut and filled up on the left to exactly `cells`.
pub fn right(text: &str, cells: usize) -> String {
    let text = cut(text, cells);
    " ".repeat(cells.saturating_sub(text.width())) + &text
}

/// Words, set in lines of at most `cells`; a word that is longer is broken. Lines after the first start with `indent`
/// blanks, the first with none (the caller has written something there of that width).
pub fn wrap(text: &str, cells: usize, indent: usize) -> Vec<String> {
    let words: Vec<String> = text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    flow(&words, " ", cells, indent)
}

/// As [`wrap`], for items that stay whole where they fit on a line, with `gap` between them.
pub fn flow(items: &[String], gap: &str, cells: usize, indent: usize) -> Vec<String> {
    let room = cells.saturating_sub(indent).max(8);
    let mut lines = vec![String::new()];
    for item in items {
        let mut item = item.as_str();
        let line = lines.last_mut().expect("the list starts with a line and only grows");
        if line.width() + gap.width() + item.width() <= room && !line.is_empty() {
            line.push_str(gap);
            line.push_str(item);
            continue;
        }
        if !line.is_empty() {
            lines.push(String::new());
        }
        while item.width() > room {
            let (head, tail) = split(item, room);
            lines.last_mut().expect("as above").push_str(head);
            lines.push(String::new());
            item = tail;
        }
        lines.last_mut().expect("as above").push_str(item);
    }
    let pad = " ".repeat(indent);
    let indented = |(at, line): (usize, String)| if at == 0 { line } else { format!("{pad}{line}") };
    lines.into_iter().enumerate().map(indented).collect()
}

/// Splits after the last blank that fits, else after the last character that fits.
fn split(text: &str, cells: usize) -> (&str, &str) {
    let mut used = 0;
    let mut end = 0;
    let mut blank = None;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > cells {
            break;
        }
        end = at + c.len_utf8();
        if c == ' ' {
            blank = Some(at);
        }
    }
    match blank.filter(|at| *at > 0) {
        Some(at) => (&text[..at], &text[at + 1..]),
        // At least one character, or nothing would ever be written.
        None => text.split_at(end.max(text.chars().next().map_or(0, char::len_utf8))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn columns_are_exact_for_wide_text_too() {
        assert_eq!(left("ab", 4), "ab  ");
        assert_eq!(right("ab", 4), "  ab");
        assert_eq!(cut("fling the feed", 9), "fling th…");
        assert_eq!(left("小米手机", 6), "小米… ");
        assert_eq!(width(&left("小米手机", 6)), 6);
    }

    #[test]
    fn phones_of_one_model_differ_also_where_they_are_cut() {
        assert_eq!(phone("Pixel 8 (virtual-pixel-8-14)", false, 17), "Pixel 8 (…l-8-14)");
        assert_eq!(phone("Pixel 8 (virtual-pixel-8-03)", false, 17), "Pixel 8 (…l-8-03)");
        assert_eq!(phone("Pixel 8 (virtual-pixel-8-14)", true, 17), "Pixel 8          ");
        assert_eq!(phone("Redmi Note 7 (virtual-redmi-note-7)", false, 17), "Redmi No…-note-7)");
        assert_eq!(phone("R5CT10ABCDEFGHIJKL", true, 9), "…EFGHIJKL");
        assert_eq!(phone("Pixel 8 (a)", true, 12), "Pixel 8 (a) ");
    }

    #[test]
    fn colour_is_only_added() {
        let style = TextStyle { color: true, ..TextStyle::default() };
        assert_eq!(style.paint(Tint::Bad, "fail"), "\u{1b}[1;31mfail\u{1b}[0m");
        assert_eq!(TextStyle::default().paint(Tint::Bad, "fail"), "fail");
        assert_eq!(TextStyle { ascii: true, ..style }.glyphs("✓ a › b…"), "+ a > b~");
    }

    proptest! {
        #[test]
        fn a_phone_takes_exactly_its_cells(name in "[a-z小 (]{0,40}", cells in 3usize..30, alone: bool) {
            prop_assert_eq!(width(&phone(&name, alone, cells)), cells);
        }

        #[test]
        fn lines_fit_and_no_word_is_lost(text in "[a-z小 ]{0,200}", cells in 20usize..100, indent in 0usize..8) {
            let lines = wrap(&text, cells, indent);
            for (at, line) in lines.iter().enumerate() {
                prop_assert!(width(line) + if at == 0 { indent } else { 0 } <= cells, "{line:?}");
            }
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
