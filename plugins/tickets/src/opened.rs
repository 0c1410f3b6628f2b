//! Opening a ticket so that there is never a second one for its cause.

use crate::driver::{Driver, Ended};
use crate::journal::Write;
use crate::outside::{Outside, Trouble};
use crate::post::NewTicket;
use crate::talk::{ATTEMPTS, Came, garbled, pause};

/// Attempts to find a ticket in a system that lists late, before it is left to another call.
const LOOKS: u32 = 4;

/// How late a system may list a ticket, s.
const LATE: i64 = 600;

/// A ticket that was opened, or was there.
pub(crate) struct Opening {
    pub ticket: String,
    pub url: String,
    pub ended: Ended,
    pub flaw: String,
}

/// Opens a ticket.
pub(crate) async fn open<O: Outside>(driver: &mut Driver<O>, new: &NewTicket) -> Result<Opening, Trouble> {
    if let Some(found) = unsure(driver, new).await? {
        return Ok(found);
    }
    let request = driver.tracker.open(new);
    let mut last = String::new();
    for attempt in 1..=ATTEMPTS {
        let (target, fingerprint) = (driver.tracker.name(), new.fingerprint.clone());
        let write = Write { target, what: "open", fingerprint, ticket: String::new(), attempt };
        let maybe_done = match driver.attempt(&write, &request, "").await? {
            Came::Done(answer) => match driver.tracker.opened(&answer) {
                Ok(opened) => {
                    if !opened.id.is_empty() {
                        driver.ids.push(opened.id);
                    }
                    let (ticket, url, flaw) = (opened.key, opened.url, opened.flaw);
                    return Ok(Opening { ticket, url, ended: Ended::Done, flaw });
                }
                Err(why) => {
                    last = garbled(&*driver.tracker, &why).words;
                    driver.outside.wait(pause(attempt)).await;
                    true
                }
            },
            Came::Refused(why, _) => return Err(why),
            Came::Wait(wait) => {
                last = "it takes too many requests as it is; run this again later".to_owned();
                driver.outside.wait(wait).await;
                false
            }
            Came::Unknown(why, _, maybe_done) => {
                last = why;
                driver.outside.wait(pause(attempt)).await;
                maybe_done
            }
        };
        if !maybe_done {
            continue;
        }
        if let Some(found) = find(driver, &new.fingerprint).await? {
            return Ok(found);
        }
        if driver.tracker.lists_late() {
            return late(driver, new, &last).await;
        }
    }
    Err(Trouble::all(last))
}

/// What an earlier call may have opened a short time ago, in a system that lists late.
async fn unsure<O: Outside>(driver: &mut Driver<O>, new: &NewTicket) -> Result<Option<Opening>, Trouble> {
    let since = driver.outside.now() - LATE;
    let asked = driver.unsure.iter().any(|(print, at)| *print == new.fingerprint && *at > since);
    if !asked || !driver.tracker.lists_late() {
        return Ok(None);
    }
    late(driver, new, "an earlier call has no answer of its opening").await.map(Some)
}

async fn find<O: Outside>(driver: &mut Driver<O>, fingerprint: &str) -> Result<Option<Opening>, Trouble> {
    let known = driver.look().await?.remove(fingerprint);
    Ok(known.map(|known| Opening {
        ticket: known.ticket.key,
        url: known.ticket.url,
        ended: Ended::Found,
        flaw: String::new(),
    }))
}

/// A ticket that may be there and is not listed yet is never opened again in the same call.
async fn late<O: Outside>(driver: &mut Driver<O>, new: &NewTicket, why: &str) -> Result<Opening, Trouble> {
    for look in 1..=LOOKS {
        driver.outside.wait(pause(look)).await;
        if let Some(found) = find(driver, &new.fingerprint).await? {
            return Ok(found);
        }
    }
    Err(Trouble::all(format!(
        "{why}; whether the ticket was opened cannot be told yet, as new ones are listed late there: run this again in \
         some minutes"
    )))
}
