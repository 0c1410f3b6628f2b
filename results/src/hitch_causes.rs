//! Why the frames of a window were late, as found in a trace that also tells what threads did: what the log keeps of
//! it.
//!
//! Times are µs and add up: what is charged, what is unexplained and what nobody can tell of are the time the frames
//! were late by, exactly (docs/causes.md, "What adds up"). Long lists are cut where they are made, and what
//! is left out is counted. Must not know how a cause is found, nor traces.

use crate::time::{BootTime, DeviceTime, Span};
use farmjank_leaf::hash::Fnv;
use serde::{Deserialize, Serialize};

/// Frames in time that are needed to tell what is usual.
pub const FEWEST_IN_TIME: u32 = 8;

/// How sure a frame's causes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Its thread is known by its token, nothing was lost, four fifths are charged to something with a name.
    Sure,
    /// Half is, or there were too few frames in time to tell what is usual.
    Likely,
    /// Less.
    Weak,
}

impl Confidence {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Confidence::Sure => "sure",
            Confidence::Likely => "likely",
            Confidence::Weak => "weak",
        }
    }
}

/// Groups a bar is split by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// The app's own work.
    App,
    /// The app waits for somebody.
    Waiting,
    /// The phone: CPUs, memory, GPU, compositor, display.
    System,
    /// Nobody knows.
    Unexplained,
}

impl Group {
    /// In the order of reports.
    pub const ALL: [Group; 4] = [Group::App, Group::Waiting, Group::System, Group::Unexplained];

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Group::App => "app",
            Group::Waiting => "waiting",
            Group::System => "system",
            Group::Unexplained => "unexplained",
        }
    }
}

/// What held frames up: who, by what, in words that stay the same from run to run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NamedCause {
    /// `lock.monitor`, `binder.system_server`, `sf.cpu.starved`.
    pub kind: String,
    /// The group of the bar it belongs to.
    pub group: Group,
    /// What a developer reads: who is held up by what.
    pub title: String,
    /// The thread that is held up: `main`, `RenderThread`, or as the kernel calls it.
    pub thread: String,
    /// By whom or at what: the lock's owner and where it has it, the process that answers, the section; empty where
    /// nothing names it.
    pub object: String,
}

impl NamedCause {
    /// The same in every run, on every phone, for equal causes of an app: 16 hexadecimal digits. Digits in names (of
    /// threads of a pool, say) do not count.
    pub fn fingerprint(&self, app: &str) -> String {
        let mut hash = Fnv::NOTHING.part(app.as_bytes());
        for part in [&self.kind, &self.thread, &self.object] {
            let mut number = false;
            let folded = part.bytes().filter_map(|byte| {
                let again = std::mem::replace(&mut number, byte.is_ascii_digit());
                match (number, again) {
                    (true, true) => None,
                    (true, false) => Some(b'#'),
                    _ => Some(byte),
                }
            });
            hash = hash.part(&folded.collect::<Vec<_>>());
        }
        format!("{:016x}", hash.number())
    }
}

/// One cause over all late frames of a window. One field for each thing that is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitchCause {
    /// What it is.
    #[serde(flatten)]
    pub named: NamedCause,
    /// As [`NamedCause::fingerprint`], of the app that was measured.
    pub fingerprint: String,
    /// Time charged, µs.
    pub us: i64,
    /// Late frames it is in.
    pub frames: u32,
    /// Time it takes in the middle one of the frames in time, µs.
    pub usual_us: i64,
    /// What is known beside, of the frame it cost most; empty where nothing is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The method it is charged to, with its package: where the thread ran, where the lock's owner has it, where the
    /// wait began; empty where nothing tells.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method: String,
    /// Whose it is, as [`Owners`](crate::owners::Owners) have it; none where nobody owns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// How sure, at least, half of its time or more is.
    pub confidence: Confidence,
}

/// One cause's part of one late frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameCause {
    /// What it is.
    #[serde(flatten)]
    pub named: NamedCause,
    /// Time charged, µs.
    pub us: i64,
    /// Time it took in this frame, µs.
    pub took_us: i64,
    /// Time it takes in the middle one of the frames in time, µs.
    pub usual_us: i64,
    /// What is known beside; empty where nothing is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// What one late frame is charged to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameCauses {
    /// Most first.
    pub causes: Vec<FrameCause>,
    /// Causes that are left out, and their time together, µs.
    #[serde(default)]
    pub smaller: u32,
    /// See `smaller`.
    #[serde(default)]
    pub smaller_us: i64,
    /// What nothing explains, µs.
    pub unexplained_us: i64,
    /// How sure.
    pub confidence: Confidence,
}

/// One late frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateFrame {
    /// Token of its vsync.
    pub token: i64,
    /// Process.
    pub process: i32,
    /// Layer.
    pub layer: String,
    /// It was shown then, on the clock of traces.
    pub shown_at: BootTime,
    /// The same on the clock of frames; none where the trace does not tell how they stand to each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present: Option<DeviceTime>,
    /// Time it was late by, µs.
    pub hitch_us: i64,
    /// What it is charged to; none where nothing can be said.
    pub charged: Option<FrameCauses>,
    /// Why nothing can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Why time is unexplained, and how much of it, µs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unexplained {
    /// In words.
    pub reason: String,
    /// Time, µs.
    pub us: i64,
}

/// Time of a kind that is in no list, µs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindTime {
    /// As [`NamedCause::kind`].
    pub kind: String,
    /// The group of the bar it belongs to.
    pub group: Group,
    /// Time charged, µs.
    pub us: i64,
}

/// One stall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalled {
    /// Process.
    pub process: i32,
    /// It began then, on the clock of traces.
    pub began: BootTime,
    /// The same on the clock of frames; none where the trace does not tell how they stand to each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<DeviceTime>,
    /// How long it was, µs.
    pub us: i64,
    /// A touch waited so long for its end, µs; none where none is known to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touch_us: Option<i64>,
    /// What it is charged to; none where nothing can be said.
    pub charged: Option<FrameCauses>,
    /// Why nothing can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// All stalls of a window. One field for each thing that is found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StallCauses {
    /// How long all of them were, µs: the sum of the next three.
    pub us: i64,
    /// Charged to causes.
    pub explained_us: i64,
    /// Charged to nothing.
    pub unexplained_us: i64,
    /// Of stalls near which events were lost.
    pub unknown_us: i64,
    /// Why nothing is charged, most first.
    pub unexplained: Vec<Unexplained>,
    /// How many.
    pub count: u32,
    /// Causes over all of them, most first; their `frames` are stalls, nothing of them is usual.
    pub causes: Vec<HitchCause>,
    /// Causes that are left out, and their time together, µs.
    #[serde(default)]
    pub smaller: u32,
    /// See `smaller`.
    #[serde(default)]
    pub smaller_us: i64,
    /// Stalls, in order of time.
    pub list: Vec<Stalled>,
    /// Stalls that are left out: the shortest.
    #[serde(default)]
    pub left_out: u32,
}

impl StallCauses {
    /// Whether there was none.
    pub fn is_none(&self) -> bool {
        self.count == 0
    }
}

/// Stacks of calls that were taken beside, which name methods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallStacks {
    /// How many.
    pub taken: u64,
    /// How many were asked for and not taken, or lost, as far as that is told.
    pub lost: u64,
    /// Why there are none; none where there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Why the frames of a window were late. One field for each thing that is found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitchCauses {
    /// Time all of them were late by, µs: the sum of the next three.
    pub hitch_us: i64,
    /// Charged to causes.
    pub explained_us: i64,
    /// Charged to nothing.
    pub unexplained_us: i64,
    /// Of frames whose events were lost.
    pub unknown_us: i64,
    /// Why nothing is charged, most first.
    pub unexplained: Vec<Unexplained>,
    /// Late frames.
    pub late_frames: u32,
    /// Frames in time they are held against.
    pub in_time: u32,
    /// Frames that were replaced before being shown: late nowhere.
    pub dropped: u32,
    /// Motion they were looked for in; none where it is of no window, but of a whole trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Span>,
    /// Causes over all late frames, most first.
    pub causes: Vec<HitchCause>,
    /// Causes that are left out, and their time together, µs.
    #[serde(default)]
    pub smaller: u32,
    /// See `smaller`.
    #[serde(default)]
    pub smaller_us: i64,
    /// What kinds those are of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub smaller_kinds: Vec<KindTime>,
    /// Late frames, in order of time.
    pub frames: Vec<LateFrame>,
    /// Late frames that are left out: those that were late by least.
    #[serde(default)]
    pub frames_left_out: u32,
    /// Stalls without a frame, in none of the numbers above.
    #[serde(default, skip_serializing_if = "StallCauses::is_none")]
    pub stalls: StallCauses,
    /// Stacks of calls; none where nobody asked for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stacks: Option<CallStacks>,
    /// What keeps the answer from being whole, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Path of the pictures of those that cost most ([`frame_lanes`](crate::frame_lanes)) inside the bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<String>,
}

impl HitchCauses {
    /// Whether there were enough frames in time to tell what is usual.
    pub fn usual_known(&self) -> bool {
        self.in_time >= FEWEST_IN_TIME
    }

    /// Time charged to a group, µs; causes that are left out are in none.
    pub fn of_group(&self, group: Group) -> i64 {
        let own = self.causes.iter().filter(|cause| cause.named.group == group).map(|cause| cause.us);
        own.sum::<i64>() + if group == Group::Unexplained { self.unexplained_us } else { 0 }
    }

    /// Time per time of motion, ms/s, as `hitch_ms_per_s` counts; none without motion.
    pub fn ms_per_s(&self, us: i64) -> Option<f64> {
        let motion = self.motion.filter(|motion| motion.ns() > 0)?;
        Some(us as f64 / (motion.ns() as f64 / 1e6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(object: &str) -> NamedCause {
        NamedCause {
            kind: "lock.monitor".to_owned(),
            group: Group::Waiting,
            title: String::new(),
            thread: "main".to_owned(),
            object: object.to_owned(),
        }
    }

    #[test]
    fn a_fingerprint_is_of_app_kind_thread_and_object_and_not_of_numbers_in_them() {
        let of = |object: &str| cause(object).fingerprint("com.shop");
        assert_eq!(of("pool-3-thread-12 in Db.flush"), of("pool-14-thread-1 in Db.flush"));
        assert_ne!(of("pool-3-thread-12 in Db.flush"), of("pool-3-thread-12 in Db.read"));
        assert_ne!(of("db"), cause("db").fingerprint("com.other"));
        assert_ne!(
            of("db"),
            NamedCause { thread: "RenderThread".to_owned(), ..cause("db") }.fingerprint("com.shop")
        );
        // Part of what is written in logs and tickets: it must never change.
        assert_eq!(of("\"db-writer\" in ShopDb.flush"), "bce0911e595f326a");
    }

    #[test]
    fn time_per_time_of_motion_is_that_of_the_metric() {
        let found = HitchCauses { motion: Some(Span::from_ns(2_000_000_000)), ..HitchCauses::default() };
        assert_eq!(found.ms_per_s(80_000), Some(40.0));
        assert_eq!(HitchCauses::default().ms_per_s(80_000), None);
    }
}
