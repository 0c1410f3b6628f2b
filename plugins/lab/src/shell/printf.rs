//! `printf` as the phone's toolbox has it: `%s %d %i %u %x %X %o %c %b %%`, flags, width and precision. The format is
//! used again while arguments remain.

use super::escapes::{Style, decode};

/// The bytes printed, and complaints for standard error (status 1 when there are any).
pub(super) fn format(argv: &[String]) -> (Vec<u8>, Vec<String>) {
    let Some(format) = argv.first() else {
        return (Vec::new(), vec!["printf: Needs 1 argument (see \"printf --help\")".to_owned()]);
    };
    let mut out = Vec::new();
    let mut complaints = Vec::new();
    let mut rest = &argv[1..];
    loop {
        let before = rest.len();
        once(format, &mut rest, &mut out, &mut complaints);
        if rest.is_empty() || rest.len() == before || !complaints.is_empty() {
            return (out, complaints);
        }
    }
}

/// A conversion's flags, width and precision.
#[derive(Default)]
struct Shape {
    left: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

fn once(format: &str, args: &mut &[String], out: &mut Vec<u8>, complaints: &mut Vec<String>) {
    let mut literal = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            literal.push(c);
            continue;
        }
        out.extend(decode(&std::mem::take(&mut literal), Style::Printf).0);
        let mut shape = Shape::default();
        while let Some(flag) = chars.next_if(|c| "-0 +#".contains(*c)) {
            shape.left |= flag == '-';
            shape.zero |= flag == '0';
        }
        while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
            chars.next();
            shape.width = (shape.width * 10 + digit as usize).min(10_000);
        }
        if chars.next_if_eq(&'.').is_some() {
            let mut precision = 0;
            while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                chars.next();
                precision = (precision * 10 + digit as usize).min(10_000);
            }
            shape.precision = Some(precision);
        }
        match chars.next() {
            Some('%') => out.push(b'%'),
            Some(kind) => convert(kind, &shape, args, out, complaints),
            None => complaints.push("printf: bad % at end".to_owned()),
        }
    }
    out.extend(decode(&literal, Style::Printf).0);
}

fn convert(kind: char, shape: &Shape, args: &mut &[String], out: &mut Vec<u8>, complaints: &mut Vec<String>) {
    let (argument, rest) = args.split_first().map_or(("", *args), |(first, rest)| (first.as_str(), rest));
    *args = rest;
    let mut text = match kind {
        's' => argument.as_bytes().to_vec(),
        'b' => decode(argument, Style::Echo).0,
        'c' => argument.chars().take(1).collect::<String>().into_bytes(),
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
            let number = integer(argument).unwrap_or_else(|| {
                complaints.push(format!("printf: not integer {argument}"));
                0
            });
            match kind {
                'x' => format!("{number:x}"),
                'X' => format!("{number:X}"),
                'o' => format!("{number:o}"),
                'u' => format!("{}", number as u64),
                _ => number.to_string(),
            }
            .into_bytes()
        }
        other => {
            complaints.push(format!("printf: bad %{other}"));
            return;
        }
    };
    if let Some(precision) = shape.precision.filter(|_| matches!(kind, 's' | 'b')) {
        text.truncate(precision);
    }
    let missing = shape.width.saturating_sub(text.len());
    if shape.left {
        text.extend(std::iter::repeat_n(b' ', missing));
    } else {
        let numeric = !matches!(kind, 's' | 'b' | 'c');
        let fill = if shape.zero && numeric { b'0' } else { b' ' };
        let sign = usize::from(fill == b'0' && text.first() == Some(&b'-'));
        text.splice(sign..sign, std::iter::repeat_n(fill, missing));
    }
    out.extend(text);
}

fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.is_empty() {
        return Some(0);
    }
    match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(argv: &[&str]) -> String {
        let (out, _) = format(&argv.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>());
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn formats_are_reused_and_shaped() {
        assert_eq!(print(&["%s=%d\\n", "a", "1", "b", "2"]), "a=1\nb=2\n");
        assert_eq!(print(&["%05d|%-4s|%.2s|%x", "-42", "ab", "xyz", "255"]), "-0042|ab  |xy|ff");
        assert_eq!(print(&["100%%\\n"]), "100%\n");
        assert_eq!(print(&["%s", "%d\\n"]), "%d\\n", "an argument is never a format");
        assert!(!format(&["%d".to_owned(), "x".to_owned()]).1.is_empty());
    }
}
