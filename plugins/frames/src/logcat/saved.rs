//! Reads a log somebody saved: any format, the whole file, one app or all of them.
//!
//! A saved log does not tell from which length on the phone logged slow messages; the shortest one in it does as far as
//! it goes: where a process logged one of 83 ms, longer ones of it would be there too. Times are CLOCK_MONOTONIC where
//! the format has them. Must not know: windows, metrics.

use super::line::Headed;
use super::story::Story;
use crate::text::{decode, lines, shown, whole_integer};
use farmjank_results::logcat_events::{LogEntry, LogEvent, LogWatch};
use farmjank_results::time::DeviceTime;
use farmjank_seams::source::Unreadable;
use std::collections::{BTreeMap, BTreeSet};

/// Thread whose slow messages tell the threshold.
const MAIN: &str = "main";
/// Most processes of one app kept track of.
const MOST_PIDS: usize = 1_000;

/// What a whole log says, of one app or of all.
///
/// The span is that of its lines where they carry CLOCK_MONOTONIC (`-v monotonic`); other formats give entries at zero,
/// in the order of the file.
///
/// # Errors
/// [`Unreadable::Garbled`] when it is no log, [`Unreadable::Missing`] when nothing tells which process is the app's.
pub fn read_saved(text: &[u8], app: Option<&str>) -> Result<LogWatch, Unreadable> {
    let text = decode(text);
    let mut story = Story::new(app, BTreeSet::new());
    let mut known = BTreeSet::new();
    let mut read = 0_u64;
    let mut at = DeviceTime::from_ns(0);
    let mut first = None;
    let mut headed = Headed::default();
    for raw in lines(&text) {
        let Some(line) = headed.read(raw) else { continue };
        read += 1;
        // A line without a stamp is as late as the one before it.
        at = line.at.unwrap_or(at);
        first = first.or(line.at);
        if app.is_some_and(|app| prints(raw, app)) && known.len() < MOST_PIDS {
            known.insert(line.pid);
        }
        story.line(&line, at);
    }
    story.pids.extend(known);
    if read == 0 {
        let why = "no line of it tells who logged it: it is no log, or one saved with `-v raw`; save it with `-v threadtime`";
        return Err(Unreadable::Garbled(why.to_owned()));
    }
    if let Some(app) = app.filter(|_| story.pids.is_empty()) {
        return Err(Unreadable::Missing(format!(
            "nothing in the log tells which process is that of \"{}\": it does not show it starting; leave --package out to \
             count all processes",
            shown(app.as_bytes())
        )));
    }
    Ok(finished(story, first.map(|first| (first, at))))
}

fn finished(story: Story<'_>, span: Option<(DeviceTime, DeviceTime)>) -> LogWatch {
    let mut doubts = Vec::new();
    if story.expired > 0 {
        doubts.push(format!("the log dropped {} lines", story.expired));
    }
    if story.overfull {
        doubts.push("more was logged than is kept".to_owned());
    }
    let entries = story.finish();
    let slow_ms = threshold(&entries);
    let not_enabled = slow_ms.is_none().then(|| {
        "the log holds no slow message of a main thread, and does not tell whether the phone watched for them \
         (property log.looper.<uid>.main.slow)"
            .to_owned()
    });
    LogWatch { entries, span, slow_ms, not_enabled, doubts }
}

/// The threshold that surely was in force for every process that logged a slow message, ms.
fn threshold(entries: &[LogEntry]) -> Option<u32> {
    let mut shortest: BTreeMap<i32, f64> = BTreeMap::new();
    for entry in entries {
        if let LogEvent::SlowMessage { took, thread, .. } = &entry.what
            && thread == MAIN
        {
            let least = shortest.entry(entry.pid).or_insert(f64::INFINITY);
            *least = least.min(took.ms());
        }
    }
    shortest.values().copied().reduce(f64::max).map(|ms| ms.ceil() as u32)
}

/// Whether a line of Android Studio's format names the app: `date time pid-tid tag package level message`.
fn prints(line: &[u8], app: &str) -> bool {
    let mut words = line.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).skip(2);
    let ids = words.next().unwrap_or_default();
    let of_threads = ids.iter().position(|&byte| byte == b'-').is_some_and(|dash| {
        whole_integer(&ids[..dash]).is_some() && whole_integer(&ids[dash + 1..]).is_some()
    });
    of_threads && words.nth(1) == Some(app.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOG: &str = "--------- beginning of main\n\
        10.000  11  11 I am_proc_start: [0,4711,10001,com.a,activity,{x}]\n\
        10.500  4711  4711 I Choreographer: Skipped 40 frames!  The application\n\
        11.000  4711  4711 W Looper  : Slow dispatch took 83ms main h=H c=null m=1\n\
        11.500  4711  4711 W Looper  : Slow dispatch took 900ms main h=H c=null m=1\n\
        12.000  99  99 I HWUI    : Davey! duration=800ms; Flags=1\n";

    #[test]
    fn one_app_or_all_of_them() {
        let all = read_saved(LOG.as_bytes(), None).unwrap();
        assert_eq!((all.entries.len(), all.slow_ms, all.not_enabled), (4, Some(83), None));
        assert_eq!(
            all.span,
            Some((DeviceTime::from_ns(10_000_000_000), DeviceTime::from_ns(12_000_000_000)))
        );
        let own = read_saved(LOG.as_bytes(), Some("com.a")).unwrap();
        assert!(own.entries.len() == 3 && own.entries.iter().all(|entry| entry.pid == 4711));
        assert!(matches!(read_saved(LOG.as_bytes(), Some("com.b")), Err(Unreadable::Missing(_))));
        assert!(matches!(read_saved(b"hello\n", None), Err(Unreadable::Garbled(_))));
    }

    #[test]
    fn the_threshold_is_known_only_as_far_as_slow_messages_tell() {
        let none = read_saved(b"I/Choreographer(7): Skipped 49 frames!  x\n", None).unwrap();
        assert_eq!((none.slow_ms, none.span, none.entries.len()), (None, None, 1));
        assert!(none.not_enabled.is_some());
        // Two processes: what the less talkative one says holds for both.
        let two = "I/x(1): y\nW/Looper(1): Slow dispatch took 80ms main h=H c=null m=1\n\
                   W/Looper(2): Slow dispatch took 200ms main h=H c=null m=1\n";
        assert_eq!(read_saved(two.as_bytes(), None).unwrap().slow_ms, Some(200));
    }

    #[test]
    fn studio_lines_name_their_app() {
        let line = "2025-08-08 11:37:31.050 32679-32702 HWUI    com.a   I  Davey! duration=1450ms; Flags=1\n";
        assert_eq!(read_saved(line.as_bytes(), Some("com.a")).unwrap().entries.len(), 1);
        assert!(read_saved(line.as_bytes(), Some("com.ab")).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), one in any::<bool>()) {
            let _ = read_saved(&bytes, one.then_some("com.a"));
        }
    }
}
