//! Flags of merging the bundles of shards.

use super::baseline::AgeArgs;
use crate::report_targets;
use clap::Args;
use std::path::PathBuf;

const AFTER: &str = "Examples:
  farmjank run scenarios/ --shard 1/3 --out shard-1      on each of three computers, with its own number
  farmjank merge shard-1 shard-2 shard-3 --out night     one run, as if one computer had done it all
  farmjank merge shards/* -o night --reporter markdown=summary.md

Exit codes: those of `farmjank run`, of all shards together · 3 also where a shard is missing or was cut off · 2 bundles \
that are not of one plan, or contradict each other";

/// `farmjank merge`
#[derive(Args, Debug, Clone)]
#[command(after_help = AFTER)]
pub struct MergeArgs {
    /// Bundles of runs with --shard, or bundles that were merged before. Their order does not matter, nor does naming
    /// one twice.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Folder of the bundle that is made.
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Let the run that is in --out go. Other files there stay.
    #[arg(long)]
    pub overwrite: bool,
    #[arg(long, value_name = "NAME[=FILE]", help = report_targets::another())]
    pub reporter: Vec<String>,
    /// Also write the JUnit file here.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Hold all of it against this: a baseline (name or file), or the bundle of another run. Needed where the shards
    /// were: what a comparison says depends on how many phones and windows are compared.
    #[arg(long, value_name = "NAME|FILE|RUN")]
    pub baseline: Option<PathBuf>,
    /// Let a --baseline of a single session (one other run) say that a build is slower.
    #[arg(long, requires = "baseline")]
    pub one_session: bool,
    /// How old the baseline may be.
    #[command(flatten)]
    pub age: AgeArgs,
    /// The history store a --baseline is pinned in: a SQLite file, or `postgres://user@host/database`. Nothing is kept
    /// there: each shard kept its own.
    #[arg(long, value_name = "PATH|URL", requires = "baseline")]
    pub history: Option<String>,
}
