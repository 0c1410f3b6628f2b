//! Flags of what is asked about many nights.

use super::baseline::CompareFormat;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const HISTORY: &str = "Examples:
  farmjank history                                     every cell with its newest value and change
  farmjank history 'pixel 7/fling'                     its nights, plotted, with every change
  farmjank history --model 'Pixel 7' --metric fps --since 60d
  farmjank history A1B2/fling --format json            for programs
  farmjank history --add ci/run-1 ci/run-2             runs that were made elsewhere, or with --no-history

Exit codes: 0 shown · 2 usage, or a store that cannot be read · 5 no such cell";

const TREND: &str = "Examples:
  farmjank trend                                       what changed in the newest 10 nights
  farmjank trend --fail-on change                      exit 1 where anything did: for the nightly pipeline
  farmjank trend --fail-on worse --format markdown     for the morning's message
  farmjank trend --mei '20 ms/s' --scenario 'Home feed'

Exit codes: 0 nothing to act on · 1 something changed, with --fail-on · 2 usage, or a store that cannot be read · \
4 every cell has too few nights to tell · 5 no such cell";

/// Where the numbers of a run are kept.
#[derive(Args, Debug, Clone)]
pub struct KeepArgs {
    /// Keep what was measured here: a SQLite file, or `postgres://user@host/database`. Runs on phones go into
    /// `results/history.sqlite` by default, runs on a virtual lab nowhere.
    #[arg(long, value_name = "PATH|URL", conflicts_with = "no_history")]
    pub history: Option<String>,
    /// Keep no history of this run.
    #[arg(long)]
    pub no_history: bool,
    /// Hold the run against the newest ten good nights in the history as well, since the last change: tells what became
    /// slower, and fails nothing. A pinned `--baseline` decides.
    #[arg(long, conflicts_with = "no_history")]
    pub rolling: bool,
    /// What tells this run apart in the history, such as `commit=1a2b3c`; repeatable. `history` and `trend` name it.
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "no_history")]
    pub label: Vec<String>,
}

/// Which cells, and where they are kept.
#[derive(Args, Debug, Clone)]
pub struct CellArgs {
    /// Only phones of this model (`ro.product.model`).
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Only this scenario.
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Only this window.
    #[arg(long, value_name = "NAME")]
    pub window: Option<String>,
    /// This metric; without it the one that decides in each window.
    #[arg(long, value_name = "KEY")]
    pub metric: Option<String>,
    /// Only this build of the phones' system (`ro.build.fingerprint`).
    #[arg(long, value_name = "FINGERPRINT")]
    pub build: Option<String>,
    /// Only this refresh rate.
    #[arg(long, value_name = "HZ")]
    pub refresh: Option<u32>,
    /// Only numbers seen by this frame source.
    #[arg(long, value_name = "NAME")]
    pub source: Option<String>,
    /// Only nights since then: an age (`30d`) or a day (`2026-03-01`).
    #[arg(long, value_name = "AGE|DAY")]
    pub since: Option<String>,
    /// The store: a SQLite file, or `postgres://user@host/database`.
    #[arg(long, value_name = "PATH|URL", default_value = crate::history::PLACE)]
    pub history: String,
}

/// `farmjank history`
#[derive(Args, Debug, Clone)]
#[command(after_help = HISTORY)]
pub struct HistoryArgs {
    /// Bring finished runs into the history, each by its folder, instead of asking it.
    #[arg(long, value_name = "RUN", num_args = 1.., conflicts_with = "cell")]
    pub add: Vec<PathBuf>,
    /// What tells the runs that are added apart, such as `commit=1a2b3c`; repeatable.
    #[arg(long, value_name = "NAME=VALUE", requires = "add")]
    pub label: Vec<String>,
    /// `phone/scenario/window`, each as much of its name as tells it apart; parts may be left out: `pixel 8/fling`.
    /// Without it the cells are listed.
    #[arg(value_name = "CELL")]
    pub cell: Vec<String>,
    /// Which cells.
    #[command(flatten)]
    pub cells: CellArgs,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: HistoryFormat,
}

/// How `history` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HistoryFormat {
    /// For people.
    Table,
    /// For programs.
    Json,
}

/// `farmjank trend`
#[derive(Args, Debug, Clone)]
#[command(after_help = TREND)]
pub struct TrendArgs {
    /// Which cells.
    #[command(flatten)]
    pub cells: CellArgs,
    /// Exit with 1 when a cell changed in the newest nights, by what matters.
    #[arg(long, value_enum, value_name = "change|worse")]
    pub fail_on: Option<FailOn>,
    /// How many nights are the newest: a change counts that begins in them.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub nights: u32,
    /// The least change that matters, in the metric's unit or as a share of the level before (`20 ms/s`, `15%`),
    /// instead of what the scenario says (`baseline: { mei: … }`) or the customary one.
    #[arg(long, value_name = "CHANGE")]
    pub mei: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: CompareFormat,
}

/// What a sweep fails on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Any change that matters: one for the better wants a look as well, and a new baseline.
    Change,
    /// A change for the worse.
    Worse,
}
