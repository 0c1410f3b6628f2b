//! Flags of what only reads on a farm.

use super::FarmArgs;
use clap::Args;
use std::path::PathBuf;

const FETCH_EXAMPLES: &str = "Examples:\n  \
farmjank farm fetch 20260301-120000-5eed7a --out out --farm tls://farm.example:443              # it is over: its bundle\n  \
farmjank farm fetch 20260301-120000-5eed7a --out out --wait 40m --farm tls://farm.example:443   # once it is, within that time\n\n\
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
farmjank farm watch 20260301-120000-5eed7a --farm tls://farm.example:443   # Ctrl-C leaves it, and it goes on\n\n\
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
