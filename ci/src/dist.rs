//! One archive per kind of machine: the binary, its licence, its pages, and the schema for editors.

use crate::program::{Failed, Program, root};
use std::fs;
use std::path::Path;

/// What goes beside the binary.
const BESIDE: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE", "scenarios/schema.json"];
/// Where archives are made, from the root.
const FOLDER: &str = "target/dist";

/// Builds the binary with the `dist` profile and packs it.
pub fn pack() -> Result<(), Failed> {
    Program::cargo("build --locked --profile dist --package farmjank-cli").run()?;
    let name = format!("farmjank-{}-{}", env!("CARGO_PKG_VERSION"), machine()?);
    let folder = root().join(FOLDER).join(&name);
    fs::create_dir_all(&folder)
        .map_err(|why| Failed(format!("{} cannot be made: {why}", folder.display())))?;
    let binary = format!("farmjank{}", std::env::consts::EXE_SUFFIX);
    copy(&root().join(FOLDER).join(&binary), &folder.join(&binary))?;
    for file in BESIDE {
        let end = file.rsplit('/').next().unwrap_or(file);
        copy(&root().join(file), &folder.join(end))?;
    }
    Program::new("tar", "tar", &format!("-C {FOLDER} -czf {FOLDER}/{name}.tar.gz {name}")).run()?;
    let size = fs::metadata(root().join(FOLDER).join(format!("{name}.tar.gz"))).map_or(0, |file| file.len());
    println!("{FOLDER}/{name}.tar.gz, {:.1} MB", size as f64 / 1e6);
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Failed> {
    let failed = |why| Failed(format!("{} cannot be copied: {why}", from.display()));
    fs::copy(from, to).map(drop).map_err(failed)
}

/// The kind of machine the compiler builds for by itself, such as `x86_64-unknown-linux-gnu`.
fn machine() -> Result<String, Failed> {
    let said =
        Program::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()), "rustc", "-vV").output()?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failed("rustc does not say which machine it builds for".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_says_which_machine_it_builds_for() {
        assert!(machine().unwrap().contains(std::env::consts::ARCH));
    }
}
