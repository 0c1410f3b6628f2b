//! A job that goes on with another phone of its class, because the lab kept it from its end on the one it had.

use crate::device::DeviceId;
use crate::fault::Fault;

/// A phone a job was on, and left.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The phone it left.
    pub from: DeviceId,
    /// Why.
    pub fault: Fault,
    /// Trials begun there. They stay in the log, and count for nothing.
    pub trials: u32,
}

/// `moved from R58M1 to R58M2, a phone of the same class: the phone is too hot`.
pub fn sentence(from: &DeviceId, to: &DeviceId, fault: &Fault) -> String {
    format!("moved from {from} to {to}, a phone of the same class: {}", fault.what)
}
