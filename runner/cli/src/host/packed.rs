//! What is packed as it is written: frames of zstd, one behind another, so that any `zstdcat` reads them.
//!
//! What is appended at once is a frame of its own: whole when the call returns, whatever becomes of the process, and a
//! frame that was torn takes nothing with it but itself. By the library of zstd's makers, from bytes of our own; files
//! of strangers are opened by Rust code ([`farmjank_bundle::packed`]). Must not open files.

use std::io;
use std::sync::{Mutex, PoisonError};
use zstd::bulk::Compressor;

/// Level of what is appended bit by bit: small pieces come out no smaller above it.
pub(super) const PIECE: i32 = 1;
/// Level of what is written whole.
pub(super) const WHOLE: i32 = 4;

/// Packs these bytes as one frame.
///
/// # Errors
/// There is no memory for it.
pub(super) fn pack(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
    // To make one takes as long as to pack a dump, and each keeps megabytes: as many as pack at once, not one for every
    // thread of a lab.
    static PACKERS: Mutex<Vec<(i32, Compressor<'static>)>> = Mutex::new(Vec::new());
    let packers = || PACKERS.lock().unwrap_or_else(PoisonError::into_inner);
    let idle = {
        let mut packers = packers();
        packers.iter().position(|(of, _)| *of == level).map(|at| packers.swap_remove(at).1)
    };
    let mut packer = match idle {
        Some(packer) => packer,
        None => Compressor::new(level)?,
    };
    let packed = packer.compress(bytes);
    packers().push((level, packer));
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_bundle::packed::{is_packed, opened};
    use std::io::Read;

    #[test]
    fn what_is_packed_bit_by_bit_is_read_as_one() {
        let text = "92842 16666667\n".repeat(400);
        let (first, rest) = text.split_at(1_000);
        let frames = [pack(first.as_bytes(), PIECE).unwrap(), pack(rest.as_bytes(), WHOLE).unwrap()].concat();
        assert!(is_packed(&frames) && frames.len() * 10 < text.len());
        let mut all = String::new();
        opened(&frames[..]).unwrap().read_to_string(&mut all).unwrap();
        assert_eq!(all, text);
    }
}
