//! Who is told, and where that is: addresses and secrets come from the environment alone, and are secret from then on.

use super::given::given;
use super::mail::MailTarget;
use super::not_told::NotTold;
use crate::command_error::{CommandError, usage};
use crate::host::keep_secret;
use farmjank_leaf::mask::Mask;
use farmjank_leaf::text::typed;
use farmjank_notify::chats::Chat;
use farmjank_notify::pull_request::PullRequest;
use farmjank_notify::repository::Repository;
use farmjank_requests::door::Base;

/// Who is told.
pub enum Target {
    PullRequest(PullRequest),
    CheckRun(Repository),
    Listener(Listener),
}

/// Who is told what changed.
#[derive(Clone)]
pub enum Listener {
    Chat(ChatTarget),
    Mail(MailTarget),
}

/// A chat, and the variable its address is in.
#[derive(Clone)]
pub struct ChatTarget {
    pub chat: Chat,
    variable: String,
    named: bool,
}

/// Where a chat takes messages.
pub struct Address {
    pub base: Base,
    /// Path and query, as secret as the rest of it.
    pub path: String,
    pub secret: Option<String>,
}

const WRITE: &str = "write pull-request:OWNER/REPO#NUMBER, check-run:OWNER/REPO, slack, teams, feishu, dingtalk, webhook or mail, all but the first two also as slack:VARIABLE";

impl Target {
    /// Reads `--to`.
    ///
    /// # Errors
    /// It names nobody.
    pub fn parse(text: &str) -> Result<Target, CommandError> {
        if let Some(place) = text.strip_prefix("pull-request:") {
            let place = PullRequest::parse(place);
            let place = place
                .ok_or_else(|| usage!("--to `{}`: write pull-request:OWNER/REPO#NUMBER", typed(text, 100)))?;
            return Ok(Target::PullRequest(place));
        }
        if let Some(place) = text.strip_prefix("check-run:") {
            let place = Repository::parse(place);
            let place =
                place.ok_or_else(|| usage!("--to `{}`: write check-run:OWNER/REPO", typed(text, 100)))?;
            return Ok(Target::CheckRun(place));
        }
        match Listener::parse(text) {
            Some(listener) => Ok(Target::Listener(listener)),
            None => Err(usage!("--to `{}`: {WRITE}", typed(text, 100))),
        }
    }

    /// As it was written.
    pub fn shown(&self) -> String {
        match self {
            Target::PullRequest(place) => place.shown(),
            Target::CheckRun(place) => place.shown(),
            Target::Listener(listener) => listener.shown(),
        }
    }
}

impl Listener {
    /// Reads `slack`, or `slack:VARIABLE`.
    pub fn parse(text: &str) -> Option<Listener> {
        let (word, variable) = text.split_once(':').map_or((text, None), |(word, name)| (word, Some(name)));
        let plain = |name: &str| {
            let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
            (1..=100).contains(&name.len())
                && name.chars().all(letter)
                && !name.starts_with(|c: char| c.is_ascii_digit())
        };
        let (variable, named) = match variable {
            Some(name) if !plain(name) => return None,
            Some(name) => (name.to_owned(), true),
            None => (format!("FARMJANK_{}_URL", word.to_ascii_uppercase()), false),
        };
        match word {
            "mail" => Some(Listener::Mail(MailTarget { variable, named })),
            _ => Some(Listener::Chat(ChatTarget { chat: Chat::named(word)?, variable, named })),
        }
    }

    /// As it was written.
    pub fn shown(&self) -> String {
        let (word, variable, named) = match self {
            Listener::Chat(chat) => (chat.chat.word(), &chat.variable, chat.named),
            Listener::Mail(mail) => ("mail", &mail.variable, mail.named),
        };
        if named { format!("{word}:{variable}") } else { word.to_owned() }
    }
}

impl ChatTarget {
    /// The variable its secret is in: `FARMJANK_FEISHU_SECRET`, `NAME_SECRET`.
    fn secret_variable(&self) -> String {
        let own = self.variable.strip_suffix("_URL").filter(|_| !self.named).unwrap_or(&self.variable);
        format!("{own}_SECRET")
    }

    /// Where it is, secret from here on.
    ///
    /// # Errors
    /// The environment does not say, or says something that a secret must not go to.
    pub fn address(&self) -> Result<Address, NotTold> {
        let missing = || NotTold::Missing("address", self.variable.clone());
        let url = given(&self.variable)?.ok_or_else(missing)?;
        let elsewhere = |why| NotTold::Address(self.variable.clone(), why);
        let (base, path) = Base::of_secret("the address", &url).map_err(elsewhere)?;
        // What a chat answers may repeat a part of it.
        if let Ok(mask) = Mask::default().and(&path) {
            keep_secret(&mask);
        }
        let variable = self.secret_variable();
        let secret = given(&variable)?;
        if secret.is_none() && self.chat.needs_secret() {
            return Err(NotTold::Unsigned(variable, self.chat.name()));
        }
        Ok(Address { base, path, secret })
    }
}
