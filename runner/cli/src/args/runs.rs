//! Flags of the runs that are kept.

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
    List,
    /// Remove those that began longer ago; of virtual labs, those written longer ago.
    Prune(PruneRunsArgs),
    /// Remove these.
    Rm(RemoveArgs),
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
