//! Flags of runs over a farm, and of its agents.

mod gc;
mod reading;

pub use gc::FarmGcArgs;
pub use reading::{FarmFetchArgs, FarmKeepArgs, FarmPhonesArgs, FarmQueueArgs, FarmWatchArgs};

use super::{LenderFlag, ListingFormat};
use clap::{Args, Subcommand, ValueEnum};
use farmjank_shifts::evidence::Evidence;
use std::path::PathBuf;

/// Which farm.
#[derive(Args, Debug, Clone)]
pub struct FarmArgs {
    /// What the team's things are called on the farm.
    #[arg(long, value_name = "NAME", default_value = "main", hide_default_value = true)]
    pub team: String,
    /// A file with what lets this end in: an nkey's seed or a .creds file. Without it FARMJANK_FARM_SECRET counts,
    /// which holds the same.
    #[arg(long, value_name = "FILE")]
    pub farm_secret: Option<PathBuf>,
    /// Certificates of authorities to believe besides those of this computer.
    #[arg(long, value_name = "FILE")]
    pub farm_ca: Option<PathBuf>,
    /// Where large objects of the farm lie (builds, evidence) that are not to lie on its server: `s3://BUCKET/FOLDER`
    /// of an S3-compatible store; the same at all ends. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT,
    /// AWS_REGION and so on count as for other tools.
    #[arg(long, value_name = "PLACE")]
    pub farm_objects: Option<String>,
    /// How much of the server's disk the team's logs and objects may take, such as `200GB`, where this end makes them;
    /// without it as much as there is. `farm doctor --role operator` bounds those that are there.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub farm_storage: Option<u64>,
}

/// A size with its unit, bytes.
fn size(text: &str) -> Result<u64, clap::Error> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let unit = [("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000_u64)]
        .into_iter()
        .find(|(unit, _)| text[at..].trim().eq_ignore_ascii_case(unit));
    let number = text[..at].parse::<u64>().ok().filter(|number| *number > 0);
    let bytes = number.zip(unit).and_then(|(number, (_, unit))| number.checked_mul(unit));
    bytes.filter(|bytes| i64::try_from(*bytes).is_ok()).ok_or_else(|| {
        let words = "give a size such as 200GB (MB, GB, TB)";
        clap::Error::raw(clap::error::ErrorKind::ValueValidation, words)
    })
}

/// What was settled when a run was begun: whoever takes it up changes nothing of it.
const SETTLED: [&str; 35] = [
    "paths",
    "lab",
    "serials",
    "device_filter",
    "scenario",
    "include_tags",
    "exclude_tags",
    "shard",
    "phones",
    "allow_missing",
    "spread",
    "quarantine",
    "prepare",
    "beside",
    "iterations",
    "warmup",
    "install",
    "compile",
    "reinstall",
    "jobs",
    "priority",
    "retries",
    "recover",
    "reboots_per_day",
    "fail_fast",
    "deadline",
    "watch",
    "resume",
    "no_witnesses",
    "allow_debuggable",
    "causes",
    "stacks",
    "mapping",
    "owners",
    "screens",
];

/// What only whoever sees a run to its end can do with it.
const TOLD: [&str; 11] = [
    "attach",
    "out",
    "ui",
    "watch",
    "plugin",
    "notify",
    "reporter",
    "junit",
    "baseline",
    "rolling",
    "overwrite",
];

/// A run over a farm.
#[derive(Args, Debug, Clone)]
pub struct OverFarmArgs {
    /// Run on the phones of a farm's agents instead of those of this computer: `nats://HOST:4222`, `tls://HOST:443`
    /// (docs/farm.md). With --lab the agents must play that lab.
    #[arg(long, value_name = "URL", conflicts_with_all = ["adb", "inventory"])]
    pub farm: Option<String>,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
    /// How long the farm, or a host that has work, may be away before it is given up.
    #[arg(long, value_name = "TIME", default_value = "10m", hide_default_value = true)]
    pub farm_patience: String,
    /// Of which jobs raw dumps and traces come along: `all`, `failed` (what did not pass), `none`. Frames, pictures and
    /// reports are whole with each. The rest lies on the hosts for two weeks: `--attach RUN --evidence all` brings it.
    #[arg(long, requires = "farm", value_name = "WHICH", value_parser = evidence)]
    pub evidence: Option<Evidence>,
    /// Begin the run, print what it is called, and end: its hosts measure on without this process.
    #[arg(long, requires = "farm", conflicts_with_all = TOLD)]
    pub detach: bool,
    /// Take up a run that was begun with --detach, or whose process died, and end as it ends. Interrupted, it goes on.
    #[arg(long, requires = "farm", value_name = "RUN", conflicts_with_all = SETTLED)]
    pub attach: Option<String>,
}

fn evidence(word: &str) -> Result<Evidence, clap::Error> {
    Evidence::named(word).ok_or_else(|| super::one_of(&Evidence::ALL.map(Evidence::word)))
}

const AGENT_EXAMPLES: &str = "Examples:\n  \
farmjank agent --farm nats://farm.example:4222 --host rack-1          # the phones of this computer\n  \
farmjank agent --farm nats://127.0.0.1:4222 --host lab-1 --lab demo   # a virtual lab, to try it\n\n\
Exit codes: 0 ended when told to · 2 usage · 3 no phones, or the farm refuses";

/// `farmjank agent`
#[derive(Args, Debug, Clone)]
#[command(after_help = AGENT_EXAMPLES)]
pub struct AgentArgs {
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// What this host is called there; no two hosts are called the same.
    #[arg(long, value_name = "NAME")]
    pub host: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
    /// The phones of these adb servers; as for `farmjank run`.
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',', conflicts_with = "lab")]
    pub adb: Vec<String>,
    /// The lab's inventory, as for `farmjank run`.
    #[arg(long, value_name = "FILE", conflicts_with = "lab")]
    pub inventory: Option<PathBuf>,
    /// And the phones that plugins lend.
    #[command(flatten)]
    pub lenders: LenderFlag,
    /// Play a virtual lab instead of having phones.
    #[arg(long, value_name = "NAME|FILE")]
    pub lab: Option<String>,
    /// Seed of the virtual lab.
    #[arg(long, value_name = "N", requires = "lab")]
    pub seed: Option<u64>,
    /// Which part of the virtual lab, of how many: the agents of all parts play it together.
    #[arg(long, value_name = "I/N", requires = "lab")]
    pub part: Option<String>,
    /// Phones of this computer that runs of the team may have at once, all of them together. Agents of several teams
    /// may have the same phones: runs of different teams that are as urgent take turns on each, job by job.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "lab")]
    pub team_phones: Option<u32>,
    /// Phones of this computer that one run may have at once.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "lab")]
    pub run_phones: Option<u32>,
    /// Where what was measured lies until it was sent, and what this agent is told by; default `results/agent/HOST`.
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// How long phones that are not there yet are waited for.
    #[arg(long, value_name = "TIME", default_value = "0s", hide_default_value = true)]
    pub wait_for_devices: String,
}

impl AgentArgs {
    /// Its phones, as a run names them.
    pub fn phones(&self) -> super::PhoneArgs {
        super::PhoneArgs {
            adb: self.adb.clone(),
            inventory: self.inventory.clone(),
            lab: self.lab.clone(),
            seed: self.seed,
            wait_for_devices: self.wait_for_devices.clone(),
            ..super::PhoneArgs::default()
        }
    }
}

/// `farmjank farm`
#[derive(Args, Debug, Clone)]
pub struct FarmCommandArgs {
    /// What about it.
    #[command(subcommand)]
    pub command: FarmCommand,
}

/// What can be asked of a farm.
#[derive(Subcommand, Debug, Clone)]
pub enum FarmCommand {
    /// List its hosts and their phones, and what keeps one from being measured.
    Status(FarmStatusArgs),
    /// List its phones across hosts, and who has each.
    Phones(FarmPhonesArgs),
    /// List the runs that are under way or wait, the most urgent first.
    Queue(FarmQueueArgs),
    /// Write the runs of a team into a history as they end, each once.
    Keep(FarmKeepArgs),
    /// Fetch the bundle of a run that is over, and end as it ended; nothing is written on the farm.
    Fetch(FarmFetchArgs),
    /// Follow a run that others conduct, as its own terminal shows it, and end as it ends.
    Watch(FarmWatchArgs),
    /// Write what a farm is made of into a new folder: its server's configuration, keys, certificates, units.
    Init(FarmInitArgs),
    /// Prove a farm: who answers, who is let in, what is kept, and what these credentials may do and may not.
    Doctor(FarmDoctorArgs),
    /// Make room: take away what is over for long, with the operator's key.
    Gc(FarmGcArgs),
    /// Have the hosts of a run stop, wherever it is conducted.
    Cancel(FarmCancelArgs),
    /// Take phones out of service: runs that have one give it away after their iteration, and none is given it.
    Drain(FarmDrainArgs),
    /// Put phones back into service.
    Undrain(FarmUndrainArgs),
}

/// `farmjank farm cancel`
#[derive(Args, Debug, Clone)]
pub struct FarmCancelArgs {
    /// What the run is called: as `--detach` printed it, or its folder in `results/runs`.
    #[arg(value_name = "RUN")]
    pub run: String,
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
    /// At once, and not after the iteration that is under way.
    #[arg(long)]
    pub now: bool,
}

const DRAIN_EXAMPLES: &str = "Examples:\n  \
farmjank farm drain rack-3 R58M123ABC --why 'the battery swells' --farm tls://farm.example:4222   # one phone\n  \
farmjank farm drain rack-3 --why 'moves to another room' --farm tls://farm.example:4222           # all of the host\n\n\
Exit codes: 0 out of service, and nobody has it · 2 usage · 3 somebody still has it, or the host does not answer";

/// `farmjank farm drain`
#[derive(Args, Debug, Clone)]
#[command(after_help = DRAIN_EXAMPLES)]
pub struct FarmDrainArgs {
    /// The host.
    #[arg(value_name = "HOST")]
    pub host: String,
    /// Its phones by serial; all of the host, also those that are plugged in later, where none is named.
    #[arg(value_name = "SERIAL")]
    pub phones: Vec<String>,
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
    /// Why, as everybody is told who asks for the phone.
    #[arg(long, value_name = "TEXT")]
    pub why: String,
    /// How long runs that have a phone are waited for.
    #[arg(long, value_name = "TIME", default_value = "10m", hide_default_value = true)]
    pub wait: String,
}

/// `farmjank farm undrain`
#[derive(Args, Debug, Clone)]
pub struct FarmUndrainArgs {
    /// The host.
    #[arg(value_name = "HOST")]
    pub host: String,
    /// Its phones by serial; all that is out of service there where none is named.
    #[arg(value_name = "SERIAL")]
    pub phones: Vec<String>,
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
}

/// `farmjank farm status`
#[derive(Args, Debug, Clone)]
pub struct FarmStatusArgs {
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
    /// For people, or as JSON for programs (docs/listings.md).
    #[arg(long, value_enum, default_value = "table", hide_default_value = true)]
    pub format: ListingFormat,
}

const INIT_EXAMPLES: &str = "Examples:\n  \
farmjank farm init farm --name farm.example --hosts rack-1,rack-2   # README.md in it says what goes where\n  \
farmjank farm init farm --hosts rack-3                              # one more host\n  \
farmjank farm init farm --team web --hosts web-1                    # another team with a host of its own\n  \
farmjank farm init farm --rotate agent-rack-1                       # a new key, and the old one is out\n\n\
Exit codes: 0 written · 2 usage";

/// `farmjank farm init`
#[derive(Args, Debug, Clone)]
#[command(after_help = INIT_EXAMPLES)]
pub struct FarmInitArgs {
    /// A folder that is not there yet, or empty; or one this command wrote, to add to.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The computers with phones, as their agents are called.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub hosts: Vec<String>,
    /// The team they are of; default `main`.
    #[arg(long, value_name = "NAME")]
    pub team: Option<String>,
    /// The server's name or address, as others dial it; default `localhost`.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Where the server listens; default `0.0.0.0:4222`.
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    /// Make these keys anew: `agent-HOST`, `run-TEAM`, `viewer-TEAM`, `keeper`, `operator`, or `server` for the
    /// certificates.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub rotate: Vec<String>,
}

const DOCTOR_EXAMPLES: &str = "Examples:\n  \
farmjank farm doctor --farm tls://farm.example:4222 --farm-secret run.nk --farm-ca authority.pem --role run\n  \
farmjank farm doctor --farm tls://farm.example:4222 --farm-secret agent.nk --farm-ca authority.pem --role agent --host rack-1\n\n\
Exit codes: 0 well · 2 usage · 3 something is wrong, or no farm answers";

/// `farmjank farm doctor`
#[derive(Args, Debug, Clone)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub struct FarmDoctorArgs {
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
    /// What these credentials are for: everything else that is allowed to them is wrong.
    #[arg(long, value_name = "ROLE")]
    pub role: Option<FarmRole>,
    /// The host of an agent's credentials.
    #[arg(long, value_name = "NAME", required_if_eq("role", "agent"))]
    pub host: Option<String>,
    /// Where the server tells of itself, on its own computer: `http://127.0.0.1:8222`.
    #[arg(long, value_name = "URL")]
    pub monitor: Option<String>,
}

/// What credentials are for.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum FarmRole {
    /// Measures on one host.
    Agent,
    /// Conducts runs.
    Run,
    /// Looks.
    Viewer,
    /// Makes what the store holds.
    Keeper,
    /// Runs the server.
    Operator,
}
