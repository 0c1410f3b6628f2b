//! Flags of the lab's health.

use super::quarantine::ListFormat;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  farmjank lab health                                  # the last seven days of results/runs
  farmjank lab health --since 30d --runs /srv/nightly/runs --runs /srv/gate/runs
  farmjank lab health --since 7d --until 2026-11-23 --format json

Exit codes: 0 · 2 usage · 5 no run of this time tells of a phone";

/// `farmjank lab health`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct HealthArgs {
    /// How far back from the end: `7d`, `36h`.
    #[arg(long, value_name = "AGE", default_value = "7d")]
    pub since: String,
    /// The end, instead of now: an instant (2026-11-23T12:00:00Z), or a day and all of it, in UTC.
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// Folders of runs, or runs; repeatable. results/runs where none is given.
    #[arg(long, value_name = "FOLDER")]
    pub runs: Vec<PathBuf>,
    /// Count the runs of virtual labs, too: simulated phones, by when their logs were written.
    #[arg(long = "virtual")]
    pub with_virtual: bool,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: ListFormat,
}
