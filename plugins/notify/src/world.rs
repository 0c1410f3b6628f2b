//! The world as messages see it: requests with answers or none, and time; and how often one request is tried.

use farmjank_leaf::text::line;
use farmjank_requests::again::{asked_wait, is_limit, pause};
use farmjank_requests::{Answer, Lost, Request};
use std::future::Future;
use std::time::Duration;

/// Most characters of what a system says that are shown.
const SHOWN: usize = 200;

/// Shortest wait before a request is tried again.
const LEAST: Duration = Duration::from_secs(1);

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
                // Who says 0 is not asked without end.
                let wait = wait.max(LEAST);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// A world where time passes only by waiting, and answers come from a list; the last one again and again.
    struct Scripted {
        answers: VecDeque<Result<Answer, Lost>>,
        asked: u32,
        waits: Vec<u64>,
        now: i64,
    }

    impl World for Scripted {
        async fn send(&mut self, _request: &Request) -> Result<Answer, Lost> {
            self.asked += 1;
            assert!(self.asked < 1_000, "it asks without end");
            let last = self.answers.len() == 1;
            if last { self.answers[0].clone() } else { self.answers.pop_front().expect("an answer") }
        }

        async fn wait(&mut self, time: Duration) {
            self.waits.push(time.as_secs());
            self.now += i64::try_from(time.as_secs()).expect("a short wait");
        }

        fn now(&self) -> i64 {
            self.now
        }
    }

    fn ended<T>(future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
        }
    }

    fn answer(status: u16, headers: &[(&str, &str)]) -> Result<Answer, Lost> {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Ok(Answer { status, headers, body: b"{\"message\": \"planned\"}".to_vec() })
    }

    /// What comes of a request that gets these answers within so many seconds, and the waits between.
    fn asked(answers: Vec<Result<Answer, Lost>>, time: u64) -> (Result<u16, String>, Vec<u64>) {
        let mut world = Scripted { answers: answers.into(), asked: 0, waits: Vec::new(), now: 1_000 };
        let mut talk = Talk::new(&mut world, "The chat", Duration::from_secs(time));
        let came = ended(talk.ask(&Request::get("x")));
        (came.map(|answer| answer.status).map_err(|why| why.0), world.waits)
    }

    #[test]
    fn what_passes_is_asked_again_and_what_does_not_is_an_answer() {
        let lost = || Err(Lost { what: "it cannot be reached".to_owned(), maybe_done: false });
        assert_eq!(asked(vec![lost(), answer(500, &[]), answer(200, &[])], 60), (Ok(200), vec![1, 2]));
        assert_eq!(
            asked(vec![answer(429, &[("retry-after", "7")]), answer(200, &[])], 60),
            (Ok(200), vec![7])
        );
        assert_eq!(
            asked(
                vec![
                    answer(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1030")]),
                    answer(201, &[])
                ],
                60
            ),
            (Ok(201), vec![30])
        );
        for status in [302, 400, 401, 403, 404, 410, 422] {
            assert_eq!(asked(vec![answer(status, &[])], 60), (Ok(status), vec![]), "{status}");
        }
    }

    #[test]
    fn nobody_is_waited_for_longer_than_is_given() {
        let over = |words: &str| Err(format!("{words}; the time for it is over"));
        assert_eq!(
            asked(vec![answer(500, &[])], 20),
            (over("The chat fails (500): planned"), vec![1, 2, 4, 8])
        );
        assert_eq!(
            asked(vec![answer(429, &[("retry-after", "61")])], 60),
            (over("The chat takes no more requests for now (429)"), vec![])
        );
        let (ended, waits) = asked(vec![answer(429, &[("retry-after", "0")])], 5);
        assert_eq!((ended.is_err(), waits), (true, vec![1; 5]), "0 is not asked without end");
        assert!(asked(vec![answer(503, &[("retry-after", "99999999999999999999")])], 5).0.is_err());
    }
}
