//! The files of this repository, read once: Rust files with their tokens, and every other text.

use super::tokens::{Token, test_modules, test_regions, tokens};
use std::collections::BTreeSet;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Folders that are not ours: build output, git, bundles of runs.
const SKIPPED: [&str; 3] = ["target", ".git", "results/runs"];
/// Texts that rules about text read, by the ends of their names.
const TEXTS: [&str; 10] = [".rs", ".js", ".md", ".py", ".toml", ".yaml", ".yml", ".json", ".sh", ".ci/run"];

/// One text file.
pub struct Text {
    /// Path from the root of the repository, with `/`.
    pub path: String,
    /// What it says.
    pub text: String,
}

/// One Rust file.
pub struct Source {
    /// Path from the root of the repository, with `/`.
    pub path: String,
    /// What it says.
    pub text: String,
    /// Its tokens, in order.
    pub tokens: Vec<Token>,
    /// The whole file is test code.
    pub is_test: bool,
    /// Lines of test code inside it.
    test_lines: Vec<RangeInclusive<usize>>,
}

impl Source {
    /// A file by its text; what it declares decides which lines are tests.
    pub fn new(path: &str, text: &str) -> Source {
        let tokens = tokens(text).unwrap_or_else(|why| panic!("{path} is not Rust: {why}"));
        let test_lines = test_regions(&tokens);
        let folder =
            |name: &str| path.starts_with(&format!("{name}/")) || path.contains(&format!("/{name}/"));
        let is_test = ["tests", "benches", "examples"].into_iter().any(folder);
        Source { path: path.to_owned(), text: text.to_owned(), tokens, is_test, test_lines }
    }

    /// Whether this line is code that ships.
    pub fn ships(&self, line: usize) -> bool {
        !self.is_test && !self.test_lines.iter().any(|lines| lines.contains(&line))
    }

    /// A line of text, from 1; empty outside the file.
    pub fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number.wrapping_sub(1)).unwrap_or_default()
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every text of the repository, in order of path.
pub fn texts() -> &'static [Text] {
    static ALL: LazyLock<Vec<Text>> = LazyLock::new(|| {
        let mut paths = BTreeSet::new();
        walk(&root(), "", &mut paths);
        let ours = paths.into_iter().filter(|path| TEXTS.iter().any(|end| path.ends_with(end)));
        ours.filter_map(|path| Some(Text { text: fs::read_to_string(root().join(&path)).ok()?, path }))
            .collect()
    });
    &ALL
}

/// Every Rust file of the repository, in order of path.
pub fn sources() -> &'static [Source] {
    static ALL: LazyLock<Vec<Source>> = LazyLock::new(|| {
        let rust = texts().iter().filter(|text| text.path.ends_with(".rs"));
        let mut all: Vec<Source> = rust.map(|text| Source::new(&text.path, &text.text)).collect();
        let declared: Vec<String> = all.iter().flat_map(test_files).collect();
        for source in &mut all {
            let stem = source.path.trim_end_matches(".rs").trim_end_matches("/mod");
            let inside = |module: &String| stem == module || stem.starts_with(&format!("{module}/"));
            source.is_test |= declared.iter().any(inside);
        }
        all
    });
    &ALL
}

/// Modules this file declares for tests only, as paths without ending.
fn test_files(source: &Source) -> Vec<String> {
    let stem = source.path.trim_end_matches(".rs");
    let parent = stem.rsplit_once('/').map_or("", |(parent, _)| parent);
    let folder = match stem.rsplit('/').next() {
        Some("mod" | "lib" | "main") => parent,
        _ => stem,
    };
    test_modules(&source.tokens).into_iter().map(|name| format!("{folder}/{name}")).collect()
}

/// Whether a path, or the end of one, is in the tree: folders count.
pub fn exists(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    if root().join(path).exists() {
        return true;
    }
    let end = format!("/{path}");
    texts().iter().any(|text| text.path.ends_with(&end) || text.path.contains(&format!("{end}/")))
}

fn walk(folder: &Path, prefix: &str, paths: &mut BTreeSet<String>) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|why| panic!("{} cannot be read: {why}", folder.display()));
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if SKIPPED.contains(&path.as_str()) || name == "target" {
            continue;
        }
        // A folder that goes away while others work is no complaint of ours.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            walk(&entry.path(), &format!("{path}/"), paths);
        } else if kind.is_file() {
            paths.insert(path);
        }
    }
}

#[test]
fn the_tree_is_seen_and_test_modules_are_known() {
    assert!(sources().len() > 100, "{} files", sources().len());
    assert!(exists("results/src/time.rs") && exists("results/src") && exists("src/time.rs"));
    assert!(!exists("results/src/clock.rs") && !exists("rc/time.rs"));
    let source = Source::new(
        "a/src/lib.rs",
        "#[cfg(test)]\nmod tests;\n#[cfg(test)]\nmod sub {\n fn f() {}\n}\nfn g() {}",
    );
    assert_eq!(test_files(&source), ["a/src/tests"]);
    assert!(!source.ships(5) && source.ships(7));
    assert!(Source::new("a/tests/x.rs", "").is_test && Source::new("tests/src/lib.rs", "").is_test);
}
