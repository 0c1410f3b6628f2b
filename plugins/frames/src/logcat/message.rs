//! What the message of a line says: slow messages, skipped frames, `Davey!`.
//!
//! Must not know: who logged it, when, in which window. Text is clipped and made harmless.

use crate::text::{find, integer, shown};
use farmjank_results::logcat_events::LogEvent;
use farmjank_results::time::{DeviceTime, Span};

/// Longest stall believed, ms: a day.
const LONGEST_MS: i64 = 86_400_000;

/// What a message under this tag says, when it is one that matters and needs no other line to be understood.
pub fn read_message(tag: &[u8], message: &[u8]) -> Option<LogEvent> {
    match tag {
        b"Looper" => looper(message),
        b"Choreographer" => skipped(message),
        b"HWUI" | b"OpenGLRenderer" => davey(message),
        _ => None,
    }
}

/// `Slow dispatch took 812ms main h=android.os.Handler c=com.a.Sync$1@12ab m=0`, and the same with `delivery`.
fn looper(message: &[u8]) -> Option<LogEvent> {
    let rest = message.strip_prefix(b"Slow ")?;
    let (dispatched, rest) = match rest.strip_prefix(b"dispatch took ") {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix(b"delivery took ")?),
    };
    let (took, rest) = millis(rest)?;
    let rest = rest.strip_prefix(b"ms ")?;
    let (thread, rest) = rest.split_at(find(rest, b" h=")?);
    let rest = &rest[3..];
    let (handler, rest) = rest.split_at(find(rest, b" c=")?);
    // A callback prints itself and may print anything; the code comes last. Long lines are cut.
    let rest = &rest[3..];
    let code = rest.windows(3).rposition(|window| window == b" m=");
    let (callback, code) = rest.split_at(code.unwrap_or(rest.len()));
    let callback = match callback {
        b"null" => format!("m={}", shown(code.get(3..).unwrap_or_default())),
        class => shown(without_hash(class)),
    };
    let (thread, handler) = (shown(thread), shown(handler));
    Some(match dispatched {
        true => LogEvent::SlowMessage { took, thread, handler, callback },
        false => LogEvent::SlowDelivery { took, thread, handler, callback },
    })
}

/// `com.a.Sync$1@12ab` without the identity, which differs from run to run.
fn without_hash(class: &[u8]) -> &[u8] {
    match class.iter().rposition(|&byte| byte == b'@') {
        Some(at) if at > 0 && class.len() > at + 1 && class[at + 1..].iter().all(u8::is_ascii_hexdigit) => {
            &class[..at]
        }
        _ => class,
    }
}

/// `Skipped 49 frames!  The application may be doing too much work on its main thread.`
fn skipped(message: &[u8]) -> Option<LogEvent> {
    let rest = message.strip_prefix(b"Skipped ")?;
    let (frames, length) = integer(rest)?;
    let frames = u32::try_from(frames).ok()?;
    rest[length..].starts_with(b" frames!").then_some(LogEvent::SkippedFrames(frames))
}

/// `Davey! duration=842ms; Flags=1, FrameTimelineVsyncId=506461, IntendedVsync=4041135011929, …`, cut anywhere.
///
/// Android 12 and 13 print the values of FrameInterval and FrameStartTime under each other's names; neither is needed.
fn davey(message: &[u8]) -> Option<LogEvent> {
    let (took, rest) = millis(message.strip_prefix(b"Davey! duration=")?)?;
    rest.strip_prefix(b"ms")?;
    let intended = column(rest, b" IntendedVsync=").filter(|ns| *ns > 0).map(DeviceTime::from_ns);
    let vsync_id = column(rest, b" FrameTimelineVsyncId=").filter(|id| *id >= 0);
    Some(LogEvent::Davey { took, intended, vsync_id })
}

/// The value of a column. One without a comma behind it was cut short and is not believed.
fn column(text: &[u8], name: &[u8]) -> Option<i64> {
    let value = &text[find(text, name)? + name.len()..];
    let (number, length) = integer(value)?;
    (value.get(length) == Some(&b',')).then_some(number)
}

fn millis(text: &[u8]) -> Option<(Span, &[u8])> {
    let (ms, length) = integer(text)?;
    (0..=LONGEST_MS).contains(&ms).then(|| (Span::from_ms(ms), &text[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_messages_name_their_handler_and_what_ran() {
        let slow = |text: &str| match read_message(b"Looper", text.as_bytes()) {
            Some(LogEvent::SlowMessage { took, thread, handler, callback }) => {
                Some((took.ms() as i64, thread, handler, callback))
            }
            _ => None,
        };
        let read = |ms, thread: &str, handler: &str, callback: &str| {
            Some((ms, thread.to_owned(), handler.to_owned(), callback.to_owned()))
        };
        assert_eq!(
            slow("Slow dispatch took 812ms main h=android.app.ActivityThread$H c=null m=159"),
            read(812, "main", "android.app.ActivityThread$H", "m=159")
        );
        assert_eq!(
            slow("Slow dispatch took 80ms pool 1 h=android.os.Handler c=com.a.Sync$1@12abf m=0"),
            read(80, "pool 1", "android.os.Handler", "com.a.Sync$1")
        );
        assert_eq!(
            slow("Slow dispatch took 81ms main h=android.os.Handler c=Task{a m=3 c=4} m=0"),
            read(81, "main", "android.os.Handler", "Task{a m=3 c=4}")
        );
        assert_eq!(
            slow("Slow dispatch took 81ms main h=android.os.Handler c=com.a.Lo"),
            read(81, "main", "android.os.Handler", "com.a.Lo")
        );
        for none in
            ["Slow dispatch took ms main h=a c=b m=1", "Slow dispatch took -5ms main h=a c=b m=1", "Drained"]
        {
            assert_eq!(slow(none), None, "{none}");
        }
        let delivery = read_message(b"Looper", b"Slow delivery took 348ms main h=a c=null m=0");
        assert!(matches!(delivery, Some(LogEvent::SlowDelivery { took, .. }) if took == Span::from_ms(348)));
    }

    #[test]
    fn skipped_frames_and_daveys_are_read_as_far_as_they_go() {
        assert_eq!(
            read_message(b"Choreographer", b"Skipped 49 frames!  The app"),
            Some(LogEvent::SkippedFrames(49))
        );
        assert_eq!(read_message(b"Choreographer", b"Skipped -1 frames!"), None);
        assert_eq!(read_message(b"Choreographer", b"Skipped 99999999999 frames!"), None);
        let davey = |text: &[u8]| read_message(b"HWUI", text);
        let took = Span::from_ms(842);
        assert_eq!(
            davey(b"Davey! duration=842ms; Flags=1, FrameTimelineVsyncId=506461, IntendedVsync=4041135011929, Vsync=4"),
            Some(LogEvent::Davey { took, intended: Some(DeviceTime::from_ns(4_041_135_011_929)), vsync_id: Some(506_461) })
        );
        assert_eq!(
            davey(b"Davey! duration=842ms; Flags=1, IntendedVsync=40411"),
            Some(LogEvent::Davey { took, intended: None, vsync_id: None }),
            "a value that may be cut is none"
        );
        assert_eq!(davey(b"Davey! duration=842"), None);
    }
}
