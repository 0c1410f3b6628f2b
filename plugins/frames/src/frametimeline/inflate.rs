//! Opens compressed runs of packets in bounded memory. What opens is kept even where the rest is broken.

use std::io::Read;

/// How a run is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// zlib.
    Zlib,
    /// zstd.
    Zstd,
}

/// Most bytes one run may open to. Perfetto packs at most half a megabyte or so at a time; anything near this is a
/// bomb.
pub(crate) const LARGEST_RUN: usize = 16 << 20;
/// Bytes that all runs of a trace may open to whatever its size, and how many times its size. Traces of frames pack to
/// about a tenth.
const ANYWAY: u64 = 1 << 20;
const TIMES: u64 = 64;

/// Most bytes that the runs of a trace may open to, of which so many bytes were read.
pub(crate) fn room(read: u64) -> u64 {
    read.saturating_mul(TIMES).saturating_add(ANYWAY)
}

/// The opened run, as far as it opens, `most` bytes of it, and whether that is all of it.
pub fn open(packing: Packing, run: &[u8], most: u64) -> (Vec<u8>, bool) {
    let most = usize::try_from(most).unwrap_or(usize::MAX).min(LARGEST_RUN);
    match packing {
        Packing::Zlib => read(flate2::read::ZlibDecoder::new(run), most),
        Packing::Zstd => match ruzstd::decoding::StreamingDecoder::new(run) {
            Ok(decoder) => read(decoder, most),
            Err(_) => (Vec::new(), false),
        },
    }
}

fn read(mut decoder: impl Read, most: usize) -> (Vec<u8>, bool) {
    let mut opened = Vec::new();
    let mut piece = [0; 16 * 1024];
    while opened.len() <= most {
        match decoder.read(&mut piece) {
            Ok(0) => return (opened, true),
            Ok(size) => opened.extend_from_slice(&piece[..size]),
            Err(_) => return (opened, false),
        }
    }
    (opened, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::ZlibEncoder};
    use std::io::Write;

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes it")
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn both_packings_open_and_keep_what_opens_of_a_cut_run() {
        let text: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        for (packing, packed) in [(Packing::Zlib, zlib(&text)), (Packing::Zstd, zstd(&text))] {
            assert_eq!(open(packing, &packed, u64::MAX), (text.clone(), true), "{packing:?}");
            let (part, whole) = open(packing, &packed[..packed.len() / 2], u64::MAX);
            assert!(!whole && text.starts_with(&part), "{packing:?}");
            assert!(!open(packing, b"neither", u64::MAX).1);
        }
    }

    #[test]
    fn a_bomb_is_cut_short() {
        let bomb = zlib(&vec![0; LARGEST_RUN + (1 << 20)]);
        assert!(bomb.len() < 1 << 20);
        let (opened, whole) = open(Packing::Zlib, &bomb, u64::MAX);
        assert!(!whole && opened.len() <= LARGEST_RUN + 16 * 1024);
        let (opened, whole) = open(Packing::Zlib, &bomb, 1 << 20);
        assert!(!whole && opened.len() <= (1 << 20) + 16 * 1024);
    }
}
