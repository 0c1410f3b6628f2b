//! What the kernel and the marks of apps say, as plain values. Times: ns of the tracer's clock.

/// A thread, for as long as it lives: the number of a dead one may come back, this does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread(pub u32);

impl Thread {
    /// The idle thread, one for every CPU. It wakes nobody: where it seems to, an interrupt did.
    pub const IDLE: Thread = Thread(0);
}

/// What a thread does, as far as the scheduler knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// On a CPU.
    Running,
    /// Woken and waiting for a CPU.
    Runnable,
    /// Taken off its CPU for another thread, and waiting for one.
    Preempted,
    /// Waiting, interruptible.
    Sleeping,
    /// Waiting in the kernel, not interruptible.
    Blocked,
    /// A thread of the kernel without work.
    Idle,
    /// Stopped by a signal.
    Stopped,
    /// Stopped by a debugger.
    Traced,
    /// Gone.
    Dead,
    /// Gone, not yet asked for.
    Zombie,
    /// Parked.
    Parked,
    /// Nothing known.
    Other,
}

impl State {
    /// The letters Perfetto shows.
    pub fn letters(self) -> &'static str {
        match self {
            State::Running => "Running",
            State::Runnable => "R",
            State::Preempted => "R+",
            State::Sleeping => "S",
            State::Blocked => "D",
            State::Idle => "I",
            State::Stopped => "T",
            State::Traced => "t",
            State::Dead => "X",
            State::Zombie => "Z",
            State::Parked => "P",
            State::Other => "?",
        }
    }

    /// Waiting for a CPU.
    pub fn waits_for_cpu(self) -> bool {
        matches!(self, State::Runnable | State::Preempted)
    }
}

/// A stretch in which a thread did one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Thread.
    pub thread: Thread,
    /// From.
    pub from: i64,
    /// Until; none where nobody saw the end.
    pub to: Option<i64>,
    /// What it did.
    pub state: State,
    /// The CPU, while it ran.
    pub cpu: Option<u32>,
    /// Who made it runnable.
    pub waker: Option<Thread>,
    /// The kernel says that an interrupt (a timer, a device) woke it, not the thread that happened to run.
    pub interrupt: bool,
    /// It waited for a disk, where the kernel tells.
    pub io: Option<bool>,
}

/// A call between processes whose answer was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who called.
    pub client: Thread,
    /// When it called.
    pub from: i64,
    /// When it had its answer; none where nobody saw it.
    pub to: Option<i64>,
    /// Who answered, from when to when (none: not seen to end).
    pub served: Option<(Thread, i64, Option<i64>)>,
}

/// One thing that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact<'a> {
    /// What a thread did.
    State(Segment),
    /// A stretch a thread gave a name.
    Slice {
        /// Thread.
        thread: Thread,
        /// From.
        from: i64,
        /// Until; none where nobody saw the end.
        to: Option<i64>,
        /// Slices around it.
        depth: usize,
        /// Name, as written.
        name: &'a [u8],
    },
    /// A stretch a process gave a name, whatever its threads did.
    Async {
        /// Process.
        process: i32,
        /// From.
        from: i64,
        /// Until.
        to: i64,
        /// Name, as written.
        name: &'a [u8],
    },
    /// A call and its answer.
    Call(Call),
    /// A message nobody waits for the answer of.
    Message {
        /// Who sent it, when.
        sent: (Thread, i64),
        /// Who took it, when.
        taken: (Thread, i64),
    },
    /// A thread had to free memory itself.
    Reclaim {
        /// Thread.
        thread: Thread,
        /// From.
        from: i64,
        /// Until.
        to: i64,
    },
    /// The clock rate of a CPU from here on, kHz.
    Frequency {
        /// CPU.
        cpu: u32,
        /// From.
        at: i64,
        /// Rate.
        khz: u32,
    },
    /// The highest clock rate a CPU is allowed from here on, kHz.
    Limit {
        /// CPU.
        cpu: u32,
        /// From.
        at: i64,
        /// Rate.
        khz: u32,
    },
    /// The clock rate of the GPU from here on, kHz.
    GpuFrequency {
        /// From.
        at: i64,
        /// Rate.
        khz: u32,
    },
    /// Events of a CPU were lost.
    Lost {
        /// CPU.
        cpu: u32,
        /// From.
        from: i64,
        /// Until.
        to: i64,
    },
}
