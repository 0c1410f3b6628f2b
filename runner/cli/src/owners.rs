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
    of_text(&file.display().to_string(), bytes(file)?)
}

/// What is in the file.
///
/// # Errors
/// It cannot be read.
pub fn bytes(file: &Path) -> Result<Vec<u8>, CommandError> {
    Ok(host::read_file(file, MOST)?)
}

/// The owners of a file of this name.
///
/// # Errors
/// Every complaint about it.
pub fn of_text(name: &str, text: Vec<u8>) -> Result<Owners, CommandError> {
    owners(&SourceFile { name: name.to_owned(), text }).map_err(|complaints| {
        let all: Vec<String> = complaints.iter().map(|one| one.render(false)).collect();
        usage!("the file of owners cannot be read; no phone was touched\n{}", all.join("\n"))
    })
}
