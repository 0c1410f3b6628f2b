//! A log that grows: bytes in as they come, whole events out. A torn last line waits for its rest.
//!
//! Must not know: files, time.

use farmjank_results::event::Event;

/// Longest line kept while it is not whole, bytes.
const LONGEST: usize = 256 << 20;

/// What was read of a log so far.
#[derive(Default)]
pub struct Tail {
    /// Bytes taken.
    taken: u64,
    /// The line that is not whole yet.
    torn: Vec<u8>,
    /// Whole lines, from 1.
    lines: usize,
}

impl Tail {
    /// Where to read on, in bytes from the beginning.
    pub fn offset(&self) -> u64 {
        self.taken
    }

    /// The events that became whole with these bytes, and what is wrong with the line after them, if something is.
    pub fn take(&mut self, bytes: &[u8]) -> (Vec<Event>, Option<String>) {
        self.taken += bytes.len() as u64;
        self.torn.extend_from_slice(bytes);
        let whole = self.torn.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole == 0 && self.torn.len() > LONGEST {
            let words = format!("line {} of the log is longer than {} MiB", self.lines + 1, LONGEST >> 20);
            return (Vec::new(), Some(words));
        }
        let rest = self.torn.split_off(whole);
        let lines = std::mem::replace(&mut self.torn, rest);
        let mut events = Vec::new();
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            self.lines += 1;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(event) => events.push(event),
                Err(why) => {
                    let why = farmjank_leaf::text::line(&why.to_string(), 300);
                    return (events, Some(format!("line {} of the log is not an event ({why})", self.lines)));
                }
            }
        }
        (events, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::event::Fact;
    use farmjank_results::time::RunTime;

    fn log(events: u64) -> Vec<u8> {
        let line = |seq| {
            let fact = Fact::Noticed { job: None, what: format!("ü{seq}") };
            let mut line =
                serde_json::to_vec(&Event { seq, at: RunTime::from_ns(5), shard: None, fact }).unwrap();
            line.push(b'\n');
            line
        };
        (0..events).flat_map(line).collect()
    }

    #[test]
    fn however_it_is_cut_the_same_events_come_out() {
        let log = log(7);
        for step in 1..log.len() {
            let mut tail = Tail::default();
            let mut seen = Vec::new();
            for piece in log.chunks(step) {
                let (events, wrong) = tail.take(piece);
                assert_eq!(wrong, None);
                seen.extend(events.into_iter().map(|event| event.seq));
            }
            assert_eq!(seen, (0..7).collect::<Vec<_>>(), "in pieces of {step}");
            assert_eq!(tail.offset(), log.len() as u64);
        }
    }

    #[test]
    fn a_torn_line_waits_and_a_damaged_one_is_named() {
        let mut tail = Tail::default();
        let log = log(2);
        let (events, wrong) = tail.take(&log[..log.len() - 3]);
        assert_eq!((events.len(), wrong), (1, None));
        let (events, wrong) = tail.take(b"\x00}}\n");
        assert!(events.is_empty());
        assert!(wrong.unwrap().starts_with("line 2 of the log is not an event"));
    }
}
