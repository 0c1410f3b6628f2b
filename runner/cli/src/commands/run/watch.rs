//! `farmjank run --watch`: on one phone, and again whenever a file changes that the run was made of.

use super::{About, Done, NoRun, once};
use crate::args::RunArgs;
use crate::command_error::CommandError;
use crate::files_read::{FilesRead, Stamps, Waiting, again};
use crate::host::{self, Streams};
use crate::in_runtime;
use crate::settings::{Terminal, refuse};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::name as shown;
use farmjank_results::record::Record;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between two looks at the files. Three of them must be alike before a change counts.
const LOOK: Duration = Duration::from_millis(100);
/// Most names of files in a line.
const NAMED: usize = 3;

/// Runs until somebody ends it: the exit code of an interrupt, or of a first run that cannot be.
pub fn run(args: &RunArgs, terminal: Terminal) -> u8 {
    if let Err(why) = sensible(args) {
        return refuse(&why);
    }
    host::signals::leave_at_once(true);
    host::signals::hear();
    let (mut args, mut phone, mut began) = (args.clone(), None, false);
    let named = args.phones.serials.clone();
    loop {
        let noted = FilesRead::default();
        note_lab(&args, &noted);
        let done = once(&args, terminal, About::Limits, &noted);
        host::signals::leave_at_once(true);
        let ended = match done {
            // What is wrong with the command stays wrong, whatever is saved.
            Err(NoRun::Ended(code)) if !began => return code,
            Err(NoRun::Ended(code)) => Some(code),
            Err(NoRun::Files) => None,
            Ok(done) => match told(done, &mut args) {
                Told::Interrupted(code) => return code,
                // It was changed into one for other phones.
                Told::Run { phone: None, .. } if phone.take().is_some() => {
                    args.phones.serials.clone_from(&named);
                    continue;
                }
                Told::Run { phone: taken, code } => {
                    // The same from here on: what two runs measured on two phones is not held against each other.
                    if let Some(taken) = &taken {
                        args.phones.serials = vec![taken.clone()];
                    }
                    phone = taken;
                    Some(code)
                }
            },
        };
        host::signals::leave_at_once(true);
        began = true;
        let stamps = noted.stamps();
        tell_waiting(&args, ended, &stamps);
        let changed = match in_runtime(false, changed(stamps)) {
            Ok(changed) => changed,
            Err(code) => return code,
        };
        tell_again(&changed, terminal);
    }
}

/// What cannot be together with it.
fn sensible(args: &RunArgs) -> Result<(), CommandError> {
    let refused = [
        (args.select.shard.is_some(), "--shard: --watch runs on one phone; there is nothing to share out"),
        (args.resume.is_some(), "--resume: --watch begins anew with every change; leave one of them away"),
        (
            args.rerun.asked()?.is_some(),
            "--last-failed: --watch runs all of it with every change; leave one of them away",
        ),
        (
            args.ui,
            "--ui: the live view stays with one run; keep `report.html` of the bundle open, or `farmjank view` beside it",
        ),
        (
            args.keep.rolling && args.keep.history.is_none(),
            "--rolling: --watch keeps no history unless it is named; add --history PATH",
        ),
    ];
    match refused.into_iter().find(|(given, _)| *given) {
        Some((_, why)) => Err(why.into()),
        None => Ok(()),
    }
}

/// The files that are read beside the scenarios.
fn note_lab(args: &RunArgs, noted: &FilesRead) {
    let lab = args.phones.lab.as_ref().map(Path::new).filter(|path| host::is_there(path));
    lab.into_iter().chain(args.phones.inventory.as_deref()).for_each(|path| noted.note(path));
}

/// What a run came to.
enum Told {
    Interrupted(u8),
    Run { phone: Option<String>, code: u8 },
}

/// Ends a run; the next takes its place.
fn told(done: Done, args: &mut RunArgs) -> Told {
    let interrupted = done.record.interrupted.is_some();
    let phone = phone_of(&done.record);
    (args.out, args.overwrite) = (Some(done.root.clone()), true);
    let code = done.over();
    if interrupted { Told::Interrupted(code) } else { Told::Run { phone, code } }
}

fn phone_of(record: &Record) -> Option<String> {
    record.jobs.values().find_map(|job| job.planned.device.as_ref()).map(|id| id.0.clone())
}

/// Which files changed, once they do.
async fn changed(stamps: Stamps) -> Vec<PathBuf> {
    let mut waiting = Waiting::since(stamps);
    loop {
        tokio::time::sleep(LOOK).await;
        if let Some(changed) = waiting.look(again(waiting.files())) {
            return changed;
        }
    }
}

fn tell_waiting(args: &RunArgs, ended: Option<u8>, stamps: &Stamps) {
    let ended = ended.map_or_else(String::new, |code| format!("exit code {code}; "));
    let bundle = match &args.out {
        Some(out) if args.overwrite => format!("; the next run takes the place of {}", shown(out)),
        _ => String::new(),
    };
    let first = args.scenarios.paths.iter().find(|path| stamps.contains_key(*path));
    let others = stamps.len().saturating_sub(1);
    let files = match (first, others) {
        (Some(first), 0) => shown(first),
        (Some(first), 1) => format!("{} and 1 file more", shown(first)),
        (Some(first), more) => format!("{} and {more} files more", shown(first)),
        (None, _) => format!("{} files", stamps.len()),
    };
    Streams.err(&format!("{ended}watching {files} (Ctrl-C ends){bundle}\n"));
}

/// A line between two runs: when, and why there is another one.
fn tell_again(changed: &[PathBuf], terminal: Terminal) {
    let mut names: Vec<String> = changed.iter().take(NAMED).map(|path| shown(path)).collect();
    match changed.len().saturating_sub(NAMED) {
        0 => {}
        more => names.push(format!("{more} more")),
    }
    let line = if terminal.unicode { "──" } else { "--" };
    let at = host::wall().replace('T', " ").replace('Z', " UTC");
    Streams.err(&format!("\n{line} {at}: {} changed {line}\n", names.join(", ")));
}
