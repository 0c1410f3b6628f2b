//! What a release says of all its archives: their hashes, and the formula that Homebrew installs them by.

use super::names::{TARGETS, VERSION, archive};
use super::{origin, read, write};
use crate::program::Failed;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Hashes of everything in a folder.
const SUMS: &str = "SHA256SUMS";
/// The formula.
const FORMULA: &str = "farmjank.rb";

/// Writes both into a folder that holds the archives of all targets. `home` is the address of the repository.
///
/// # Errors
/// An archive is missing, or a file cannot be read or written.
pub fn announce(folder: &Path, home: &str) -> Result<(), Failed> {
    let mut hashes = BTreeMap::new();
    let failed = |why: std::io::Error| Failed(format!("{} cannot be read: {why}", folder.display()));
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() && name != SUMS && name != FORMULA {
            hashes.insert(name, origin::hash(&read(&path)?));
        }
    }
    write(&folder.join(FORMULA), formula(&hashes, home)?.as_bytes())?;
    hashes.insert(FORMULA.to_owned(), origin::hash(&read(&folder.join(FORMULA))?));
    let lines: Vec<String> = hashes.iter().map(|(name, hash)| format!("{hash}  {name}\n")).collect();
    write(&folder.join(SUMS), lines.concat().as_bytes())?;
    println!("{}: {} files", folder.join(SUMS).display(), lines.len());
    Ok(())
}

/// The formula, which installs what is built: nothing is compiled on the user's computer.
fn formula(hashes: &BTreeMap<String, String>, home: &str) -> Result<String, Failed> {
    if !home.starts_with("https://") || home.contains(['"', '\\', '#', ' ']) {
        return Err(Failed(format!(
            "`{home}` is no address of a repository, such as https://HOST/OWNER/NAME"
        )));
    }
    let mut systems: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for target in TARGETS.into_iter().filter(|target| !target.contains("-windows-")) {
        let name = archive(target);
        let hash = hashes.get(&name).ok_or_else(|| Failed(format!("{name} is missing")))?;
        let system = if target.contains("-apple-") { "on_macos" } else { "on_linux" };
        let machine = if target.starts_with("aarch64") { "on_arm" } else { "on_intel" };
        systems.entry(system).or_default().push(format!(
            "    {machine} do\n      url \"{home}/releases/download/v{VERSION}/{name}\"\n      sha256 \"{hash}\"\n    end\n"
        ));
    }
    let systems: Vec<String> =
        systems.iter().rev().map(|(system, of)| format!("  {system} do\n{}  end\n\n", of.concat())).collect();
    Ok(format!(
        "class Farmjank < Formula\n  \
           desc \"Judges how smooth an Android app is, on every phone of a lab\"\n  \
           homepage \"{home}\"\n  \
           version \"{VERSION}\"\n  \
           license \"Apache-2.0\"\n\n\
         {}  \
           def install\n    \
             bin.install \"farmjank\"\n    \
             bash_completion.install \"completions/farmjank.bash\" => \"farmjank\"\n    \
             fish_completion.install \"completions/farmjank.fish\"\n    \
             zsh_completion.install \"completions/_farmjank\"\n    \
             man1.install Dir[\"man/*.1\"]\n  \
           end\n\n  \
           test do\n    \
             assert_match version.to_s, shell_output(\"#{{bin}}/farmjank --version\")\n  \
           end\n\
         end\n",
        systems.concat()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;

    const HOME: &str = "https://git.example/owner/farmjank";

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("farmjank-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn every_archive_is_in_the_sums_and_those_of_homebrew_in_the_formula() {
        let folder = folder("release");
        for target in TARGETS {
            fs::write(folder.join(archive(target)), target).unwrap();
        }
        announce(&folder, HOME).unwrap();
        let sums = fs::read_to_string(folder.join(SUMS)).unwrap();
        let formula = fs::read_to_string(folder.join(FORMULA)).unwrap();
        for target in TARGETS {
            let hash = origin::hash(target.as_bytes());
            assert!(sums.contains(&format!("{hash}  {}\n", archive(target))), "{sums}");
            assert_eq!(formula.contains(&hash), !target.contains("windows"), "{formula}");
        }
        let checked = Program::new("sha256sum", "sha256sum", "--version").succeeds();
        if checked {
            let sums = folder.join(SUMS).display().to_string();
            let check = format!("cd '{}' && sha256sum --quiet --check {sums}", folder.display());
            assert!(Program::new("sh", "sh", "-c").args(&[check]).succeeds());
        }
        announce(&folder, HOME).unwrap();
        assert_eq!(fs::read_to_string(folder.join(SUMS)).unwrap(), sums, "the same again");
        if Program::new("ruby", "ruby", "--version").succeeds() {
            let formula = folder.join(FORMULA).display().to_string();
            assert!(Program::new("ruby", "ruby", "-c").args(&[formula]).succeeds());
        } else {
            assert!(std::env::var_os("CI").is_none(), "ruby is missing: Debian package ruby");
            println!("skipped: no ruby here (Debian package ruby) reads the formula");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_release_that_lacks_an_archive_is_none() {
        let folder = folder("torn");
        let why = announce(&folder, HOME).unwrap_err().0;
        assert!(why.ends_with("is missing"), "{why}");
        let why = formula(&BTreeMap::new(), "https://x/\"; system \"true").unwrap_err().0;
        assert!(why.contains("is no address"), "{why}");
        fs::remove_dir_all(folder).unwrap();
    }
}
