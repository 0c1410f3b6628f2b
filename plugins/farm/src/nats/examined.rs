//! What a doctor of farms asks: who the server is, how it keeps what is kept, and what these credentials may do there.
//! Whatever is asked changes nothing, allowed or not.

use super::Nats;
use super::calls::{Link, api, lost};
use async_nats::HeaderMap;
use async_nats::client::RequestErrorKind;
use async_nats::jetstream::stream::Config;
use farmjank_results::fault::{Fault, FaultCode};
use std::time::Duration;

/// What a message must come after that is never to be written: no subject holds so many.
const NEVER: &str = "9000000000000000000";
/// A refusal goes another way through the client than an answer.
const GRACE: Duration = Duration::from_millis(100);
/// No request of the server is read from that: each answers that it is none. It begins as one does: what is none at all
/// a server takes for an empty one where that is allowed, and an empty purge takes everything.
const NOTHING: &str = "{?";
/// A purge is of what nobody writes, however it is read.
const OF_NOBODY: &str = r#"{"filter":"fj.nobody"}"#;

/// Who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its version.
    pub version: String,
    /// It asks who comes.
    pub asks: bool,
    /// It speaks with nobody in the clear.
    pub tls: bool,
}

/// Whether something may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// It was answered.
    Yes,
    /// It was refused.
    No,
    /// Neither.
    Untold,
}

/// How one thing of the store is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// As it is to be.
    Well,
    /// It is not there.
    Missing,
    /// Otherwise; how, in words.
    Otherwise(String),
}

/// How much a team has on the server, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// What its logs and objects take.
    pub taken: u64,
    /// What they may take; none where the disk is the bound of one of them.
    pub most: Option<u64>,
}

/// What a doctor asks over a connection.
pub struct Examined<'n> {
    link: &'n Link,
}

impl Nats {
    /// The same connection, to ask how the farm is.
    pub fn examined(&self) -> Examined<'_> {
        Examined { link: &self.link }
    }
}

impl Examined<'_> {
    /// Who answers.
    pub fn server(&self) -> Server {
        let told = self.link.context.client().server_info();
        Server { version: told.version, asks: told.auth_required, tls: told.tls_required }
    }

    /// The server's clock, as it writes it.
    ///
    /// # Errors
    /// `farm_refused`, `farm_unreachable` (passing).
    pub async fn clock(&self) -> Result<String, Fault> {
        self.link.clock().await
    }

    /// Whether these credentials may write on a subject, or ask by it.
    ///
    /// # Errors
    /// `farm_unreachable` (passing).
    pub async fn may(&self, subject: &str) -> Result<Allowed, Fault> {
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Expected-Last-Subject-Sequence", NEVER);
        let client = self.link.context.client();
        let body = if subject.starts_with(&api("STREAM.PURGE", "")) { OF_NOBODY } else { NOTHING };
        let asked = client.request_with_headers(subject.to_owned(), headers, body.into());
        // Not everything is answered; but what is refused is, before what was asked after it.
        let next = async {
            let next = self.clock().await;
            tokio::time::sleep(GRACE).await;
            next
        };
        let told = async {
            tokio::select! {
                biased;
                answer = asked => answer.map(drop).map_err(|why| (why.kind(), lost("asking what is allowed", &why))),
                next = next => match next {
                    Err(fault) if fault.code != FaultCode::FarmRefused => Err((RequestErrorKind::TimedOut, fault)),
                    _ => Ok(()),
                },
            }
        };
        match self.link.in_time("asking what is allowed", subject, Duration::ZERO, told).await {
            // Where nobody is there who would answer, it was passed on.
            Ok(Ok(()) | Err((RequestErrorKind::NoResponders, _))) => Ok(Allowed::Yes),
            Ok(Err((RequestErrorKind::TimedOut, _))) => Ok(Allowed::Untold),
            Ok(Err((_, fault))) => Err(fault),
            Err(fault) if fault.code == FaultCode::FarmRefused => Ok(Allowed::No),
            Err(_) => Ok(Allowed::Untold),
        }
    }

    /// How much of the store is the team's, where these credentials may ask for that.
    ///
    /// # Errors
    /// `farm_refused`, `farm_unreachable` (passing).
    pub async fn room(&self) -> Result<Room, Fault> {
        let mut room = Room { taken: 0, most: Some(0) };
        for name in [self.link.names.logs(), self.link.names.objects()] {
            let Some((config, taken)) = self.link.kept(&name).await? else { continue };
            room.taken += taken;
            let most = u64::try_from(config.max_bytes).ok().filter(|most| *most > 0);
            room.most = room.most.zip(most).map(|(one, other)| one + other);
        }
        Ok(room)
    }

    /// How each thing of the store is kept that these credentials may ask for.
    ///
    /// # Errors
    /// `farm_unreachable` (passing).
    pub async fn store(&self) -> Result<Vec<(String, Kept)>, Fault> {
        let mut all = Vec::new();
        for wanted in self.link.configs() {
            let kept = match self.link.stream(&wanted.name).await {
                Ok(None) => Kept::Missing,
                Ok(Some(there)) => difference(&wanted, &there).map_or(Kept::Well, Kept::Otherwise),
                Err(fault) if fault.code == FaultCode::FarmRefused => continue,
                Err(fault) => return Err(fault),
            };
            all.push((wanted.name, kept));
        }
        Ok(all)
    }
}

/// In which of what matters a stream is kept otherwise; how much it may hold is for who runs the farm to say.
fn difference(wanted: &Config, there: &Config) -> Option<String> {
    let told = |what: &str, wanted: String, there: String| {
        (wanted != there).then(|| format!("{what} {there}, not {wanted}"))
    };
    told("subjects", wanted.subjects.join(" "), there.subjects.join(" "))
        .or_else(|| told("kept as", format!("{:?}", wanted.retention), format!("{:?}", there.retention)))
        .or_else(|| told("kept for", format!("{:?}", wanted.max_age), format!("{:?}", there.max_age)))
        .or_else(|| told("copies", wanted.num_replicas.to_string(), there.num_replicas.to_string()))
        .or_else(|| told("when full", format!("{:?}", wanted.discard), format!("{:?}", there.discard)))
        .or_else(|| {
            let each = |config: &Config| config.max_messages_per_subject.max(-1).to_string();
            // None is said as 0 and told as −1.
            let each = |config: &Config| if each(config) == "0" { "-1".to_owned() } else { each(config) };
            told("of each subject", each(wanted), each(there))
        })
}
