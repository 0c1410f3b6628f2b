//! What comments and pages cite can be opened by a stranger: every page named is here, its heading too, and nothing is
//! cited from books that are not part of this repository.
//!
//! A citation is `docs/` and what follows up to `.md`, with a heading behind `#` as GitHub writes it. Links of pages
//! are read from where the page lies. Must not know: whether what is said there is true.

use super::tree::{Text, root, texts};
use super::{Complaint, none};
use std::collections::{BTreeMap, BTreeSet};

/// Notes the project was designed from. In pieces, or this file would complain of itself.
const BOOKS: [&str; 10] = [
    "frame-sources",
    "farm-and-ci",
    "crates",
    "field",
    "house",
    "house-2",
    "farm",
    "causes",
    "exemplars",
    "first-hour",
];
/// What else is called a reference, and is none of those notes.
const OTHER: [&str; 3] = ["phone", "counted", "implementation"];

/// Anchors of every page, by its path from the root.
struct Anchors(BTreeMap<String, BTreeSet<String>>);

impl Anchors {
    fn of(pages: &[Text]) -> Anchors {
        let pages = pages.iter().filter(|text| text.path.ends_with(".md"));
        Anchors(pages.map(|page| (page.path.clone(), anchors(&page.text))).collect())
    }

    /// Why a page, or a place in it, cannot be opened; none where it can.
    fn lacks(&self, path: &str, anchor: Option<&str>) -> Option<String> {
        let Some(page) = self.0.get(path) else {
            return (!root().join(path).exists())
                .then(|| format!("`{path}` does not exist: cite a page that does"));
        };
        let anchor = anchor?;
        (!page.contains(anchor)).then(|| format!("`{path}` has no heading `#{anchor}`: cite one it has"))
    }
}

/// Headings as GitHub links to them: lower case, `-` for spaces, no other marks; the second of a name ends in `-1`.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(page) {
        let text = line.trim_start_matches('#');
        if text.len() == line.len() || !text.starts_with(' ') {
            continue;
        }
        let kept = text.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        let slug = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let again = (1..).map(|nth| format!("{slug}-{nth}"));
        let new = std::iter::once(slug.clone()).chain(again).find(|name| !found.contains(name));
        found.extend(new);
    }
    found
}

/// Lines outside fenced blocks, with their numbers.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    page.lines().enumerate().filter_map(move |(at, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((at + 1, line))
    })
}

/// Pages of `docs/` a line names, and the heading.
fn cited(line: &str) -> Vec<(String, Option<String>)> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    let starts = line.match_indices("docs/").map(|(at, _)| at);
    // `x/docs/y.md` is a page of something else, `../docs/y.md` a link, which is read below.
    let own = starts.filter(|at| !line[..*at].ends_with(|before: char| plain(before)));
    own.filter_map(|at| {
        let rest = &line[at..];
        let end = rest.find(|letter| !plain(letter)).unwrap_or(rest.len());
        let path = rest[..end].trim_end_matches('.').strip_suffix(".md")?;
        let place = rest[path.len() + 3..].strip_prefix('#');
        let name = place.map(|place| {
            let slug = |letter: char| letter.is_alphanumeric() || "-_".contains(letter);
            place.chars().take_while(|letter| slug(*letter)).collect::<String>()
        });
        Some((format!("{path}.md"), name))
    })
    .collect()
}

/// Pages a comment names without their folder, which nobody finds.
fn bare(line: &str) -> Vec<String> {
    let Some((_, comment)) = line.split_once("//") else { return Vec::new() };
    let words = comment.split(|letter: char| !(letter.is_alphanumeric() || "._-/".contains(letter)));
    let words = words.map(|word| word.trim_end_matches('.'));
    words
        .filter(|word| {
            word.len() > 3 && word.ends_with(".md") && !word.contains('/') && !root().join(word).exists()
        })
        .map(str::to_owned)
        .collect()
}

/// Where a link of a page leads, from the root; none for the web.
fn linked(page: &str, link: &str) -> Option<(String, Option<String>)> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    if path.is_empty() {
        return Some((page.to_owned(), anchor.map(str::to_owned)));
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    Some((parts.join("/"), anchor.map(str::to_owned)))
}

fn lost(text: &Text, anchors: &Anchors) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut look = |line: usize, path: &str, anchor: Option<&str>| {
        complaints.extend(anchors.lacks(path, anchor).map(|why| Complaint::at(&text.path, line, why)));
    };
    for (at, line) in text.text.lines().enumerate() {
        cited(line).iter().for_each(|(path, anchor)| look(at + 1, path, anchor.as_deref()));
    }
    if text.path.ends_with(".rs") {
        for (at, line) in text.text.lines().enumerate() {
            let words = |page: String| format!("`{page}` names no folder: write the path from the root");
            let pages = bare(line).into_iter();
            complaints.extend(pages.map(|page| Complaint::at(&text.path, at + 1, words(page))));
        }
        return complaints;
    }
    if text.path.ends_with(".md") {
        for (at, line) in prose(&text.text) {
            // What stands in backticks is quoted, not linked.
            let line: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            for (path, anchor) in links.filter_map(|link| linked(&text.path, link)) {
                look(at, &path, anchor.as_deref());
            }
        }
    }
    complaints
}

/// The outside book a line cites, if one.
fn outside(line: &str) -> Option<String> {
    let book = BOOKS.iter().map(|book| format!("{book}.{}", "md")).find(|book| {
        line.match_indices(book).any(|(at, _)| {
            !line[..at].ends_with(|before: char| before.is_alphanumeric() || "-_/".contains(before))
        })
    });
    let after = |word: &str| {
        let rests = line.match_indices(word).map(|(at, _)| line[at + word.len()..].to_owned());
        rests.collect::<Vec<_>>()
    };
    // A letter or digit, a point, a digit: a section of theirs.
    let section = |rest: &String| {
        let mut letters = rest.chars();
        let first = letters.next().is_some_and(|letter| matches!(letter, 'A'..='F' | '0'..='9'));
        first && letters.next() == Some('.') && letters.next().is_some_and(|letter| letter.is_ascii_digit())
    };
    let part = |rest: &String| {
        let mut letters = rest.chars();
        matches!(letters.next(), Some('A'..='F')) && !letters.next().is_some_and(char::is_alphabetic)
    };
    let reference = "reference ";
    let numbered =
        after(reference).iter().any(section) || after(&format!("metrics.{} ", "md")).iter().any(part);
    let whole = after(&format!("the {}", reference.trim_end()));
    let bare = whole.iter().any(|rest| !OTHER.iter().any(|word| rest.trim_start().starts_with(word)));
    book.or_else(|| numbered.then(|| "a section of it".to_owned())).or_else(|| bare.then(|| "it".to_owned()))
}

#[test]
fn every_page_and_heading_that_is_cited_exists() {
    let anchors = Anchors::of(texts());
    assert!(anchors.0.len() > 20, "{} pages", anchors.0.len());
    none(texts().iter().flat_map(|text| lost(text, &anchors)).collect());
}

#[test]
fn nothing_is_cited_that_a_stranger_cannot_open() {
    let lines = texts().iter().flat_map(|text| text.text.lines().enumerate().map(move |line| (text, line)));
    let found = lines.filter_map(|(text, (at, line))| {
        let words = format!("cites {} from outside this repository: cite a page of docs/", outside(line)?);
        Some(Complaint::at(&text.path, at + 1, words))
    });
    none(found.collect());
}

#[test]
fn a_citation_of_what_is_not_there_is_found() {
    let text = |path: &str, text: &str| Text { path: path.into(), text: text.into() };
    let (folder, md) = (format!("docs{}", "/"), "md");
    let own = format!("{folder}x.md");
    let page = text(&own, "# The page\n## How `it` is — found?\n## Twice\n## Twice\n```\n# not one\n```\n");
    let known = Anchors::of(std::slice::from_ref(&page));
    assert_eq!(
        anchors(&page.text).into_iter().collect::<Vec<_>>(),
        ["how-it-is--found", "the-page", "twice", "twice-1"]
    );
    let bad = |path: &str, line: String| lost(&text(path, &line), &known).len();
    for (line, lacking) in [
        (format!("//! See {folder}x.{md}, {folder}x.{md}#twice-1."), 0),
        (format!("//! See ({folder}x.{md}#how-it-is--found)."), 0),
        (format!("//! See {folder}y.{md}."), 1),
        (format!("//! See {folder}x.{md}#thrice, and {folder}x.{md}#not-one"), 2),
        (format!("other/{folder}y.md"), 0),
        (format!("// As x.{md} says, and CONTRIBUTING.{md}."), 1),
    ] {
        assert_eq!(bad("a/src/lib.rs", line.clone()), lacking, "{line}");
    }
    for (link, lacking) in
        [("#the-page", 0), ("x.md#twice", 0), ("../docs/./x.md", 0), ("https://a.org/b.md", 0)]
            .into_iter()
            .chain([("#nowhere", 1), ("y.md", 1), ("../x.md", 1), ("x.md#nowhere", 1)])
    {
        assert_eq!(bad(&own, format!("# The page\n`[a](b)` [a]({link})")), lacking, "{link}");
    }
}

#[test]
fn a_citation_of_a_book_outside_is_found() {
    let (a, md) = ("reference", "md");
    for line in [
        format!("({a} B.7)"),
        format!("({a} 4.5, A.6)"),
        format!("metrics.{md} C.2"),
        format!("metrics.{md} F)"),
        format!("frame-sources.{md} 6.4"),
        format!("in house.{md}"),
        format!("the {a}'s part"),
        format!("of the {a}."),
    ] {
        assert!(outside(&line).is_some(), "{line}");
    }
    for line in [
        format!("on the {a} phone, ms"),
        format!("are {a} counted"),
        format!("docs/metrics.{md} has it"),
        format!("docs/metrics.{md} Formulas"),
        format!("a {a} to an issue"),
        format!("warehouse.{md}"),
    ] {
        assert!(outside(&line).is_none(), "{line}");
    }
}
