//! The world as messages see it: requests with answers or none, and time; and how often one request is tried.

use farmjank_leaf::text::line;
use farmjank_requests::again::{asked_wait, is_limit, pause};
use farmjank_requests::{Answer, Lost, Request};
use std::future::Future;
use std::time::Duration;

/// Most characters of what a system says that are shown.
const SHOWN: usize = 200;

/// What a message needs of the world.
pub trait World {
    /// Sends a request, and waits for its answer within a time of its own.
    fn send(&mut self, request: &Request) -> impl Future<Output = Result<Answer, Lost>>;

    /// Waits.
    fn wait(&mut self, time: Duration) -> impl Future<Output = ()>;

    /// Seconds since 1970.
    fn now(&self) -> i64;
}

/// Why nobody was told: in words, with what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Undelivered(pub String);

/// What came of one attempt.
pub(crate) enum Came {
    /// It was taken.
    Done(Answer),
    /// It was refused for good.
    Refused(Answer),
    /// It may be tried again after so long; the words are for when there is no time left.
    Later(Duration, String),
}

/// A talk with one system, which ends at a given instant whatever happens.
pub struct Talk<'w, W> {
    world: &'w mut W,
    /// As people call it.
    system: &'static str,
    /// Until when it may last, s since 1970.
    until: i64,
}

impl<'w, W: World> Talk<'w, W> {
    /// With this system; all of it has so long.
    pub fn new(world: &'w mut W, system: &'static str, time: Duration) -> Talk<'w, W> {
        let until = world.now().saturating_add(i64::try_from(time.as_secs()).unwrap_or(i64::MAX));
        Talk { world, system, until }
    }

    /// Asks, and asks again while that may help and there is time.
    ///
    /// # Errors
    /// There was no answer that helps in this time. A refusal is an answer.
    pub async fn ask(&mut self, request: &Request) -> Result<Answer, Undelivered> {
        let mut attempt = 1;
        loop {
            match self.attempt(request, attempt).await {
                Came::Done(answer) | Came::Refused(answer) => return Ok(answer),
                Came::Later(wait, words) => self.wait(wait, words).await?,
            }
            attempt += 1;
        }
    }

    /// One attempt, counted from 1.
    pub(crate) async fn attempt(&mut self, request: &Request, attempt: u32) -> Came {
        let system = self.system;
        match self.world.send(request).await {
            Ok(answer) if (200..300).contains(&answer.status) => Came::Done(answer),
            Ok(answer) if is_limit(&answer) => {
                let asked = asked_wait(&answer, self.world.now());
                let wait =
                    asked.map_or(pause(attempt), |s| Duration::from_secs(u64::try_from(s).unwrap_or(0)));
                Came::Later(wait, format!("{system} takes no more requests for now ({})", answer.status))
            }
            Ok(answer) if answer.status >= 500 => {
                Came::Later(pause(attempt), format!("{system} fails ({}){}", answer.status, said(&answer)))
            }
            Ok(answer) => Came::Refused(answer),
            Err(lost) => Came::Later(pause(attempt), lost.what),
        }
    }

    /// Waits, where there is time for it.
    ///
    /// # Errors
    /// There is not, with these words.
    pub(crate) async fn wait(&mut self, time: Duration, words: String) -> Result<(), Undelivered> {
        let then = self.world.now().saturating_add(i64::try_from(time.as_secs()).unwrap_or(i64::MAX));
        if then > self.until {
            return Err(Undelivered(format!("{words}; the time for it is over")));
        }
        self.world.wait(time).await;
        Ok(())
    }
}

/// What a system says of itself, after a colon; empty where it says nothing.
pub(crate) fn said(answer: &Answer) -> String {
    let json = answer.json();
    let message = json.as_ref().and_then(|json| json["message"].as_str());
    message.map(|message| format!(": {}", line(message, SHOWN))).unwrap_or_default()
}
