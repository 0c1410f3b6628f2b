//! Finds and reads the files that say what does not gate: those named, else those beside the scenarios.

use crate::command_error::{CommandError, usage};
use crate::files_read::FilesRead;
use crate::host::{self, Streams};
use crate::settings::{Terminal, complain};
use farmjank_engine::scribe::Voice;
use farmjank_scenarios::inventory;
use farmjank_scenarios::quarantine::{Entry, FILE};
use farmjank_scenarios::read::{OWNERS_FILE, SourceFile, quarantine};
use std::path::{Component, Path, PathBuf};

/// Most bytes taken from one file.
const MOST: u64 = 64 << 20;

/// Whether a file in a folder of scenarios is one of these.
fn is_quarantine(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == FILE || name == "quarantine.yml")
}

/// Whether a file in a folder of scenarios is about a lab, and no scenario.
pub fn is_of_lab(path: &Path) -> bool {
    let of = |file: &str| path.file_name().is_some_and(|name| name == file);
    is_quarantine(path) || of(inventory::FILE) || of(OWNERS_FILE)
}

/// The files: those named, else those in the folders of scenarios, and the nearest above each of them up to the
/// working folder.
///
/// # Errors
/// A folder that cannot be read.
pub fn files(scenarios: &[PathBuf], named: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for path in scenarios {
        let inside = if host::is_folder(path) { host::yaml_files(path)? } else { Vec::new() };
        for file in inside.into_iter().filter(|file| is_quarantine(file)).chain(above(path)) {
            if !found.iter().any(|known| host::same_place(known, &file)) {
                found.push(file);
            }
        }
    }
    Ok(found)
}

/// The nearest file above a path, up to the working folder; of a path that leaves it, beside the path alone.
fn above(path: &Path) -> Option<PathBuf> {
    let leaves = path.is_absolute() || path.components().any(|part| part == Component::ParentDir);
    let most = if leaves { 1 } else { usize::MAX };
    path.ancestors().skip(1).take(most).map(|folder| folder.join(FILE)).find(|file| host::is_there(file))
}

/// Entries of these files; none after complaints, which have been printed.
pub fn read_all(files: &[PathBuf], terminal: Terminal) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut problems = 0;
    for file in files {
        let text = host::read_file(file, MOST).map_err(complain).ok()?;
        match quarantine(&SourceFile { name: file.display().to_string(), text }) {
            Ok(own) => entries.extend(own),
            Err(complaints) => {
                problems += complaints.len();
                for complaint in &complaints {
                    Streams.err(&format!("{}\n", complaint.render(terminal.color_err)));
                }
            }
        }
    }
    if problems > 0 {
        let words = if problems == 1 { "problem" } else { "problems" };
        Streams.err(&format!("{problems} {words}; no phone was touched\n"));
        return None;
    }
    Some(entries)
}

/// What is in quarantine for a run of these scenarios; none after complaints, which have been printed.
pub fn load(scenarios: &[PathBuf], named: &[PathBuf], terminal: Terminal) -> Option<Vec<Entry>> {
    load_noting(scenarios, named, terminal, &FilesRead::default())
}

/// The same; the files are noted.
pub fn load_noting(
    scenarios: &[PathBuf],
    named: &[PathBuf],
    terminal: Terminal,
    noted: &FilesRead,
) -> Option<Vec<Entry>> {
    let files = files(scenarios, named).map_err(complain).ok()?;
    files.iter().for_each(|file| noted.note(file));
    read_all(&files, terminal)
}

/// The file that is edited where none is named: the one there is, else the one to begin.
pub fn usual() -> PathBuf {
    let (beside, here) = (Path::new("scenarios").join(FILE), PathBuf::from(FILE));
    match (host::is_there(&beside), host::is_there(&here)) {
        (false, true) => here,
        (false, false) if !host::is_folder(Path::new("scenarios")) => here,
        _ => beside,
    }
}

/// The text of a file; empty where it is not there.
///
/// # Errors
/// It is there and cannot be read, or is no text.
pub fn text_of(file: &Path) -> Result<String, CommandError> {
    if !host::is_there(file) {
        return Ok(String::new());
    }
    String::from_utf8(host::read_file(file, MOST)?).map_err(|_| usage!("{}: not UTF-8", file.display()))
}
