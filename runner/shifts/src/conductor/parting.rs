//! The end of conducting a run: whoever comes later is to find that it is over. Must not know: what was measured.

use super::AGAIN;
use super::lead::Lead;
use crate::working::passes;
use farmjank_leaf::text::line;
use farmjank_results::fault::Fault;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long it is tried where the farm does not answer.
const PARTING: Duration = Duration::from_secs(15);

/// It is conducted from here no more. A run that is left goes on, and its lease ends by itself. Of one that is over,
/// what was measured is whole where the farm cannot be told, and it stands there as one that nobody conducts.
pub(super) async fn part(lead: &mut Lead) {
    let (began, over) = (Instant::now(), lead.gathering.is_over());
    loop {
        let why = match parted(lead, over).await {
            Ok(true) => return,
            Ok(false) if began.elapsed() < lead.patience => continue,
            Ok(false) => {
                "it lost the run, and does not take it again; the run's folder has all of it".to_owned()
            }
            Err(_) if !over => return,
            Err(fault) if passes(&fault) && began.elapsed() < PARTING => {
                sleep(AGAIN).await;
                continue;
            }
            Err(fault) => format!("{}; `--attach {}` says so", line(&fault.to_string(), 200), lead.key),
        };
        return lead.voice.err(&format!("the farm does not know that the run is over: {why}\n"));
    }
}

/// A step towards it; whether it is. Of a run that is over, what a store forgets meanwhile is written anew before.
async fn parted(lead: &mut Lead, over: bool) -> Result<bool, Fault> {
    if over && lead.gathering.conducts() && !lead.gathering.is_over() {
        lead.gathered().await?;
        return Ok(false);
    }
    lead.leave().await
}
