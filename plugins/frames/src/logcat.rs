//! The phone's own log beside the frames: slow main-thread messages, skipped frames, `Davey!`, ANRs and crashes.
//!
//! A probe, asked at both ends of a window. Slow messages are the platform's own watch: with
//! `log.looper.<uid>.main.slow` set, every `Looper` logs messages that took that long, frames or not. A main loop reads
//! the property once, when it starts: processes from before are not watched, and the reader says so instead of 0.
//! Must not know: gestures, metrics. Times are CLOCK_MONOTONIC, as `-v monotonic` prints them.

mod line;
mod message;
mod output;
mod saved;
mod script;
mod story;

pub use line::{Headed, Line, read_line};
pub use message::read_message;
pub use saved::read_saved;

use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::frame::SourceId;
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::ClockMap;
use farmjank_seams::probe::{Probe, ProbeOutput, ProbeReader, Scope};
use farmjank_seams::source::{Unfit, Unreadable};

/// First release whose loopers read the property (Android 9).
const FIRST_WATCHED_SDK: u32 = 28;

/// The probe. One value serves any number of phones.
#[derive(Clone, Copy, Debug)]
pub struct Logcat {
    slow_ms: u32,
}

impl Default for Logcat {
    fn default() -> Self {
        Logcat { slow_ms: 80 }
    }
}

impl ProbeReader for Logcat {
    fn id(&self) -> SourceId {
        SourceId::Logcat
    }

    fn file(&self) -> &'static str {
        "logcat.txt"
    }

    fn read(
        &self,
        output: &ProbeOutput,
        app: &App,
        clock: Option<ClockMap>,
    ) -> Result<SideReading, Unreadable> {
        output::read(output, &app.0, clock).map(SideReading::Log)
    }
}

impl Probe for Logcat {
    fn scope(&self) -> Scope {
        Scope::Window
    }

    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit> {
        crate::gfxinfo::at_least_seven(facts)
    }

    fn enable(&self, facts: &DeviceFacts, app: &App) -> Option<String> {
        // An unknown sdk (0) is given a try.
        let watched = !(1..FIRST_WATCHED_SDK).contains(&facts.sdk);
        watched.then(|| script::enable(&app.0, self.slow_ms))
    }

    fn disable(&self, facts: &DeviceFacts, _app: &App, enabled: &[u8]) -> Option<String> {
        let watched = !(1..FIRST_WATCHED_SDK).contains(&facts.sdk);
        watched.then(|| script::disable(enabled))
    }

    fn begin(&self, _facts: &DeviceFacts, app: &App, nonce: u64) -> String {
        script::begin(&app.0, nonce)
    }

    fn end(&self, _facts: &DeviceFacts, app: &App, nonce: u64, _mark: &[u8]) -> String {
        script::end(&app.0, nonce)
    }
}
