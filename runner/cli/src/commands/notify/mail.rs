//! Letters: to whom, from whom and through which server the environment says, and all of it is blacked out.

use super::given::given;
use super::not_told::NotTold;
use super::world::{self, PATIENCE, Until};
use crate::host::keep_secret;
use farmjank_leaf::mask::Mask;
use farmjank_notify::chats::Told;
use farmjank_notify::mail::{Post, deliver, letter};
use farmjank_requests::mail::MailServer;
use farmjank_requests::{Letter, NotTaken};
use std::time::Duration;

/// Most people that are told.
const MOST: usize = 50;

/// The variable in which the server is; sender and recipients are in others beside it.
#[derive(Clone)]
pub struct MailTarget {
    pub variable: String,
    pub named: bool,
}

impl MailTarget {
    /// The variable beside it: `FARMJANK_MAIL_TO`, `NAME_TO`.
    fn beside(&self, what: &str) -> String {
        let own = self.variable.strip_suffix("_URL").filter(|_| !self.named).unwrap_or(&self.variable);
        format!("{own}_{what}")
    }
}

/// A server of mail, and until when letters may be handed over.
struct Mailbox {
    server: MailServer,
    until: Until,
}

impl Post for Mailbox {
    async fn hand_over(&mut self, letter: &Letter) -> Result<(), NotTaken> {
        let patience = PATIENCE.min(self.until.left()).max(Duration::from_secs(1));
        let handed = tokio::time::timeout(patience, self.server.hand_over(letter, patience)).await;
        handed
            .unwrap_or_else(|_| Err(NotTaken::Later("the server of mail did not answer in time".to_owned())))
    }

    async fn wait(&mut self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn left(&self) -> Duration {
        self.until.left()
    }
}

/// Tells everybody; a letter that is not taken keeps no other back.
///
/// # Errors
/// Somebody was not told.
pub fn tell(target: &MailTarget, told: &Told<'_>, until: Until) -> Result<(), NotTold> {
    let needed = |what: &'static str, variable: String| match given(&variable)? {
        Some(text) => Ok(text),
        None => Err(NotTold::Missing(what, variable)),
    };
    let url = needed("server of mail", target.variable.clone())?;
    let elsewhere = |why| NotTold::Address(target.variable.clone(), why);
    let server = MailServer::parse("the address", &url).map_err(elsewhere)?;
    if let Some(password) = server.password() {
        let mask = Mask::default().and(password);
        keep_secret(&mask.map_err(|why| NotTold::Common(target.variable.clone(), why))?);
    }
    let from = needed("sender", target.beside("FROM"))?;
    let variable = target.beside("TO");
    let to = needed("recipient", variable.clone())?;
    let people: Vec<&str> = to.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    if people.len() > MOST {
        return Err(NotTold::Crowd(variable, MOST));
    }
    for one in &people {
        if let Ok(mask) = Mask::default().and(one) {
            keep_secret(&mask);
        }
    }
    let mut post = Mailbox { server, until };
    let mut untold = Vec::new();
    for one in &people {
        let letter = letter(told, &from, one);
        match world::waited(async { deliver(&mut post, &letter).await }) {
            Ok(()) => {}
            Err(NotTold::Undelivered(why)) => untold.push(why),
            Err(why) => return Err(why),
        }
    }
    match (untold.len(), untold.pop()) {
        (_, None) => Ok(()),
        (1, Some(why)) if people.len() == 1 => Err(NotTold::Undelivered(why)),
        (count, Some(why)) => Err(NotTold::Some(count, people.len(), why)),
    }
}

/// The letter that would be sent, without addresses.
pub fn would(told: &Told<'_>) -> String {
    let letter = letter(told, "", "");
    format!("Subject: {}\n\n{}\n", letter.subject, letter.text)
}
