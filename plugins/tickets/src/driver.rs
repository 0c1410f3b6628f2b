//! One place in one system: reads the tickets there are, and writes with a line in the journal before and after. What
//! is done with that is in `steps`.

use crate::journal::{Came as Noted, Told, Write};
use crate::outside::{Outside, Request, Trouble};
use crate::talk::{self, Came, pages};
use crate::targets::Tracker;
use crate::ticket::{Known, Ticket, by_cause};
use std::collections::BTreeMap;

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was taken; the answer may have been lost, and it is there all the same.
    Done,
    /// It was there already when it was looked up.
    Found,
    /// It was not taken, or not wholly.
    Failed(String),
    /// It was not tried, because of one before it.
    NotTried,
}

/// A step, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Which of the steps.
    pub nth: usize,
    /// The ticket; empty where there is none.
    pub ticket: String,
    /// Where a person sees it.
    pub url: String,
    /// What became of it.
    pub ended: Ended,
}

/// Reads and writes tickets of one place.
pub struct Driver<O> {
    pub(crate) tracker: Box<dyn Tracker>,
    pub(crate) outside: O,
    /// Second names of tickets that must not be missed though they are new.
    pub(crate) ids: Vec<String>,
    /// Causes whose ticket may have been opened without an answer, and when, s since 1970.
    pub(crate) unsure: Vec<(String, i64)>,
}

impl<O: Outside> Driver<O> {
    /// Of one place; `told` is what the journal of earlier calls tells.
    pub fn new(tracker: Box<dyn Tracker>, outside: O, told: Told) -> Driver<O> {
        Driver { tracker, outside, ids: told.ids, unsure: told.unanswered }
    }

    /// The tickets there are, by cause. Asks first whether the place is there.
    ///
    /// # Errors
    /// It cannot be reached, or refuses.
    pub async fn tickets(&mut self, writes: bool) -> Result<BTreeMap<String, Known>, Trouble> {
        let request = self.tracker.place();
        let place = talk::read(&mut self.outside, &*self.tracker, &request).await?;
        self.tracker.place_read(&place, writes)?;
        self.look().await
    }

    /// The tickets there are now.
    pub(crate) async fn look(&mut self) -> Result<BTreeMap<String, Known>, Trouble> {
        let Driver { tracker, outside, ids, .. } = self;
        let (tracker, ids) = (&**tracker, &*ids);
        let list = |page: Option<&str>| tracker.list(page, ids);
        let all = pages(outside, tracker, list, |answer| tracker.list_read(answer)).await?;
        Ok(by_cause(all))
    }

    /// Reads what the comments of a ticket told.
    ///
    /// # Errors
    /// It cannot be reached, or refuses.
    pub async fn read_comments(&mut self, known: &mut Known) -> Result<(), Trouble> {
        let Driver { tracker, outside, .. } = self;
        let (tracker, ticket) = (&**tracker, known.ticket.clone());
        let list = |page: Option<&str>| tracker.comments(&ticket, page);
        let all = pages(outside, tracker, list, |answer| tracker.comments_read(answer)).await?;
        known.read(&all, tracker.dialect());
        Ok(())
    }

    /// Keeps a line of the journal.
    pub(crate) fn keep(&mut self, line: &serde_json::Value) -> Result<(), Trouble> {
        self.outside.keep(line).map_err(|why| {
            Trouble::all(format!(
                "the journal cannot be written: {why}; nothing is written to tickets without it"
            ))
        })
    }

    pub(crate) fn write(&self, what: &'static str, ticket: &Ticket, attempt: u32) -> Write {
        let (fingerprint, key) = (ticket.fingerprint.clone(), ticket.key.clone());
        Write { target: self.tracker.name(), what, fingerprint, ticket: key, attempt }
    }

    /// One attempt to write, with its lines in the journal.
    pub(crate) async fn attempt(
        &mut self,
        write: &Write,
        request: &Request,
        url: &str,
    ) -> Result<Came, Trouble> {
        let line = write.intent(self.outside.now());
        self.keep(&line)?;
        let sent = self.outside.send(request).await;
        let came = talk::came(&*self.tracker, sent, write.attempt, self.outside.now());
        let mut noted = Noted {
            status: None,
            ticket: write.ticket.clone(),
            url: url.to_owned(),
            id: String::new(),
            why: String::new(),
        };
        match &came {
            Came::Done(answer) => {
                noted.status = Some(answer.status);
                if write.what == "open"
                    && let Ok(opened) = self.tracker.opened(answer)
                {
                    (noted.ticket, noted.url, noted.id) = (opened.key, opened.url, opened.id);
                }
            }
            Came::Refused(why, status) => (noted.status, noted.why) = (Some(*status), why.words.clone()),
            Came::Unknown(why, status, _) => (noted.status, noted.why) = (*status, why.clone()),
            Came::Wait(wait) => {
                (noted.status, noted.why) = (Some(429), format!("asked to wait {} s", wait.as_secs()))
            }
        }
        let line = write.answer(self.outside.now(), &noted);
        self.keep(&line)?;
        Ok(came)
    }
}
