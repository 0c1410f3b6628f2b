//! What the phone's log will say: slow messages, skipped frames, starts, ANRs, crashes.
//!
//! Every message of 50 ms and more is noted, whether a frame came of it or not; whether the log shows it depends on the
//! threshold its process read when it began. Times are ns on CLOCK_MONOTONIC. Must not know how lines are printed.

use super::hwui::HwuiFrame;
use crate::truth::held::TruthStall;
use crate::truth::hwui::TruthHwuiFrame;
use std::collections::VecDeque;

/// Notes kept unless the truth is.
const KEPT: usize = 4_096;

/// One thing the log may tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// When it is logged.
    pub at: i64,
    /// App it is about (index); none for the shell's own lines.
    pub app: Option<usize>,
    /// Its process then.
    pub pid: u32,
    /// What.
    pub what: Said,
}

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A message of the main thread.
    Message {
        /// When it began.
        began: i64,
        /// What ran.
        work: Work,
        /// Threshold its process read when it began, ms.
        slow_ms: Option<u32>,
    },
    /// Choreographer came so many frames late.
    Skipped(i64),
    /// A render of 700 ms and more.
    Davey(Box<HwuiFrame>),
    /// The process began.
    Started,
    /// It does not answer.
    NotResponding,
    /// It crashed.
    Crashed,
    /// `log -t TAG MESSAGE`.
    Line {
        /// Tag.
        tag: String,
        /// Priority letter.
        level: char,
        /// Message.
        message: String,
    },
}

/// What a message of the main thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Started an activity and drew its first frame.
    Launch,
    /// A frame.
    Frame,
    /// Loaded something before a frame could begin.
    Load,
    /// The page's own periodic work, nothing drawn.
    Refresh,
}

/// The notes, in order of noting.
#[derive(Clone, Debug)]
pub struct Journal {
    notes: VecDeque<Noted>,
    /// Messages that drew nothing, however short.
    stalls: VecDeque<TruthStall>,
    /// Every frame of every window as drawn; only for the truth.
    pub hwui_frames: Vec<TruthHwuiFrame>,
    /// The log was cleared then, CLOCK_MONOTONIC ns.
    pub cleared: i64,
    /// Everything is kept: the truth is asked for.
    truth: bool,
}

impl Journal {
    /// Empty. `truth` keeps every note and every frame.
    pub(super) fn new(truth: bool) -> Journal {
        Journal {
            notes: VecDeque::new(),
            stalls: VecDeque::new(),
            hwui_frames: Vec::new(),
            cleared: i64::MIN,
            truth,
        }
    }

    /// Everything is kept.
    pub(super) fn is_truth(&self) -> bool {
        self.truth
    }

    /// Notes something.
    pub fn tell(&mut self, note: Noted) {
        if !self.truth && self.notes.len() == KEPT {
            self.notes.pop_front();
        }
        self.notes.push_back(note);
    }

    /// Notes a message that draws nothing, for those who trace.
    pub(super) fn keep_stall(&mut self, stall: TruthStall) {
        if !self.truth && self.stalls.len() == KEPT {
            self.stalls.pop_front();
        }
        self.stalls.push_back(stall);
    }

    /// Messages that drew nothing and had begun by now.
    pub fn stalls_until(&self, now: i64) -> Vec<TruthStall> {
        self.stalls.iter().filter(|stall| stall.from <= now).copied().collect()
    }

    /// Everything logged by `now`, in order of time.
    pub fn until(&self, now: i64) -> Vec<&Noted> {
        let mut notes: Vec<&Noted> = self.notes.iter().filter(|note| note.at <= now).collect();
        notes.sort_by_key(|note| note.at);
        notes
    }
}
