//! The help of the commands beside the pages: who reads a command there finds its flags here.

use crate::world::run;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn pages(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("one").path();
        if path.is_dir() {
            pages(&path, into);
        } else if path.extension().is_some_and(|end| end == "md") {
            into.push(path);
        }
    }
}

/// The flags that a page types, by the command they are of: `run`, or `farm fetch` where that has commands of its own.
fn typed(text: &str, groups: &BTreeSet<String>, into: &mut BTreeMap<String, BTreeSet<String>>) {
    let mut open = false;
    for line in text.replace("\\\n", " ").lines() {
        if line.trim_start().starts_with("```") {
            open = !open;
        }
        let Some((_, command)) = line.split_once("farmjank ").filter(|_| open) else { continue };
        // What follows a comment, a pipe or another command is not its own.
        let own = command.split(" #").next().unwrap_or_default();
        // Nor is what stands in quotes: that is for others.
        let own = own.split('\'').step_by(2).collect::<Vec<_>>().join(" ");
        let own = own.split(['|', ';', '&', '`', ')']).next().unwrap_or_default();
        let words: Vec<&str> = own.split_whitespace().collect();
        let Some(verb) =
            words.first().filter(|verb| verb.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        else {
            continue;
        };
        let verb = match words.get(1).filter(|_| groups.contains(*verb)) {
            Some(sub) => format!("{verb} {sub}"),
            None => (*verb).to_owned(),
        };
        let flags = words.iter().filter_map(|word| word.strip_prefix("--")).filter(|flag| !flag.is_empty());
        let flag = |flag: &str| flag.split('=').next().unwrap_or_default().trim_end_matches(',').to_owned();
        into.entry(verb).or_default().extend(flags.map(flag));
    }
}

#[test]
fn every_flag_that_a_page_types_is_in_the_help_of_its_command() {
    let here = tempfile::tempdir().expect("a folder");
    let help = |words: &[&str]| run(here.path(), &[words, &["--help"]].concat());
    let names = |text: &str| -> BTreeSet<String> {
        let block =
            text.split("Commands:\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default();
        let lines = block.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        lines.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    };
    let verbs = names(&help(&[]).out);
    assert!(verbs.len() > 20, "{verbs:?}");
    let groups: BTreeSet<String> =
        verbs.iter().filter(|verb| !names(&help(&[verb]).out).is_empty()).cloned().collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join("README.md"), root.join("scenarios/README.md")];
    pages(&root.join("docs"), &mut files);
    let mut all = BTreeMap::new();
    for file in files {
        typed(&std::fs::read_to_string(&file).expect("a page"), &groups, &mut all);
    }
    assert!(all["ab"].contains("farm") && all["farm fetch"].contains("out"), "{all:?}");
    let mut missing = Vec::new();
    for (verb, flags) in
        all.iter().filter(|(verb, _)| verbs.contains(verb.split(' ').next().unwrap_or_default()))
    {
        let words: Vec<&str> = verb.split(' ').collect();
        let told = help(&words).out;
        let shown = |flag: &&String| {
            let named = format!("--{flag}");
            told.split(|c: char| c.is_whitespace() || ",[]=<".contains(c)).any(|word| word == named)
        };
        missing.extend(flags.iter().filter(|flag| !shown(flag)).map(|flag| format!("{verb}: --{flag}")));
    }
    assert_eq!(missing, [""; 0], "pages type what help does not show");
}
