//! The end of conducting a run: whoever comes later is to find that it is over. Must not know: what was measured.

use super::AGAIN;
use super::lead::Lead;
use crate::working::passes;
use farmjank_leaf::text::line;
use farmjank_results::fault::Fault;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long it is tried.
const PARTING: Duration = Duration::from_secs(15);

/// It is conducted from here no more. A run that is left goes on, and its lease ends by itself. Of one that is over,
/// what was measured is whole where the farm cannot be told, and it stands there as one that nobody conducts.
pub(super) async fn part(lead: &mut Lead) {
    let until = Instant::now() + PARTING;
    let over = lead.gathering.is_over();
    loop {
        let why = match parted(lead, over).await {
            Ok(true) => return,
            Ok(false) if Instant::now() < until => continue,
            Ok(false) => "it forgot the run's log, and is too slow to take it again".to_owned(),
            Err(_) if !over => return,
            Err(fault) if passes(&fault) && Instant::now() < until => {
                sleep(AGAIN).await;
                continue;
            }
            Err(fault) => line(&fault.to_string(), 200),
        };
        let key = &lead.key;
        let told = format!("the farm does not know that the run is over: {why}; `--attach {key}` says so\n");
        return lead.voice.err(&told);
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
