//! Raw text from a phone with the stamps around it: evidence before it is read.

use crate::frame::SourceId;
use crate::time::{BootTime, RunTime};

/// One dump as the phone printed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// Which source printed it.
    pub source: SourceId,
    /// What was asked for: the layer name or the package.
    pub target: String,
    /// The phone's `/proc/uptime` just before the command, when stamped.
    pub asked: Option<BootTime>,
    /// The phone's `/proc/uptime` just after the command, when stamped.
    pub answered: Option<BootTime>,
    /// Host time when the last byte arrived.
    pub arrived: RunTime,
    /// The text, untouched.
    pub text: Vec<u8>,
}
