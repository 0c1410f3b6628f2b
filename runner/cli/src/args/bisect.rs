//! Flags of the search for the build that became slower.

use super::{ListingFormat, RunArgs, TurnArgs};
use clap::Args;

const EXAMPLES: &str = "Examples:\n  \
farmjank bisect app-7.1.apk app-7.2.apk app-7.3.apk app-7.4.apk scenarios/feed.yaml\n  \
farmjank bisect $(ls -v nightly/*.apk) scenarios/feed.yaml -s R5CT40ABCDE --format json\n\n\
Exit codes: 1 found · 0 the newest is no slower · 4 it cannot be told, or only which builds are left · 2 usage · 3 lab fault";

/// `farmjank bisect`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES, mut_arg("paths", |arg| arg.value_name("BUILD.apk|SCENARIO").help("The builds (.apk), the oldest first, and scenario files or folders; `scenarios` without one").required(true).default_value(None::<&str>)), mut_arg("baseline", |arg| arg.hide(true)), mut_arg("resume", |arg| arg.hide(true)), mut_arg("fail_fast", |arg| arg.hide(true)), mut_arg("deadline", |arg| arg.hide(true)), mut_arg("one_session", |arg| arg.hide(true)), mut_arg("max_age", |arg| arg.hide(true)), mut_arg("watch", |arg| arg.hide(true)), mut_arg("detach", |arg| arg.hide(true)), mut_arg("attach", |arg| arg.hide(true)), mut_arg("install", |arg| arg.hide(true)), mut_arg("notify", |arg| arg.hide(true)), mut_arg("budget", |arg| arg.hide(true)), mut_arg("ui", |arg| arg.hide(true)), mut_arg("out", |arg| arg.help("Where the runs of the comparisons go, as comparison-1, comparison-2 and so on; default `results/runs`, one folder each")))]
pub struct BisectArgs {
    /// How two of them take turns.
    #[command(flatten)]
    pub turns: TurnArgs,
    /// How to print what was found.
    #[arg(long, value_enum, default_value = "table")]
    pub format: ListingFormat,
    /// What to run, and where.
    #[command(flatten)]
    pub run: RunArgs,
}
