//! What held one thread up at every instant of a stretch: the first rule that fits its state, its innermost named slice
//! and whom it waits for (docs/causes.md, "The rules").

mod methods;
mod piece;

use crate::cause::Cause;
use crate::contention;
use crate::fact::{State, Thread};
use crate::facts::Facts;
use crate::held::is_message;
use crate::kind::{Kind, Place, Why};
use crate::section;
use crate::stacks::{self, Key};
use crate::threads::Threads;
pub use piece::unexplained;
use piece::{Open, Piece, plain, told};
use std::cell::Cell;
use std::collections::BTreeMap;

/// A wait for a CPU this short is part of every change of threads, ns.
const STARVED: i64 = 500_000;
/// Threads that wait for each other, at most, as far as they are followed.
pub const HOPS: usize = 4;
/// Waits in which the thread waited for goes on with the frame.
const HANDED_ON: [&str; 2] = ["postAndWait", "waitForever"];
/// Waits for a buffer: all are in frames that were not shown yet.
const NO_BUFFER: [&str; 2] = ["dequeueBuffer", "waitForBufferRelease"];
/// States and slices looked at for one frame, at most: a real one takes some ten thousand.
const WORK: usize = 1 << 22;
/// What collects garbage.
const COLLECTOR: &str = "HeapTaskDaemon";

/// A stretch and what held the thread up in it. One field for each thing that is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// From.
    pub from: i64,
    /// Until.
    pub to: i64,
    /// The thread.
    pub thread: Thread,
    /// What by.
    pub kind: Kind,
    /// By whom or at what.
    pub object: String,
    /// What that one did meanwhile, or where it was asked from; empty where nothing tells.
    pub detail: String,
    /// The method it is charged to, with its package; empty where nothing tells.
    pub method: String,
    /// The thread it waits for, where that is known.
    pub peer: Option<Thread>,
    /// The CPU's clock rate while the thread ran, kHz, and whether it was allowed less than before.
    pub rate: Option<(u32, bool)>,
}

/// What a thread's time is looked at for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A frame is made.
    Made,
    /// A frame waits for its turn.
    Before,
    /// No frame waits.
    None,
}

/// Where the thread is.
#[derive(Clone, Copy)]
pub struct Looking<'a> {
    /// What is known.
    pub facts: &'a Facts,
    /// Who is who.
    pub threads: &'a Threads,
    /// The process of the frame.
    pub process: i32,
    /// Whose thread.
    pub place: Place,
    /// Whether a frame is made, or waits for that.
    pub turn: Turn,
    /// States and slices looked at for this frame so far.
    pub work: &'a Cell<usize>,
}

impl Looking<'_> {
    /// What held a thread up, for every instant.
    pub fn labels(&self, thread: Thread, from: i64, to: i64, hops: usize) -> Vec<Labelled> {
        if self.work.get() > WORK {
            return vec![unexplained(thread, from, to, Why::TooMuch)];
        }
        let (around, looked_at) = self.facts.slices(thread, from, to);
        let states = self.facts.states(thread, from, to);
        self.work.set(self.work.get() + looked_at + states.len() + 1);
        let mut open = Open { around: &around, next: 0, stack: Vec::new() };
        let mut all = Vec::new();
        let mut at = from;
        for (begin, end, segment) in states {
            if begin > at {
                all.push(unexplained(thread, at, begin, Why::NoScheduler));
            }
            for piece in open.pieces(begin, end, segment) {
                self.cut(piece, hops, &mut all);
            }
            at = end;
        }
        if at < to {
            all.push(unexplained(thread, at, to, Why::NoScheduler));
        }
        match self.place {
            Place::App => methods::named(all, self.facts.looks(), thread, self.threads.tid(thread)),
            Place::Compositor => all,
        }
    }

    /// Cuts a piece where freeing memory begins and ends: no slice does.
    fn cut(&self, mut piece: Piece<'_>, hops: usize, all: &mut Vec<Labelled>) {
        let end = piece.to;
        while piece.from < end {
            let (frees, until) = self.facts.reclaims(piece.segment.thread, piece.from);
            piece.to = until.min(end);
            match frees {
                true => all.push(told(&piece, Kind::MemoryReclaim, String::new())),
                false => self.label(&piece, hops, all),
            }
            piece.from = piece.to;
        }
    }

    fn label(&self, piece: &Piece<'_>, hops: usize, all: &mut Vec<Labelled>) {
        let segment = &piece.segment;
        let whole = segment.to.unwrap_or(piece.to).saturating_sub(segment.from);
        let labelled = match segment.state {
            State::Running => self.running(piece),
            state if state.waits_for_cpu() && whole >= STARVED => self.starved(piece),
            // So short a wait goes with what it interrupts.
            state if state.waits_for_cpu() => Labelled { rate: None, ..self.running(piece) },
            State::Blocked => {
                let kind = if segment.io == Some(true) { Kind::IoDisk } else { Kind::KernelSleep };
                in_method(told(piece, kind, self.section(piece)), self.left(piece))
            }
            _ => {
                all.extend(self.waiting(piece, hops));
                return;
            }
        };
        all.push(labelled);
    }

    /// The innermost slice that is not around every frame, folded.
    fn section(&self, piece: &Piece<'_>) -> String {
        let named = piece.stack.iter().rev().find(|one| !section::is_frame(&one.name));
        named.map(|one| section::folded(&one.name)).unwrap_or_default()
    }

    fn running(&self, piece: &Piece<'_>) -> Labelled {
        let rate = piece
            .segment
            .cpu
            .and_then(|cpu| Some((self.facts.rate(cpu, piece.from)?, self.facts.throttled(cpu, piece.from))));
        let inner = piece.stack.iter().rev().find(|one| !section::is_frame(&one.name));
        let known = piece.stack.iter().rev().find_map(|one| Some((section::kind(&one.name)?, *one)));
        // A phase of every frame says less than a section inside it.
        let known = known.filter(|(kind, one)| {
            !section::is_phase(*kind)
                || inner.is_none_or(|inner| std::ptr::eq(inner.name.as_ref(), one.name.as_ref()))
        });
        let labelled = match known {
            // It tries for a lock on the CPU before it sleeps, or has just got it.
            Some((Kind::LockMonitor | Kind::LockArt | Kind::LockMutex, _)) => self.lock(piece, 0),
            None => {
                let object = self.section(piece);
                let outermost = piece.stack.first().filter(|one| !section::is_frame(&one.name));
                // Where a frame waits, whose turn it is counts; where none does, what is done in it.
                let message = outermost.filter(|outer| match self.turn {
                    Turn::Made => false,
                    Turn::Before => true,
                    Turn::None => {
                        is_message(&outer.name) && inner.is_some_and(|inner| std::ptr::eq(*inner, **outer))
                    }
                });
                match message {
                    Some(message) => told(piece, Kind::MainMessage, section::folded(&message.name)),
                    None => told(piece, Kind::Code, object),
                }
            }
            Some((Kind::GcWait, _)) => told(piece, Kind::GcSelf, String::new()),
            Some((kind, one)) => {
                let object = if plain(&one.name) { String::new() } else { section::folded(&one.name) };
                told(piece, kind, object)
            }
        };
        Labelled { rate, ..labelled }
    }

    fn starved(&self, piece: &Piece<'_>) -> Labelled {
        // It got the CPU it runs on next: whoever ran there kept it waiting; where nobody did, look at all.
        let next = self.facts.after(&piece.segment).and_then(|next| next.cpu);
        let mut by_process: BTreeMap<String, i64> = BTreeMap::new();
        for cpu in [next, None] {
            let ran = self.facts.ran(cpu, piece.from, piece.to);
            self.work.set(self.work.get() + ran.len());
            for (thread, ns) in ran.into_iter().filter(|(thread, _)| *thread != piece.segment.thread) {
                *by_process.entry(self.whose(thread)).or_default() += ns;
            }
            if !by_process.is_empty() {
                break;
            }
        }
        let most = by_process.into_iter().max_by_key(|(_, ns)| *ns).map(|(name, _)| name);
        told(piece, Kind::CpuStarved, most.unwrap_or_else(|| "nobody known".to_owned()))
    }

    /// The process a thread is of, as a person calls it; the app's own is its threads.
    fn whose(&self, thread: Thread) -> String {
        match self.threads.process(thread) {
            Some(process) if process == self.process => format!("the app's own {}", self.name(thread)),
            Some(process) => self.process_name(process),
            None => match self.threads.name(thread) {
                name if name.is_empty() => format!("thread {}", self.threads.tid(thread)),
                name => name,
            },
        }
    }

    /// A process as a person calls it.
    pub fn process_name(&self, process: i32) -> String {
        let name = self.threads.process_name(process);
        let name = name.map(|name| name.rsplit('/').next().unwrap_or(name).to_owned());
        name.unwrap_or_else(|| format!("pid {process}"))
    }

    /// A thread's name: `main` where it is its process's first.
    pub fn name(&self, thread: Thread) -> String {
        let tid = self.threads.tid(thread);
        match (self.threads.process(thread), self.threads.name(thread)) {
            (Some(process), _) if process == tid => "main".to_owned(),
            (_, name) if name.is_empty() => format!("thread {tid}"),
            (_, name) => name,
        }
    }

    fn waiting(&self, piece: &Piece<'_>, hops: usize) -> Vec<Labelled> {
        let inner = piece.stack.iter().rev().find_map(|one| Some((section::kind(&one.name)?, *one)));
        match inner.map(|(kind, one)| (kind, one.name.as_ref())) {
            Some((Kind::GcWait, _)) => return vec![told(piece, Kind::GcWait, String::new())],
            Some((Kind::LockMonitor | Kind::LockArt | Kind::LockMutex, _)) => {
                return vec![self.lock(piece, hops)];
            }
            _ => {}
        }
        let call = self.facts.call(piece.segment.thread, piece.from);
        if let Some((server, _, _)) = call.and_then(|call| call.served) {
            let process = self.threads.process(server).unwrap_or_default();
            let asked = piece
                .stack
                .iter()
                .rev()
                .find(|one| !one.name.starts_with("binder ") && !section::is_frame(&one.name));
            let left = self.left(piece);
            let asked = asked.map(|one| section::folded(&one.name)).or_else(|| Some(left?.object.clone()));
            let asked = asked.map(|place| format!("asked in {place}"));
            let detail = together([asked.unwrap_or_default(), self.meanwhile(server, piece, hops)]);
            let told = in_method(told(piece, Kind::Binder, self.process_name(process)), left);
            return vec![Labelled { detail, peer: Some(server), ..told }];
        }
        let inside = |names: &[&str]| {
            piece.stack.iter().any(|one| names.iter().any(|name| one.name.starts_with(name)))
        };
        // A wait ends with its waker, unless an interrupt was: a timer, a device.
        let woken =
            self.facts.after(&piece.segment).filter(|next| next.state == State::Runnable && !next.interrupt);
        let by = woken.and_then(|next| next.waker).filter(|waker| *waker != Thread::IDLE);
        let waker = by.filter(|_| hops > 0);
        if inside(&NO_BUFFER) {
            return self.no_buffer(piece, waker, hops);
        }
        let Some(waker) = waker else { return vec![self.untold(piece, by)] };
        if self.threads.name(waker) == COLLECTOR && self.of_app(waker) {
            return vec![told(piece, Kind::GcWait, String::new())];
        }
        match self.of_app(waker) {
            true if inside(&HANDED_ON) => self.labels(waker, piece.from, piece.to, hops - 1),
            true if !piece.stack.is_empty() => {
                let woken = self.woken(piece, waker);
                let told = told(piece, Kind::ThreadWait, quoted(&self.name(waker)));
                let own = in_method(told, self.left(piece));
                let place = woken.map(|key| format!("woken in {}", key.object)).unwrap_or_default();
                let detail = together([own.detail.clone(), self.meanwhile(waker, piece, hops), place]);
                // Whose the wait is tells where it ends.
                let method = woken.map_or(own.method.clone(), |key| key.method().to_owned());
                vec![Labelled { detail, method, peer: Some(waker), ..own }]
            }
            _ => vec![self.untold(piece, Some(waker))],
        }
    }

    /// A wait nothing else tells of: in the method it began in, where a look tells that.
    fn untold(&self, piece: &Piece<'_>, by: Option<Thread>) -> Labelled {
        let looks = self.facts.looks();
        let thread = piece.segment.thread;
        let Some(key) = looks.left(self.threads.tid(thread), piece.segment.from) else {
            return unexplained(thread, piece.from, piece.to, Why::Waiting);
        };
        let woken = by.map(|waker| {
            let place = self.woken(piece, waker).map(|key| format!(" in {}", key.object));
            format!("woken by {}{}", quoted(&self.name(waker)), place.unwrap_or_default())
        });
        let detail = together([key.path.clone(), woken.unwrap_or_default()]);
        let method = key.method().to_owned();
        Labelled { detail, method, ..told(piece, Kind::WaitsIn, key.object.clone()) }
    }

    /// The method of the app a wait began in, where a look tells that.
    fn left(&self, piece: &Piece<'_>) -> Option<&Key> {
        let tid = self.threads.tid(piece.segment.thread);
        self.facts.looks().left(tid, piece.segment.from).filter(|key| key.own)
    }

    /// The method in which a thread ended a wait, where a look tells that.
    fn woken(&self, piece: &Piece<'_>, waker: Thread) -> Option<&Key> {
        let at = self.facts.after(&piece.segment)?.from;
        self.facts.looks().woke(self.threads.tid(waker), at).filter(|key| key.own)
    }

    /// Whoever hands the buffer over may be held up itself; else every buffer is still in a frame.
    fn no_buffer(&self, piece: &Piece<'_>, waker: Option<Thread>, hops: usize) -> Vec<Labelled> {
        let full = told(piece, Kind::QueueStuffed, String::new());
        let Some(waker) = waker.filter(|waker| self.of_app(*waker)) else { return vec![full] };
        let known = self.labels(waker, piece.from, piece.to, hops - 1).into_iter();
        known
            .map(|one| match one.kind {
                Kind::Unexplained(_) => Labelled { from: one.from, to: one.to, ..full.clone() },
                _ => one,
            })
            .collect()
    }

    fn of_app(&self, thread: Thread) -> bool {
        self.threads.process(thread) == Some(self.process)
    }

    fn lock(&self, piece: &Piece<'_>, hops: usize) -> Labelled {
        let names = || piece.stack.iter().rev().map(|one| one.name.as_ref());
        let owner = names().find_map(contention::owner_tid).and_then(|tid| self.threads.find(tid));
        let meanwhile = owner.map(|owner| self.meanwhile(owner, piece, hops)).unwrap_or_default();
        let told = match names().find_map(contention::monitor) {
            Some(monitor) => {
                let place = monitor.holding.map(|method| format!(" in {}", section::short(method)));
                let object = quoted(monitor.owner) + &place.unwrap_or_default();
                let method = monitor.holding.map(stacks::method).unwrap_or_default();
                let wanted = monitor.blocked.map(|method| format!("wanted in {}", section::short(method)));
                Labelled {
                    detail: wanted.unwrap_or_default(),
                    method,
                    ..told(piece, Kind::LockMonitor, object)
                }
            }
            None => match names().find_map(contention::lock) {
                Some(lock) => told(piece, Kind::LockArt, section::folded(lock)),
                None => told(piece, Kind::LockMutex, self.section(piece)),
            },
        };
        Labelled { detail: together([told.detail, meanwhile]), peer: owner, ..told }
    }

    /// What another thread did mostly, while this one waited for it.
    fn meanwhile(&self, thread: Thread, piece: &Piece<'_>, hops: usize) -> String {
        if hops == 0 {
            return String::new();
        }
        let mut by_what: BTreeMap<(Kind, String), i64> = BTreeMap::new();
        for one in self.labels(thread, piece.from, piece.to, hops - 1) {
            *by_what.entry((one.kind, one.object)).or_default() += one.to - one.from;
        }
        let Some(((kind, object), _)) = by_what.into_iter().max_by_key(|(_, ns)| *ns) else {
            return String::new();
        };
        if matches!(kind, Kind::Unexplained(_)) {
            return String::new();
        }
        let cause = Cause { place: self.place, kind, thread: self.name(thread), object };
        format!("meanwhile {}", cause.sentence())
    }
}

/// With the method of the app it is in, where that is known.
fn in_method(told: Labelled, key: Option<&Key>) -> Labelled {
    let Some(key) = key else { return told };
    Labelled { detail: format!("in {}", key.object), method: key.method().to_owned(), ..told }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// What is known beside, of what is known at all.
fn together<const MANY: usize>(details: [String; MANY]) -> String {
    details.into_iter().filter(|detail| !detail.is_empty()).collect::<Vec<_>>().join("; ")
}
