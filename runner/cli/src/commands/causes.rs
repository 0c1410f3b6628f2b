//! `farmjank causes`: why an app's frames were late, from a trace with frames and scheduler events.
//!
//! The file is read twice, piece by piece: for its frames, then for what threads did around those that were late.

use super::analyze::spoken;
use crate::args::{AnalyzeFormat, CausesArgs};
use crate::command_error::{CommandError, usage};
use crate::host::{self, Streams};
use crate::settings::refuse;
use farmjank_causes::ask::{self, Asked};
use farmjank_causes::inquiry::Found;
use farmjank_engine::scribe::Voice;
use farmjank_frames::frametimeline::{Trace, TraceReader};
use farmjank_frames::ftrace::{Around, Losses, Scan};
use farmjank_leaf::text::name as shown;
use farmjank_measure::saved;
use farmjank_reporters::caused::{CausedView, json, table};
use farmjank_results::file_error::FileError;
use std::path::Path;

/// Says why frames were late.
pub fn run(args: &CausesArgs) -> u8 {
    match answer(args) {
        Ok(answer) => {
            let view = CausedView {
                app: &answer.app,
                found: &answer.found,
                dropped: answer.dropped,
                doubts: &answer.doubts,
            };
            Streams.out(&match args.format {
                AnalyzeFormat::Json => json(&view),
                AnalyzeFormat::Table => table(&view),
            });
            0
        }
        Err(why) => refuse(&why),
    }
}

/// What is said of an app.
struct Answer {
    app: String,
    found: Found,
    dropped: usize,
    doubts: Vec<String>,
}

fn answer(args: &CausesArgs) -> Result<Answer, CommandError> {
    let path = args.trace.as_path();
    if host::is_handed(path) {
        let name = shown(path);
        return Err(usage!(
            "{name}: a trace is read twice here, and a stream only once: save it, and give the file"
        ));
    }
    if host::is_folder(path) {
        let name = shown(path);
        return Err(usage!(
            "{name} is a folder: give one trace, such as {name}/evidence/job-0/trial-1/trial.perfetto-trace.zst of a run"
        ));
    }
    let package = spoken::package(args.package.as_deref())?;
    let (mut reader, mut scan) = (TraceReader::default(), Scan::default());
    host::read_pieces::<FileError>(path, &mut |piece| {
        reader.feed(piece);
        scan.feed(piece);
        Ok(())
    })?;
    let trace = reader.finish().map_err(|why| FileError::content(path, why.to_string()))?;
    let (app, asked, mut doubts) = asked(&trace, package.as_deref(), path)?;
    let (found, losses) = looked(path, Around::frames(asked.frames, scan.finish()))?;
    doubts.extend(missing(&losses));
    Ok(Answer { app, found, dropped: asked.dropped, doubts })
}

/// The app's frames, and what the trace lacks of them.
fn asked(
    trace: &Trace,
    package: Option<&str>,
    path: &Path,
) -> Result<(String, Asked, Vec<String>), CommandError> {
    let processes = trace.by_name();
    let app = saved::app(package, &processes)?;
    let mut all = Asked::default();
    let mut doubts = super::analyze::damage(trace);
    for timeline in app.iter().filter_map(|name| processes.get(name)) {
        let Some(period) = timeline.period.filter(|period| period.ns() > 0) else {
            let why =
                "the trace shows too few frames to tell the refresh period; record a longer one".to_owned();
            return Err(FileError::content(path, why).into());
        };
        let new = ask::frames(timeline, period, &|at| trace.boottime(at));
        all.frames.extend(new.frames);
        all.dropped += new.dropped;
        doubts.extend(timeline.doubts.iter().cloned());
    }
    doubts.dedup();
    Ok((app.join(", "), all, doubts))
}

/// What threads did around frames, charged.
fn looked(path: &Path, mut around: Around) -> Result<(Found, Losses), CommandError> {
    host::read_pieces::<FileError>(path, &mut |piece| {
        around.feed(piece);
        Ok(())
    })?;
    Ok(around.finish().map_err(|why| FileError::content(path, why.to_string()))?)
}

/// What the trace of the kernel lacks, in sentences.
fn missing(losses: &Losses) -> Vec<String> {
    let mut doubts = Vec::new();
    let lost: u64 = losses.overrun.values().sum();
    if lost > 0 {
        doubts.push(format!(
            "the kernel overwrote {lost} events before they were read: give its buffers more room"
        ));
    }
    let sched =
        losses.not_traced.iter().filter(|name| name.contains("sched_switch") || name.contains("print"));
    for name in sched {
        doubts
            .push(format!("this phone does not let {name} be traced: causes that rest on it cannot be told"));
    }
    if losses.disordered > 0 {
        let late = losses.disordered;
        doubts.push(format!(
            "{late} pieces of the trace came too late to be put in order: states may be wrong there"
        ));
    }
    if losses.unreadable + losses.foreign > 0 {
        let bad = losses.unreadable + losses.foreign;
        doubts.push(format!("{bad} pieces of the trace could not be read, or are on another clock"));
    }
    doubts
}
