//! Goldens: files beside tests that hold what the tests expect. A test that has them writes them anew when [`VARIABLE`]
//! is set; which crates have some is read from their tests, so that there is no list to forget.

use crate::program::{Failed, Program, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Set when goldens are to be written anew.
pub const VARIABLE: &str = "FARMJANK_BLESS";

/// Runs the tests of every crate that has goldens, so that they write them.
pub fn bless() -> Result<(), Failed> {
    let crates = crates()?;
    if crates.is_empty() {
        return Err(Failed(format!("no test mentions {VARIABLE}")));
    }
    let packages = crates.iter().map(|name| format!("--package {name}")).collect::<Vec<_>>().join(" ");
    Program::cargo("test --quiet --tests").words(&packages).env(VARIABLE, "1").run()?;
    println!("review what changed: git diff");
    Ok(())
}

/// Names of the crates whose tests know the variable; this one only talks about it.
fn crates() -> Result<BTreeSet<String>, Failed> {
    let mut found = BTreeSet::new();
    for folder in members()? {
        if folder != "ci" && mentions(&root().join(&folder)) {
            found.insert(name(&folder)?);
        }
    }
    Ok(found)
}

/// Folders of the workspace's members: the texts of the `members` list.
fn members() -> Result<Vec<String>, Failed> {
    let text = read(&root().join("Cargo.toml"))?;
    let list = text.split("members = [").nth(1).and_then(|rest| rest.split(']').next());
    let list = list.ok_or_else(|| Failed("Cargo.toml has no `members` list".to_owned()))?;
    Ok(list.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

fn name(folder: &str) -> Result<String, Failed> {
    let text = read(&root().join(folder).join("Cargo.toml"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("name = \""));
    let name = line.and_then(|rest| rest.split('"').next());
    name.map(str::to_owned).ok_or_else(|| Failed(format!("{folder}/Cargo.toml has no name")))
}

fn read(path: &Path) -> Result<String, Failed> {
    fs::read_to_string(path).map_err(|why| Failed(format!("{} cannot be read: {why}", path.display())))
}

/// Whether a Rust file in or below a folder knows the variable. What cannot be read does not.
fn mentions(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        match path.extension() {
            Some(end) if end == "rs" => fs::read_to_string(&path).is_ok_and(|text| text.contains(VARIABLE)),
            _ => path.is_dir() && mentions(&path),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_with_goldens_are_found() {
        let members = members().unwrap();
        assert!(members.contains(&"results".to_owned()) && members.contains(&"plugins/lab".to_owned()));
        let crates = crates().unwrap();
        assert!(crates.contains("farmjank-reporters") && crates.contains("farmjank-scenarios"), "{crates:?}");
        assert!(!crates.contains("farmjank-ci"));
    }
}
