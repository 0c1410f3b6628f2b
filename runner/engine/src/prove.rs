//! Putting what we believe about phones to the test on one: `farmjank doctor --prove` (docs/prove.md).
//!
//! [`ask`](ask::ask) walks a phone through its own Settings and writes down what it answered, [`judge`] says of every
//! belief whether it held, and [`archive`] keeps the answers for others. What is judged is exactly what is kept: an
//! archive gives the same table anywhere, without a phone.

pub mod archive;
pub mod ask;
pub mod judge;
mod private;

use farmjank_results::device::DeviceFacts;
use farmjank_results::dump::Dump;
use farmjank_results::event::SkippedSource;
use farmjank_results::time::{BootTime, ClockMap, DeviceTime};
use farmjank_results::timestats::FrameCounts;
use serde::{Deserialize, Serialize};

/// The form of [`Answers`]; a newer one may say more.
pub const FORMAT: u32 = 1;

/// Two reads of `/proc/uptime` around something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamps {
    /// Just before.
    pub asked: BootTime,
    /// Just after.
    pub answered: BootTime,
}

impl Stamps {
    /// How long it took, ms, in steps of 10.
    pub fn ms(self) -> f64 {
        (self.answered - self.asked).ms()
    }
}

/// One swipe over the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Swipe {
    /// Around `input swipe`.
    pub around: Stamps,
    /// How long the finger was asked to be down, ms.
    pub asked_ms: i64,
    /// Around the question for the dispatcher's last events, and the events' own lines; none where it was not told.
    pub events: Option<(Stamps, Vec<String>)>,
}

/// What a trace told of the app.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// Why there is none.
    pub refused: Option<String>,
    /// First and last instant it speaks for.
    pub span: Option<(DeviceTime, DeviceTime)>,
    /// Presents of the app's frames, each once, in order.
    pub presents: Vec<DeviceTime>,
    /// Why not every frame is surely there.
    pub doubts: Vec<String>,
}

/// What SurfaceFlinger counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Why there is none.
    pub refused: Option<String>,
    /// Around the beginning of counting, and around its end.
    pub edges: Option<(Stamps, Stamps)>,
    /// Counts of the app's layers.
    pub layers: Vec<FrameCounts>,
}

/// Everything a phone answered, without its dumps. No serial, no name of a person, no package but the one in front.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    /// [`FORMAT`]
    pub format: u32,
    /// Version of farmjank that asked.
    pub tool: String,
    /// The phone; its id is not its serial.
    pub phone: DeviceFacts,
    /// The package whose list was scrolled.
    pub app: String,
    /// The offset of its clocks, at the beginning and at the end.
    pub clocks: Vec<ClockMap>,
    /// What `input keyevent 0` takes, each time, ms.
    pub keyevent_ms: Vec<f64>,
    /// The swipes, in order.
    pub swipes: Vec<Swipe>,
    /// Layers that were read.
    pub layers: Vec<String>,
    /// What was looked at and not read, and why.
    pub passed_over: Vec<SkippedSource>,
    /// The longest pause between dumps that can lose nothing, ms, as reckoned from the ring and the fastest mode.
    pub longest_ms: f64,
    /// The trace.
    pub trace: Traced,
    /// The counts.
    pub counts: Counted,
}

/// What one phone told, whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// Its answers.
    pub answers: Answers,
    /// Its dumps of rings and framestats, in order.
    pub dumps: Vec<Dump>,
}

/// Whether a belief held on a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It did.
    Yes,
    /// It did not: what farmjank measures on this phone may be wrong.
    No,
    /// This phone does not tell: farmjank does without.
    Untold,
}

/// One belief, and what this phone says to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Belief {
    /// A short name that stays: `ring.size`.
    pub key: &'static str,
    /// What we believe, as a sentence.
    pub what: String,
    /// Whether it held.
    pub held: Held,
    /// What was seen.
    pub evidence: String,
}

impl Belief {
    /// One that was put to the test.
    fn of(key: &'static str, what: impl Into<String>, held: bool, evidence: impl Into<String>) -> Self {
        let held = if held { Held::Yes } else { Held::No };
        Belief { key, what: what.into(), held, evidence: evidence.into() }
    }

    /// One this phone says nothing about.
    fn untold(key: &'static str, what: impl Into<String>, why: impl Into<String>) -> Self {
        Belief { key, what: what.into(), held: Held::Untold, evidence: why.into() }
    }
}
