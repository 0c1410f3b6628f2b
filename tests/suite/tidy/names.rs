//! Names say what is inside. Some words name a drawer, not a thing, and are not used for files, modules and types.

use super::tree::{Source, sources};
use super::{Complaint, none};

/// Words that say nothing of what is inside (CONTRIBUTING.md), and their plurals and singulars.
const BANNED: [&str; 12] = [
    "util", "utils", "helper", "helpers", "common", "shared", "misc", "manager", "managers", "imp", "data",
    "info",
];
/// Keywords whose next word is the name of a type or module.
const NAMING: [&str; 6] = ["struct", "enum", "trait", "union", "type", "mod"];

/// The first banned word in a name: `foo_utils`, `DeviceInfo`.
fn banned(name: &str) -> Option<&'static str> {
    let mut spaced = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() || !letter.is_ascii_alphanumeric() {
            spaced.push(' ');
        }
        spaced.push(letter.to_ascii_lowercase());
    }
    let mut words = spaced.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.find_map(|word| BANNED.into_iter().find(|banned| *banned == word))
}

fn drawers(source: &Source) -> Vec<Complaint> {
    let advice = |name: &str, word: &str| format!("`{name}`: `{word}` names no thing; name what is inside");
    let path = source.path.trim_end_matches(".rs");
    let files =
        path.split('/').filter_map(|part| Some(Complaint::of(&source.path, advice(part, banned(part)?))));
    let pairs = source.tokens.windows(2).filter(|pair| NAMING.iter().any(|keyword| pair[0].is(keyword)));
    let named = pairs.filter_map(|pair| {
        let name = pair[1].word()?;
        Some(Complaint::at(&source.path, pair[1].line, advice(name, banned(name)?)))
    });
    files.chain(named).collect()
}

#[test]
fn nothing_is_named_after_a_drawer() {
    none(sources().iter().flat_map(drawers).collect());
}

#[test]
fn a_drawer_is_found_wherever_it_hides() {
    let complaints = |path: &str, text: &str| drawers(&Source::new(path, text)).len();
    assert_eq!(complaints("results/src/time.rs", "struct Dataset; mod impose; fn data() {}"), 0);
    assert_eq!(complaints("a/utils/x.rs", ""), 1);
    assert_eq!(complaints("a/file_helpers.rs", ""), 1);
    assert_eq!(
        complaints(
            "a.rs",
            "struct DeviceInfo; enum Shared {} mod common; type Data = u8; trait PoolManager {}"
        ),
        5
    );
}
