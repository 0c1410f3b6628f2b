//! Opening links and pages, and when they count as open.

use super::Scene;
use super::looking::LOOK_AGAIN;
use crate::android::{app, clip};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_scenarios::page::Ready;
use farmjank_scenarios::selector::Selector;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Default patience for a page to open.
const PAGE: Duration = Duration::from_secs(10);

impl Scene<'_> {
    /// Opens a link and waits until its page is ready.
    pub(super) async fn open(&self, name: &str, link: &str, ready: &Ready) -> Result<(), Fault> {
        let session = self.session;
        let (device, patience) = (&*session.device, session.patience());
        let mut front = app::open_link(device, &session.app.0, link, patience).await?;
        let most = ready.timeout.unwrap_or(PAGE);
        let deadline = Instant::now() + most;
        let selector = Selector {
            text: ready.text.clone().map(Into::into),
            id: ready.id.clone().map(Into::into),
            ..Selector::default()
        };
        let wanted = match selector == Selector::default() {
            true => None,
            false => Some(self.flow.wanted(session, &selector).await?),
        };
        loop {
            // Nobody answers it: waiting for the page would be in vain.
            if let Some(fault) = app::dialog(&session.app.0, &front) {
                return Err(fault);
            }
            let shown = app::shows(&front, &session.app.0, ready.activity.as_deref());
            let ready_now = match wanted.as_ref().filter(|_| shown) {
                Some(wanted) => wanted.find(&self.looker().look(deadline).await?).is_some(),
                None => shown,
            };
            if ready_now {
                return Ok(());
            }
            if Instant::now() >= deadline {
                if let Some(fault) = app::trouble(device, &session.app.0, patience).await? {
                    return Err(fault);
                }
                let what = format!(
                    "page `{}` was not ready within {:.1} s; in front is {front}",
                    clip(name, 80),
                    most.as_secs_f64()
                );
                return Err(
                    Fault::new(FaultCode::PageNotReady, what).advise("correct `ready`, or give it a timeout")
                );
            }
            sleep(LOOK_AGAIN).await;
            front = app::in_front(device, patience).await?;
        }
    }
}
