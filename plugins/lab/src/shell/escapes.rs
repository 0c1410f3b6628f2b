//! Backslash sequences, as `echo`, `printf` and `$'…'` read them.

/// Whose rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// mksh's `echo`: octal needs a leading zero, `\c` ends all output.
    Echo,
    /// `printf` formats: octal without leading zero.
    Printf,
    /// `$'…'`: as printf, and `\'`.
    Dollar,
}

/// The bytes a text stands for, and whether `\c` asked for silence after it.
pub fn decode(text: &str, style: Style) -> (Vec<u8>, bool) {
    if !text.contains('\\') {
        return (text.as_bytes().to_vec(), false);
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let c = bytes[i];
        let next = bytes.get(i + 1).copied();
        i += 1;
        let (b'\\', Some(next)) = (c, next) else {
            out.push(c);
            continue;
        };
        i += 1;
        match next {
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'e' | b'E' => out.push(27),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'\\' => out.push(b'\\'),
            b'c' if style == Style::Echo => return (out, true),
            b'0' if style == Style::Echo => number(bytes, &mut i, 3, 8, &mut out),
            b'0'..=b'7' if style != Style::Echo => {
                i -= 1;
                number(bytes, &mut i, 3, 8, &mut out);
            }
            b'x' => number(bytes, &mut i, 2, 16, &mut out),
            b'\'' | b'"' if style != Style::Echo => out.push(next),
            _ => out.extend([b'\\', next]),
        }
    }
    (out, false)
}

fn number(bytes: &[u8], at: &mut usize, longest: usize, radix: u32, out: &mut Vec<u8>) {
    let mut value = 0u32;
    let mut digits = 0;
    while digits < longest
        && let Some(digit) = bytes.get(*at).and_then(|b| char::from(*b).to_digit(radix))
    {
        value = value * radix + digit;
        *at += 1;
        digits += 1;
    }
    out.push((value & 0xff) as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn echo_and_printf_differ_in_octal_and_c() {
        assert_eq!(decode(r"a\0101\tb", Style::Echo), (b"aA\tb".to_vec(), false));
        assert_eq!(decode(r"\101", Style::Printf), (b"A".to_vec(), false));
        assert_eq!(decode(r"\101", Style::Echo), (br"\101".to_vec(), false));
        assert_eq!(decode(r"x\cy", Style::Echo), (b"x".to_vec(), true));
        assert_eq!(decode("\\", Style::Echo), (b"\\".to_vec(), false));
    }
}
