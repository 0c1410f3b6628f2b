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
pub(crate) const LARGEST_RUN: usize = 64 << 20;

/// The opened run, as far as it opens, and whether that is all of it.
pub fn open(packing: Packing, run: &[u8]) -> (Vec<u8>, bool) {
    match packing {
        Packing::Zlib => read(flate2::read::ZlibDecoder::new(run)),
        Packing::Zstd => match ruzstd::decoding::StreamingDecoder::new(run) {
            Ok(decoder) => read(decoder),
            Err(_) => (Vec::new(), false),
        },
    }
}

fn read(mut decoder: impl Read) -> (Vec<u8>, bool) {
    let mut opened = Vec::new();
    let mut piece = [0; 16 * 1024];
    while opened.len() <= LARGEST_RUN {
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
            assert_eq!(open(packing, &packed), (text.clone(), true), "{packing:?}");
            let (part, whole) = open(packing, &packed[..packed.len() / 2]);
            assert!(!whole && text.starts_with(&part), "{packing:?}");
            assert!(!open(packing, b"neither").1);
        }
    }

    #[test]
    fn a_bomb_is_cut_short() {
        let bomb = zlib(&vec![0; LARGEST_RUN + (1 << 20)]);
        assert!(bomb.len() < 1 << 20);
        let (opened, whole) = open(Packing::Zlib, &bomb);
        assert!(!whole && opened.len() <= LARGEST_RUN + 16 * 1024);
    }
}
