//! Lines out of bytes that arrive in any chunking, with a bound on their length. Pure.

use thiserror::Error;

/// A line grew beyond its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a line is longer than {0} bytes")]
pub struct LineTooLong(pub usize);

/// Assembles lines. Line ends are `\n`, with any number of `\r` before it, as terminals of old phones print.
#[derive(Clone, Debug)]
pub struct Lines {
    partial: Vec<u8>,
    max: usize,
}

impl Lines {
    /// An assembler refusing lines longer than `max` bytes.
    pub fn new(max: usize) -> Self {
        Lines { partial: Vec::new(), max }
    }

    /// Takes further bytes and appends every finished line to `whole`, each ending in `\n` alone. Lines finished before
    /// one that is too long are still appended.
    pub fn feed(&mut self, bytes: &[u8], whole: &mut Vec<u8>) -> Result<(), LineTooLong> {
        let mut rest = bytes;
        while !rest.is_empty() {
            // The many short lines of a dump go over in one piece.
            if self.partial.is_empty()
                && let Some(end) = memchr::memrchr(b'\n', &rest[..rest.len().min(self.max)])
                && memchr::memchr(b'\r', &rest[..end]).is_none()
            {
                whole.extend_from_slice(&rest[..=end]);
                rest = &rest[end + 1..];
                continue;
            }
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let (part, after) = rest.split_at(length);
            rest = after;
            if self.partial.len() + part.len() > self.max + 2 {
                return Err(LineTooLong(self.max));
            }
            self.partial.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.partial.pop();
                trim_returns(&mut self.partial);
                whole.append(&mut self.partial);
                whole.push(b'\n');
            }
        }
        Ok(())
    }

    /// The unfinished last line, if there is one.
    pub fn finish(&mut self) -> Option<Vec<u8>> {
        let mut line = std::mem::take(&mut self.partial);
        trim_returns(&mut line);
        (!line.is_empty()).then_some(line)
    }
}

fn trim_returns(line: &mut Vec<u8>) {
    while line.last() == Some(&b'\r') {
        line.pop();
    }
}

/// Finds the sentinel of a shell without exit status: a line ending in `mark` and digits. Gives the length of what
/// stands before it and the status.
pub fn find_mark(line: &[u8], mark: &str) -> Option<(usize, i32)> {
    let digits = line.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let head = &line[..line.len() - digits];
    if digits == 0 || !head.ends_with(mark.as_bytes()) {
        return None;
    }
    let status = std::str::from_utf8(&line[head.len()..]).ok()?.parse().ok()?;
    Some((head.len() - mark.len(), status))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]], max: usize) -> (Vec<String>, Result<(), LineTooLong>, Option<Vec<u8>>) {
        let mut lines = Lines::new(max);
        let mut whole = vec![];
        let mut result = Ok(());
        for chunk in chunks {
            result = lines.feed(chunk, &mut whole);
            if result.is_err() {
                break;
            }
        }
        let seen = String::from_utf8(whole).unwrap();
        (seen.split_terminator('\n').map(str::to_owned).collect(), result, lines.finish())
    }

    #[test]
    fn lines_survive_any_cut() {
        let (seen, result, rest) = lines(&[b"on", b"e\r", b"\ntwo\n\nth", b"ree"], 100);
        assert_eq!((seen, result), (vec!["one".to_owned(), "two".into(), String::new()], Ok(())));
        assert_eq!(rest.as_deref(), Some(&b"three"[..]));
    }

    #[test]
    fn a_line_without_end_is_refused_before_memory_is() {
        let (seen, result, _) = lines(&[b"ok\n", &[b'x'; 60], &[b'x'; 60]], 100);
        assert_eq!((seen, result), (vec!["ok".to_owned()], Err(LineTooLong(100))));
    }

    #[test]
    fn the_mark_is_found_even_glued_to_output() {
        assert_eq!(find_mark(b"MARK0", "MARK"), Some((0, 0)));
        assert_eq!(find_mark(b"no newlineMARK127", "MARK"), Some((10, 127)));
        for other in [&b"MARK"[..], b"MARK0x", b"12", b"", b"MARK99999999999"] {
            assert_eq!(find_mark(other, "MARK"), None);
        }
    }
}
