//! Writing protobuf messages by hand: varints and length-delimited fields into buffers that are used again and again.
//!
//! Must not know any message.

/// A message on its way; its buffer is kept when it is cleared.
#[derive(Clone, Debug, Default)]
pub struct Message(Vec<u8>);

impl Message {
    /// Empties it.
    pub fn clear(&mut self) -> &mut Message {
        self.0.clear();
        self
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A varint field: integers, enums, booleans.
    pub fn number(&mut self, field: u32, value: u64) -> &mut Message {
        varint(&mut self.0, u64::from(field) << 3);
        varint(&mut self.0, value);
        self
    }

    /// A signed integer that is not zigzag: negative numbers take ten bytes.
    pub fn signed(&mut self, field: u32, value: i64) -> &mut Message {
        self.number(field, value as u64)
    }

    /// A float field.
    pub fn float(&mut self, field: u32, value: f32) -> &mut Message {
        varint(&mut self.0, u64::from(field) << 3 | 5);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// A string, bytes or message field.
    pub fn field(&mut self, field: u32, bytes: &[u8]) -> &mut Message {
        self.parts(field, &[bytes])
    }

    /// The same from pieces that follow each other.
    pub fn parts(&mut self, field: u32, parts: &[&[u8]]) -> &mut Message {
        delimited(&mut self.0, field, parts);
        self
    }
}

/// Appends a length-delimited field to any buffer.
pub fn delimited(out: &mut Vec<u8>, field: u32, parts: &[&[u8]]) {
    let length = parts.iter().map(|part| part.len()).sum::<usize>();
    out.reserve(length + 20);
    varint(out, u64::from(field) << 3 | 2);
    varint(out, length as u64);
    for part in parts {
        out.extend_from_slice(part);
    }
}

#[inline]
fn varint(out: &mut Vec<u8>, value: u64) {
    match value {
        0..0x80 => out.push(value as u8),
        0x80..0x4000 => out.extend_from_slice(&[value as u8 | 0x80, (value >> 7) as u8]),
        _ => long_varint(out, value),
    }
}

/// Stamps have six to eight bytes: seven bits each are moved apart pair by pair.
fn long_varint(out: &mut Vec<u8>, value: u64) {
    if value >> 56 != 0 {
        out.push(value as u8 | 0x80);
        varint(out, value >> 7);
        return;
    }
    let bits = (value & 0x0fff_ffff) | ((value & 0x00ff_ffff_f000_0000) << 4);
    let bits = (bits & 0x0000_3fff_0000_3fff) | ((bits & 0x0fff_c000_0fff_c000) << 2);
    let bits = (bits & 0x007f_007f_007f_007f) | ((bits & 0x3f80_3f80_3f80_3f80) << 1);
    let length = (64 - bits.leading_zeros()).div_ceil(8).max(1);
    let more = 0x8080_8080_8080_8080 & !(u64::MAX << (8 * length - 8));
    let start = out.len();
    // A whole word, cut to length afterwards: cheaper than copying so many bytes.
    out.extend_from_slice(&(bits | more).to_le_bytes());
    out.truncate(start + length as usize);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_are_written_seven_bits_a_byte() {
        let powers = (0..64).map(|power| 1_u64 << power);
        for value in powers.flat_map(|power| [power - 1, power, power + 1, power | 0x55, !power]) {
            let (mut plain, mut left) = (Vec::new(), value);
            while left >= 0x80 {
                plain.push(left as u8 | 0x80);
                left >>= 7;
            }
            plain.push(left as u8);
            let mut written = Vec::new();
            varint(&mut written, value);
            assert_eq!(written, plain, "{value}");
        }
    }

    #[test]
    fn fields_are_written_as_the_wire_format_wants_them() {
        let mut message = Message::default();
        message.number(1, 150).field(2, b"testing").signed(3, -1).float(4, 1.0);
        let mut wanted = vec![0x08, 0x96, 0x01, 0x12, 0x07];
        wanted.extend_from_slice(b"testing");
        wanted.push(0x18);
        wanted.extend_from_slice(&[0xff; 9]);
        wanted.extend_from_slice(&[0x01, 0x25, 0, 0, 0x80, 0x3f]);
        assert_eq!(message.bytes(), wanted);
        assert_eq!(message.clear().parts(76, &[b"a", b"bc"]).bytes(), [0xe2, 0x04, 3, b'a', b'b', b'c']);
    }
}
