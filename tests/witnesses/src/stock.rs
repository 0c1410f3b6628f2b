//! The stock adb programs that tests put between us and the lab: the one in PATH (Debian's is years old), and the
//! newest there is, which the pipeline takes out of the Python package `adbutils` (`.ci/run`) and names in the
//! environment.
//!
//! One that is missing is skipped with a printed reason; in CI that is a failure.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "looks for real programs")]

use std::path::PathBuf;

/// Where the newest adb is.
const NEWEST: &str = "FARMJANK_TEST_ADB";

/// The programs that are here.
pub fn programs() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).map(|folder| folder.join("adb")).find(|adb| adb.is_file());
    let newest = std::env::var_os(NEWEST).map(PathBuf::from);
    let kinds = [("no adb in PATH", in_path), ("no newest adb, see FARMJANK_TEST_ADB in .ci/run", newest)];
    let mut found = Vec::new();
    for (missing, program) in kinds {
        match program {
            Some(program) => found.push(program),
            None => {
                assert!(std::env::var_os("CI").is_none(), "CI must have both stock adb programs: {missing}");
                println!("skipped: {missing}");
            }
        }
    }
    found
}
