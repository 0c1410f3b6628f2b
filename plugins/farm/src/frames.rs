//! What is written on lines: a header of JSON in one line, then facts, one in a line, packed. Versioned; a field that
//! is not known is passed over, another version is refused in words.
//!
//! What comes from others is bounded before it is unpacked. Must not know: what facts mean.

use crate::subjects::is_word;
use farmjank_leaf::hash::Fnv;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::RunTime;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Read, Write};

/// What this farmjank speaks.
pub const VERSION: u32 = 4;
/// Facts that go together, unpacked, bytes: a server takes a megabyte at most.
pub const TOGETHER: usize = 256 << 10;
/// Most of what is unpacked of one frame, bytes.
const UNPACKED: u64 = 16 << 20;
/// Most of a frame, bytes.
pub const LARGEST: usize = 1_000_000;

/// A fact, as the host that saw it wrote it down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Time of the run, by that host.
    pub at: RunTime,
    /// The fact, one line of JSON without its end.
    pub fact: String,
}

impl Entry {
    /// The hash of a history that goes on with this entry.
    #[must_use]
    pub fn after(&self, history: u64) -> u64 {
        let hash = Fnv::seeded(history).and(self.at.ns().to_le_bytes());
        hash.part(self.fact.as_bytes()).scattered()
    }
}

/// How far a line is known: the least its writer may go on with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// The highest attempt that was begun.
    pub attempt: u32,
    /// Number of the next entry.
    pub next: u64,
    /// Hash of all entries before.
    pub history: u64,
    /// Nothing more comes.
    pub over: bool,
}

/// What a writer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Which attempt of the shift.
    pub attempt: u32,
    /// Number of the first entry, from 0.
    pub first: u64,
    /// Hash of all entries before: what goes on from another history is no part of this one.
    pub history: u64,
    /// Its facts; none where it only says that it is there.
    pub entries: Vec<Entry>,
    /// Nothing more comes.
    pub over: bool,
}

/// An entry that was in order already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// Who said it.
    pub line: String,
    /// In which attempt.
    pub attempt: u32,
    /// The time the log says.
    pub at: RunTime,
    /// As its host said it.
    pub entry: Entry,
}

/// A part of a log that is begun anew: what was in order already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Number of the first, from 0.
    pub first: u64,
    /// In order.
    pub entries: Vec<Ordered>,
    /// With the last part: where each line goes on.
    pub floors: Option<BTreeMap<String, Floor>>,
}

/// One message of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Of a host.
    Batch(Batch),
    /// Of who conducts the run.
    Copied(Copied),
}

/// One field for each that any kind has.
#[derive(Serialize, Deserialize)]
struct Header {
    v: u32,
    kind: String,
    #[serde(default)]
    attempt: u32,
    first: u64,
    #[serde(default)]
    history: u64,
    count: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    over: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    floors: Option<BTreeMap<String, Floor>>,
}

fn garbled(what: impl std::fmt::Display) -> Fault {
    let what = farmjank_leaf::text::line(&what.to_string(), 200);
    Fault::new(FaultCode::FarmGarbled, format!("a message of the farm cannot be read: {what}"))
}

impl Frame {
    /// As bytes.
    ///
    /// # Errors
    /// `farm_garbled`: one fact is larger than a server takes.
    pub fn write(&self) -> Result<Vec<u8>, Fault> {
        let mut lines = String::new();
        let mut add = |prefix: &str, entry: &Entry| {
            lines.push_str(&format!("{prefix}{} {}\n", entry.at.ns(), entry.fact));
        };
        let header = match self {
            Frame::Batch(batch) => {
                batch.entries.iter().for_each(|entry| add("", entry));
                let (first, count) = (batch.first, batch.entries.len() as u64);
                let Batch { attempt, history, over, .. } = *batch;
                let kind = "batch".to_owned();
                Header { v: VERSION, kind, attempt, first, history, count, over, floors: None }
            }
            Frame::Copied(copied) => {
                copied.entries.iter().for_each(|one| {
                    add(&format!("{} {} {} ", one.line, one.attempt, one.at.ns()), &one.entry);
                });
                let (first, count) = (copied.first, copied.entries.len() as u64);
                let (kind, floors) = ("copied".to_owned(), copied.floors.clone());
                Header { v: VERSION, kind, attempt: 0, first, history: 0, count, over: false, floors }
            }
        };
        let mut bytes = serde_json::to_vec(&header).map_err(garbled)?;
        bytes.push(b'\n');
        let mut packer = GzEncoder::new(bytes, Compression::fast());
        packer.write_all(lines.as_bytes()).map_err(garbled)?;
        let bytes = packer.finish().map_err(garbled)?;
        if bytes.len() > LARGEST {
            return Err(garbled(format!("{} bytes packed are more than a server takes", bytes.len())));
        }
        Ok(bytes)
    }

    /// Reads what [`Frame::write`] wrote, here or by another release.
    ///
    /// # Errors
    /// `farm_skew`: another version; `farm_garbled`: no frame, or one larger than is read.
    pub fn read(bytes: &[u8]) -> Result<Frame, Fault> {
        let end = bytes.iter().position(|b| *b == b'\n').ok_or_else(|| garbled("it has no header"))?;
        let header: Header = serde_json::from_slice(&bytes[..end]).map_err(garbled)?;
        if header.v != VERSION {
            let what = format!("a host of the farm speaks protocol {}, this farmjank {VERSION}", header.v);
            return Err(Fault::new(FaultCode::FarmSkew, what).advise("update the older of both"));
        }
        let mut text = String::new();
        let mut packed = GzDecoder::new(&bytes[end + 1..]).take(UNPACKED + 1);
        packed.read_to_string(&mut text).map_err(garbled)?;
        if text.len() as u64 > UNPACKED {
            return Err(garbled("it unpacks to more than is read"));
        }
        let Header { attempt, first, history, count, over, floors, .. } = header;
        let whole = |n: usize| if n as u64 == count { Ok(()) } else { Err(garbled("its count is not true")) };
        first.checked_add(count).ok_or_else(|| garbled("its numbers end nowhere"))?;
        match header.kind.as_str() {
            "batch" => {
                let entries: Option<Vec<Entry>> = text.lines().map(entry).collect();
                let entries = entries.ok_or_else(|| garbled("a line of it is no fact"))?;
                whole(entries.len())?;
                Ok(Frame::Batch(Batch { attempt, first, history, entries, over }))
            }
            "copied" => {
                let entries: Option<Vec<_>> = text.lines().map(ordered).collect();
                let entries = entries.ok_or_else(|| garbled("a line of it is no fact"))?;
                whole(entries.len())?;
                Ok(Frame::Copied(Copied { first, entries, floors }))
            }
            other => Err(garbled(format!("nobody knows what `{other}` is"))),
        }
    }
}

fn entry(text: &str) -> Option<Entry> {
    let (at, fact) = text.split_once(' ')?;
    Some(Entry { at: RunTime::from_ns(at.parse().ok()?), fact: fact.to_owned() })
}

fn ordered(text: &str) -> Option<Ordered> {
    let (line, text) = text.split_once(' ')?;
    let (attempt, text) = text.split_once(' ')?;
    let (at, text) = text.split_once(' ')?;
    is_word(line).then_some(())?;
    let at = RunTime::from_ns(at.parse().ok()?);
    Some(Ordered { line: line.to_owned(), attempt: attempt.parse().ok()?, at, entry: entry(text)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ns: i64, fact: &str) -> Entry {
        Entry { at: RunTime::from_ns(ns), fact: fact.to_owned() }
    }

    #[test]
    fn a_frame_is_read_as_it_was_written() {
        let entries = vec![told(7, r#"{"a":"b c"}"#), told(8, "{}")];
        let batch = Batch { attempt: 3, first: 12, history: u64::MAX, entries, over: true };
        let floor = Floor { attempt: 2, next: 9, history: 77, over: false };
        let copied = Copied {
            first: 4,
            entries: vec![Ordered {
                line: "rack-1".to_owned(),
                attempt: 2,
                at: RunTime::from_ns(11),
                entry: told(9, r#"{"x":1}"#),
            }],
            floors: Some([("rack-1".to_owned(), floor)].into()),
        };
        for frame in [Frame::Batch(batch), Frame::Copied(copied), Frame::Copied(Copied::default())] {
            assert_eq!(Frame::read(&frame.write().expect("small")).expect("whole"), frame);
        }
    }

    #[test]
    fn what_is_no_frame_is_refused_in_words() {
        let good = Frame::Batch(Batch {
            attempt: 1,
            first: 0,
            history: 0,
            entries: vec![told(1, "{}")],
            over: false,
        });
        let good = good.write().expect("small");
        for cut in 0..good.len() {
            assert!(Frame::read(&good[..cut]).is_err(), "cut at {cut}");
        }
        let (ours, next) = (format!("\"v\":{VERSION}"), format!("\"v\":{}", VERSION + 1));
        let newer = String::from_utf8_lossy(&good).replace(&ours, &next);
        let fault = Frame::read(newer.as_bytes()).expect_err("newer");
        assert_eq!(fault.code, FaultCode::FarmSkew);
        assert!(
            fault.to_string().contains(&format!("protocol {}", VERSION + 1))
                && fault.to_string().contains("update")
        );
        let at = good.windows(9).position(|w| w == b"\"count\":1").expect("a count") + 8;
        let mut wrong = good;
        wrong[at] = b'2';
        assert!(Frame::read(&wrong).expect_err("count").what.contains("count is not true"));
    }

    #[test]
    fn a_frame_that_unpacks_without_end_is_refused() {
        let lines = format!("1 {}\n", "x".repeat(17 << 20));
        let head = format!("{{\"v\":{VERSION},\"kind\":\"batch\",\"attempt\":1,\"first\":0,\"count\":1}}");
        let mut bytes = head.into_bytes();
        bytes.push(b'\n');
        let mut packer = GzEncoder::new(bytes, Compression::best());
        packer.write_all(lines.as_bytes()).expect("memory");
        let fault = Frame::read(&packer.finish().expect("memory")).expect_err("too much");
        assert_eq!(fault.code, FaultCode::FarmGarbled);
        assert!(fault.what.contains("more than is read"), "{fault}");
    }
}
