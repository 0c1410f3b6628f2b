//! Lines of a program's input, as they arrive. Reads ahead, as programs do: what follows the last line wanted is lost.

use super::super::stream::Source;

/// Longest line held; a longer one is cut into several.
const LONGEST: usize = 1 << 20;

/// A reader of lines.
pub(super) struct Lines {
    source: Source,
    held: Vec<u8>,
    at: usize,
    over: bool,
}

impl Lines {
    /// Over a source.
    pub(super) fn of(source: Source) -> Self {
        Lines { source, held: Vec::new(), at: 0, over: false }
    }

    /// The next line with its line end, which the last line may lack.
    pub(super) async fn next(&mut self) -> Option<&[u8]> {
        let mut searched = self.at;
        loop {
            let end = memchr::memchr(b'\n', &self.held[searched..]).map(|i| searched + i + 1);
            let end = end.or((self.held.len() - self.at >= LONGEST || self.over).then_some(self.held.len()));
            if let Some(end) = end {
                let from = std::mem::replace(&mut self.at, end);
                return (from < end).then(|| &self.held[from..end]);
            }
            self.held.drain(..self.at);
            self.at = 0;
            searched = self.held.len();
            match self.source.read().await {
                Some(chunk) => self.held.extend_from_slice(&chunk),
                None => self.over = true,
            }
        }
    }
}

/// A line without its line end.
pub(super) fn chomp(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}
