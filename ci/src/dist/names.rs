//! What is handed out, and what it is called: one place, held against the workflow that builds it and against what
//! `cargo binstall` looks for.

/// What is built by a release.
pub const TARGETS: [&str; 5] = [
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-musl",
];

/// Ends the name of an archive.
pub const PACKED: &str = "tar.gz";

/// The version of what is built.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The folder in an archive, and its name without the ending.
pub fn folder(target: &str) -> String {
    format!("farmjank-{VERSION}-{target}")
}

/// The archive of a target.
pub fn archive(target: &str) -> String {
    format!("{}.{PACKED}", folder(target))
}

/// The binary of a target.
pub fn binary(target: &str) -> &'static str {
    if target.contains("-windows-") { "farmjank.exe" } else { "farmjank" }
}

/// What Debian calls the machine of a target whose binary needs no library of the system; none of any other.
pub fn debian(target: &str) -> Option<&'static str> {
    match target.strip_suffix("-unknown-linux-musl")? {
        "x86_64" => Some("amd64"),
        "aarch64" => Some("arm64"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Program, root};
    use serde_json::Value;
    use std::fs;

    #[test]
    fn the_release_builds_every_target_and_no_other() {
        let workflow = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
        let built = workflow.lines().filter_map(|line| line.trim().strip_prefix("- { target: "));
        let mut built: Vec<&str> = built.filter_map(|line| line.split(',').next()).collect();
        built.sort_unstable();
        assert_eq!(built, TARGETS);
    }

    #[test]
    fn the_release_has_a_wheel_for_every_system() {
        let workflow = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
        let built = workflow.lines().filter_map(|line| line.trim().strip_prefix("- { wheel: "));
        let mut built: Vec<&str> = built.filter_map(|line| line.split(',').next()).collect();
        built.sort_unstable();
        // An extension of Python belongs to the library of C that Python has.
        assert_eq!(built, TARGETS.map(|target| target.replace("-linux-musl", "-linux-gnu")));
    }

    #[test]
    fn binstall_looks_for_the_archive_and_the_binary_in_it() {
        let told = Program::cargo("metadata --no-deps --offline --format-version 1").output().unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        let of = |package: &&Value| package["name"] == "farmjank-cli";
        let own = &told["packages"].as_array().unwrap().iter().find(of).unwrap()["metadata"]["binstall"];
        for target in TARGETS {
            let filled = |key: &str| {
                let text = own[key].as_str().unwrap().to_owned();
                let ending = if target.contains("windows") { ".exe" } else { "" };
                let values =
                    [("version", VERSION), ("target", target), ("bin", "farmjank"), ("binary-ext", ending)];
                values.iter().fold(text, |text, (name, value)| text.replace(&format!("{{ {name} }}"), value))
            };
            let url = format!("{{ repo }}/releases/download/v{VERSION}/{}", archive(target));
            assert_eq!(filled("pkg-url"), url);
            assert_eq!(filled("bin-dir"), format!("{}/{}", folder(target), binary(target)));
        }
        assert_eq!(own["pkg-fmt"], "tgz");
    }

    #[test]
    fn machines_are_called_as_debian_does() {
        let called: Vec<_> = TARGETS.iter().filter_map(|target| debian(target)).collect();
        assert_eq!(called, ["arm64", "amd64"]);
        assert_eq!(debian("riscv64gc-unknown-linux-musl").or(debian("x86_64-unknown-linux-gnu")), None);
    }
}
