//! Reads the file that says whose causes are.

use crate::command_error::{CommandError, usage};
use crate::host;
use farmjank_results::owners::Owners;
use farmjank_scenarios::read::{SourceFile, owners};
use std::path::Path;

/// Most bytes of it.
const MOST: u64 = 4 << 20;

/// The owners of a file.
///
/// # Errors
/// It cannot be read, or every complaint about it.
pub fn read(file: &Path) -> Result<Owners, CommandError> {
    let text = host::read_file(file, MOST)?;
    owners(&SourceFile { name: file.display().to_string(), text }).map_err(|complaints| {
        let all: Vec<String> = complaints.iter().map(|one| one.render(false)).collect();
        usage!("the file of owners cannot be read; no phone was touched\n{}", all.join("\n"))
    })
}
