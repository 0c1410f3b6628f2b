//! Flags as typed data. What they mean is in `commands`.

mod analyze;
mod baseline;
mod bisect;
mod causes;
mod config;
mod farm;
mod first;
mod given;
mod health;
mod history;
mod lab;
mod merge;
mod methods;
mod notify;
mod plugin;
mod prove;
mod quarantine;
mod recover;
mod rerun;
mod runs;
mod select;
mod suggest;
mod tickets;
mod turns;
mod view;

pub use analyze::{AnalyzeArgs, AnalyzeFormat, SourceChoice};
pub use baseline::{
    AcceptArgs, BaselineArgs, BaselineCommand, CompareArgs, CompareFormat, Direction, ExportArgs, ImportArgs,
    NameArgs, PruneArgs, SaveArgs,
};
pub use bisect::BisectArgs;
pub use causes::{CausesArgs, StackForm, StackRules};
pub use config::{
    CONFIGURED, ConfigArgs, ConfigCommand, ConfigFormat, FARM, OF_FARM, ShowConfigArgs, command,
    command_to_add_to,
};
pub use farm::{
    AgentArgs, FarmArgs, FarmCancelArgs, FarmCommand, FarmCommandArgs, FarmDoctorArgs, FarmDrainArgs,
    FarmFetchArgs, FarmGcArgs, FarmInitArgs, FarmKeepArgs, FarmPhonesArgs, FarmQueueArgs, FarmRole,
    FarmStatusArgs, FarmUndrainArgs, FarmWatchArgs,
};
pub use first::{Ci, CompletionsArgs, ImportFlowsArgs, InitArgs, ManArgs, SchemaArgs, SchemaOf};
pub use given::{CheckArgs, GivenArgs, ListingFormat, ScenarioArgs};
pub use health::HealthArgs;
pub use history::{CellArgs, FailOn, HistoryArgs, HistoryFormat, TrendArgs};
pub use lab::{LabArgs, LabCommand, ServeArgs};
pub use merge::MergeArgs;
pub use notify::{NeutralVerdict, NotifyArgs};
pub use plugin::{CheckPluginArgs, LenderFlag, PluginArgs, PluginCommand, PluginFlag};
pub use prove::{DevicesArgs, DoctorArgs};
pub use quarantine::{
    AddArgs, ListFormat, QuarantineArgs, QuarantineCommand, QuarantinedArgs, RemoveQuarantineArgs,
};
pub use runs::{ListRunsArgs, PruneRunsArgs, RunsArgs, RunsCommand, ShowRunArgs};
pub use select::{SelectArgs, ShardByArg, SpreadArg};
pub use suggest::{SuggestArgs, SuggestFormat};
pub use tickets::TicketsArgs;
pub use turns::{AbArgs, CalibrateArgs, InstallArgs, PlanArgs, PlanFormat, TurnArgs};
pub use view::{UiArgs, ViewArgs};

use crate::report_targets;
use clap::{Args, Parser, Subcommand, ValueEnum};
use farmjank_engine::diagnose::Diagnose;
use farmjank_seams::claim::Priority;
use std::path::PathBuf;

const AFTER: &str = "Exit codes: 0 pass · 1 a limit was breached or the app failed · 2 usage or scenario error · \
3 lab fault · 4 undecided · 5 nothing selected · 130/143 interrupted (what was measured is on disk)";

/// Is the app smooth, on every phone? Runs scripted scrolls, launches and page visits on many Android phones at once,
/// sees every frame they present, and answers with an exit code.
#[derive(Parser, Debug)]
#[command(name = "farmjank", after_help = AFTER, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do; without it, farmjank says what it finds and what to do next.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Colour: auto (terminals, unless NO_COLOR is set), always, never.
    #[arg(long, global = true, value_enum, default_value = "auto", hide_possible_values = true)]
    pub color: When,
    /// Print which farmjank this is.
    #[arg(short = 'V', long)]
    pub version: bool,
    /// With --version, everything a report of a fault needs: commit, target, formats and protocols, SQLite.
    #[arg(long, requires = "version")]
    pub verbose: bool,
}

fn priority(word: &str) -> Result<Priority, clap::Error> {
    Priority::named(word).ok_or_else(|| one_of(&Priority::ALL.map(Priority::word)))
}

fn diagnose(word: &str) -> Result<Diagnose, clap::Error> {
    Diagnose::named(word).ok_or_else(|| one_of(&Diagnose::ALL.map(Diagnose::word)))
}

fn one_of(words: &[&str]) -> clap::Error {
    clap::Error::raw(clap::error::ErrorKind::InvalidValue, format!("it is one of {}", words.join(", ")))
}

/// When to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On terminals.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The verbs.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Write a first scenario, a farmjank.toml and a CI file into a folder; what is there stays.
    Init(InitArgs),
    /// Make scenarios of Maestro's flows, with windows around what scrolls, and say what was left out.
    Import(ImportFlowsArgs),
    /// Run scenarios on every phone that qualifies, judge, report.
    Run(RunArgs),
    /// Offer this computer's phones to a farm: take shifts of runs (`run --farm`), measure, send (docs/farm.md).
    Agent(AgentArgs),
    /// What there is on a farm; write one, or prove it.
    Farm(FarmCommandArgs),
    /// Compare two builds: install both in turn on every phone, run, say which windows became slower.
    Ab(AbArgs),
    /// Find the build that became slower: of many in order, with the fewest comparisons.
    Bisect(BisectArgs),
    /// Hold every phone against itself: how much its numbers move when nothing changed, and what a comparison would
    /// catch.
    Calibrate(CalibrateArgs),
    /// What `farmjank.toml`, the environment and flags together say, and which of them each value comes from.
    Config(ConfigArgs),
    /// Check scenario files; no phone is touched.
    Check(CheckArgs),
    /// Show which jobs would run on which phones, why others do not qualify, and how long it takes.
    Plan(PlanArgs),
    /// Phones and windows that are measured and reported without gating, each until a day: list, add, remove, check.
    Quarantine(QuarantineArgs),
    /// List the phones and what is known of each.
    Devices(DevicesArgs),
    /// Look for what keeps phones from being measured, and say what to do.
    Doctor(DoctorArgs),
    /// Compute the metrics of dump files saved by hand.
    Analyze(AnalyzeArgs),
    /// Say why frames were late: what threads waited for or ran, from a trace with scheduler events.
    Causes(CausesArgs),
    /// Open, comment, reopen and close tickets for causes of late frames, on GitHub, GitLab, Jira. Without --apply it
    /// only says what would be done.
    Tickets(TicketsArgs),
    /// Tell somebody of a run that is over: one comment on a pull request, kept up to date; chats what changed.
    Notify(NotifyArgs),
    /// Rebuild reports from a run bundle.
    Report(ReportArgs),
    /// Merge the bundles of shards (`run --shard`) into the bundle that one run would have left.
    Merge(MergeArgs),
    /// The runs that are kept: list them, prune old ones, remove some.
    Runs(RunsArgs),
    /// One window on one phone in depth: limits, iterations, frames, whose fault, where the numbers come from.
    Show(ShowArgs),
    /// Compare two runs, baselines or CSV files, and say what became slower.
    Compare(CompareArgs),
    /// Pin, move, list and carry the baselines that runs are held against.
    Baseline(BaselineArgs),
    /// What past runs measured: every cell, or one night after night, with the changes of its level.
    History(HistoryArgs),
    /// What changed in the newest nights, over all cells: for the sweep's exit code and the morning's message.
    Trend(TrendArgs),
    /// Which limits to set: those that an unchanged build keeps, from what it measured, ready to paste.
    Suggest(SuggestArgs),
    /// The report of a run in a browser: a finished one, or one that another process is still writing.
    View(ViewArgs),
    /// List the metrics, or explain one: formula, unit, what it needs, where it comes from.
    Metrics(MetricsArgs),
    /// Print the JSON Schema of scenario files, for editors; or of the files beside them.
    Schema(SchemaArgs),
    /// How the phones fared lately (`lab health`); the virtual phone lab: list it, serve it to adb.
    Lab(LabArgs),
    /// Programs of other people that are told of runs: check one.
    Plugin(PluginArgs),
    /// Print completions for a shell: bash, zsh, fish, elvish, powershell.
    Completions(CompletionsArgs),
    /// Print a manual page, for `man -l -`.
    Man(ManArgs),
}

/// Which phones.
#[derive(Args, Debug, Clone, Default)]
pub struct PhoneArgs {
    /// Only these phones; repeatable, commas allowed. Without it ANDROID_SERIAL counts, unless --lab is given.
    #[arg(short, long = "serial", value_name = "SERIAL", value_delimiter = ',')]
    pub serials: Vec<String>,
    /// Only phones that match, such as `sdk >= 29 & refresh >= 120`.
    #[arg(long, value_name = "EXPR")]
    pub device_filter: Option<String>,
    /// Wait this long for a phone that is not there yet, or that another run uses (`60s`, `30m`).
    #[arg(long, value_name = "TIME", default_value = "0s", hide_default_value = true)]
    pub wait_for_devices: String,
    /// The phones of these adb servers; repeatable. Without it those of ADB_SERVER_SOCKET or ANDROID_ADB_SERVER_ADDRESS
    /// count, else that of this computer. One that does not answer is told as phones that are missing.
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',', conflicts_with = "lab")]
    pub adb: Vec<String>,
    /// The lab's inventory, a farm.yaml: its adb servers (where --adb names none), and the phones that should be there,
    /// with names and tags. One that is not there is told as a phone that is missing.
    #[arg(long, value_name = "FILE", conflicts_with = "lab")]
    pub inventory: Option<PathBuf>,
    /// Use the virtual lab instead of phones: a name from `farmjank lab`, or a lab file
    /// (docs/lab-files.md).
    #[arg(long, value_name = "NAME|FILE")]
    pub lab: Option<String>,
    /// Seed of the virtual lab: the same seed gives the same bytes.
    #[arg(long, value_name = "N", requires = "lab")]
    pub seed: Option<u64>,
    /// Plugins that lend phones, for commands that only look.
    #[arg(skip)]
    pub lenders: Vec<String>,
}

/// `farmjank run`
#[derive(Args, Debug, Clone)]
pub struct RunArgs {
    /// Which scenarios.
    #[command(flatten)]
    pub scenarios: ScenarioArgs,
    /// Which phones.
    #[command(flatten)]
    pub phones: PhoneArgs,
    /// Which jobs.
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub install: InstallArgs,
    /// Most phones at work at the same time.
    #[arg(short, long, value_name = "N", default_value_t = 512, hide_default_value = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: u32,
    /// How urgent the run is: nightly, branch, gate. One that waits for phones (--wait-for-devices) is given those of a
    /// less urgent run of this computer after the iteration that is under way; that run goes on afterwards.
    #[arg(long, value_name = "HOW", default_value = "branch", value_parser = priority, hide_default_value = true)]
    pub priority: Priority,
    /// How often a job is tried again after a passing fault of the lab (never after a breach).
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub retries: u32,
    /// Start nothing more once so many windows failed, and leave what runs after its iteration. What was not run is
    /// said to be so and is no pass; the exit code is that of what failed. Comparisons with a baseline are made at the
    /// end and do not count.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub fail_fast: Option<u32>,
    /// Measure for so long at most (`6h`, `45m`): then nothing more is started, and what runs is left after its
    /// iteration. What was not run is said to be so and is no pass: exit 4, unless something failed. Over a farm it
    /// counts from when the farm knew the run, whether or not anybody conducts it.
    #[arg(long, value_name = "TIME")]
    pub deadline: Option<String>,
    /// Run on one phone, and again whenever a scenario file changes, or a file it runs; Ctrl-C ends it. Of several
    /// phones that qualify it is the first by serial (`-s` names another). Each run takes the place of the one before;
    /// the history keeps none, unless --history says where (docs/daily.md).
    #[arg(long)]
    pub watch: bool,
    #[command(flatten)]
    pub recover: recover::RecoverArgs,
    /// The run bundle's folder; default `results/runs/<id>`.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Let the run that is in --out go, as in a workspace that is kept from build to build. Other files there stay.
    #[arg(long, requires = "out")]
    pub overwrite: bool,
    /// Go on with a run that was cut off or interrupted, or that the lab kept from its end: a name from `farmjank
    /// runs`, a folder, or `auto`: the run in --out, or the newest, if it stopped in the last day before its end; else
    /// a new one. What was measured is kept. Give the other flags as before.
    #[arg(long, value_name = "RUN|auto", conflicts_with = "Rerun")]
    pub resume: Option<String>,
    #[command(flatten)]
    pub rerun: rerun::RerunArgs,
    #[arg(long, value_name = "NAME[=FILE]", help = report_targets::another())]
    pub reporter: Vec<String>,
    #[command(flatten)]
    pub plugins: PluginFlag,
    /// Also write the JUnit file here.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Judge by the rings alone: record no trace, switch no counting on, leave the log alone. For phones that must not
    /// be touched more than needed; whose fault a slow frame was is not told then.
    #[arg(long)]
    pub no_witnesses: bool,
    /// Compare although the app is built to be debugged: such builds are slower than what users have.
    #[arg(long)]
    pub allow_debuggable: bool,
    /// Hold the run against this: a baseline (name or file), or the bundle of another run.
    #[arg(long, value_name = "NAME|FILE|RUN")]
    pub baseline: Option<PathBuf>,
    /// Let a --baseline of a single session (one other run) say that a build is slower. Without it such a comparison
    /// warns and exits with 4 at worst: how much sessions differ when nothing changed is not known from one.
    #[arg(long, requires = "baseline")]
    pub one_session: bool,
    #[command(flatten)]
    pub age: baseline::AgeArgs,
    #[command(flatten)]
    pub keep: history::KeepArgs,
    /// See why frames were late, and what held main up where none was promised: one more iteration, traced for that,
    /// after those that count, of windows that fail, cannot be judged, or became slower (`failed`), or of each
    /// (docs/causes.md). It counts for nothing. `always` traces the iterations that count themselves, and makes some
    /// between them that are not, which tell what that costs. Android 12 and newer.
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "failed",
        default_value = "never", hide_default_value = true, value_parser = diagnose, conflicts_with = "no_witnesses")]
    pub causes: Diagnose,
    #[command(flatten)]
    pub methods: methods::MethodArgs,
    /// Photograph the screen during warm-ups: once a second and at each worst hitch. Iterations that count are left
    /// alone.
    #[arg(long)]
    pub screens: bool,
    /// Print only the final table and faults.
    #[arg(short, long)]
    pub quiet: bool,
    /// It is one comparison of a search, which tells what it comes to: limits do not count, its table is no answer.
    #[arg(skip)]
    pub aside: bool,
    /// Least iterations of builds that take turns, where no number is asked for.
    #[arg(skip)]
    pub least: Option<u32>,
    /// Tell these chats what changed since the run before, once it is over: slack, teams, feishu, dingtalk, webhook, or
    /// mail; repeatable. Their addresses are in the environment; one that is down is a notice (docs/notifications.md).
    #[arg(long, value_name = "CHAT", conflicts_with = "watch")]
    pub notify: Vec<String>,
    /// Show the run in a browser while it goes on: a lane per phone, frames as they arrive, the report as it grows.
    /// Stays open after the run until Ctrl-C; the exit code is the run's.
    #[arg(long)]
    pub ui: bool,
    /// Where it is.
    #[command(flatten)]
    pub view: UiArgs,
    #[command(flatten)]
    pub over: farm::OverFarmArgs,
}

/// `farmjank report`
#[derive(Args, Debug, Clone)]
pub struct ReportArgs {
    /// Folders of run bundles; several are put side by side, as columns (table, markdown, html or json).
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// What to print: `--reporter NAME` in short.
    #[arg(long, value_parser = report_targets::names(), default_value = "table", conflicts_with = "reporter")]
    pub format: String,
    #[arg(long, value_name = "NAME[=FILE]", help = report_targets::again())]
    pub reporter: Vec<String>,
    #[command(flatten)]
    pub plugins: PluginFlag,
    /// Longest Markdown, in bytes: 65000 for a comment on GitHub; default 1000000, for a job summary.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2_000..))]
    pub max_bytes: Option<u32>,
    /// Recompute from the raw dumps and judge by the limits of these scenarios.
    #[arg(long, value_name = "PATH")]
    pub rejudge: Vec<PathBuf>,
    #[command(flatten)]
    pub given: GivenArgs,
}

/// `farmjank show`
#[derive(Args, Debug, Clone)]
pub struct ShowArgs {
    /// The run bundle's folder.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// `phone/scenario/window`, each as much of its name as tells it apart; parts may be left out: `pixel 8/fling`.
    /// Without it the cells are listed.
    #[arg(value_name = "CELL", default_value = "")]
    pub cell: String,
}

/// `farmjank metrics`
#[derive(Args, Debug, Clone)]
pub struct MetricsArgs {
    /// Explain this one; without it all are listed.
    #[arg(value_name = "KEY")]
    pub key: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: MetricsFormat,
}

/// How `metrics` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MetricsFormat {
    /// For people.
    Table,
    /// For programs.
    Json,
    /// For pages.
    Markdown,
}
