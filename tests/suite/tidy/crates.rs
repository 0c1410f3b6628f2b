//! The table of crates: dependencies point one way, and each rim is known by one crate alone.

use super::tokens::Token;
use super::tree::{root, sources};
use super::{Complaint, none};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Which crates of ours each may depend on. Binaries and tests, which nobody depends on, are `ANYTHING`.
const TABLE: [(&str, &[&str]); 29] = [
    ("leaf", &[]),
    ("statistics", &[]),
    ("results", &["leaf", "statistics"]),
    ("measure", &["results"]),
    ("causes", &["results"]),
    ("script", &[]),
    ("scenarios", &["leaf", "results", "script"]),
    ("seams", &["leaf", "results"]),
    ("devices", &["leaf", "seams", "results"]),
    ("frames", &["leaf", "seams", "results", "causes"]),
    ("reporters", &["leaf", "seams", "results", "causes"]),
    ("lab", &["leaf", "seams", "results"]),
    ("history", &["leaf", "seams", "results"]),
    ("requests", &["leaf"]),
    ("notify", &["leaf", "requests", "results"]),
    ("tickets", &["leaf", "requests", "results"]),
    ("farm", &["leaf", "seams", "results"]),
    ("process", &["leaf", "seams", "results"]),
    ("plugin-busy", &[]),
    ("bundle", &["results"]),
    ("engine", &["leaf", "scenarios", "script", "seams", "results", "measure"]),
    ("lab-shards", &["engine", "scenarios", "seams", "results"]),
    ("shifts", &["engine", "farm", "lab-shards", "leaf", "scenarios", "seams", "results"]),
    ("config", &["leaf", "scenarios"]),
    ("python", &["bundle", "reporters", "results"]),
    ("cli", ANYTHING),
    ("tests", ANYTHING),
    ("witnesses", &[]),
    ("ci", &["scenarios", "results", "statistics"]),
];
const ANYTHING: &[&str] = &[
    "leaf",
    "statistics",
    "results",
    "measure",
    "causes",
    "script",
    "scenarios",
    "seams",
    "devices",
    "frames",
    "reporters",
    "lab",
    "history",
    "requests",
    "notify",
    "tickets",
    "farm",
    "process",
    "bundle",
    "engine",
    "lab-shards",
    "shifts",
    "config",
    "witnesses",
];

/// Crates of ours that only the tests of another may know.
const IN_TESTS: [(&str, &str); 7] = [
    ("farm", "witnesses"),
    ("measure", "frames"),
    ("devices", "witnesses"),
    ("frames", "witnesses"),
    ("lab", "witnesses"),
    ("reporters", "witnesses"),
    ("scenarios", "witnesses"),
];

/// Crates of others that only some of ours may know: whatever else needs them belongs there.
const RESERVED: [(&str, &[&str]); 20] = [
    (
        "tokio",
        &[
            "seams",
            "devices",
            "farm",
            "frames",
            "lab",
            "process",
            "engine",
            "lab-shards",
            "shifts",
            "cli",
            "tests",
        ],
    ),
    ("futures", &["seams", "devices", "farm", "frames", "lab", "engine", "shifts", "cli", "tests"]),
    ("async-nats", &["farm"]),
    ("nkeys", &["farm"]),
    ("rcgen", &["farm"]),
    ("rquickjs", &["script"]),
    ("pyo3", &["python"]),
    ("ruzstd", &["bundle", "frames"]),
    ("zstd", &["bundle", "cli"]),
    ("serde-saphyr", &["scenarios", "lab", "cli"]),
    ("quick-junit", &["reporters"]),
    ("rusqlite", &["history"]),
    ("postgres", &["history"]),
    ("indicatif", &["reporters", "cli"]),
    ("clap", &["cli"]),
    ("toml", &["config"]),
    ("axum", &["cli"]),
    ("lettre", &["requests"]),
    ("reqwest", &["requests", "farm"]),
    ("rustls", &["requests", "farm"]),
];

/// Our crates with all their dependencies, those of tests and build scripts included.
type Crates = BTreeMap<String, BTreeSet<String>>;

/// Workspaces of crates that are handed out: one of its own has what needs more than Rust to be built.
const WORKSPACES: [&str; 2] = ["Cargo.toml", "runner/python/Cargo.toml"];

/// Packages of the workspaces, as cargo tells them.
pub fn packages() -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let of = |workspace: &str| {
        let asked =
            ["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", workspace];
        let output = Command::new(&cargo).args(asked).current_dir(root()).output().expect("cargo runs");
        assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        let read: Value = serde_json::from_slice(&output.stdout).expect("cargo speaks JSON");
        list(&read["packages"])
    };
    WORKSPACES.into_iter().flat_map(of).collect()
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn name(value: &Value) -> String {
    value["name"].as_str().unwrap_or_default().to_owned()
}

fn metadata() -> Crates {
    let dependencies = |package: &Value| {
        let all = list(&package["dependencies"]);
        all.iter().filter(|one| !is_for_tests(package, one)).map(name).collect()
    };
    packages().iter().map(|package| (name(package), dependencies(package))).collect()
}

fn is_for_tests(package: &Value, dependency: &Value) -> bool {
    let (of, on) = (name(package), name(dependency));
    dependency["kind"] == "dev" && IN_TESTS.contains(&(ours(&of), ours(&on)))
}

/// The folder of a package, from the root, with `/` at its end.
fn folder(package: &Value) -> String {
    let manifest = package["manifest_path"].as_str().unwrap_or_default();
    let parent = Path::new(manifest).parent().unwrap_or(Path::new(""));
    let root = root().canonicalize().expect("the root is there");
    let parent = parent.canonicalize().expect("a package is there");
    format!("{}/", parent.strip_prefix(root).unwrap_or(&parent).display())
}

/// Dependencies that no file of their crate names, by the words of its files.
fn unused(of: &str, dependencies: &[String], words: &BTreeSet<&str>) -> Vec<Complaint> {
    let idle = dependencies.iter().filter(|name| !words.contains(name.replace('-', "_").as_str()));
    idle.map(|name| Complaint::of(of, format!("depends on {name} and never names it: leave it out")))
        .collect()
}

fn ours(name: &str) -> &str {
    name.strip_prefix("farmjank-").unwrap_or(name)
}

fn wrong_way(crates: &Crates) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (name, dependencies) in crates {
        let Some((_, allowed)) = TABLE.iter().find(|(known, _)| *known == ours(name)) else {
            complaints
                .push(Complaint::of(name, "a new crate: give it a row in this table and in ARCHITECTURE.md"));
            continue;
        };
        for dependency in dependencies.iter().filter(|dependency| dependency.starts_with("farmjank-")) {
            if !allowed.contains(&ours(dependency)) {
                let words = format!(
                    "must not depend on {dependency}: put what both need below both, or behind a seam"
                );
                complaints.push(Complaint::of(name, words));
            }
        }
        for (reserved, users) in RESERVED {
            if dependencies.contains(reserved) && !users.contains(&ours(name)) {
                let words = format!("must not depend on {reserved}: that is for {}", users.join(", "));
                complaints.push(Complaint::of(name, words));
            }
        }
    }
    complaints
}

#[test]
fn dependencies_point_one_way() {
    let crates = metadata();
    none(wrong_way(&crates));
    let missing: Vec<_> =
        TABLE.iter().filter(|(name, _)| !crates.contains_key(&format!("farmjank-{name}"))).collect();
    assert!(missing.is_empty(), "gone from the workspace: {missing:?}");
}

#[test]
fn every_dependency_is_used() {
    let mut complaints = Vec::new();
    for package in packages() {
        let folder = folder(&package);
        let own = sources().iter().filter(|source| source.path.starts_with(&folder));
        let words = own.flat_map(|source| source.tokens.iter().filter_map(Token::word)).collect();
        let dependencies: Vec<String> = list(&package["dependencies"]).iter().map(name).collect();
        complaints.extend(unused(&name(&package), &dependencies, &words));
    }
    none(complaints);
}

#[test]
fn a_wrong_way_is_found() {
    let complaints = |name: &str, on: &[&str]| {
        let dependencies = on.iter().map(|name| (*name).to_owned()).collect();
        wrong_way(&[(name.to_owned(), dependencies)].into()).len()
    };
    assert_eq!(complaints("farmjank-engine", &["farmjank-seams", "tokio", "serde"]), 0);
    assert_eq!(complaints("farmjank-engine", &["farmjank-lab"]), 1);
    assert_eq!(complaints("farmjank-frames", &["farmjank-devices", "rusqlite"]), 2);
    assert_eq!(complaints("farmjank-results", &["tokio"]), 1);
    assert_eq!(complaints("farmjank-measure", &["farmjank-frames", "farmjank-seams", "tokio"]), 3);
    assert_eq!(complaints("farmjank-tests", &["farmjank-cli"]), 1);
    assert_eq!(complaints("farmjank-more", &[]), 1);
    let idle = unused("x", &["serde-saphyr".to_owned(), "tokio".to_owned()], &["serde_saphyr"].into());
    assert_eq!(idle.len(), 1);
}
