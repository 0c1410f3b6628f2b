//! Chats are told what changed: one message each, or none where nothing did.

use super::not_told::NotTold;
use super::targets::ChatTarget;
use super::world::{self, Until, Wire};
use farmjank_notify::Talk;
use farmjank_notify::chats::Told;
use farmjank_notify::message::Message;
use farmjank_notify::news::{News, RunSeen, news};

/// What they are told.
pub struct Chats {
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

impl Chats {
    /// Of a run, against the one before; `always` also that nothing changed.
    pub fn of(run: RunSeen, before: Option<&RunSeen>, link: Option<String>, always: bool) -> Chats {
        let news = news(before, &run);
        let message = Message::of(&run, &news, link.as_deref());
        Chats { run, news, message, always }
    }

    /// Tells one.
    ///
    /// # Errors
    /// It was not told.
    pub fn tell(&self, target: &ChatTarget, until: Until, dry_run: bool) -> Result<Outcome, NotTold> {
        if !self.news.is_any() && !self.always {
            return Ok(Outcome::NothingNew);
        }
        let told = Told { run: &self.run, news: &self.news, message: &self.message, millis: world::millis() };
        if dry_run {
            let request = target.chat.request(&told, "", None);
            return Ok(Outcome::Would(format!("{:#}\n", request.body.unwrap_or_default())));
        }
        let address = target.address()?;
        let request = target.chat.request(&told, &address.path, address.secret.as_deref());
        let mut wire = Wire::to(address.base, None, until)?;
        world::waited(async {
            let mut talk = Talk::new(&mut wire, target.chat.name(), until.left());
            target.chat.tell(&mut talk, &request).await
        })?;
        Ok(Outcome::Told)
    }
}
