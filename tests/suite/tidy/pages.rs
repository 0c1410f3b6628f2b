//! Pages that are true: what ARCHITECTURE.md and its sisters name exists, and no text knows the machine it was made on.

use super::tree::{Text, exists, sources, texts};
use super::{Complaint, none};
use std::collections::BTreeSet;

/// Pages whose every path must exist.
const MAPS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/recipes.md"];
/// Pages every reader expects.
const PAGES: [&str; 5] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/results-json.md"];
/// Files that a run makes, named in pages and not in the tree.
const MADE: [&str; 4] = ["results.json", "events.ndjson", "junit.xml", "metrics.txt"];
/// Ends of names that make a word a path.
const ENDS: [&str; 7] = [".rs", ".md", ".toml", ".yaml", ".json", ".ndjson", ".xml"];

/// Folders of machines. Written in pieces, or this file would complain of itself.
fn machines() -> [String; 3] {
    ["work", "root", "home"].map(|folder| format!("/{folder}/"))
}

/// Words that mark what is not done. Written in pieces, as above.
fn marks() -> [String; 3] {
    [("TO", "DO"), ("FIX", "ME"), ("XX", "X")].map(|(start, end)| format!("{start}{end}"))
}

/// Targets of links, and words in backticks that are paths; each with its line.
fn named(page: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (at, line) in page.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        // A page in a folder reaches the root by `../`.
        let links = links.map(|link| link.split('#').next().unwrap_or_default().trim_start_matches("../"));
        let ours =
            links.filter(|link| !link.is_empty() && !link.contains("://") && !link.starts_with("mailto:"));
        found.extend(ours.map(|link| (at + 1, link.to_owned())));
        let code = line.split('`').skip(1).step_by(2);
        found.extend(code.filter(|word| is_path(word)).map(|word| (at + 1, word.to_owned())));
    }
    found
}

/// `results/src/time.rs`, `host.rs`, `ci/`; neither `/proc/uptime` nor `results/runs/<id>/` nor `a b`.
fn is_path(word: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    let path = word.contains('/') || ENDS.iter().any(|end| word.ends_with(end));
    let made = MADE.contains(&word) || word.starts_with("results/runs");
    path && !made
        && !word.starts_with('/')
        && word.chars().all(plain)
        && word.chars().any(char::is_alphabetic)
}

fn lost(page: &Text) -> Vec<Complaint> {
    let gone = named(&page.text).into_iter().filter(|(_, path)| !exists(path));
    gone.map(|(line, path)| {
        Complaint::at(&page.path, line, format!("`{path}` does not exist: correct the page"))
    })
    .collect()
}

/// Whether the line holds the word on its own.
fn stands_alone(line: &str, word: &str) -> bool {
    line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').any(|own| own == word)
}

fn stray(text: &Text, is_test: bool) -> Vec<Complaint> {
    let beside = format!("..{}", "/shared");
    let mut complaints = Vec::new();
    for (at, line) in text.text.lines().enumerate() {
        let mut complain = |words: String| complaints.push(Complaint::at(&text.path, at + 1, words));
        for machine in machines().iter().filter(|machine| line.contains(*machine)) {
            complain(format!("`{machine}` is a folder of one machine: make the path relative"));
        }
        for mark in marks().iter().filter(|mark| stands_alone(line, mark)) {
            complain(format!("`{mark}`: do it, or open an issue"));
        }
        if line.contains(&format!("{beside}/real-dumps")) || line.contains(&format!("{beside}/reference")) {
            let words =
                "is not part of this repository: only tests may look there, and skip when it is missing";
            if !is_test {
                complain(format!("`{beside}` {words}"));
            }
        }
    }
    complaints
}

#[test]
fn pages_name_only_what_exists() {
    none(texts().iter().filter(|text| MAPS.contains(&text.path.as_str())).flat_map(lost).collect());
}

#[test]
fn every_page_is_there() {
    let there: BTreeSet<&str> = texts().iter().map(|text| text.path.as_str()).collect();
    let missing: Vec<_> = PAGES.into_iter().filter(|page| !there.contains(page)).collect();
    assert!(missing.is_empty() && exists("LICENSE"), "write {missing:?}");
}

#[test]
fn no_text_knows_a_machine_or_is_half_done() {
    let tests: BTreeSet<&str> =
        sources().iter().filter(|source| source.is_test).map(|source| source.path.as_str()).collect();
    none(texts().iter().flat_map(|text| stray(text, tests.contains(text.path.as_str()))).collect());
}

#[test]
fn a_page_that_lies_is_found() {
    let page = |text: &str| Text { path: "A.md".into(), text: text.into() };
    let true_page = "[time](results/src/time.rs#L1) [map](../README.md#licence) `host.rs` `plugins/` `/proc/uptime` `results/runs/<id>/` `a/b c` `p(95)`\n\
                     `results.json` [out](https://example.org/x.rs)\n```\nno/such.rs\n```";
    assert_eq!(lost(&page(true_page)).len(), 0);
    assert_eq!(lost(&page("[x](no/such.rs) [y](../none.md) `none.rs` `results/src/none/`")).len(), 4);
    let strays = |line: String, is_test: bool| stray(&page(&line), is_test).len();
    assert_eq!(strays(format!("see {}x", machines()[0]), false), 1);
    assert_eq!(strays(format!("// {}: later", marks()[0]), true), 1);
    assert_eq!(strays(format!("{}LIST", marks()[0]), true), 0);
    let dumps = format!("..{}/real-dumps", "/shared");
    assert_eq!((strays(dumps.clone(), false), strays(dumps, true)), (1, 0));
}
