//! `farmjank causes perf.data`: what main was held up by, by the call stacks a profiler recorded.

use crate::args::{AnalyzeFormat, CausesArgs, StackForm, StackRules};
use crate::command_error::{CommandError, usage};
use crate::commands::analyze::spoken;
use crate::host;
use farmjank_causes::stacks::{self, Recording, Rules};
use farmjank_causes::told::{Most, told};
use farmjank_frames::stacks::{is_recording as begins_so, read, retrace};
use farmjank_leaf::text::{line, name as shown};
use farmjank_reporters::caused::{StacksView, stacks_json, stacks_table};
use farmjank_reporters::stacked::{firefox, folded, speedscope};
use farmjank_results::file_error::FileError;
use farmjank_results::held_stacks::HeldStacks;
use std::path::Path;

/// Most bytes of a recording, and of a mapping: they are held whole.
const MOST: u64 = 1 << 30;
/// Enough to tell what a file is.
const START: u64 = 16;
/// What an app is called that nobody named.
const NAMELESS: &str = "the app";
/// Columns of a process's name, and how many of them are told.
const NAME: usize = 60;
const NAMES: usize = 12;

/// Whether a file holds call stacks.
pub fn is_recording(path: &Path) -> bool {
    !host::is_handed(path) && host::read_from(path, 0, START).is_ok_and(|start| begins_so(&start))
}

/// Gives methods the names of the source; what is to be known where no class was known. `retrace` tells how many were.
pub fn retraced(mapping: &Path, retrace: impl FnOnce(&str) -> usize) -> Result<Option<String>, CommandError> {
    let text = host::read_file(mapping, MOST)?;
    let known = retrace(&String::from_utf8_lossy(&text));
    let of = shown(mapping);
    Ok((known == 0).then(|| {
        format!("{of} knows no class of this recording: it is of another build, or nothing was obfuscated")
    }))
}

/// What is said of it.
pub fn answer(path: &Path, args: &CausesArgs) -> Result<String, CommandError> {
    if let Some(cell) = &args.other {
        let (name, cell) = (shown(path), shown(Path::new(cell)));
        return Err(usage!(
            "{name} is no run bundle, so it has no window `{cell}`: give call stacks alone, or a run"
        ));
    }
    let file = host::read_file(path, MOST)?;
    let mut recording = read(&file).map_err(|why| FileError::content(path, why.to_string()))?;
    drop(file);
    let mut doubts = doubts(&recording);
    if let Some(mapping) = &args.mapping {
        doubts.extend(retraced(mapping, |text| retrace(&mut recording, text))?);
    }
    let package = spoken::package(args.package.as_deref())?;
    let (process, app) = recording.of_app(package.as_deref()).map_err(|names| several(path, &names))?;
    let app = if app.is_empty() { NAMELESS.to_owned() } else { app };
    if let Some(form) = args.export {
        return Ok(exported(&stacks::weighed(&recording, process), process, &app, form));
    }
    let rules = match args.by {
        Some(StackRules::KeyStack) => Rules::KeyStack,
        Some(StackRules::Time) | None => Rules::Time,
    };
    let found = told(&stacks::stalls(&recording, process, rules), &app, Most::ALL, &|_| None);
    let samples = recording.mains.get(&process).map(|main| main.samples.as_slice()).unwrap_or_default();
    let recorded =
        samples.first().zip(samples.last()).map_or(0, |(first, last)| last.at.saturating_sub(first.at));
    let view = StacksView {
        app: &app,
        samples: samples.iter().filter(|sample| sample.stack.is_some()).count(),
        recorded_us: recorded / 1_000,
        lost: recording.lost,
        off_cpu: recording.off_cpu,
        stalls: &found.stalls,
        doubts: &doubts,
    };
    Ok(match args.format {
        AnalyzeFormat::Json => stacks_json(&view),
        AnalyzeFormat::Table => stacks_table(&view),
    })
}

/// Stacks in the form of a program that draws them.
pub fn exported(stacks: &[HeldStacks], process: i32, app: &str, form: StackForm) -> String {
    match form {
        StackForm::Folded => folded(stacks),
        StackForm::Speedscope => speedscope(app, stacks),
        StackForm::Firefox => firefox(app, process, stacks),
    }
}

fn doubts(recording: &Recording) -> Vec<String> {
    let mut all = Vec::new();
    if !recording.off_cpu {
        all.push(
            "it does not tell when main left its CPU: what main waited for is not in it, and where main was not seen for 5 ms \
             it is taken to have had nothing to do. Record with --trace-offcpu"
                .to_owned(),
        );
    }
    if recording.of_methods {
        all.push(
            "it is a trace of methods: where each of them was noted as it was entered, and not sampled, the app was several times slower \
             than it is, and small methods most. Believe the order of causes, not their times"
                .to_owned(),
        );
    }
    if recording.full {
        all.push("its room was full before it was stopped: what came after is not in it".to_owned());
    }
    if recording.lost > 0 {
        all.push(format!("the kernel lost {} samples of it: record with a lower rate", recording.lost));
    }
    all
}

/// Which process is meant nobody said.
pub fn several(path: &Path, names: &[String]) -> CommandError {
    let told: Vec<String> = names.iter().take(NAMES).map(|name| line(name, NAME)).collect();
    let more = names.len().saturating_sub(NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    usage!("{}: say with --package which process is meant; there are {}{rest}", shown(path), told.join(", "))
}
