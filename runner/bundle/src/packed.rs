//! Files that are kept compressed: frames of zstd, one behind another, so that any `zstdcat` reads them.
//!
//! What is appended at once is a frame of its own: whole when the call returns, whatever becomes of the process, and a
//! frame that was torn takes nothing with it but itself. Packed by the library of zstd's makers, from bytes of our own;
//! files of strangers are opened by Rust code (why: docs/design/log.md, "Evidence is packed"). Must not open files.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Read};

/// What a frame begins with.
const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
/// Bytes that a file may unpack to whatever its size, and how many times its size. Evidence comes to five times.
const ANYWAY: u64 = 1 << 20;
const TIMES: u64 = 32;
/// Most memory one frame may ask for to be opened, bytes: what `zstd -19` asks for. Our own ask for less.
const MOST_WINDOW: u64 = 8 << 20;

/// Whether a file that begins so is packed.
pub fn is_packed(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

/// What a file holds, packed or not. Where a packed one ends inside a frame it ends with what was whole before.
///
/// # Errors
/// As its reader says.
pub fn opened<'r>(from: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let mut from = Counted { from, taken: 0, ended: false, head: Vec::new() };
    let mut head = [0; MAGIC.len()];
    let mut have = 0;
    while have < head.len() {
        match from.read(&mut head[have..]) {
            Ok(0) => break,
            Ok(more) => have += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    if !is_packed(&head[..have]) {
        return Ok(Box::new(io::Cursor::new(head).take(have as u64).chain(from.from)));
    }
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(MOST_WINDOW);
    (from.head, from.taken) = (head[..have].to_vec(), 0);
    Ok(Box::new(Frames { source: BufReader::new(from), decoder, in_frame: false, over: false, given: 0 }))
}

/// Reads, and knows how much it read and whether there is more.
struct Counted<R> {
    from: R,
    taken: u64,
    ended: bool,
    /// Read before, and to be read again.
    head: Vec<u8>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let size = if self.head.is_empty() {
            self.from.read(into)?
        } else {
            let size = self.head.len().min(into.len());
            into[..size].copy_from_slice(&self.head[..size]);
            self.head.drain(..size);
            size
        };
        self.taken += size as u64;
        self.ended |= size == 0 && !into.is_empty();
        Ok(size)
    }
}

/// What the frames of a file hold, one behind another.
struct Frames<R: Read> {
    source: BufReader<Counted<R>>,
    decoder: FrameDecoder,
    in_frame: bool,
    over: bool,
    given: u64,
}

impl<R: Read> Frames<R> {
    /// Makes the next bytes ready: false where there are no more.
    fn ready(&mut self) -> io::Result<bool> {
        while self.decoder.can_collect() == 0 {
            self.in_frame &= !self.decoder.is_finished();
            if !self.in_frame && self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            let opened = match self.in_frame {
                true => self
                    .decoder
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                    .map(drop),
                false => self.decoder.init(&mut self.source),
            };
            self.in_frame = true;
            match opened {
                Ok(()) => {}
                // Torn while it was written: what it says last is lost, as the last line of a log.
                Err(_) if self.source.get_ref().ended => return Ok(false),
                Err(why) => return Err(io::Error::new(io::ErrorKind::InvalidData, words(&why))),
            }
        }
        Ok(true)
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() || self.over {
            return Ok(0);
        }
        if !self.ready()? {
            self.over = true;
            return Ok(0);
        }
        let size = self.decoder.read(into)?;
        self.given += size as u64;
        match self.given > most(self.source.get_ref().taken) {
            true => Err(io::Error::new(io::ErrorKind::InvalidData, TOO_MUCH)),
            false => Ok(size),
        }
    }
}

const TOO_MUCH: &str = "it unpacks to more than 32 times its size, which no run writes: it was altered";

/// Most bytes that so many packed ones may hold.
fn most(packed: u64) -> u64 {
    packed.saturating_mul(TIMES).saturating_add(ANYWAY)
}

fn words(why: &FrameDecoderError) -> &'static str {
    match why {
        FrameDecoderError::WindowSizeTooBig { .. } => {
            "to unpack it takes more than 8 MiB of memory; pack it anew with `zstd -19` or less"
        }
        FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { .. }) => {
            "it was packed by a tool that is not zstd; unpack it first"
        }
        _ => "its compressed bytes are damaged: it was altered, or the disk failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels that farmjank packs with: what is appended bit by bit, and what is written whole.
    const PIECE: i32 = 1;
    const WHOLE: i32 = 4;

    fn pack(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
        zstd::bulk::compress(bytes, level)
    }

    fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        let read = opened(bytes).and_then(|mut from| from.read_to_end(&mut all));
        read.map(|_| all).map_err(|error| error.to_string())
    }

    fn texts() -> Vec<Vec<u8>> {
        let text =
            |n: u32| (0..n * 400).flat_map(|at| format!("{}\t", 92_842 * at + n).into_bytes()).collect();
        (0..40).map(text).collect()
    }

    #[test]
    fn what_was_appended_comes_back_and_what_is_plain_stays() {
        let texts = texts();
        let frames: Vec<u8> = texts.iter().flat_map(|text| pack(text, PIECE).unwrap()).collect();
        assert!(frames.len() * 2 < texts.concat().len());
        assert_eq!(unpacked(&frames).unwrap(), texts.concat());
        assert_eq!(unpacked(&pack(&texts.concat(), WHOLE).unwrap()).unwrap(), texts.concat());
        for plain in [&b""[..], b"#", b"# farmjank evidence 1\n", &MAGIC[..3]] {
            assert_eq!(unpacked(plain).unwrap(), plain);
        }
    }

    #[test]
    fn a_torn_end_keeps_every_whole_frame() {
        let texts = &texts()[1..4];
        let frames: Vec<Vec<u8>> = texts.iter().map(|text| pack(text, PIECE).unwrap()).collect();
        let all = frames.concat();
        for end in MAGIC.len()..all.len() {
            let kept = unpacked(&all[..end]).unwrap();
            let (mut whole, mut at) = (0, 0);
            for (text, frame) in texts.iter().zip(&frames) {
                at += frame.len();
                whole += if at <= end { text.len() } else { 0 };
            }
            assert!(kept.len() >= whole && texts.concat().starts_with(&kept), "cut at {end}");
        }
    }

    #[test]
    fn damage_is_told_and_no_bomb_goes_off() {
        let texts = texts();
        let mut frames = pack(&texts[30], PIECE).unwrap();
        frames.extend(pack(&texts[31], PIECE).unwrap());
        frames[20] ^= 0xff;
        assert!(unpacked(&frames).is_err_and(|why| why.contains("damaged")));
        let mut torn = pack(&texts[3], PIECE).unwrap();
        torn.extend(b"and what is no frame");
        assert!(unpacked(&torn).is_err_and(|why| why.contains("damaged")));
        let bomb = pack(&vec![0; 512 << 20], WHOLE).unwrap();
        let mut given = 0;
        let why = opened(&bomb[..]).and_then(|mut from| {
            let mut piece = vec![0; 1 << 16];
            loop {
                match from.read(&mut piece)? {
                    0 => return Ok(()),
                    size => given += size as u64,
                }
            }
        });
        assert!(why.is_err_and(|why| why.to_string() == TOO_MUCH));
        assert!(given <= most(bomb.len() as u64), "{given} of {}", bomb.len());
        let mut skipped = 0x184D_2A50_u32.to_le_bytes().to_vec();
        skipped.extend([4, 0, 0, 0, 1, 2, 3, 4]);
        let behind = [pack(b"x", PIECE).unwrap(), skipped].concat();
        assert!(unpacked(&behind).is_err_and(|why| why.contains("is not zstd")));
    }

    #[test]
    fn a_frame_that_asks_for_much_memory_is_refused() {
        // Magic, a window of 128 MiB and no size, one empty last block.
        let greedy = [&MAGIC[..], &[0x00, 17 << 3, 0x01, 0x00, 0x00]].concat();
        assert!(unpacked(&greedy).is_err_and(|why| why.contains("8 MiB")));
        let modest = [&MAGIC[..], &[0x00, 13 << 3, 0x01, 0x00, 0x00]].concat();
        assert_eq!(unpacked(&modest).unwrap(), b"");
    }
}
