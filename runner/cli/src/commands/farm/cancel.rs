//! `farmjank farm cancel`: hosts of a run are told to stop, wherever it is conducted.

use crate::args::FarmCancelArgs;
use crate::commands::run::own_id;
use crate::farm::connected;
use crate::host::{Spilled, Streams};
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::Stop;
use farmjank_farm::subjects::word;
use farmjank_results::fault::Fault;
use farmjank_shifts::conductor::{self, Desk};
use std::rc::Rc;
use std::time::Duration;

/// Tells them.
pub async fn run(args: &FarmCancelArgs) -> Result<bool, Fault> {
    let key = word("run", &args.run)?.to_owned();
    let desk = Desk {
        exchange: connected(&args.farm, &args.of, "cancel", false).await?,
        key: key.clone(),
        owner: own_id(),
        patience: Duration::ZERO,
        voice: Rc::new(Streams),
        stop: Stop::default(),
        aside: Rc::new(Spilled::anywhere()),
    };
    let found = conductor::found(&desk).await?;
    if found.is_over() {
        Streams.out(&format!("{key} is over; there is nothing to stop\n"));
        return Ok(true);
    }
    conductor::cancel(found, desk, args.now).await?;
    let when = if args.now { "at once" } else { "after the iteration that is under way" };
    Streams.out(&format!("the hosts of {key} are told to stop {when}\n"));
    Ok(true)
}
