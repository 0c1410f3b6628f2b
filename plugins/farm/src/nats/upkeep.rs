//! What who runs the server does to what it keeps: bounds it, and takes away what nobody needs any more. Which that is
//! is decided elsewhere; nobody else's key may do any of it.

use super::Nats;
use super::calls::{Link, api, lost, no_room};
use crate::subjects::word;
use async_nats::jetstream::stream::{Config, RawMessageErrorKind};
use farmjank_results::fault::Fault;
use std::time::Duration;

/// When a run's log was written, ns since 1970 on the server's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logged {
    /// Its first message that is there.
    pub first: u64,
    /// Its last.
    pub last: u64,
}

/// What is done over a connection to keep a farm up.
pub struct Upkeep<'n> {
    link: &'n Link,
}

impl Nats {
    /// The same connection, to keep the farm up.
    pub fn upkeep(&self) -> Upkeep<'_> {
        Upkeep { link: &self.link }
    }
}

impl Upkeep<'_> {
    /// The server's clock, ns since 1970.
    ///
    /// # Errors
    /// `farm_refused`, `farm_unreachable` (passing).
    pub async fn now(&self) -> Result<u64, Fault> {
        self.link.now().await
    }

    /// Bounds what the team's logs and objects may take, as the terms say. What is there already stays.
    ///
    /// # Errors
    /// `farm_full`, `farm_refused`, `farm_unreachable` (passing).
    pub async fn bound(&self) -> Result<(), Fault> {
        for wanted in self.link.configs() {
            let Some((there, _)) = self.link.kept(&wanted.name).await? else { continue };
            if wanted.max_bytes > 0 && there.max_bytes != wanted.max_bytes {
                let config = Config { max_bytes: wanted.max_bytes, ..there };
                let what = format!("{} cannot be bounded", wanted.name);
                let asked = self.link.context.update_stream(&config);
                let subject = api("STREAM.UPDATE", &wanted.name);
                let done = self.link.in_time(&what, &subject, Duration::ZERO, asked).await?;
                done.map_err(|why| no_room(&what, &why))?;
            }
        }
        Ok(())
    }

    /// When a run's log was written; none where there is nothing of it.
    ///
    /// # Errors
    /// `usage`, `farm_refused`, `farm_unreachable` (passing).
    pub async fn logged(&self, run: &str) -> Result<Option<Logged>, Fault> {
        let (stream, all) = (self.link.names.logs(), self.link.names.all_of(word("run", run)?));
        let Some((_, first)) = self.link.first(&stream, &all, 1).await? else { return Ok(None) };
        let last = self.link.latest(&stream, &all).await?;
        Ok(last.map(|last| Logged { first, last: stamp(last.time.unix_timestamp_nanos()) }))
    }

    /// Takes the log of a run away, its head included; how many messages that was. The farm does not know the run any
    /// more.
    ///
    /// # Errors
    /// `usage`, `farm_refused`, `farm_unreachable` (passing): it can be asked again.
    pub async fn drop_log(&self, run: &str) -> Result<u64, Fault> {
        let all = self.link.names.all_of(word("run", run)?);
        self.link.purge(&self.link.names.logs(), Some(all), None).await
    }

    /// Takes away what was left before a moment, ns since 1970 on the server's clock: objects, and parts of those whose
    /// last part is as young as that. How many messages that was.
    ///
    /// # Errors
    /// As [`Upkeep::drop_log`].
    pub async fn drop_objects(&self, before: u64) -> Result<u64, Fault> {
        let stream = self.link.names.objects();
        let all = self.link.names.object("*", "*");
        let Some((first, _)) = self.link.first(&stream, &all, 1).await? else { return Ok(0) };
        let last = self.link.latest(&stream, &all).await?.map_or(first, |last| last.sequence);
        // The first that is young enough is at `low` or behind it, and no further than `high`.
        let (mut low, mut high) = (first, last + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.link.first(&stream, &all, middle).await? {
                Some((at, written)) if written < before => low = at + 1,
                _ => high = middle,
            }
        }
        if low == first { Ok(0) } else { self.link.purge(&stream, None, Some(low)).await }
    }
}

/// A time of the server, ns since 1970.
fn stamp(ns: i128) -> u64 {
    u64::try_from(ns).unwrap_or_default()
}

impl Link {
    /// The first message that matches from a sequence on: where it stands, and when it was written.
    async fn first(&self, name: &str, subject: &str, from: u64) -> Result<Option<(u64, u64)>, Fault> {
        let read = async {
            let stream = self.context.get_stream_no_info(name).await.map_err(|why| lost("reading", &why))?;
            match stream.get_first_raw_message_by_subject(subject, from).await {
                Ok(message) => Ok(Some((message.sequence, stamp(message.time.unix_timestamp_nanos())))),
                Err(why) if why.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
                Err(why) => Err(self.not_there("reading", &why).await),
            }
        };
        self.in_time("reading", &api("STREAM.MSG.GET", name), Duration::ZERO, read).await?
    }

    /// Takes away what is on these subjects, or before a sequence; how much that was.
    async fn purge(&self, name: &str, of: Option<String>, before: Option<u64>) -> Result<u64, Fault> {
        let done = async {
            let stream = self.context.get_stream_no_info(name).await.map_err(|why| lost("purging", &why))?;
            let purge = stream.purge();
            let done = match (of, before) {
                (Some(of), _) => purge.filter(of).await,
                (None, Some(before)) => purge.sequence(before).await,
                (None, None) => return Ok(0),
            };
            done.map(|done| done.purged).map_err(|why| lost("purging", &why))
        };
        self.in_time("purging", &api("STREAM.PURGE", name), Duration::ZERO, done).await?
    }
}
