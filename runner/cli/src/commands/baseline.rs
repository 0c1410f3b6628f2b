//! `farmjank baseline`: what runs are held against. A baseline moves only on two runs that passed against it, or by a
//! named person with a reason; both stay on record in the file.

use crate::args::{
    AcceptArgs, BaselineArgs, BaselineCommand, ExportArgs, ImportArgs, NameArgs, PruneArgs, SaveArgs,
};
use crate::baselines::{age, list, path, read, recorded, since};
use crate::command_error::{CommandError, usage};
use crate::history;
use crate::host::{self, Streams};
use crate::settings::{Terminal, refuse};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::name as shown;
use farmjank_reporters::clean;
use farmjank_results::cell::CellSession;
use farmjank_results::compare::{Baseline, MINIMUM, Measured, Move};
use farmjank_results::file_error::FileError;
use farmjank_results::record::Record;
use farmjank_results::rerun::to_keep;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Longest name or reason shown.
const SHOWN: usize = 120;

/// What became of it.
type Done = Result<String, CommandError>;

/// Does it.
pub fn run(args: &BaselineArgs, _: Terminal) -> u8 {
    match done(args) {
        Ok(text) => {
            Streams.out(&text);
            0
        }
        Err(error) => refuse(&error),
    }
}

fn done(args: &BaselineArgs) -> Done {
    let folder = &args.dir;
    let store = args.history.as_deref();
    match &args.command {
        BaselineCommand::Save(args) => save(folder, args).and_then(|made| written(made, store)),
        BaselineCommand::Accept(args) => accept(folder, args).and_then(|made| written(made, store)),
        BaselineCommand::Import(args) => import(folder, args).and_then(|made| written(made, store)),
        BaselineCommand::List => listed(folder, store),
        BaselineCommand::Show(args) => show(folder, args),
        BaselineCommand::Prune(args) => prune(folder, args),
        BaselineCommand::Export(args) => export(folder, args, store),
    }
}

/// A baseline to be written, where, and what was done to it.
struct Made {
    file: PathBuf,
    baseline: Baseline,
    what: &'static str,
}

fn save(folder: &Path, args: &SaveArgs) -> Result<Made, CommandError> {
    let file = path(folder, &args.name)?;
    if file.exists() {
        let name = &args.name;
        let advice = format!("`farmjank baseline accept {name} RUN…` moves it");
        return Err(usage!("there is a baseline `{name}` already; {advice}"));
    }
    let runs = records(&args.runs)?;
    let by =
        args.by.clone().or_else(|| host::env("USER")).or_else(|| host::env("LOGNAME")).unwrap_or_default();
    let made = Baseline::new(&args.name, step(by, args.why.clone(), &runs), all(&runs));
    Ok(Made { file, baseline: made.map_err(|why| why.to_string())?, what: "saved" })
}

fn accept(folder: &Path, args: &AcceptArgs) -> Result<Made, CommandError> {
    let file = known(folder, &args.name)?;
    let old = read(&file)?;
    let runs = records(&args.runs)?;
    let (by, why) = match (&args.by, &args.why) {
        (Some(by), Some(why)) if !by.trim().is_empty() && !why.trim().is_empty() => (by.clone(), why.clone()),
        (Some(_), _) | (_, Some(_)) => return Err("--by and --why must say something".into()),
        (None, None) => {
            old.confirmed(&runs.iter().collect::<Vec<_>>())
                .map_err(|why| CommandError::Unconfirmed(why.to_string()))?;
            ("farmjank".to_owned(), "two runs passed against it".to_owned())
        }
    };
    let from = if args.fresh { Baseline { sessions: Vec::new(), ..old } } else { old };
    let moved = from.moved(step(by, why, &runs), all(&runs)).map_err(|why| why.to_string())?;
    Ok(Made { file, baseline: moved, what: "moved" })
}

fn records(runs: &[PathBuf]) -> Result<Vec<Record>, CommandError> {
    let records = runs.iter().map(|run| recorded(run)).collect::<Result<Vec<_>, FileError>>()?;
    let unfinished = records.iter().zip(runs).find(|(record, _)| record.verdict.is_none());
    match unfinished {
        Some((_, run)) => Err(usage!("{}: this run was cut off before it was judged", shown(run))),
        None => Ok(records),
    }
}

fn all(runs: &[Record]) -> Vec<Measured> {
    runs.iter().flat_map(to_keep).collect()
}

fn step(by: String, why: String, runs: &[Record]) -> Move {
    let runs = runs.iter().map(|run| run.header.run.clone()).collect();
    Move { wall: host::wall(), by, why, runs }
}

/// Writes a baseline, pins it in the history where one is named, and says what it is good for.
fn written(made: Made, store: Option<&str>) -> Done {
    let Made { file, baseline, what } = made;
    let mut store = store.map(history::open).transpose()?;
    host::write_file(&file, baseline.text().as_bytes())?;
    if let Some(store) = &mut store {
        history::pin(&mut *store, &baseline)?;
    }
    let cells = cells(&baseline);
    let ready = cells.values().filter(|sessions| **sessions >= MINIMUM).count();
    let name = &baseline.name;
    let mut text = format!("{what} baseline {name}: {} in {}\n", several(cells.len(), "cell"), shown(&file));
    if ready < cells.len() {
        let few = cells.len() - ready;
        text += &format!(
            "{} fewer than {MINIMUM} sessions: a run held against them is undecided until there are so many\n",
            if few == 1 { "1 cell has".to_owned() } else { format!("{few} cells have") }
        );
    }
    Ok(text + &next(name, MINIMUM - cells.values().copied().min().unwrap_or_default().min(MINIMUM)))
}

/// What there is to do once a baseline is pinned that lacks so many sessions.
fn next(name: &str, lacks: usize) -> String {
    let again = match lacks {
        0 => {
            return format!(
                "next:\n  farmjank run … --baseline {name}   holds a run against it, the other flags as before\n"
            );
        }
        1 => "once".to_owned(),
        many => format!("{many} times"),
    };
    format!(
        "next:\n  farmjank run …   {again} more with the same build, the flags as before\n  \
           farmjank baseline accept {name} RUN… --by NAME --why REASON   adds them\n"
    )
}

/// Primary cells with how many sessions each has.
fn cells(baseline: &Baseline) -> BTreeMap<(String, String, String), usize> {
    let mut found: BTreeMap<_, BTreeMap<&str, usize>> = BTreeMap::new();
    for CellSession { key, .. } in &baseline.sessions {
        let place = (key.model.clone(), key.scenario.clone(), key.window.clone());
        *found.entry(place).or_default().entry(key.metric.as_str()).or_default() += 1;
    }
    found
        .into_iter()
        .map(|(place, metrics)| (place, metrics.into_values().max().unwrap_or_default()))
        .collect()
}

fn known(folder: &Path, name: &str) -> Result<PathBuf, CommandError> {
    let file = path(folder, name)?;
    if file.is_file() {
        return Ok(file);
    }
    let names: Vec<String> = list(folder).into_iter().map(|(name, _)| name).collect();
    let there = if names.is_empty() {
        "there are none yet".to_owned()
    } else {
        format!("there are: {}", names.join(", "))
    };
    Err(usage!("no baseline `{name}` in {}; {there}", shown(folder)))
}

fn listed(folder: &Path, store: Option<&str>) -> Done {
    let all = list(folder);
    let mut text = String::new();
    if all.is_empty() {
        let advice = "pin one with `farmjank baseline save NAME RUN…`";
        text += &format!("no baseline in {}; {advice}\n", shown(folder));
    }
    if let Some(place) = store {
        for (name, pin, sessions) in history::pins(&mut history::open_existing(place)?)? {
            let (name, sessions) = (clean::line(&name, 24), several(sessions, "session"));
            text += &format!("{name:<24} {}, {sessions} in the history\n", moved(Some(&pin)));
        }
    }
    for (name, file) in all {
        match read(&file) {
            Ok(baseline) => {
                let phones: BTreeSet<&str> =
                    baseline.sessions.iter().map(|session| session.key.model.as_str()).collect();
                let cells = cells(&baseline);
                let fewest = cells.values().min().copied().unwrap_or_default();
                text += &format!(
                    "{name:<24} {}, {} cells on {} models, {} or more sessions each\n",
                    moved(baseline.moves.last()),
                    cells.len(),
                    phones.len(),
                    fewest
                );
            }
            Err(why) => text += &format!("{name:<24} unreadable: {}\n", clean::line(&why.to_string(), SHOWN)),
        }
    }
    Ok(text)
}

fn moved(step: Option<&Move>) -> String {
    let Some(step) = step else { return "never pinned".to_owned() };
    let day: String = step.wall.chars().take(10).collect();
    let by = if step.by.is_empty() { String::new() } else { format!(" by {}", clean::line(&step.by, SHOWN)) };
    let why =
        if step.why.is_empty() { String::new() } else { format!(" ({})", clean::line(&step.why, SHOWN)) };
    format!("{}{by}{why}", clean::line(&day, 10))
}

fn show(folder: &Path, args: &NameArgs) -> Done {
    let baseline = read(&known(folder, &args.name)?)?;
    let mut text = format!("{}\n", args.name);
    for step in &baseline.moves {
        text += &format!("  {}: {}\n", moved(Some(step)), several(step.runs.len(), "run"));
    }
    let mut model = String::new();
    for ((phone, scenario, window), sessions) in cells(&baseline) {
        if phone != model {
            text += &format!("\n{}\n", clean::line(&phone, SHOWN));
            model = phone;
        }
        let few = if sessions < MINIMUM { format!(", {MINIMUM} are needed") } else { String::new() };
        let [scenario, window] = [scenario, window].map(|name| clean::line(&name, SHOWN));
        text += &format!("  {scenario} › {window}: {}{few}\n", several(sessions, "session"));
    }
    Ok(text)
}

fn prune(folder: &Path, args: &PruneArgs) -> Done {
    let most = age(&args.older_than).map_err(|why| format!("--older-than: {why}"))?;
    let now = host::wall();
    let mut text = String::new();
    for (name, file) in list(folder) {
        let Ok(baseline) = read(&file) else { continue };
        let last = baseline.moves.last();
        if last.and_then(|step| since(&step.wall, &now)).is_some_and(|age| age > most) {
            let what = if args.dry_run { "would remove" } else { "removed" };
            if !args.dry_run {
                host::remove_file(&file)?;
            }
            text += &format!("{what} {name}, last moved {}\n", moved(last));
        }
    }
    Ok(if text.is_empty() { "nothing is that old\n".to_owned() } else { text })
}

fn export(folder: &Path, args: &ExportArgs, store: Option<&str>) -> Done {
    let pinned = match store {
        None => None,
        Some(place) => history::pinned(&mut history::open_existing(place)?, &args.name)?,
    };
    let text = match pinned {
        Some(baseline) => baseline.text(),
        None => read(&known(folder, &args.name)?)?.text(),
    };
    match &args.file {
        None => Ok(text),
        Some(file) => {
            host::write_file(file, text.as_bytes())?;
            Ok(format!("wrote {}\n", shown(file)))
        }
    }
}

fn import(folder: &Path, args: &ImportArgs) -> Result<Made, CommandError> {
    let baseline = read(&args.file)?;
    let name = args.name.clone().unwrap_or_else(|| baseline.name.clone());
    let file = path(folder, &name)?;
    if file.exists() && !args.replace {
        return Err(usage!("there is a baseline `{name}` already; give --name or --replace"));
    }
    Ok(Made { file, baseline: Baseline { name, ..baseline }, what: "imported" })
}

fn several(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
