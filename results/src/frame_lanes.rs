//! Late frames as pictures: what every thread on a frame's way did around its time, what held the frame up at each
//! instant, and when it was promised, due and shown.
//!
//! Made once, where a trace is read for why frames were late; whoever draws decides nothing. For eyes: instants are µs
//! since the frame should have begun, short stretches are merged, lists are bounded. A file of evidence, described in
//! `docs/frame-lanes.md`. Must not know traces, or how anything is drawn.

use crate::hitch_causes::Group;
use crate::time::BootTime;
use serde::{Deserialize, Serialize};

/// Version of the file.
const VERSION: u32 = 1;
/// Most pictures of frames, and of stalls, of one window.
pub const FRAMES: usize = 12;
/// See [`FRAMES`].
pub const STALLS: usize = 4;
/// Most lanes of a picture.
pub const LANES: usize = 7;
/// Most states, and most slices, of a lane; most stretches of the way; most names of slices in a picture.
pub const SPANS: usize = 200;
/// See [`SPANS`].
pub const NAMES: usize = 300;
/// Levels of slices that are kept.
pub const LEVELS: u8 = 4;
/// Longest name, bytes.
pub const NAME: usize = 160;
/// Most stacks of calls of a picture, and most calls of one: the innermost.
pub const STACKS: usize = 160;
/// See [`STACKS`].
pub const CALLS: usize = 32;

/// The pictures of one window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameLanes {
    /// Frames, late by most first, then stalls, the longest first.
    pub pictures: Vec<Picture>,
}

/// One late frame, or one stall without a frame. Times: µs since `origin`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Process.
    pub process: i32,
    /// Token of the frame's vsync; none of a stall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<i64>,
    /// When the frame's work should have begun, or the stall did, on the clock of traces.
    pub origin: BootTime,
    /// What is drawn: from, until.
    pub drawn: (i64, i64),
    /// The app should have been done then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<i64>,
    /// It should have been shown then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<i64>,
    /// It was shown, or the stall ended, then.
    pub end: i64,
    /// Refresh period, ns; 0 where it is not known. Refreshes are before and after `end` by whole periods.
    pub period_ns: i64,
    /// Names of slices and of methods, as written, cut.
    pub names: Vec<String>,
    /// Threads, in the order they are drawn: who is waited for stands below who waits.
    pub lanes: Vec<Lane>,
    /// What held it up.
    pub causes: Vec<LaneCause>,
    /// When it was held up, by what, where.
    pub way: Vec<Held>,
    /// Which calls its threads were in until it was shown, by lane and time; none where no tracer looked at calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<CallStack>,
}

/// Calls a thread was in for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallStack {
    /// Whose lane.
    pub lane: usize,
    /// From.
    pub from: i64,
    /// Until.
    pub to: i64,
    /// It was off its CPU.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off_cpu: bool,
    /// Places in the picture's names, the outermost call first.
    pub calls: Vec<usize>,
}

/// What a lane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Main, or whatever thread makes the frame.
    Main,
    /// The thread that draws it.
    Render,
    /// The GPU: no thread, busy until the frame's buffer is done.
    Gpu,
    /// The compositor's main thread.
    Compositor,
    /// A thread that another one of the picture waits for.
    WaitedFor,
}

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneState {
    /// On a CPU.
    Running,
    /// Waiting for a CPU.
    Ready,
    /// Waiting for somebody.
    Sleeping,
    /// Waiting in the kernel.
    Blocked,
    /// The same, for a disk.
    Disk,
}

/// A state: from, how long, what.
pub type StateSpan = (i64, i64, LaneState);
/// A slice: from, how long, its level (0 is the outermost), its name's place in the picture's names.
pub type SliceSpan = (i64, i64, u8, usize);

/// One thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// What it is.
    pub role: Role,
    /// The thread's name.
    pub name: String,
    /// Its process, where that is not the frame's; empty else.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub process: String,
    /// What it did, in order, apart from each other.
    pub states: Vec<StateSpan>,
    /// What it was inside, by level and time.
    pub slices: Vec<SliceSpan>,
}

/// Something that held the frame up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneCause {
    /// As of causes: `lock.monitor`.
    pub kind: String,
    /// Its group.
    pub group: Group,
    /// What a developer reads.
    pub title: String,
    /// Time of the frame's lateness that is charged to it, µs; 0 of what is usual.
    pub us: i64,
}

/// A stretch in which a thread of the way was held up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// From.
    pub from: i64,
    /// Until.
    pub to: i64,
    /// Whose lane.
    pub lane: usize,
    /// What by: a place in the picture's causes.
    pub cause: usize,
    /// The lane of whom it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<usize>,
    /// It is not on the frame's way itself: what a thread did while it was waited for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub meanwhile: bool,
}

#[derive(Serialize, Deserialize)]
struct File<P> {
    version: u32,
    pictures: P,
}

impl FrameLanes {
    /// As kept in the bundle.
    pub fn encode(&self) -> Vec<u8> {
        let file = File { version: VERSION, pictures: &self.pictures };
        serde_json::to_vec(&file).expect("strings and numbers always serialise")
    }

    /// Reads what is kept. Somebody may have altered it: what is not of this version, or no picture, is none.
    pub fn decode(bytes: &[u8]) -> FrameLanes {
        let file: Option<File<Vec<serde_json::Value>>> = serde_json::from_slice(bytes).ok();
        let known = file.filter(|file| file.version == VERSION).map(|file| file.pictures);
        let read = |value| serde_json::from_value::<Picture>(value).ok().filter(Picture::is_whole);
        FrameLanes { pictures: known.into_iter().flatten().take(FRAMES + STALLS).filter_map(read).collect() }
    }

    /// The picture of a frame.
    pub fn of_frame(&self, process: i32, token: i64) -> Option<&Picture> {
        self.pictures.iter().find(|one| one.process == process && one.token == Some(token))
    }

    /// The picture of a stall.
    pub fn of_stall(&self, process: i32, began: BootTime) -> Option<&Picture> {
        let stall = |one: &&Picture| one.token.is_none() && one.process == process && one.origin == began;
        self.pictures.iter().find(stall)
    }
}

impl Picture {
    /// Whether everything in it is in order and within bounds: places exist, stretches lie inside, lists are short.
    fn is_whole(&self) -> bool {
        const DAY: i64 = 86_400_000_000;
        let (begin, end) = self.drawn;
        let inside = |from: i64, to: i64| begin <= from && from <= to && to <= end;
        let span = |from: i64, length: i64| {
            (0..=DAY).contains(&length) && from.checked_add(length).is_some_and(|to| inside(from, to))
        };
        let lane = |lane: &Lane| {
            lane.states.len() <= SPANS
                && lane.slices.len() <= SPANS
                && lane.states.iter().all(|(from, length, _)| span(*from, *length))
                && lane.slices.iter().all(|(from, length, level, name)| {
                    span(*from, *length) && *level < LEVELS && *name < self.names.len()
                })
        };
        let held = |one: &Held| {
            inside(one.from, one.to)
                && one.cause < self.causes.len()
                && [Some(one.lane), one.waits_for].into_iter().flatten().all(|at| at < self.lanes.len())
        };
        let stack = |one: &CallStack| {
            inside(one.from, one.to)
                && one.lane < self.lanes.len()
                && (1..=CALLS).contains(&one.calls.len())
                && one.calls.iter().all(|name| *name < self.names.len())
        };
        (-DAY..0).contains(&begin)
            && (0..DAY).contains(&end)
            && inside(self.end, self.end)
            && self.period_ns >= 0
            && self.names.len() <= NAMES + 1
            && self.lanes.len() <= LANES
            && self.causes.len() <= SPANS
            && self.way.len() <= 2 * SPANS
            && self.lanes.iter().all(lane)
            && self.way.iter().all(held)
            && self.stacks.len() <= STACKS
            && self.stacks.iter().all(stack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture() -> Picture {
        let held = Held { from: 0, to: 9_000, lane: 0, cause: 0, waits_for: Some(1), meanwhile: false };
        let lane = |role, name: &str| Lane {
            role,
            name: name.to_owned(),
            process: String::new(),
            states: vec![(-1_000, 1_000, LaneState::Running), (0, 9_000, LaneState::Sleeping)],
            slices: vec![(0, 9_000, 0, 0)],
        };
        Picture {
            process: 7,
            token: Some(11),
            origin: BootTime::from_ns(5_000_000),
            drawn: (-1_000, 10_000),
            deadline: Some(4_000),
            due: Some(5_000),
            end: 9_500,
            period_ns: 8_333_333,
            names: vec!["Choreographer#doFrame 11".to_owned()],
            lanes: vec![lane(Role::Main, "main"), lane(Role::WaitedFor, "db-writer")],
            causes: vec![LaneCause {
                kind: "lock.monitor".to_owned(),
                group: Group::Waiting,
                title: "main waits for a lock held by \"db-writer\"".to_owned(),
                us: 4_500,
            }],
            way: vec![held],
            stacks: vec![CallStack { lane: 0, from: 0, to: 9_000, off_cpu: true, calls: vec![0] }],
        }
    }

    #[test]
    fn a_picture_comes_back_as_it_was_kept() {
        let stall = Picture { token: None, ..picture() };
        let kept = FrameLanes { pictures: vec![picture(), stall.clone()] };
        let read = FrameLanes::decode(&kept.encode());
        assert_eq!(read, kept);
        assert_eq!(read.of_frame(7, 11), Some(&picture()));
        assert_eq!(read.of_stall(7, BootTime::from_ns(5_000_000)), Some(&stall));
        assert_eq!((read.of_frame(7, 12), read.of_frame(8, 11)), (None, None));
    }

    #[test]
    fn what_is_torn_or_of_another_version_is_no_picture() {
        let bytes = FrameLanes { pictures: vec![picture()] }.encode();
        for cut in 0..bytes.len() {
            assert_eq!(FrameLanes::decode(&bytes[..cut]), FrameLanes::default(), "{cut}");
        }
        let text = String::from_utf8(bytes).expect("JSON is text");
        let newer = text.replace("\"version\":1", "\"version\":2");
        assert_ne!(text, newer);
        assert_eq!(FrameLanes::decode(newer.as_bytes()), FrameLanes::default());
    }

    #[test]
    fn a_picture_that_points_nowhere_is_left_out_and_the_others_stay() {
        let spoil: [fn(&mut Picture); 13] = [
            |one| one.stacks[0].lane = 2,
            |one| one.stacks[0].calls[0] = 1,
            |one| one.stacks[0].calls = vec![0; CALLS + 1],
            |one| one.stacks[0].from = -1_001,
            |one| one.way[0].lane = 2,
            |one| one.way[0].waits_for = Some(9),
            |one| one.way[0].cause = 1,
            |one| one.way[0].to = 10_001,
            |one| one.lanes[0].slices[0].3 = 1,
            |one| one.lanes[0].slices[0].2 = LEVELS,
            |one| one.lanes[1].states[0].1 = i64::MAX,
            |one| one.lanes[0].states = vec![(0, 1, LaneState::Running); SPANS + 1],
            |one| one.drawn.1 = i64::MAX,
        ];
        for (nth, spoil) in spoil.into_iter().enumerate() {
            let mut spoilt = picture();
            spoil(&mut spoilt);
            let read = FrameLanes::decode(&FrameLanes { pictures: vec![spoilt, picture()] }.encode());
            assert_eq!(read.pictures, vec![picture()], "{nth}");
        }
    }
}
