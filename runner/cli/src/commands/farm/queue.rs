//! `farmjank farm queue`: the runs that are under way or wait, the most urgent first.

use super::WIDE;
use super::reading::desk;
use crate::args::{FarmQueueArgs, ListingFormat};
use crate::farm::reading;
use crate::host::Streams;
use farmjank_engine::scribe::Voice;
use farmjank_leaf::text::line;
use farmjank_results::fault::Fault;
use farmjank_shifts::conductor::reading::{PartSeen, Progress};
use farmjank_shifts::note::{Host, listed};
use farmjank_shifts::runs::{RunSeen, RunState, known, progress};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::time::Duration;

/// Version of the list for programs.
const FORMAT: u32 = 1;
/// How long the farm may be away.
const PATIENCE: Duration = Duration::from_secs(10);

/// A run that is not over.
struct Queued {
    run: RunSeen,
    progress: Result<Progress, Fault>,
    state: RunState,
}

/// Lists them.
pub async fn run(args: &FarmQueueArgs) -> Result<bool, Fault> {
    let exchange = reading(&args.farm, &args.of, "queue").await?;
    let (mut runs, mut lost) = (Vec::new(), Vec::new());
    for (name, seen) in known(&*exchange, |_, over| !over).await? {
        match seen {
            Ok(seen) if !seen.over => runs.push(seen),
            Ok(_) => {}
            Err(fault) => lost.push((name, fault)),
        }
    }
    let hosts = listed(&*exchange, &args.of.team).await?;
    let read = progress(&runs, |name| desk(exchange.clone(), name, PATIENCE)).await;
    let mut queued: Vec<Queued> = Vec::new();
    for (run, progress) in runs.into_iter().zip(read) {
        // Who conducts it may not have said yet that it is over.
        if progress.as_ref().is_ok_and(|progress| progress.over) {
            continue;
        }
        let state = progress.as_ref().map_or(RunState::Left, |progress| run.state(&hosts, progress));
        queued.push(Queued { run, progress, state });
    }
    queued.sort_by_key(|one| (Reverse(one.run.priority), since(&one.run), one.run.name.clone()));
    Streams.out(&match args.format {
        ListingFormat::Json => for_programs(&args.of.team, &queued, &hosts),
        ListingFormat::Table => table(&queued, &hosts),
    });
    for (name, fault) in lost {
        Streams.err(&format!(
            "run {} cannot be told: {}\n",
            line(&name, WIDE),
            line(&fault.to_string(), 400)
        ));
    }
    Ok(true)
}

/// When it began, or was taken up last, RFC 3339.
fn since(run: &RunSeen) -> String {
    let stamp = || jiff::Timestamp::from_nanosecond(i128::from(run.stamp)).unwrap_or_default();
    run.wall.clone().unwrap_or_else(|| stamp().strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

fn table(queued: &[Queued], hosts: &[Host]) -> String {
    if queued.is_empty() {
        return "no run is under way, and none waits\n".to_owned();
    }
    let head = ["RUN", "PRIORITY", "SINCE", "JUDGED", "STATE", "HOSTS"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = [head].into_iter().chain(queued.iter().map(|one| row(one, hosts))).collect();
    super::listing::table(&rows)
}

fn row(one: &Queued, hosts: &[Host]) -> Vec<String> {
    let since = line(&since(&one.run), 40).replace('T', " ").replace('Z', " UTC");
    let (jobs, of_hosts) = match &one.progress {
        Ok(progress) => {
            let sum = |of: fn(&PartSeen) -> usize| progress.parts.iter().map(of).sum::<usize>();
            let parts = progress.parts.iter().map(|part| of_part(part, &one.run, hosts));
            let jobs = format!("{} of {}", sum(|part| part.judged), sum(|part| part.jobs));
            (jobs, parts.collect::<Vec<_>>().join(", "))
        }
        Err(fault) => ("?".to_owned(), line(&fault.to_string(), 200)),
    };
    vec![line(&one.run.name, WIDE), one.run.priority.word().to_owned(), since, jobs, state(one), of_hosts]
}

fn state(one: &Queued) -> String {
    let conducted = one.progress.as_ref().is_ok_and(|progress| progress.conducted);
    let what = match one.state {
        RunState::UnderWay => "measured",
        RunState::Waiting => "waits",
        RunState::Left => "left",
    };
    let how = match (one.run.cancelled, conducted) {
        (true, _) => ", cancelled",
        (false, true) => ", conducted",
        (false, false) if one.run.stays => ", detached",
        (false, false) => ", its conductor is gone",
    };
    format!("{what}{how}")
}

fn of_part(part: &PartSeen, run: &RunSeen, hosts: &[Host]) -> String {
    format!(
        "{} {}/{}{}",
        line(&part.host, WIDE),
        part.judged,
        part.jobs,
        match does(part, run, hosts) {
            "away" => " (away)",
            "waits" => " (waits)",
            _ => "",
        }
    )
}

/// What a host does of a run: `done`, `away`, `measures`, `waits`; or nothing, where it has not heard of it.
fn does(part: &PartSeen, run: &RunSeen, hosts: &[Host]) -> &'static str {
    let host = hosts.iter().find(|host| host.name == part.host);
    let work = host.and_then(|host| host.note.works.iter().find(|work| work.run == run.name));
    match (part.over, part.there, work) {
        (true, _, _) => "done",
        (false, false, _) => "away",
        (false, true, Some(work)) if work.begun => "measures",
        (false, true, _) => "waits",
    }
}

fn for_programs(team: &str, queued: &[Queued], hosts: &[Host]) -> String {
    let one = |one: &Queued| {
        let run = &one.run;
        let parts = one.progress.iter().flat_map(|progress| &progress.parts).map(|part| {
            json!({ "host": part.host, "jobs": part.jobs, "judged": part.judged, "state": does(part, run, hosts) })
        });
        let progress = one.progress.as_ref().ok();
        let sum = |of: fn(&PartSeen) -> usize| progress.map(|all| all.parts.iter().map(of).sum::<usize>());
        json!({
            "run": run.name,
            "id": run.run,
            "lab": run.lab,
            "priority": run.priority.word(),
            "since": since(run),
            "state": match one.state {
                RunState::UnderWay => "measured",
                RunState::Waiting => "waits",
                RunState::Left => "left",
            },
            "conducted": progress.map(|progress| progress.conducted),
            "detached": run.stays,
            "cancelled": run.cancelled,
            "jobs": sum(|part| part.jobs),
            "judged": sum(|part| part.judged),
            "hosts": parts.collect::<Vec<Value>>(),
            "fault": one.progress.as_ref().err(),
        })
    };
    let all: Vec<Value> = queued.iter().map(one).collect();
    super::listing::pretty(&json!({ "format": FORMAT, "team": team, "runs": all }))
}
