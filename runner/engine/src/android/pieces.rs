//! A file of the phone, fetched in pieces: what is too long for one call, and for memory.

use super::clip_bytes;
use farmjank_results::fault::Fault;
use farmjank_seams::device::Device;
use farmjank_seams::quote::quote;
use std::time::Duration;

/// Bytes of a piece: a fraction of a second over any cable, and far below what one answer may hold.
const PIECE: usize = 4 << 20;
/// Pieces at most. A recorder's file is as long as its buffers; this is seven times that.
const MOST: usize = 128;

/// Why a file did not come over whole.
pub enum Unfetched {
    /// The phone's connection, or its answer.
    Fault(Fault),
    /// The phone's own words, or whoever takes the pieces says no.
    Refused(String),
}

/// Hands over a file piece by piece; how many bytes it has.
///
/// # Errors
/// [`Unfetched`]; what was handed over before stays so.
pub async fn fetch(
    device: &dyn Device,
    path: &str,
    patience: Duration,
    take: &mut dyn FnMut(&[u8]) -> Result<(), String>,
) -> Result<u64, Unfetched> {
    let path = &quote(path);
    let mut fetched = 0;
    for nth in 0..MOST {
        // The first byte is 1. Not `dd`: toyboxes of other systems, which prove this line, have none.
        let from = nth * PIECE + 1;
        let line = format!("[ -r {path} ] && tail -c +{from} {path} | head -c {PIECE}");
        let output = device.shell(&line, patience).await.map_err(Unfetched::Fault)?;
        if output.status != 0 {
            let said = clip_bytes(&output.err, 200);
            let said = if said.is_empty() { "there is no file of it".to_owned() } else { said };
            return Err(Unfetched::Refused(said));
        }
        if !output.out.is_empty() {
            take(&output.out).map_err(Unfetched::Refused)?;
        }
        fetched += output.out.len() as u64;
        if output.out.len() < PIECE {
            return Ok(fetched);
        }
    }
    let most = (MOST * PIECE) >> 20;
    Err(Unfetched::Refused(format!("it is longer than {most} MiB")))
}
