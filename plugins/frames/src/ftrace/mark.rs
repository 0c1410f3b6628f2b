//! The text of a mark that an app or a service writes: `B|pid|name`, `E|pid`, `S|pid|name|cookie`, `F|pid|name|cookie`,
//! `I|pid|name` for an instant, and `G|pid|track|name|cookie` on a named track. Counters are none.

use super::batch::{Batch, What};

/// Longest name kept, bytes.
const LONGEST: usize = 1024;

/// Reads a mark.
pub fn read(text: &[u8], batch: &mut Batch) -> Option<What> {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | 0)).map_or(0, |last| last + 1);
    let text = &text[..end];
    let kind = *text.first()?;
    match text.get(1) {
        None if kind == b'E' => return mark(batch, b'E', 0, &[], 0),
        Some(b'|') => {}
        _ => return None,
    }
    let mut parts = text[2..].splitn(2, |byte| *byte == b'|');
    let tgid = number(parts.next()?)? as i32;
    let rest = parts.next().unwrap_or_default();
    match kind {
        b'B' | b'I' => mark(batch, kind, tgid, rest, 0),
        b'E' => mark(batch, b'E', tgid, &[], 0),
        b'S' | b'F' => {
            let (name, cookie) = before_last(rest)?;
            mark(batch, kind, tgid, name, number(cookie)?)
        }
        b'G' => {
            let (track_and_name, cookie) = before_last(rest)?;
            let name = track_and_name.splitn(2, |byte| *byte == b'|').nth(1)?;
            mark(batch, b'S', tgid, name, number(cookie)?)
        }
        _ => None,
    }
}

fn mark(batch: &mut Batch, kind: u8, tgid: i32, name: &[u8], cookie: i64) -> Option<What> {
    Some(What::Mark { kind, tgid, name: batch.keep(name, LONGEST), cookie })
}

/// Names may hold bars: the cookie is what follows the last one.
fn before_last(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let bar = text.iter().rposition(|byte| *byte == b'|')?;
    Some((&text[..bar], &text[bar + 1..]))
}

fn number(digits: &[u8]) -> Option<i64> {
    std::str::from_utf8(digits).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &[u8]) -> Option<(u8, i32, String, i64)> {
        let mut batch = Batch::default();
        match read(text, &mut batch)? {
            What::Mark { kind, tgid, name, cookie } => {
                Some((kind, tgid, String::from_utf8_lossy(batch.text(name)).into_owned(), cookie))
            }
            _ => None,
        }
    }

    #[test]
    fn every_form_of_a_mark_is_read() {
        let some = |kind, tgid, name: &str, cookie| Some((kind, tgid, name.to_owned(), cookie));
        assert_eq!(told(b"B|7|a|b c\n\0"), some(b'B', 7, "a|b c", 0));
        assert_eq!(told(b"E|7\n"), some(b'E', 7, "", 0));
        assert_eq!(told(b"E"), some(b'E', 0, "", 0));
        assert_eq!(told(b"S|7|load|er|-3"), some(b'S', 7, "load|er", -3));
        assert_eq!(told(b"I|7|now"), some(b'I', 7, "now", 0));
        assert_eq!(told(b"G|7|track|load|4"), some(b'S', 7, "load", 4));
        for none in
            [&b""[..], b"C|7|x|1", b"N|7|x|y", b"B", b"Bx", b"B|x|y", b"S|7|x", b"\n\0", b"tracing_mark"]
        {
            assert_eq!(told(none), None, "{none:?}");
        }
    }
}
