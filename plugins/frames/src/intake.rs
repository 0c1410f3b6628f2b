//! Cuts the lines a stamped script prints into dumps.
//!
//! Tolerant of what streams do: noise before the first mark, carriage returns, a mark glued to an unfinished line, a
//! dump cut by a restarted loop. Memory is bounded by the cap of one dump. Must not know: what a dump means.

use crate::marks::{Mark, Marker, NOTE};
use farmjank_results::dump::Dump;
use farmjank_results::frame::SourceId;
use farmjank_results::time::{BootTime, RunTime};

/// Lines in, dumps out.
#[derive(Clone, Debug)]
pub(crate) struct Intake {
    source: SourceId,
    targets: Vec<String>,
    marker: Marker,
    cap: usize,
    open: Option<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    index: usize,
    asked: Option<BootTime>,
    text: Vec<u8>,
    overflowed: bool,
}

impl Intake {
    /// An intake for a script whose command number i asks for `targets[i]`. `cap` bounds the text of one dump, in bytes.
    pub fn new(source: SourceId, targets: Vec<String>, marker: Marker, cap: usize) -> Self {
        Intake { source, targets, marker, cap, open: None }
    }

    /// What is asked for, in order of the script's commands.
    pub fn targets(&self) -> &[String] {
        &self.targets
    }

    /// Takes one line without its line end; gives a dump when the line completes one.
    pub fn feed(&mut self, line: &[u8], now: RunTime) -> Option<Dump> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match self.marker.find(line) {
            None => {
                self.take(line, true);
                None
            }
            Some((Mark::Begin { index, at }, _)) => {
                // A dump still open was cut short: half a ring is no evidence of anything.
                self.open = (index < self.targets.len()).then(|| Open {
                    index,
                    asked: at,
                    text: Vec::new(),
                    overflowed: false,
                });
                None
            }
            Some((Mark::End { index, at, status }, start)) => {
                self.take(&line[..start], false);
                self.open
                    .take()
                    .filter(|open| open.index == index)
                    .map(|open| self.close(open, at, status, now))
            }
        }
    }

    fn take(&mut self, piece: &[u8], whole: bool) {
        let Some(open) = &mut self.open else { return };
        if open.overflowed || open.text.len() + piece.len() >= self.cap {
            open.overflowed = true;
            return;
        }
        open.text.extend_from_slice(piece);
        if whole {
            open.text.push(b'\n');
        }
    }

    fn close(&self, open: Open, answered: Option<BootTime>, status: Option<i32>, now: RunTime) -> Dump {
        let Open { index, asked, mut text, overflowed } = open;
        // Readers refuse a dump that holds such a line: a cut ring looks like a short one.
        if overflowed {
            note(&mut text, &format!("dump cut at {} bytes", self.cap));
        }
        match status {
            Some(0) => {}
            Some(status) => note(&mut text, &format!("the command ended with status {status}")),
            None => note(&mut text, "the command ended without a status"),
        }
        Dump { source: self.source, target: self.targets[index].clone(), asked, answered, arrived: now, text }
    }
}

fn note(text: &mut Vec<u8>, what: &str) {
    if text.last().is_some_and(|&byte| byte != b'\n') {
        text.push(b'\n');
    }
    text.extend_from_slice(NOTE.as_bytes());
    text.extend_from_slice(what.as_bytes());
    text.push(b'\n');
}
