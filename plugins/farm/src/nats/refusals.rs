//! What the server refuses: it says so beside the answers, never as one, so that a question without an answer may be a
//! refused one.

use async_nats::{Event, ServerError};
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast::{Receiver, Sender, channel};

/// Refusals that are kept for who listens late.
const KEPT: usize = 64;
/// What every refusal begins with.
const VIOLATION: &str = "permissions violation for ";

/// The refusals of a connection.
#[derive(Clone)]
pub(super) struct Refusals {
    told: Sender<String>,
    /// Why no answer can be heard at all: it is said once, when it is listened for.
    deaf: Arc<Mutex<Option<String>>>,
}

impl Refusals {
    pub(super) fn new() -> Refusals {
        Refusals { told: channel(KEPT).0, deaf: Arc::default() }
    }

    /// What the server said beside the answers.
    pub(super) fn hear(&self, event: &Event) {
        let Event::ServerError(ServerError::Other(words)) = event else { return };
        let small = words.to_lowercase();
        if small.starts_with(&format!("{VIOLATION}subscription")) {
            *self.deaf.lock().unwrap_or_else(PoisonError::into_inner) = Some(words.clone());
        }
        if small.starts_with(VIOLATION) {
            // Nobody may be listening.
            let _ = self.told.send(words.clone());
        }
    }

    /// From here on.
    pub(super) fn listen(&self) -> Receiver<String> {
        self.told.subscribe()
    }

    /// Waits until a question on this subject is refused.
    pub(super) async fn of(&self, mut told: Receiver<String>, subject: &str) -> Fault {
        let deaf = || self.deaf.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(words) = deaf() {
            return refused(&words);
        }
        let about = format!("\"{subject}\"");
        loop {
            match told.recv().await {
                Ok(words) if words.contains(&about) || deaf().is_some() => return refused(&words),
                Ok(_) | Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
                Err(tokio::sync::broadcast::error::RecvError::Closed) => return std::future::pending().await,
            }
        }
    }
}

fn refused(words: &str) -> Fault {
    let what = format!("these credentials may not do that on the farm: {}", line(words, 200));
    Fault::new(FaultCode::FarmRefused, what).advise(
        "use those of the right role, or ask who runs the farm (`farmjank farm doctor` says what they may)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn says(words: &str) -> Event {
        Event::ServerError(ServerError::Other(words.to_owned()))
    }

    #[test]
    fn a_refusal_is_of_the_question_it_names() {
        let refusals = Refusals::new();
        let told = refusals.listen();
        refusals.hear(&says("Permissions Violation for Publish to \"fj.work.b2\""));
        refusals.hear(&says("maximum connections exceeded"));
        assert!(refusals.of(told, "fj.work.b").now_or_never().is_none(), "another's");
        let told = refusals.listen();
        refusals.hear(&says("Permissions Violation for Publish to \"fj.work.b\""));
        let fault = refusals.of(told, "fj.work.b").now_or_never().expect("its own");
        assert_eq!(fault.code, FaultCode::FarmRefused);
        assert!(fault.what.contains("fj.work.b"), "{fault}");
    }

    #[test]
    fn who_may_hear_no_answers_is_told_with_every_question() {
        let refusals = Refusals::new();
        refusals.hear(&says("Permissions Violation for Subscription to \"_INBOX.x.*\""));
        for subject in ["a", "b"] {
            let fault = refusals.of(refusals.listen(), subject).now_or_never().expect("deaf");
            assert!(fault.what.contains("_INBOX.x"), "{fault}");
        }
    }
}
