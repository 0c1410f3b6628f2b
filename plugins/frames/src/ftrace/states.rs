//! What each thread did, as Perfetto's own reader tells it from the same events: a switch opens what the leaving thread
//! does next, a waking ends a wait, the next switch ends the queue for a CPU. Must not know slices or processes.

use farmjank_causes::fact::{Fact, Segment, State, Thread};

/// What is open of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    /// What it does.
    now: Option<Segment>,
    /// What it waited for last: why is told only after it was woken.
    waited: Option<Segment>,
}

/// The states of all threads.
#[derive(Default)]
pub struct States {
    open: Vec<Open>,
}

/// What a waker is known to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Woken {
    /// Who woke.
    pub by: Option<Thread>,
    /// It was an interrupt.
    pub interrupt: bool,
}

/// A wait in Perfetto's sense: everything but running and having been woken.
fn waits(state: State) -> bool {
    !matches!(state, State::Running | State::Runnable)
}

impl States {
    /// A thread left a CPU for another one.
    pub fn switch(
        &mut self,
        at: i64,
        cpu: u32,
        (before, state): (Thread, State),
        next: Thread,
        each: &mut impl FnMut(Fact<'_>),
    ) {
        let lost = self.at(before).now.is_some_and(|now| now.state != State::Running);
        self.close((!lost).then_some(at), before, each);
        self.open(Segment { state, ..segment(before, at) }, each);
        self.close(Some(at), next, each);
        self.open(Segment { state: State::Running, cpu: Some(cpu), ..segment(next, at) }, each);
    }

    /// A thread was woken. One that does not wait is not: wakings may come twice.
    pub fn wake(&mut self, at: i64, thread: Thread, woken: Woken, each: &mut impl FnMut(Fact<'_>)) {
        if self.at(thread).now.is_some_and(|now| !waits(now.state)) {
            return;
        }
        self.close(Some(at), thread, each);
        let new = segment(thread, at);
        let new = Segment {
            state: State::Runnable,
            waker: woken.by.filter(|waker| *waker != thread),
            interrupt: woken.interrupt,
            ..new
        };
        self.open(new, each);
    }

    /// A thread was born, and is ready to run.
    pub fn born(&mut self, at: i64, thread: Thread, parent: Thread, each: &mut impl FnMut(Fact<'_>)) {
        let new = Segment { state: State::Runnable, waker: Some(parent), ..segment(thread, at) };
        self.open(new, each);
    }

    /// Why a thread had waited, told when it was woken.
    pub fn reason(&mut self, thread: Thread, io: bool) {
        let open = self.at(thread);
        match &mut open.now {
            Some(now) if waits(now.state) => now.io = Some(io),
            _ => {
                if let Some(waited) = &mut open.waited {
                    waited.io = Some(io);
                }
            }
        }
    }

    /// Everything that is open now.
    pub fn all_open(&self, each: &mut impl FnMut(Fact<'_>)) {
        let all = self.open.iter().flat_map(|open| open.waited.into_iter().chain(open.now));
        all.for_each(|segment| each(Fact::State(segment)));
    }

    fn at(&mut self, thread: Thread) -> &mut Open {
        let at = thread.0 as usize;
        if self.open.len() <= at {
            self.open.resize(at + 1, Open::default());
        }
        &mut self.open[at]
    }

    fn close(&mut self, to: Option<i64>, thread: Thread, each: &mut impl FnMut(Fact<'_>)) {
        let open = self.at(thread);
        let Some(now) = open.now.take() else { return };
        let now = Segment { to, ..now };
        if waits(now.state) {
            if let Some(waited) = open.waited.replace(now) {
                each(Fact::State(waited));
            }
        } else {
            each(Fact::State(now));
        }
    }

    fn open(&mut self, segment: Segment, each: &mut impl FnMut(Fact<'_>)) {
        if segment.thread == Thread::IDLE {
            return;
        }
        let open = self.at(segment.thread);
        // Reasons come between the waking and the next run.
        if segment.state != State::Runnable
            && let Some(waited) = open.waited.take()
        {
            each(Fact::State(waited));
        }
        if let Some(left) = open.now.replace(segment) {
            each(Fact::State(left));
        }
    }
}

fn segment(thread: Thread, from: i64) -> Segment {
    Segment {
        thread,
        from,
        to: None,
        state: State::Other,
        cpu: None,
        waker: None,
        interrupt: false,
        io: None,
    }
}

/// How a kernel numbers states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// 4.14 and newer, and what does not say.
    #[default]
    New,
    /// 4.8 to 4.13.
    Middle,
    /// Older.
    Old,
}

impl Numbering {
    /// By the kernel's release: `5.10.107-android13-…`.
    pub fn of(release: &str) -> Numbering {
        let mut parts = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
        match (parts.next(), parts.next()) {
            (Some(Ok(4)), Some(Ok(8..=13))) => Numbering::Middle,
            (Some(Ok(4)), Some(Ok(0..=7))) | (Some(Ok(0..=3)), Some(Ok(_))) => Numbering::Old,
            _ => Numbering::New,
        }
    }

    /// What a leaving thread does.
    pub fn state(self, number: u32) -> State {
        let (preempted, dead, zombie, parked) = match self {
            Numbering::New => (0x100, 0x10, 0x20, 0x40),
            Numbering::Middle => (0x1000, 0x10, 0x20, 0x200),
            Numbering::Old => (0x800, 0x10, 0x20, 0x200),
        };
        // A sleep that is neither counted as load nor interruptible: idle threads of the kernel.
        let idle = if self == Numbering::New { number & 0x80 != 0 } else { number & 0x402 == 0x402 };
        match number {
            0 => State::Runnable,
            _ if number & preempted != 0 => State::Preempted,
            _ if idle => State::Idle,
            _ if number & 1 != 0 => State::Sleeping,
            _ if number & 2 != 0 => State::Blocked,
            _ if number & 4 != 0 => State::Stopped,
            _ if number & 8 != 0 => State::Traced,
            _ if number & dead != 0 => State::Dead,
            _ if number & zombie != 0 => State::Zombie,
            _ if number & parked != 0 => State::Parked,
            _ => State::Other,
        }
    }
}
