//! `simpleperf report-sample --protobuf`, which Android Studio exports, too: messages with their lengths before them;
//! names come behind what they name.

use super::bytes::Bytes;
use super::{DEEPEST, STACKS, Unread};
use crate::frametimeline::wire::fields;
use farmjank_causes::stacks::{Call, Recording, Sample, Seen};
use std::collections::BTreeMap;

/// How such a file begins.
pub const MAGIC: &[u8] = b"SIMPLEPERF";

/// A call by the numbers of its file and its symbol.
type Numbered = (u64, i32);

/// One sample; `event` and `stack` are numbers.
struct Look {
    thread: i32,
    at: i64,
    count: u64,
    event: u64,
    stack: u32,
}

#[derive(Default)]
struct Reading {
    looks: Vec<Look>,
    stacks: Vec<Vec<Numbered>>,
    numbers: BTreeMap<Vec<Numbered>, u32>,
    switches: Vec<(i32, i64)>,
    lost: u64,
    named: Named,
}

/// What numbers stand for, and what is told of the recording.
#[derive(Default)]
struct Named {
    files: BTreeMap<u64, (String, Vec<String>)>,
    threads: BTreeMap<i32, (i32, String)>,
    events: Vec<String>,
    app: Option<String>,
    off_cpu: bool,
}

/// Reads it.
pub fn read(file: &[u8]) -> Result<Recording, Unread> {
    let mut bytes = Bytes(file.get(MAGIC.len()..).unwrap_or_default());
    if bytes.u16() != Some(1) {
        return Err(Unread::Unknown(
            "it is of a version of `report-sample --protobuf` that is not known: only 1 is",
        ));
    }
    let mut reading = Reading::default();
    loop {
        let length = bytes.u32().ok_or(Unread::Damaged("it ends without its end mark"))?;
        if length == 0 {
            return Ok(reading.finish());
        }
        let record =
            bytes.take(u64::from(length)).ok_or(Unread::Damaged("a record is longer than what is left"))?;
        reading.record(record);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn signed(number: u64) -> i32 {
    (number as u32).cast_signed()
}

impl Reading {
    fn record(&mut self, record: &[u8]) {
        for (number, value) in fields(record) {
            let Some(message) = value.bytes() else { continue };
            match number {
                1 => self.sample(message),
                2 => {
                    self.lost = fields(message).find_map(|(n, v)| v.number().filter(|_| n == 2)).unwrap_or(0)
                }
                3 => self.file(message),
                4 => self.thread(message),
                5 => self.about(message),
                6 => self.switch(message),
                _ => {}
            }
        }
    }

    fn sample(&mut self, message: &[u8]) {
        let (mut at, mut thread, mut count, mut event) = (0, 0, 0, 0);
        let mut calls = Vec::new();
        for (number, value) in fields(message) {
            match (number, value.number(), value.bytes()) {
                (1, Some(value), _) => at = value.cast_signed(),
                (2, Some(value), _) => thread = signed(value),
                (3, _, Some(call)) if calls.len() < DEEPEST => {
                    let (mut file, mut symbol) = (0, -1);
                    for (number, value) in fields(call) {
                        match (number, value.number()) {
                            (2, Some(value)) => file = value,
                            (3, Some(value)) => symbol = signed(value),
                            _ => {}
                        }
                    }
                    calls.push((file, symbol));
                }
                (4, Some(value), _) => count = value,
                (5, Some(value), _) => event = value,
                _ => {}
            }
        }
        if self.stacks.len() >= STACKS as usize {
            return;
        }
        let next = self.stacks.len() as u32;
        let stacks = &mut self.stacks;
        let stack = *self.numbers.entry(calls).or_insert_with_key(|calls| {
            stacks.push(calls.clone());
            next
        });
        self.looks.push(Look { thread, at, count, event, stack });
    }

    fn file(&mut self, message: &[u8]) {
        let (mut id, mut file) = (0, (String::new(), Vec::new()));
        for (number, value) in fields(message) {
            match (number, value.number(), value.bytes()) {
                (1, Some(value), _) => id = value,
                (2, _, Some(path)) => file.0 = text(path),
                (3, _, Some(name)) => file.1.push(text(name)),
                _ => {}
            }
        }
        self.named.files.insert(id, file);
    }

    fn thread(&mut self, message: &[u8]) {
        let (mut thread, mut process, mut name) = (0, 0, String::new());
        for (number, value) in fields(message) {
            match (number, value.number(), value.bytes()) {
                (1, Some(value), _) => thread = signed(value),
                (2, Some(value), _) => process = signed(value),
                (3, _, Some(value)) => name = text(value),
                _ => {}
            }
        }
        self.named.threads.insert(thread, (process, name));
    }

    fn about(&mut self, message: &[u8]) {
        for (number, value) in fields(message) {
            match (number, value.number(), value.bytes()) {
                (1, _, Some(event)) => self.named.events.push(text(event)),
                (2, _, Some(app)) => self.named.app = Some(text(app)).filter(|app| !app.is_empty()),
                (6, Some(value), _) => self.named.off_cpu = value != 0,
                _ => {}
            }
        }
    }

    fn switch(&mut self, message: &[u8]) {
        let (mut on, mut at, mut thread) = (false, 0, 0);
        for (number, value) in fields(message) {
            match (number, value.number()) {
                (1, Some(value)) => on = value != 0,
                (2, Some(value)) => at = value.cast_signed(),
                (3, Some(value)) => thread = signed(value),
                _ => {}
            }
        }
        if on {
            self.switches.push((thread, at));
        }
    }

    fn finish(self) -> Recording {
        let mut recording = Recording::new(self.named.app, self.named.off_cpu);
        recording.lost = self.lost;
        let mut numbers = Vec::with_capacity(self.stacks.len());
        for calls in &self.stacks {
            let calls = calls.iter().map(|(file, symbol)| {
                let file = self.named.files.get(file);
                let name = usize::try_from(*symbol).ok().and_then(|nth| file?.1.get(nth));
                let call = Call {
                    // What has no symbol is named by file and address.
                    name: name.filter(|name| !name.contains("[+")).cloned().unwrap_or_default(),
                    file: file.map(|file| file.0.clone()).unwrap_or_default(),
                };
                recording.call(call)
            });
            let calls = calls.collect();
            numbers.push(recording.stack(calls));
        }
        for (process, name) in
            self.named.threads.iter().filter(|(thread, of)| **thread == of.0).map(|(_, of)| of)
        {
            recording.mains.entry(*process).or_default().name.clone_from(name);
        }
        let is_main =
            |thread: i32| self.named.threads.get(&thread).is_some_and(|(process, _)| *process == thread);
        for Look { thread, at, count, event, stack } in
            self.looks.into_iter().filter(|one| is_main(one.thread))
        {
            let event = usize::try_from(event).ok().and_then(|nth| self.named.events.get(nth));
            let ns = i64::try_from(count).unwrap_or(i64::MAX);
            let seen = match event.map_or("", String::as_str) {
                event if event.ends_with("sched_switch") => Seen::Left,
                event if event.starts_with("cpu-clock") || event.starts_with("task-clock") => {
                    Seen::Ran(Some(ns))
                }
                _ => Seen::Ran(None),
            };
            let stack = numbers.get(stack as usize).copied();
            recording.add(thread, Sample { at, seen, stack });
            if seen == Seen::Left {
                // Counted is how long it was off its CPU.
                recording.add(thread, Sample { at: at.saturating_add(ns), seen: Seen::Back, stack: None });
            }
        }
        for (thread, at) in self.switches.into_iter().filter(|(thread, _)| is_main(*thread)) {
            recording.add(thread, Sample { at, seen: Seen::Back, stack: None });
        }
        recording
    }
}
