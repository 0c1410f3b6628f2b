//! Perfetto's own reader of traces, where it lies beside the repository. Where it is absent, tests say so and pass.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "runs a program of others on files")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The reader, unpacked once for all tests of a program.
pub fn reader() -> Option<&'static Path> {
    static READER: OnceLock<Option<PathBuf>> = OnceLock::new();
    READER.get_or_init(unpacked).as_deref()
}

fn unpacked() -> Option<PathBuf> {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tools/trace_processor_shell.xz");
    if !packed.is_file() {
        println!("skipped: {} is not on this machine", packed.display());
        return None;
    }
    let Ok(unpacked) = Command::new("xz").arg("-dc").arg(packed).output() else {
        println!("skipped: there is no xz to unpack Perfetto's reader");
        return None;
    };
    let path = std::env::temp_dir().join(format!("farmjank-judge-{}", std::process::id()));
    std::fs::write(&path, unpacked.stdout).expect("a file");
    assert!(Command::new("chmod").arg("+x").arg(&path).status().is_ok_and(|status| status.success()));
    Some(path)
}

/// Rows of a query as they come, columns between commas, without the header and without quotes around them.
pub fn rows(reader: &Path, trace: &Path, query: &str) -> Vec<String> {
    let output = Command::new(reader).arg("-Q").arg(query).arg(trace).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().skip(1).map(|line| line.trim_matches('"').to_owned()).collect()
}
