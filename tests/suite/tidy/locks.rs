//! Lock files: the Python package has one of its own, and both say the same of what both have.

use super::crates::packages;
use super::tree::root;
use super::{Complaint, none};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const PYTHON: &str = "runner/python/Cargo.lock";

/// A lock file: every package with its versions, and what it depends on.
#[derive(Default)]
struct Lock(BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)>);

impl Lock {
    fn read(text: &str) -> Lock {
        let mut lock = Lock::default();
        for package in text.split("[[package]]").skip(1) {
            let value =
                |key: &str| package.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
            let (versions, dependencies) = lock.0.entry(value("name = ").to_owned()).or_default();
            versions.insert(value("version = ").to_owned());
            let named = package.lines().filter_map(|line| line.strip_prefix(" \"")?.strip_suffix("\","));
            dependencies.extend(named.filter_map(|line| Some(line.split(' ').next()?.to_owned())));
        }
        lock
    }
}

/// What a lock file says otherwise than the main one, or does not say of crates of ours: `needed` is what each depends
/// on outside of its tests.
fn behind(own: &Lock, main: &Lock, needed: &BTreeMap<String, BTreeSet<String>>) -> Vec<Complaint> {
    let mend = "`cp Cargo.lock runner/python/ && cargo fetch --manifest-path runner/python/Cargo.toml`";
    let mut complaints = Vec::new();
    for (name, (versions, dependencies)) in &own.0 {
        let other = main.0.get(name).filter(|(others, _)| !versions.is_subset(others));
        if let Some((others, _)) = other {
            complaints
                .push(Complaint::of(PYTHON, format!("{name} {versions:?}, elsewhere {others:?}: {mend}")));
        }
        let missing = needed.get(name).into_iter().flat_map(|needed| needed.difference(dependencies));
        complaints.extend(missing.map(|on| Complaint::of(PYTHON, format!("{name} needs {on}: {mend}"))));
    }
    complaints
}

/// What crates of ours depend on outside of their tests, quoted as in a lock file.
fn needed() -> BTreeMap<String, BTreeSet<String>> {
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let dependencies = |package: &Value| {
        let all = package["dependencies"].as_array().cloned().unwrap_or_default();
        all.iter().filter(|one| one["kind"] != "dev").map(name).collect()
    };
    packages().iter().map(|package| (format!("\"{}\"", name(package)), dependencies(package))).collect()
}

#[test]
fn the_lock_of_the_python_package_follows_the_main_one() {
    let lock = |path: &str| Lock::read(&fs::read_to_string(root().join(path)).expect("a lock file"));
    none(behind(&lock(PYTHON), &lock("Cargo.lock"), &needed()));
}

#[test]
fn a_lock_that_stayed_behind_is_found() {
    let lock = |of: &[(&str, &str, &str)]| {
        let text = of.iter().map(|(name, version, on)| {
            format!(
                "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\ndependencies = [\n \"{on}\",\n]\n\n"
            )
        });
        Lock::read(&text.collect::<String>())
    };
    let main = lock(&[("serde", "1.0.2", "serde_core"), ("farmjank-results", "0.1.0", "serde")]);
    let needed = [("\"farmjank-results\"".to_owned(), ["serde".to_owned()].into())].into();
    let complaints = |of: &[(&str, &str, &str)]| behind(&lock(of), &main, &needed).len();
    assert_eq!(complaints(&[("serde", "1.0.2", "x"), ("pyo3", "0.30.1", "y")]), 0);
    assert_eq!(complaints(&[("farmjank-results", "0.1.0", "serde 1.0.2")]), 0);
    assert_eq!(complaints(&[("serde", "1.0.1", "x"), ("farmjank-results", "0.1.0", "memchr")]), 2);
}
