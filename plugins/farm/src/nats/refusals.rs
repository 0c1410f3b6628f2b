//! What the server refuses: it says so beside the answers, never as one, so that a question without an answer may be a
//! refused one.

use async_nats::{ClientError, Event, ServerError};
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// The server lets this end in no more: the client asks again for ever, and tells nobody who waits.
    out: Arc<AtomicBool>,
}

impl Refusals {
    pub(super) fn new() -> Refusals {
        Refusals { told: channel(KEPT).0, deaf: Arc::default(), out: Arc::default() }
    }

    /// What the server said beside the answers.
    pub(super) fn hear(&self, event: &Event) {
        let words = match event {
            Event::Connected => return self.out.store(false, Ordering::Relaxed),
            // So the client tells of a connection that is made anew.
            Event::ClientError(ClientError::Other(words)) if words.starts_with("authorization violation") => {
                return self.out.store(true, Ordering::Relaxed);
            }
            Event::ServerError(ServerError::Other(words)) => words,
            _ => return,
        };
        let small = words.to_lowercase();
        if small.starts_with(&format!("{VIOLATION}subscription")) {
            *self.deaf.lock().unwrap_or_else(PoisonError::into_inner) = Some(words.clone());
        }
        if small.starts_with(VIOLATION) {
            // Nobody may be listening.
            let _ = self.told.send(words.clone());
        }
    }

    /// What is said of every question while the server lets this end in no more.
    pub(super) fn out(&self) -> Option<Fault> {
        let what = "the farm lets this end in no more: its key was made anew, or taken away";
        let fault = || Fault::new(FaultCode::FarmRefused, what).passing();
        self.out
            .load(Ordering::Relaxed)
            .then(|| fault().advise("begin again with the new key; who runs the farm has it"))
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
    fn a_key_that_is_taken_away_is_told_until_it_is_let_in_again() {
        let refusals = Refusals::new();
        refusals.hear(&Event::ClientError(ClientError::Other("authorization violation: nats".to_owned())));
        let fault = refusals.out().expect("it is out");
        assert!(fault.code == FaultCode::FarmRefused && fault.what.contains("no more"), "{fault}");
        refusals.hear(&Event::Connected);
        assert_eq!(refusals.out(), None);
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
