//! A run over the hosts of a farm, conducted from here.

use super::inputs::RunInputs;
use super::options::{OfLab, options, placed};
use super::place::{Place, begun, own_id, run_id};
use super::{heard, no_phones, reporters, watched};
use crate::args::RunArgs;
use crate::command_error::CommandError;
use crate::farm::{connected, failed};
use crate::files_read::FilesRead;
use crate::host::{self, Bundle, Spilled, Streams};
use crate::plugin_targets;
use crate::scenarios::of_shift;
use crate::settings::{Terminal, refuse, time};
use crate::ui::Ui;
use crate::wiring;
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::Stop;
use farmjank_farm::subjects::word;
use farmjank_leaf::text::line;
use farmjank_results::fault::Fault;
use farmjank_results::record::Record;
use farmjank_results::verdict::{EXIT_INTERRUPTED, EXIT_TERMINATED};
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::exchange::Exchange;
use farmjank_shifts::brought::{Brought, FileBytes, MethodFiles};
use farmjank_shifts::conductor::{self, Commission, Desk, Found, Outputs};
use farmjank_shifts::note::{Host, hosts, listed};
use farmjank_shifts::shift::{Asked, ForPhones};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Between two looks for hosts that are waited for.
const AGAIN: Duration = Duration::from_millis(250);

/// So many hosts are named.
const TOLD: usize = 8;

/// What hosts are told of the flags.
fn asked(args: &RunArgs, options: &farmjank_engine::options::Options, methods: &MethodFiles) -> Asked {
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
        builds: options.installs.iter().map(Brought::of).collect(),
        mapping: methods.mapping.as_ref().map(FileBytes::brought),
        owners: methods.owners.as_ref().map(FileBytes::brought),
        evidence: args.over.evidence.unwrap_or_default(),
        fail_fast: args.fail_fast,
        for_phones: args.select.for_phones.iter().map(ForPhones::of).collect(),
        beyond: BTreeMap::new(),
        without_limits: args.aside || options.ab_plan.as_ref().is_some_and(|plan| plan.builds.is_none()),
        deadline: options.deadline.map(|deadline| deadline.given),
    }
}

/// The farm, and a run on it.
struct OnFarm {
    exchange: Rc<dyn Exchange>,
    patience: Duration,
    stop: Stop,
}

impl OnFarm {
    async fn of(args: &RunArgs) -> Result<OnFarm, u8> {
        let patience = time(&args.over.farm_patience).map_err(|why| refuse(&why))?;
        let url = args.over.farm.as_deref().unwrap_or_default();
        let exchange = connected(url, &args.over.of, "run", true).await.map_err(|fault| failed(&fault))?;
        Ok(OnFarm { exchange, patience, stop: Stop::default() })
    }

    fn desk(self, key: String) -> Desk {
        let OnFarm { exchange, patience, stop } = self;
        let aside = Rc::new(Spilled::anywhere());
        Desk { exchange, key, owner: own_id(), patience, voice: Rc::new(Streams), stop, aside }
    }
}

/// What becomes of a run over a farm.
pub enum Conducted {
    /// It came to its end: what happened, and who watches it.
    Over(Box<Record>, Option<Ui>, PathBuf),
    /// It goes on without this process.
    GoesOn,
}

/// The run itself, or the exit code when there was none.
pub async fn conducted(
    args: &RunArgs,
    terminal: Terminal,
    scenarios: Vec<Scenario>,
    (inputs, methods): (RunInputs, MethodFiles),
    noted: &FilesRead,
) -> Result<Conducted, u8> {
    let refused = |why: CommandError| refuse(&why);
    let texts = noted.texts().map_err(|why| refuse(&why.into()))?;
    let wait = time(&args.phones.wait_for_devices).map_err(refused)?;
    let farm = OnFarm::of(args).await?;
    let lab = args.phones.lab.as_deref().map(|name| wiring::lab(name, args.phones.seed)).transpose();
    let lab = lab.map_err(|fault| no_phones(&fault))?.map(|lab| (lab.name.clone(), lab.seed));
    let plays = lab.as_ref().map(|(name, seed)| (name.as_str(), *seed));
    let mut hosts =
        awaited(&*farm.exchange, &args.over.of.team, plays, wait).await.map_err(|fault| failed(&fault))?;
    if hosts.is_empty() {
        Streams.err(&nobody(&*farm.exchange, &args.over.of.team, plays).await);
    }
    let objects = args.over.of.farm_objects.as_deref();
    hosts.iter().try_for_each(|host| host.leaves_at(objects)).map_err(|fault| failed(&fault))?;
    let serials = &inputs.wanted.serials;
    for host in &mut hosts {
        host.phones.retain(|phone| serials.is_empty() || serials.contains(&phone.id.0));
    }
    let of = OfLab { seed: plays.map_or(0, |(_, seed)| seed), lab: lab.map(|(name, _)| name) };
    if plugin_targets::hooks(&inputs.plugins, args.phones.lab.is_some()).are_wanted() {
        return Err(refuse(
            &"--farm: plugins that are asked before jobs and trials, or about windows, are not asked over a farm yet".into(),
        ));
    }
    if plugin_targets::lend(&inputs.plugins) {
        return Err(refuse(
            &"--farm: phones are those of its agents; a plugin that lends phones is an agent's (`farmjank agent --plugin`)"
                .into(),
        ));
    }
    if args.over.detach {
        let (run, key) = ids(&of, run_id(of.lab.as_deref(), of.seed));
        let (_, options) = options(args, run, of, inputs);
        let commission =
            Commission { asked: asked(args, &options, &methods), options, scenarios, texts, methods, hosts };
        return detached(args, commission, farm.desk(key)).await;
    }
    let Place { run, root, bundle, .. } = placed(args, &scenarios, &inputs, &of)?;
    let ui = watched(args, &root).map_err(refused)?;
    host::signals::listen(farm.stop.clone());
    let (run, key) = ids(&of, run);
    if key != run && !args.quiet {
        Streams.err(&format!("{run} is called {key} on the farm\n"));
    }
    let (inputs, outputs) = outputs(args, terminal, inputs, bundle, &root);
    let (against, options) = options(args, run, of, inputs);
    let commission =
        Commission { asked: asked(args, &options, &methods), options, scenarios, texts, methods, hosts };
    let outputs = Outputs { against, ..outputs };
    let record = conductor::run(commission, farm.desk(key), outputs).await.map_err(|fault| failed(&fault))?;
    Ok(Conducted::Over(Box::new(record), ui, root))
}

/// A run's id, and what it is called on the farm: simulated runs have the same id whenever they are run.
fn ids(of: &OfLab, run: String) -> (String, String) {
    let key = if of.lab.is_some() { own_id() } else { run.clone() };
    (run, key)
}

async fn detached(args: &RunArgs, commission: Commission, desk: Desk) -> Result<Conducted, u8> {
    let key = desk.key.clone();
    conductor::detach(commission, desk).await.map_err(|fault| failed(&fault))?;
    Streams.out(&format!("{key}\n"));
    if !args.quiet {
        let url = args.over.farm.as_deref().unwrap_or_default();
        let words =
            format!("{key} is measured now; `farmjank run --farm {url} --attach {key}` ends as it ends");
        Streams.err(&format!("{words}\n"));
    }
    Ok(Conducted::GoesOn)
}

/// A run that was begun elsewhere, as the farm knows it.
pub async fn found(args: &RunArgs, key: &str) -> Result<Found, u8> {
    let farm = OnFarm::of(args).await?;
    let desk = farm.desk(word("run", key).map_err(|fault| failed(&fault))?.to_owned());
    conductor::found(&desk).await.map_err(|fault| failed(&fault))
}

/// Its scenarios.
pub fn scenarios(found: &Found) -> Result<Vec<Scenario>, u8> {
    let read =
        found.scenarios().and_then(|all| all.map(|(texts, asked)| of_shift(&texts, &asked)).transpose());
    read.map(Option::unwrap_or_default).map_err(|fault| failed(&fault))
}

/// The same, to its end.
pub async fn attached(
    args: &RunArgs,
    terminal: Terminal,
    found: Found,
    inputs: RunInputs,
) -> Result<Conducted, u8> {
    let farm = OnFarm::of(args).await?;
    host::signals::listen(farm.stop.clone());
    let key = found.key().to_owned();
    let desk = farm.desk(key.clone());
    let (root, bundle) = begun(args, found.run()).map_err(|why| refuse(&why))?;
    let bundle = if found.lab().is_some() { bundle } else { bundle.durable() };
    let ui = watched(args, &root).map_err(|why| refuse(&why))?;
    let (inputs, outputs) = outputs(args, terminal, inputs, bundle, &root);
    let evidence = args.over.evidence.unwrap_or_else(|| found.evidence());
    let outputs = Outputs { against: inputs.against, evidence, ..outputs };
    let stop = desk.stop.clone();
    match conductor::attach(found, desk, outputs).await.map_err(|fault| failed(&fault))? {
        Some(record) => Ok(Conducted::Over(Box::new(record), ui, root)),
        None => {
            Streams.err(&format!("{key} goes on; `--attach {key}` takes it up again\n"));
            let by = stop.reason().unwrap_or_default();
            Err(if by == "SIGTERM" { EXIT_TERMINATED } else { EXIT_INTERRUPTED })
        }
    }
}

/// What comes of a run beside its exit code.
fn outputs(
    args: &RunArgs,
    terminal: Terminal,
    mut inputs: RunInputs,
    bundle: Bundle,
    root: &Path,
) -> (RunInputs, Outputs) {
    let (requests, plugins) = (std::mem::take(&mut inputs.requests), std::mem::take(&mut inputs.plugins));
    let files = Rc::new(bundle);
    let kept = files.clone();
    let outputs = Outputs {
        files,
        keep: Some(Box::new(move |path, bytes| kept.keep(path, bytes))),
        reporters: reporters(heard(args), &requests, plugins, terminal, root),
        against: None,
        evidence: args.over.evidence.unwrap_or_default(),
    };
    (inputs, outputs)
}

/// Who is there where nobody is who is wanted.
async fn nobody(exchange: &dyn Exchange, team: &str, lab: Option<(&str, u64)>) -> String {
    let wanted = match lab {
        Some((name, seed)) => format!("plays the lab {name} with seed {seed}"),
        None => "has phones".to_owned(),
    };
    let there = listed(exchange, team).await.unwrap_or_default();
    let told = there.iter().take(TOLD).map(|host| match &host.note.lab {
        Some(part) => format!("{} (lab {}, seed {})", line(&host.name, 60), line(&part.name, 60), part.seed),
        None => format!("{} ({} phones)", line(&host.name, 60), host.phones.len()),
    });
    let told: Vec<String> = told.collect();
    let there = match told.is_empty() {
        true => "no host of the team is there".to_owned(),
        false => format!("there are {}", told.join(", ")),
    };
    format!("no host of team {} {wanted}: {there} (`farmjank farm status`)\n", line(team, 60))
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
