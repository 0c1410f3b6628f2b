//! Integers as decimal text, where a dump prints thousands of them.
//!
//! The stamps of a dump lie close together, so all but their last eight digits are mostly those of the stamp before:
//! they are kept as text. Must not know what the numbers mean.

/// Below this a number is printed by itself.
const TAIL: u64 = 100_000_000;

/// Prints numbers one after another.
#[derive(Default)]
pub struct Digits {
    /// What `text` shows: the digits of the last long number before its last eight.
    head: u64,
    text: [u8; 16],
    length: usize,
}

impl Digits {
    /// Appends a number and the byte after it.
    #[inline]
    pub fn put(&mut self, value: i64, end: u8, out: &mut Vec<u8>) {
        match u64::try_from(value) {
            Ok(long) if long >= TAIL => self.long(long, end, out),
            _ => {
                out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
                out.push(end);
            }
        }
    }

    #[inline]
    fn long(&mut self, value: u64, end: u8, out: &mut Vec<u8>) {
        let head = value / TAIL;
        if head != self.head {
            self.renew(head);
        }
        let start = out.len();
        // Whole words, cut to length afterwards: cheaper than copying so many bytes.
        out.extend_from_slice(&self.text);
        out.truncate(start + self.length);
        let mut tail = [end; 16];
        tail[..8].copy_from_slice(&eight(value % TAIL));
        out.extend_from_slice(&tail);
        out.truncate(start + self.length + 9);
    }

    #[cold]
    fn renew(&mut self, head: u64) {
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(head).as_bytes();
        self.text[..digits.len()].copy_from_slice(digits);
        (self.head, self.length) = (head, digits.len());
    }
}

/// The eight digits of a number below 10⁸, zeros before it: halves, then pairs, then digits, side by side in one word.
#[inline]
fn eight(value: u64) -> [u8; 8] {
    let fours = (value / 10_000) | ((value % 10_000) << 32);
    // n / 100 = n × 10486 / 2²⁰ for n below 10⁴, and n / 10 = n × 103 / 2¹⁰ for n below 100.
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    let digits = tens | ((pairs - tens * 10) << 8);
    (digits + 0x3030_3030_3030_3030).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(numbers: &[i64]) -> String {
        let mut digits = Digits::default();
        let mut out = Vec::new();
        numbers.iter().for_each(|number| digits.put(*number, b' ', &mut out));
        String::from_utf8(out).expect("digits")
    }

    #[test]
    fn numbers_are_what_they_are() {
        let near = |at: i64| [at - 1, at, at + 1];
        let tens = (0..19).map(|digits| 10_i64.pow(digits));
        let mut numbers: Vec<i64> = tens.flat_map(near).collect();
        numbers.extend([i64::MAX, i64::MAX, 0, -1, i64::MIN, 99_999_999, 100_000_000, i64::MAX - 1]);
        numbers.extend((0..20_000).map(|step| 123_456_000_000_000 + step * 7_919_000_003));
        let expected: String = numbers.iter().map(|number| format!("{number} ")).collect();
        assert_eq!(printed(&numbers), expected);
    }

    #[test]
    fn every_four_digits_come_out_right() {
        for four in 0..10_000 {
            assert_eq!(
                eight(four * 10_000 + 9_999 - four),
                *format!("{four:04}{:04}", 9_999 - four).as_bytes()
            );
        }
    }
}
