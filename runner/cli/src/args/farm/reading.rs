//! Flags of what only reads on a farm.

use super::FarmArgs;
use crate::args::ListingFormat;
use clap::Args;
use std::path::PathBuf;

const FETCH_EXAMPLES: &str = "Examples:\n  \
farmjank farm fetch RUN --out out --farm tls://farm.example:4222              # of a run that is over\n  \
farmjank farm fetch RUN --out out --farm tls://farm.example:4222 --wait 40m   # of one that will be, by then\n\n\
Exit codes: those of the run; 2 usage · 3 it is not over, or the farm does not know it";

/// `farmjank farm fetch`
#[derive(Args, Debug, Clone)]
#[command(after_help = FETCH_EXAMPLES)]
pub struct FarmFetchArgs {
    /// What the run is called: as `--detach` printed it, or its folder in `results/runs`.
    #[arg(value_name = "RUN")]
    pub run: String,
    /// The folder its bundle is written into.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// How long a run that is under way is waited for; without it, that it is under way is an error.
    #[arg(long, value_name = "TIME", default_value = "0s", hide_default_value = true)]
    pub wait: String,
    /// Replace a run that --out holds.
    #[arg(long)]
    pub overwrite: bool,
    /// Print only the final table and faults.
    #[arg(short, long)]
    pub quiet: bool,
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
}

const WATCH_EXAMPLES: &str = "Examples:\n  \
farmjank farm watch RUN --farm tls://farm.example:4222   # Ctrl-C leaves it, and it goes on\n\n\
Exit codes: those of the run; 2 usage · 3 the farm does not know it, or is away for too long · 130/143 left";

/// `farmjank farm watch`
#[derive(Args, Debug, Clone)]
#[command(after_help = WATCH_EXAMPLES)]
pub struct FarmWatchArgs {
    /// What the run is called, as `farmjank farm status` lists it.
    #[arg(value_name = "RUN")]
    pub run: String,
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
    /// How long the farm may be away before it is given up.
    #[arg(long, value_name = "TIME", default_value = "10m", hide_default_value = true)]
    pub farm_patience: String,
}

const QUEUE_EXAMPLES: &str = "Examples:\n  \
farmjank farm queue --farm tls://farm.example:4222                 # the most urgent first\n  \
farmjank farm queue --farm tls://farm.example:4222 --format json   # for programs\n\n\
Exit codes: 0 listed, however many · 2 usage · 3 the farm does not answer, or refuses";

/// `farmjank farm queue`
#[derive(Args, Debug, Clone)]
#[command(after_help = QUEUE_EXAMPLES)]
pub struct FarmQueueArgs {
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

const PHONES_EXAMPLES: &str = "Examples:\n  \
farmjank farm phones --farm tls://farm.example:4222          # every phone, and whether runs are given it\n  \
farmjank farm phones --farm tls://farm.example:4222 --who    # who has which\n\n\
Exit codes: 0 listed · 2 usage · 3 no phone is there, or the farm does not answer";

/// `farmjank farm phones`
#[derive(Args, Debug, Clone)]
#[command(after_help = PHONES_EXAMPLES)]
pub struct FarmPhonesArgs {
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
    /// Say only who has which phone.
    #[arg(long)]
    pub who: bool,
    /// For people, or as JSON for programs (docs/listings.md).
    #[arg(long, value_enum, default_value = "table", hide_default_value = true)]
    pub format: ListingFormat,
}

const KEEP_EXAMPLES: &str = "Examples:\n  \
farmjank farm keep --history postgres://lab@db.example/nights --farm tls://farm.example:4222\n  \
farmjank farm keep --history nights.sqlite --farm tls://farm.example:4222 --once   # by a timer\n\n\
Exit codes: 2 usage · 130/143 told to end; with --once 0 all that is over is kept · 3 some of it is not";

/// `farmjank farm keep`
#[derive(Args, Debug, Clone)]
#[command(after_help = KEEP_EXAMPLES)]
pub struct FarmKeepArgs {
    /// The store: a SQLite file, or `postgres://user@host/database`.
    #[arg(long, value_name = "PATH|URL")]
    pub history: String,
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
    /// What tells these runs apart in the history, such as `farm=berlin`; repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub label: Vec<String>,
    /// Between two looks at the farm.
    #[arg(long, value_name = "TIME", default_value = "15s", hide_default_value = true)]
    pub every: String,
    /// Keep what is over now, and end.
    #[arg(long)]
    pub once: bool,
}
