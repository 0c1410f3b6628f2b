//! What is kept of a trace while its packets go by: frame timeline, clocks, process names, losses. Everything else is
//! passed over, so memory grows with the frames and not with the trace. Times are of whatever clock a packet names.

use super::clocks::{BOOTTIME, Clocks};
use super::events::{self, ActualFrame, Event, Surface};
use super::packet::{self, Life, Packet, Totals};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Starts or ends that wait for the other half, at most. A phone has a few hundred open at a time.
const WAITING: usize = 1 << 18;
/// Longest process name kept, in bytes.
const LONGEST_NAME: usize = 256;
/// Processes whose names are kept, at most.
const PROCESSES: usize = 1 << 16;
/// What an app's process is called until it is told which app it is: then its layers name it.
const PARENTS: [&[u8]; 5] = [b"zygote", b"zygote64", b"usap32", b"usap64", b"<pre-initialized>"];
/// A tree of fewer processes is an addition, not a scan of the phone.
const SCAN: usize = 16;

/// `PresentType` of a frame that was not shown.
pub const DROPPED: u64 = 4;

/// An instant of some clock, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Its number.
    pub clock: u64,
    /// What it reads.
    pub at: i64,
}

/// From when to when.
pub type Slice = (Moment, Moment);

/// A frame of the display.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Display {
    /// Begin and present as expected.
    pub expected: Option<Slice>,
    /// Begin and present, and what is said of it.
    pub actual: Option<(Slice, ActualFrame)>,
}

/// A frame of one layer of one process: process, token, layer.
pub type Key = (i32, i64, Rc<str>);

/// A frame of an app.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AppFrame {
    /// Begin and deadline as expected.
    pub expected: Option<Slice>,
    /// Begin and end, token of its display frame, and what is said of it.
    pub actual: Option<(Slice, i64, ActualFrame)>,
}

enum Started {
    ExpectedDisplay(i64),
    ActualDisplay(i64, ActualFrame),
    /// And the token of its display frame.
    ExpectedSurface(Key, i64),
    ActualSurface(Key, i64, ActualFrame),
}

/// What is remembered of one writer.
#[derive(Default)]
struct Sequence {
    /// Clock of stamps that name none.
    clock: Option<u64>,
    last: Option<Moment>,
    /// Packets were lost since then.
    lost_since: Option<Moment>,
    /// Its first stamped packet of the frame timeline.
    first_frame: Option<Moment>,
    losses: Vec<(Moment, Moment)>,
}

/// Everything kept. One field for each kind of packet and each count of what was lost.
#[derive(Default)]
pub struct Gathered {
    /// Clocks.
    pub clocks: Clocks,
    /// Display frames by token.
    pub displays: BTreeMap<i64, Display>,
    /// Frames of apps.
    pub app_frames: BTreeMap<Key, AppFrame>,
    /// Names of processes.
    pub names: BTreeMap<i32, String>,
    /// Processes a first scan of the phone found; empty when there was none.
    pub scanned: BTreeSet<i32>,
    /// Totals.
    pub totals: Totals,
    /// Every data source was started then.
    pub started: Option<Moment>,
    /// The service ended the trace then; old ones make no snapshot of the clocks at the end.
    pub over: Option<Moment>,
    /// Events that could not be read or had no other half to wait for.
    pub unreadable: u64,
    starts: BTreeMap<i64, (Moment, Started)>,
    ends: BTreeMap<i64, Moment>,
    sequences: BTreeMap<u64, Sequence>,
    layers: BTreeSet<Rc<str>>,
}

impl Gathered {
    /// Takes one packet.
    pub fn take(&mut self, bytes: &[u8]) {
        let packet = packet::read(bytes);
        if let Some(snapshot) = packet.snapshot {
            self.clocks.snapshot(packet.sequence, snapshot);
        }
        let moment = self.stamp(&packet);
        if let Some(tree) = packet.tree {
            self.processes(tree);
        }
        if let Some(stats) = packet.stats {
            self.totals = packet::totals(stats);
        }
        if let (Some(service), Some(moment)) = (packet.service, moment) {
            match packet::life(service) {
                Some(Life::Started) => drop(self.started.get_or_insert(moment)),
                Some(Life::Over) => self.over = self.over.max(Some(moment)),
                None => {}
            }
        }
        match (packet.event, moment) {
            (Some(event), Some(moment)) => self.event(event, moment),
            // SurfaceFlinger of Android 12 stamped some events with 0.
            (Some(_), None) => self.unreadable += 1,
            (None, _) => {}
        }
    }

    /// The instant of a packet, and what its sequence learns from it.
    fn stamp(&mut self, packet: &Packet<'_>) -> Option<Moment> {
        let sequence = self.sequences.entry(packet.sequence).or_default();
        sequence.clock = packet.default_clock.or(sequence.clock);
        if packet.dropped {
            // The first packet of every writer says so too: nobody knows what was before it.
            sequence.lost_since = sequence.lost_since.or(sequence.last);
        }
        let clock = packet.clock.or(sequence.clock).unwrap_or(BOOTTIME);
        let stamp = packet.stamp.filter(|stamp| *stamp > 0)?;
        let (clock, at) = self.clocks.resolve(packet.sequence, clock, stamp)?;
        let moment = Moment { clock, at };
        if let Some(since) = sequence.lost_since.take() {
            sequence.losses.push((since, moment));
        }
        sequence.last = Some(moment);
        if packet.event.is_some() {
            sequence.first_frame.get_or_insert(moment);
        }
        Some(moment)
    }

    fn event(&mut self, message: &[u8], moment: Moment) {
        let Some((cookie, event)) = events::read(message) else {
            self.unreadable += 1;
            return;
        };
        let started = match event {
            Event::End => {
                match self.starts.remove(&cookie) {
                    Some((start, started)) => self.finished(started, (start, moment)),
                    None => {
                        self.ends.insert(cookie, moment);
                    }
                }
                self.forget();
                return;
            }
            Event::ExpectedDisplay { token } => Started::ExpectedDisplay(token),
            Event::ActualDisplay { token, told } => Started::ActualDisplay(token, told),
            Event::ExpectedSurface(surface) => {
                Started::ExpectedSurface(self.key(&surface), surface.display_token)
            }
            Event::ActualSurface(surface, told) => {
                Started::ActualSurface(self.key(&surface), surface.display_token, told)
            }
        };
        match self.ends.remove(&cookie) {
            Some(end) => self.finished(started, (moment, end)),
            None => {
                self.starts.insert(cookie, (moment, started));
            }
        }
        self.forget();
    }

    /// Cookies grow: the lowest is the one whose other half will not come any more.
    fn forget(&mut self) {
        if self.starts.len() > WAITING {
            self.starts.pop_first();
            self.unreadable += 1;
        }
        if self.ends.len() > WAITING {
            self.ends.pop_first();
            self.unreadable += 1;
        }
    }

    fn finished(&mut self, started: Started, slice: Slice) {
        match started {
            Started::ExpectedDisplay(token) => self.displays.entry(token).or_default().expected = Some(slice),
            Started::ActualDisplay(token, told) => {
                self.displays.entry(token).or_default().actual = Some((slice, told));
            }
            Started::ExpectedSurface(key, _) => {
                self.app_frames.entry(key).or_default().expected = Some(slice)
            }
            Started::ActualSurface(key, display, told) => {
                let actual = &mut self.app_frames.entry(key).or_default().actual;
                let new = (slice, display, told);
                if actual.as_ref().is_none_or(|known| rank(&new) > rank(known)) {
                    *actual = Some(new);
                }
            }
        }
    }
}

/// Told twice, a frame is what carried a buffer, was shown, and was shown first.
fn rank((slice, display, told): &(Slice, i64, ActualFrame)) -> (bool, bool, Reverse<i64>, Slice) {
    (told.is_buffer, told.present_type != DROPPED, Reverse(*display), *slice)
}

impl Gathered {
    fn key(&mut self, surface: &Surface<'_>) -> Key {
        let name = String::from_utf8_lossy(surface.layer);
        let layer = match self.layers.get(name.as_ref()) {
            Some(layer) => layer.clone(),
            None => {
                let layer: Rc<str> = name.into();
                self.layers.insert(layer.clone());
                layer
            }
        };
        // Frames without a token of the app's are told apart by their display frames'.
        let token =
            if surface.token > 0 { surface.token } else { -surface.display_token.saturating_abs().max(1) };
        (surface.pid, token, layer)
    }

    fn processes(&mut self, tree: &[u8]) {
        let processes: Vec<(i32, &[u8])> = packet::processes(tree).collect();
        if self.scanned.is_empty() && processes.len() >= SCAN {
            self.scanned.extend(processes.iter().map(|(pid, _)| *pid));
        }
        for (pid, name) in processes {
            let name = &name[..name.len().min(LONGEST_NAME)];
            if !name.is_empty()
                && !PARENTS.contains(&name)
                && (self.names.len() < PROCESSES || self.names.contains_key(&pid))
            {
                self.names.insert(pid, String::from_utf8_lossy(name).into_owned());
            }
        }
    }

    /// Starts without an end and ends without a start.
    pub fn unfinished(&self) -> u64 {
        (self.starts.len() + self.ends.len()) as u64
    }

    /// Display frames of which something was begun and not ended.
    pub fn halves(&self) -> impl Iterator<Item = i64> {
        self.starts.values().map(|(_, started)| match started {
            Started::ExpectedDisplay(display)
            | Started::ActualDisplay(display, _)
            | Started::ExpectedSurface(_, display)
            | Started::ActualSurface(_, display, _) => *display,
        })
    }

    /// The first stamped frame timeline packet of each writer that has any, and where that writer lost packets.
    pub fn writers(&self) -> impl Iterator<Item = (Moment, &[(Moment, Moment)])> {
        self.sequences
            .values()
            .filter_map(|sequence| Some((sequence.first_frame?, sequence.losses.as_slice())))
    }
}
