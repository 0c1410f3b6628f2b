//! Writing protobuf messages by hand: varints and length-delimited fields into buffers that are used again and again.
//!
//! Must not know any message.

use farmjank_leaf::varint;

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
        varint::write(&mut self.0, u64::from(field) << 3);
        varint::write(&mut self.0, value);
        self
    }

    /// A signed integer that is not zigzag: negative numbers take ten bytes.
    pub fn signed(&mut self, field: u32, value: i64) -> &mut Message {
        self.number(field, value as u64)
    }

    /// A float field.
    pub fn float(&mut self, field: u32, value: f32) -> &mut Message {
        varint::write(&mut self.0, u64::from(field) << 3 | 5);
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
pub(crate) fn delimited(out: &mut Vec<u8>, field: u32, parts: &[&[u8]]) {
    let length = parts.iter().map(|part| part.len()).sum::<usize>();
    out.reserve(length + 20);
    varint::write(out, u64::from(field) << 3 | 2);
    varint::write(out, length as u64);
    for part in parts {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
