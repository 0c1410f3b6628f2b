//! Moving a file to a phone of a lab inside this process: `SEND` of adb's sync service, on the simulated clock.
//!
//! To every other phone files go through `adb_client` ([`super::files`]), which needs a real socket and a thread of its own.

use crate::adb::files::file_refused;
use crate::adb::link::{Link, Server, after, bounded};
use crate::adb::refusal::LinkError;
use crate::adb::shell;
use farmjank_results::blame::Fault;
use farmjank_results::device::DeviceId;
use std::time::Duration;

/// Largest piece of a file in one packet, bytes: the protocol's limit.
const PIECE: usize = 64 << 10;
/// Readable by the package manager, which runs as another user: `rw-r--r--` of a regular file.
const MODE: u32 = 0o100_644;

/// Moves bytes to a file of the phone. Faults: `file_refused` with the phone's words, and those of an unfit phone.
pub(crate) async fn push(
    server: &Server,
    phone: &DeviceId,
    bytes: &[u8],
    to: &str,
    patience: Duration,
) -> Result<(), Fault> {
    let (deadline, subject) = (after(patience), server.subject_of(phone));
    let work = async {
        let _place = server.place(deadline).await?;
        let mut link = shell::open(server, phone, "sync:", deadline).await?;
        send(&mut link, bytes, to).await?;
        answer(&mut link).await
    };
    match bounded(deadline, patience, "writing a file", work).await {
        Ok(Ok(None)) => Ok(()),
        Ok(Ok(Some(said))) => Err(file_refused(&said, &subject, to)),
        Ok(Err(error)) | Err(error) => Err(subject.fault(error)),
    }
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

/// The phone's last word: nothing when the file is there, else why not.
async fn answer(link: &mut Link) -> Result<Option<String>, LinkError> {
    let mut all = Vec::new();
    loop {
        if let Some(head) = all.first_chunk::<8>() {
            let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
            let refused = head.starts_with(b"FAIL");
            if !refused || all.len() >= 8 + length.min(PIECE) {
                let said = || String::from_utf8_lossy(&all[8..]).into_owned();
                return Ok(refused.then(said));
            }
        }
        let more = link.bytes().await?;
        if more.is_empty() {
            return Err(LinkError::Ended);
        }
        all.extend(more);
    }
}

/// Whether a phone of that server is reached so.
pub(crate) fn is_here(server: &Server) -> bool {
    matches!(server.address, farmjank_seams::host::Address::Lab(_))
}
