//! The Markdown page, read by a Markdown reader.

use crate::believable::{Film, Words, events};
use crate::hostile::{NASTY, long_words, nasty_words};
use farmjank_reporters::markdown::{MARKER, MOST, markdown};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Tags a page may hold; everything else must be text.
const OURS: [&str; 8] =
    ["<details>", "</details>", "<summary>", "</summary>", "<code>", "</code>", "<!-- -->", MARKER];

/// What a reader sees: the text of each table row, and all text. Panics on any markup that is not ours.
fn read(page: &str) -> (Vec<Vec<String>>, String) {
    let (mut rows, mut cell, mut all): (Vec<Vec<String>>, Option<String>, String) = Default::default();
    for event in Parser::new_ext(page, Options::ENABLE_TABLES | Options::ENABLE_GFM) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                let left = OURS.iter().fold(html.to_string(), |html, ours| html.replace(ours, ""));
                // A folded part's title is ours too: counts and fixed words.
                let plain = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace();
                assert!(left.chars().all(plain), "raw HTML: {html}");
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => panic!("a link in {page:.400}"),
            Event::Start(Tag::CodeBlock(_)) => panic!("a code block in {page:.400}"),
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => cell = Some(String::new()),
            Event::End(TagEnd::TableCell) => {
                let done = cell.take().expect("a cell was open");
                rows.last_mut().expect("a row is open").push(done);
            }
            Event::Text(text) | Event::Code(text) => {
                all.push_str(&text);
                if let Some(cell) = &mut cell {
                    cell.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => all.push('\n'),
            _ => {}
        }
    }
    (rows, all)
}

#[test]
fn the_worst_comes_first_with_arrow_and_word() {
    let page = markdown(&events(&Words::default()).record(), &Film, MOST);
    assert!(page.starts_with(MARKER), "the marker is what a comment is found by");
    let (rows, all) = read(&page);
    let first = &rows[1];
    assert_eq!(first[..3], ["❌ fail", "Home feed › fling the feed", "SM-A146P (R58N30ABCDE)"]);
    assert!(first[3].starts_with("fps mean >= 95%refresh"), "{first:?}");
    assert_eq!(first[4..], ["71.2 fps", "▼ 17 % below"]);
    assert_eq!(rows[2][4..], ["42.1 ms/s", "▲ 321 % above"]);
    let at = |text: &str| all.find(text).unwrap_or_else(|| panic!("{text} in {all}"));
    assert!(at("Failed") < at("Not measured"), "{all}");
    assert!(page.contains("<summary>6 cells passed</summary>"), "{page}");
    for text in ["virtual lab demo", "check cable and hub power", "exit 1 (gate failed)"] {
        at(text);
    }
}

#[test]
fn a_page_too_long_says_what_it_leaves_out() {
    for words in [Words::default(), nasty_words(), long_words()] {
        let record = events(&words).record();
        let whole = markdown(&record, &Film, MOST);
        for most in [whole.len(), whole.len() - 1, whole.len() / 2, 6_000, 2_000] {
            let page = markdown(&record, &Film, most);
            assert!(page.len() <= most, "{} of {most} bytes", page.len());
            assert_eq!(page.contains("Left out to stay within"), most < whole.len(), "{page}");
            assert!(page.contains("## ❌ fail: "), "the verdict is always told: {page}");
            read(&page);
        }
    }
}

#[test]
fn hostile_text_comes_back_as_text() {
    let page = markdown(&events(&nasty_words()).record(), &Film, MOST);
    let (rows, all) = read(&page);
    let shown = farmjank_reporters::clean::line(&format!("window {NASTY}"), 200);
    assert!(all.contains(&shown), "{shown} in {all}");
    assert!(rows.iter().all(|row| (4..=8).contains(&row.len())), "no text makes a cell of its own");
    assert!(!page.contains("@e") && !page.contains("https://"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_text_is_only_text(
        texts in proptest::collection::vec("[\\PC<>&|`*_~#@:/.!\\[\\]()\\\\ \n\t$w-]{0,24}", 6),
        tail in "(www\\.a\\.de|https?://x\\.y|@you|#12|:tada:|<b>|\\|){0,3}",
    ) {
        let windows = [0, 1, 2].map(|at| format!("{}{tail}{}", texts[at], ["", "a", "b"][at]));
        let mut words = Words { windows, ..Words::default() };
        prop_assume!(words.windows[0] != words.windows[1] && words.windows[1] != words.windows[2]);
        prop_assume!(words.windows[0] != words.windows[2]);
        words.scenario = format!("{}{tail}", texts[3]);
        words.models[0] = format!("{tail}{}", texts[4]);
        words.why = format!("{}{tail}", texts[5]);
        let (rows, all) = read(&markdown(&events(&words).record(), &Film, MOST));
        for text in [&words.windows[0], &words.scenario, &words.models[0]] {
            let shown = farmjank_reporters::clean::line(text, 200);
            // Blanks at the ends of a cell are no text to Markdown.
            prop_assert!(all.contains(shown.trim()), "{} in {}", shown, all);
        }
        prop_assert!(rows.iter().all(|row| (4..=8).contains(&row.len())));
    }
}
