//! One connection to an adb server: requests and replies with a deadline on each, over any byte stream.
//!
//! Dropping a [`Link`] closes its stream, which ends the command on the phone. Reading is cancel-safe: bytes that
//! arrived are kept in the inbox. Must not know what requests mean.

use crate::adb::options::Options;
use crate::adb::refusal::LinkError;
use crate::adb::wire::{Inbox, Status, encode_request};
use farmjank_seams::host::{Address, Dial, Wire};
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};

/// Room made for one read, in bytes.
const CHUNK: usize = 16 << 10;

/// A server with the places for calls in flight to it.
pub(crate) struct Server {
    pub(crate) address: Address,
    pub(crate) name: String,
    places: Semaphore,
    dial: Rc<dyn Dial>,
    pub(crate) options: Rc<Options>,
}

impl Server {
    pub(crate) fn new(address: Address, dial: Rc<dyn Dial>, options: Rc<Options>) -> Self {
        let name = address.to_string();
        let places = Semaphore::new(options.in_flight.max(1));
        Server { address, name, places, dial, options }
    }

    /// A place among the calls in flight. The queue is fair. Given back by dropping.
    pub(crate) async fn place(&self, deadline: Instant) -> Result<SemaphorePermit<'_>, LinkError> {
        match bounded(deadline, Duration::MAX, "waiting for its turn", self.places.acquire()).await? {
            Ok(permit) => Ok(permit),
            // The semaphore is never closed; treating it as a lost server keeps this free of panics.
            Err(_closed) => Err(LinkError::Ended),
        }
    }

    /// Connects. The caller holds a place.
    pub(crate) async fn connect(&self, deadline: Instant) -> Result<Link, LinkError> {
        let wire = self.dial(deadline).await?;
        Ok(Link { wire, inbox: Inbox::default(), reply: self.options.reply, deadline })
    }

    /// The raw byte stream to the server.
    pub(crate) async fn dial(&self, deadline: Instant) -> Result<Box<dyn Wire>, LinkError> {
        let dialled = self.dial.dial(&self.address);
        bounded(deadline, self.options.connect, "connecting", dialled).await?.map_err(LinkError::Dial)
    }
}

/// Waits for `work`, at most `longest` and at most until `deadline`.
pub(crate) async fn bounded<T>(
    deadline: Instant,
    longest: Duration,
    doing: &'static str,
    work: impl Future<Output = T>,
) -> Result<T, LinkError> {
    let now = Instant::now();
    let until = now.checked_add(longest).map_or(deadline, |end| end.min(deadline));
    timeout_at(until, work).await.map_err(|_| LinkError::Late(doing, until.saturating_duration_since(now)))
}

/// An instant `patience` from now; a patience beyond all clocks means a year.
pub(crate) fn after(patience: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(patience).unwrap_or_else(|| now + Duration::from_secs(365 * 86_400))
}

/// One connection.
pub(crate) struct Link {
    wire: Box<dyn Wire>,
    inbox: Inbox,
    reply: Duration,
    deadline: Instant,
}

impl Link {
    /// Sends a request and waits for `OKAY`.
    pub(crate) async fn request(&mut self, text: &str, doing: &'static str) -> Result<(), LinkError> {
        let framed = encode_request(text)?;
        let (deadline, reply) = (self.deadline, self.reply);
        bounded(deadline, reply, doing, async {
            self.wire.write_all(&framed).await.map_err(broken)?;
            self.wire.flush().await.map_err(broken)?;
            loop {
                match self.inbox.take_status()? {
                    Some(Status::Okay) => return Ok(()),
                    Some(Status::Fail(text)) => return Err(LinkError::Refused(text)),
                    None => self.fill().await?,
                }
            }
        })
        .await?
    }

    /// Sends bytes as they are.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        bounded(self.deadline, Duration::MAX, "sending", async {
            self.wire.write_all(bytes).await.map_err(broken)?;
            self.wire.flush().await.map_err(broken)
        })
        .await?
    }

    /// A length-prefixed block that belongs to a reply.
    pub(crate) async fn block(&mut self, doing: &'static str) -> Result<Vec<u8>, LinkError> {
        bounded(self.deadline, self.reply, doing, self.next_block()).await?
    }

    /// The next length-prefixed block, however long it takes. Cancel-safe.
    pub(crate) async fn next_block(&mut self) -> Result<Vec<u8>, LinkError> {
        loop {
            if let Some(block) = self.inbox.take_block()? {
                return Ok(block);
            }
            self.fill().await?;
        }
    }

    /// Whatever bytes come next; empty means the end. Cancel-safe. No deadline of its own.
    pub(crate) async fn bytes(&mut self) -> Result<Vec<u8>, LinkError> {
        if self.inbox.is_empty() {
            match self.fill().await {
                Err(LinkError::Ended) => return Ok(Vec::new()),
                other => other?,
            }
        }
        Ok(self.inbox.take_all())
    }

    async fn fill(&mut self) -> Result<(), LinkError> {
        let into = self.inbox.room(CHUNK);
        match self.wire.read_buf(into).await.map_err(broken)? {
            0 => Err(LinkError::Ended),
            _ => Ok(()),
        }
    }
}

fn broken(error: std::io::Error) -> LinkError {
    LinkError::Broken(error.to_string())
}
