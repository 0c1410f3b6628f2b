//! Looking at the screen until something is there, or is not.

use crate::android::find::Wanted;
use crate::android::screen::{Element, elements};
use crate::device_session::DeviceSession;
use crate::flow_state::FlowState;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_scenarios::selector::{Condition, Selector};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often a screen is looked at while waiting for something on it.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(300);

/// Who looks at the screen of a phone, knowing what the steps before left.
#[derive(Clone, Copy)]
pub(super) struct Looker<'s> {
    pub(super) session: &'s DeviceSession<'s>,
    pub(super) flow: &'s FlowState,
}

impl Looker<'_> {
    /// The screen, tried again while an animation keeps uiautomator waiting.
    pub(super) async fn look(&self, deadline: Instant) -> Result<Vec<Element>, Fault> {
        loop {
            match elements(&*self.session.device, self.session.patience()).await {
                Err(fault) if fault.code == FaultCode::UiUnreadable && Instant::now() < deadline => {
                    sleep(LOOK_AGAIN).await
                }
                result => return result,
            }
        }
    }

    /// The element, and all that was on the screen with it, as soon as it is there.
    ///
    /// # Errors
    /// It did not come in time.
    pub(super) async fn find(
        &self,
        selector: &Selector,
        most: Duration,
        purpose: &str,
    ) -> Result<(Element, Vec<Element>), Fault> {
        let wanted = self.flow.wanted(self.session, selector).await?;
        let deadline = Instant::now() + most;
        loop {
            let seen = self.look(deadline).await?;
            if let Some(element) = wanted.find(&seen) {
                return Ok((element.clone(), seen));
            }
            if Instant::now() >= deadline {
                return Err(missing(&wanted, seen.len(), purpose));
            }
            sleep(LOOK_AGAIN).await;
        }
    }

    /// The element, if it is there before an instant; one look at least.
    pub(super) async fn seen_by(
        &self,
        selector: &Selector,
        until: Instant,
    ) -> Result<Option<Element>, Fault> {
        let most = until.saturating_duration_since(Instant::now());
        match self.find(selector, most, "see").await {
            Ok((element, _)) => Ok(Some(element)),
            Err(fault) if fault.code == FaultCode::ElementMissing => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Whether the element is gone before an instant; one look at least.
    pub(super) async fn gone_by(&self, selector: &Selector, until: Instant) -> Result<bool, Fault> {
        let wanted = self.flow.wanted(self.session, selector).await?;
        loop {
            if wanted.find(&self.look(until).await?).is_none() {
                return Ok(true);
            }
            if Instant::now() >= until {
                return Ok(false);
            }
            sleep(LOOK_AGAIN).await;
        }
    }

    /// Waits until an element is gone.
    ///
    /// # Errors
    /// It is still there.
    pub(super) async fn gone(&self, selector: &Selector, most: Duration) -> Result<(), Fault> {
        if self.gone_by(selector, Instant::now() + most).await? {
            return Ok(());
        }
        let wanted = self.flow.wanted(self.session, selector).await?;
        let what = format!(
            "an element with {} is still on the screen after {:.1} s",
            wanted.words(),
            most.as_secs_f64()
        );
        Err(Fault::new(FaultCode::ElementPresent, what))
    }

    /// Waits until all that a condition says about the screen holds.
    pub(super) async fn wait_until(&self, until: &Condition, most: Duration) -> Result<(), Fault> {
        let begun = Instant::now();
        if let Some(element) = &until.visible {
            self.find(element, most, "see").await?;
        }
        match &until.not_visible {
            Some(element) => self.gone(element, most.saturating_sub(begun.elapsed())).await,
            None => Ok(()),
        }
    }

    /// Takes note of an element's text: what it says, its hint, or its description.
    pub(super) async fn copy(&self, selector: &Selector, most: Duration) -> Result<(), Fault> {
        let (element, _) = self.find(selector, most, "copy").await?;
        let texts = [&element.text, &element.hint, &element.description];
        match texts.into_iter().find(|text| !text.is_empty()) {
            Some(text) => self.flow.copy(text),
            None => {
                let wanted = self.flow.wanted(self.session, selector).await?;
                let what = format!("the element with {} has no text to copy", wanted.words());
                Err(Fault::new(FaultCode::ElementMissing, what))
            }
        }
    }
}

fn missing(wanted: &Wanted, seen: usize, purpose: &str) -> Fault {
    let what = format!("nothing to {purpose}: no element with {} among {seen} on the screen", wanted.words());
    Fault::new(FaultCode::ElementMissing, what).advise("a text must match the whole text of the element")
}
