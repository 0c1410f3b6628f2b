//! One request and what may come of it: answers to go on with, refusals, waits, answers that were lost. In bounds: of
//! attempts, of waits, of pages.

use crate::outside::{Answer, Lost, Outside, Request, Trouble};
use crate::targets::{Garbage, Listed, Tracker};
pub(crate) use farmjank_requests::again::pause;
use farmjank_requests::again::{asked_wait, is_limit};
use std::time::Duration;

/// Most attempts of one request.
pub(crate) const ATTEMPTS: u32 = 5;
/// Longest wait that a system may ask for, s.
const LONGEST: i64 = 120;
/// Most pages of one list.
const PAGES: usize = 100;

/// What came of one attempt.
pub(crate) enum Came {
    /// An answer to go on with.
    Done(Answer),
    /// The system took nothing, and asks to wait so long.
    Wait(Duration),
    /// Nothing was taken, or it may have been; in words. The status where there is one.
    Unknown(String, Option<u16>, bool),
    /// It will not be taken.
    Refused(Trouble, u16),
}

/// What an answer is to an attempt.
pub(crate) fn came(tracker: &dyn Tracker, sent: Result<Answer, Lost>, attempt: u32, now: i64) -> Came {
    let answer = match sent {
        Ok(answer) => answer,
        Err(lost) => return Came::Unknown(lost.what, None, lost.maybe_done),
    };
    match answer.status {
        200..=299 => Came::Done(answer),
        429 | 403 if is_limit(&answer) => match asked_wait(&answer, now) {
            Some(wait) if wait > LONGEST => {
                Came::Refused(limited(tracker, now.saturating_add(wait)), answer.status)
            }
            Some(wait) => Came::Wait(Duration::from_secs(u64::try_from(wait).unwrap_or(0))),
            None => Came::Wait(pause(attempt)),
        },
        // Who stands in front of a system may give up waiting for one that goes on.
        500..=599 => Came::Unknown(tracker.refused(&answer).words, Some(answer.status), true),
        status => Came::Refused(tracker.refused(&answer), status),
    }
}

fn limited(tracker: &dyn Tracker, until: i64) -> Trouble {
    let until =
        jiff::Timestamp::from_second(until).map_or_else(|_| "later".to_owned(), |until| until.to_string());
    Trouble::all(format!(
        "{} takes no more requests of this token until {until}; run this again then",
        tracker.name()
    ))
}

/// Reads: tried again as often as is bounded.
pub(crate) async fn read(
    outside: &mut impl Outside,
    tracker: &dyn Tracker,
    request: &Request,
) -> Result<Answer, Trouble> {
    let mut last = String::new();
    for attempt in 1..=ATTEMPTS {
        let sent = outside.send(request).await;
        let wait = match came(tracker, sent, attempt, outside.now()) {
            Came::Done(answer) => return Ok(answer),
            Came::Refused(why, _) => return Err(why),
            Came::Wait(wait) => {
                last = format!("{} takes too many requests as it is; run this again later", tracker.name());
                wait
            }
            Came::Unknown(why, ..) => {
                last = why;
                pause(attempt)
            }
        };
        if attempt < ATTEMPTS {
            outside.wait(wait).await;
        }
    }
    Err(Trouble::all(last))
}

/// All pages of a list; an answer that is garbage is asked for again, too.
pub(crate) async fn pages<T>(
    outside: &mut impl Outside,
    tracker: &dyn Tracker,
    request: impl Fn(Option<&str>) -> Request,
    reads: impl Fn(&Answer) -> Result<Listed<T>, Garbage>,
) -> Result<Vec<T>, Trouble> {
    let (mut all, mut page) = (Vec::new(), None::<String>);
    for _ in 0..PAGES {
        let request = request(page.as_deref());
        let mut read_page = None;
        for attempt in 1..=ATTEMPTS {
            let answer = read(outside, tracker, &request).await?;
            match reads(&answer) {
                Ok(listed) => {
                    read_page = Some(listed);
                    break;
                }
                Err(why) if attempt == ATTEMPTS => return Err(garbled(tracker, &why)),
                Err(_) => outside.wait(pause(attempt)).await,
            }
        }
        let Some(listed) = read_page else { break };
        all.extend(listed.items);
        match listed.next {
            Some(next) if page.as_ref() != Some(&next) => page = Some(next),
            _ => return Ok(all),
        }
    }
    Err(Trouble::all(format!(
        "{} lists more than {PAGES} pages; take the label off tickets that are of no use any more",
        tracker.name()
    )))
}

pub(crate) fn garbled(tracker: &dyn Tracker, why: &Garbage) -> Trouble {
    Trouble::all(format!(
        "what answers for {} says something else than expected ({}): check --url, or run this again later",
        tracker.name(),
        why.0
    ))
}
