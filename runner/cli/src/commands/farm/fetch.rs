//! `farmjank farm fetch`: the bundle of a run that others began, once it is over, as whoever conducts it has it.

use super::reading::{Opened, opened};
use crate::args::FarmFetchArgs;
use crate::command_error::usage;
use crate::commands::run::reporters;
use crate::farm::failed;
use crate::host::{Bundle, Streams, is_there, signals};
use crate::settings::{Terminal, refuse, time};
use farmjank_engine::scribe::{LOG, Voice};
use farmjank_leaf::text::name as shown;
use farmjank_results::fault::Fault;
use farmjank_results::verdict::Verdict;
use farmjank_shifts::conductor::Outputs;
use farmjank_shifts::conductor::reading::Progress;
use std::rc::Rc;
use std::time::Duration;

/// How long the farm may be away where nothing is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Fetches; the exit code is that of the run.
pub async fn run(args: &FarmFetchArgs, terminal: Terminal) -> u8 {
    let wait = match time(&args.wait) {
        Ok(wait) => wait,
        Err(why) => return refuse(&usage!("--wait: {why}")),
    };
    if is_there(&args.out.join(LOG)) && !args.overwrite {
        let what = "holds a run already; give --out another folder, or let it go with --overwrite";
        return refuse(&usage!("{} {what}", shown(&args.out)));
    }
    signals::hear();
    signals::leave_at_once(true);
    let farm = (args.farm.as_str(), &args.of);
    let read = async {
        let mut run = opened(farm, &args.run, "fetch", wait.max(PATIENCE)).await?;
        let progress = run.reading.read(wait).await?;
        Ok::<_, Fault>((run, progress))
    };
    match read.await {
        Ok((run, progress)) if progress.over => written(args, terminal, run).await,
        Ok((_, progress)) => under_way(args, wait, &progress),
        Err(fault) => failed(&fault),
    }
}

/// It is not over: how far it is, and what to do.
fn under_way(args: &FarmFetchArgs, wait: Duration, progress: &Progress) -> u8 {
    let (run, words, after) = (&args.run, progress.words(), if wait.is_zero() { "" } else { " still" });
    let attach = format!("`farmjank run --farm {} --attach {run}`", args.farm);
    let next = match (progress.stuck(), progress.conducted) {
        (Some(why), _) => format!("{why}; {attach} conducts it to its end, without hosts that stay away"),
        (None, true) => "its hosts measure, and somebody conducts it; `--wait 40m` waits for it".to_owned(),
        (None, false) => "its hosts measure by themselves; `--wait 40m` waits for it".to_owned(),
    };
    Streams.err(&format!("error: run {run} is{after} under way: {words}; {next}\n"));
    Verdict::Broken.exit_code()
}

/// It is over: its bundle.
async fn written(args: &FarmFetchArgs, terminal: Terminal, run: Opened) -> u8 {
    let begun = || {
        if args.overwrite {
            Bundle::remove(&args.out)?;
        }
        Bundle::create(&args.out)
    };
    let bundle = match begun() {
        Ok(bundle) => Rc::new(if run.lab.is_some() { bundle } else { bundle.durable() }),
        Err(why) => return refuse(&why),
    };
    let kept = bundle.clone();
    let outputs = Outputs {
        files: bundle,
        keep: Some(Box::new(move |path, bytes| kept.keep(path, bytes))),
        reporters: reporters((args.quiet, false), &[], Vec::new(), terminal, &args.out),
        against: run.against,
        evidence: run.evidence,
    };
    match run.reading.told(outputs).await {
        Ok(record) => record.and_then(|record| record.exit_code).unwrap_or(Verdict::Broken.exit_code()),
        Err(fault) => failed(&fault),
    }
}
