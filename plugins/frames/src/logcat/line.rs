//! One line of a log, whatever format it was printed or saved in.
//!
//! Formats: `monotonic` (what the witness asks for), `threadtime`, `brief`, `time`, and that of Android Studio. Must not
//! know: what tags mean.

use crate::text::integer;
use farmjank_results::time::DeviceTime;

/// Longest line that is looked at, bytes; logd cuts messages at 4 KB.
const LONGEST: usize = 16 * 1024;

/// A line, cut into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// CLOCK_MONOTONIC; only `-v monotonic` tells it.
    pub at: Option<DeviceTime>,
    /// Process that logged it.
    pub pid: i32,
    /// Tag, without padding.
    pub tag: &'a [u8],
    /// Message.
    pub message: &'a [u8],
}

/// Cuts a line; none when it is no line of a log (`--------- beginning of main`, blanks, other text).
pub fn read_line(line: &[u8]) -> Option<Line<'_>> {
    if line.len() > LONGEST || line.starts_with(b"-") {
        return None;
    }
    let text = line.trim_ascii_start();
    stamped(text).or_else(|| brief(text))
}

/// `     12.345  1234  1256 W Looper  : message`, or a date before the process id.
fn stamped(text: &[u8]) -> Option<Line<'_>> {
    let (first, rest) = word(text)?;
    if let Some(at) = seconds(first) {
        return parts(rest, Some(at));
    }
    // `01-29 15:12:47.938` or `2025-08-08 11:37:31.050`
    let (second, rest) = word(rest)?;
    let dated =
        first.first().is_some_and(u8::is_ascii_digit) && first.contains(&b'-') && second.contains(&b':');
    if !dated {
        return None;
    }
    parts(rest, None).or_else(|| studio(rest)).or_else(|| brief(rest.trim_ascii_start()))
}

/// `1234  1256 W Looper  : message`
fn parts(text: &[u8], at: Option<DeviceTime>) -> Option<Line<'_>> {
    let (pid, rest) = number(text)?;
    let (_, rest) = number(rest)?;
    let (level, rest) = word(rest)?;
    if level.len() != 1 || !b"VDIWEFS".contains(&level[0]) {
        return None;
    }
    let (tag, message) = cut(rest, b": ").or_else(|| Some((rest.strip_suffix(b":")?, &b""[..])))?;
    Some(Line { at, pid, tag: tag.trim_ascii(), message })
}

/// `32679-32702 HWUI   com.example.app   I  message`
fn studio(text: &[u8]) -> Option<Line<'_>> {
    let (ids, rest) = word(text)?;
    let (pid, length) = integer(ids)?;
    let dash = ids.get(length..)?.strip_prefix(b"-")?;
    integer(dash).filter(|(_, length)| *length == dash.len())?;
    let (tag, rest) = word(rest)?;
    let (_, rest) = word(rest)?;
    let (level, rest) = word(rest)?;
    (level.len() == 1).then_some(())?;
    Some(Line { at: None, pid: i32::try_from(pid).ok()?, tag, message: rest.trim_ascii_start() })
}

/// `I/Choreographer(24426): message`
fn brief(text: &[u8]) -> Option<Line<'_>> {
    let [level, b'/', rest @ ..] = text else { return None };
    if !b"VDIWEFS".contains(level) {
        return None;
    }
    let (tag, rest) = cut(rest, b"(")?;
    let (pid, message) = cut(rest, b"): ")?;
    let (pid, rest) = number(pid)?;
    rest.is_empty().then_some(Line { at: None, pid, tag: tag.trim_ascii(), message })
}

fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(|&byte| byte == b' ').unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn number(text: &[u8]) -> Option<(i32, &[u8])> {
    let (word, rest) = word(text)?;
    let (value, length) = integer(word)?;
    (length == word.len()).then_some(()).and(i32::try_from(value).ok()).map(|value| (value, rest))
}

fn cut<'a>(text: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let place = crate::text::find(text, at)?;
    Some((&text[..place], &text[place + at.len()..]))
}

/// `12.345` or `12.345678`: seconds of CLOCK_MONOTONIC.
fn seconds(word: &[u8]) -> Option<DeviceTime> {
    let (whole, length) = integer(word)?;
    let fraction = word.get(length..)?.strip_prefix(b".")?;
    if whole < 0 || fraction.is_empty() || fraction.len() > 9 || !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = fraction.iter().chain(std::iter::repeat(&b'0')).take(9);
    let ns = digits.fold(0, |ns, digit| ns * 10 + i64::from(digit - b'0'));
    whole.checked_mul(1_000_000_000)?.checked_add(ns).map(DeviceTime::from_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_gives_the_same_parts() {
        let at = Some(DeviceTime::from_ns(12_345_000_000));
        for (text, at) in [
            (&b"    12.345  1234  1256 W Looper  : a: b"[..], at),
            (b"    12.345000  1234  1256 W Looper  : a: b", at),
            (b"11-03 10:12:00.100  1234  1256 W Looper  : a: b", None),
            (b"2025-08-08 11:37:31.050  1234-1256  Looper    com.example.shop   W  a: b", None),
            (b"W/Looper  ( 1234): a: b", None),
            (b"11-03 10:12:00.100 W/Looper  ( 1234): a: b", None),
        ] {
            let line = Line { at, pid: 1234, tag: b"Looper", message: b"a: b" };
            assert_eq!(read_line(text), Some(line), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn what_is_no_line_is_none() {
        for text in [
            &b"--------- beginning of main"[..],
            b"",
            b"farmjank-log lines",
            b"12.345",
            b"12.345 1 2 W",
            b"12.345 1 2 WW Looper: x",
            b"99999999999.0 1 2 W Looper: x",
            b"-1.5 1 2 W Looper: x",
            b"W/Looper: x",
        ] {
            assert_eq!(read_line(text), None, "{}", String::from_utf8_lossy(text));
        }
    }
}
