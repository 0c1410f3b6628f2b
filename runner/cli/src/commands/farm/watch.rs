//! `farmjank farm watch`: a run that others conduct, as its own terminal shows it.

use super::reading::opened;
use crate::args::FarmWatchArgs;
use crate::command_error::usage;
use crate::commands::run::console;
use crate::farm::failed;
use crate::host::signals;
use crate::settings::{Terminal, refuse, time};
use farmjank_results::verdict::Verdict;

/// Follows; the exit code is that of the run.
pub async fn run(args: &FarmWatchArgs, terminal: Terminal) -> u8 {
    let patience = match time(&args.farm_patience) {
        Ok(patience) => patience,
        Err(why) => return refuse(&usage!("--farm-patience: {why}")),
    };
    signals::hear();
    signals::leave_at_once(true);
    let watched = async {
        let run = opened((&args.farm, &args.of), &args.run, "watch", patience).await?;
        run.reading.watched(console((false, false), terminal, None), run.against).await
    };
    match watched.await {
        Ok(record) => record.and_then(|record| record.exit_code).unwrap_or(Verdict::Broken.exit_code()),
        Err(fault) => failed(&fault),
    }
}
