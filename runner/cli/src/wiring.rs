//! The only place that names concrete plugins.

pub mod lent;

use crate::args::PhoneArgs;
use crate::host::claims::HostClaims;
use crate::host::{self, Programs, TcpDial};
use crate::settings::{self, complain};
use farmjank_devices::adb::{StartPolicy, ensure_server, servers_from_env, servers_named};
use farmjank_devices::{AdbProvider, Options};
use farmjank_engine::borrowed::give_back_all;
use farmjank_frames::ftrace::Methods;
use farmjank_frames::registry;
use farmjank_lab::dial::LabDial;
use farmjank_lab::lab::{Lab, LiveLab};
use farmjank_lab_shards::{LabShard, MakeShard};
use farmjank_measure::readers::Readers;
use farmjank_process::lending::provider::Lenders;
use farmjank_process::reporter::Started;
use farmjank_results::fault::{Fault, FaultCode, Persistence};
use farmjank_results::frame::SourceId;
use farmjank_scenarios::inventory::Inventory;
use farmjank_scenarios::read::{self, SourceFile};
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::{Claims, Private};
use farmjank_seams::device::Provider;
use farmjank_seams::host::{Address, Files};
use farmjank_seams::names::PhoneNames;
use farmjank_seams::probe::Probe;
use farmjank_seams::source::FrameSource;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// Time between two looks for a server that is waited for.
const AGAIN: Duration = Duration::from_secs(1);
/// Largest lab file read.
const LAB_BYTES: u64 = 1 << 20;

/// Where phones come from, for one command.
pub struct Phones {
    /// The provider.
    pub provider: Rc<dyn Provider>,
    /// Which run of this computer uses which of them.
    pub claims: Rc<dyn Claims>,
    /// What the inventory says of them; empty without one.
    pub inventory: Inventory,
    /// The virtual lab behind it, if it is one.
    pub lab: Option<Rc<LiveLab>>,
    /// Seed of the lab; 0 for real phones.
    pub seed: u64,
    /// Who lends some of them, as long as they are used.
    _plugins: Vec<Started>,
}

impl Phones {
    /// Gives back those that were lent. What goes wrong with that is said.
    pub async fn give_back(&self) {
        give_back_all(&*self.provider).await.into_iter().for_each(complain);
    }
}

/// The phones the flags and the environment name: a virtual lab, or the adb servers of this computer and what plugins
/// lend.
pub async fn phones(args: &PhoneArgs, plugins: &[Started]) -> Result<Phones, Fault> {
    let lenders = Lenders::of(plugins).await;
    match &args.lab {
        Some(_) if !lenders.is_empty() => Err(lent::no_lab()),
        Some(name) => virtual_phones(name, args.seed),
        None => {
            let inventory = args.inventory.as_deref().map_or_else(|| Ok(Inventory::default()), inventory)?;
            let named = if args.adb.is_empty() { &inventory.servers } else { &args.adb };
            let names = names(&inventory)?;
            let wait = settings::time(&args.wait_for_devices)
                .map_err(|why| Fault::new(FaultCode::Usage, why.to_string()))?;
            let inventory = lent::tagged(inventory.clone(), &lenders);
            let phones = adb_phones(named, names, wait, lenders).await?;
            Ok(Phones { inventory, _plugins: plugins.to_vec(), ..phones })
        }
    }
}

/// An inventory by its file. Complaints are the fault's words, each with its place.
fn inventory(file: &Path) -> Result<Inventory, Fault> {
    let usage = |what: String| Fault::new(FaultCode::Usage, what);
    let text = host::read_file(file, LAB_BYTES).map_err(|why| usage(format!("--inventory: {why}")))?;
    let name = file.display().to_string();
    read::inventory(&SourceFile { name, text }).map_err(|complaints| {
        let all: Vec<String> = complaints.iter().map(|one| one.render(false)).collect();
        usage(format!("the inventory cannot be read; no phone was touched\n{}", all.join("\n")))
    })
}

/// What its phones are called whose serial is not enough.
fn names(inventory: &Inventory) -> Result<PhoneNames, Fault> {
    let named = inventory.phones.iter().filter_map(|phone| Some((phone.server.as_ref()?, phone)));
    let all = named.map(|(server, phone)| {
        let server = servers(std::slice::from_ref(server))?.into_iter().next();
        let server = server.map_or_else(String::new, |address| address.to_string());
        Ok((server, phone.serial.clone(), phone.id().to_owned()))
    });
    Ok(PhoneNames::of(all.collect::<Result<Vec<_>, Fault>>()?))
}

/// A lab by name or file.
pub fn lab(name: &str, seed: Option<u64>) -> Result<Lab, Fault> {
    let usage = |what: String| Fault::new(FaultCode::LabFile, what);
    let lab = if Path::new(name).is_file() {
        let bytes = host::read_file(Path::new(name), LAB_BYTES).map_err(|why| usage(why.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| usage(format!("{name}: not UTF-8")))?;
        Lab::from_yaml(&text).map_err(|why| usage(format!("{name}: {why}")))?
    } else {
        let advise = "name a lab file, or one that comes with farmjank";
        Lab::named(name).map_err(|why| usage(why.to_string()).advise(advise))?
    };
    Ok(match seed {
        Some(seed) => lab.with_seed(seed),
        None => lab,
    })
}

fn virtual_phones(name: &str, seed: Option<u64>) -> Result<Phones, Fault> {
    let lab = lab(name, seed)?;
    let (provider, live) = switched_on(&lab)?;
    let claims = Rc::new(Private::default());
    Ok(Phones {
        provider,
        claims,
        inventory: Inventory::default(),
        lab: Some(live),
        seed: lab.seed,
        _plugins: Vec::new(),
    })
}

fn switched_on(lab: &Lab) -> Result<(Rc<dyn Provider>, Rc<LiveLab>), Fault> {
    let live = lab.build().map_err(|why| Fault::new(FaultCode::LabFile, why.to_string()))?;
    let options = Options { name: "lab".to_owned(), ..Options::default() };
    let provider = AdbProvider::new(lab.servers(), Rc::new(LabDial::new(live.clone())), options);
    Ok((Rc::new(provider), live))
}

/// Those of a lab's shards that make up a part of it, each for a thread of its own; `open` opens the bundle there.
pub fn shards(
    lab: &Lab,
    (part, of): (usize, usize),
    probes: impl Fn() -> Vec<Rc<dyn Probe>> + Clone + Send + 'static,
    open: impl Fn() -> Rc<dyn Files> + Clone + Send + 'static,
) -> Vec<MakeShard> {
    let seed = lab.seed;
    let all = lab.shards();
    let range = (part - 1) * all.len() / of..part * all.len() / of;
    let made = all.into_iter().skip(range.start).take(range.len()).map(|lab| {
        let (open, probes) = (open.clone(), probes.clone());
        let make: MakeShard = Box::new(move || {
            let (provider, _) = switched_on(&lab)?;
            let sources = Box::new(move |scenario: &Scenario| sources(scenario, seed));
            Ok(LabShard { provider, sources, probes: probes(), files: open() })
        });
        make
    });
    made.collect()
}

/// The servers named, else those of the environment.
fn servers(named: &[String]) -> Result<Vec<Address>, Fault> {
    let found = match named {
        [] => {
            let [socket, address, port] =
                ["ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_ADB_SERVER_PORT"].map(host::env);
            servers_from_env(socket.as_deref(), address.as_deref(), port.as_deref())
        }
        named => servers_named(named),
    };
    found.map_err(|why| Fault::new(FaultCode::Servers, why.to_string()))
}

/// The phones of these servers; where none of them answers, that is waited for.
async fn adb_phones(
    named: &[String],
    names: PhoneNames,
    wait: Duration,
    lenders: Lenders,
) -> Result<Phones, Fault> {
    let mut servers = servers(named)?;
    let (names, of_plugins) = lent::reached(&lenders, &mut servers, names)?;
    let policy = StartPolicy {
        adb: host::find_adb().map(|path| path.to_string_lossy().into_owned()),
        user_managed: host::env("ANDROID_ADB_USER_MANAGED_MODE")
            .is_some_and(|value| value != "0" && value != "false"),
        ..StartPolicy::default()
    };
    let dial = Rc::new(TcpDial);
    let until = Instant::now() + wait;
    while let Err(fault) = one_listens(&servers, &dial, &policy).await {
        if fault.persistence == Persistence::Lasting || Instant::now() >= until {
            return Err(fault);
        }
        tokio::time::sleep(AGAIN).await;
    }
    let claims = Rc::new(HostClaims::of_host(names.clone()));
    let adb = Rc::new(AdbProvider::new(servers, dial, Options { names, ..Options::default() }));
    let provider: Rc<dyn Provider> = match lenders.is_empty() {
        true => adb,
        false => Rc::new(lenders.beside(adb.clone(), adb, of_plugins)),
    };
    Ok(Phones { provider, claims, inventory: Inventory::default(), lab: None, seed: 0, _plugins: Vec::new() })
}

/// Makes sure that one of these servers listens.
///
/// # Errors
/// What the first of them says, where none does.
async fn one_listens(servers: &[Address], dial: &Rc<TcpDial>, policy: &StartPolicy) -> Result<(), Fault> {
    let (mut listening, mut first) = (false, None);
    for server in servers {
        match ensure_server(server, dial.clone(), &Programs, policy).await {
            Ok(_) => listening = true,
            Err(fault) => drop(first.get_or_insert(fault)),
        }
    }
    first.filter(|_| !listening).map_or(Ok(()), Err)
}

/// The sources of a scenario, best first; it may pin one, or a layer.
pub fn sources(scenario: &Scenario, seed: u64) -> Vec<Rc<dyn FrameSource>> {
    registry::sources_pinned(scenario.layer.clone(), seed, scenario.source)
}

/// Who is asked at both ends of trials and windows.
pub fn probes() -> Vec<Rc<dyn Probe>> {
    registry::probes()
}

/// The same in a run: nobody where the phones are not to be touched more than needed.
pub fn probes_of_run(
    no_witnesses: bool,
    methods: Methods,
) -> impl Fn() -> Vec<Rc<dyn Probe>> + Clone + Send + 'static {
    move || if no_witnesses { Vec::new() } else { registry::probes_telling(methods.clone()) }
}

/// Every frame source, for phones without a scenario.
pub fn every_source() -> Vec<Rc<dyn FrameSource>> {
    registry::sources(None, 0)
}

/// Who reads evidence again.
pub fn readers() -> Readers {
    Readers { dumps: registry::dump_readers(), probes: registry::probe_readers() }
}

/// A source by what the user calls it.
pub fn source_id(choice: crate::args::SourceChoice) -> Option<SourceId> {
    match choice {
        crate::args::SourceChoice::Auto => None,
        crate::args::SourceChoice::Surfaceflinger => Some(SourceId::SurfaceFlinger),
        crate::args::SourceChoice::Gfxinfo => Some(SourceId::Gfxinfo),
        crate::args::SourceChoice::Frametimeline => Some(SourceId::FrameTimeline),
        crate::args::SourceChoice::Timestats => Some(SourceId::TimeStats),
        crate::args::SourceChoice::Logcat => Some(SourceId::Logcat),
    }
}
