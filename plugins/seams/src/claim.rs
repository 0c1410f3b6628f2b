//! Claims: which run of this computer uses a phone. One at a time, whichever process it is.
//!
//! A phone that two runs scroll at once shows each of them the other's app. So a run claims every phone before it works
//! there; the claim ends when it is dropped, and with the process that holds it, however that dies.

use farmjank_results::device::{DeviceFacts, DeviceId};
use std::any::Any;
use std::fmt;

/// Who claims a phone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claimant {
    /// What it does there, such as `run 20260301-120000-5eed7a`.
    pub who: String,
    /// Its process on this computer.
    pub pid: u32,
    /// Since when, RFC 3339 in UTC.
    pub since: String,
    /// What it knows of the phone: whoever waits need not ask a phone on which somebody measures.
    pub facts: Option<Box<DeviceFacts>>,
}

impl fmt::Display for Claimant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (process {}) since {}", self.who, self.pid, self.since)
    }
}

/// Keeps a phone claimed until it is dropped.
pub struct Claim(pub Box<dyn Any>);

/// Why a phone is not claimed.
#[derive(Clone, Debug, PartialEq)]
pub enum Unclaimed {
    /// Somebody else has it.
    Held(Claimant),
    /// This computer keeps no claims, in its words: nobody can tell who else uses the phone.
    Unknown(String),
}

/// The claims of this computer.
pub trait Claims {
    /// Claims a phone, which is reached through `server`, and leaves what is known of it to those who look. Never
    /// waits.
    fn claim(&self, server: &str, phone: &DeviceFacts, who: &str) -> Result<Claim, Unclaimed>;
    /// Who has claimed a phone, if anybody.
    fn claimant(&self, server: &str, phone: &DeviceId) -> Option<Claimant>;
}

/// Phones nobody else can reach: those of a lab inside this process.
pub struct Private;

impl Claims for Private {
    fn claim(&self, _: &str, _: &DeviceFacts, _: &str) -> Result<Claim, Unclaimed> {
        Ok(Claim(Box::new(())))
    }

    fn claimant(&self, _: &str, _: &DeviceId) -> Option<Claimant> {
        None
    }
}
