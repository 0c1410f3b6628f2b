//! A late frame, or a stall, as a picture: which threads it shows, what they did, and what held the frame up where.
//!
//! Made while what is known of its time is at hand, charged when all frames were looked at. Shown are the threads of
//! its way, and at most two that are waited for: those that were waited for longest, or what the first of them waited
//! for itself. Times are ns of the facts' clock, in the picture µs since the frame should have begun.

mod calls;
mod thin;

use crate::add::Charges;
use crate::cause::{Cause, clip};
use crate::fact::{Segment, State, Thread};
use crate::facts::Facts;
use crate::frame::{Frame, Seen, cause};
use crate::kind::{Kind, Place};
use crate::leaf::{HOPS, Labelled, Looking, Turn};
use crate::stall::Stall;
use crate::threads::Threads;
use farmjank_results::frame_lanes::{
    CALLS, CallStack, Held, Lane, LaneCause, LaneState, NAME, NAMES, Picture, Role, SPANS, STACKS, SliceSpan,
};
use farmjank_results::time::BootTime;
use std::cell::Cell;
use std::collections::BTreeMap;

/// Shorter than this part of the picture, a stretch is merged with what is beside it.
const FINEST: i64 = 500;
/// Threads that are shown because they are waited for, at most, each for this part of the picture or longer.
const WAITED_FOR: usize = 2;
const WORTH: i64 = 100;
/// Waits for one thread in which it is looked at what that one did, the longest first.
const WAITS: usize = 8;
/// Shown before and after the frame's time: this part of it, this much at least, ns.
const MARGIN: i64 = 25;
const LEAST_MARGIN: i64 = 500_000;
/// Longest words about a cause, bytes.
const WORDS: usize = 300;
/// Stands for names there is no room for.
const REST: &str = "…";

/// What held a thread up, when.
type Stretch = (Cause, Labelled);

/// A picture that is not charged yet.
#[derive(Clone, Debug)]
pub struct Sketch {
    picture: Picture,
    causes: Vec<Cause>,
    title: fn(&Cause) -> String,
}

impl Sketch {
    /// The picture, with what is charged to each cause in it.
    pub fn charged(mut self, charges: &Charges) -> Picture {
        let us = |cause: &Cause| match cause.kind {
            Kind::Unexplained(why) => charges.why.iter().find(|(known, _)| *known == why).map(|(_, us)| *us),
            _ => charges.charged.iter().find(|one| one.cause == *cause).map(|one| one.us),
        };
        let told = |cause: &Cause| LaneCause {
            kind: clip(&cause.word(), WORDS),
            group: cause.group(),
            title: clip(&(self.title)(cause), WORDS),
            us: us(cause).unwrap_or(0),
        };
        self.picture.causes = self.causes.iter().map(told).collect();
        self.picture
    }
}

/// The picture of a late frame.
pub fn of_frame(frame: &Frame, seen: &Seen, facts: &Facts, threads: &Threads) -> Sketch {
    let work = Cell::new(0);
    let (process, place, turn) = (frame.process, Place::App, Turn::Made);
    let looking = Looking { facts, threads, process, place, turn, work: &work };
    let begun = seen.begun.map_or(frame.from, |begun| begun.min(frame.from));
    let drawing = Drawing::of(looking, (begun, frame.from, frame.to), seen);
    let blank = Picture {
        token: Some(frame.token),
        deadline: frame.deadline.map(|at| drawing.us(at)),
        due: Some(drawing.us(frame.to - frame.hitch)),
        period_ns: frame.period.max(0),
        ..drawing.blank()
    };
    drawing.sketch(blank, Cause::sentence)
}

/// The picture of a stall.
pub fn of_stall(stall: &Stall, seen: &Seen, facts: &Facts, threads: &Threads) -> Sketch {
    let work = Cell::new(0);
    let (process, place, turn) = (stall.process, Place::App, Turn::None);
    let looking = Looking { facts, threads, process, place, turn, work: &work };
    let drawing = Drawing::of(looking, (stall.from, stall.from, stall.to), seen);
    let blank = drawing.blank();
    drawing.sketch(blank, Cause::in_stall)
}

/// A lane before it is drawn.
#[derive(Clone, Copy)]
struct Row {
    role: Role,
    thread: Option<Thread>,
}

/// A wait for a thread: who waits, for how long in all, and every single one.
struct Waits {
    waiter: Thread,
    all: i64,
    each: Vec<(i64, i64)>,
}

/// What is drawn, and what is known for it.
struct Drawing<'a> {
    looking: Looking<'a>,
    /// Begin and end of the picture, when its frame should have begun, and when it was shown.
    drawn: (i64, i64),
    origin: i64,
    end: i64,
    rows: Vec<Row>,
    /// What is on the frame's way, and what threads did that it waited for.
    way: Vec<Stretch>,
    meanwhile: Vec<Stretch>,
}

impl<'a> Drawing<'a> {
    fn of(looking: Looking<'a>, (begun, origin, end): (i64, i64, i64), seen: &Seen) -> Drawing<'a> {
        let margin = ((end - begun) / MARGIN).max(LEAST_MARGIN);
        let drawn = (begun - margin, end + margin);
        let way = joined(seen.stretches.iter().cloned());
        let (rows, meanwhile) = (Vec::new(), Vec::new());
        let mut drawing = Drawing { looking, drawn, origin, end, rows, way, meanwhile };
        let row = |role, thread| Row { role, thread };
        drawing.rows.push(row(Role::Main, seen.made));
        drawing
            .rows
            .extend(seen.drawn.filter(|_| seen.drawn != seen.made).map(|one| row(Role::Render, Some(one))));
        let on = |role| drawing.way.iter().any(|(cause, _)| role_of(cause) == Some(role));
        let (gpu, compositor) = (on(Role::Gpu), on(Role::Compositor) || seen.composed.is_some());
        drawing.rows.extend(gpu.then_some(row(Role::Gpu, None)));
        drawing.rows.extend(compositor.then_some(row(Role::Compositor, seen.composed)));
        for _ in 0..WAITED_FOR {
            drawing.add_waited_for();
        }
        drawing
    }

    fn us(&self, at: i64) -> i64 {
        (at - self.origin).div_euclid(1_000)
    }

    /// Shorter stretches are merged, ns.
    fn finest(&self) -> i64 {
        (self.drawn.1 - self.drawn.0) / FINEST
    }

    fn row_of(&self, thread: Thread) -> Option<usize> {
        self.rows.iter().position(|row| row.thread == Some(thread))
    }

    /// Adds the thread that was waited for longest and has no lane, below the one that waits for it.
    fn add_waited_for(&mut self) {
        let main = self.rows.first().and_then(|row| row.thread).unwrap_or(Thread::IDLE);
        let mut waits: BTreeMap<Thread, Waits> = BTreeMap::new();
        for (cause, one) in self.way.iter().chain(&self.meanwhile) {
            // A wait may go on in another thread, which is on the way itself then.
            let followed =
                (role_of(cause).is_none() && self.row_of(one.thread).is_none()).then_some((one.thread, main));
            for (peer, waiter) in one.peer.map(|peer| (peer, one.thread)).into_iter().chain(followed) {
                let new = || Waits { waiter, all: 0, each: Vec::new() };
                let known = waits.entry(peer).or_insert_with(new);
                known.all += one.to - one.from;
                known.each.push((one.from, one.to));
            }
        }
        let worth = (self.drawn.1 - self.drawn.0) / WORTH;
        waits.retain(|peer, waits| {
            *peer != Thread::IDLE && waits.all >= worth && self.row_of(*peer).is_none()
        });
        let Some((peer, mut longest)) = waits.into_iter().max_by_key(|(_, waits)| waits.all) else { return };
        let after = self.row_of(longest.waiter).unwrap_or(0) + 1;
        self.rows.insert(after, Row { role: Role::WaitedFor, thread: Some(peer) });
        longest.each.sort_by_key(|(from, to)| from - to);
        longest.each.truncate(WAITS);
        let own =
            longest.each.into_iter().flat_map(|(from, to)| self.looking.labels(peer, from, to, HOPS - 1));
        let own = joined(own.map(|one| (cause(&self.looking, &one), one)));
        self.meanwhile.extend(own);
    }

    fn blank(&self) -> Picture {
        Picture {
            process: self.looking.process,
            token: None,
            origin: BootTime::from_ns(self.origin),
            drawn: (self.us(self.drawn.0), self.us(self.drawn.1)),
            deadline: None,
            due: None,
            end: self.us(self.end),
            period_ns: 0,
            names: Vec::new(),
            lanes: Vec::new(),
            causes: Vec::new(),
            way: Vec::new(),
            stacks: Vec::new(),
        }
    }

    fn sketch(self, blank: Picture, title: fn(&Cause) -> String) -> Sketch {
        let (mut causes, mut names) = (Table::default(), Table::default());
        let mut way = self.held(&self.way, false, &mut causes);
        way.extend(self.held(&self.meanwhile, true, &mut causes));
        way.retain(|one| one.cause < SPANS);
        let mut causes = causes.all;
        causes.truncate(SPANS);
        let lanes = self.rows.iter().map(|row| self.lane(row, &mut names)).collect();
        let stacks = self.stacks(&mut names);
        let picture = Picture { lanes, names: names.all, way, stacks, ..blank };
        Sketch { picture, causes, title }
    }

    /// The calls its threads were in until it was shown, those of the first lanes before there is no room.
    fn stacks(&self, names: &mut Table<String>) -> Vec<CallStack> {
        let mut all: Vec<CallStack> = Vec::new();
        for (lane, row) in self.rows.iter().enumerate() {
            let Some(thread) = row.thread else { continue };
            let room = (self.finest(), STACKS - all.len());
            for (from, to, (off_cpu, stack)) in
                calls::of(&self.looking, thread, (self.origin, self.end), room)
            {
                let calls = self.looking.facts.looks().calls(stack);
                let inner = &calls[calls.len().saturating_sub(CALLS)..];
                let calls = inner.iter().map(|name| names.place_of_name(clip(name, NAME))).collect();
                all.push(CallStack { lane, from: self.us(from), to: self.us(to), off_cpu, calls });
            }
        }
        all.retain(|one| !one.calls.is_empty());
        all
    }

    /// The lane of a stretch.
    fn place(&self, (cause, one): &Stretch) -> usize {
        let of_role = |role| self.rows.iter().position(|row| row.role == role);
        let place = match role_of(cause) {
            Some(role) => of_role(role),
            None => self.row_of(one.thread),
        };
        place.unwrap_or(0)
    }

    /// What held threads up, as the picture has it.
    fn held(&self, stretches: &[Stretch], meanwhile: bool, causes: &mut Table<Cause>) -> Vec<Held> {
        let mut known = Table::default();
        /// From, until, and lane, cause and whom it waits for.
        type Spent = (i64, i64, (usize, usize, Option<usize>));
        let mut spans: Vec<Spent> = Vec::new();
        for (cause, one) in stretches {
            let waits_for = one.peer.and_then(|peer| self.row_of(peer));
            let lane = self.place(&(cause.clone(), one.clone()));
            spans.push((one.from, one.to, (lane, known.place(cause), waits_for)));
        }
        // Each lane by itself: what one thread did meanwhile may lie beside what another did.
        spans.sort_by_key(|(from, _, (lane, ..))| (if meanwhile { *lane } else { 0 }, *from));
        let thinned = thin::merged(&spans, self.finest(), SPANS);
        let held = thinned.into_iter().map(|(from, to, (lane, cause, waits_for))| Held {
            from: self.us(from),
            to: self.us(to),
            lane,
            cause: causes.place(&known.all[cause]),
            waits_for: waits_for.filter(|peer| *peer != lane),
            meanwhile,
        });
        held.collect()
    }

    fn lane(&self, row: &Row, names: &mut Table<String>) -> Lane {
        let Looking { facts, threads, process, .. } = self.looking;
        let (from, to) = self.drawn;
        let own = row.thread.and_then(|thread| threads.process(thread));
        let of_process = || own.map(|own| self.looking.process_name(own)).unwrap_or_default();
        let (name, of) = match (row.role, row.thread) {
            (Role::Gpu, _) => ("GPU".to_owned(), String::new()),
            (Role::Compositor, None) => ("compositor".to_owned(), String::new()),
            (Role::Compositor, Some(_)) => (of_process(), String::new()),
            (_, None) => ("main".to_owned(), String::new()),
            (_, Some(thread)) => match own == Some(process) {
                true => (self.looking.name(thread), String::new()),
                false => (self.looking.name(thread), of_process()),
            },
        };
        let states: Vec<(i64, i64, LaneState)> = match row.thread {
            Some(thread) => facts.states(thread, from, to).into_iter().filter_map(state).collect(),
            None => self.way.iter().filter_map(|stretch| busy(row.role, stretch)).collect(),
        };
        let states = thin::merged(&states, self.finest(), SPANS).into_iter();
        let slices = row.thread.map(|thread| facts.slices(thread, from, to).0).unwrap_or_default();
        let slices = thin::slices(&slices, self.drawn, self.finest());
        Lane {
            role: row.role,
            name: clip(&name, NAME),
            process: clip(&of, NAME),
            states: states
                .map(|(from, to, state)| (self.us(from), self.us(to) - self.us(from), state))
                .collect(),
            slices: slices
                .into_iter()
                .map(|(from, to, level, name)| self.slice((from, to), level, name, names))
                .collect(),
        }
    }

    fn slice(&self, (from, to): (i64, i64), level: u8, name: String, names: &mut Table<String>) -> SliceSpan {
        let from_us = self.us(from);
        (from_us, self.us(to) - from_us, level, names.place_of_name(clip(&name, NAME)))
    }
}

/// Different things, each once, by their places.
struct Table<T> {
    all: Vec<T>,
    known: BTreeMap<T, usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { all: Vec::new(), known: BTreeMap::new() }
    }
}

impl<T: Ord + Clone> Table<T> {
    fn place(&mut self, one: &T) -> usize {
        if let Some(place) = self.known.get(one) {
            return *place;
        }
        self.all.push(one.clone());
        self.known.insert(one.clone(), self.all.len() - 1);
        self.all.len() - 1
    }
}

impl Table<String> {
    /// As [`Table::place`]; of names there is no room for one stands for all.
    fn place_of_name(&mut self, name: String) -> usize {
        let fits = self.all.len() < NAMES || self.known.contains_key(&name);
        if fits { self.place(&name) } else { self.place(&REST.to_owned()) }
    }
}

/// The lane of what no thread is held up by alone.
fn role_of(cause: &Cause) -> Option<Role> {
    match (cause.kind, cause.place) {
        (Kind::GpuBusy, Place::App) => Some(Role::Gpu),
        (Kind::GpuBusy, Place::Compositor) | (Kind::Turn | Kind::DisplayHal, _) => Some(Role::Compositor),
        _ => None,
    }
}

/// Of a lane without a thread: when it is known to be at work.
fn busy(role: Role, (cause, one): &Stretch) -> Option<(i64, i64, LaneState)> {
    (role == Role::Gpu && role_of(cause) == Some(role)).then_some((one.from, one.to, LaneState::Running))
}

fn state((from, to, segment): (i64, i64, Segment)) -> Option<(i64, i64, LaneState)> {
    let state = match segment.state {
        State::Running => LaneState::Running,
        State::Runnable | State::Preempted => LaneState::Ready,
        State::Blocked if segment.io == Some(true) => LaneState::Disk,
        State::Blocked => LaneState::Blocked,
        State::Dead | State::Zombie => return None,
        _ => LaneState::Sleeping,
    };
    Some((from, to, state))
}

/// Stretches that follow each other and are of the same, as one.
fn joined(stretches: impl Iterator<Item = Stretch>) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    for (cause, one) in stretches {
        match all.last_mut() {
            Some((known, last))
                if *known == cause
                    && last.to == one.from
                    && (last.thread, last.peer) == (one.thread, one.peer) =>
            {
                last.to = one.to;
            }
            _ => all.push((cause, one)),
        }
    }
    all
}
