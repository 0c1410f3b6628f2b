//! Taking the steps of a plan, one after the other.
//!
//! A write whose answer was lost may have been done. Before it is tried again it is looked up by its marker; what leads
//! to the same twice is done again.

use crate::driver::{Driver, Ended, Taken};
use crate::marker::Told;
use crate::opened::{self, Opening};
use crate::outside::{Outside, Trouble};
use crate::plan::{Action, Step};
use crate::post::Post;
use crate::talk::{self, ATTEMPTS, Came, pause};
use crate::ticket::{Known, State, Ticket};

/// What is said of a system that asks to wait again and again.
const BUSY: &str = "it takes too many requests as it is; run this again later";

impl<O: Outside> Driver<O> {
    /// Takes steps. After one that fails for a reason that concerns all, no other is tried.
    pub async fn take(&mut self, steps: &[Step]) -> Vec<Taken> {
        let mut all = Vec::new();
        let mut stopped = false;
        for (nth, step) in steps.iter().enumerate() {
            if step.action == Action::Nothing {
                continue;
            }
            let of = step.ticket.as_ref().map(|known| (known.ticket.key.clone(), known.ticket.url.clone()));
            let (ticket, url) = of.unwrap_or_default();
            let mut taken = Taken { nth, ticket, url, ended: Ended::NotTried };
            if !stopped {
                let done = self.step(step, &mut taken).await;
                taken.ended = done.unwrap_or_else(|why| {
                    stopped = !why.of_one;
                    Ended::Failed(why.words)
                });
            }
            all.push(taken);
        }
        all
    }

    async fn step(&mut self, step: &Step, taken: &mut Taken) -> Result<Ended, Trouble> {
        match (&step.action, &step.ticket) {
            (Action::Open(new), _) => {
                let Opening { ticket, url, ended, flaw } = opened::open(self, new).await?;
                (taken.ticket, taken.url) = (ticket, url);
                if flaw.is_empty() { Ok(ended) } else { Err(Trouble::all(flaw)) }
            }
            (Action::Comment(post), Some(known)) => self.comment("comment", known, post).await,
            // Opened before the comment: a comment tells of the build, and a ticket that tells of it stays closed.
            (Action::Reopen(post), Some(known)) => {
                self.turn("reopen", &known.ticket, true).await?;
                self.comment("reopen", known, post).await
            }
            (Action::Close(post), Some(known)) => {
                if let Some(post) = post {
                    self.comment("close", known, post).await?;
                }
                self.turn("close", &known.ticket, false).await
            }
            _ => Ok(Ended::Done),
        }
    }

    /// Writes a comment, once.
    async fn comment(&mut self, what: &'static str, known: &Known, post: &Post) -> Result<Ended, Trouble> {
        let text = post.written(self.tracker.dialect());
        let request = self.tracker.comment(&known.ticket, &text);
        let told: Option<Told> = post.markers.iter().find_map(|marker| marker.told.clone());
        let mut last = String::new();
        for attempt in 1..=ATTEMPTS {
            let write = self.write(what, &known.ticket, attempt);
            match self.attempt(&write, &request, &known.ticket.url).await? {
                Came::Done(_) => return Ok(Ended::Done),
                Came::Refused(why, _) => return Err(why),
                Came::Wait(wait) => {
                    last = BUSY.to_owned();
                    self.outside.wait(wait).await;
                }
                Came::Unknown(why, _, maybe_done) => {
                    last = why;
                    self.outside.wait(pause(attempt)).await;
                    if maybe_done && let Some(told) = &told {
                        let mut fresh = Known { told: Vec::new(), ..known.clone() };
                        self.read_comments(&mut fresh).await?;
                        if fresh.knows_run(told) {
                            return Ok(Ended::Found);
                        }
                    }
                }
            }
        }
        Err(Trouble::all(last))
    }

    /// Opens a ticket again or closes it; done twice it is done once.
    async fn turn(&mut self, what: &'static str, ticket: &Ticket, open: bool) -> Result<Ended, Trouble> {
        let ways = match self.tracker.ways(ticket) {
            Some(request) => Some(talk::read(&mut self.outside, &*self.tracker, &request).await?),
            None => None,
        };
        let request = self.tracker.turn(ticket, open, ways.as_ref())?;
        let mut last = String::new();
        for attempt in 1..=ATTEMPTS {
            let write = self.write(what, ticket, attempt);
            let wait = match self.attempt(&write, &request, &ticket.url).await? {
                Came::Done(_) => return Ok(Ended::Done),
                // Where a step leads elsewhere once it was taken, it is refused the second time.
                Came::Refused(why, _) if attempt > 1 => {
                    return if self.is(ticket, open).await? { Ok(Ended::Found) } else { Err(why) };
                }
                Came::Refused(why, _) => return Err(why),
                Came::Wait(wait) => {
                    last = BUSY.to_owned();
                    wait
                }
                Came::Unknown(why, ..) => {
                    last = why;
                    pause(attempt)
                }
            };
            self.outside.wait(wait).await;
        }
        Err(Trouble::all(last))
    }

    /// Whether a ticket is open, or closed, by now.
    async fn is(&mut self, ticket: &Ticket, open: bool) -> Result<bool, Trouble> {
        let now = self.look().await?;
        let state = now.get(&ticket.fingerprint).map(|known| &known.ticket.state);
        Ok(state.is_some_and(|state| matches!(state, State::Open) == open))
    }
}
