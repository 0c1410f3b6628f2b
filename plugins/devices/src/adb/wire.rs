//! Smart-socket framing without I/O: requests out, statuses and length-prefixed blocks in.
//!
//! A request is four hex digits of length and the text. An answer is `OKAY` or `FAIL`; `FAIL` and most host services
//! continue with four hex digits of length and that many bytes, so no block is ever longer than 65 535 bytes.
//! Must not know what any request means.

use thiserror::Error;

/// Longest text one request or block can carry, in bytes: what four hex digits can say.
pub(crate) const MAX_BLOCK: usize = 0xffff;

/// Bytes that are not the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// Neither `OKAY` nor `FAIL`.
    #[error("expected OKAY or FAIL, got {0}")]
    Status(String),
    /// A length that is not four hex digits.
    #[error("expected four hex digits of length, got {0}")]
    Length(String),
    /// A request too long to be framed.
    #[error("a request of {0} bytes does not fit the protocol, which carries at most 65535")]
    RequestTooLong(usize),
    /// A shell packet of a kind a phone never sends.
    #[error("shell packet of unknown kind {0}")]
    PacketKind(u8),
    /// A shell packet longer than any adbd sends.
    #[error("shell packet of {0} bytes, more than the protocol allows")]
    PacketLength(u32),
    /// An exit packet that does not hold exactly one byte.
    #[error("exit packet of {0} bytes instead of 1")]
    ExitLength(u32),
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// `OKAY`
    Okay,
    /// `FAIL` with the server's text, undecodable bytes replaced.
    Fail(String),
}

/// Frames a request. Error when it is longer than [`MAX_BLOCK`].
pub fn encode_request(text: &str) -> Result<Vec<u8>, WireError> {
    if text.len() > MAX_BLOCK {
        return Err(WireError::RequestTooLong(text.len()));
    }
    let mut framed = format!("{:04x}", text.len()).into_bytes();
    framed.extend_from_slice(text.as_bytes());
    Ok(framed)
}

/// Received bytes not yet understood. Feed it in any chunking; every `take_…` gives the same answers.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    bytes: Vec<u8>,
}

impl Inbox {
    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Where to append received bytes without copying them, with room for at least `more`. Nothing but appending is
    /// allowed.
    pub(crate) fn room(&mut self, more: usize) -> &mut Vec<u8> {
        self.bytes.reserve(more);
        &mut self.bytes
    }

    /// Number of bytes waiting.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Nothing waits.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The status at the front, or `None` when more bytes are needed. Takes nothing until it is whole.
    pub fn take_status(&mut self) -> Result<Option<Status>, WireError> {
        match self.bytes.get(..4) {
            None => Ok(None),
            Some(b"OKAY") => {
                self.bytes.drain(..4);
                Ok(Some(Status::Okay))
            }
            Some(b"FAIL") => {
                Ok(self.block_after(4)?.map(|text| Status::Fail(String::from_utf8_lossy(&text).into_owned())))
            }
            Some(other) => Err(WireError::Status(shown(other))),
        }
    }

    /// The length-prefixed block at the front, or `None` when more bytes are needed.
    pub fn take_block(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        self.block_after(0)
    }

    /// Everything that waits.
    pub fn take_all(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    fn block_after(&mut self, skip: usize) -> Result<Option<Vec<u8>>, WireError> {
        let Some(digits) = self.bytes.get(skip..skip + 4) else { return Ok(None) };
        let start = skip + 4;
        let end = start + length(digits)?;
        if self.bytes.len() < end {
            return Ok(None);
        }
        let block = self.bytes[start..end].to_vec();
        self.bytes.drain(..end);
        Ok(Some(block))
    }
}

/// Reads four hex digits. `from_str_radix` alone would also accept a sign.
fn length(digits: &[u8]) -> Result<usize, WireError> {
    let mut value = 0;
    for &digit in digits {
        let digit = char::from(digit).to_digit(16).ok_or_else(|| WireError::Length(shown(digits)))?;
        value = value * 16 + digit as usize;
    }
    Ok(value)
}

/// Foreign bytes made fit for a message: quoted and escaped.
fn shown(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_carries_its_length_in_hex() {
        assert_eq!(encode_request("host:version").unwrap(), b"000chost:version");
        assert_eq!(encode_request("").unwrap(), b"0000");
        assert_eq!(encode_request("é").unwrap(), "0002é".as_bytes(), "bytes are counted, not characters");
        assert_eq!(encode_request(&"x".repeat(65_536)), Err(WireError::RequestTooLong(65_536)));
        assert!(encode_request(&"x".repeat(65_535)).unwrap().starts_with(b"ffff"));
    }

    #[test]
    fn an_answer_is_taken_only_when_whole() {
        let mut inbox = Inbox::default();
        for (at, byte) in b"FAIL000edevice offlineOKAY0004001d".iter().enumerate() {
            assert_eq!(inbox.take_status().unwrap(), None, "before byte {at}");
            inbox.push(&[*byte]);
            if at == 21 {
                assert_eq!(inbox.take_status().unwrap(), Some(Status::Fail("device offline".into())));
                break;
            }
        }
        inbox.push(b"OKAY0004001d rest");
        assert_eq!(inbox.take_status().unwrap(), Some(Status::Okay));
        assert_eq!(inbox.take_block().unwrap().as_deref(), Some(&b"001d"[..]));
        assert_eq!(inbox.take_all(), b" rest");
        assert!(inbox.is_empty());
    }

    #[test]
    fn foreign_bytes_are_named() {
        let mut inbox = Inbox::default();
        inbox.push(b"HTTP/1.1 400");
        assert_eq!(inbox.take_status(), Err(WireError::Status("\"HTTP\"".into())));
        let mut inbox = Inbox::default();
        inbox.push(b"+00f\x00");
        assert_eq!(inbox.take_block(), Err(WireError::Length("\"+00f\"".into())));
    }
}
