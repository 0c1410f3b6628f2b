//! An app with ten frames in time and one that is late: eleven milliseconds of usual work each, and forty more of
//! whatever a test makes of them.

use farmjank_causes::fact::{Fact, Segment, State, Thread};
use farmjank_causes::frame::{Blamed, Frame};
use farmjank_causes::inquiry::{Found, Inquiry};
use farmjank_causes::stall::Stall;
use farmjank_causes::threads::Threads;

pub const MS: i64 = 1_000_000;
/// The app, its main thread and its others.
pub const APP: i32 = 7;
pub const RENDER: i32 = 8;
pub const WRITER: i32 = 9;
pub const COLLECTOR: i32 = 10;
/// The system's server, and the compositor.
pub const SYSTEM: i32 = 20;
pub const SURFACEFLINGER: i32 = 30;
/// When the late frame begins; its extra time is from five to forty-five milliseconds later.
pub const LATE: i64 = 2_000 * MS;

/// What a thread does from when to when (ms after the late frame's beginning).
#[derive(Clone, Copy)]
pub struct Doing {
    pub tid: i32,
    pub from: i64,
    pub to: i64,
    pub state: State,
}

pub fn does(tid: i32, from: i64, to: i64, state: State) -> Doing {
    Doing { tid, from, to, state }
}

pub struct World {
    pub threads: Threads,
    pub inquiry: Inquiry,
}

impl World {
    pub fn new() -> World {
        World::with(&|frame| frame)
    }

    /// With the late frame changed.
    pub fn with(change: &dyn Fn(Frame) -> Frame) -> World {
        World::of(change, Vec::new())
    }

    /// With stalls that are asked about, too.
    pub fn of(change: &dyn Fn(Frame) -> Frame, stalls: Vec<Stall>) -> World {
        let mut threads = Threads::default();
        let names = [
            (APP, APP, "com.shop"),
            (RENDER, APP, "RenderThread"),
            (WRITER, APP, "db-writer"),
            (COLLECTOR, APP, "HeapTaskDaemon"),
            (SYSTEM, SYSTEM, "system_server"),
            (SURFACEFLINGER, SURFACEFLINGER, "surfaceflinger"),
        ];
        for (tid, process, name) in names {
            let thread = threads.of(tid);
            threads.rename(thread, name.as_bytes());
            threads.join(thread, process);
        }
        threads.name_process(SYSTEM, b"system_server");
        threads.name_process(SURFACEFLINGER, b"/system/bin/surfaceflinger");
        let frames = (0..10).map(|nth| (nth, nth * 100 * MS, 11)).chain([(10, LATE, 51)]);
        let frame = |(token, from, length): (i64, i64, i64)| Frame {
            process: APP,
            token,
            layer: "com.shop/com.shop.Main#1".to_owned(),
            from,
            done: from + length * MS,
            deadline: Some(from + 11 * MS + 1_000),
            to: from + (length + 9) * MS,
            shown_by: Some(1_000 + token),
            hitch: (length - 11) * MS,
            period: 10 * MS,
            blamed: Blamed { app: length > 11, ..Blamed::default() },
        };
        let frames: Vec<Frame> =
            frames.map(frame).map(|one| if one.token == 10 { change(one) } else { one }).collect();
        let mut world = World { inquiry: Inquiry::of(frames.clone(), stalls), threads };
        for frame in &frames {
            world.slice(
                APP,
                frame.from + MS,
                frame.done,
                0,
                &format!("Choreographer#doFrame {}", frame.token),
            );
            if frame.token != 10 {
                world.state(APP, frame.from, frame.done, State::Running, |one| one);
                world.state(APP, frame.done, frame.from + 100 * MS, State::Sleeping, |one| one);
            }
        }
        world.state(APP, LATE, LATE + 5 * MS, State::Running, |one| one);
        world.state(APP, LATE + 45 * MS, LATE + 51 * MS, State::Running, |one| one);
        world
    }

    pub fn thread(&self, tid: i32) -> Thread {
        self.threads.find(tid).expect("a thread of this world")
    }

    pub fn state(&mut self, tid: i32, from: i64, to: i64, state: State, change: impl Fn(Segment) -> Segment) {
        let thread = self.thread(tid);
        let cpu = (state == State::Running).then_some(tid as u32 % 4);
        let one = Segment { thread, from, to: Some(to), state, cpu, waker: None, interrupt: false, io: None };
        self.inquiry.take(&Fact::State(change(one)));
    }

    /// A state of the late frame's time, in ms from its beginning.
    pub fn late(&mut self, doing: Doing, change: impl Fn(Segment) -> Segment) {
        self.state(doing.tid, LATE + doing.from * MS, LATE + doing.to * MS, doing.state, change);
    }

    pub fn slice(&mut self, tid: i32, from: i64, to: i64, depth: usize, name: &str) {
        let thread = self.thread(tid);
        self.inquiry.take(&Fact::Slice { thread, from, to: Some(to), depth, name: name.as_bytes() });
    }

    /// A slice of the late frame's time, in ms from its beginning.
    pub fn late_slice(&mut self, tid: i32, from: i64, to: i64, name: &str) {
        self.slice(tid, LATE + from * MS, LATE + to * MS, 5, name);
    }

    pub fn finish(self) -> Found {
        self.inquiry.finish(&self.threads, None)
    }
}

/// Causes of all frames: word, µs, sentence, detail.
pub fn told(found: &Found) -> Vec<(String, i64, String, String)> {
    let total = |total: &farmjank_causes::inquiry::Total| {
        (total.cause.word(), total.us, total.cause.sentence(), total.detail.clone())
    };
    found.totals.iter().map(total).collect()
}
