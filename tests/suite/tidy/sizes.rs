//! Sizes: files a person reads in one go, a map that fits a few. How long a function is counts clippy.

use super::tree::{Source, sources, texts};
use super::{Complaint, none};

/// Most lines of a Rust file.
const FILE: usize = 400;
/// Most columns of a line of comment; rustfmt breaks code and leaves comments.
const COMMENT: usize = 120;
/// Most columns of a line of a page's script.
const SCRIPT: usize = 132;
/// Most lines of ARCHITECTURE.md.
const MAP: usize = 200;

fn too_long(source: &Source) -> Option<Complaint> {
    let lines = source.text.lines().count();
    (lines > FILE)
        .then(|| Complaint::of(&source.path, format!("{lines} lines, more than {FILE}: split it by idea")))
}

#[test]
fn files_fit() {
    none(sources().iter().filter_map(too_long).collect());
}

/// Lines of comment that nobody breaks; examples among them are code.
fn wide_comments(source: &Source) -> Vec<Complaint> {
    let mut example = false;
    let mut found = Vec::new();
    for (nth, line) in source.text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
        example ^= comment.trim_start_matches(['/', '!']).trim_start().starts_with("```");
        if !example && line.chars().count() > COMMENT {
            found.push(Complaint::at(
                &source.path,
                nth + 1,
                format!("a comment wider than {COMMENT} columns"),
            ));
        }
    }
    found
}

#[test]
fn comments_can_be_read_without_scrolling() {
    none(sources().iter().flat_map(wide_comments).collect());
    let long = format!("/// {}\n", "word ".repeat(30));
    assert_eq!(wide_comments(&Source::new("a.rs", &long)).len(), 1);
    assert_eq!(wide_comments(&Source::new("a.rs", &format!("/// ```\n{long}/// ```\n"))).len(), 0);
}

/// Scripts of pages: as long as a file of Rust may be, and lines that nobody has to scroll.
fn unread(path: &str, text: &str) -> Vec<Complaint> {
    let lines = text.lines().count();
    let whole = (lines > FILE)
        .then(|| Complaint::of(path, format!("{lines} lines, more than {FILE}: split it by idea")));
    let wide = text.lines().enumerate().filter(|(_, line)| line.chars().count() > SCRIPT);
    let each =
        wide.map(|(nth, _)| Complaint::at(path, nth + 1, format!("wider than {SCRIPT} columns: break it")));
    whole.into_iter().chain(each).collect()
}

#[test]
fn scripts_of_pages_can_be_read() {
    let scripts = || texts().iter().filter(|text| text.path.ends_with(".js") && !text.path.contains(".min."));
    assert!(scripts().count() > 10, "the page's scripts are found");
    none(scripts().flat_map(|script| unread(&script.path, &script.text)).collect());
    assert_eq!(unread("a.js", &"x".repeat(SCRIPT + 1)).len(), 1);
}

#[test]
fn the_map_is_short() {
    let map = texts().iter().find(|text| text.path == "ARCHITECTURE.md").expect("ARCHITECTURE.md is there");
    let lines = map.text.lines().count();
    assert!(
        lines <= MAP,
        "ARCHITECTURE.md has {lines} lines, more than {MAP}: say less, the code says the rest"
    );
}

#[test]
fn a_line_too_many_is_a_complaint() {
    let complaints = |text: &str| too_long(&Source::new("a.rs", text)).is_some();
    assert!(!complaints(&"//\n".repeat(FILE)));
    assert!(complaints(&"//\n".repeat(FILE + 1)));
}
