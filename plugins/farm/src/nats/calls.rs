//! What all calls to the server are made of: writing behind what is known to be last, reading the last, reading on.
//! Every one has its time limit, and says passing where no answer came.

use super::Terms;
use super::refusals::Refusals;
use crate::subjects::Names;
use async_nats::StatusCode;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use async_nats::jetstream::{Context, ErrorCode, Message};
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::exchange::Place;
use futures::StreamExt;
use std::cell::Cell;
use std::error::Error;
use std::fmt::Display;
use std::time::Duration;
use tokio::time::Instant;

/// What every question to the server begins with.
const API: &str = "$JS.API";
/// Messages read at once.
const AT_ONCE: usize = 64;
/// What they may hold together, bytes.
const BYTES_AT_ONCE: usize = 16 << 20;
/// A reader nobody uses is forgotten by the server after that.
const UNUSED: Duration = Duration::from_secs(10);
/// How soon a reader that no server had heard of is asked again, and for how long: by then all of them have.
const UNHEARD: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// The server's clock is counted on for so long.
const COUNTED_ON: Duration = Duration::from_mins(1);
/// No such stream, as the server numbers it.
const NO_STREAM: ErrorCode = ErrorCode::STREAM_NOT_FOUND;

/// No answer came; it may have happened.
pub(super) fn unreachable(what: &str) -> Fault {
    let what = format!("the farm does not answer: {}", line(what, 200));
    Fault::new(FaultCode::FarmUnreachable, what).passing()
}

/// The same, as the client says it.
pub(super) fn lost(what: &str, why: &impl Display) -> Fault {
    unreachable(&format!("{what}: {why}"))
}

/// The server keeps no more.
fn full(why: &dyn Display) -> Fault {
    let what = format!("the farm keeps no more for this team: {}", line(&why.to_string(), 200));
    Fault::new(FaultCode::FarmFull, what).advise("who runs the server makes room (`farmjank farm gc`, docs/farm.md); what is old goes by itself after 14 and 30 days")
}

/// Why a stream is not made or bounded so: the server promises no more than its disk has, or something passes.
pub(super) fn no_room(what: &str, why: &impl Display) -> Fault {
    let words = why.to_string();
    if !words.contains("insufficient storage") {
        return lost(what, why);
    }
    let what = format!("{what}: the server promises no more than its disk has ({})", line(&words, 120));
    Fault::new(FaultCode::FarmFull, what)
        .advise("ask for less (--farm-storage), or give the server a larger disk")
}

/// Whether the server refused for lack of room. Its numbers for that differ from version to version; its words do not.
fn is_full(why: &PublishError) -> bool {
    let words = why.source().map(ToString::to_string).unwrap_or_default();
    [
        "maximum bytes exceeded",
        "resource limits exceeded",
        "insufficient storage",
        "maximum messages exceeded",
    ]
    .iter()
    .any(|full| words.contains(full))
}

/// Whether no server knew of the reader that was asked. The client tells the number in words only.
fn is_unheard(why: &impl Display) -> bool {
    why.to_string().contains(&format!(": {},", StatusCode::NO_RESPONDERS))
}

/// What is asked of the server, of a stream.
pub(super) fn api(what: &str, of: &str) -> String {
    format!("{API}.{what}.{of}")
}

/// What calls are made over. One field for each thing they are made by.
pub(super) struct Link {
    pub(super) context: Context,
    pub(super) names: Names,
    pub(super) terms: Terms,
    pub(super) patience: Duration,
    /// Whether what is missing on the server is made by this end.
    pub(super) keeps: bool,
    pub(super) refusals: Refusals,
    /// When the server was asked for the time, and what it said, ns since 1970.
    pub(super) asked: Cell<Option<(Instant, u64)>>,
}

impl Link {
    /// What takes longer than the patience, and how much longer is allowed; or what the server refuses by naming the
    /// subject of the question.
    pub(super) async fn in_time<T>(
        &self,
        what: &str,
        subject: &str,
        more: Duration,
        call: impl Future<Output = T>,
    ) -> Result<T, Fault> {
        if let Some(fault) = self.refusals.out() {
            return Err(fault);
        }
        let told = self.refusals.listen();
        let timed = tokio::select! {
            biased;
            timed = tokio::time::timeout(self.patience + more, call) => timed,
            refused = self.refusals.of(told, subject) => return Err(refused),
        };
        timed.map_err(|_| unreachable(&format!("{what}: not in time")))
    }

    /// Writes, if what the subject holds last stands at `after`; none where it is another.
    pub(super) async fn write(
        &self,
        subject: String,
        after: Option<Place>,
        message: PublishMessage,
    ) -> Result<Option<Place>, Fault> {
        let message = match after {
            Some(Place(after)) => message.expected_last_subject_sequence(after),
            None => message,
        };
        let sent = async { self.context.send_publish(subject.clone(), message).await?.await };
        match self.in_time("writing", &subject, Duration::ZERO, sent).await? {
            Ok(ack) => Ok(Some(Place(ack.sequence))),
            Err(why) => match why.kind() {
                PublishErrorKind::WrongLastSequence => Ok(None),
                PublishErrorKind::StreamNotFound => Err(self.missing().await),
                PublishErrorKind::MaxPayloadExceeded => {
                    Err(Fault::new(FaultCode::FarmGarbled, format!("larger than the farm takes: {why}")))
                }
                _ if is_full(&why) => Err(full(&why)),
                _ => Err(lost("writing", &why)),
            },
        }
    }

    /// Why something of the store cannot be had; where that is because it is not there, it is made again. The client
    /// says so in many types, and in the server's words in all of them.
    pub(super) async fn not_there(&self, what: &str, why: &impl Display) -> Fault {
        match why.to_string().contains("stream not found") {
            true => self.missing().await,
            false => lost(what, why),
        }
    }

    /// What the store is made of is not there: whoever may, makes it again. The call can be made again.
    async fn missing(&self) -> Fault {
        if !self.keeps {
            let advice =
                "the first run makes it, and so does `farmjank farm doctor` with the keeper's or a run's key";
            return unreachable("its store is not there").advise(advice);
        }
        match self.prepare().await {
            Ok(()) => unreachable("its store was not there, and is made again"),
            // It is waited for: others may.
            Err(fault) if fault.code == FaultCode::FarmRefused => {
                unreachable("its store is not there; the next run makes it, for these credentials may not")
            }
            Err(fault) => fault,
        }
    }

    /// What a subject holds last.
    pub(super) async fn latest(&self, name: &str, subject: &str) -> Result<Option<StreamMessage>, Fault> {
        let read = async {
            let stream = self.context.get_stream_no_info(name).await.map_err(|why| why.to_string())?;
            Ok::<_, String>(stream.get_last_raw_message_by_subject(subject).await)
        };
        let asked = api("STREAM.MSG.GET", name);
        let read = self.in_time("reading", &asked, Duration::ZERO, read).await?;
        match read.map_err(|why| unreachable(&why))? {
            Ok(message) => Ok(Some(message)),
            Err(why) => match why.kind() {
                LastRawMessageErrorKind::NoMessageFound => Ok(None),
                LastRawMessageErrorKind::JetStream(error) if error.error_code() == NO_STREAM => {
                    Err(self.missing().await)
                }
                _ => Err(lost("reading", &why)),
            },
        }
    }

    /// Reads what matches, from a policy on, waiting so long for the first; not everything at once.
    pub(super) async fn read(
        &self,
        stream: &str,
        filter: String,
        from: DeliverPolicy,
        wait: Duration,
    ) -> Result<Vec<Message>, Fault> {
        // A reader with a name has what it reads in the subject it is asked for by, where a right to read is given.
        let name = self.word();
        let (asked, next) = (
            api("CONSUMER.CREATE", &format!("{stream}.{name}.{filter}")),
            api("CONSUMER.MSG.NEXT", &format!("{stream}.{name}")),
        );
        let config = pull::Config {
            name: Some(name),
            deliver_policy: from,
            ack_policy: AckPolicy::None,
            filter_subject: filter,
            memory_storage: true,
            num_replicas: 1,
            inactive_threshold: UNUSED + wait,
            ..pull::Config::default()
        };
        let made = self.context.create_consumer_on_stream(config, stream);
        let made = self.in_time("reading on", &asked, Duration::ZERO, made).await?;
        let consumer = match made {
            Ok(consumer) => consumer,
            Err(why) => return Err(self.not_there("reading on", &why).await),
        };
        let mut all = Vec::new();
        if !wait.is_zero() {
            all =
                self.some(&next, || consumer.batch().max_messages(1).expires(wait).messages(), wait).await?;
            if all.is_empty() {
                return Ok(all);
            }
        }
        let rest = || consumer.fetch().max_messages(AT_ONCE).max_bytes(BYTES_AT_ONCE).messages();
        all.extend(self.some(&next, rest, Duration::ZERO).await?);
        Ok(all)
    }

    /// The server's clock, as it writes it.
    pub(super) async fn clock(&self) -> Result<String, Fault> {
        let (subject, client) = (api("STREAM.INFO", Names::LEASES), self.context.client());
        let asked = client.request(subject.clone(), "".into());
        let answer = self.in_time("asking for the time", &subject, Duration::ZERO, asked).await?;
        let answer = answer.map_err(|why| lost("asking for the time", &why))?;
        let answer: serde_json::Value =
            serde_json::from_slice(&answer.payload).map_err(|why| lost("asking for the time", &why))?;
        match answer["error"]["description"].as_str() {
            Some(why) => Err(self.not_there("asking for the time", &why).await),
            None => Ok(answer["ts"].as_str().unwrap_or_default().to_owned()),
        }
    }

    /// The same, ns since 1970: asked once a minute, for either clock may be set, and counted on in between.
    pub(super) async fn now(&self) -> Result<u64, Fault> {
        let (asked, then) = match self.asked.get().filter(|(asked, _)| asked.elapsed() < COUNTED_ON) {
            Some(known) => known,
            None => {
                let told: jiff::Timestamp =
                    self.clock().await?.parse().map_err(|why| lost("asking for the time", &why))?;
                let told = (Instant::now(), u64::try_from(told.as_nanosecond()).unwrap_or_default());
                self.asked.set(Some(told));
                told
            }
        };
        let since = u64::try_from(asked.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Ok(then.saturating_add(since))
    }

    /// A word nobody else has.
    fn word(&self) -> String {
        let inbox = self.context.client().new_inbox();
        inbox.rsplit('.').next().unwrap_or_default().to_owned()
    }

    /// The messages of one request. A reader is made by one server of several, and the others hear of it a moment
    /// later: what nobody answers is asked for again.
    pub(super) async fn some<Asked>(
        &self,
        subject: &str,
        ask: impl Fn() -> Asked,
        wait: Duration,
    ) -> Result<Vec<Message>, Fault>
    where
        Asked: Future<Output = Result<pull::Batch, pull::BatchError>>,
    {
        let read = async {
            let until = Instant::now() + UNHEARD.1;
            loop {
                let mut batch = ask().await.map_err(|why| lost("reading on", &why))?;
                let mut all = Vec::new();
                let broken = loop {
                    match batch.next().await {
                        Some(Ok(message)) => all.push(message),
                        Some(Err(why)) => break why,
                        None => return Ok(all),
                    }
                };
                if !(all.is_empty() && is_unheard(&broken) && Instant::now() < until) {
                    return Err(lost("reading on", &broken));
                }
                tokio::time::sleep(UNHEARD.0).await;
            }
        };
        self.in_time("reading on", subject, wait, read).await?
    }
}
