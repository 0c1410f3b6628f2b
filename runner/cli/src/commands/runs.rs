//! `farmjank runs`: the runs that are kept, and letting go of them. Only folders that hold a run are ever touched, and
//! only what a run leaves in them.

use crate::args::{ListRunsArgs, ListingFormat, PruneRunsArgs, RunsArgs, RunsCommand, ShowRunArgs};
use crate::baselines::{age, recorded, since};
use crate::command_error::{CommandError, usage};
use crate::host::{self, Bundle, Streams};
use crate::settings::{Terminal, refuse};
use farmjank_engine::resume::left;
use farmjank_engine::scribe::{LOG, Voice};
use farmjank_leaf::nearest;
use farmjank_leaf::text::name as path_shown;
use farmjank_reporters::one_run;
use farmjank_reporters::paint::TextStyle;
use farmjank_results::event::{Event, Fact};
use farmjank_results::verdict::{EXIT_INTERRUPTED, EXIT_TERMINATED};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Enough of a log's beginning for its first event, and of its end for its last, bytes.
const EDGE: u64 = 64 << 10;
/// Version of the list for programs.
const FORMAT: u32 = 1;
/// What people open in a bundle.
const REPORTS: [&str; 4] = ["report.html", "junit.xml", "results.json", "metrics.txt"];
/// Longest name shown.
const NAME: usize = 60;

/// A run that is kept.
struct Kept {
    name: String,
    folder: PathBuf,
    /// When it began; of a virtual lab, whose clock is its own, when it was written.
    when: Option<String>,
    lab: Option<String>,
    /// None: it did not come to its end, or still goes on.
    exit_code: Option<u8>,
    bytes: u64,
}

/// Lists, prunes or removes.
pub fn run(args: &RunsArgs, terminal: Terminal) -> u8 {
    let done = match &args.command {
        None => Ok(list(&args.runs)),
        Some(RunsCommand::List(ListRunsArgs { format: ListingFormat::Table })) => Ok(list(&args.runs)),
        Some(RunsCommand::List(ListRunsArgs { format: ListingFormat::Json })) => Ok(listed(&args.runs)),
        Some(RunsCommand::Show(show)) => shown(&args.runs, show, terminal),
        Some(RunsCommand::Prune(prune)) => pruned(&args.runs, prune),
        Some(RunsCommand::Rm(rm)) => removed(&args.runs, &rm.names),
    };
    match done {
        Ok(text) => {
            Streams.out(&text);
            0
        }
        Err(why) => refuse(&why),
    }
}

/// Where runs lie that no `--out` was given for.
pub const FOLDER: &str = "results/runs";

/// Every run of a folder, the newest first.
fn kept(folder: &Path) -> Vec<Kept> {
    let mut all: Vec<Kept> = host::folders_in(folder).into_iter().filter_map(read).collect();
    all.sort_by(|a, b| b.when.cmp(&a.when).then_with(|| a.name.cmp(&b.name)));
    all
}

/// The folder of the run that was written last.
pub fn newest(folder: &Path) -> Option<PathBuf> {
    let runs = kept(folder).into_iter().map(|run| run.folder);
    runs.max_by_key(|run| host::last_written(&run.join(LOG)))
}

/// The run before this one that came to its end, of those that lie in a folder of runs with it.
pub fn before(run: &Path) -> Option<PathBuf> {
    let folder = run.parent().filter(|folder| folder.ends_with("runs"))?;
    let mut older = kept(folder).into_iter().skip_while(|one| !host::same_place(&one.folder, run)).skip(1);
    older.find(|one| one.exit_code.is_some()).map(|one| one.folder)
}

/// A run, by the first and the last event of its log; none where the folder holds none.
fn read(folder: PathBuf) -> Option<Kept> {
    let log = folder.join(LOG);
    let size = host::length(&log) as u64;
    let events = |offset: u64| {
        let bytes = host::read_from(&log, offset, EDGE).unwrap_or_default();
        let lines = bytes.split(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice::<Event>(line).ok()).collect::<Vec<Event>>()
    };
    let first = events(0).into_iter().next()?;
    let Fact::RunStarted { wall, lab, .. } = first.fact else { return None };
    let exit_code = events(size.saturating_sub(EDGE)).into_iter().rev().find_map(|event| match event.fact {
        Fact::RunFinished { exit_code } => Some(exit_code),
        _ => None,
    });
    let when = if lab.is_some() { host::modified(&log) } else { Some(wall) };
    let name = folder.file_name()?.to_string_lossy().into_owned();
    Some(Kept { name, when, lab, exit_code, bytes: host::size_below(&folder), folder })
}

fn list(folder: &Path) -> String {
    let all = kept(folder);
    if all.is_empty() {
        return format!("no run is kept in {}\n", path_shown(folder));
    }
    let shown = |one: &Kept| farmjank_reporters::clean::line(&one.name, NAME);
    let wide = all.iter().map(|one| shown(one).chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for one in &all {
        let lab = one.lab.as_ref().map_or_else(String::new, |lab| format!("  virtual lab {lab}"));
        let when = one.when.as_deref().unwrap_or("unknown").replace('T', " ").replace('Z', " UTC");
        out += &format!(
            "{:wide$}  {when:<23}  {:<11}  {:>8}{lab}\n",
            shown(one),
            ending(one.exit_code),
            room(one.bytes)
        );
    }
    let total: u64 = all.iter().map(|one| one.bytes).sum();
    out + &format!(
        "{}, {}; `farmjank report {}/RUN` shows one, `farmjank runs prune --keep 30d` lets go\n",
        count(all.len()),
        room(total),
        path_shown(folder)
    )
}

/// The same for programs.
fn listed(folder: &Path) -> String {
    let one = |one: &Kept| {
        json!({
            "name": one.name,
            "folder": one.folder.to_string_lossy(),
            "when": one.when,
            "lab": one.lab,
            "exit_code": one.exit_code,
            "ended": ending(one.exit_code),
            "bytes": one.bytes,
        })
    };
    let all: Vec<Value> = kept(folder).iter().map(one).collect();
    serde_json::to_string_pretty(&json!({ "format": FORMAT, "runs": all })).unwrap_or_default() + "\n"
}

/// One run in some lines.
fn shown(folder: &Path, args: &ShowRunArgs, terminal: Terminal) -> Result<String, CommandError> {
    let place = match &args.name {
        Some(name) => found(folder, name)?,
        None => newest(folder).ok_or_else(|| {
            usage!("no run is kept in {}; name a folder that holds one", path_shown(folder))
        })?,
    };
    let record = recorded(&place)?;
    let one = read(place.clone());
    let is_there = |file: &&str| host::is_there(&place.join(file));
    let kept = one_run::Kept {
        folder: &path_shown(&place),
        when: one.as_ref().and_then(|one| one.when.as_deref()),
        bytes: one.as_ref().map_or(0, |one| one.bytes),
        reports: &REPORTS.into_iter().filter(is_there).collect::<Vec<_>>(),
        left: left(&record, &record.devices).len(),
    };
    let style = TextStyle { color: terminal.color, ascii: !terminal.unicode, width: terminal.width };
    Ok(match args.format {
        ListingFormat::Table => one_run::told(&record, &kept, style),
        ListingFormat::Json => one_run::json(&record, &kept),
    })
}

/// The folder of a run by its name, or as it is.
///
/// # Errors
/// There is none: which are near.
pub fn found(folder: &Path, name: &Path) -> Result<PathBuf, CommandError> {
    let below = folder.join(name);
    let place = [below, name.to_owned()].into_iter().find(|place| host::is_there(&place.join(LOG)));
    place.ok_or_else(|| {
        let all: Vec<String> = kept(folder).into_iter().map(|one| one.name).collect();
        let known: Vec<&str> = all.iter().map(String::as_str).collect();
        let near = nearest::meant(&name.to_string_lossy(), &known, 3);
        let near = if near.is_empty() {
            "`farmjank runs` lists them".to_owned()
        } else {
            format!("there is {}", near.join(", "))
        };
        usage!("no run is called {}; {near}", path_shown(name))
    })
}

/// How a run ended, by its exit code.
fn ending(code: Option<u8>) -> String {
    match code {
        Some(0) => "passed".to_owned(),
        Some(1) => "failed".to_owned(),
        Some(3) => "lab fault".to_owned(),
        Some(4) => "undecided".to_owned(),
        Some(5) => "nothing".to_owned(),
        Some(EXIT_INTERRUPTED | EXIT_TERMINATED) => "interrupted".to_owned(),
        Some(other) => format!("exit {other}"),
        None => "unfinished".to_owned(),
    }
}

fn count(runs: usize) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

fn room(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn pruned(folder: &Path, args: &PruneRunsArgs) -> Result<String, CommandError> {
    let most = age(&args.keep).map_err(|why| format!("--keep: {why}"))?;
    let now = host::wall();
    let old =
        |one: &Kept| one.when.as_deref().and_then(|when| since(when, &now)).is_some_and(|age| age > most);
    let gone: Vec<Kept> = kept(folder).into_iter().filter(old).collect();
    let what = if args.dry_run { "would remove" } else { "removed" };
    let mut out = String::new();
    for one in &gone {
        if !args.dry_run {
            Bundle::remove(&one.folder)?;
            host::remove_empty(&one.folder);
        }
        out += &format!("{what} {}, {}\n", farmjank_reporters::clean::line(&one.name, NAME), room(one.bytes));
    }
    let freed: u64 = gone.iter().map(|one| one.bytes).sum();
    Ok(match gone.len() {
        0 => format!("no run in {} is older than {}\n", path_shown(folder), args.keep),
        many => out + &format!("{}, {}\n", count(many), room(freed)),
    })
}

/// Removes runs by name or folder; none when one of them is no run.
fn removed(folder: &Path, names: &[PathBuf]) -> Result<String, CommandError> {
    let found: Result<Vec<PathBuf>, CommandError> = names.iter().map(|name| found(folder, name)).collect();
    let found = found.map_err(|why| format!("{why}; nothing was removed"))?;
    for place in &found {
        Bundle::remove(place)?;
        host::remove_empty(place);
    }
    Ok(found.iter().map(|place| format!("removed {}\n", path_shown(place))).collect())
}
