//! One line of a log, whatever format it was printed or saved in.
//!
//! Formats: `monotonic` (what the probe asks for), `threadtime`, `brief`, `time`, `process`, `thread`, `tag`, the lines
//! of `long` ([`Headed`]), that of Android Studio, each with what `-v` adds: `color`, `epoch`, `uid`, `usec`, `year`,
//! `zone`. `raw` has no tags: its lines are none. Must not know: what tags mean.

use crate::text::integer;
use farmjank_results::time::DeviceTime;

/// Longest line that is looked at, bytes; logd cuts messages at 4 KB.
const LONGEST: usize = 16 * 1024;

/// No phone runs for so long without a boot: ten years, ns.
const LONGEST_UPTIME: i64 = 315_000_000_000_000_000;
/// Tags whose lines are told apart where nothing else tells that a text is a log.
const TAGS: [&[u8]; 6] =
    [b"Looper", b"Choreographer", b"HWUI", b"OpenGLRenderer", b"ActivityManager", b"AndroidRuntime"];

/// A line, cut into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// CLOCK_MONOTONIC; only `-v monotonic` tells it.
    pub at: Option<DeviceTime>,
    /// Process that logged it; 0 where the format does not tell (`-v tag`).
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
    let text = bare(line.trim_ascii_start());
    stamped(text).or_else(|| brief(text)).or_else(|| process(text)).or_else(|| tag(text))
}

/// Without the colours of `-v color` around it.
fn bare(text: &[u8]) -> &[u8] {
    let Some(rest) = text.strip_prefix(b"\x1b[") else { return text };
    let Some(end) = rest.iter().take(16).position(|byte| *byte == b'm') else { return text };
    let text = rest[end + 1..].trim_ascii_start();
    text.strip_suffix(b"\x1b[0m").unwrap_or(text)
}

/// Lines of `-v long`: a head of its own line, then the message.
#[derive(Default)]
pub struct Headed<'a> {
    head: Option<Line<'a>>,
}

impl<'a> Headed<'a> {
    /// The next line of a log in any format; none when it is a head, or no line of a log.
    pub fn read(&mut self, line: &'a [u8]) -> Option<Line<'a>> {
        let text = bare(line.trim_ascii());
        if let Some(head) = text.strip_prefix(b"[ ").and_then(|rest| rest.strip_suffix(b" ]")).and_then(head)
        {
            self.head = Some(head);
            return None;
        }
        match self.head {
            // A message may have several lines; a blank one ends it.
            Some(_) if text.is_empty() || text.starts_with(b"---") => {
                self.head = None;
                None
            }
            Some(head) => Some(Line { message: text, ..head }),
            None => read_line(line),
        }
    }
}

/// `11-03 10:12:00.100  1234: 1256 W/Looper   `, between the brackets of `-v long`.
fn head(text: &[u8]) -> Option<Line<'_>> {
    let (first, rest) = word(text)?;
    let (at, rest) = match seconds(first) {
        Some(at) => (stamp(at), rest),
        None => {
            let (second, rest) = word(rest)?;
            (first.contains(&b'-') && second.contains(&b':')).then_some(())?;
            (None, zoned(rest))
        }
    };
    let ids = rest;
    let tagged = crate::text::find(rest, b"/")?;
    let ids = &ids[..tagged.checked_sub(1)?];
    let tag = rest[tagged + 1..].trim_ascii();
    b"VDIWEFS".contains(&rest[tagged - 1]).then_some(())?;
    Some(Line { at, pid: process_of(ids)?, tag, message: b"" })
}

/// The process of `1234`, `1234: 1256`, or `10234: 1234: 1256` with the user before it (`-v uid`).
fn process_of(ids: &[u8]) -> Option<i32> {
    let parts: Vec<&[u8]> = ids.split(|byte| *byte == b':').map(<[u8]>::trim_ascii).collect();
    let place = match parts.len() {
        1 | 2 => 0,
        3 => 1,
        _ => return None,
    };
    let (pid, rest) = number(parts[place])?;
    rest.is_empty().then_some(pid)
}

/// Without the zone of `-v zone`.
fn zoned(text: &[u8]) -> &[u8] {
    match word(text) {
        Some(([b'+' | b'-', digits @ ..], rest)) if digits.iter().all(u8::is_ascii_digit) => rest,
        _ => text,
    }
}

/// A stamp of `-v monotonic`. Those of `-v epoch` look alike and are of another clock.
fn stamp(at: DeviceTime) -> Option<DeviceTime> {
    Some(at).filter(|at| at.ns() < LONGEST_UPTIME)
}

/// `I( 1234) message  (Tag)` or `I( 1234: 1256) message`
fn process(text: &[u8]) -> Option<Line<'_>> {
    let [level, b'(', rest @ ..] = text else { return None };
    let (ids, message) = cut(rest, b") ").filter(|_| b"VDIWEFS".contains(level))?;
    let pid = process_of(ids)?;
    let tagged = message.strip_suffix(b")").and_then(|text| {
        let at = text.windows(3).rposition(|bytes| bytes == b"  (")?;
        Some((&text[..at], &text[at + 3..]))
    });
    let (message, tag) = tagged.unwrap_or((message, b""));
    Some(Line { at: None, pid, tag: tag.trim_ascii(), message })
}

/// `I/Tag     : message`: only tags that say what matters, as much else looks like this.
fn tag(text: &[u8]) -> Option<Line<'_>> {
    let [level, b'/', rest @ ..] = text else { return None };
    let (tag, message) = cut(rest, b": ").filter(|_| b"VDIWEFS".contains(level))?;
    let tag = tag.trim_ascii();
    TAGS.contains(&tag).then_some(Line { at: None, pid: 0, tag, message })
}

/// `     12.345  1234  1256 W Looper  : message`, or a date before the process id.
fn stamped(text: &[u8]) -> Option<Line<'_>> {
    let (first, rest) = word(text)?;
    if let Some(at) = seconds(first) {
        return parts(rest, stamp(at))
            .or_else(|| brief(rest.trim_ascii_start()).map(|line| Line { at: stamp(at), ..line }));
    }
    // `01-29 15:12:47.938` or `2025-08-08 11:37:31.050`
    let (second, rest) = word(rest)?;
    let dated =
        first.first().is_some_and(u8::is_ascii_digit) && first.contains(&b'-') && second.contains(&b':');
    if !dated {
        return None;
    }
    let rest = zoned(rest);
    parts(rest, None).or_else(|| studio(rest)).or_else(|| brief(rest.trim_ascii_start()))
}

/// `1234  1256 W Looper  : message`
fn parts(text: &[u8], at: Option<DeviceTime>) -> Option<Line<'_>> {
    let three = |text| {
        let (pid, rest) = number(text)?;
        let (_, rest) = number(rest)?;
        let (level, rest) = word(rest)?;
        (level.len() == 1 && b"VDIWEFS".contains(&level[0])).then_some((pid, rest))
    };
    // `-v uid` writes a user's number or name before them.
    let (pid, rest) = three(text).or_else(|| three(word(text)?.1))?;
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
    let (ids, message) = cut(rest, b"): ")?;
    // `-v uid` writes a user before the process.
    let ids = ids.iter().rposition(|byte| *byte == b':').map_or(ids, |at| &ids[at + 1..]);
    let (pid, rest) = number(ids)?;
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
            (b"\x1b[38;5;40m11-03 10:12:00.100  1234  1256 W Looper  : a: b\x1b[0m", None),
            (b"2025-11-03 10:12:00.100123 +0200  1234  1256 W Looper  : a: b", None),
            (b"1762164720.100  1234  1256 W Looper  : a: b", None),
            (b"11-03 10:12:00.100 10234  1234  1256 W Looper  : a: b", None),
            (b"11-03 10:12:00.100  root  1234  1256 W Looper  : a: b", None),
            (b"W/Looper  (10234: 1234): a: b", None),
            (b"W( 1234) a: b  (Looper)", None),
            (b"    12.345 W/Looper  ( 1234): a: b", at),
        ] {
            let line = Line { at, pid: 1234, tag: b"Looper", message: b"a: b" };
            assert_eq!(read_line(text), Some(line), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn formats_that_tell_less_give_what_they_tell() {
        let read = |text: &'static [u8]| read_line(text).map(|line| (line.pid, line.tag, line.message));
        assert_eq!(read(b"W/Looper  : a: b"), Some((0, &b"Looper"[..], &b"a: b"[..])));
        assert_eq!(read(b"W( 1234: 1256) a: b"), Some((1234, &b""[..], &b"a: b"[..])));
        assert_eq!(read(b"a: b"), None);
    }

    #[test]
    fn a_long_format_has_its_head_on_a_line_of_its_own() {
        for (head, at) in [
            (&b"[ 11-03 10:12:00.100  1234: 1256 W/Looper   ]"[..], None),
            (b"[ 11-03 10:12:00.100 +0200 10234: 1234: 1256 W/Looper ]", None),
            (b"[     12.345  1234: 1256 W/Looper   ]", Some(DeviceTime::from_ns(12_345_000_000))),
        ] {
            let mut headed = Headed::default();
            assert_eq!(headed.read(head), None);
            let line = Line { at, pid: 1234, tag: b"Looper", message: b"a: b" };
            assert_eq!(headed.read(b"a: b"), Some(line), "{}", String::from_utf8_lossy(head));
            assert_eq!((headed.read(b""), headed.read(b"a: b")), (None, None));
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
            b"W/else: x",
        ] {
            assert_eq!(read_line(text), None, "{}", String::from_utf8_lossy(text));
        }
    }
}
