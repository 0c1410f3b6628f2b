//! `farmjank causes issues.json`: what main was held up by, by slow messages that the Matrix library wrote down in the
//! app.

use super::of_stacks::several;
use crate::args::{AnalyzeFormat, CausesArgs};
use crate::command_error::{CommandError, usage};
use crate::commands::analyze::spoken;
use crate::host;
use farmjank_causes::stacks::of_issues;
use farmjank_causes::told::{Most, told};
use farmjank_frames::stacks::matrix::{Matrix, is_matrix, read};
use farmjank_leaf::text::name as shown;
use farmjank_reporters::caused::{IssuesView, issues_json, issues_table};
use farmjank_results::file_error::FileError;
use std::path::Path;

/// Most bytes of a file, and of a mapping: they are held whole.
const MOST: u64 = 256 << 20;
/// Enough to tell what a file is.
const START: u64 = 64 * 1024;

/// Whether a file holds issues.
pub fn is_issues(path: &Path) -> bool {
    !host::is_handed(path) && host::read_from(path, 0, START).is_ok_and(|start| is_matrix(&start))
}

/// What is said of them.
pub fn answer(path: &Path, args: &CausesArgs) -> Result<String, CommandError> {
    if args.by.is_some() || args.export.is_some() {
        let path = shown(path);
        return Err(usage!(
            "--by and --export are for call stacks, and {path} holds issues of Matrix, which have none"
        ));
    }
    let text =
        |path: &Path| host::read_file(path, MOST).map(|file| String::from_utf8_lossy(&file).into_owned());
    let mapping = args.mapping.as_deref().map(text).transpose()?;
    let found = read(&text(path)?, mapping.as_deref());
    if found.issues.is_empty() {
        let why = "it holds no Trace_EvilMethod: only those tell of methods".to_owned();
        return Err(FileError::content(path, why).into());
    }
    let package = spoken::package(args.package.as_deref())?;
    let names = || found.issues.keys().cloned().collect::<Vec<_>>();
    let own = found.issues.iter().filter(|(process, _)| package.as_ref().is_none_or(|app| app == *process));
    let own: Vec<_> = own.collect();
    let [(app, issues)] = own[..] else { return Err(several(path, &names())) };
    let doubts = doubts(&found, mapping.is_some());
    let causes = told(&of_issues(issues), app, Most::ALL, &|_| None);
    let view = IssuesView {
        app,
        stalls: &causes.stalls,
        passed_over: &found.passed_over,
        unreadable: found.unreadable,
        doubts: &doubts,
    };
    Ok(match args.format {
        AnalyzeFormat::Json => issues_json(&view),
        AnalyzeFormat::Table => issues_table(&view),
    })
}

fn doubts(found: &Matrix, mapped: bool) -> Vec<String> {
    let mut all = Vec::new();
    if found.nameless > 0 {
        let why = match mapped {
            true => "the mapping does not know: it is of another build",
            false => {
                "nobody names: give the methodMapping.txt of this very build with --mapping. Numbers of two builds are not the same methods"
            }
        };
        all.push(format!("{} methods are told by numbers that {why}", found.nameless));
    }
    if !found.passed_over.is_empty() {
        let kinds = found.passed_over.iter().map(|(kind, count)| format!("{kind} ({count})"));
        all.push(format!(
            "passed over, as they tell of no methods: {}",
            kinds.collect::<Vec<_>>().join(", ")
        ));
    }
    if found.unreadable > 0 {
        all.push(format!("{} of them could not be read", found.unreadable));
    }
    all
}
