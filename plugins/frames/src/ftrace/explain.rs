//! Why frames of an app were late in the windows of a trial, and its main thread was held up where none was promised:
//! its trace, read twice in pieces.
//!
//! Frames in time that late ones are held against are those of the same window: pages differ in what is usual.

use super::{Around, Scan, Scanned};
use crate::frametimeline::{Trace, TraceReader, frames_of};
use crate::stacks::BesideTrace;
use farmjank_causes::ask::{self, Asked};
use farmjank_causes::held::Busy;
use farmjank_causes::stacks::Looks;
use farmjank_causes::stall::{self, Stall};
use farmjank_causes::threads::Threads;
use farmjank_causes::told::{Most, told};
use farmjank_results::device::App;
use farmjank_results::frame_lanes::FrameLanes;
use farmjank_results::frame_timeline::SurfaceFrames;
use farmjank_results::hitch_causes::{CallStacks, HitchCauses};
use farmjank_results::motion::Motion;
use farmjank_results::owners::Owners;
use farmjank_results::reader::{CauseReader, Explained, Unreadable};
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::{BootTime, ClockMap, DeviceTime, Span};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Reads the trace of a trial for why frames were late.
pub struct Explain {
    app: App,
    clock: Option<ClockMap>,
    methods: Methods,
    beside: BesideTrace,
    reading: Reading,
}

/// How methods are told, and whose they are.
#[derive(Clone, Debug, Default)]
pub struct Methods {
    /// Stacks of calls were to be recorded beside.
    pub wanted: bool,
    /// A mapping of R8 or ProGuard, by which they have the names of the source.
    pub mapping: Option<Arc<str>>,
    /// Whose causes are.
    pub owners: Arc<Owners>,
}

/// How far it is.
enum Reading {
    Frames(Box<(TraceReader, Scan)>),
    Told(Box<Told>),
    Causes(Vec<Window>),
    /// Nothing more is to be read.
    Over,
}

/// What the first reading found.
struct Told {
    trace: Trace,
    frames: BTreeMap<String, SurfaceFrames>,
    threads: Threads,
    busy: Busy,
    looks: Rc<Looks>,
    stacks: Option<CallStacks>,
}

/// A window that is asked about.
struct Window {
    motion: Span,
    dropped: u32,
    doubts: Vec<String>,
    offset: Option<Span>,
    /// None where no frame of it was late, and nothing held main up: nothing is to be read.
    around: Option<Around>,
    in_time: u32,
    stacks: Option<CallStacks>,
}

impl Explain {
    /// Of this app, on a phone whose clocks stand to each other so.
    pub fn new(app: &App, clock: Option<ClockMap>, methods: Methods) -> Explain {
        let (app, beside) = (app.clone(), BesideTrace::default());
        Explain { app, clock, methods, beside, reading: Reading::Frames(Box::default()) }
    }
}

impl CauseReader for Explain {
    fn feed(&mut self, bytes: &[u8]) {
        match &mut self.reading {
            Reading::Frames(both) => {
                both.0.feed(bytes);
                both.1.feed(bytes);
            }
            Reading::Causes(windows) => {
                windows
                    .iter_mut()
                    .filter_map(|one| one.around.as_mut())
                    .for_each(|around| around.feed(bytes));
            }
            Reading::Told(_) | Reading::Over => {}
        }
    }

    fn beside(&mut self, bytes: &[u8]) {
        self.beside.feed(bytes);
    }

    fn beside_said(&mut self, said: Result<&[u8], &str>) {
        self.beside.said(said);
    }

    fn frames(&mut self) -> Result<SideReading, Unreadable> {
        let Reading::Frames(both) = std::mem::replace(&mut self.reading, Reading::Over) else {
            return Err(Unreadable::Empty("it was read once already".to_owned()));
        };
        let (reader, scan) = *both;
        let trace = reader.finish()?;
        let frames = frames_of(&trace, &self.app, self.clock)?;
        let said = SideReading::Timeline(frames.clone());
        let Scanned { threads, busy, mut stacks } = scan.finish();
        if let Some(of_phone) = std::mem::take(&mut self.beside).stacks(&trace) {
            stacks = of_phone;
        }
        if let Some(mapping) = &self.methods.mapping {
            stacks.retrace(mapping);
        }
        let (told, looks) = (stacks.told(self.methods.wanted), stacks.looks());
        self.reading = Reading::Told(Box::new(Told { trace, frames, threads, busy, looks, stacks: told }));
        Ok(said)
    }

    fn ask(&mut self, windows: &[&[Motion]]) -> bool {
        if let Reading::Told(told) = &self.reading {
            let asked = windows.iter().map(|motions| window(told, motions)).collect();
            self.reading = Reading::Causes(asked);
        }
        let Reading::Causes(windows) = &self.reading else { return false };
        windows.iter().any(|one| one.around.is_some())
    }

    fn causes(&mut self) -> Vec<Result<Explained, String>> {
        match std::mem::replace(&mut self.reading, Reading::Over) {
            Reading::Causes(windows) => {
                windows.into_iter().map(|one| one.causes(&self.app, &self.methods.owners)).collect()
            }
            Reading::Frames(_) | Reading::Told(_) | Reading::Over => Vec::new(),
        }
    }
}

/// What is asked about one window: its frames, late ones and those in time.
fn window(told: &Told, motions: &[Motion]) -> Window {
    let Told { trace, frames, threads, busy, looks, stacks } = told;
    let mut asked = Asked::default();
    let mut doubts = Vec::new();
    let mut moved = 0;
    let clock = |at| trace.boottime(at);
    // Whatever is held up while something moves, or a finger is down, holds that up.
    let under_way = |stall: &Stall| {
        motions.iter().any(|motion| {
            let ends = clock(motion.from).zip(clock(motion.to));
            ends.is_some_and(|(from, to)| stall.from < to && stall.to > from)
        })
    };
    for of_process in frames.values() {
        asked.stalls.extend(stall::stalls(busy, of_process, &clock).into_iter().filter(under_way));
        let own = of_process.within(motions);
        moved = moved.max(own.moving_ns(motions));
        match own.period.filter(|period| period.ns() > 0) {
            Some(period) => {
                let new = ask::frames(&own, period, &clock);
                asked.frames.extend(new.frames);
                asked.dropped += new.dropped;
            }
            None if own.frames.is_empty() => {}
            None => doubts.push("too few frames to tell the refresh period of some of them".to_owned()),
        }
        doubts.extend(own.doubts);
    }
    doubts.dedup();
    let late = asked.frames.iter().filter(|frame| frame.hitch > 0).count();
    let count = |many: usize| u32::try_from(many).unwrap_or(u32::MAX);
    Window {
        motion: Span::from_ns(i64::try_from(moved).unwrap_or(i64::MAX)),
        dropped: count(asked.dropped),
        doubts,
        offset: trace.offset,
        in_time: count(asked.frames.len() - late),
        around: (late > 0 || !asked.stalls.is_empty())
            .then(|| Around::of(asked.frames, asked.stalls, threads.clone()).beside(looks.clone())),
        stacks: stacks.clone(),
    }
}

impl Window {
    fn causes(self, app: &App, owners: &Owners) -> Result<Explained, String> {
        let Window { motion, dropped, mut doubts, offset, around, in_time, stacks } = self;
        let mut lanes = FrameLanes::default();
        let of_window = match around {
            None => HitchCauses { in_time, ..HitchCauses::default() },
            Some(around) => {
                let (found, losses) = around.finish().map_err(|why| why.to_string())?;
                doubts.extend(losses.doubts());
                let clock = |at: BootTime| {
                    let offset = offset?;
                    Some(DeviceTime::from_ns(at.ns().saturating_sub(offset.ns())))
                };
                let mut told = told(&found, &app.0, Most::LOGGED, &clock);
                owners.tell(&mut told);
                lanes.pictures = found.pictures;
                told
            }
        };
        let causes = HitchCauses { motion: Some(motion), dropped, doubts, stacks, ..of_window };
        Ok(Explained { causes, lanes })
    }
}
