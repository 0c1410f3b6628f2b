//! What the phone's own log says beside the frames: the main thread's stalls, with or without a frame.
//!
//! What: messages of the app's main thread that ran too long, and the platform's own complaints. Formulas below. Unit:
//! count, ms. Better: lower. Needs: the log of the window; slow messages also need the platform's watch enabled before
//! the process began. Since Android 9 (slow messages), 7 (the rest). Source: `Looper`, `Choreographer` and HWUI log
//! tags; 700 ms is Matrix's evil method, 80 ms its neighbours' stall threshold
//! (docs/design/metrics.md#main-thread-and-log).

use crate::logcat_events::{LogEntry, LogEvent, LogWatch};
use crate::metric::{Better, Cell, Metric, Needs, Reading, Refusal, Unit};
use crate::time::{DeviceTime, Span};
use crate::window::Window;
use std::collections::BTreeMap;

/// Messages from this length on are slow, ms. The platform logs them when enabled with the same threshold.
pub(crate) const SLOW_MESSAGE_MS: i64 = 80;
/// Messages from this length on are evil, ms.
pub(crate) const EVIL_MESSAGE_MS: i64 = 700;
/// Thread whose messages count.
const MAIN: &str = "main";
/// Most messages a table lists; counts and sums know all.
const LISTED: usize = 1_000;

/// One slow message of the main thread.
struct Slow<'a> {
    /// When it began.
    began: DeviceTime,
    took: Span,
    handler: &'a str,
    callback: &'a str,
}

fn log(window: &Window) -> Result<&LogWatch, Refusal> {
    window.beside.log.as_ref().ok_or_else(|| "the phone's log was not read in this window".into())
}

/// Messages of at least `least` ms, in order of the log.
fn slow(log: &LogWatch, least: i64) -> Result<Vec<Slow<'_>>, Refusal> {
    let Some(threshold) = log.slow_ms else {
        let why = log.not_enabled.clone();
        return Err(
            why.map_or_else(|| "the platform's watch on slow messages was not enabled".into(), Refusal::from)
        );
    };
    if i64::from(threshold) > least {
        return Err(
            format!("the phone logs messages from {threshold} ms on, this counts from {least} ms").into()
        );
    }
    let messages = log.entries.iter().filter_map(|entry| match &entry.what {
        LogEvent::SlowMessage { took, thread, handler, callback }
            if thread == MAIN && *took >= Span::from_ms(least) =>
        {
            Some(Slow { began: entry.at - *took, took: *took, handler, callback })
        }
        _ => None,
    });
    Ok(messages.collect())
}

fn table(window: &Window, least: i64) -> Reading {
    let listed = log(window).and_then(|log| {
        let begin = log.span.map(|(from, _)| from);
        let rows = slow(log, least)?.into_iter().take(LISTED).map(|message| {
            let mut row = BTreeMap::from([
                ("handler".to_owned(), Cell::Text(message.handler.to_owned())),
                ("callback".to_owned(), Cell::Text(message.callback.to_owned())),
                ("ms".to_owned(), Cell::Number(message.took.ms())),
            ]);
            if let Some(begin) = begin {
                row.insert("at_ms".to_owned(), Cell::Number((message.began - begin).ms()));
            }
            row
        });
        Ok(rows.collect())
    });
    listed.map_or_else(Reading::from, Reading::Table)
}

fn value(window: &Window, value: impl FnOnce(&LogWatch) -> Result<f64, Refusal>) -> Reading {
    log(window).and_then(value).map_or_else(Reading::from, Reading::Value)
}

/// Time of the window in which a slow message ran: what lies before its beginning is not of this window.
fn blocked(log: &LogWatch) -> Result<f64, Refusal> {
    let begin = log.span.map(|(from, _)| from);
    let inside = |message: Slow<'_>| match begin {
        Some(begin) => (message.began + message.took - begin.max(message.began)).max(Span::ZERO).ms(),
        None => message.took.ms(),
    };
    Ok(slow(log, SLOW_MESSAGE_MS)?.into_iter().map(inside).sum())
}

fn sum(log: &LogWatch, each: fn(&LogEntry) -> u64) -> Result<f64, Refusal> {
    Ok(log.entries.iter().map(|entry| each(entry) as f64).sum())
}

macro_rules! logged {
    ($($name:ident $key:literal $unit:ident $since:literal $about:literal $formula:literal $origin:literal $measure:expr;)*) => {$(
        #[doc = $about]
        pub static $name: Metric = Metric {
            key: $key,
            unit: Unit::$unit,
            better: Better::Lower,
            needs: Needs::Log,
            about: $about,
            formula: $formula,
            since: $since,
            origin: $origin,
            measure: $measure,
        };
    )*};
}

logged! {
    SLOW_MESSAGES "slow_messages" Count 9
        "messages that blocked the app's main thread for 80 ms or more, frames or not"
        "list of {handler, callback, ms, at_ms}: took >= 80 ms, at_ms its beginning since the window's; at most 1000"
        "Android's own Looper log with log.looper.<uid>.main.slow = 80, set before the app started and restored after"
        |window| table(window, SLOW_MESSAGE_MS);
    EVIL_MESSAGES "evil_messages" Count 9
        "messages that blocked the app's main thread for 700 ms or more"
        "list of {handler, callback, ms, at_ms}: took >= 700 ms, at_ms its beginning since the window's; at most 1000"
        "the threshold of Matrix's evil methods, applied to Android's own Looper log; names the message, not the method"
        |window| table(window, EVIL_MESSAGE_MS);
    SLOW_MESSAGE_COUNT "slow_message_count" Count 9
        "how many messages blocked the app's main thread for 80 ms or more"
        "count of messages with took >= 80 ms"
        "Android's own Looper log"
        |window| value(window, |log| Ok(slow(log, SLOW_MESSAGE_MS)?.len() as f64));
    EVIL_MESSAGE_COUNT "evil_message_count" Count 9
        "how many messages blocked the app's main thread for 700 ms or more"
        "count of messages with took >= 700 ms"
        "the threshold of Matrix's evil methods, applied to Android's own Looper log"
        |window| value(window, |log| Ok(slow(log, EVIL_MESSAGE_MS)?.len() as f64));
    MAIN_THREAD_BLOCKED_MS "main_thread_blocked_ms" Ms 9
        "time of the window in which the app's main thread was inside a message of 80 ms or more, whether it drew or not"
        "sum of took over messages >= 80 ms, cut at the beginning of the window"
        "Android's own Looper log; sees the stall of a page on which nothing is drawn, which no frame count can"
        |window| value(window, blocked);
    DAVEY_COUNT "davey_count" Count 7
        "renders of 700 ms or more that HWUI complained about"
        "count of `Davey!` lines"
        "HWUI's log; render time from intended vsync to completion, not time on screen (compare frozen_frames)"
        |window| value(window, |log| sum(log, |entry| u64::from(matches!(entry.what, LogEvent::Davey { .. }))));
    CHOREOGRAPHER_SKIPPED_FRAMES "choreographer_skipped_frames" Count 7
        "frames Choreographer says it skipped because the main thread came late; only runs of 30 and more are logged"
        "sum of N over `Skipped N frames!`"
        "Choreographer's log (debug.choreographer.skipwarning, 30 unless set); shorter runs are not in it"
        |window| value(window, |log| sum(log, |entry| match entry.what {
            LogEvent::SkippedFrames(frames) => u64::from(frames),
            _ => 0,
        }));
}

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, window};
    use super::*;
    use crate::metrics::measure_all;
    use crate::readings::Readings;

    fn message(at_ms: i64, took_ns: i64, thread: &str) -> LogEntry {
        let what = LogEvent::SlowMessage {
            took: Span::from_ns(took_ns),
            thread: thread.to_owned(),
            handler: "android.os.Handler".to_owned(),
            callback: "com.a.Sync@1f".to_owned(),
        };
        LogEntry { at: DeviceTime::from_ns(at_ms * MS), pid: 7, what }
    }

    fn readings(entries: Vec<LogEntry>) -> Readings {
        let mut window = window(P60, &[]);
        let span = Some((DeviceTime::from_ns(1_000 * MS), DeviceTime::from_ns(9_000 * MS)));
        window.beside.log = Some(LogWatch { entries, span, slow_ms: Some(80), ..LogWatch::default() });
        measure_all(&window)
    }

    #[test]
    fn a_message_is_slow_from_80_ms_and_evil_from_700_ms_on() {
        for (took, slow, evil) in [
            (80 * MS - 1, 0.0, 0.0),
            (80 * MS, 1.0, 0.0),
            (80 * MS + 1, 1.0, 0.0),
            (700 * MS - 1, 1.0, 0.0),
            (700 * MS, 1.0, 1.0),
            (700 * MS + 1, 1.0, 1.0),
        ] {
            let readings = readings(vec![message(5_000, took, "main")]);
            assert_eq!(readings["slow_message_count"], Reading::Value(slow), "{took}");
            assert_eq!(readings["evil_message_count"], Reading::Value(evil), "{took}");
            let listed = |key: &str| match &readings[key] {
                Reading::Table(rows) => rows.len() as f64,
                other => panic!("{other:?}"),
            };
            assert_eq!((listed("slow_messages"), listed("evil_messages")), (slow, evil), "{took}");
        }
    }

    #[test]
    fn a_message_is_told_with_its_handler_callback_length_and_beginning() {
        let readings = readings(vec![message(2_000, 900 * MS, "main"), message(3_000, 100 * MS, "worker")]);
        let Reading::Table(rows) = &readings["evil_messages"] else { panic!("{readings:?}") };
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["handler"], Cell::Text("android.os.Handler".to_owned()));
        assert_eq!(rows[0]["callback"], Cell::Text("com.a.Sync@1f".to_owned()));
        assert_eq!((&rows[0]["ms"], &rows[0]["at_ms"]), (&Cell::Number(900.0), &Cell::Number(100.0)));
        assert_eq!(readings["slow_message_count"], Reading::Value(1.0), "other threads may be slow");
    }

    #[test]
    fn blocked_time_is_cut_at_the_beginning_of_the_window() {
        let readings = readings(vec![
            message(900, 500 * MS, "main"),
            message(1_300, 500 * MS, "main"),
            message(4_000, 200 * MS, "main"),
            message(5_000, 79 * MS, "main"),
        ]);
        assert_eq!(readings["main_thread_blocked_ms"], Reading::Value(300.0 + 200.0));
    }

    #[test]
    fn the_platform_s_own_complaints_are_counted() {
        let at = DeviceTime::from_ns(2_000 * MS);
        let davey = LogEvent::Davey { took: Span::from_ms(812), intended: None, vsync_id: None };
        let readings = readings(vec![
            LogEntry { at, pid: 7, what: davey },
            LogEntry { at, pid: 7, what: LogEvent::SkippedFrames(49) },
            LogEntry { at, pid: 7, what: LogEvent::SkippedFrames(155) },
        ]);
        assert_eq!(readings["davey_count"], Reading::Value(1.0));
        assert_eq!(readings["choreographer_skipped_frames"], Reading::Value(204.0));
        assert_eq!(readings["main_thread_blocked_ms"], Reading::Value(0.0));
    }

    #[test]
    fn a_watch_that_was_not_armed_is_no_zero_and_leaves_the_rest() {
        let mut window = window(P60, &[]);
        let not_enabled = Some("the app was started before".to_owned());
        window.beside.log = Some(LogWatch { not_enabled, ..LogWatch::default() });
        let before = measure_all(&window);
        for key in ["slow_messages", "evil_messages", "slow_message_count", "evil_message_count"] {
            assert_eq!(before[key], Reading::Unmeasurable("the app was started before".into()), "{key}");
        }
        assert_eq!(before["main_thread_blocked_ms"].value(), None);
        assert_eq!(before["davey_count"], Reading::Value(0.0));
        window.beside.log = Some(LogWatch { slow_ms: Some(200), ..LogWatch::default() });
        let coarse = measure_all(&window);
        assert!(
            matches!(&coarse["slow_message_count"], Reading::Unmeasurable(why) if why.contains("200 ms"))
        );
        assert_eq!(coarse["evil_message_count"], Reading::Value(0.0));
    }
}
