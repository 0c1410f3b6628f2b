//! A run over the hosts of a farm, conducted from here.

use super::inputs::RunInputs;
use super::options::{OfLab, options, placed};
use super::place::{Place, own_id};
use super::{heard, no_phones, reporters, tell_left, watched};
use crate::args::RunArgs;
use crate::command_error::CommandError;
use crate::farm::connected;
use crate::files_read::FilesRead;
use crate::host::{self, Streams};
use crate::plugin_targets;
use crate::settings::{Terminal, refuse, time};
use crate::ui::Ui;
use crate::wiring;
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::Stop;
use farmjank_results::fault::Fault;
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::exchange::Exchange;
use farmjank_shifts::conductor::{self, Setup};
use farmjank_shifts::note::{Host, hosts};
use farmjank_shifts::shift::Asked;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Between two looks for hosts that are waited for.
const AGAIN: Duration = Duration::from_millis(250);

/// What hosts are told of the flags.
fn asked(args: &RunArgs, options: &farmjank_engine::options::Options) -> Asked {
    Asked {
        iterations: args.select.iterations,
        warmup: args.select.warmup,
        prepare: args.select.prepare.clone(),
        beside: args.select.beside.clone(),
        debuggable_meant: args.allow_debuggable,
        retries: args.retries,
        recover: options.patience.recover,
        reboots_per_day: options.patience.reboots_per_day,
        causes: options.diagnose.word().to_owned(),
        stacks: args.methods.stacks,
        screens: args.screens,
        no_witnesses: args.no_witnesses,
        jobs: args.jobs,
        priority: args.priority.word().to_owned(),
    }
}

/// The run itself, and who watches it; or the exit code when there was none.
pub async fn conducted(
    args: &RunArgs,
    terminal: Terminal,
    scenarios: Vec<Scenario>,
    mut inputs: RunInputs,
    noted: &FilesRead,
) -> Result<(Record, Option<Ui>, PathBuf), u8> {
    let refused = |why: CommandError| refuse(&why);
    let texts = noted.texts().map_err(|why| refuse(&why.into()))?;
    let patience = time(&args.over.farm_patience).map_err(refused)?;
    let wait = time(&args.phones.wait_for_devices).map_err(refused)?;
    let url = args.over.farm.as_deref().unwrap_or_default();
    let own = own_id();
    let exchange: Rc<dyn Exchange> = connected(url, &args.over.of, "run", true).await.map_err(failed)?;
    let lab = args.phones.lab.as_deref().map(|name| wiring::lab(name, args.phones.seed)).transpose();
    let lab = lab.map_err(|fault| no_phones(&fault))?.map(|lab| (lab.name.clone(), lab.seed));
    let plays = lab.as_ref().map(|(name, seed)| (name.as_str(), *seed));
    let mut found = awaited(&*exchange, &args.over.of.team, plays, wait).await.map_err(failed)?;
    let serials = &inputs.wanted.serials;
    for host in &mut found {
        host.phones.retain(|phone| serials.is_empty() || serials.contains(&phone.id.0));
    }
    let of = OfLab { seed: plays.map_or(0, |(_, seed)| seed), lab: lab.map(|(name, _)| name) };
    let Place { run, root, bundle, .. } = placed(args, &scenarios, &inputs, &of)?;
    let (ui, stop) = (watched(args, &root).map_err(refused)?, Stop::default());
    host::signals::listen(stop.clone());
    let (requests, plugins) = (std::mem::take(&mut inputs.requests), std::mem::take(&mut inputs.plugins));
    if plugin_targets::hooks(&plugins, args.phones.lab.is_some()).are_wanted() {
        return Err(refuse(
            &"--farm: plugins that are asked before jobs and trials are not asked over a farm yet".into(),
        ));
    }
    let (against, options) = options(args, run, of, inputs);
    let files = Rc::new(bundle);
    let kept = files.clone();
    let setup = Setup {
        asked: asked(args, &options),
        options,
        scenarios,
        texts,
        hosts: found,
        exchange,
        key: own,
        patience,
        files,
        keep: Box::new(move |path, bytes| kept.keep(path, bytes)),
        voice: Rc::new(Streams),
        reporters: reporters(heard(args), &requests, plugins, terminal, &root),
        against,
        stop,
    };
    let record = conductor::run(setup).await.map_err(failed)?;
    tell_left(args, &record, &root);
    Ok((record, ui, root))
}

/// The hosts with phones, once there are any.
async fn awaited(
    exchange: &dyn Exchange,
    team: &str,
    lab: Option<(&str, u64)>,
    wait: Duration,
) -> Result<Vec<Host>, Fault> {
    let until = Instant::now() + wait;
    loop {
        match hosts(exchange, team, lab).await {
            Ok(found) if !found.is_empty() || Instant::now() >= until => return Ok(found),
            Err(fault) if Instant::now() >= until => return Err(fault),
            _ => sleep(AGAIN).await,
        }
    }
}

fn failed(fault: Fault) -> u8 {
    match CommandError::from(fault.clone()) {
        why if fault.blame == farmjank_results::fault::Blame::Scenario => refuse(&why),
        why => {
            Streams.err(&format!("error: {why}\n"));
            Verdict::Broken.exit_code()
        }
    }
}
