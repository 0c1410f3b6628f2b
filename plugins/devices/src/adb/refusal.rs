//! What went wrong on one connection, and the fault a person reads: `FAIL` texts of adb servers become codes with
//! advice. Pure. Foreign text is escaped and bounded before it enters a message.

use crate::adb::wire::WireError;
use farmjank_leaf::text::line;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use std::time::Duration;
use thiserror::Error;

/// Longest piece of foreign text in a message, in characters.
const MAX_SHOWN: usize = 300;

/// What can go wrong on one connection to a server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// Nobody answers at the address; the dialer's own fault.
    #[error("{0}")]
    Dial(Fault),
    /// The connection was closed before the answer was complete.
    #[error("connection closed")]
    Ended,
    /// The connection broke.
    #[error("{0}")]
    Broken(String),
    /// No answer in time, while doing what is named.
    #[error("no answer within {1:?} while {0}")]
    Late(&'static str, Duration),
    /// The server said `FAIL`.
    #[error("{0}")]
    Refused(String),
    /// Bytes that are not the protocol.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// More output than the caller allows, in bytes.
    #[error("more than {0} bytes")]
    TooLarge(usize),
}

/// Whom a connection is about: named in every message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The phone, or `None` for questions to the server itself.
    pub phone: Option<DeviceId>,
    /// The server's address as text.
    pub server: String,
}

impl Subject {
    fn name(&self) -> String {
        match &self.phone {
            Some(id) => format!("phone {}", shown(&id.0)),
            None => format!("the adb server at {}", self.server),
        }
    }

    /// The fault for `error`: blame lab throughout, `passing` where another try can help.
    pub fn fault(&self, error: LinkError) -> Fault {
        let name = self.name();
        match error {
            LinkError::Dial(fault) => fault,
            LinkError::Ended | LinkError::Broken(_) => self.lost(&error),
            LinkError::Late(doing, after) => {
                let after = after.as_secs_f64();
                Fault::new(
                    FaultCode::Timeout,
                    format!("{name} did not answer within {after:.1} s while {doing}"),
                )
                .passing()
                .advise("check the cable and whether the phone or its adb server hangs")
            }
            LinkError::Refused(text) => refusal(&text, self),
            LinkError::Wire(error @ WireError::RequestTooLong(_)) => {
                Fault::new(FaultCode::CommandTooLong, format!("{name} cannot be asked: {error}"))
                    .advise("shorten the command, or push it as a script and run that")
            }
            LinkError::Wire(error) => Fault::new(
                FaultCode::Protocol,
                format!("{name} sent bytes that are not the adb protocol: {error}"),
            )
            .passing()
            .advise(format!("check that an adb server listens at {}, and replace the cable", self.server)),
            LinkError::TooLarge(max) => {
                Fault::new(FaultCode::OutputTooLarge, format!("{name} sent more than {max} bytes"))
                    .advise("ask for less output, or filter it on the phone")
            }
        }
    }

    fn lost(&self, error: &LinkError) -> Fault {
        let detail = match error {
            LinkError::Broken(why) => format!(" ({})", shown(why)),
            _ => String::new(),
        };
        match &self.phone {
            Some(_) => Fault::new(
                FaultCode::DeviceLost,
                format!(
                    "{} was lost: the connection ended before the answer was complete{detail}",
                    self.name()
                ),
            )
            .passing()
            .advise("check the cable and the hub; output received so far is not used"),
            None => Fault::new(
                FaultCode::NoServer,
                format!("{} closed the connection without an answer{detail}", self.name()),
            )
            .passing()
            .advise("see whether the adb server still runs: `adb devices`"),
        }
    }
}

/// The fault for a server's `FAIL` text.
pub fn refusal(text: &str, subject: &Subject) -> Fault {
    let name = subject.name();
    let lower = text.trim().to_lowercase();
    let said = shown(text.trim());
    let has = |needle: &str| lower.contains(needle);
    if has("unauthorized") || has("authorizing") {
        return unauthorized(&name);
    }
    if has("offline") || has("still connecting") {
        return offline(&name);
    }
    if has("permission") {
        return no_permissions(&name, &said);
    }
    if has("more than one device") {
        return ambiguous(&name, &format!("several on the adb server at {}", subject.server));
    }
    if has("not found") || has("no devices") || has("unknown device") {
        return missing(&name, &subject.server);
    }
    if lower == "closed" {
        return Fault::new(FaultCode::Closed, format!("{name} refused to open the service"))
            .passing()
            .advise("if it happens again, reboot the phone: its adb daemon is in trouble");
    }
    Fault::new(FaultCode::Refused, format!("the adb server at {} refused for {name}: {said}", subject.server))
}

/// The fault for a phone whose key is not accepted.
pub fn unauthorized(name: &str) -> Fault {
    Fault::new(FaultCode::DeviceUnauthorized, format!("{name} has not accepted this computer's key"))
        .advise("unlock the phone and accept the key (\"Allow USB debugging?\")")
}

/// The fault for a phone in state `offline`.
pub fn offline(name: &str) -> Fault {
    Fault::new(FaultCode::DeviceOffline, format!("{name} is offline"))
        .passing()
        .advise("replug the phone, or for one over TCP `adb disconnect` and `adb connect` it")
}

/// The fault for a phone the server does not have.
pub fn missing(name: &str, server: &str) -> Fault {
    Fault::new(FaultCode::DeviceMissing, format!("{name} is not connected to the adb server at {server}"))
        .passing()
        .advise("see `adb devices -l`; check cable, hub and the serial's spelling")
}

/// The fault for a phone that shares its serial with another; `places` says where they are.
pub(crate) fn ambiguous(name: &str, places: &str) -> Fault {
    Fault::new(FaultCode::DeviceAmbiguous, format!("{name} is one of several with this serial: {places}"))
        .advise(
            "unplug the others, name one server only (--adb HOST:PORT), or give each a name (--inventory)",
        )
}

/// The fault for a phone beyond those a server's phones are used of.
pub(crate) fn surplus(name: &str, why: &str) -> Fault {
    Fault::new(FaultCode::TooManyPhones, format!("{name} is not used: {why}"))
        .advise("start a second adb server on another port, and name both: --adb HOST:PORT --adb HOST:PORT")
}

/// The fault for a phone the server may not open.
pub(crate) fn no_permissions(name: &str, said: &str) -> Fault {
    Fault::new(FaultCode::DeviceNoPermissions, format!("the adb server may not open {name}: {said}"))
        .advise("install udev rules for the phone's maker or join the group plugdev, then replug the phone")
}

/// Foreign text fit for a message: control characters escaped, length bounded.
pub fn shown(text: &str) -> String {
    line(text, MAX_SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::fault::Blame;
    use farmjank_results::fault::Persistence::{Lasting, Passing};

    #[test]
    fn texts_of_real_servers_become_codes() {
        let subject = Subject { phone: Some(DeviceId("A1".into())), server: "127.0.0.1:5037".into() };
        let table = [
            ("device offline", "device_offline", Passing),
            ("device still connecting", "device_offline", Passing),
            (
                "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\nTry 'adb kill-server' if",
                "device_unauthorized",
                Lasting,
            ),
            ("device still authorizing", "device_unauthorized", Lasting),
            ("device 'A1' not found", "device_missing", Passing),
            ("no devices/emulators found", "device_missing", Passing),
            ("more than one device", "device_ambiguous", Lasting),
            ("insufficient permissions for device: user in plugdev group", "device_no_permissions", Lasting),
            ("closed", "closed", Passing),
            ("unknown host service", "refused", Lasting),
            ("", "refused", Lasting),
        ];
        for (text, code, persistence) in table {
            let fault = subject.fault(LinkError::Refused(text.into()));
            assert_eq!((fault.code.word(), fault.persistence), (code, persistence), "{text}");
            assert_eq!(fault.blame, Blame::Lab);
        }
        assert!(
            subject
                .fault(LinkError::Refused("device unauthorized.".into()))
                .advice
                .contains("accept the key")
        );
    }

    #[test]
    fn foreign_text_is_bounded_and_escaped() {
        let text = shown(&format!("\u{1b}[2J{}", "x".repeat(1_000)));
        assert!(text.starts_with("\\u{1b}[2J") && text.chars().count() < 320, "{text}");
    }
}
