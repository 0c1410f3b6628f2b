//! Types: how much code one has over all its `impl` blocks, and how many fields before it says why.

use super::tree::{Source, sources};
use super::{Complaint, none};
use std::collections::BTreeMap;

/// Most lines of a type's own code over all its `impl` blocks.
const CODE: usize = 400;
/// Most fields of a struct that says nothing of them.
const FIELDS: usize = 8;
/// Derives of structs whose fields are those of a file or of a command line.
const FORMATS: [&str; 4] = ["Serialize", "Deserialize", "Args", "Parser"];

/// Lines from `from` to the one that closes what opens there, by its indentation, this one not included.
fn block<'s>(lines: &[&'s str], from: usize) -> Vec<&'s str> {
    let indent = lines[from].len() - lines[from].trim_start().len();
    let closes =
        |line: &str| line.len() - line.trim_start().len() == indent && line.trim_start().starts_with('}');
    lines[from + 1..].iter().take_while(|line| !closes(line)).copied().collect()
}

/// The type an `impl` is of.
fn of_type(line: &str) -> Option<&str> {
    let head = line.trim_start().strip_prefix("impl")?.strip_suffix('{')?;
    let head = match head.strip_prefix('<') {
        // The parameters of the block; those of this tree hold no arrow.
        Some(rest) => {
            let close = rest.char_indices().scan(1, |depth, (at, letter)| {
                *depth += i32::from(letter == '<') - i32::from(letter == '>');
                Some((at, *depth))
            });
            &rest[close.skip_while(|(_, depth)| *depth > 0).map(|(at, _)| at + 1).next()?..]
        }
        None => head.strip_prefix(' ')?,
    };
    let named = head.split(" for ").last()?.split(" where").next()?.trim();
    named.split(['<', ' ']).next()?.rsplit("::").next()
}

/// Lines of code per type of one crate, tests left out.
fn code<'s>(sources: &[&'s Source]) -> BTreeMap<(String, &'s str), usize> {
    let mut found = BTreeMap::new();
    for source in sources {
        let Some((place, _)) = source.path.split_once("/src/") else { continue };
        let lines: Vec<&str> = source.text.lines().collect();
        for (nth, line) in lines.iter().enumerate().filter(|(nth, _)| source.ships(nth + 1)) {
            if let Some(name) = of_type(line) {
                *found.entry((place.to_owned(), name)).or_default() += block(&lines, nth).len() + 2;
            }
        }
    }
    found
}

#[test]
fn no_type_is_longer_than_a_file() {
    let sources = sources();
    let all = code(&sources.iter().collect::<Vec<_>>());
    assert!(all.len() > 400, "{} types found", all.len());
    let long = all.into_iter().filter(|(_, lines)| *lines > CODE);
    none(
        long.map(|((place, name), lines)| {
            Complaint::of(
                &place,
                format!("`{name}` has {lines} lines of code, more than {CODE}: take it apart"),
            )
        })
        .collect(),
    );
    let source = Source::new(
        "a/src/a.rs",
        "impl<'a, T: B<'a>> A<'a, T> {\n    fn f() {}\n}\nimpl fmt::Display for A {\n}\n",
    );
    assert_eq!(code(&[&source]), BTreeMap::from([(("a".to_owned(), "A"), 5)]));
}

/// Structs of many fields that give no reason for them.
fn wide(source: &Source) -> Vec<Complaint> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut complaints = Vec::new();
    for (nth, line) in lines.iter().enumerate().filter(|(nth, _)| source.ships(nth + 1)) {
        let words = line.split_whitespace().skip_while(|word| word.starts_with("pub")).collect::<Vec<_>>();
        if words.first() != Some(&"struct") || !line.ends_with('{') {
            continue;
        }
        let field = |line: &&&str| {
            let line = line.trim_start();
            let name = line
                .strip_prefix("pub ")
                .or_else(|| line.split_once(") ").map(|(_, rest)| rest))
                .unwrap_or(line);
            let letters =
                name.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(0);
            letters > 0 && name[letters..].starts_with(": ")
        };
        let fields = block(&lines, nth).iter().filter(field).count();
        let above =
            lines[..nth].iter().rev().take_while(|line| line.trim_start().starts_with(['/', '#'])).copied();
        let above: Vec<&str> = above.collect();
        let excused = above.iter().any(|line| line.contains("field"))
            || FORMATS.iter().any(|format| above.iter().any(|line| line.contains(format)));
        if fields > FIELDS && !excused {
            let words = format!(
                "{fields} fields, more than {FIELDS}: take it apart, or say above it why so many fields"
            );
            complaints.push(Complaint::at(&source.path, nth + 1, words));
        }
    }
    complaints
}

#[test]
fn structs_of_many_fields_say_why() {
    none(sources().iter().filter(|source| source.path.contains("/src/")).flat_map(wide).collect());
    let fields: String = (0..9).map(|nth| format!("    pub(crate) f{nth}: u8,\n")).collect();
    let found = |above: &str| {
        wide(&Source::new("a/src/a.rs", &format!("{above}pub struct A {{\n{fields}}}\n"))).len()
    };
    assert_eq!(found("/// A thing.\n"), 1);
    assert_eq!(found("/// A thing. One field for each line.\n"), 0);
    assert_eq!(found("/// A thing.\n#[derive(Serialize)]\n"), 0);
}
