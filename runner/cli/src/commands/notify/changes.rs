//! Who is told what changed: one message each, or none where nothing did.

use super::mail;
use super::not_told::NotTold;
use super::targets::{ChatTarget, Listener};
use super::world::{self, Until, Wire};
use farmjank_notify::Talk;
use farmjank_notify::chats::Told;
use farmjank_notify::message::Message;
use farmjank_notify::news::{News, RunSeen, news};

/// What they are told.
pub struct Changes {
    run: RunSeen,
    news: News,
    message: Message,
    always: bool,
}

/// What became of it.
pub enum Outcome {
    Told,
    /// What would be sent.
    Would(String),
    NothingNew,
}

impl Changes {
    /// Of a run, against the one before; `always` also that nothing changed.
    pub fn of(run: RunSeen, before: Option<&RunSeen>, link: Option<String>, always: bool) -> Changes {
        let news = news(before, &run);
        let message = Message::of(&run, &news, link.as_deref());
        Changes { run, news, message, always }
    }

    /// Tells one.
    ///
    /// # Errors
    /// It was not told.
    pub fn tell(&self, target: &Listener, until: Until, dry_run: bool) -> Result<Outcome, NotTold> {
        if !self.news.is_any() && !self.always {
            return Ok(Outcome::NothingNew);
        }
        let told = Told { run: &self.run, news: &self.news, message: &self.message, millis: world::millis() };
        match (target, dry_run) {
            (Listener::Chat(target), true) => {
                let request = target.chat.request(&told, "", None);
                return Ok(Outcome::Would(format!("{:#}\n", request.body.unwrap_or_default())));
            }
            (Listener::Mail(_), true) => return Ok(Outcome::Would(mail::would(&told))),
            (Listener::Chat(target), false) => chat(target, &told, until)?,
            (Listener::Mail(target), false) => mail::tell(target, &told, until)?,
        }
        Ok(Outcome::Told)
    }
}

fn chat(target: &ChatTarget, told: &Told<'_>, until: Until) -> Result<(), NotTold> {
    let address = target.address()?;
    let request = target.chat.request(told, &address.path, address.secret.as_deref());
    let mut wire = Wire::to(address.base, None, until)?;
    world::waited(async {
        let mut talk = Talk::new(&mut wire, target.chat.name(), until.left());
        target.chat.tell(&mut talk, &request).await
    })
}
