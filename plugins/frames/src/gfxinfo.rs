//! Render stages of HWUI windows: `dumpsys gfxinfo PACKAGE framestats`, on every release from Android 7 on.
//!
//! Sees only what HWUI draws (classic views, Compose): nothing of Flutter, Unity, video or web views. Must not know:
//! gestures, windows of a scenario, metrics. Times are CLOCK_MONOTONIC ns.

mod columns;
mod dump;
mod opening;
mod row;
mod summary;
mod window;

pub(crate) use dump::{FENCE, PROCESS, TITLE};
pub use dump::{read_clock, read_framestats};
pub use summary::{GPU_REST_MS, Summary, read_summary};
pub use window::{Classes, TimeBase, Window};

use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::dump::Dump;
use farmjank_results::frame::{Sample, SourceId};
use farmjank_results::time::ClockMap;
use farmjank_seams::Work;
use farmjank_seams::device::Device;
use farmjank_seams::source::{DumpReader, FrameSource, Opened, Unfit, Unreadable};

/// Most text one dump may have, bytes: a window takes 20 to 45 KB, and apps keep several.
pub(crate) const CAP: usize = 1024 * 1024;

/// The source. One value serves any number of phones.
#[derive(Clone, Debug)]
pub struct Gfxinfo {
    nonce_seed: u64,
}

impl Gfxinfo {
    /// `nonce_seed` makes the marks in its scripts: two loops in one shell must not share it.
    pub fn new(nonce_seed: u64) -> Self {
        Gfxinfo { nonce_seed }
    }
}

impl DumpReader for Gfxinfo {
    fn id(&self) -> SourceId {
        SourceId::Gfxinfo
    }

    fn read(&self, dump: &Dump, clock: Option<ClockMap>) -> Result<Vec<(String, Sample)>, Unreadable> {
        // The dump's own header is as good as any clock map.
        let clock = clock.or_else(|| read_clock(&dump.text));
        let stamp = |boot| clock.zip(boot).map(|(map, boot)| map.to_device(boot));
        let late = |map: ClockMap| dump.answered.map(|boot| (map.to_device(boot) + map.uncertainty).ns());
        let windows =
            read_framestats(&dump.text, clock.and_then(late)).map_err(|error| about(&dump.target, error))?;
        let (asked, answered) = (stamp(dump.asked), stamp(dump.answered));
        Ok(windows
            .into_iter()
            .map(|window| (window.name(), Sample { asked, answered, ..window.sample }))
            .collect())
    }

    fn clock(&self, dump: &Dump) -> Option<ClockMap> {
        read_clock(&dump.text)
    }
}

impl FrameSource for Gfxinfo {
    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit> {
        at_least_seven(facts)
    }

    fn open<'a>(&'a self, device: &'a dyn Device, facts: &'a DeviceFacts, app: &'a App) -> Work<'a, Opened> {
        Box::pin(opening::open(device, facts, app, self.nonce_seed))
    }
}

/// Both sources print in this shape from Android 7 (sdk 24) on. An unknown sdk (0) is given a try.
pub(crate) fn at_least_seven(facts: &DeviceFacts) -> Result<(), Unfit> {
    if (1..24).contains(&facts.sdk) {
        return Err(Unfit(format!("needs Android 7 (sdk 24) or newer; this phone has sdk {}", facts.sdk)));
    }
    Ok(())
}

/// The same error in words that name the app.
fn about(app: &str, error: Unreadable) -> Unreadable {
    let app = crate::text::shown(app.as_bytes());
    match error {
        Unreadable::Missing(what) => Unreadable::Missing(format!("\"{app}\": {what}")),
        Unreadable::Empty(what) => Unreadable::Empty(format!("\"{app}\": {what}")),
        Unreadable::Garbled(line) => {
            Unreadable::Garbled(format!("this is not the framestats text of \"{app}\": `{line}`"))
        }
        Unreadable::Refused(what) => Unreadable::Refused(format!("no framestats of \"{app}\": {what}")),
    }
}
