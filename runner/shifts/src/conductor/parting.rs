//! The end of conducting a run: whoever comes later is to find that it is over. Must not know: what was measured.

use super::AGAIN;
use super::lead::Lead;
use crate::working::passes;
use farmjank_leaf::text::line;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long it is tried.
const PARTING: Duration = Duration::from_secs(15);

/// It is conducted from here no more. A run that is left goes on, and its lease ends by itself. Of one that is over,
/// what was measured is whole where the farm cannot be told, and it stands there as one that nobody conducts.
pub(super) async fn part(lead: &mut Lead) {
    let until = Instant::now() + PARTING;
    while let Err(fault) = lead.leave().await {
        if !lead.gathering.is_over() {
            return;
        }
        if !passes(&fault) || Instant::now() >= until {
            let (key, shown) = (&lead.key, line(&fault.to_string(), 200));
            let told =
                format!("the farm does not know that the run is over: {shown}; `--attach {key}` says so\n");
            lead.voice.err(&told);
            return;
        }
        sleep(AGAIN).await;
    }
}
