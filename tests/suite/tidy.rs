//! The house rules, as tests: sizes, names, headers, doors to the world, the table of dependencies, pages that are
//! true.
//!
//! Every rule is a pure function from text to complaints, and every complaint says what to do. Rules about code read
//! tokens, so that comments and strings never count as code; rules about text read lines.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tidy reads the tree and asks cargo")]

mod circles;
mod citations;
mod code;
mod crates;
mod doors;
mod locks;
mod names;
mod pages;
mod sizes;
mod tokens;
mod tree;
mod types;

/// One broken rule: where, and what to do about it.
pub struct Complaint(String);

impl Complaint {
    /// At a line of a file.
    fn at(path: &str, line: usize, what: impl AsRef<str>) -> Self {
        Complaint(format!("{path}:{line}: {}", what.as_ref()))
    }

    /// About a whole file, or a crate.
    fn of(path: &str, what: impl AsRef<str>) -> Self {
        Complaint(format!("{path}: {}", what.as_ref()))
    }
}

/// Fails with every complaint, not the first.
fn none(complaints: Vec<Complaint>) {
    let lines: Vec<String> = complaints.into_iter().map(|Complaint(words)| words).collect();
    assert!(lines.is_empty(), "{} house rules are broken:\n  {}", lines.len(), lines.join("\n  "));
}
