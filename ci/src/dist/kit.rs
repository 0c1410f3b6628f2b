//! The kit of CIs, hosts, containers and clusters, as it goes into an archive: under the names it has in this
//! repository, which its pages name it by.

use super::archive::Entry;
use super::read;
use crate::program::{Failed, root};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders that people copy from.
const FOLDERS: [&str; 6] =
    ["ci/buildkite", "ci/github", "ci/gitlab", "ci/jenkins", "ci/kit", "scenarios/gallery"];

/// Where a file of the kit lies in a package for Debian; none for what is not of the kit.
pub fn place(name: &str) -> Option<String> {
    FOLDERS
        .iter()
        .any(|folder| name.starts_with(&format!("{folder}/")))
        .then(|| format!("usr/share/farmjank/{name}"))
}

/// Every file of it, by name. What begins as a script may be run.
///
/// # Errors
/// One cannot be read.
pub fn entries() -> Result<Vec<Entry>, Failed> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        below(&root().join(folder), folder, &mut files)?;
    }
    files.sort();
    let entry = |(name, path): (String, PathBuf)| {
        let bytes = read(&path)?;
        Ok(Entry { name, runs: bytes.starts_with(b"#!"), bytes })
    };
    files.into_iter().map(entry).collect()
}

/// The files below a folder, each with its name from the root, whatever this system parts names by.
fn below(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> Result<(), Failed> {
    let failed = |why: std::io::Error| Failed(format!("{} cannot be read: {why}", folder.display()));
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = format!("{name}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        match path.is_dir() {
            true => below(&path, &name, files)?,
            false => files.push((name, path)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::{archive, names};

    #[test]
    fn the_kit_fits_into_an_archive_of_every_machine_and_its_scripts_may_be_run() {
        let entries = entries().unwrap();
        let named = |name: &str| entries.iter().find(|entry| entry.name == name).expect(name);
        // What the page of a lab's host copies, and what containers are shown, lies where they look for it.
        assert!(entries.iter().any(|entry| entry.name.starts_with("scenarios/gallery/")));
        assert!(named("ci/kit/host/install").runs && named("ci/buildkite/hooks/command").runs);
        assert!(!named("ci/github/action.yml").runs && !named("ci/kit/kubernetes/agent.yaml").runs);
        for machine in names::TARGETS {
            archive::pack(&names::folder(machine), &entries).unwrap();
        }
    }

    #[test]
    fn only_the_kit_lies_where_the_kit_lies() {
        let place = |name| super::place(name);
        assert_eq!(place("ci/kit/host/install").unwrap(), "usr/share/farmjank/ci/kit/host/install");
        assert_eq!((place("ci/kit"), place("README.md"), place("ci/src/dist.rs")), (None, None, None));
    }
}
