//! The chats: what a message is to each, signed where it wants that, and which answer says that it was taken. Texts of
//! strangers stand only where a chat reads no markup, or with its signs disarmed.

mod dingtalk;
mod feishu;
mod slack;
mod teams;
mod webhook;

use crate::message::Message;
use crate::news::{News, RunSeen};
use crate::world::{Talk, Undelivered, World};
use farmjank_leaf::text::line;
use farmjank_requests::{Answer, Method, Request};
use serde_json::Value;

/// Most characters of an answer that are shown.
const SHOWN: usize = 120;
/// How many news of each heading are told, where a chat takes only so much: the first number that fits.
const FITS: [usize; 6] = [10, 6, 3, 2, 1, 0];

/// A chat, or a program that listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chat {
    /// An incoming webhook of Slack.
    Slack,
    /// A workflow of Microsoft Teams.
    Teams,
    /// A bot of Feishu or Lark.
    Feishu,
    /// A robot of DingTalk.
    DingTalk,
    /// A program of somebody's own, which gets JSON with a signature.
    Webhook,
}

/// What is said, to whom it is said how.
#[derive(Clone, Debug)]
pub struct Told<'a> {
    /// The run.
    pub run: &'a RunSeen,
    /// What is new.
    pub news: &'a News,
    /// The message of it.
    pub message: &'a Message,
    /// Now, ms since 1970.
    pub millis: i64,
}

impl Chat {
    /// All of them.
    pub const ALL: [Chat; 5] = [Chat::Slack, Chat::Teams, Chat::Feishu, Chat::DingTalk, Chat::Webhook];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Chat::Slack => "slack",
            Chat::Teams => "teams",
            Chat::Feishu => "feishu",
            Chat::DingTalk => "dingtalk",
            Chat::Webhook => "webhook",
        }
    }

    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Chat::Slack => "Slack",
            Chat::Teams => "Teams",
            Chat::Feishu => "Feishu",
            Chat::DingTalk => "DingTalk",
            Chat::Webhook => "the webhook",
        }
    }

    /// The chat of this word.
    pub fn named(word: &str) -> Option<Chat> {
        Chat::ALL.into_iter().find(|chat| chat.word() == word)
    }

    /// Whether it takes nothing that is not signed.
    pub fn needs_secret(self) -> bool {
        self == Chat::Webhook
    }

    /// The request. `path` is that of the chat's address, with its query, and a secret.
    pub fn request(self, told: &Told<'_>, path: &str, secret: Option<&str>) -> Request {
        let message = told.message;
        let post = |path: &str, body: Value| Request::with(Method::Post, path, body);
        match self {
            Chat::Slack => post(path, fitted(slack::MOST, |most| slack::body(message, most))),
            Chat::Teams => post(path, fitted(teams::MOST, |most| teams::body(message, most))),
            Chat::Feishu => {
                let body = fitted(feishu::MOST, |most| feishu::body(message, most));
                post(path, feishu::signed(body, told.millis / 1000, secret))
            }
            Chat::DingTalk => {
                let body = fitted(dingtalk::MOST, |most| dingtalk::body(message, most));
                post(&dingtalk::signed(path, told.millis, secret), body)
            }
            Chat::Webhook => {
                let body = webhook::body(told);
                let headers = webhook::headers(&body, secret.unwrap_or_default());
                Request { headers, ..post(path, body) }
            }
        }
    }

    /// Tells it.
    ///
    /// # Errors
    /// It was not taken, and why.
    pub async fn tell<W: World>(self, talk: &mut Talk<'_, W>, request: &Request) -> Result<(), Undelivered> {
        let answer = talk.ask(request).await?;
        if self.took(&answer) {
            return Ok(());
        }
        let said = line(String::from_utf8_lossy(&answer.body).trim(), SHOWN);
        let said = if said.is_empty() { said } else { format!(": {said}") };
        Err(Undelivered(format!("{} does not take the message ({}){said}", self.name(), answer.status)))
    }

    /// Whether an answer says that the message was taken; some say 200 of what they refuse.
    fn took(self, answer: &Answer) -> bool {
        let code = |name: &str| answer.json().and_then(|json| json[name].as_i64()) == Some(0);
        (200..300).contains(&answer.status)
            && match self {
                Chat::Slack => answer.body.trim_ascii() == b"ok",
                Chat::Feishu => code("code") || code("StatusCode"),
                Chat::DingTalk => code("errcode"),
                Chat::Teams | Chat::Webhook => true,
            }
    }
}

/// A body of at most so many bytes, with as many news as fit.
fn fitted(most: usize, body: impl Fn(usize) -> Value) -> Value {
    let [first, rest @ ..] = FITS;
    let mut made = body(first);
    for few in rest {
        if made.to_string().len() <= most {
            break;
        }
        made = body(few);
    }
    made
}

/// All of a message as lines of text: the first `most` news of each heading.
pub(crate) fn plain(message: &Message, most: usize) -> String {
    let mut lines = vec![message.title.clone()];
    for section in &message.sections {
        lines.push(String::new());
        lines.push(section.heading.to_owned());
        lines.extend(Message::lines(section, most));
    }
    lines.extend([String::new(), message.foot.clone()]);
    lines.extend(message.link.clone());
    lines.join("\n")
}
