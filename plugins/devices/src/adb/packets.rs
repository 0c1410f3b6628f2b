//! Shell protocol v2 without I/O: kind byte, little-endian u32 length, payload.
//!
//! Incremental: bytes go in as they arrive, pieces come out; nothing is buffered beyond a header, so memory is bounded
//! by the caller. Must not know what a command is.

use crate::adb::wire::WireError;

/// Longest payload a phone sends in one packet, in bytes (`MAX_PAYLOAD` of adbd).
pub(crate) const MAX_PACKET: u32 = 1 << 20;

const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const EXIT: u8 = 3;

/// One thing a phone's shell said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'b> {
    /// Bytes of standard output, never empty.
    Out(&'b [u8]),
    /// Bytes of standard error, never empty.
    Err(&'b [u8]),
    /// The exit status. Nothing follows.
    Exit(u8),
}

#[derive(Clone, Copy, Debug)]
enum State {
    Header { have: [u8; 5], filled: usize },
    Payload { kind: u8, left: usize },
    Ended,
}

/// The incremental decoder.
#[derive(Clone, Debug)]
pub struct Packets {
    state: State,
}

impl Default for Packets {
    fn default() -> Self {
        Packets { state: State::Header { have: [0; 5], filled: 0 } }
    }
}

impl Packets {
    /// Decodes further bytes and appends what they say. After the exit packet everything is ignored.
    /// Errors: unknown kind, a length beyond [`MAX_PACKET`], an exit packet that is not one byte.
    pub fn feed<'b>(&mut self, mut bytes: &'b [u8], pieces: &mut Vec<Piece<'b>>) -> Result<(), WireError> {
        while !bytes.is_empty() {
            match &mut self.state {
                State::Ended => return Ok(()),
                State::Header { have, filled } => {
                    let take = (have.len() - *filled).min(bytes.len());
                    have[*filled..*filled + take].copy_from_slice(&bytes[..take]);
                    *filled += take;
                    bytes = &bytes[take..];
                    if *filled == have.len() {
                        let [kind, length @ ..] = *have;
                        self.state = begin(kind, u32::from_le_bytes(length))?;
                    }
                }
                State::Payload { kind, left } => {
                    let take = (*left).min(bytes.len());
                    let (now, rest) = bytes.split_at(take);
                    *left -= take;
                    bytes = rest;
                    let kind = *kind;
                    let whole = *left == 0;
                    pieces.push(piece(kind, now));
                    if kind == EXIT {
                        self.state = State::Ended;
                    } else if whole {
                        *self = Packets::default();
                    }
                }
            }
        }
        Ok(())
    }

    /// The exit packet was seen.
    pub fn ended(&self) -> bool {
        matches!(self.state, State::Ended)
    }
}

fn begin(kind: u8, length: u32) -> Result<State, WireError> {
    match kind {
        STDOUT | STDERR | EXIT => {}
        other => return Err(WireError::PacketKind(other)),
    }
    if kind == EXIT && length != 1 {
        return Err(WireError::ExitLength(length));
    }
    if length > MAX_PACKET {
        return Err(WireError::PacketLength(length));
    }
    // An empty packet says nothing; going on with the next header keeps pieces non-empty.
    Ok(if length == 0 { Packets::default().state } else { State::Payload { kind, left: length as usize } })
}

fn piece(kind: u8, bytes: &[u8]) -> Piece<'_> {
    match kind {
        STDOUT => Piece::Out(bytes),
        STDERR => Piece::Err(bytes),
        _ => Piece::Exit(bytes[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(kind: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![kind];
        bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        bytes.extend_from_slice(payload);
        bytes
    }

    #[test]
    fn streams_stay_apart_and_the_status_arrives() {
        let bytes = [packet(1, b"out"), packet(2, b""), packet(2, b"err"), packet(3, &[5]), b"junk".to_vec()];
        let mut decoder = Packets::default();
        let mut pieces = vec![];
        let bytes = bytes.concat();
        decoder.feed(&bytes, &mut pieces).unwrap();
        assert_eq!(pieces, [Piece::Out(b"out"), Piece::Err(b"err"), Piece::Exit(5)]);
        assert!(decoder.ended());
    }

    #[test]
    fn what_a_phone_never_sends_is_an_error() {
        let fed = |bytes: &[u8]| Packets::default().feed(bytes, &mut vec![]);
        for kind in [0, 4, 5, 9, 255] {
            assert_eq!(fed(&packet(kind, b"x")), Err(WireError::PacketKind(kind)));
        }
        assert_eq!(fed(&packet(3, &[0; 4])), Err(WireError::ExitLength(4)));
        assert_eq!(fed(&packet(3, &[])), Err(WireError::ExitLength(0)));
        assert_eq!(fed(&[1, 1, 0, 16, 0]), Err(WireError::PacketLength((1 << 20) + 1)));
    }

    #[test]
    fn half_a_header_is_not_an_answer() {
        let mut decoder = Packets::default();
        let mut pieces = vec![];
        decoder.feed(&[3, 1, 0], &mut pieces).unwrap();
        assert!(pieces.is_empty() && !decoder.ended());
        decoder.feed(&[0, 0, 7], &mut pieces).unwrap();
        assert_eq!(pieces, [Piece::Exit(7)]);
    }
}
