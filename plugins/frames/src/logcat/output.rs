//! Reads what begin and end printed: the state of the watch, the marks in the log, and the lines between them.
//!
//! Says what may be missing: a ring that overflowed, lines the log dropped, a watch that could not see the process.
//! Must not know: metrics. Times are CLOCK_MONOTONIC.

use super::line::{Line, read_line};
use super::script::{MARK, MOST_LINES, TAG};
use super::story::Story;
use crate::text::{decode, lines, whole_integer};
use farmjank_results::logcat_events::LogWatch;
use farmjank_results::time::{ClockMap, DeviceTime};
use farmjank_seams::probe::ProbeOutput;
use farmjank_seams::source::Unreadable;
use std::collections::BTreeSet;

/// The watch as it was when the window began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Watch {
    /// Threshold in force, ms.
    slow_ms: Option<u32>,
    /// It was enabled: something is kept of it.
    enabled: bool,
    /// Processes that were alive when it was enabled.
    before: BTreeSet<i32>,
    /// Processes alive when the window began.
    pids: BTreeSet<i32>,
    nonce: Vec<u8>,
}

/// The lines of the log and what was printed beside them.
#[derive(Clone, Debug, Default)]
struct Printed<'a> {
    pids: BTreeSet<i32>,
    /// Oldest stamp of the main and the system ring.
    oldest: [Option<DeviceTime>; 2],
    lines: Vec<Line<'a>>,
    /// As many lines as were asked for at most.
    full: bool,
    whole: bool,
}

/// Reads what was printed. Error: [`Unreadable::Garbled`] when it is none, [`Unreadable::Refused`] when the log was not
/// given.
pub(super) fn read(output: &ProbeOutput, app: &str, clock: Option<ClockMap>) -> Result<LogWatch, Unreadable> {
    let text = decode(&output.bytes);
    let printed = printed(&text);
    if !printed.whole {
        return Err(Unreadable::Garbled("the log of the window was not printed to its end".to_owned()));
    }
    let watch = watch(&output.mark);
    let mark = |word: &str| marked(&printed.lines, word, &watch.nonce);
    let instant = |boot| clock.zip(boot).map(|(map, boot)| map.to_device(boot));
    let (began, ended) = (mark("begin"), mark("end"));
    let from = began.or_else(|| instant(output.began));
    let to = ended.or_else(|| instant(output.ended));
    let mut story = Story::new(Some(app), watch.pids.union(&printed.pids).copied().collect());
    for line in &printed.lines {
        match line.at {
            Some(at) if from.is_some_and(|from| at < from) => story.earlier(line),
            Some(at) if to.is_none_or(|to| at <= to) => story.line(line, at),
            _ => {}
        }
    }
    let mut doubts = lost(&printed, from, began.is_some());
    if story.expired > 0 {
        doubts.push(format!("the log dropped {} lines of the app", story.expired));
    }
    if story.overfull {
        doubts.push("more was logged than is kept".to_owned());
    }
    if story.pids.is_empty() {
        doubts.push(format!("no process of \"{}\" was seen", crate::text::shown(app.as_bytes())));
    }
    let not_enabled = not_enabled(&watch, &printed.pids);
    let slow_ms = watch.slow_ms.filter(|_| not_enabled.is_none());
    Ok(LogWatch { entries: story.finish(), span: from.zip(to), slow_ms, not_enabled, doubts })
}

/// Why lines of the window may be missing.
fn lost(printed: &Printed<'_>, from: Option<DeviceTime>, marked: bool) -> Vec<String> {
    let Some(from) = from else {
        return vec!["nothing tells where in the log the window began".to_owned()];
    };
    let mut doubts = Vec::new();
    let younger = |oldest: Option<DeviceTime>| oldest.is_some_and(|oldest| oldest > from);
    let [main, system] = printed.oldest;
    // The mark itself is in the main ring: while it is there, so is everything after it.
    if !marked && (main.is_none() || younger(main)) {
        doubts.push("the main log overflowed: its lines of the beginning of the window are gone".to_owned());
    }
    if younger(system) {
        doubts
            .push("the system log overflowed: its lines of the beginning of the window are gone".to_owned());
    }
    if printed.full && printed.lines.first().and_then(|line| line.at).is_some_and(|first| first > from) {
        doubts.push(format!("more than {MOST_LINES} lines were logged"));
    }
    doubts
}

/// Why slow messages were not watched; none when they were.
fn not_enabled(watch: &Watch, after: &BTreeSet<i32>) -> Option<String> {
    if !watch.enabled {
        return Some(
            "the platform's watch on slow messages was not enabled (Android 9 and newer have one)".to_owned(),
        );
    }
    if watch.slow_ms.is_none() {
        return Some("this build does not let the shell set log.looper properties".to_owned());
    }
    if watch.pids.union(after).any(|pid| watch.before.contains(pid)) {
        return Some(
            "not enabled for this process: it was started before; start the app in the scenario with \
             launchApp: { cold: true }"
                .to_owned(),
        );
    }
    None
}

/// Where the log itself carries a mark.
fn marked(lines: &[Line<'_>], word: &str, nonce: &[u8]) -> Option<DeviceTime> {
    let wanted = [word.as_bytes(), b" ", nonce].concat();
    let ours = |line: &&Line<'_>| line.tag == TAG.as_bytes() && line.message.trim_ascii_end() == wanted;
    lines.iter().filter(ours).find_map(|line| line.at)
}

fn watch(mark: &[u8]) -> Watch {
    let mut watch = Watch::default();
    for line in lines(mark) {
        let Some((word, rest)) = ours(line) else { continue };
        match word {
            b"kept" => {
                let words: Vec<&[u8]> = rest.split(|&byte| byte == b' ').collect();
                if let [_, _, before] = words.as_slice() {
                    watch.enabled = true;
                    watch.before = pids(before);
                }
            }
            b"slow" => {
                let value = whole_integer(rest).and_then(|value| u32::try_from(value).ok());
                watch.slow_ms = value.filter(|value| *value > 0);
            }
            b"pids" => watch.pids = pids(rest),
            b"nonce" => watch.nonce = rest[..rest.len().min(40)].to_vec(),
            _ => {}
        }
    }
    watch
}

fn printed(text: &[u8]) -> Printed<'_> {
    let mut printed = Printed::default();
    let mut section: &[u8] = b"";
    let mut taken = 0_usize;
    for line in lines(text) {
        if let Some((word, rest)) = ours(line) {
            match word {
                b"pids" => printed.pids = pids(rest),
                b"end" => printed.whole = true,
                _ => section = if word == b"oldest" { rest } else { word },
            }
            continue;
        }
        let ring = [&b"main"[..], b"system"].iter().position(|ring| *ring == section);
        if let Some(ring) = ring {
            printed.oldest[ring] = printed.oldest[ring].or_else(|| read_line(line).and_then(|line| line.at));
        } else if section == b"lines" {
            taken += 1;
            // No more is asked for.
            if taken <= MOST_LINES {
                printed.lines.extend(read_line(line));
            }
        }
    }
    printed.full = taken >= MOST_LINES;
    printed
}

/// `farmjank-log WORD rest`
fn ours(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_prefix(MARK.as_bytes())?.strip_prefix(b" ")?;
    let end = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
    Some((&rest[..end], rest[end..].trim_ascii()))
}

/// Process ids with blanks or commas between them; at most 1000.
fn pids(text: &[u8]) -> BTreeSet<i32> {
    let words = text.split(|&byte| matches!(byte, b' ' | b',')).filter_map(whole_integer).take(1_000);
    words.filter_map(|pid| i32::try_from(pid).ok()).filter(|pid| *pid > 0).collect()
}
