//! What kind of thing a saved file is, by its beginning alone, before all of it is read.
//!
//! Must not know: how any kind is read. A trace may be larger than memory: it is told apart by its first bytes.

use super::SEARCHED;
use crate::gfxinfo::{FENCE, PROCESS, TITLE};
use crate::logcat::Headed;
use crate::text::{decode, lines, whole_integer};
use farmjank_results::frame::SourceId;

/// Lines of text looked at to tell a log: a log has few lines that are none.
const LOG_LINES: usize = 40;
/// What lines of a timestats dump begin with, and no other text does.
const COUNTS: [&[u8]; 4] = [
    b"SurfaceFlinger TimeStats:",
    b"Legacy stats are as follows:",
    b"layerName = ",
    b"displayRefreshRate = ",
];

/// The source a file is from, by its first bytes (64 KiB are enough). None for a text farmjank does not read.
///
/// A log in any format of `logcat`, a Perfetto trace, `--timestats`, `--latency` and gfxinfo with or without framestats
/// are known.
pub fn kind(beginning: &[u8]) -> Option<SourceId> {
    let head = &beginning[..beginning.len().min(SEARCHED)];
    if is_trace(head) {
        return Some(SourceId::FrameTimeline);
    }
    super::binary(head).is_none().then(|| of_text(&decode(head))).flatten()
}

/// The source a text is from.
pub(super) fn of_text(text: &[u8]) -> Option<SourceId> {
    let head = &text[..text.len().min(SEARCHED)];
    let any = |known: &[&[u8]]| lines(head).any(|line| known.iter().any(|known| line.starts_with(known)));
    if any(&[FENCE, PROCESS, TITLE, b"Flags,", b"No process found for:"]) {
        return Some(SourceId::Gfxinfo);
    }
    if any(&COUNTS) {
        return Some(SourceId::TimeStats);
    }
    let telling = |line: &&[u8]| !line.trim_ascii().is_empty() && !crate::refusal::noise(line);
    if lines(head).find(telling).is_some_and(|first| whole_integer(first).is_some()) {
        return Some(SourceId::SurfaceFlinger);
    }
    is_log(head).then_some(SourceId::Logcat)
}

/// Half of the first lines at least are lines of a log.
fn is_log(head: &[u8]) -> bool {
    let mut of_log = 0;
    let mut all = 0;
    let mut headed = Headed::default();
    for line in lines(head).filter(|line| !line.trim_ascii().is_empty()).take(LOG_LINES) {
        all += 1;
        of_log += usize::from(line.starts_with(b"--------- ") || headed.read(line).is_some());
    }
    all > 0 && of_log * 2 >= all
}

/// Messages a log is read for, as they begin.
const MESSAGES: [&[u8]; 5] =
    [b"Skipped ", b"Davey! duration=", b"Slow dispatch took ", b"Slow delivery took ", b"am_proc_start: ["];

/// Lines of a log without their heads (`logcat -v raw`): what `--------- beginning of` heads, or a message that is
/// looked for, and not one line that tells who logged it.
pub(super) fn is_raw_log(head: &[u8]) -> bool {
    let mut headed = Headed::default();
    let begins = |line: &[u8]| {
        line.starts_with(b"--------- beginning of ")
            || MESSAGES.iter().any(|message| line.starts_with(message))
    };
    lines(head).any(begins) && !lines(head).any(|line| headed.read(line).is_some())
}

/// A list of packets, each field 1 and length-delimited. A text may begin with a blank line, the same byte, but holds
/// no control bytes, and a packet has them within its first fields.
pub(super) fn is_trace(head: &[u8]) -> bool {
    let control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    head.first() == Some(&0x0a) && head[..head.len().min(8192)].iter().any(control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_told_by_its_beginning() {
        for (text, source) in [
            (&b"16666666\n1 2 3\n"[..], Some(SourceId::SurfaceFlinger)),
            (b"\n\n8333333\n", Some(SourceId::SurfaceFlinger)),
            (b"Applications Graphics Acceleration Info:\n", Some(SourceId::Gfxinfo)),
            (b"Flags,IntendedVsync,\n", Some(SourceId::Gfxinfo)),
            (b"SurfaceFlinger TimeStats:\nstatsStart = 1\n", Some(SourceId::TimeStats)),
            (b"displayRefreshRate = 60 fps\nlayerName = a\n", Some(SourceId::TimeStats)),
            (b"--------- beginning of main\nI/HWUI(1): x\n", Some(SourceId::Logcat)),
            (b"04-01 01:55:01.572  1012  1077 I HWUI: Davey! duration=1ms;\n", Some(SourceId::Logcat)),
            (b"\x0a\x06\x18\x01\x40\x05\x50\x01", Some(SourceId::FrameTimeline)),
            (b"\x0a\x00", Some(SourceId::FrameTimeline)),
            (b"\nhello\n", None),
            (b"", None),
            (b"\x89PNG\x00", None),
            (b"WINDOW MANAGER WINDOWS\n  layerName = x\n", None),
        ] {
            assert_eq!(kind(text), source, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn messages_without_heads_are_a_raw_log() {
        for raw in [
            &b"--------- beginning of main\nhello\nworld\n"[..],
            b"hello\nSkipped 40 frames!  The application may be doing too much work.\nworld\n",
            b"Slow dispatch took 80ms main h=H c=null m=1\n",
        ] {
            assert!(is_raw_log(raw), "{}", String::from_utf8_lossy(raw));
        }
        for other in
            [&b"--------- beginning of main\nhello\nI/HWUI(1): x\n"[..], b"hello\nI said Skipped 4\n", b""]
        {
            assert!(!is_raw_log(other), "{}", String::from_utf8_lossy(other));
        }
    }

    #[test]
    fn a_text_with_a_log_line_somewhere_is_no_log() {
        let text = b"one\ntwo\nthree\nI/HWUI(1): Davey! duration=900ms;\n";
        assert_eq!(kind(text), None);
    }
}
