//! Counting what a phone sends during a pull, without I/O: `adb_client` takes a connection that ends between two
//! chunks, and an empty chunk, for the end of the file. The count tells such a half from a whole.

/// The incremental reader of a sync answer: two `OKAY`, then `DATA` chunks, then `DONE`.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    okays: u8,
    word: Vec<u8>,
    left: u64,
    payload: u64,
    ended: bool,
}

impl Tally {
    /// Takes bytes in any chunking. What is not understood ends the count without success.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.ended {
            if self.left > 0 {
                let take = self.left.min(bytes.len() as u64);
                self.left -= take;
                self.payload += take;
                bytes = &bytes[take as usize..];
                continue;
            }
            self.word.push(bytes[0]);
            bytes = &bytes[1..];
            self.read_word();
        }
    }

    fn read_word(&mut self) {
        let wanted = if self.okays < 2 { 4 } else { 8 };
        // `DONE` counts as soon as it is named: nobody reads the number after it.
        if self.okays == 2 && self.word.starts_with(b"DONE") {
            self.ended = true;
            return;
        }
        if self.word.len() < wanted {
            return;
        }
        match (self.okays, self.word.as_slice()) {
            (0 | 1, b"OKAY") => self.okays += 1,
            (2, [b'D', b'A', b'T', b'A', length @ ..]) => {
                let mut bytes = [0; 4];
                bytes.copy_from_slice(&length[..4]);
                self.left = u64::from(u32::from_le_bytes(bytes));
            }
            // `FAIL` and rubbish: `adb_client` reports them itself; the count stays without success.
            _ => self.left = u64::MAX,
        }
        self.word.clear();
    }

    /// Bytes of the file, once the phone has said that it is whole.
    pub fn whole(&self) -> Option<u64> {
        self.ended.then_some(self.payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(chunks: &[&[u8]], done: bool) -> Vec<u8> {
        let mut bytes = b"OKAYOKAY".to_vec();
        for chunk in chunks {
            bytes.extend_from_slice(b"DATA");
            bytes.extend_from_slice(&(chunk.len() as u32).to_le_bytes());
            bytes.extend_from_slice(chunk);
        }
        if done {
            bytes.extend_from_slice(b"DONE\0\0\0\0");
        }
        bytes
    }

    #[test]
    fn a_whole_file_is_counted_in_any_chunking() {
        let bytes = answer(&[b"hello ", b"", b"DONE", b"world"], true);
        for size in 1..bytes.len() {
            let mut tally = Tally::default();
            bytes.chunks(size).for_each(|chunk| tally.feed(chunk));
            assert_eq!(tally.whole(), Some(15), "in chunks of {size}");
        }
        let mut empty = Tally::default();
        empty.feed(&answer(&[], true));
        assert_eq!(empty.whole(), Some(0));
    }

    #[test]
    fn a_half_is_never_whole() {
        let bytes = answer(&[b"hello", b"DONE"], true);
        for cut in 0..bytes.len() - 8 {
            let mut tally = Tally::default();
            tally.feed(&bytes[..cut]);
            assert_eq!(tally.whole(), None, "cut at {cut}");
        }
        for other in [
            &b"FAIL0004nope"[..],
            b"OKAYFAIL0004nopeDONE",
            b"OKAYOKAYFAIL\x04\0\0\0DONE",
            b"OKAYOKAYwhat????DONE",
        ] {
            let mut tally = Tally::default();
            tally.feed(other);
            assert_eq!(tally.whole(), None);
        }
    }
}
