//! What is not done over a farm yet, told before anything is asked.

use crate::args::RunArgs;
use crate::command_error::{CommandError, usage};
use crate::host;
use farmjank_scenarios::scenario::{Scenario, Spread};

/// Whether a run with these flags can be made over a farm.
///
/// # Errors
/// The first flag that cannot.
pub fn for_farm(args: &RunArgs, scenarios: &[Scenario]) -> Result<(), CommandError> {
    let no =
        |what: &str| Err(usage!("--farm: {what} is not done over a farm yet; run it where the phones are"));
    // It was fit when it was begun.
    if args.over.attach.is_some() {
        return Ok(());
    }
    if args.watch {
        return no("--watch");
    }
    if args.resume.is_some() || args.rerun.asked()?.is_some() {
        return no("going on with a run (--resume, --last-failed)");
    }
    if args.fail_fast.is_some() && args.over.detach {
        return Err(usage!(
            "--fail-fast: who conducts a run counts what fails, and --detach leaves it to nobody"
        ));
    }
    if args.fail_fast.is_some() && args.phones.lab.is_some() {
        return no("--fail-fast of a virtual lab, whose hosts are each on a clock of their own,");
    }
    let spread = scenarios.iter().any(|scenario| scenario.spread != Spread::Off);
    if args.select.spread.is_some() || spread {
        return no("--spread");
    }
    if host::has_secrets() {
        return no("a scenario with secrets");
    }
    Ok(())
}
