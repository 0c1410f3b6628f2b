//! Protobuf's variable-length integers: seven bits a byte, the lowest first, the high bit set on all but the last.
//!
//! Stamps of traces have six to eight bytes, and there are millions of them: their bits are moved pair by pair, all at
//! once.

/// Most bytes of a number.
pub const LONGEST: usize = 10;

/// Appends a number.
#[inline]
pub fn write(out: &mut Vec<u8>, value: u64) {
    match value {
        0..0x80 => out.push(value as u8),
        0x80..0x4000 => out.extend_from_slice(&[value as u8 | 0x80, (value >> 7) as u8]),
        _ => write_long(out, value),
    }
}

fn write_long(out: &mut Vec<u8>, value: u64) {
    if value >> 56 != 0 {
        out.push(value as u8 | 0x80);
        write(out, value >> 7);
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

/// A number at the start of the bytes and its length; none when it is cut or too long. Bits beyond the 64th are
/// dropped, as protobuf does.
#[inline]
pub fn read(bytes: &[u8]) -> Option<(u64, usize)> {
    match bytes {
        [byte @ 0..0x80, ..] => Some((u64::from(*byte), 1)),
        [a, byte @ 0..0x80, ..] => Some((u64::from(a & 0x7f) | (u64::from(*byte) << 7), 2)),
        _ => read_long(bytes),
    }
}

fn read_long(bytes: &[u8]) -> Option<(u64, usize)> {
    let word = bytes.first_chunk().map(|word| u64::from_le_bytes(*word));
    let last = word.map(|word| !word & 0x8080_8080_8080_8080).filter(|last| *last != 0);
    let Some((word, last)) = word.zip(last) else { return read_slow(bytes) };
    // Everything up to the first byte without its high bit.
    let bits = word & (last ^ (last - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
    let bits = (bits & 0x007f_007f_007f_007f) | ((bits & 0x7f00_7f00_7f00_7f00) >> 1);
    let bits = (bits & 0x0000_3fff_0000_3fff) | ((bits & 0x3fff_0000_3fff_0000) >> 2);
    let bits = (bits & 0x0000_0000_0fff_ffff) | ((bits & 0x0fff_ffff_0000_0000) >> 4);
    Some((bits, (last.trailing_zeros() / 8) as usize + 1))
}

/// The same byte by byte: for the end of a message and for numbers of more than eight bytes.
fn read_slow(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (nth, byte) in bytes.iter().take(LONGEST).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * nth);
        if byte & 0x80 == 0 {
            return Some((value, nth + 1));
        }
    }
    None
}

/// Takes a number off the front of the bytes; none, and nothing taken, where it is cut, or not written in its one
/// shortest form.
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (value, length) = read(bytes)?;
    // The last byte of a longer number is not 0, and the tenth holds the 64th bit alone.
    let last = bytes[length - 1];
    if (length > 1 && last == 0) || (length == LONGEST && last > 1) {
        return None;
    }
    *bytes = &bytes[length..];
    Some(value)
}

/// Whether the bytes could go on to be a number: fewer than ten of them, none of which is the last.
pub fn is_cut(bytes: &[u8]) -> bool {
    bytes.len() < LONGEST && bytes.iter().all(|byte| byte & 0x80 != 0)
}

/// A signed number as an unsigned one that is small where it is near 0.
pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// The number that [`zigzag`] was given.
pub fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(value: u64) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out, value);
        out
    }

    #[test]
    fn numbers_of_every_length_are_written_seven_bits_a_byte() {
        let powers = (0..64).map(|power| 1_u64 << power);
        for value in powers.flat_map(|power| [power - 1, power, power + 1, power | 0x55, !power]) {
            let mut plain = Vec::new();
            let mut left = value;
            while left >= 0x80 {
                plain.push(left as u8 | 0x80);
                left >>= 7;
            }
            plain.push(left as u8);
            assert_eq!(written(value), plain, "{value}");
            assert_eq!(read(&plain), Some((value, plain.len())), "{value}");
        }
    }

    #[test]
    fn what_is_cut_or_too_long_is_no_number() {
        assert_eq!(read(&[0xff; 9]), None);
        assert_eq!(read(&[0xff; 11]), None);
        assert_eq!(read(&written(u64::MAX)), Some((u64::MAX, 10)));
        assert!(is_cut(&[0x80; 9]) && !is_cut(&[0x80; 10]) && !is_cut(&[0]) && is_cut(&[]));
    }

    #[test]
    fn only_the_shortest_form_is_taken() {
        for other in [&[0x80, 0][..], &[0xff, 0x80, 0], &[0xff; 10], &[0x80]] {
            let mut rest = other;
            assert_eq!((take(&mut rest), rest), (None, other));
        }
    }

    proptest! {
        #[test]
        fn quick_and_slow_reading_agree(bytes in proptest::collection::vec(any::<u8>(), 0..14)) {
            prop_assert_eq!(read(&bytes), read_slow(&bytes));
        }

        #[test]
        fn what_was_written_is_taken(value: u64, shift in 0u32..64, rest in proptest::collection::vec(any::<u8>(), 0..9)) {
            let value = value >> shift;
            let bytes = [written(value), rest.clone()].concat();
            let mut left = &bytes[..];
            prop_assert_eq!((take(&mut left), left), (Some(value), &rest[..]));
            prop_assert_eq!(unzigzag(zigzag(value.cast_signed())), value.cast_signed());
        }
    }
}
