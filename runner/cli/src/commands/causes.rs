//! `farmjank causes`: why an app's frames were late, and why its main thread was held up where none was promised, from
//! a trace with frames and scheduler events, from a run that was traced for it, or from several of them.
//!
//! A trace is read twice, piece by piece: for its frames and stalls, then for what threads did around them.

mod of_history;
mod of_issues;
mod of_run;
mod of_stacks;
mod of_two;

use super::analyze::spoken;
use crate::args::{AnalyzeFormat, CausesArgs};
use crate::command_error::{CommandError, usage};
use crate::host::{self, Streams};
use crate::owners;
use crate::settings::refuse;
use farmjank_causes::ask::{self, Asked};
use farmjank_causes::held::Busy;
use farmjank_causes::inquiry::Found;
use farmjank_causes::stall;
use farmjank_causes::told::{Most, told};
use farmjank_engine::scribe::Voice;
use farmjank_frames::frametimeline::{Trace, TraceReader};
use farmjank_frames::ftrace::{Around, Losses, Scan, Scanned};
use farmjank_leaf::text::name as shown;
use farmjank_measure::saved;
use farmjank_reporters::caused::{CausedView, json, table};
use farmjank_results::file_error::FileError;
use farmjank_results::hitch_causes::HitchCauses;
use std::path::Path;

/// Says why frames were late.
pub fn run(args: &CausesArgs) -> u8 {
    match answered(args) {
        Ok(text) => {
            Streams.out(&text);
            0
        }
        Err(why) => refuse(&why),
    }
}

fn answered(args: &CausesArgs) -> Result<String, CommandError> {
    let from = match (&args.history, &args.from) {
        (Some(fingerprint), _) => return of_history::answer(fingerprint, &args.store, args.format),
        (None, Some(from)) => from.as_path(),
        (None, None) => {
            return Err(usage!("give a run, two runs or a trace, or --history with a fingerprint"));
        }
    };
    // What is there is meant as a file or a folder; everything else names a window.
    let new = args.other.as_deref().map(Path::new).filter(|other| other.is_file() || host::is_folder(other));
    let is_file = new.is_none() && !host::is_folder(from);
    let is_stacks = is_file && of_stacks::is_recording(from);
    let is_issues = is_file && !is_stacks && of_issues::is_issues(from);
    let is_of_one_run = host::is_folder(from) && new.is_none();
    if !(is_stacks || is_issues) && (args.by.is_some() || (args.export.is_some() && !is_of_one_run)) {
        let from = shown(from);
        return Err(usage!(
            "--by is for call stacks alone, such as perf.data of simpleperf, and --export for these and for a window of a run \
             with --stacks: {from} is neither"
        ));
    }
    if args.owners.is_some() && (is_stacks || is_issues || (host::is_folder(from) && new.is_some())) {
        return Err(usage!(
            "--owners is for a trace, or for one run: causes of others are told without owners"
        ));
    }
    if !is_file && args.mapping.is_some() {
        return Err(usage!(
            "the methods of a run have their names since it was made: `farmjank run --stacks --mapping FILE`, or give \
             its trace here (trial.perfetto-trace.zst)"
        ));
    }
    match (host::is_folder(from), new) {
        (true, Some(new)) if host::is_folder(new) => of_two::answer(from, new, args.format),
        (is_run, Some(new)) => {
            let what = shown(if is_run { new } else { from });
            Err(usage!("{what} is no run bundle: give the folders of two runs, the old one first"))
        }
        (true, None) => of_run::answer(from, args),
        (false, None) if is_stacks => of_stacks::answer(from, args),
        (false, None) if is_issues => of_issues::answer(from, args),
        (false, None) => of_trace(from, args),
    }
}

fn of_trace(from: &Path, args: &CausesArgs) -> Result<String, CommandError> {
    if let Some(cell) = &args.other {
        let (name, cell) = (shown(from), shown(Path::new(cell)));
        return Err(usage!(
            "{name} is no run bundle, so it has no window `{cell}`: give a trace alone, or a run"
        ));
    }
    let (app, found) = answer(from, args)?;
    let view = CausedView { app: &app, found: &found, fingerprints: false };
    Ok(match args.format {
        AnalyzeFormat::Json => json(&view),
        AnalyzeFormat::Table => table(&view),
    })
}

/// The app, and what is said of it.
fn answer(path: &Path, args: &CausesArgs) -> Result<(String, HitchCauses), CommandError> {
    if host::is_handed(path) {
        let name = shown(path);
        return Err(usage!(
            "{name}: a trace is read twice here, and a stream only once: save it, and give the file"
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
    let Scanned { threads, busy, mut stacks } = scan.finish();
    let (app, asked, mut doubts) = asked(&trace, &busy, package.as_deref(), path)?;
    if let Some(mapping) = &args.mapping {
        doubts.extend(of_stacks::retraced(mapping, |text| stacks.retrace(text))?);
    }
    let (told_of_stacks, looks) = (stacks.told(args.mapping.is_some()), stacks.looks());
    let (found, losses) = looked(path, Around::of(asked.frames, asked.stalls, threads).beside(looks))?;
    doubts.extend(losses.doubts());
    let dropped = u32::try_from(asked.dropped).unwrap_or(u32::MAX);
    let mut told = told(&found, &app, Most::ALL, &|_| None);
    if let Some(file) = &args.owners {
        owners::read(file)?.tell(&mut told);
    }
    Ok((app, HitchCauses { dropped, doubts, stacks: told_of_stacks, ..told }))
}

/// The app's frames and stalls, and what the trace lacks of them.
fn asked(
    trace: &Trace,
    busy: &Busy,
    package: Option<&str>,
    path: &Path,
) -> Result<(String, Asked, Vec<String>), CommandError> {
    let processes = trace.by_name();
    let app = saved::app(package, &processes)?;
    let mut all = Asked::default();
    let mut doubts = super::analyze::damage(trace);
    for timeline in app.iter().filter_map(|name| processes.get(name)) {
        let clock = |at| trace.boottime(at);
        let stalls = stall::stalls(busy, timeline, &clock);
        let period = timeline.period.filter(|period| period.ns() > 0);
        let Some(period) = period else {
            let why =
                "the trace shows too few frames to tell the refresh period; record a longer one".to_owned();
            // Stalls need none.
            if stalls.is_empty() {
                return Err(FileError::content(path, why).into());
            }
            all.stalls.extend(stalls);
            doubts.push(why);
            continue;
        };
        all.stalls.extend(stalls);
        let new = ask::frames(timeline, period, &clock);
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
