//! Present fences of any app's layers: `dumpsys SurfaceFlinger --latency LAYER`, on every release from Android 7 on.
//!
//! Sees HWUI, Flutter, Unity, WebView and video alike, because it asks the compositor. Must not know: gestures, windows
//! of a scenario, metrics. Stamps are CLOCK_MONOTONIC ns.

mod latency;
mod layer;
mod list;
mod opening;

pub(crate) use latency::read_blocks;
pub use latency::{Block, CLASSIC_ROWS, HISTORY_ROWS, read_latency};
pub use layer::{Candidate, Choice, Kind, MOST_CANDIDATES, choose};
pub use list::{Listed, read_list};

use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::dump::Dump;
use farmjank_results::frame::{Sample, SourceId};
use farmjank_results::time::{ClockMap, DeviceTime};
use farmjank_seams::Work;
use farmjank_seams::device::Device;
use farmjank_seams::source::{DumpReader, FrameSource, Opened, Unfit, Unreadable};

/// Most text one dump of one layer may have, bytes. A real one has 8 KB.
pub(crate) const CAP: usize = 256 * 1024;

/// The source. One value serves any number of phones.
#[derive(Clone, Debug)]
pub struct SurfaceFlinger {
    pin: Option<String>,
    nonce_seed: u64,
}

impl SurfaceFlinger {
    /// A source that finds the app's layers by itself, or looks only at the layers whose names match the glob `pinned`
    /// (`*` any text, `?` one character; without `#` it also matches names without their number). `nonce_seed` makes
    /// the marks in its scripts: two loops in one shell must not share it.
    pub fn new(pinned: Option<String>, nonce_seed: u64) -> Self {
        SurfaceFlinger { pin: pinned, nonce_seed }
    }
}

impl DumpReader for SurfaceFlinger {
    fn id(&self) -> SourceId {
        SourceId::SurfaceFlinger
    }

    fn read(&self, dump: &Dump, clock: Option<ClockMap>) -> Result<Vec<(String, Sample)>, Unreadable> {
        let blocks = match read_latency(&dump.text) {
            // The whole ring of the classic engine, and nothing in it yet: that, too, is something seen.
            Err(Unreadable::Empty(why)) => read_blocks(&dump.text)
                .ok()
                .filter(|blocks| blocks.iter().all(Block::classic))
                .ok_or(Unreadable::Empty(why)),
            read => read,
        };
        let blocks = blocks.map_err(|error| about(&dump.target, error))?;
        let stamp = |boot| clock.zip(boot).map(|(map, boot)| map.to_device(boot));
        Ok(named(&dump.target, blocks, stamp(dump.asked), stamp(dump.answered)))
    }
}

impl FrameSource for SurfaceFlinger {
    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit> {
        crate::gfxinfo::at_least_seven(facts)
    }

    fn open<'a>(&'a self, device: &'a dyn Device, facts: &'a DeviceFacts, app: &'a App) -> Work<'a, Opened> {
        Box::pin(opening::open(device, facts, app, self.pin.as_deref(), self.nonce_seed))
    }
}

/// Samples of the blocks under the layer's name. Further layers of the same name (Android 7) are numbered from 2; the
/// same name again is a later dump of the same ring.
pub(crate) fn named(
    layer: &str,
    blocks: Vec<Block>,
    asked: Option<DeviceTime>,
    answered: Option<DeviceTime>,
) -> Vec<(String, Sample)> {
    let name = |nth| if nth == 0 { layer.to_owned() } else { format!("{layer} ({})", nth + 1) };
    blocks.into_iter().map(|block| (name(block.nth), block.into_sample(asked, answered))).collect()
}

/// The same error in words that name the layer.
fn about(layer: &str, error: Unreadable) -> Unreadable {
    let layer = crate::text::shown(layer.as_bytes());
    match error {
        Unreadable::Missing(_) => Unreadable::Missing(format!(
            "layer `{layer}` does not exist (any more): the phone prints only the refresh period for it; layers change \
             with every start of the app, rotation and window"
        )),
        Unreadable::Empty(_) => Unreadable::Empty(format!(
            "layer `{layer}` exists but never gets a frame: every row is zero; it is a container, the frames go to \
             another layer of the app"
        )),
        Unreadable::Garbled(line) => {
            Unreadable::Garbled(format!("this is not the latency text of layer `{layer}`: `{line}`"))
        }
        Unreadable::Refused(what) => Unreadable::Refused(format!("no frames of layer `{layer}`: {what}")),
    }
}
