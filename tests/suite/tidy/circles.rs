//! Imports between the files of a crate run one way: who reads one file first meets nothing that needs it to be read.
//!
//! A file that hands on what its part defines (`pub use`) is a signpost, followed to the definition. A file may speak
//! of what the one above it defines, as a part of a whole. Every other circle is a complaint: what both sides need
//! stands below both. Must not know: what the names mean.

use super::tokens::{Kind, Token};
use super::tree::{Source, sources};
use super::{Complaint, none};
use std::collections::{BTreeMap, BTreeSet};

/// A file by its crate's folder and the modules that lead to it.
type Place = (String, Vec<String>);

/// A path as some code writes it.
struct Written {
    words: Vec<String>,
    /// The name it goes by, where it is handed on.
    handed_on: Option<String>,
}

fn place(path: &str) -> Option<Place> {
    let (folder, rest) = path.split_once("/src/")?;
    let mut parts: Vec<String> = rest.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
        parts.pop();
    }
    Some((folder.to_owned(), parts))
}

fn joined(tokens: &[Token], at: usize) -> bool {
    [at, at + 1].iter().all(|at| tokens.get(*at).is_some_and(|token| token.is_mark(':')))
}

/// The paths that begin at a token, those in braces too, each with the name it is given; and where they end.
fn read(tokens: &[Token], mut at: usize, mut words: Vec<String>, out: &mut Vec<Written>) -> usize {
    loop {
        match tokens.get(at).map(|token| &token.kind) {
            Some(Kind::Word(word)) => words.push(word.clone()),
            Some(Kind::Open('{')) => {
                let end = super::tokens::closing(tokens, at);
                at += 1;
                while at < end {
                    let comma = tokens[at].is_mark(',');
                    at = if comma { at + 1 } else { read(tokens, at, words.clone(), out) };
                }
                return end + 1;
            }
            _ => {
                out.push(Written { words, handed_on: None });
                return at + 1;
            }
        }
        if joined(tokens, at + 1) {
            at += 3;
            continue;
        }
        let renamed = tokens.get(at + 1).filter(|next| next.is("as")).and(tokens.get(at + 2));
        let name = renamed.and_then(Token::word).or(words.last().map(String::as_str)).map(str::to_owned);
        out.push(Written { words, handed_on: name });
        return at + 1 + if renamed.is_some() { 2 } else { 0 };
    }
}

/// Every path that code which ships writes.
fn written(source: &Source) -> Vec<Written> {
    let tokens = &source.tokens;
    let mut all = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| source.ships(token.line)) {
        if token.word().is_none() || !joined(tokens, at + 1) || (at > 1 && joined(tokens, at - 2)) {
            continue;
        }
        let in_use = at > 0 && tokens[at - 1].is("use");
        let public =
            in_use && at > 1 && (tokens[at - 2].is("pub") || tokens[at - 2].kind == Kind::Close('('));
        let mut found = Vec::new();
        read(tokens, at, Vec::new(), &mut found);
        if !public {
            found.iter_mut().for_each(|path| path.handed_on = None);
        }
        all.extend(found);
    }
    all
}

/// The files of the tree, and what they hand on from others.
struct Map<'s> {
    files: BTreeMap<Place, &'s Source>,
    signposts: BTreeMap<Place, Place>,
}

impl<'s> Map<'s> {
    fn of(sources: impl Iterator<Item = &'s Source>) -> Map<'s> {
        let files = sources.filter(|source| !source.is_test);
        let files = files.filter_map(|source| Some((place(&source.path)?, source))).collect();
        let mut map = Map { files, signposts: BTreeMap::new() };
        for (from, source) in &map.files {
            let handed = written(source).into_iter().filter_map(|path| Some((path.handed_on.clone()?, path)));
            for (name, path) in handed {
                let Some(to) = map.meant(from, &path.words) else { continue };
                let mut sign = from.clone();
                sign.1.push(name);
                map.signposts.insert(sign, to);
            }
        }
        map
    }

    /// The path from the root of the crate; none where another crate is meant.
    fn meant(&self, from: &Place, words: &[String]) -> Option<Place> {
        let first = words.first()?;
        let up = words.iter().take_while(|word| *word == "super").count();
        let (base, rest) = match first.as_str() {
            "crate" => (&from.1[..0], &words[1..]),
            "self" => (&from.1[..], &words[1..]),
            "super" => (from.1.get(..from.1.len().checked_sub(up)?)?, &words[up..]),
            _ => {
                let mut child = from.clone();
                child.1.push(first.clone());
                (self.files.contains_key(&child).then_some(&from.1[..])?, words)
            }
        };
        Some((from.0.clone(), [base, rest].concat()))
    }

    /// The file that defines what a path means.
    fn file(&self, mut path: Place) -> Option<Place> {
        // A signpost may lead to another; none leads further than a few.
        for _ in 0..8 {
            let whole = path.1.clone();
            loop {
                if let Some(to) = self.signposts.get(&path) {
                    let rest = &whole[path.1.len()..];
                    path = (to.0.clone(), [&to.1[..], rest].concat());
                    break;
                }
                if self.files.contains_key(&path) {
                    return Some(path);
                }
                path.1.pop()?;
            }
        }
        None
    }

    /// Who imports whom; a part that speaks of the whole it belongs to is left out.
    fn imports(&self) -> BTreeMap<&Place, BTreeSet<Place>> {
        let of = |(from, source): (&'_ Place, &&Source)| -> BTreeSet<Place> {
            let used = written(source).into_iter().filter(|path| path.handed_on.is_none());
            let files = used.filter_map(|path| self.file(self.meant(from, &path.words)?));
            files.filter(|to| !from.1.starts_with(&to.1)).collect()
        };
        self.files.iter().map(|file| (file.0, of(file))).collect()
    }
}

/// One circle, as the paths of its files; none where imports run one way.
fn circle(map: &Map<'_>) -> Option<Vec<String>> {
    let mut left = map.imports();
    // Who imports nothing that is left stands in no circle; then nobody is left, or everyone leads to one.
    while let Some(free) = {
        let stays = |to: &Place| left.contains_key(to);
        left.iter().find(|(_, tos)| !tos.iter().any(stays)).map(|(from, _)| *from)
    } {
        left.remove(free);
    }
    let mut way: Vec<&Place> = vec![left.keys().next()?];
    loop {
        let last = way.last().expect("begins with one");
        let (next, _) = left.iter().find(|(place, _)| left[last].contains(**place)).expect("leads on");
        if let Some(began) = way.iter().position(|seen| seen == next) {
            return Some(way[began..].iter().map(|place| map.files[*place].path.clone()).collect());
        }
        way.push(next);
    }
}

#[test]
fn imports_run_one_way_between_files() {
    let map = Map::of(sources().iter());
    assert!(map.files.len() > 600, "{} files", map.files.len());
    let imports: usize = map.imports().values().map(BTreeSet::len).sum();
    assert!(imports > 1_500, "{imports} imports");
    let complaint = |files: Vec<String>| {
        let words =
            format!("imports run in a circle ({}): put what both need below both", files.join(" -> "));
        Complaint::of(&files[0], words)
    };
    none(circle(&map).map(complaint).into_iter().collect());
}

#[test]
fn a_circle_of_imports_is_found_and_signposts_and_parts_are_none() {
    let found = |texts: &[(&str, &str)]| {
        let sources: Vec<Source> = texts.iter().map(|(path, text)| Source::new(path, text)).collect();
        circle(&Map::of(sources.iter())).map(|files| files.len())
    };
    let lib = ("a/src/lib.rs", "mod one; mod two;");
    assert_eq!(found(&[lib, ("a/src/one.rs", "use crate::two::B;"), ("a/src/two.rs", "struct B;")]), None);
    let back = ("a/src/two.rs", "fn f() { super::one::g() }");
    assert_eq!(found(&[lib, ("a/src/one.rs", "use crate::{two::{B, C}, x};"), back]), Some(2));
    let test = ("a/src/two.rs", "#[cfg(test)]\nmod tests { use crate::one::A; }");
    assert_eq!(found(&[lib, ("a/src/one.rs", "use crate::two::B;"), test]), None);
    // A part speaks of the whole; the whole hands on what its part defines.
    let part = ("a/src/one/part.rs", "use super::A; use crate::two::B;");
    assert_eq!(found(&[lib, ("a/src/one.rs", "pub use part::P; use part::f; struct A;"), part]), None);
    let whole = ("a/src/one.rs", "mod part; pub use part::{P as Q};");
    assert_eq!(found(&[lib, whole, part, ("a/src/two.rs", "use crate::one::Q;")]), Some(2));
    assert_eq!(found(&[lib, whole, part, ("a/src/two.rs", "use crate::one::A;")]), None);
}
