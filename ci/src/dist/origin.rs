//! Where an archive comes from: commit, compiler, lock file, and the hash of what came out.

use super::rustc;
use crate::program::{Failed, Program};
use serde_json::json;
use sha2::{Digest, Sha256};

/// SHA-256 in hex.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn git(words: &str) -> Option<String> {
    Program::new("git", "git", words).output().ok()
}

/// The commit that is checked out; with a word where files were changed since.
pub fn commit() -> Option<String> {
    let commit = git("rev-parse HEAD")?;
    let is_changed =
        git("status --porcelain --untracked-files=no").is_some_and(|changes| !changes.trim().is_empty());
    Some(format!("{}{}", commit.trim(), if is_changed { "-changed" } else { "" }))
}

/// The account of an archive, as JSON.
///
/// # Errors
/// The compiler does not say which it is.
pub fn of(machine: &str, lock: &[u8], packed: &[u8]) -> Result<String, Failed> {
    let commit = git("rev-parse HEAD").map(|commit| commit.trim().to_owned());
    let changed = git("status --porcelain").map(|changes| !changes.trim().is_empty());
    let origin = json!({
        "format": 1,
        "commit": commit,
        "uncommitted_changes": changed,
        "machine": machine,
        "profile": "dist",
        "rustc": rustc()?.trim(),
        "cargo_lock_sha256": hash(lock),
        "archive_sha256": hash(packed),
    });
    Ok(format!("{origin:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_standard() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash(b"abc"), abc);
    }

    #[test]
    fn an_archive_tells_what_it_was_made_of() {
        let origin: serde_json::Value = serde_json::from_str(&of("m", b"lock", b"abc").unwrap()).unwrap();
        assert_eq!(origin["archive_sha256"], hash(b"abc"));
        let commit = origin["commit"].as_str().unwrap();
        assert!(super::commit().unwrap().starts_with(commit));
        assert!(origin["rustc"].as_str().unwrap().starts_with("rustc "));
    }
}
