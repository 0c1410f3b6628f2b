//! What simpleperf recorded beside a trace: gathered in bounds, and put on the trace's clock as its own stacks are
//! ([`Beside`]), so that nobody need know who took them.
//!
//! Simpleperf stamps by CLOCK_MONOTONIC; the trace's snapshots tell it from CLOCK_BOOTTIME. Whatever is wrong with the
//! file is told in words, and whose fault it is.

use super::of_trace::{Beside, WHOSE};
use super::{Unread, perf};
use crate::frametimeline::Trace;
use crate::text::shown;
use farmjank_causes::stacks::{Look, Looks, Recording, Seen};
use farmjank_results::time::DeviceTime;
use std::collections::BTreeMap;

/// What a file may have, bytes: what simpleperf is told to record at most, and names.
const MOST: usize = 160 << 20;
/// What is said of a file without any stack.
const NOBODY: &str =
    "simpleperf took no stack of main: no process of the app that it followed ran in a window";
/// What it says where a phone lets nobody look into an app, by release.
const CLOSED: [&str; 2] = ["debuggable/profileable", "neither debuggable nor profileable"];
/// What a shell says of a program the phone does not have.
const ABSENT: [&str; 2] = ["simpleperf: inaccessible or not found", "simpleperf: not found"];

/// What comes of it, of one recording after the other.
#[derive(Debug, Default)]
pub struct BesideTrace {
    file: Vec<u8>,
    whole: usize,
    recordings: Vec<Result<Recording, String>>,
}

impl BesideTrace {
    /// Takes the next bytes of a file.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.whole = self.whole.saturating_add(bytes.len());
        if self.whole <= MOST {
            self.file.extend_from_slice(bytes);
        }
    }

    /// Takes what the recorder of that file said, or why nothing came.
    pub fn said(&mut self, said: Result<&[u8], &str>) {
        let (file, whole) = (std::mem::take(&mut self.file), std::mem::take(&mut self.whole));
        self.recordings.push(match said {
            Ok(words) => recording(&file, whole, &String::from_utf8_lossy(words)),
            Err(why) => Err(format!("what simpleperf recorded did not come over: {why}")),
        });
    }

    /// Their stacks on the trace's clock, or why there are none; none where nothing was begun.
    pub fn stacks(self, trace: &Trace) -> Option<Beside> {
        let mut looks = Looks::default();
        let mut why = None;
        let began = !self.recordings.is_empty();
        for recording in self.recordings {
            match recording {
                Ok(recording) => add(&mut looks, &recording, trace),
                Err(words) => why = why.or(Some(words)),
            }
        }
        began.then(|| match (looks.many(), why) {
            (0, Some(why)) => Beside::without(why),
            (0, None) => Beside::without(NOBODY.to_owned()),
            _ => Beside::of_phone(looks),
        })
    }
}

/// Adds what was seen of main threads.
fn add(looks: &mut Looks, recording: &Recording, trace: &Trace) {
    looks.lost += recording.lost;
    let mut numbers = BTreeMap::new();
    for (process, main) in &recording.mains {
        for sample in &main.samples {
            let look = match sample.seen {
                Seen::Ran(_) => Look::Ran,
                Seen::Left => Look::Left,
                Seen::Back | Seen::Inside => continue,
            };
            let at = trace.boottime(DeviceTime::from_ns(sample.at));
            let Some((stack, at)) = sample.stack.zip(at) else {
                looks.lost += 1;
                continue;
            };
            let stack = *numbers.entry(stack).or_insert_with(|| {
                let calls = recording.calls(stack).map(|call| looks.recording.call(call.clone())).collect();
                looks.recording.stack(calls)
            });
            looks.add(*process, look, at, stack);
        }
    }
}

/// Reads one file, which has so many bytes.
fn recording(file: &[u8], whole: usize, words: &str) -> Result<Recording, String> {
    if CLOSED.iter().any(|closed| words.contains(closed)) {
        return Err(format!("the app may not be looked into: {WHOSE}"));
    }
    // What it fails of, where it says so; else the last it said.
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().rfind(|line| line.starts_with("simpleperf E "));
    let line = shown(error.or_else(|| lines.next_back()).unwrap_or_default().as_bytes());
    if whole == 0 {
        return Err(match line.as_str() {
            _ if ABSENT.iter().any(|absent| words.contains(absent)) => {
                "the phone has no simpleperf, which is part of Android 10 and newer: its maker left it out"
                    .to_owned()
            }
            "" => "simpleperf recorded nothing, and did not say why: it was killed, or the phone has no room"
                .to_owned(),
            line => format!("simpleperf recorded nothing; it said: {line}"),
        });
    }
    if whole > MOST {
        return Err(format!("simpleperf's file is longer than {} MiB", MOST >> 20));
    }
    let said = if line.is_empty() { String::new() } else { format!("; it said: {line}") };
    if !file.starts_with(perf::MAGIC) {
        return Err(format!("what simpleperf left is no recording{said}"));
    }
    let (mut recording, clock) = perf::read_stamped(file).map_err(|why| match why {
        Unread::Damaged(_) => {
            format!("simpleperf was killed before it had written its file, or that was cut off: {why}{said}")
        }
        why => format!("what simpleperf left cannot be read: {why}{said}"),
    })?;
    if clock.as_deref() != Some("monotonic") {
        let by = shown(clock.as_deref().unwrap_or("none it names").as_bytes());
        return Err(format!(
            "simpleperf stamped by another clock than the trace's ({by}): the phone's kernel does not stamp by \
             CLOCK_MONOTONIC"
        ));
    }
    if recording.mains.values().all(|main| main.samples.is_empty()) {
        return Err(format!("{NOBODY}{said}"));
    }
    recording.sort();
    Ok(recording)
}
