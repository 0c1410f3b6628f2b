//! One cause: which thread was held up, by what kind of thing, by whom.

use crate::kind::{Group, Kind, Place};

/// What held a frame up. Equal causes are added up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// Whose thread.
    pub place: Place,
    /// What it was held up by.
    pub kind: Kind,
    /// The thread: `main`, `RenderThread`, or as the kernel calls it.
    pub thread: String,
    /// By whom or at what: the lock's owner and where it has it, the process that answers, the section; empty where
    /// nothing names it.
    pub object: String,
}

impl Cause {
    /// `lock.monitor`, `binder.system_server`, `sf.cpu.starved`.
    pub fn word(&self) -> String {
        let kind = match self.kind {
            Kind::Binder => format!("binder.{}", self.object),
            Kind::Code if self.place == Place::Compositor => "work".to_owned(),
            kind => kind.word().to_owned(),
        };
        match self.place {
            Place::App => kind,
            Place::Compositor => format!("sf.{kind}"),
        }
    }

    /// The group of the bar it belongs to.
    pub fn group(&self) -> Group {
        match (self.place, self.kind.group()) {
            (Place::Compositor, group) if group != Group::Unexplained => Group::System,
            (_, group) => group,
        }
    }

    /// The same where no frame waits.
    pub fn in_stall(&self) -> String {
        match self.kind {
            Kind::MainMessage => format!("{} handles one message: {}", self.thread, self.object),
            _ => self.sentence(),
        }
    }

    /// What a developer reads: who is held up by what, while a frame waits.
    pub fn sentence(&self) -> String {
        let (who, object) = (&self.thread, &self.object);
        let with = |words: &str| match object.is_empty() {
            true => format!("{who} {words}"),
            false => format!("{who} {words} ({object})"),
        };
        match self.kind {
            Kind::LockMonitor => format!("{who} waits for a lock held by {object}"),
            Kind::LockArt => format!("{who} waits for a lock inside ART: {object}"),
            Kind::LockMutex => format!("{who} waits for a native lock: {object}"),
            Kind::Binder => format!("{who} waits for an answer of {object}"),
            Kind::ThreadWait => format!("{who} waits for thread {object}"),
            Kind::CpuStarved => format!("{who} is ready and has no CPU: {object} runs there"),
            Kind::CpuSlow => format!("{who} runs on a slower CPU or clock than in frames in time"),
            Kind::CpuThrottled => format!("{who} runs on a CPU the phone does not allow its full clock"),
            Kind::MainMessage => format!("{who} handles another message before the frame: {object}"),
            Kind::Code if object.is_empty() => format!("{who} runs code outside every section"),
            Kind::Code => format!("{who} runs \"{object}\""),
            Kind::Method => format!("{who} runs {object}"),
            Kind::Inside => format!("{who} is inside {object}"),
            Kind::OffCpu => format!("{who} is off its CPU in {object}"),
            Kind::WaitsIn => format!("{who} waits in {object}"),
            Kind::MemoryReclaim => with("frees memory for the whole phone"),
            Kind::GcWait => with("waits for the garbage collector"),
            Kind::GcSelf => with("collects garbage itself"),
            Kind::IoDisk => with("waits for the disk"),
            Kind::KernelSleep => with("waits inside the kernel"),
            Kind::UiInflate => with("inflates layouts"),
            Kind::UiLayout => with("measures and lays out"),
            Kind::UiDraw => with("draws"),
            Kind::UiInput => with("handles touches"),
            Kind::UiAnimation => with("runs animations"),
            Kind::UiCompose => with("composes"),
            Kind::BitmapDecode => with("decodes pictures"),
            Kind::GpuUpload => with("moves pictures to the GPU"),
            Kind::GpuShader => with("compiles shaders"),
            Kind::ArtClass => with("loads classes or resources"),
            Kind::ArtJit => with("compiles code"),
            Kind::GpuBusy if self.place == Place::Compositor => "the GPU is not done composing".to_owned(),
            Kind::GpuBusy => "the GPU is not done with the frame".to_owned(),
            Kind::QueueStuffed => {
                "the frame waits in a queue that is full since an earlier late frame".to_owned()
            }
            Kind::DisplayHal => "the display's driver is late".to_owned(),
            Kind::Turn => "the frame waits for the next refresh".to_owned(),
            Kind::Unexplained(why) => why.words().to_owned(),
        }
    }
}

/// Cut to so many bytes.
pub(crate) fn clip(text: &str, most: usize) -> String {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if end == text.len() { text.to_owned() } else { format!("{}…", &text[..end]) }
}
