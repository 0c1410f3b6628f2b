//! Bytes of a dump from anywhere, made readable: encodings, lines, integers, and device text made safe to show.
//!
//! Dumps saved on Windows hosts are UTF-16 with a byte order mark or UTF-8 with one, and end their lines with CRLF.
//! Must not know: what any dump means. Nothing here panics or allocates more than 1.5 times its input.

use farmjank_leaf::text::bytes_line;
use std::borrow::Cow;

/// Longest piece of device text that is shown in a message, in characters.
const SHOWN: usize = 120;

/// The text in UTF-8 without byte order mark. Borrows unless the text is UTF-16, whose broken surrogates become
/// U+FFFD. Bytes that are not UTF-8 stay as they are: readers work on bytes.
pub fn decode(bytes: &[u8]) -> Cow<'_, [u8]> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => Cow::Borrowed(rest),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(from_utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(from_utf16(rest, u16::from_be_bytes)),
        _ => Cow::Borrowed(bytes),
    }
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut text = Vec::with_capacity(bytes.len() / 2);
    let mut buffer = [0; 4];
    for letter in char::decode_utf16(units) {
        let letter = letter.unwrap_or(char::REPLACEMENT_CHARACTER);
        text.extend_from_slice(letter.encode_utf8(&mut buffer).as_bytes());
    }
    text
}

/// The lines of a text without their line ends (LF or CRLF). A last line without line end counts; an empty one does
/// not.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

/// Device text made safe for a message: control characters escaped, clipped to 120 characters, never quoted.
pub fn shown(text: &[u8]) -> String {
    bytes_line(text, SHOWN)
}

/// Reads a signed decimal integer at the start of `text`: its value and length. `None` when there is no digit.
/// A number that does not fit 64 bits reads as `i64::MIN`: no clock ever shows it, and every reader refuses it.
#[inline]
pub(crate) fn integer(text: &[u8]) -> Option<(i64, usize)> {
    Integers::default().next(text)
}

/// Reads many integers. The stamps of a dump lie close together and mostly begin with the same eight digits: what those
/// are worth is remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integers {
    /// Eight digits as text.
    word: u64,
    /// Their value.
    value: u64,
}

impl Default for Integers {
    fn default() -> Self {
        Integers { word: u64::from_le_bytes(*b"00000000"), value: 0 }
    }
}

impl Integers {
    /// As [`integer`].
    #[inline]
    pub fn next(&mut self, text: &[u8]) -> Option<(i64, usize)> {
        // Stamps have nine to fifteen digits, so two words of eight hold nearly every number and its end.
        if let Some([a, b, c, d, e, f, g, h, rest @ ..]) = text.first_chunk::<16>() {
            let word = u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]);
            if word != self.word {
                let (value, length) = leading(word);
                if length < 8 {
                    return if length > 0 { Some((value as i64, length)) } else { one_by_one(text) };
                }
                (self.word, self.value) = (word, value);
            }
            let (tail, digits) = leading(u64::from_le_bytes(*rest));
            if digits < 8 {
                return Some(((self.value * TENS[digits] + tail) as i64, 8 + digits));
            }
        }
        one_by_one(text)
    }
}

/// The same digit by digit: for the end of a text, for signs, and for numbers that may not fit.
fn one_by_one(text: &[u8]) -> Option<(i64, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let digits = text[start..].iter().map(|byte| byte.wrapping_sub(b'0')).take_while(|digit| *digit < 10);
    let mut value = Some(0_u64);
    let mut count = 0;
    for digit in digits {
        value = value.and_then(|value| value.checked_mul(10)?.checked_add(u64::from(digit)));
        count += 1;
    }
    (count > 0).then(|| (value.map_or(i64::MIN, |value| signed(value, negative)), start + count))
}

#[inline]
fn signed(value: u64, negative: bool) -> i64 {
    i64::try_from(value).map_or(i64::MIN, |value| if negative { -value } else { value })
}

const TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The decimal digits that the eight bytes of a little-endian word begin with: their value, and how many there are. The
/// pairs, then the fours, then the halves are put together.
#[inline]
fn leading(word: u64) -> (u64, usize) {
    // A digit becomes its value; of any other byte a bit of the upper half stays, or comes when six is added. What a
    // sum carries over changes only bytes behind the first that is no digit.
    let values = word ^ 0x3030_3030_3030_3030;
    let other = (values | values.wrapping_add(0x0606_0606_0606_0606)) & 0xf0f0_f0f0_f0f0_f0f0;
    let digits = (other.trailing_zeros() / 8) as usize;
    if digits == 0 {
        return (0, 0);
    }
    // Fewer than eight move to the end, behind zeros.
    let word = values << (64 - 8 * digits);
    let word = word.wrapping_mul((10 << 8) + 1) >> 8;
    let word = (word & 0x00ff_00ff_00ff_00ff).wrapping_mul((100 << 16) + 1) >> 16;
    ((word & 0x0000_ffff_0000_ffff).wrapping_mul((10_000 << 32) + 1) >> 32, digits)
}

/// The whole of `text` as an integer, blanks around it ignored.
pub(crate) fn whole_integer(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    integer(text).filter(|&(value, length)| length == text.len() && value != i64::MIN).map(|(value, _)| value)
}

/// Where `needle` first occurs in `text`.
pub(crate) fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    if needle.is_empty() { None } else { memchr::memmem::find(text, needle) }
}

/// Whether `needle` occurs in `text`.
pub(crate) fn contains(text: &[u8], needle: &[u8]) -> bool {
    find(text, needle).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn utf16(text: &str, big: bool) -> Vec<u8> {
        let mark = [0xfeff];
        let units = mark.iter().copied().chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "16666666\r\n1\t2\t3\r\nünï 🎞\r\n";
        let with_mark = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        for bytes in [text.as_bytes().to_vec(), with_mark, utf16(text, false), utf16(text, true)] {
            assert_eq!(decode(&bytes).as_ref(), text.as_bytes());
        }
        let read: Vec<_> = lines(text.as_bytes()).collect();
        assert_eq!(read, [b"16666666".as_slice(), b"1\t2\t3", "ünï 🎞".as_bytes()]);
    }

    #[test]
    fn broken_utf16_is_replaced_and_an_odd_byte_left_out() {
        assert_eq!(decode(&[0xff, 0xfe, b'a', 0, 0x00, 0xd8, b'b', 0, 7]).as_ref(), "a\u{fffd}b".as_bytes());
        assert_eq!(decode(&[0xff, 0xfe]).as_ref(), b"");
    }

    proptest::proptest! {
        #[test]
        fn integers_are_what_they_say(value in proptest::prelude::any::<i64>(), cut in 0u32..64, rest in "[\\t :/]?[0-9a-f]{0,9}") {
            let value = value >> cut;
            let text = format!("{value}\t{rest}");
            let read = integer(text.as_bytes());
            // The least of all integers stands for "does not fit".
            proptest::prop_assert_eq!(read, Some((value, value.to_string().len())));
            let glued = integer(rest.as_bytes()).map(|(_, length)| length);
            proptest::prop_assert_eq!(glued.unwrap_or(0), rest.bytes().take_while(u8::is_ascii_digit).count());
        }
    }

    proptest::proptest! {
        /// Whatever stands behind the digits, and however many there are: the same as one digit at a time.
        #[test]
        fn integers_are_read_as_digit_by_digit(digits in "-?[0-9]{0,22}", rest in prop::collection::vec(any::<u8>(), 0..20)) {
            let text = [digits.as_bytes(), &rest].concat();
            prop_assert_eq!(integer(&text), one_by_one(&text));
        }

        /// Whatever was read before.
        #[test]
        fn integers_do_not_depend_on_those_before(
            texts in prop::collection::vec("-?(12345678|00000000|[0-9]{8})?[0-9]{0,9}(\0{8,16}|[\t,\0 x]{0,12})", 0..20),
        ) {
            let mut integers = Integers::default();
            for text in texts {
                prop_assert_eq!(integers.next(text.as_bytes()), integer(text.as_bytes()), "{}", text);
            }
        }
    }

    #[test]
    fn integers_end_where_their_digits_end() {
        assert_eq!(integer(b"9223372036854775807\t"), Some((i64::MAX, 19)));
        assert_eq!(integer(b"-1"), Some((-1, 2)));
        assert_eq!(integer(b"9223372036854775808"), Some((i64::MIN, 19)));
        assert_eq!(integer(b"00000000000000000000000012"), Some((12, 26)));
        assert_eq!(integer(b"18446744073709551616"), Some((i64::MIN, 20)));
        assert_eq!(integer(b"-"), None);
        assert_eq!(integer(b"x1"), None);
        assert_eq!(whole_integer(b" 8333333 \r"), Some(8_333_333));
        assert_eq!(whole_integer(b"8333333 x"), None);
    }

    #[test]
    fn shown_text_is_bounded_and_harmless() {
        assert_eq!(shown(b"a\x1b[31m\x07b"), "a\\u{1b}[31m\\u{7}b");
        assert_eq!(shown("x\u{202e}y".as_bytes()), "x\\u{202e}y");
        assert_eq!(shown(&vec![b'a'; 1 << 20]).chars().count(), SHOWN + 1);
    }

    proptest! {
        #[test]
        fn every_integer_reads_back(value in any::<i64>()) {
            let text = value.to_string();
            prop_assert_eq!(integer(text.as_bytes()), Some((value, text.len())));
        }

        #[test]
        fn any_bytes_decode_within_bounds(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let text = decode(&bytes);
            prop_assert!(text.len() <= bytes.len() / 2 * 3 + bytes.len() % 2 + 1);
            let joined: usize = lines(&text).map(|line| line.len() + 2).sum();
            prop_assert!(joined >= text.len());
            shown(&bytes);
        }
    }
}
