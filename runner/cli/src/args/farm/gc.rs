//! Flags of who makes room on a farm.

use super::FarmArgs;
use clap::Args;

const GC_EXAMPLES: &str = "Examples:\n  \
farmjank farm gc --farm URL --farm-secret operator.nk --dry-run         # what would go\n  \
farmjank farm gc --farm URL --farm-secret operator.nk --older-than 3d   # by a timer\n\n\
Exit codes: 0 what is older is gone, if there was any · 2 usage · 3 the farm does not answer, or refuses";

/// `farmjank farm gc`
#[derive(Args, Debug, Clone)]
#[command(after_help = GC_EXAMPLES)]
pub struct FarmGcArgs {
    /// The farm's address.
    #[arg(long, value_name = "URL")]
    pub farm: String,
    /// Which farm.
    #[command(flatten)]
    pub of: FarmArgs,
    /// How long a run that is over stays; in days, hours or minutes, such as 7d. One that is not over, and that nobody
    /// conducts or works for, stays for that long after its last word, and for three days at least.
    #[arg(long, value_name = "AGE", default_value = "7d")]
    pub older_than: String,
    /// Say what would go, and leave it.
    #[arg(long)]
    pub dry_run: bool,
}
