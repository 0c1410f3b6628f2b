//! Where phones come from ([`Provider`]) and the verbs a phone understands ([`Device`]).

use crate::Work;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
use farmjank_results::recovery::RecoveryStep;
use std::rc::Rc;
use std::time::Duration;

/// A finished shell command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Exit status of the phone's shell.
    pub status: i32,
    /// Standard output, bounded.
    pub out: Vec<u8>,
    /// Standard error, bounded.
    pub err: Vec<u8>,
}

impl Output {
    /// Standard output as text, undecodable bytes replaced, carriage returns at line ends removed.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).replace("\r\n", "\n")
    }

    /// Standard error as text.
    pub fn err_text(&self) -> String {
        String::from_utf8_lossy(&self.err).replace("\r\n", "\n")
    }
}

/// What a long-lived shell gives next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A line of standard output without its line end.
    Line(Vec<u8>),
    /// The shell ended with this status. A lost phone is a fault, never an end.
    Ended(i32),
}

/// A long-lived shell whose output arrives line by line. Dropping it ends the command on the phone.
pub trait Stream {
    /// The next line, or the end. `code = "silent"` (passing, lab) when nothing comes within `patience`.
    /// Cancel-safe: dropping the future loses no line.
    fn next<'a>(&'a mut self, patience: Duration) -> Work<'a, Next>;
    /// All lines that have already arrived, each with `\n` at its end: a dump comes as a hundred lines in one piece,
    /// and handing over each of them costs more than reading it. None when there is no whole line.
    fn ready(&mut self) -> Option<Vec<u8>> {
        None
    }
}

/// One phone, held by a lease. Knows no Android: commands and their meaning are the engine's.
pub trait Device {
    /// Serial.
    fn id(&self) -> &DeviceId;
    /// Runs one line in the phone's shell. The caller has quoted what needs quoting. Faults: `device_lost`, `timeout`,
    /// `device_offline`, `device_unauthorized`, `protocol`, `output_too_large`.
    fn shell<'a>(&'a self, line: &'a str, patience: Duration) -> Work<'a, Output>;
    /// Opens a long-lived shell; `patience` bounds the opening.
    fn stream<'a>(&'a self, line: &'a str, patience: Duration) -> Work<'a, Box<dyn Stream>>;
    /// Moves bytes to a file on the phone. Faults: as of [`Device::shell`], and `file_refused` with the phone's words.
    fn push<'a>(&'a self, bytes: &'a [u8], to: &'a str, patience: Duration) -> Work<'a, ()>;
}

/// State of a phone as its provider sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceState {
    /// Ready for commands.
    Ready,
    /// `unauthorized` or `authorizing`: the key is not accepted on the phone.
    Unauthorized,
    /// `offline`.
    Offline,
    /// `no permissions …`: this computer may not open it; the whole text.
    NoPermissions(String),
    /// Another phone has the same serial; where each of them is.
    Ambiguous(String),
    /// It could be used, but its server has more phones than are used; in words.
    Surplus(String),
    /// Somebody else has it, as who lends it says: who.
    Booked(String),
    /// Anything else adb prints (`recovery`, `sideload`, …), as text.
    Other(String),
}

/// A phone as its provider lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Serial.
    pub id: DeviceId,
    /// State.
    pub state: DeviceState,
    /// Which server it was seen on, for messages.
    pub server: String,
}

/// A change among a provider's phones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// A phone arrived or changed state.
    Seen(Sighting),
    /// A phone left.
    Gone {
        /// Serial.
        id: DeviceId,
        /// Why, as far as known.
        why: String,
    },
    /// A server does not answer: which phones it has, nobody can tell.
    ServerLost {
        /// As [`Sighting::server`].
        server: String,
        /// Why.
        fault: Fault,
    },
    /// A server that did not answer does now. What phones it has follows.
    ServerBack {
        /// As [`Sighting::server`].
        server: String,
    },
    /// Every phone present when the watch began has been reported.
    Settled,
}

/// A live subscription to arrivals.
pub trait Arrivals {
    /// The next change. Waits for ever when nothing changes. Cancel-safe.
    fn next<'a>(&'a mut self) -> Work<'a, Arrival>;
}

/// Where phones come from.
pub trait Provider {
    /// Name in messages: `adb`, `lab`.
    fn name(&self) -> &str;
    /// Subscribes. Faults: `no_server` with advice.
    fn watch<'a>(&'a self) -> Work<'a, Box<dyn Arrivals>>;
    /// Does something for a phone that does not answer; what its server said. Only while nobody holds it: a phone that
    /// measures would lose its connection. Bounded. Faults: as of [`Device::shell`], and `refused` with the server's
    /// words.
    fn recover<'a>(&'a self, id: &'a DeviceId, step: RecoveryStep) -> Work<'a, String>;
    /// Holds a phone exclusively within this process until the returned device is dropped.
    fn lease<'a>(&'a self, id: &'a DeviceId) -> Work<'a, Rc<dyn Device>>;
    /// Phones that somebody lent when they were leased, and wants back when nobody here needs them any more. Those of a
    /// cable are nobody's.
    fn borrowed(&self) -> Vec<DeviceId> {
        Vec::new()
    }
    /// Gives such a phone back; nothing where it was given back already. Bounded.
    fn give_back<'a>(&'a self, _: &'a DeviceId) -> Work<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}
