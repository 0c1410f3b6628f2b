//! What one CPU recorded, as plain values: events in order, and the room their texts lie in. Must not know the wire.

/// Longest name of a thread the kernel keeps, bytes.
pub const COMM: usize = 15;
/// `common_flags` of a hard or a soft interrupt.
const IN_INTERRUPT: u64 = 0x18;
/// CPUs told apart, at most; phones have up to ten.
pub const CPUS: u64 = 256;

/// A piece of a batch's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text {
    at: u32,
    length: u32,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Events of this CPU were lost before this instant.
    Lost,
    /// Another thread came onto the CPU. `before` is none where the event does not say; `state` is the kernel's number.
    Switch { before: Option<i32>, state: u32, next: i32, comm: Text },
    /// A thread was made runnable; `interrupt` where the waker's context is told.
    Waking { woken: i32, comm: Text, interrupt: Option<bool>, by: Waker },
    /// The same, told a moment later; kernels before 5.10 let apps' tracers see this one only.
    Wakeup { woken: i32 },
    /// What a thread that has just been woken had waited for.
    BlockedReason { woken: i32, io: bool },
    /// A thread was born of the event's; `thread` when into the same process.
    Born { tid: i32, comm: Text, thread: bool },
    /// A thread got another name.
    Renamed { tid: i32, comm: Text },
    /// A mark of the app or of a driver: `B`, `E`, `I`, `S`, `F`.
    Mark { kind: u8, tgid: i32, name: Text, cookie: i64 },
    /// A binder message was sent.
    Sent { id: i32, reply: bool, oneway: bool },
    /// It arrived.
    Received { id: i32 },
    /// A CPU's clock rate, kHz.
    Frequency { cpu: u32, khz: u32 },
    /// The highest rate a CPU is allowed, kHz.
    Limit { cpu: u32, khz: u32 },
    /// The GPU's clock rate, kHz.
    GpuFrequency { khz: u32 },
    /// The thread frees memory itself, from or until now.
    Reclaim { begins: bool },
}

/// Who woke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waker {
    /// The event's own thread.
    Told,
    /// Whoever ran on the bundle's CPU.
    OnCpu,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// When, ns.
    pub at: i64,
    /// The thread that was running; 0 where compact events do not say.
    pub tid: i32,
    /// What.
    pub what: What,
}

/// The events of one CPU, in order.
#[derive(Debug, Default)]
pub struct Batch {
    /// CPU.
    pub cpu: usize,
    /// Events.
    pub events: Vec<Raw>,
    text: Vec<u8>,
}

impl Batch {
    /// Keeps a text, cut to `most` bytes.
    pub fn keep(&mut self, text: &[u8], most: usize) -> Text {
        let text = &text[..text.len().min(most)];
        let at = self.text.len() as u32;
        self.text.extend_from_slice(text);
        Text { at, length: text.len() as u32 }
    }

    /// What it counts of the room there is: its events, and its texts by their length.
    pub fn weight(&self) -> usize {
        self.events.len() + self.text.len() / size_of::<Raw>()
    }

    /// A kept text.
    pub fn text(&self, text: Text) -> &[u8] {
        let at = text.at as usize;
        self.text.get(at..at + text.length as usize).unwrap_or_default()
    }
}

/// Whether an event's flags say that it happened inside an interrupt.
pub fn interrupt(flags: u64) -> bool {
    flags & IN_INTERRUPT != 0
}
