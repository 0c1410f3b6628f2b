//! Kinds of causes: what a thread on a frame's way was held up by, in a word that stays the same from run to run.

pub use farmjank_results::hitch_causes::Group;

/// What held a thread up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It freed memory for the whole phone.
    MemoryReclaim,
    /// It waited for the garbage collector.
    GcWait,
    /// It collected garbage itself.
    GcSelf,
    /// It waited for a lock of Java or Kotlin code.
    LockMonitor,
    /// It waited for a lock inside ART.
    LockArt,
    /// It waited for a lock of native code.
    LockMutex,
    /// It waited for the answer of another process.
    Binder,
    /// It waited for a disk.
    IoDisk,
    /// It waited inside the kernel, for no disk.
    KernelSleep,
    /// It was ready and had no CPU.
    CpuStarved,
    /// It ran on a CPU slower than usual.
    CpuSlow,
    /// The same, while the phone did not allow the CPU more.
    CpuThrottled,
    /// It inflated layouts.
    UiInflate,
    /// It measured and laid out.
    UiLayout,
    /// It drew, or recorded what is to be drawn.
    UiDraw,
    /// It dealt with touches.
    UiInput,
    /// It ran animations.
    UiAnimation,
    /// It composed (Jetpack Compose).
    UiCompose,
    /// It decoded pictures.
    BitmapDecode,
    /// It moved pictures to the GPU.
    GpuUpload,
    /// It compiled shaders or pipelines.
    GpuShader,
    /// The GPU was not done.
    GpuBusy,
    /// It loaded or checked classes and resources.
    ArtClass,
    /// It compiled code.
    ArtJit,
    /// It handled another message before the frame's turn.
    MainMessage,
    /// It ran, and no known section says at what; or the app's own section does.
    Code,
    /// It ran a method, as stacks of calls tell.
    Method,
    /// It was off its CPU in a method, as stacks of calls tell: it waited, or others had to run.
    OffCpu,
    /// It waited in a method: as above, where the scheduler told that no other had to run.
    WaitsIn,
    /// It was inside a method, as something in the app saw: it ran or waited.
    Inside,
    /// It waited for another thread of its process.
    ThreadWait,
    /// Its queue was full: late by what was lost before.
    QueueStuffed,
    /// The display's driver was late.
    DisplayHal,
    /// It waited for its turn: no cause, the consequence of one.
    Turn,
    /// Nothing tells.
    Unexplained(Why),
}

/// Why nothing tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// A thread waited, and nothing tells on what.
    Waiting,
    /// Nothing on the frame's way took longer than in frames in time.
    Usual,
    /// Its threads did more than is followed.
    TooMuch,
    /// The scheduler told nothing of the thread.
    NoScheduler,
    /// The app's frame is not marked: no slices of this app.
    NoSlices,
    /// No stack of calls was taken of it, or none with a name.
    NoStack,
}

/// Whose thread it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The app's.
    App,
    /// The compositor's.
    Compositor,
}

impl Kind {
    /// In a word: `lock.monitor`. Those of the compositor begin with `sf.`, see [`Cause::word`](crate::cause::Cause).
    pub fn word(self) -> &'static str {
        match self {
            Kind::MemoryReclaim => "memory.reclaim",
            Kind::GcWait => "gc.wait",
            Kind::GcSelf => "gc.self",
            Kind::LockMonitor => "lock.monitor",
            Kind::LockArt => "lock.art",
            Kind::LockMutex => "lock.mutex",
            Kind::Binder => "binder",
            Kind::IoDisk => "io.disk",
            Kind::KernelSleep => "kernel.sleep",
            Kind::CpuStarved => "cpu.starved",
            Kind::CpuSlow => "cpu.slow",
            Kind::CpuThrottled => "cpu.throttled",
            Kind::UiInflate => "ui.inflate",
            Kind::UiLayout => "ui.layout",
            Kind::UiDraw => "ui.draw",
            Kind::UiInput => "ui.input",
            Kind::UiAnimation => "ui.animation",
            Kind::UiCompose => "ui.compose",
            Kind::BitmapDecode => "bitmap.decode",
            Kind::GpuUpload => "gpu.upload",
            Kind::GpuShader => "gpu.shader",
            Kind::GpuBusy => "gpu.busy",
            Kind::ArtClass => "art.class",
            Kind::ArtJit => "art.jit",
            Kind::MainMessage => "main.message",
            Kind::Code | Kind::Method => "app.code",
            Kind::OffCpu | Kind::WaitsIn => "app.off_cpu",
            Kind::Inside => "app.method",
            Kind::ThreadWait => "wait.thread",
            Kind::QueueStuffed => "queue.stuffed",
            Kind::DisplayHal => "display.hal",
            Kind::Turn => "turn",
            Kind::Unexplained(_) => "unexplained",
        }
    }

    /// The group of the bar it belongs to, on a thread of the app.
    pub fn group(self) -> Group {
        match self {
            Kind::LockMonitor | Kind::LockArt | Kind::LockMutex | Kind::Binder | Kind::IoDisk => {
                Group::Waiting
            }
            Kind::KernelSleep | Kind::GcWait | Kind::ThreadWait => Group::Waiting,
            Kind::OffCpu | Kind::WaitsIn => Group::Waiting,
            Kind::MemoryReclaim | Kind::CpuStarved | Kind::CpuSlow | Kind::CpuThrottled => Group::System,
            Kind::GpuBusy | Kind::QueueStuffed | Kind::DisplayHal | Kind::Turn => Group::System,
            Kind::Unexplained(_) => Group::Unexplained,
            _ => Group::App,
        }
    }
}

impl Why {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Why::Waiting => "a thread waited, and nothing tells on what",
            Why::Usual => "nothing on the frame's way took longer than in frames in time",
            Why::TooMuch => "its threads did more than is followed",
            Why::NoScheduler => "the scheduler told nothing of the thread",
            Why::NoSlices => "the app's frame is not marked in the trace: no slices of this app",
            Why::NoStack => "no stack of calls with a name was taken then",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::cause_selector::{KINDS, check};

    const OF_FRAMES: [Kind; 32] = [
        Kind::MemoryReclaim,
        Kind::GcWait,
        Kind::GcSelf,
        Kind::LockMonitor,
        Kind::LockArt,
        Kind::LockMutex,
        Kind::Binder,
        Kind::IoDisk,
        Kind::KernelSleep,
        Kind::CpuStarved,
        Kind::CpuSlow,
        Kind::CpuThrottled,
        Kind::UiInflate,
        Kind::UiLayout,
        Kind::UiDraw,
        Kind::UiInput,
        Kind::UiAnimation,
        Kind::UiCompose,
        Kind::BitmapDecode,
        Kind::GpuUpload,
        Kind::GpuShader,
        Kind::GpuBusy,
        Kind::ArtClass,
        Kind::ArtJit,
        Kind::MainMessage,
        Kind::Code,
        Kind::Method,
        Kind::WaitsIn,
        Kind::ThreadWait,
        Kind::QueueStuffed,
        Kind::DisplayHal,
        Kind::Unexplained(Why::Waiting),
    ];

    #[test]
    fn every_kind_a_late_frame_can_have_can_be_limited() {
        for kind in OF_FRAMES.into_iter().filter(|kind| *kind != Kind::Binder) {
            assert!(KINDS.contains(&kind.word()), "{}", kind.word());
            assert_eq!(check(kind.word()), Ok(()), "{}", kind.word());
        }
        assert!(KINDS.iter().any(|kind| kind.starts_with("binder.")));
    }
}
