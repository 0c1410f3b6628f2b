//! The 24-byte header of an adb message, its payload and its checks.

use tokio::io::{AsyncRead, AsyncReadExt};

/// Connect.
pub(super) const CNXN: u32 = u32::from_le_bytes(*b"CNXN");
/// Open a stream.
pub(super) const OPEN: u32 = u32::from_le_bytes(*b"OPEN");
/// Ready for more.
pub(super) const OKAY: u32 = u32::from_le_bytes(*b"OKAY");
/// Bytes of a stream.
pub(super) const WRTE: u32 = u32::from_le_bytes(*b"WRTE");
/// Close a stream.
pub(super) const CLSE: u32 = u32::from_le_bytes(*b"CLSE");

/// Largest payload read at all, bytes: what the newest adb may send before it has heard our limit.
const PAYLOAD_LIMIT: u32 = 1024 * 1024;

/// A message without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub command: u32,
    pub arg0: u32,
    pub arg1: u32,
}

/// A message on the wire: header with length, checksum (the sum of the bytes) and the command inverted.
pub(super) fn encode(command: u32, arg0: u32, arg1: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(24 + data.len());
    for word in [command, arg0, arg1, data.len() as u32, checksum(data), !command] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend_from_slice(data);
    bytes
}

fn checksum(data: &[u8]) -> u32 {
    data.iter().fold(0, |sum, byte| sum.wrapping_add(u32::from(*byte)))
}

/// The next message; nothing at the end of the stream. An error when it is no adb message. Newer peers (`trusting`)
/// leave the checksum 0.
pub(super) async fn read<R: AsyncRead + Unpin>(
    reader: &mut R,
    trusting: bool,
) -> std::io::Result<Option<(Header, Vec<u8>)>> {
    let mut bytes = [0; 24];
    match reader.read_exact(&mut bytes).await {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    };
    let word =
        |i: usize| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]);
    let header = Header { command: word(0), arg0: word(1), arg1: word(2) };
    let (length, sum) = (word(3), word(4));
    if word(5) != !header.command || length > PAYLOAD_LIMIT {
        return Err(std::io::Error::other("not an adb message"));
    }
    let mut data = vec![0; length as usize];
    reader.read_exact(&mut data).await?;
    // A connect message may come from a peer of either kind.
    if !trusting && header.command != CNXN && sum != checksum(&data) {
        return Err(std::io::Error::other("adb message with a wrong checksum"));
    }
    Ok(Some((header, data)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().expect("runtime").block_on(work)
    }

    proptest! {
        #[test]
        fn messages_come_back(arg0: u32, arg1: u32, data in proptest::collection::vec(any::<u8>(), 0..300)) {
            let bytes = encode(WRTE, arg0, arg1, &data);
            let read = run(read(&mut bytes.as_slice(), false)).expect("readable");
            prop_assert_eq!(read, Some((Header { command: WRTE, arg0, arg1 }, data)));
        }

        #[test]
        fn noise_is_refused_or_ends(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(Some((header, _))) = run(read(&mut bytes.as_slice(), true)) {
                prop_assert_eq!(u32::from_le_bytes([bytes[20], bytes[21], bytes[22], bytes[23]]), !header.command);
            }
        }
    }

    #[test]
    fn a_damaged_payload_is_refused_by_old_rules_only() {
        let mut bytes = encode(WRTE, 1, 2, b"abc");
        bytes[24] ^= 1;
        assert!(run(read(&mut bytes.as_slice(), false)).is_err());
        assert!(run(read(&mut bytes.as_slice(), true)).is_ok());
    }
}
