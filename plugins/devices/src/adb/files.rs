//! Moving files with `adb_client`, on a thread for blocking work, through the loopback gate.
//!
//! This file and the gate are the crate's one exception to "no sockets, no threads". `adb_client` moves bytes correctly
//! but blocks for ever on a frozen phone; the gate cuts its connection at the deadline, when the caller gives up, and when
//! the server is lost, so no thread stays behind. `ADBServerDevice` is used with an explicit address, which never runs
//! `adb start-server`, unlike `adb_client`'s `ADBServer`. Served labs only: the simulated clock and real sockets do not go together, so `send.rs`
//! takes files to a lab inside this process.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "see the header")]

use crate::adb::gate::{Gate, Seen};
use crate::adb::link::{Server, after};
use crate::adb::refusal::{LinkError, Subject, lab, refusal, shown};
use adb_client::RustADBError;
use adb_client::server_device::ADBServerDevice;
use farmjank_results::blame::{Blame, Fault};
use farmjank_results::device::DeviceId;
use farmjank_seams::host::Address;
use std::io::{Cursor, Write};
use std::net::SocketAddrV4;
use std::time::Duration;
use tokio::time::sleep_until;

/// Moves bytes to a file of the phone. Faults: `timeout`, `device_lost`, `file_refused` with the phone's words, those of
/// an unfit phone, `files_need_tcp` for a lab inside this process.
pub(crate) async fn push(
    server: &Server,
    phone: &DeviceId,
    bytes: &[u8],
    to: &str,
    patience: Duration,
) -> Result<(), Fault> {
    let (owned, path) = (bytes.to_vec(), to.to_owned());
    let work = move |device: &mut ADBServerDevice| device.push(Cursor::new(owned), &path);
    let moved = through_gate(server, phone, "writing a file", patience, work).await?;
    moved.judge(&server.subject_of(phone), to)
}

/// Fetches a file of the phone. Faults as of [`push`], and `output_too_large`.
pub(crate) async fn pull(
    server: &Server,
    phone: &DeviceId,
    from: &str,
    patience: Duration,
) -> Result<Vec<u8>, Fault> {
    let path = from.to_owned();
    let max = server.options.max_file;
    let work = move |device: &mut ADBServerDevice| {
        let mut file = Bounded { bytes: Vec::new(), max, over: false };
        device.pull(&path, &mut file).map(|()| file)
    };
    let moved = through_gate(server, phone, "reading a file", patience, work).await?;
    let (subject, whole) = (server.subject_of(phone), moved.seen.tally.borrow().whole());
    let file = match &moved.outcome {
        Ok(file) if file.over => return Err(subject.fault(LinkError::TooLarge(max))),
        // The writer refuses with this text; `adb_client` passes it on.
        Err(error) if error.to_string() == TOO_LARGE => return Err(subject.fault(LinkError::TooLarge(max))),
        _ => moved.judge(&subject, from)?,
    };
    if whole != Some(file.bytes.len() as u64) {
        return Err(subject.fault(LinkError::Ended));
    }
    Ok(file.bytes)
}

const TOO_LARGE: &str = "the file is larger than allowed";

/// A file in memory that refuses to grow beyond its bound. `over` is kept because `adb_client` ignores an error
/// of its last write.
struct Bounded {
    bytes: Vec<u8>,
    max: usize,
    over: bool,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.max {
            self.over = true;
            return Err(std::io::Error::other(TOO_LARGE));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What `adb_client` said and what the gate saw.
struct Moved<T> {
    outcome: Result<T, RustADBError>,
    seen: Seen,
}

impl<T> Moved<T> {
    fn judge(self, subject: &Subject, path: &str) -> Result<T, Fault> {
        if let Some(error) = self.seen.failure.into_inner() {
            return Err(subject.fault(error));
        }
        self.outcome.map_err(|error| explain(&error, self.seen.server_left.get(), subject, path))
    }
}

/// The fault for an error of `adb_client`. Refusals of the server come as its text, refusals of the phone's file service
/// either so or inside an I/O error.
fn explain(error: &RustADBError, server_left: bool, subject: &Subject, path: &str) -> Fault {
    let text = error.to_string();
    if let RustADBError::ADBRequestFailed(said) = error {
        let fault = refusal(said, subject);
        // The words of `open` and `write` on the phone are about the path, whatever they contain.
        return if fault.code.starts_with("device_") && !about_path(said) || fault.code == "closed" {
            fault
        } else {
            file_refused(said, subject, path)
        };
    }
    if let Some(said) = text.strip_prefix("ADB request failed: ") {
        return file_refused(said, subject, path);
    }
    match error {
        // Words of `adb_client` itself about an answer it cannot read.
        RustADBError::IOError(error) if error.kind() == std::io::ErrorKind::Other => {
            not_understood(path, &text)
        }
        RustADBError::IOError(_) if server_left => subject.fault(LinkError::Ended),
        RustADBError::IOError(error) => subject.fault(LinkError::Broken(error.to_string())),
        _ => not_understood(path, &text),
    }
}

fn not_understood(path: &str, text: &str) -> Fault {
    lab("protocol", format!("the answer about {} was not understood: {}", shown(path), shown(text)))
        .passing()
        .advise("replace the cable; if it happens again, reboot the phone")
}

/// Words of the phone's file service, which quotes the C library: `open failed: No such file or directory`.
fn about_path(said: &str) -> bool {
    let lower = said.to_lowercase();
    ["no such file", "permission denied", "read-only", "couldn't", "failed:", "no space", "is a directory"]
        .iter()
        .any(|words| lower.contains(words))
}

pub(crate) fn file_refused(said: &str, subject: &Subject, path: &str) -> Fault {
    let phone = subject.phone.as_ref().map_or(String::new(), |id| shown(&id.0));
    lab("file_refused", format!("phone {phone} refused {}: {}", shown(path), shown(said.trim())))
        .advise("check the path, its rights and the free space; /data/local/tmp is writable on every phone")
}

/// Runs blocking work of `adb_client` against the gate until it ends or the deadline cuts it.
async fn through_gate<T: Send + 'static>(
    server: &Server,
    phone: &DeviceId,
    doing: &'static str,
    patience: Duration,
    work: impl FnOnce(&mut ADBServerDevice) -> Result<T, RustADBError> + Send + 'static,
) -> Result<Moved<T>, Fault> {
    if let Address::Lab(_) = server.address {
        return Err(Fault::new(
            Blame::Tool,
            "files_need_tcp",
            format!(
                "files cannot be fetched from the simulated phone {} inside this process",
                shown(&phone.0)
            ),
        )
        .advise("serve the lab with `farmjank lab serve` and use it as an adb server"));
    }
    let deadline = after(patience);
    let gate = Gate::open().await.map_err(|error| {
        Fault::new(Blame::Tool, "gate", format!("cannot listen on loopback to move a file: {error}"))
            .passing()
            .advise("check the limit of open files and whether 127.0.0.1 is up")
    })?;
    let (address, serial) = (gate.address, phone.0.clone());
    let mut thread = tokio::task::spawn_blocking(move || run(serial, address, work));
    let seen = Seen::default();
    let mut forward = Some(Box::pin(gate.forward(server, deadline, &seen)));
    let joined = loop {
        tokio::select! {
            biased;
            joined = &mut thread => break joined,
            () = sleep_until(deadline), if forward.is_some() => {
                // Dropping the gate closes the thread's connection: it ends at once.
                forward = None;
                *seen.failure.borrow_mut() = Some(LinkError::Late(doing, patience));
            }
            () = async { if let Some(forward) = &mut forward { forward.await } }, if forward.is_some() => forward = None,
        }
    };
    drop(forward);
    match joined {
        Ok(outcome) => {
            // What arrived whole before the deadline struck is not spoiled by it.
            if outcome.is_ok() {
                seen.failure.borrow_mut().take();
            }
            Ok(Moved { outcome, seen })
        }
        Err(error) => {
            Err(Fault::new(Blame::Tool, "file_thread", format!("the thread moving a file died: {error}"))
                .advise("this is a bug; please report it"))
        }
    }
}

fn run<T>(
    serial: String,
    gate: SocketAddrV4,
    work: impl FnOnce(&mut ADBServerDevice) -> Result<T, RustADBError>,
) -> Result<T, RustADBError> {
    work(&mut ADBServerDevice::new(serial, Some(gate)))
}
