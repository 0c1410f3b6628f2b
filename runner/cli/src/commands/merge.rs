//! `farmjank merge`: the bundles of shards become the bundle that one run would have left.

use crate::args::MergeArgs;
use crate::baselines::age;
use crate::command_error::{CommandError, usage};
use crate::commands::run::{against, reporters};
use crate::history::{self, Keeper};
use crate::host::{self, Bundle, Streams};
use crate::report_targets::{ReportRequest, make_way, requests};
use crate::settings::{Terminal, complain, refuse};
use farmjank_engine::conduct::Against;
use farmjank_engine::merged::{MergeSetup, write};
use farmjank_engine::scribe::{LOG, Voice};
use farmjank_leaf::text::name as shown;
use farmjank_results::event::{Event, Fact};
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_results::record::Record;
use farmjank_results::shards::merge::{self, Merged, merge};
use farmjank_results::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Largest evidence file read.
const MOST: u64 = 4 << 30;
/// Files named in a complaint.
const NAMED: usize = 3;

/// What the flags and the bundles come to, before anything is written.
struct Prepared {
    merged: Merged,
    requests: Vec<ReportRequest>,
    against: Option<Box<Against>>,
}

/// Merges bundles; the exit code is that of all of them together.
pub fn run(args: &MergeArgs, terminal: Terminal) -> u8 {
    let Prepared { merged, requests, against } = match prepared(args) {
        Ok(prepared) => prepared,
        Err(why) => return refuse(&why),
    };
    let bundle = match taken(args) {
        Ok(bundle) => bundle,
        Err(why) => return refuse(&why),
    };
    match copied(&merged.evidence, &args.runs, &bundle) {
        Ok(missing) => tell_missing(&missing, merged.evidence.len()),
        Err(why) => {
            // Half a bundle would look like a run that was cut off.
            drop(bundle);
            drop(host::remove_file(&args.out.join(LOG)));
            complain(why);
            return Verdict::Broken.exit_code();
        }
    }
    let reporters = reporters((true, false), &requests, Vec::new(), terminal, &args.out);
    let (files, voice) = (Rc::new(bundle), Rc::new(Streams));
    let record = write(MergeSetup { merged, files, voice, reporters, against });
    record.exit_code.unwrap_or(Verdict::Broken.exit_code())
}

fn prepared(args: &MergeArgs) -> Result<Prepared, CommandError> {
    let mut requests = requests(&args.reporter)?;
    requests.extend(args.junit.iter().map(|path| ReportRequest { name: "junit", path: Some(path.clone()) }));
    let logs: Vec<(String, Record, Vec<Event>)> =
        args.runs.iter().map(|run| log(run)).collect::<Result<_, _>>()?;
    let bundles: Vec<merge::Bundle> =
        logs.iter().map(|(name, record, events)| merge::Bundle { name, record, events }).collect();
    let merged = merge(&bundles).map_err(|why| why.to_string())?;
    let against = held(args, &merged)?;
    make_way(&requests)?;
    Ok(Prepared { merged, requests, against })
}

fn log(run: &Path) -> Result<(String, Record, Vec<Event>), CommandError> {
    let bytes = Bundle::open(run).log()?;
    let read = Record::read_ndjson(&bytes);
    let (record, events) = read.map_err(|bad| FileError::content(&run.join(LOG), bad))?;
    Ok((shown(run), record, events))
}

/// What all of it is held against. A comparison of one shard says nothing of all: it is made anew, or nothing is.
fn held(args: &MergeArgs, merged: &Merged) -> Result<Option<Box<Against>>, CommandError> {
    let Some(named) = &args.baseline else {
        let names: Vec<&str> = merged.baselines.iter().map(String::as_str).collect();
        return match &*names {
            [] => Ok(None),
            names => Err(usage!(
                "these runs were held against {}; say it again (--baseline), so that all phones are compared together",
                names.join(" and ")
            )),
        };
    };
    let most = age(&args.age.max_age).map_err(|why| format!("--max-age: {why}"))?;
    let real = merged.facts.iter().any(|told| matches!(told.fact, Fact::RunStarted { lab: None, .. }));
    let place = args.history.as_deref().or(real.then_some(history::PLACE));
    let mut keeper = place.map(|place| Keeper::new(place, BTreeMap::new())).transpose()?;
    let jobs = merged.facts.iter().find_map(|told| match &told.fact {
        Fact::PlanMade { jobs, .. } => Some(jobs),
        _ => None,
    });
    let names: BTreeSet<String> = jobs.into_iter().flatten().map(|job| job.scenario.clone()).collect();
    let store = keeper.as_mut().and_then(Keeper::store);
    Ok(Some(against(named, store, most, &names, args.one_session)?))
}

/// The folder that is written into: none of those that are read.
fn taken(args: &MergeArgs) -> Result<Bundle, CommandError> {
    if let Some(run) = args.runs.iter().find(|run| host::same_place(run, &args.out)) {
        return Err(usage!("--out: {} is one of the bundles; give another folder", shown(run)));
    }
    if args.overwrite {
        Bundle::remove(&args.out)?;
    }
    Bundle::create(&args.out)
}

/// Copies the files the facts name; gives those that are not there.
fn copied(
    evidence: &BTreeMap<String, usize>,
    runs: &[PathBuf],
    to: &Bundle,
) -> Result<Vec<PathBuf>, CommandError> {
    let from: Vec<Bundle> = runs.iter().map(|run| Bundle::open(run)).collect();
    let mut missing = Vec::new();
    for (path, number) in evidence {
        match from[*number].copy(path, MOST, to) {
            Ok(()) => {}
            Err(error) if matches!(error.why, FileProblem::Missing) => missing.push(runs[*number].join(path)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(missing)
}

fn tell_missing(missing: &[PathBuf], all: usize) {
    if missing.is_empty() {
        return;
    }
    let names: Vec<String> = missing.iter().take(NAMED).map(|path| shown(path)).collect();
    let more = if missing.len() > NAMED { " …" } else { "" };
    Streams.err(&format!(
        "{} of {all} files of evidence are not there and are left out: {}{more}\n",
        missing.len(),
        names.join(", ")
    ));
}
