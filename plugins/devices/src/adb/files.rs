//! Moving a file to a phone: `SEND` of adb's sync service, over the same connection as everything else.
//!
//! One path for real phones and those of a lab inside this process, on whichever clock runs: it has a deadline, and
//! dropping it closes the connection. Files come *from* phones by `cat` in a shell, which says with a status whether
//! they came whole.

use crate::adb::link::{Link, Server, after, bounded};
use crate::adb::refusal::{LinkError, Subject, shown};
use crate::adb::shell;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use std::time::Duration;

/// Largest piece of a file in one packet, bytes: the protocol's limit.
const PIECE: usize = 64 << 10;
/// Readable by the package manager, which runs as another user: `rw-r--r--` of a regular file.
const MODE: u32 = 0o100_644;
/// Longest refusal that is read, bytes.
const REFUSAL: usize = 64 << 10;

/// Moves bytes to a file of the phone. Faults: `timeout`, `device_lost`, `file_refused` with the phone's words,
/// `protocol`, and those of an unfit phone.
pub(crate) async fn push(
    server: &Server,
    phone: &DeviceId,
    bytes: &[u8],
    to: &str,
    patience: Duration,
) -> Result<(), Fault> {
    let deadline = after(patience);
    let subject = server.subject_of(phone);
    let work = async {
        let mut link = {
            // Only opening is short: a place held while megabytes flow would keep other phones waiting.
            let _place = server.place(deadline).await?;
            shell::open(server, phone, "sync:", deadline).await?
        };
        let sent = send(&mut link, bytes, to).await;
        // A phone that takes no more says why before it closes.
        match (answer(&mut link).await, sent) {
            (Err(LinkError::Ended | LinkError::Broken(_)), Err(sending)) => Err(sending),
            (answer, _) => answer,
        }
    };
    match bounded(deadline, patience, "writing a file", work).await {
        Ok(Ok(Answer::Written)) => Ok(()),
        Ok(Ok(Answer::Refused(said))) => Err(file_refused(&said, &subject, to)),
        Ok(Ok(Answer::Rubbish(said))) => Err(not_understood(&said, to)),
        Ok(Err(error)) | Err(error) => Err(subject.fault(error)),
    }
}

/// The phone's last word on a file.
enum Answer {
    Written,
    Refused(String),
    /// Not the protocol.
    Rubbish(String),
}

async fn send(link: &mut Link, bytes: &[u8], to: &str) -> Result<(), LinkError> {
    let spec = format!("{to},{MODE}");
    packet(link, b"SEND", spec.as_bytes()).await?;
    for piece in bytes.chunks(PIECE) {
        packet(link, b"DATA", piece).await?;
    }
    // The time of the file: none.
    link.send(b"DONE\0\0\0\0").await
}

async fn packet(link: &mut Link, id: &[u8; 4], body: &[u8]) -> Result<(), LinkError> {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes();
    link.send(&[id, &length[..], body].concat()).await
}

async fn answer(link: &mut Link) -> Result<Answer, LinkError> {
    let mut all = Vec::new();
    loop {
        if let Some(head) = all.first_chunk::<8>() {
            let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
            match &head[..4] {
                b"OKAY" => return Ok(Answer::Written),
                b"FAIL" if all.len() < 8 + length.min(REFUSAL) => {}
                b"FAIL" => return Ok(Answer::Refused(text(&all[8..]))),
                _ => return Ok(Answer::Rubbish(text(head))),
            }
        }
        let more = link.bytes().await?;
        if more.is_empty() {
            return Err(LinkError::Ended);
        }
        all.extend(more);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn not_understood(said: &str, path: &str) -> Fault {
    Fault::new(
        FaultCode::Protocol,
        format!("the answer about {} was not understood: {}", shown(path), shown(said)),
    )
    .passing()
    .advise("replace the cable; if it happens again, reboot the phone")
}

fn file_refused(said: &str, subject: &Subject, path: &str) -> Fault {
    let phone = subject.phone.as_ref().map_or(String::new(), |id| shown(&id.0));
    Fault::new(
        FaultCode::FileRefused,
        format!("phone {phone} refused {}: {}", shown(path), shown(said.trim())),
    )
    .advise("check the path, its rights and the free space; /data/local/tmp is writable on every phone")
}
