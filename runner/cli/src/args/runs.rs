//! Flags of the runs that are kept.

use super::given::ListingFormat;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `farmjank runs`
#[derive(Args, Debug, Clone)]
pub struct RunsArgs {
    /// What to do with them; lists them when left out.
    #[command(subcommand)]
    pub command: Option<RunsCommand>,
    /// Where they are kept.
    #[arg(long, global = true, value_name = "FOLDER", default_value = "results/runs")]
    pub runs: PathBuf,
}

/// What can be done with runs.
#[derive(Subcommand, Debug, Clone)]
pub enum RunsCommand {
    /// List them, the newest first: when, how they ended, how much room they take.
    List(ListRunsArgs),
    /// One run in some lines: when, on which phones, what it came to, where it lies, and what to do next.
    Show(ShowRunArgs),
    /// Remove those that began longer ago; of virtual labs, those written longer ago.
    Prune(PruneRunsArgs),
    /// Remove these.
    Rm(RemoveArgs),
}

/// `farmjank runs list`
#[derive(Args, Debug, Clone)]
pub struct ListRunsArgs {
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: ListingFormat,
}

/// `farmjank runs show`
#[derive(Args, Debug, Clone)]
pub struct ShowRunArgs {
    /// The run: a name from `farmjank runs`, or a folder; the newest when left out.
    #[arg(value_name = "RUN")]
    pub name: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: ListingFormat,
}

/// `farmjank runs prune`
#[derive(Args, Debug, Clone)]
pub struct PruneRunsArgs {
    /// How old runs may be: `30d`, `36h`.
    #[arg(long, value_name = "AGE")]
    pub keep: String,
    /// Say what would be removed, and remove nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `farmjank runs rm`
#[derive(Args, Debug, Clone)]
pub struct RemoveArgs {
    /// Runs: names from `farmjank runs`, or folders.
    #[arg(value_name = "RUN", required = true)]
    pub names: Vec<PathBuf>,
}
