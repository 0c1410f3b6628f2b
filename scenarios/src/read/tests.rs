//! Goldens of the reader: text to scenario, text to complaints, hostile text to a clear refusal in bounded time.

mod causes;
mod complaints;
mod forms;
mod hostile;
mod windows;

use super::{ReadOptions, SourceFile, read};
use crate::complaint::Complaint;
use crate::scenario::Scenario;
use farmjank_results::file_error::FileProblem;
use farmjank_results::metric::{Better, Unit};
use std::collections::BTreeMap;

pub(crate) const METRICS: &[(&str, Unit, Better)] = &[
    ("fps", Unit::Fps, Better::Higher),
    ("hitch_ms_per_s", Unit::MsPerS, Better::Lower),
    ("frozen_frames", Unit::Count, Better::Lower),
    ("p95_ms", Unit::Ms, Better::Lower),
];

/// Reads files by name; the first is the scenario, the others are there to be run.
pub(crate) fn read_files(
    files: &[(&str, &str)],
    env: &[(&str, &str)],
) -> Result<Vec<Scenario>, Vec<Complaint>> {
    let env: BTreeMap<String, String> = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let first = SourceFile { name: files[0].0.to_owned(), text: files[0].1.as_bytes().to_vec() };
    let fetch = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or(FileProblem::Missing)
    };
    read(&[first], &env, &ReadOptions { metrics: METRICS, sources: &fetch })
}

/// The scenario of one sound text.
pub(crate) fn sound(text: &str) -> Scenario {
    match read_files(&[("s.yaml", text)], &[]) {
        Ok(mut scenarios) => scenarios.remove(0),
        Err(complaints) => panic!("{}", complaints.iter().map(|c| c.render(false)).collect::<String>()),
    }
}

/// Complaints as `line:column+length what -> instead` lines; other files than `s.yaml` are named.
pub(crate) fn told(result: Result<Vec<Scenario>, Vec<Complaint>>) -> String {
    let line = |complaint: &Complaint| {
        let file = if complaint.file == "s.yaml" { String::new() } else { format!("{} ", complaint.file) };
        let (place, length) = (complaint.place, complaint.length);
        format!(
            "{file}{}:{}+{length} {} -> {}\n",
            place.line, place.column, complaint.what, complaint.instead
        )
    };
    match result {
        Ok(_) => "sound".to_owned(),
        Err(complaints) => complaints.iter().map(line).collect(),
    }
}

/// A header and steps under it, indented by two.
pub(crate) fn with_steps(steps: &str) -> String {
    format!("appId: com.example.shop\nsteps:\n{steps}\n")
}
