//! What an archive may hold: nothing that tells whose phone it was or what is installed on it.

use farmjank_results::device::{DeviceFacts, DeviceId};

/// Most lines kept of the dispatcher's events; it remembers ten.
const MOST_EVENTS: usize = 32;
/// Fields of an event that tell when and what it was. Where the finger was is nobody's business.
const FIELDS: [&str; 3] = ["action=", "eventTime=", "age="];

/// The phone without what identifies it.
pub fn phone(facts: &DeviceFacts) -> DeviceFacts {
    DeviceFacts { id: DeviceId("phone".to_owned()), tags: Default::default(), ..facts.clone() }
}

/// The events of the dispatcher's list with their times and kinds only, oldest first.
pub fn events(text: &str) -> Vec<String> {
    let mut lines = text.lines().map(str::trim);
    if !lines.any(|line| line.starts_with("RecentQueue:")) {
        return Vec::new();
    }
    let own = lines.take_while(|line| !line.starts_with("PendingEvent") && !line.contains("Queue:"));
    let events = own.filter(|line| line.starts_with("MotionEvent")).take(MOST_EVENTS);
    events
        .map(|line| format!("MotionEvent {}", fields(line)))
        .map(|line| line.trim_end().to_owned())
        .collect()
}

fn fields(line: &str) -> String {
    let words = line.split([',', '(', ')', ' ']).map(str::trim);
    let kept = words.filter(|word| {
        FIELDS.iter().any(|field| {
            let value = word.strip_prefix(field);
            value.is_some_and(|value| {
                value.len() <= 24 && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
            })
        })
    });
    kept.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_keep_their_times_and_nothing_of_where_the_finger_was() {
        let text = "INPUT DISPATCHER\n  RecentQueue: length=3\n    KeyEvent(deviceId=1, keyCode=29), age=5ms\n    \
            MotionEvent(deviceId=-1, eventTime=5553000000, action=UP, xCursor=nan, pointers=[0: (350.3, 1549.1)]), age=969ms\n    \
            MotionEvent, age=120ms\n  PendingEvent: <none>\n    MotionEvent, age=7ms\n";
        assert_eq!(
            events(text),
            ["MotionEvent eventTime=5553000000 action=UP age=969ms", "MotionEvent age=120ms"]
        );
        assert_eq!(events("Can't find service: input"), Vec::<String>::new());
    }
}
