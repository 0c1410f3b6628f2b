//! Flags of comparisons and baselines.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// How old a baseline may be.
#[derive(Args, Debug, Clone)]
pub struct AgeArgs {
    /// A baseline older than this does not count (`14d`, `12h`).
    #[arg(long, value_name = "TIME", default_value = "30d")]
    pub max_age: String,
}

/// `farmjank compare`
#[derive(Args, Debug, Clone)]
pub struct CompareArgs {
    /// The old side: a run bundle, a baseline (name or file), or a CSV file (`session,iteration,value`).
    #[arg(value_name = "A")]
    pub old: PathBuf,
    /// The new side.
    #[arg(value_name = "B")]
    pub new: PathBuf,
    /// What the values of CSV files are: a metric of farmjank, or a name of your own.
    #[arg(long, value_name = "KEY")]
    pub metric: Option<String>,
    /// Which way that metric is better; needed for names of your own.
    #[arg(long, value_enum)]
    pub better: Option<Direction>,
    /// The least change that matters, in the metric's unit or as a share of the old side (`10 ms/s`, `5%`).
    #[arg(long, value_name = "CHANGE")]
    pub mei: Option<String>,
    /// How old a baseline may be.
    #[command(flatten)]
    pub age: AgeArgs,
    /// The history store with what `farmjank calibrate` found: it says what a comparison would have caught whose
    /// iterations do not vary.
    #[arg(long, value_name = "PATH|URL")]
    pub history: Option<String>,
    /// Seed of intervals: the same seed gives the same numbers to the last bit.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub seed: u64,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: CompareFormat,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// Less is better: times, counts of what is bad.
    Lower,
    /// More is better: rates.
    Higher,
}

/// How `compare` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// For people.
    Table,
    /// For programs.
    Json,
    /// For pages and comments.
    Markdown,
}

/// `farmjank baseline`
#[derive(Args, Debug, Clone)]
pub struct BaselineArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: BaselineCommand,
    /// Folder of the baselines.
    #[arg(long, global = true, value_name = "DIR", default_value = "results/baselines")]
    pub dir: PathBuf,
    /// Also pin what is saved, accepted or imported in this history store; `list` and `export` look there too.
    #[arg(long, global = true, value_name = "PATH|URL")]
    pub history: Option<String>,
}

/// What can be done with baselines.
#[derive(Subcommand, Debug, Clone)]
pub enum BaselineCommand {
    /// Pin runs as a new baseline: `results/baselines/NAME.json`, a file to commit.
    Save(SaveArgs),
    /// Move a baseline to newer runs: two that passed against it, or any by a named person with a reason.
    Accept(AcceptArgs),
    /// List the baselines.
    List,
    /// Show one: who moved it when and why, and which cells it has.
    Show(NameArgs),
    /// Remove baselines that nobody moved for a long time.
    Prune(PruneArgs),
    /// Write a baseline to a file, or to standard output.
    Export(ExportArgs),
    /// Take a baseline in from a file.
    Import(ImportArgs),
}

/// `farmjank baseline save`
#[derive(Args, Debug, Clone)]
pub struct SaveArgs {
    /// Name: letters, digits, `.`, `_`, `-`.
    pub name: String,
    /// Run bundles; five or more sessions of a cell make a baseline that can be held against.
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Who pins it; the user of this computer by default.
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// Why.
    #[arg(long, value_name = "REASON", default_value = "", hide_default_value = true)]
    pub why: String,
}

/// `farmjank baseline accept`
#[derive(Args, Debug, Clone)]
pub struct AcceptArgs {
    /// Name of the baseline.
    pub name: String,
    /// Run bundles.
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Who moves it although the runs do not confirm it.
    #[arg(long, value_name = "NAME", requires = "why")]
    pub by: Option<String>,
    /// Why.
    #[arg(long, value_name = "REASON", requires = "by")]
    pub why: Option<String>,
    /// Forget the sessions it had: what was accepted is another normal.
    #[arg(long)]
    pub fresh: bool,
}

/// A baseline by name.
#[derive(Args, Debug, Clone)]
pub struct NameArgs {
    /// Name.
    pub name: String,
}

/// `farmjank baseline prune`
#[derive(Args, Debug, Clone)]
pub struct PruneArgs {
    /// Remove what was last moved longer ago than this.
    #[arg(long, value_name = "TIME", default_value = "90d")]
    pub older_than: String,
    /// Only say what would be removed.
    #[arg(long)]
    pub dry_run: bool,
}

/// `farmjank baseline export`
#[derive(Args, Debug, Clone)]
pub struct ExportArgs {
    /// Name.
    pub name: String,
    /// File to write; standard output when left out.
    pub file: Option<PathBuf>,
}

/// `farmjank baseline import`
#[derive(Args, Debug, Clone)]
pub struct ImportArgs {
    /// File to read.
    pub file: PathBuf,
    /// Under another name.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Also when there is one of that name.
    #[arg(long)]
    pub replace: bool,
}
