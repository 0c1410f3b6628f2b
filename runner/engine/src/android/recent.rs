//! The last events the phone's input dispatcher remembers: `RecentQueue` of `dumpsys input`
//! (docs/design/phones.md#input).
//!
//! Three dialects: before Android 10 actions are numbers and ages have tenths of a millisecond, later actions have
//! names and events a time of their own, and builds for users keep all but the age to themselves. Pure text in,
//! bounded; must not know gestures.

use farmjank_results::time::{DeviceTime, Span};

/// Prints the dispatcher's last events; the rest of its dump stays on the phone.
pub(crate) const EVENTS: &str = "dumpsys input | grep -A 12 RecentQueue";

/// Most events read; a dispatcher remembers ten.
const MOST: usize = 32;
/// Oldest event anybody asks about, ms.
const OLDEST_MS: f64 = 86_400_000.0;
/// Events are stamped and ages printed in whole milliseconds.
const GRAIN: Span = Span::from_ms(1);

/// What a finger did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It came down, moved, or was cancelled.
    Other,
    /// It was lifted.
    Up,
    /// The build does not say.
    Hidden,
}

/// One event of a finger, and between which instants it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recent {
    /// What.
    pub deed: Deed,
    /// When, at the earliest and at the latest.
    pub at: (DeviceTime, DeviceTime),
}

/// The events of fingers in the answer to [`EVENTS`], oldest first; `between` are the instants around the question.
pub fn recent(text: &str, between: (DeviceTime, DeviceTime)) -> Vec<Recent> {
    let mut lines = text.lines().map(str::trim);
    if !lines.any(|line| line.starts_with("RecentQueue:")) {
        return Vec::new();
    }
    let own = lines.take_while(|line| !line.starts_with("PendingEvent") && !line.contains("Queue:"));
    own.take(MOST).filter_map(|line| event(line, between)).collect()
}

/// One line of them; none where it is no finger's or does not say when.
pub fn event(line: &str, between: (DeviceTime, DeviceTime)) -> Option<Recent> {
    let rest = line.strip_prefix("MotionEvent")?;
    // What an app calls its windows never comes before these.
    let words = || rest.split([',', '(', ')', ' ']).take(64);
    let field = |name: &str| words().find_map(|word| word.strip_prefix(name));
    let deed = match field("action=") {
        Some("1" | "UP") => Deed::Up,
        Some(_) => Deed::Other,
        None => Deed::Hidden,
    };
    let exact = field("eventTime=").and_then(|text| text.parse::<i64>().ok()).filter(|at| *at > 0);
    if let Some(at) = exact.map(DeviceTime::from_ns) {
        return Some(Recent { deed, at: (at - GRAIN, at + GRAIN) });
    }
    // The age stands last, behind the coordinates.
    let age: f64 = line.rsplit_once("age=")?.1.strip_suffix("ms")?.parse().ok()?;
    let age = (0.0..OLDEST_MS).contains(&age).then(|| Span::from_ns((age * 1e6) as i64))?;
    Some(Recent { deed, at: (between.0 - age - GRAIN, between.1 - age + GRAIN) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(at: i64) -> DeviceTime {
        DeviceTime::from_ns(at * 1_000_000)
    }

    fn read(text: &str) -> Vec<(Deed, i64, i64)> {
        let events = recent(text, (ms(10_000), ms(10_020)));
        let whole = |at: DeviceTime| at.ns() / 1_000_000;
        events.iter().map(|event| (event.deed, whole(event.at.0), whole(event.at.1))).collect()
    }

    #[test]
    fn every_dialect_tells_when_a_finger_was_lifted() {
        let old = "  RecentQueue: length=2\n    MotionEvent(deviceId=4, source=0x00001002, action=2, flags=0x0, pointers=[0: (335.0, 1465.0)]), policyFlags=0x62000000, age=264.0ms\n    \
            MotionEvent(deviceId=4, source=0x00001002, action=1, flags=0x0, pointers=[0: (335.0, 1465.0)]), policyFlags=0x62000000, age=255.7ms\n";
        assert_eq!(read(old), [(Deed::Other, 9_735, 9_757), (Deed::Up, 9_743, 9_765)]);
        let new = "  RecentQueue: length=2\n    MotionEvent(deviceId=7, eventTime=9376000000, source=TOUCHSCREEN, displayId=0, action=MOVE, actionButton=0x0, pointers=[0: (350.3, 1549.1)]), policyFlags=0x62000000, age=22ms\n    \
            MotionEvent(deviceId=7, eventTime=9384000000, source=TOUCHSCREEN, displayId=0, action=UP, actionButton=0x0, pointers=[0: (350.1, 1550.5)]), policyFlags=0x62000000, age=14ms\n  PendingEvent: <none>\n";
        assert_eq!(read(new), [(Deed::Other, 9_375, 9_377), (Deed::Up, 9_383, 9_385)]);
        let hidden = "  RecentQueue: length=10\n    MotionEvent, age=559ms\n    KeyEvent, age=300ms\n    MotionEvent, age=175ms\n  PendingEvent:\n    MotionEvent, age=7ms\n  InboundQueue: <empty>\n";
        assert_eq!(read(hidden), [(Deed::Hidden, 9_440, 9_462), (Deed::Hidden, 9_824, 9_846)]);
    }

    #[test]
    fn whatever_else_it_says_is_no_event() {
        for text in [
            "",
            "Can't find service: input",
            "MotionEvent, age=5ms",
            "RecentQueue: <empty>\nMotionEvent, age=ms",
            "RecentQueue: length=1\nMotionEvent, age=-5ms\nMotionEvent, age=nanms\nMotionEvent, age=1e300ms\nMotionEvent(eventTime=-4, age=",
            "RecentQueue: length=1\nPendingEvent:\nMotionEvent, age=5ms",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
        let many = format!("RecentQueue: length=9\n{}", "MotionEvent, age=5ms\n".repeat(1_000));
        assert_eq!(read(&many).len(), MOST);
        assert!(read("RecentQueue:\nMotionEvent(eventTime=9223372036854775807, action=UP").len() == 1);
    }
}
