//! Which packages from outside run code while they are built, are C, or have `unsafe`: docs/dependencies.md lists them
//! with their versions and why each is trusted, and is held to what the lock file and the sources say.

use crate::program::{Program, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The machine whose binary the page is about; others have a few packages more or fewer.
const MACHINE: &str = "x86_64-unknown-linux-gnu";

/// Whether a file has code that the compiler does not check.
fn is_unsafe(text: &str) -> bool {
    let words = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"];
    text.lines()
        .filter_map(|line| line.split("//").next())
        .any(|line| words.iter().any(|word| line.contains(word)))
}

fn has_unsafe(folder: &Path) -> bool {
    let entries = fs::read_dir(folder)
        .expect("the sources of a package that is built")
        .map(|entry| entry.expect("an entry"));
    entries.map(|entry| entry.path()).any(|path| match path.is_dir() {
        true => has_unsafe(&path),
        false => {
            path.extension().is_some_and(|ending| ending == "rs")
                && is_unsafe(&String::from_utf8_lossy(&fs::read(&path).expect("a source file")))
        }
    })
}

/// What a package may do, and what has to stand on the page for it.
fn told(package: &Value) -> BTreeSet<&'static str> {
    let kinds =
        package["targets"].as_array().into_iter().flatten().flat_map(|target| target["kind"].as_array());
    let kinds: Vec<&str> = kinds.flatten().filter_map(Value::as_str).collect();
    let folder =
        Path::new(package["manifest_path"].as_str().expect("a path")).parent().expect("a folder").to_owned();
    let all = [
        (
            "Code that runs while it is built",
            kinds.contains(&"custom-build") || kinds.contains(&"proc-macro"),
        ),
        ("C", package["links"].is_string()),
        ("Rust with `unsafe`", has_unsafe(&folder)),
    ];
    all.into_iter().filter(|(_, holds)| *holds).map(|(heading, _)| heading).collect()
}

/// The packages under each heading of the page: what stands in backticks as a name and a version.
fn listed(page: &str) -> BTreeSet<(String, String)> {
    let mut listed = BTreeSet::new();
    for part in page.split("\n## ").skip(1) {
        let (heading, body) = part.split_once('\n').unwrap_or((part, ""));
        let quoted = body.split('`').skip(1).step_by(2);
        let is_version = |word: &str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
        let packages =
            quoted.filter(|text| text.split_once(' ').is_some_and(|(_, version)| is_version(version)));
        listed.extend(packages.map(|package| (heading.to_owned(), package.to_owned())));
    }
    listed
}

#[test]
fn the_page_lists_every_package_that_could_do_harm_at_its_version_and_no_other() {
    if super::machine().expect("a compiler") != MACHINE {
        println!("skipped: the page is about {MACHINE}");
        return;
    }
    let metadata = Program::cargo("metadata --locked --offline --format-version 1 --filter-platform");
    let metadata = metadata.words(MACHINE).output().expect("cargo tells");
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("a lock file");
    let list: Value =
        serde_json::from_str(&super::sbom::of(&metadata, &lock).expect("a list")).expect("JSON");
    let shipped: BTreeSet<(&str, &str)> = list["components"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["name"].as_str().zip(one["version"].as_str()))
        .collect();
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let mut found = BTreeSet::new();
    for package in
        metadata["packages"].as_array().into_iter().flatten().filter(|one| one["source"].is_string())
    {
        let (name, version) = package["name"].as_str().zip(package["version"].as_str()).expect("a package");
        if shipped.contains(&(name, version)) {
            found.extend(
                told(package).into_iter().map(|heading| (heading.to_owned(), format!("{name} {version}"))),
            );
        }
    }
    let page = listed(&fs::read_to_string(root().join("docs/dependencies.md")).expect("the page"));
    let missing: Vec<_> = found.difference(&page).collect();
    let gone: Vec<_> = page.difference(&found).collect();
    assert!(
        found.len() > 50 && missing.is_empty() && gone.is_empty(),
        "not on the page: {missing:#?}\nno longer so: {gone:#?}"
    );
}

#[test]
fn code_the_compiler_does_not_check_is_told_from_words_about_it() {
    assert!(is_unsafe("let x = unsafe { y };") && is_unsafe("pub unsafe fn x() {}"));
    assert!(!is_unsafe("// unsafe { }\n#![forbid(unsafe_code)]"));
}
