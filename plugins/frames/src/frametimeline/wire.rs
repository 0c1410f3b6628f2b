//! The protobuf wire format: fields of a message, one after another. Must not know any message. Never panics, never
//! allocates; a malformed rest ends the walk.

use farmjank_leaf::varint;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number: integers, booleans, enumerations.
    Number(u64),
    /// Eight raw bytes, little endian.
    Fixed64(u64),
    /// Text, bytes or another message.
    Bytes(&'a [u8]),
    /// Four raw bytes, little endian.
    Fixed32(u32),
}

impl<'a> Value<'a> {
    /// The number, if it is one.
    pub fn number(self) -> Option<u64> {
        match self {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The number as protobuf's signed kinds store it: in two's complement.
    pub fn signed(self) -> Option<i64> {
        self.number().map(|number| number as i64)
    }

    /// The bytes, if it has any.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The number with a fraction, if it has four bytes.
    pub fn float(self) -> Option<f32> {
        match self {
            Value::Fixed32(bits) => Some(f32::from_bits(bits)),
            _ => None,
        }
    }
}

/// The fields of a message in order, by number. Ends at the first byte that is no field.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

/// The fields of this message.
pub fn fields(message: &[u8]) -> Fields<'_> {
    Fields { rest: message }
}

impl Fields<'_> {
    /// Bytes not walked: after the last field, those that are none.
    pub fn left(&self) -> usize {
        self.rest.len()
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Value<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (tag, length) = varint::read(self.rest)?;
        let body = &self.rest[length..];
        let (value, used) = match tag & 7 {
            0 => varint::read(body).map(|(number, used)| (Value::Number(number), used))?,
            1 => (Value::Fixed64(u64::from_le_bytes(*body.first_chunk()?)), 8),
            2 => {
                let (size, used) = varint::read(body)?;
                let end = used.checked_add(usize::try_from(size).ok()?)?;
                (Value::Bytes(body.get(used..end)?), end)
            }
            5 => (Value::Fixed32(u32::from_le_bytes(*body.first_chunk()?)), 4),
            _ => return None,
        };
        self.rest = &body[used..];
        Some((tag >> 3, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kind_of_field_is_walked_and_a_cut_one_ends_it() {
        let mut message = vec![0x08, 0xac, 0x02];
        message.extend([0x11, 1, 0, 0, 0, 0, 0, 0, 0]);
        message.extend([0x1a, 2, b'h', b'i']);
        message.extend([0x25, 0, 0, 0x80, 0x3f]);
        let all: Vec<_> = fields(&message).collect();
        assert_eq!(
            all,
            [
                (1, Value::Number(300)),
                (2, Value::Fixed64(1)),
                (3, Value::Bytes(b"hi")),
                (4, Value::Fixed32(0x3f80_0000))
            ]
        );
        assert_eq!(all[3].1.float(), Some(1.0));
        let mut cut = fields(&message[..message.len() - 1]);
        assert_eq!((cut.by_ref().count(), cut.left()), (3, 4));
        // Groups ended with proto1.
        assert_eq!(fields(&[0x0b, 0x0c]).count(), 0);
    }

    #[test]
    fn signed_numbers_are_in_twos_complement() {
        assert_eq!(Value::Number(u64::MAX).signed(), Some(-1));
    }

    proptest! {
        #[test]
        fn any_bytes_are_walked_to_an_end(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut walk = fields(&bytes);
            prop_assert!(walk.by_ref().count() <= bytes.len());
            prop_assert!(walk.left() <= bytes.len());
        }
    }
}
