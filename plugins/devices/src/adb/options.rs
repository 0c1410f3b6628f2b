//! Every bound of the adb transport as a value. Units are in the names of the types: durations and bytes.

use farmjank_seams::names::PhoneNames;
use std::time::Duration;

/// How a phone that is connected and silent is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// A leased phone that said nothing for so long is asked.
    pub every: Duration,
    /// It has so long to answer.
    pub deadline: Duration,
    /// So many missed answers in a row make it silent.
    pub misses: u32,
    /// A silent phone is asked again so often whether it is back.
    pub revive: Duration,
}

impl Default for Heartbeat {
    fn default() -> Self {
        Heartbeat {
            every: Duration::from_secs(10),
            deadline: Duration::from_secs(5),
            misses: 2,
            revive: Duration::from_secs(30),
        }
    }
}

/// Bounds of the adb transport. One field for each bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What the provider calls itself in messages.
    pub name: String,
    /// What phones are called whose serial is not enough.
    pub names: PhoneNames,
    /// Longest wait for a connection to the server.
    pub connect: Duration,
    /// Longest wait for one reply of the server. A fresh server took 2.4 s to its first.
    pub reply: Duration,
    /// Calls per server that are being opened: 100 connections at once would meet the listen queue of newer servers. A
    /// call that is open burdens its phone, no longer the server, and gives its place back: otherwise 64 phones would
    /// hold up the steps of every other, and 64 wedged ones would stop them.
    pub in_flight: usize,
    /// Phones used per server; each costs it two threads and a descriptor.
    pub phones_per_server: usize,
    /// Standard output and error of one call together, in bytes.
    pub max_output: usize,
    /// One line of a stream, in bytes.
    pub max_line: usize,
    /// Heartbeat of leased phones.
    pub heartbeat: Heartbeat,
    /// First pause before a broken subscription is renewed; doubled up to [`Options::backoff_most`].
    pub backoff_first: Duration,
    /// Longest pause before a broken subscription is renewed.
    pub backoff_most: Duration,
    /// A subscription that brought nothing for so long is checked by asking the server its version.
    pub server_check: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            name: "adb".to_owned(),
            names: PhoneNames::default(),
            connect: Duration::from_secs(5),
            reply: Duration::from_secs(10),
            in_flight: 64,
            phones_per_server: 128,
            max_output: 16 << 20,
            max_line: 1 << 20,
            heartbeat: Heartbeat::default(),
            backoff_first: Duration::from_millis(250),
            backoff_most: Duration::from_secs(10),
            server_check: Duration::from_secs(30),
        }
    }
}
