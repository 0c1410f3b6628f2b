//! `farmjank agent`: this computer's phones, for runs of others.

use crate::args::AgentArgs;
use crate::command_error::{CommandError, usage};
use crate::commands::run::{TOOL, no_phones, told_by};
use crate::farm::{connected, failed};
use crate::host::agent_state::{AgentState, files_below, remove_folder, remove_old};
use crate::host::{self, Bundle, Spilled, Streams};
use crate::memory;
use crate::plugin_targets;
use crate::scenarios::of_shift;
use crate::settings::refuse;
use crate::wiring::lent::no_lab;
use crate::wiring::{self, lab, phones, probes_of_run};
use farmjank_bundle::reader::BundleReader;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_engine::survey::Wanted;
use farmjank_farm::subjects::word;
use farmjank_frames::ftrace::Methods;
use farmjank_leaf::text::name as shown;
use farmjank_process::limits::Patience;
use farmjank_process::reporter::Started;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::host::Files;
use farmjank_shifts::agent::{Setup, ShiftFiles, serve};
use farmjank_shifts::bench::{AttachedBench, Bench, LabBench};
use farmjank_shifts::brought::MethodFiles;
use farmjank_shifts::note::LabPart;
use farmjank_shifts::quota::{Most, Quota};
use farmjank_shifts::service::OutOfService;
use farmjank_shifts::sharing::Sharing;
use farmjank_shifts::shift::Asked;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::sleep;

/// The folder of what was measured, within an agent's.
const SHIFTS: &str = "shifts";
/// What is out of service, in an agent's folder.
const OUT: &str = "out-of-service.json";
/// Most bytes of that which are read.
const MOST_OUT: u64 = 16 << 20;
/// Between two looks at whether a plugin is still there.
const LOOKS: Duration = Duration::from_secs(1);
/// Largest file of evidence that is sent.
const MOST: u64 = 1 << 30;

/// Serves until it is told to end.
pub async fn run(args: &AgentArgs) -> u8 {
    match served(args).await {
        Ok(()) => 0,
        Err(NoAgent::Refused(why)) => refuse(&why),
        Err(NoAgent::Failed(fault)) => failed(&fault),
        Err(NoAgent::Phones(fault)) => no_phones(&fault),
    }
}

enum NoAgent {
    Refused(CommandError),
    Failed(Fault),
    Phones(Fault),
}

impl<E: Into<CommandError>> From<E> for NoAgent {
    fn from(why: E) -> Self {
        NoAgent::Refused(why.into())
    }
}

async fn served(args: &AgentArgs) -> Result<(), NoAgent> {
    word("host", &args.host).map_err(NoAgent::Failed)?;
    let part = part(args)?;
    let usual = || Path::new("results").join("agent").join(&args.host);
    let state = AgentState::taken(&args.state.clone().unwrap_or_else(usual))?;
    let stop = Stop::default();
    host::signals::listen(stop.clone());
    let plugins = plugin_targets::start(&args.lenders.plugin)?;
    let bench = match &part {
        Some(_) if !plugins.is_empty() => return Err(NoAgent::Phones(no_lab())),
        Some(part) => lab_bench(args, part)?,
        None => {
            memory::give_back_at_once();
            attached_bench(args, &plugins).await?
        }
    };
    let exchange = connected(&args.farm, &args.of, &args.host, true).await.map_err(NoAgent::Failed)?;
    let (root, place) = (state.root.clone(), state.root.join(OUT));
    let (shifts, aside) = (root.join(SHIFTS), root.clone());
    let setup = Setup {
        exchange,
        host: args.host.clone(),
        who: state.who.clone(),
        tool: TOOL.to_owned(),
        team: args.of.team.clone(),
        objects: args.of.farm_objects.clone(),
        lab: part,
        bench,
        read: Box::new(of_shift),
        files: ShiftFiles {
            // Its own: how often it reads there is its own affair, too.
            read: Box::new(|folder, path| BundleReader::unbounded(Path::new(folder)).as_it_lies(path, MOST)),
            below: Box::new(|folder, below| files_below(Path::new(folder), below)),
            forget: Box::new(|folder| drop(remove_folder(Path::new(folder)))),
            aside: Box::new(move || Rc::new(Spilled::below(&aside))),
            forget_old: Box::new(move |age| remove_old(&shifts, age)),
        },
        folder: Box::new(move |run, line, attempt| {
            root.join(SHIFTS).join(format!("{run}-{line}-{attempt}")).to_string_lossy().into_owned()
        }),
        out: out_of_service(&place)?,
        keep_out: Box::new(move |bytes| host::write_file(&place, bytes)),
        voice: Rc::new(Streams),
        stop: stop.clone(),
    };
    let lost = Rc::new(RefCell::new(None));
    let watching = tokio::task::spawn_local(watched(plugins, stop, lost.clone()));
    let served = serve(setup).await;
    watching.abort();
    served.and_then(|()| lost.take().map_or(Ok(()), Err)).map_err(NoAgent::Failed)
}

/// Ends the agent once a plugin that lent phones is lost: the next one begins with it anew, and goes on.
async fn watched(plugins: Vec<Started>, stop: Stop, lost: Rc<RefCell<Option<Fault>>>) {
    if plugins.is_empty() {
        return;
    }
    let (why, name) = loop {
        sleep(LOOKS).await;
        let of = |one: &Started| Some((one.lost()?, one.called().to_owned()));
        if let Some(found) = plugins.iter().find_map(of) {
            break found;
        }
    };
    let what = format!("plugin {name}, which lends phones, failed: {why}");
    let fault = Fault::new(FaultCode::PluginFailed, what);
    *lost.borrow_mut() = Some(fault.advise("begin the agent again: what it was about goes on then"));
    stop.ask(Urgency::Drain, "a plugin is lost");
}

/// What was out of service when the agent ended: a phone is not back because a service began again.
fn out_of_service(place: &Path) -> Result<OutOfService, NoAgent> {
    if !host::is_there(place) {
        return Ok(OutOfService::default());
    }
    let bytes = host::read_file(place, MOST_OUT)?;
    let none = || usage!("{} says not what is out of service; mend or remove it", shown(place));
    OutOfService::read(&bytes).ok_or_else(|| none().into())
}

/// The part of a lab that is played.
fn part(args: &AgentArgs) -> Result<Option<LabPart>, NoAgent> {
    let Some(name) = &args.lab else { return Ok(None) };
    let lab = lab(name, args.seed).map_err(NoAgent::Phones)?;
    let said = args.part.as_deref().unwrap_or("1/1");
    let wrong = || usage!("--part: `{said}` is not I/N, such as 2/4");
    let (part, of) = said.split_once('/').ok_or_else(wrong)?;
    let (part, of): (u32, u32) = (part.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
    if part == 0 || part > of {
        return Err(wrong().into());
    }
    let most = lab.shards().len();
    if of as usize > most {
        return Err(usage!("--part: the lab {} comes in at most {most} parts", lab.name).into());
    }
    Ok(Some(LabPart { name: lab.name, seed: lab.seed, part, of }))
}

/// How methods are told where a shift asks why frames are late.
fn methods(asked: &Asked, files: &MethodFiles) -> Result<Methods, Fault> {
    told_by(asked.stacks, files).map_err(|why| {
        Fault::new(
            FaultCode::FarmSkew,
            format!("what methods are told by is read otherwise on this host: {why}"),
        )
        .advise("update the older farmjank of both")
    })
}

fn lab_bench(args: &AgentArgs, part: &LabPart) -> Result<Bench, NoAgent> {
    let lab = lab(args.lab.as_deref().unwrap_or_default(), args.seed).map_err(NoAgent::Phones)?;
    let share = (part.part as usize, part.of as usize);
    let shards = move |asked: &Asked, files: &MethodFiles, folder: &str| {
        let folder = PathBuf::from(folder);
        let open = move || Rc::new(Bundle::open(&folder)) as Rc<dyn Files>;
        Ok(wiring::shards(&lab, share, probes_of_run(asked.no_witnesses, methods(asked, files)?), open))
    };
    let (threads, at_once) = (Box::new(host::simulated_thread), host::cores());
    Ok(Bench::Lab(LabBench { shards: Box::new(shards), threads, at_once }))
}

async fn attached_bench(args: &AgentArgs, plugins: &[Started]) -> Result<Bench, NoAgent> {
    if let Some(other) = plugins.iter().find(|one| !one.lends(&Patience::default())) {
        let (name, why) = (other.called(), other.lost().unwrap_or_else(|| "it lends no phones".to_owned()));
        return Err(usage!("--plugin {name}: {why}; an agent has plugins for phones that they lend").into());
    }
    let asked = args.phones();
    let phones = phones(&asked, plugins).await.map_err(NoAgent::Phones)?;
    let wait = crate::settings::time(&args.wait_for_devices)?;
    let most = Most { team: args.team_phones, run: args.run_phones };
    let wanted = Wanted { inventory: phones.inventory.phones, wait, ..Wanted::default() };
    Ok(Bench::Attached(AttachedBench {
        provider: phones.provider,
        sharing: Sharing::default(),
        claims: phones.claims,
        quota: Quota::new(args.of.team.clone(), most),
        wanted,
        sources: Box::new(|| Box::new(|scenario| wiring::sources(scenario, 0))),
        probes: Box::new(|asked, files| Ok(probes_of_run(asked.no_witnesses, methods(asked, files)?)())),
        files: Box::new(|folder| Rc::new(Bundle::open(Path::new(folder)).durable())),
    }))
}
