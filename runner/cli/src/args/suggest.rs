//! Flags of `farmjank suggest`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  farmjank suggest results/runs/one results/runs/two    from runs of a build you are content with
  farmjank suggest                                      from the last good nights in results/history.sqlite
  farmjank suggest --iterations 10 --false-alarms 0.5%  for runs of ten iterations, with fewer false alarms
  farmjank suggest --scenario 'Home feed' --metric hitch_ms_per_s,fps

Exit codes: 0 there are limits · 2 usage, or what cannot be read · 4 too little was measured for any limit · \
5 nothing of that name was measured";

/// `farmjank suggest`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct SuggestArgs {
    /// Run bundles of a build that is as it should be. Without one, the last good nights of the history count.
    #[arg(value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// The history store: a SQLite file, or `postgres://user@host/database`; `results/history.sqlite` when left out.
    /// Beside RUN only what `farmjank calibrate` found is taken of it, where it is named.
    #[arg(long, value_name = "PATH|URL")]
    pub history: Option<String>,
    /// Only this scenario.
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Only this window.
    #[arg(long, value_name = "NAME")]
    pub window: Option<String>,
    /// Only phones of this model (`ro.product.model`).
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Only these metrics; repeatable, commas allowed.
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// Counted iterations that a run has on each phone. Without it those of the shortest run at hand, five at most:
    /// more of them keep the same limit more surely.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub iterations: Option<u32>,
    /// How many runs of an unchanged build may break a limit by chance: each limit on each phone, above 0 % and below
    /// 50 %.
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share)]
    pub false_alarms: f64,
    /// How to print.
    #[arg(long, value_enum, default_value = "yaml")]
    pub format: SuggestFormat,
}

/// How `suggest` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SuggestFormat {
    /// To paste into a scenario.
    Yaml,
    /// For programs.
    Json,
}

fn share(text: &str) -> Result<f64, String> {
    let percent = text.trim().strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
    let share = percent.map(|percent| percent / 100.0).filter(|share| *share > 0.0 && *share < 0.5);
    share.ok_or_else(|| "write a share of runs above 0% and below 50%, such as 1%".to_owned())
}
