//! YAML to [`Scenario`]s, collecting every complaint of every file, not the first.
//!
//! Stages per file: text to a tree of nodes with places; the tree to a scenario, walked by hand so that one wrong key
//! does not hide the next; checks that need the whole. Bounded in time and memory whatever the text: files of at most
//! 1 MiB, 48 levels, 100 000 values, 20 000 steps, 8 MiB of run flows, 100 complaints a file.
//!
//! Must not touch the world: the files of `runFlow` come through [`Sources`].

mod check;
mod command;
mod document;
mod element;
mod fields;
pub(crate) mod flow;
mod form;
mod inventory;
mod limits;
mod one_document;
mod owners;
mod page;
mod prepare;
mod quarantine;
mod read_context;
mod script;
mod secret;
mod step;
#[cfg(test)]
pub(crate) mod tests;
mod value;
pub(crate) mod variables;

pub use self::secret::secrets;

use crate::complaint::{Complaint, MOST, quoted};
use crate::place::Mark;
use crate::scenario::Scenario;
pub use crate::source::FILE_BYTES;
use crate::source::Source;
use farmjank_results::file_error::FileProblem;
use farmjank_results::metric::{Better, Unit};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub use inventory::inventory;
pub use owners::{FILE as OWNERS_FILE, owners};
pub use quarantine::quarantine;

/// One file as it lies on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// As named on the command line; complaints repeat it, and `runFlow` paths are relative to its folder.
    pub name: String,
    /// Its bytes.
    pub text: Vec<u8>,
}

/// Where the files of `runFlow` come from.
pub trait Sources {
    /// The bytes of a file.
    ///
    /// # Errors
    /// Why they cannot be had.
    fn fetch(&self, path: &str) -> Result<Vec<u8>, FileProblem>;

    /// Whether a file that was fetched is nobody's scenario by its place: complaints repeat no word of such a file.
    fn is_outside(&self, _path: &str) -> bool {
        false
    }
}

impl<F: Fn(&str) -> Result<Vec<u8>, FileProblem>> Sources for F {
    fn fetch(&self, path: &str) -> Result<Vec<u8>, FileProblem> {
        self(path)
    }
}

/// What reading needs from outside.
pub struct ReadOptions<'a> {
    /// Keys and units of the metrics a threshold may name, and which side is better; launch metrics are known without
    /// being listed.
    pub metrics: &'a [(&'a str, Unit, Better)],
    /// Where the files of `runFlow` come from.
    pub sources: &'a dyn Sources,
}

/// Reads every file. `env` holds the variables given on the command line; they override those of the files.
///
/// # Errors
/// Every complaint of every file, in order of the files, then of lines; complaints about files that a scenario runs
/// follow those of the scenario.
pub fn read(
    files: &[SourceFile],
    env: &BTreeMap<String, String>,
    options: &ReadOptions<'_>,
) -> Result<Vec<Scenario>, Vec<Complaint>> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    let mut complaints = Vec::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for file in files {
        let mut found = Vec::new();
        match Source::new(&file.name, &file.text) {
            Err(complaint) => found.push(complaint),
            Ok(source) => {
                let source = Rc::new(source);
                let (scenario, of_file, name_mark) = document::scenario(&source, env, options);
                found.extend(of_file);
                if let Some(scenario) = scenario {
                    found.extend(taken(&scenario.name, &file.name, &mut names, &source, name_mark));
                    scenarios.push(scenario);
                }
            }
        }
        complaints.extend(in_order(found, &file.name));
    }
    let mut seen = BTreeSet::new();
    complaints.retain(|complaint| seen.insert(complaint.clone()));
    if complaints.is_empty() { Ok(scenarios) } else { Err(complaints) }
}

/// Reports and baselines are kept by scenario name, so two scenarios cannot share one.
fn taken(
    name: &str,
    file: &str,
    names: &mut BTreeMap<String, String>,
    source: &Source,
    mark: Mark,
) -> Option<Complaint> {
    let first = names.entry(name.to_owned()).or_insert_with(|| file.to_owned());
    if first == file {
        return None;
    }
    let what = format!("the scenario in {first} is called {} too", quoted(name));
    Some(source.complaint(mark, what, "give one of them another `name:`"))
}

/// The scenario's own complaints first, by line; at most [`MOST`].
fn in_order(mut found: Vec<Complaint>, file: &str) -> Vec<Complaint> {
    found.sort_by(|a, b| {
        (a.file != file, &a.file, a.place, &a.what).cmp(&(b.file != file, &b.file, b.place, &b.what))
    });
    found.dedup();
    if found.len() > MOST {
        found.truncate(MOST);
        if let Some(last) = found.last_mut() {
            last.instead = format!("{} (further complaints about this scenario are not shown)", last.instead);
        }
    }
    found
}
