//! What can be done from this end of the cable for a phone that does not answer
//! (docs/phones.md#a-phone-that-stops-answering).

use crate::device::DeviceId;
use serde::{Deserialize, Serialize};

/// What is done, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryStep {
    /// The server opens its connections to phones that are offline anew; one over the network is disconnected and
    /// connected.
    Reopen,
    /// The server closes its connection to the phone and makes it anew.
    Reconnect,
    /// The phone boots again.
    Reboot,
}

/// What is said of a step.
pub fn sentence(device: &DeviceId, step: RecoveryStep, why: &str) -> String {
    let does = match step {
        RecoveryStep::Reopen => "its connection is opened anew",
        RecoveryStep::Reconnect => "the adb server is asked to connect it anew",
        RecoveryStep::Reboot => "it is booted again",
    };
    format!("{device} {why}: {does}")
}
