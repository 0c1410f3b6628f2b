//! The door to a server of mail: the only file that speaks SMTP, and the only one that has its password.
//!
//! Words go through TLS (from the first byte for `smtps://`, by STARTTLS for `smtp://`), or to this computer alone.
//! Whom to trust is asked as for [requests](crate::door).
#![allow(clippy::disallowed_types, reason = "this file is the outside world")]

use crate::door::{NoDoor, is_here};
use crate::letter::{Letter, NotTaken};
use farmjank_leaf::text::line;
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use reqwest::Url;
use std::time::{Duration, SystemTime};

/// Most characters of what a server says that are shown.
const SHOWN: usize = 200;

/// Where mail is taken. Never shown.
#[derive(Clone)]
pub struct MailServer {
    host: String,
    port: u16,
    tls: Words,
    login: Option<(String, String)>,
}

/// How words go there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// Through TLS from the first byte.
    Wrapped,
    /// Through TLS once both agreed on it.
    Started,
    /// In the clear.
    Clear,
}

impl std::fmt::Debug for MailServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MailServer")
    }
}

impl MailServer {
    /// Reads `smtps://USER:PASSWORD@HOST:PORT` or `smtp://…`; user, password and port may be left out (465, 587).
    ///
    /// # Errors
    /// It is none.
    pub fn parse(given_by: &'static str, text: &str) -> Result<MailServer, NoDoor> {
        let url = Url::parse(text).map_err(|why| NoDoor::NoMail(given_by, why.to_string()))?;
        let no = |why: &str| NoDoor::NoMail(given_by, why.to_owned());
        let (tls, port) = match url.scheme() {
            "smtps" => (Words::Wrapped, 465),
            "smtp" if is_here(&url) => (Words::Clear, 587),
            "smtp" => (Words::Started, 587),
            _ => return Err(no("it begins otherwise")),
        };
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| no("it has no host"))?;
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(no(
                "something stands behind the host; `/`, `?`, `#`, `@` and `%` in a password are written %2F, %3F, %23, %40 and %25",
            ));
        }
        let plain = |text: &str| unescaped(text).ok_or_else(|| no("user or password is no text"));
        let login = match (plain(url.username())?, url.password()) {
            (user, Some(password)) if !user.is_empty() => Some((user, plain(password)?)),
            (user, None) if user.is_empty() => None,
            _ => return Err(no("user and password go together")),
        };
        Ok(MailServer { host: host.to_owned(), port: url.port().unwrap_or(port), tls, login })
    }

    /// The password, for whoever blacks it out.
    pub fn password(&self) -> Option<&str> {
        self.login.as_ref().map(|(_, password)| password.as_str())
    }

    /// Hands a letter over; each step of it has so long.
    ///
    /// # Errors
    /// It was not taken.
    pub async fn hand_over(&self, letter: &Letter, patience: Duration) -> Result<(), NotTaken> {
        let message = message(letter).map_err(NotTaken::Never)?;
        // A certificate names a host without brackets.
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        let parameters = || {
            TlsParameters::new(bare.to_owned()).map_err(|why| {
                NotTaken::Never(format!("no connection with TLS can be made: {}", causes(&why)))
            })
        };
        let tls = match self.tls {
            Words::Wrapped => Tls::Wrapper(parameters()?),
            Words::Started => Tls::Required(parameters()?),
            Words::Clear => Tls::None,
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(bare)
            .port(self.port)
            .tls(tls)
            .timeout(Some(patience));
        if let Some((user, password)) = &self.login {
            builder = builder.credentials(Credentials::new(user.clone(), password.clone()));
        }
        builder.build().send(message).await.map_err(|why| self.refused(&why))?;
        Ok(())
    }

    fn refused(&self, why: &Error) -> NotTaken {
        let words = causes(why);
        match why.status() {
            Some(code) if why.is_permanent() => {
                NotTaken::Never(format!("{} does not take the letter ({code}): {words}", self.host))
            }
            Some(code) => {
                NotTaken::Later(format!("{} does not take letters for now ({code}): {words}", self.host))
            }
            None if why.is_client() || is_distrust(why) => {
                NotTaken::Never(format!("{} is not to be used: {words}", self.host))
            }
            None => NotTaken::Later(format!("{} cannot be reached: {words}", self.host)),
        }
    }
}

/// The letter as it is sent.
fn message(letter: &Letter) -> Result<Message, String> {
    let mailbox = |what: &str, text: &str| {
        text.parse::<Mailbox>().map_err(|why| format!("the {what} is no address ({why})"))
    };
    let since = Duration::from_millis(u64::try_from(letter.millis).unwrap_or(0));
    let from = mailbox("sender", &letter.from)?;
    let host = from.email.domain().to_owned();
    Message::builder()
        .from(from)
        .to(mailbox("recipient", &letter.to)?)
        .subject(letter.subject.clone())
        .date(SystemTime::UNIX_EPOCH + since)
        .message_id(Some(format!("<{}@{host}>", letter.name)))
        // Nobody's absence is answered to it.
        .header(Automatic)
        .header(ContentType::TEXT_PLAIN)
        .body(letter.text.clone())
        .map_err(|why| why.to_string())
}

/// `Auto-Submitted: auto-generated` (RFC 3834).
#[derive(Clone)]
struct Automatic;

impl Header for Automatic {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Automatic, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Automatic)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Automatic::name(), "auto-generated".to_owned())
    }
}

/// Whether TLS came to nothing, which it will again: nobody vouches for the server, or it is another's certificate.
fn is_distrust(why: &Error) -> bool {
    let mut next = std::error::Error::source(why);
    while let Some(one) = next {
        if one.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData)
        {
            return true;
        }
        next = one.source();
    }
    false
}

/// What lies at the bottom of an error, which repeats it on every level, on one line.
fn causes(why: &dyn std::error::Error) -> String {
    let mut deepest = why;
    while let Some(one) = deepest.source() {
        deepest = one;
    }
    line(&deepest.to_string(), SHOWN)
}

/// Text in which `%40` stands for `@`; none where it is no text.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let digits = (*first == b'%').then(|| after.get(..2)).flatten();
        let byte = digits.and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        if byte.is_some() {
            rest = &after[2..];
        }
        bytes.push(byte.unwrap_or(*first));
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_read_and_never_shown() {
        let read = |text: &str| MailServer::parse("MAIL", text);
        let server = read("smtps://ci%40acme.com:p%25w%2F@mail.acme.com").expect("good");
        assert_eq!((server.host.as_str(), server.port, server.tls), ("mail.acme.com", 465, Words::Wrapped));
        assert_eq!(server.login, Some(("ci@acme.com".to_owned(), "p%w/".to_owned())));
        assert_eq!(format!("{server:?}"), "MailServer");
        let server = read("smtp://mail.acme.com:2525/").expect("good");
        assert_eq!((server.port, server.tls, server.login), (2525, Words::Started, None));
        assert_eq!(read("smtp://127.0.0.1").expect("good").tls, Words::Clear);
        for bad in [
            "mail.acme.com",
            "https://mail.acme.com",
            "smtp://",
            "smtp://u:s3c/ret@h",
            "smtp://u@h",
            "smtp://:p@h",
            "smtps://h/x",
            "smtp://h?tls=no",
        ] {
            let why = read(bad).expect_err(bad).to_string();
            assert!(why.starts_with("MAIL ") && !why.contains("s3c"), "{bad}: {why}");
        }
    }

    #[test]
    fn what_a_letter_says_of_itself_cannot_end_its_line() {
        let letter = Letter {
            from: "farmjank <ci@acme.com>".to_owned(),
            to: "team@acme.com".to_owned(),
            subject: "farmjank: fail\r\nBcc: all@acme.com".to_owned(),
            text: "one\r\n.\r\ntwo".to_owned(),
            name: "farmjank-12".to_owned(),
            millis: 1_772_330_400_000,
        };
        let text = String::from_utf8(message(&letter).expect("a message").formatted()).expect("text");
        assert!(!text.contains("\r\nBcc"), "{text}");
        for words in
            ["Message-ID: <farmjank-12@acme.com>", "Auto-Submitted: auto-generated", "Date: Sun, 01 Mar 2026"]
        {
            assert!(text.contains(words), "{words}: {text}");
        }
        let nobody = Letter { to: "all of them".to_owned(), ..letter };
        assert!(message(&nobody).expect_err("no address").starts_with("the recipient is no address"));
    }
}
