//! The protobuf wire format: fields of a message, one after another. Must not know any message. Never panics, never
//! allocates; a malformed rest ends the walk.

/// Longest encoding of a number.
const LONGEST: usize = 10;

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

/// A number at the start of the bytes and its length; none when it is cut or too long.
#[inline]
pub fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    match bytes {
        [byte @ 0..0x80, ..] => Some((u64::from(*byte), 1)),
        [a, byte @ 0..0x80, ..] => Some((u64::from(a & 0x7f) | (u64::from(*byte) << 7), 2)),
        _ => long_varint(bytes),
    }
}

/// A number of any length. Stamps have six to eight bytes: seven bits of each are moved together pair by pair.
fn long_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let word = bytes.first_chunk().map(|word| u64::from_le_bytes(*word));
    let last = word.map(|word| !word & 0x8080_8080_8080_8080).filter(|last| *last != 0);
    let Some((word, last)) = word.zip(last) else { return slow_varint(bytes) };
    // Everything up to the first byte without its high bit.
    let bits = word & (last ^ (last - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
    let bits = (bits & 0x007f_007f_007f_007f) | ((bits & 0x7f00_7f00_7f00_7f00) >> 1);
    let bits = (bits & 0x0000_3fff_0000_3fff) | ((bits & 0x3fff_0000_3fff_0000) >> 2);
    let bits = (bits & 0x0000_0000_0fff_ffff) | ((bits & 0x0fff_ffff_0000_0000) >> 4);
    Some((bits, (last.trailing_zeros() / 8) as usize + 1))
}

/// The same byte by byte: for the end of a message and for numbers of more than eight bytes.
fn slow_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (nth, byte) in bytes.iter().take(LONGEST).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * nth);
        if byte & 0x80 == 0 {
            return Some((value, nth + 1));
        }
    }
    None
}

/// Whether the bytes could go on to be a number: fewer than ten of them, none of which is the last.
pub fn cut_varint(bytes: &[u8]) -> bool {
    bytes.len() < LONGEST && bytes.iter().all(|byte| byte & 0x80 != 0)
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
        let (tag, length) = varint(self.rest)?;
        let body = &self.rest[length..];
        let (value, used) = match tag & 7 {
            0 => varint(body).map(|(number, used)| (Value::Number(number), used))?,
            1 => (Value::Fixed64(u64::from_le_bytes(*body.first_chunk()?)), 8),
            2 => {
                let (size, used) = varint(body)?;
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
    fn numbers_of_any_length_are_read() {
        assert_eq!(varint(&[0xff; 9]), None);
        assert_eq!(varint(&[0xff; 11]), None);
        let minus_one = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(varint(&minus_one), Some((u64::MAX, 10)));
        assert_eq!(Value::Number(u64::MAX).signed(), Some(-1));
        assert!(cut_varint(&[0x80; 9]) && !cut_varint(&[0x80; 10]) && !cut_varint(&[0]) && cut_varint(&[]));
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_byte_by_byte(
            bytes in prop::collection::vec(prop_oneof![3 => 0x80u8.., 1 => 0u8..0x80], 0..14),
            number in any::<u64>(),
            shift in 0u32..64,
        ) {
            prop_assert_eq!(varint(&bytes), slow_varint(&bytes));
            let (mut left, mut written) = (number >> shift, Vec::new());
            while left > 0x7f {
                written.push(left as u8 | 0x80);
                left >>= 7;
            }
            written.push(left as u8);
            let length = written.len();
            written.extend(&bytes);
            prop_assert_eq!(varint(&written), Some((number >> shift, length)));
        }

        #[test]
        fn any_bytes_are_walked_to_an_end(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut walk = fields(&bytes);
            prop_assert!(walk.by_ref().count() <= bytes.len());
            prop_assert!(walk.left() <= bytes.len());
        }
    }
}
