//! The exchange over NATS JetStream: streams for work, leases and logs, objects by digest. Whatever is decided is
//! decided by the server comparing one number: the sequence of what a subject holds last.
//!
//! Reads go to who leads the stream, never to who may be behind. Must not know: what is in the bytes.

mod calls;
mod door;
mod examined;
mod objects;
mod refusals;
mod store;
mod upkeep;

pub use door::{Address, is_credentials};
pub use examined::{Allowed, Examined, Kept, Room, Server};
pub use upkeep::{Logged, Upkeep};

use crate::subjects::{Names, word};
use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy, pull};
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use calls::{Link, api, lost, unreachable};
use farmjank_results::fault::{Fault, Persistence};
use farmjank_seams::Work;
use farmjank_seams::exchange::{Appended, Exchange, Fence, Holder, Leased, LogLine, Place, Taken, Written};
use refusals::Refusals;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;

/// Header of a lease or an object that was given up, as buckets of keys and values have it.
const OPERATION: &str = "KV-Operation";
/// How often a race for a lease is run again.
const RACES: usize = 5;
/// How often what is missing is made again, before anything is asked, and how long is waited between: several servers
/// answer once they agree who leads, which takes seconds.
const TRIES: usize = 10;
const PAUSE: Duration = Duration::from_secs(1);

/// How long an object that lies on a farm is relied on before it is left anew, so that whoever needs it has it for days
/// yet: the server lets go by age, and so does who makes room ([`Upkeep::drop_objects`]).
pub const RELIED_ON: Duration = Duration::from_hours(24);

/// How long things last on the server, and how much of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// A lease nobody renews.
    pub term: Duration,
    /// Work that was taken and is neither kept nor done.
    pub ack_wait: Duration,
    /// An object that is there is relied on, and not left anew.
    pub relied_on: Duration,
    /// Most of a team's logs; −1 for what the disk holds.
    pub log_bytes: i64,
    /// Most of a team's objects; −1 for what the disk holds.
    pub object_bytes: i64,
}

impl Terms {
    /// As farms have them.
    pub const FARM: Terms = Terms {
        term: Duration::from_secs(45),
        ack_wait: Duration::from_secs(30),
        relied_on: RELIED_ON,
        log_bytes: -1,
        object_bytes: -1,
    };

    /// The same, with so much room for a team, bytes: an eighth of it for its logs.
    pub fn within(self, bytes: u64) -> Terms {
        let logs = i64::try_from(bytes / 8).unwrap_or(i64::MAX);
        let objects = i64::try_from(bytes - bytes / 8).unwrap_or(i64::MAX);
        Terms { log_bytes: logs.max(1), object_bytes: objects.max(1), ..self }
    }
}

/// A connection to a farm's server.
pub struct Nats {
    link: Link,
    hosts: RefCell<BTreeMap<String, Consumer<pull::Config>>>,
}

impl Nats {
    /// Connects as one of a team; `keeps` says whether this end may make what is missing. Every call is given up after
    /// `patience`.
    ///
    /// # Errors
    /// `usage`, `farm_refused`, `farm_unreachable` (passing).
    pub async fn connect(
        address: &Address,
        team: &str,
        terms: Terms,
        patience: Duration,
        keeps: bool,
    ) -> Result<Nats, Fault> {
        let names = Names::of(team)?;
        let refusals = Refusals::new();
        let client = door::open(address, patience, &refusals).await?;
        let mut context = async_nats::jetstream::new(client);
        context.set_timeout(patience);
        let link = Link { context, names, terms, patience, keeps, refusals, asked: Cell::default() };
        Ok(Nats { link, hosts: RefCell::default() })
    }

    /// Makes what is missing on the server; what is there stays as it is. Servers that do not agree yet who leads are
    /// waited for.
    ///
    /// # Errors
    /// `farm_refused`: something is missing that these credentials may not make. `farm_unreachable` (passing).
    pub async fn prepare(&self) -> Result<(), Fault> {
        for _ in 1..TRIES {
            match self.link.prepare().await {
                Err(fault) if fault.persistence == Persistence::Passing => tokio::time::sleep(PAUSE).await,
                told => return told,
            }
        }
        self.link.prepare().await
    }

    async fn consumer(&self, host: &str) -> Result<Consumer<pull::Config>, Fault> {
        if let Some(known) = self.hosts.borrow().get(host) {
            return Ok(known.clone());
        }
        let config = pull::Config {
            durable_name: Some(word("host", host)?.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.link.terms.ack_wait,
            filter_subject: Names::work(host),
            ..pull::Config::default()
        };
        let made = self.link.context.create_consumer_on_stream(config, Names::WORK);
        let asked = api("CONSUMER.CREATE", &format!("{}.{host}.{}", Names::WORK, Names::work(host)));
        let made = self.link.in_time("asking for work", &asked, Duration::ZERO, made).await?;
        let consumer = match made {
            Ok(consumer) => consumer,
            Err(why) => return Err(self.link.not_there("asking for work", &why).await),
        };
        self.hosts.borrow_mut().insert(host.to_owned(), consumer.clone());
        Ok(consumer)
    }

    async fn next(&self, host: &str, wait: Duration) -> Result<Option<Taken>, Fault> {
        let consumer = self.consumer(host).await?;
        let next = api("CONSUMER.MSG.NEXT", &format!("{}.{host}", Names::WORK));
        let asked = match wait.is_zero() {
            true => self.link.some(&next, || consumer.fetch().max_messages(1).messages(), wait).await,
            false => {
                self.link
                    .some(&next, || consumer.batch().max_messages(1).expires(wait).messages(), wait)
                    .await
            }
        };
        if asked.is_err() {
            // It may be gone with the store: it is made again.
            self.hosts.borrow_mut().remove(host);
        }
        let Some(message) = asked?.into_iter().next() else { return Ok(None) };
        let times = message.info().map_or(1, |info| info.delivered.max(1) as u64);
        let Some(receipt) = message.reply.as_ref().map(ToString::to_string) else { return Ok(None) };
        Ok(Some(Taken { receipt, body: message.payload.to_vec(), times }))
    }

    /// Says something of taken work, and waits until the server heard it.
    async fn say(&self, receipt: &str, word: &'static str) -> Result<(), Fault> {
        let client = self.link.context.client();
        let asked = client.request(receipt.to_owned(), word.into());
        let heard = self.link.in_time("keeping work", receipt, Duration::ZERO, asked).await?;
        heard.map(drop).map_err(|why| lost("keeping work", &why))
    }

    async fn held(&self, key: &str) -> Result<Result<Holder, Place>, Fault> {
        let latest = self.link.latest(Names::LEASES, &self.link.names.lease(key)).await?;
        Ok(latest.map_or(Err(Place(0)), |latest| holder(&latest)))
    }

    async fn grant(&self, key: &str, after: Place, body: &[u8]) -> Result<Option<Fence>, Fault> {
        let message = PublishMessage::build().payload(body.to_vec().into());
        let written = self.link.write(self.link.names.lease(key), Some(after), message).await?;
        Ok(written.map(|place| Fence(place.0)))
    }
}

/// Whether a message says that a lease or an object was given up.
fn given_up(headers: Option<&HeaderMap>) -> bool {
    headers.is_some_and(|headers| headers.get(OPERATION).is_some())
}

/// Who holds a lease by what its subject holds last; or where the word stands that it was given up.
fn holder(latest: &StreamMessage) -> Result<Holder, Place> {
    match given_up(Some(&latest.headers)) {
        true => Err(Place(latest.sequence)),
        false => Ok(Holder { body: latest.payload.to_vec(), fence: Fence(latest.sequence) }),
    }
}

/// A message of a log, as it was written.
fn written(message: &Message) -> Result<Written, Fault> {
    let info = message.info().map_err(|why| lost("reading on", &why))?;
    let stamp = u64::try_from(info.published.unix_timestamp_nanos()).unwrap_or_default();
    let line = Names::line_of(&message.subject);
    Ok(Written { place: Place(info.stream_sequence), line, stamp, body: message.payload.to_vec() })
}

impl Exchange for Nats {
    fn offer<'a>(&'a self, host: &'a str, id: &'a str, body: &'a [u8]) -> Work<'a, ()> {
        Box::pin(async move {
            let message = PublishMessage::build().payload(body.to_vec().into()).message_id(id);
            self.link.write(Names::work(word("host", host)?), None, message).await.map(drop)
        })
    }

    fn take<'a>(&'a self, host: &'a str, wait: Duration) -> Work<'a, Option<Taken>> {
        Box::pin(self.next(host, wait))
    }

    fn keep<'a>(&'a self, receipt: &'a str) -> Work<'a, ()> {
        Box::pin(self.say(receipt, "+WPI"))
    }

    fn done<'a>(&'a self, receipt: &'a str) -> Work<'a, ()> {
        Box::pin(self.say(receipt, "+ACK"))
    }

    fn claim<'a>(&'a self, key: &'a str, body: &'a [u8]) -> Work<'a, Leased> {
        Box::pin(async move {
            for _ in 0..RACES {
                let after = match self.held(key).await? {
                    Ok(holder) => return Ok(Leased::Held(holder)),
                    Err(after) => after,
                };
                if let Some(fence) = self.grant(key, after, body).await? {
                    return Ok(Leased::Granted(fence));
                }
            }
            Err(unreachable("a lease is fought over"))
        })
    }

    fn renew<'a>(&'a self, key: &'a str, fence: Fence, body: &'a [u8]) -> Work<'a, Leased> {
        Box::pin(async move {
            if let Some(fence) = self.grant(key, Place(fence.0), body).await? {
                return Ok(Leased::Granted(fence));
            }
            Ok(self.held(key).await?.map_or(Leased::Gone, Leased::Held))
        })
    }

    fn release<'a>(&'a self, key: &'a str, fence: Fence) -> Work<'a, ()> {
        Box::pin(async move {
            let message = PublishMessage::build().header(OPERATION, "DEL");
            self.link.write(self.link.names.lease(key), Some(Place(fence.0)), message).await.map(drop)
        })
    }

    fn holder<'a>(&'a self, key: &'a str) -> Work<'a, Option<Holder>> {
        Box::pin(async move { Ok(self.held(key).await?.ok()) })
    }

    fn holders<'a>(&'a self, kind: &'a str) -> Work<'a, Vec<(String, Holder)>> {
        Box::pin(async move {
            let (before, mut all) = (self.link.names.lease(&format!("{kind}.")), Vec::new());
            let mut from = DeliverPolicy::LastPerSubject;
            loop {
                let read = self.link.read(Names::LEASES, format!("{before}*"), from, Duration::ZERO).await?;
                let Some(last) = read.last() else { return Ok(all) };
                let place = |message: &Message| message.info().map_or(0, |info| info.stream_sequence);
                // Each is kept once, so what comes after the last of these is the rest.
                from = DeliverPolicy::ByStartSequence { start_sequence: place(last) + 1 };
                let held = read.iter().filter(|message| !given_up(message.headers.as_ref()));
                all.extend(held.filter_map(|message| {
                    let holder = Holder { body: message.payload.to_vec(), fence: Fence(place(message)) };
                    Some((message.subject.strip_prefix(&before)?.to_owned(), holder))
                }));
            }
        })
    }

    fn append<'a>(&'a self, line: &'a LogLine, after: Place, body: &'a [u8]) -> Work<'a, Appended> {
        Box::pin(async move {
            let subject = self.link.names.log(&line.run, line.generation, &line.line);
            let message = PublishMessage::build().payload(body.to_vec().into());
            let written = self.link.write(subject, Some(after), message).await?;
            Ok(written.map_or(Appended::Refused, Appended::At))
        })
    }

    fn last<'a>(&'a self, line: &'a LogLine) -> Work<'a, Option<Written>> {
        Box::pin(async move {
            let subject = self.link.names.log(&line.run, line.generation, &line.line);
            let latest = self.link.latest(&self.link.names.logs(), &subject).await?;
            Ok(latest.map(|latest| Written {
                place: Place(latest.sequence),
                line: line.line.clone(),
                stamp: u64::try_from(latest.time.unix_timestamp_nanos()).unwrap_or_default(),
                body: latest.payload.to_vec(),
            }))
        })
    }

    fn lasts<'a>(&'a self, generation: u32, line: &'a str) -> Work<'a, Vec<(String, Written)>> {
        Box::pin(async move {
            let (stream, wanted) = (self.link.names.logs(), self.link.names.log("*", generation, line));
            let (mut all, mut from) = (BTreeMap::new(), DeliverPolicy::LastPerSubject);
            loop {
                let read = self.link.read(&stream, wanted.clone(), from, Duration::ZERO).await?;
                let Some(last) = read.last() else { return Ok(all.into_iter().collect()) };
                // What is written meanwhile is newer.
                from = DeliverPolicy::ByStartSequence { start_sequence: written(last)?.place.0 + 1 };
                for message in &read {
                    if let Some(run) = Names::run_of(&message.subject) {
                        all.insert(run, written(message)?);
                    }
                }
            }
        })
    }

    fn follow<'a>(
        &'a self,
        run: &'a str,
        generation: u32,
        after: Place,
        wait: Duration,
    ) -> Work<'a, Vec<Written>> {
        Box::pin(async move {
            let from = DeliverPolicy::ByStartSequence { start_sequence: after.0 + 1 };
            let lines = self.link.names.lines(run, generation);
            let read = self.link.read(&self.link.names.logs(), lines, from, wait).await?;
            read.iter().map(written).collect()
        })
    }

    fn put<'a>(&'a self, digest: &'a str, bytes: &'a [u8]) -> Work<'a, ()> {
        Box::pin(self.leave(digest, bytes))
    }

    fn discard<'a>(&'a self, digest: &'a str) -> Work<'a, ()> {
        Box::pin(self.forget(digest))
    }

    fn get<'a>(&'a self, digest: &'a str) -> Work<'a, Option<Vec<u8>>> {
        Box::pin(self.object(digest))
    }
}
