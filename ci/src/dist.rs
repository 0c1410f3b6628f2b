//! One archive per kind of machine: the binary, its licence, pages, completions, the schema for editors, the kit, and
//! what it is made of; of a static Linux, a package for Debian, too.
//!
//! The same commit, toolchain and machine give the same archive, byte for byte: nothing of when, where or by whom it
//! was built is in it. Beside it lie its hash and where it comes from (SECURITY.md, "What is handed out").

mod archive;
mod debian;
#[cfg(test)]
mod exempt;
mod kit;
mod names;
mod origin;
mod pages;
pub mod release;
mod sbom;

use crate::program::{Failed, Program, root};
use archive::Entry;
use std::fs;
use std::path::Path;

/// What goes beside the binary.
const BESIDE: [&str; 5] = ["README.md", "CHANGELOG.md", "LICENSE", "SECURITY.md", "scenarios/schema.json"];
/// Where archives are made, from the root.
const FOLDER: &str = "target/dist";
/// Name of the list of what the binary is made of.
const SBOM: &str = "sbom.cdx.json";

/// Builds the binary with the `dist` profile and packs it, for a target or the machine this runs on.
///
/// # Errors
/// It cannot be built, or does not run here.
pub fn pack(target: Option<&str>) -> Result<(), Failed> {
    let machine = target.map_or_else(machine, |target| Ok(target.to_owned()))?;
    let build = Program::cargo("build --locked --profile dist --package farmjank-cli --target");
    // C writes down when it was compiled, unless a date is given.
    let build =
        build.words(&machine).env("CARGO_ENCODED_RUSTFLAGS", &unplaced()).env("SOURCE_DATE_EPOCH", "0");
    match origin::commit() {
        Some(commit) => build.env("FARMJANK_COMMIT", &commit).run()?,
        None => build.run()?,
    }
    let name = names::folder(&machine);
    let binary = names::binary(&machine);
    let built = root().join("target").join(&machine).join("dist").join(binary);
    let mut entries = vec![Entry { name: binary.to_owned(), runs: true, bytes: read(&built)? }];
    entries.extend(pages::of(&built)?);
    for file in BESIDE {
        let end = file.rsplit('/').next().unwrap_or(file);
        entries.push(Entry { name: end.to_owned(), runs: false, bytes: read(&root().join(file))? });
    }
    entries.extend(kit::entries()?);
    let metadata =
        Program::cargo("metadata --locked --format-version 1 --filter-platform").words(&machine).output()?;
    let lock = read(&root().join("Cargo.lock"))?;
    let list = sbom::of(&metadata, &String::from_utf8_lossy(&lock))?;
    entries.push(Entry { name: SBOM.to_owned(), runs: false, bytes: list.clone().into_bytes() });
    let packed = archive::pack(&name, &entries)?;
    let origin = origin::of(&machine, &lock, &packed)?;
    let hash = format!("{}  {name}.tar.gz\n", origin::hash(&packed));
    let folder = root().join(FOLDER);
    fs::create_dir_all(&folder).map_err(|why| Failed(format!("{FOLDER} cannot be made: {why}")))?;
    for (ending, bytes) in [
        (names::PACKED, &packed[..]),
        ("tar.gz.sha256", hash.as_bytes()),
        ("origin.json", origin.as_bytes()),
        (SBOM, list.as_bytes()),
    ] {
        write(&folder.join(format!("{name}.{ending}")), bytes)?;
    }
    match names::debian(&machine) {
        Some(of) if Program::new("dpkg-deb", "dpkg-deb", "--version").succeeds() => {
            debian::pack(&entries, of, &folder.join("debian"), &folder)?;
        }
        _ => {}
    }
    println!("{FOLDER}/{name}.tar.gz, {:.1} MB\n{}", packed.len() as f64 / 1e6, hash.trim_end());
    Ok(())
}

/// Flags of the compiler that keep the folders of this computer out of the binary.
fn unplaced() -> String {
    let home =
        std::env::var("CARGO_HOME").ok().or_else(|| Some(format!("{}/.cargo", std::env::var("HOME").ok()?)));
    let here = root().canonicalize().unwrap_or_else(|_| root());
    let mut flags = vec![format!("--remap-path-prefix={}=farmjank", here.display())];
    flags.extend(home.map(|home| format!("--remap-path-prefix={home}=cargo")));
    flags.join("\u{1f}")
}

fn read(file: &Path) -> Result<Vec<u8>, Failed> {
    fs::read(file).map_err(|why| Failed(format!("{} cannot be read: {why}", file.display())))
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failed> {
    fs::write(file, bytes).map_err(|why| Failed(format!("{} cannot be written: {why}", file.display())))
}

/// The kind of machine the compiler builds for by itself, such as `x86_64-unknown-linux-gnu`.
fn machine() -> Result<String, Failed> {
    let said = rustc()?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failed("rustc does not say which machine it builds for".to_owned()))
}

/// What the compiler says of itself.
fn rustc() -> Result<String, Failed> {
    Program::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()), "rustc", "-vV").output()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_says_which_machine_it_builds_for() {
        assert!(machine().unwrap().contains(std::env::consts::ARCH));
    }

    #[test]
    fn everything_that_goes_beside_the_binary_is_there() {
        for file in BESIDE {
            assert!(root().join(file).is_file(), "{file}");
        }
    }
}
