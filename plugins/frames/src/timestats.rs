//! SurfaceFlinger's own counts: `dumpsys SurfaceFlinger --timestats`, Android 9 and newer.
//!
//! A probe, asked at both ends of a window: totals and histograms per layer, no single frames, no ring to overflow. It
//! is one state of the whole phone: another program that clears it spoils the counts, and Android's own statistics may
//! collect them (11+); both are looked for and told as doubts. Must not know: gestures, metrics, which layer is judged.

mod blocks;
mod doubts;
mod words;

pub use blocks::{Counted, Totals, read_counted};
pub use doubts::Marked;

use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::frame::SourceId;
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::ClockMap;
use farmjank_seams::probe::{Probe, ProbeOutput, ProbeReader, Scope};
use farmjank_seams::source::{Unfit, Unreadable};

/// First release that prints timestats (Android 9).
const FIRST_SDK: u32 = 28;
/// Layers printed at most, those with the most frames first. An app has a handful, the system some twenty.
const MOST_LAYERS: usize = 64;
/// Begins the lines this module prints beside the dump.
const MARK: &str = "farmjank-timestats";

/// The probe. One value serves any number of phones.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeStats;

impl ProbeReader for TimeStats {
    fn id(&self) -> SourceId {
        SourceId::TimeStats
    }

    fn file(&self) -> &'static str {
        "timestats.txt"
    }

    fn read(
        &self,
        output: &ProbeOutput,
        app: &App,
        _clock: Option<ClockMap>,
    ) -> Result<SideReading, Unreadable> {
        let marked = Marked::read(&output.mark, &output.bytes);
        let mut counted = read_counted(&output.bytes).map_err(doubts::explain)?;
        doubts::missing(&counted, app)?;
        let doubts = doubts::doubts(&counted, &marked, MOST_LAYERS);
        for layer in &mut counted.layers {
            layer.doubts.extend(doubts.iter().cloned());
        }
        Ok(SideReading::Timestats(counted.layers))
    }
}

impl Probe for TimeStats {
    fn scope(&self) -> Scope {
        Scope::Window
    }

    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit> {
        // An unknown sdk (0) is given a try.
        match facts.sdk {
            1..FIRST_SDK => Err(Unfit(format!(
                "needs Android 9 (sdk {FIRST_SDK}) or newer; this phone has sdk {}",
                facts.sdk
            ))),
            _ => Ok(()),
        }
    }

    fn disable(&self, _facts: &DeviceFacts, _app: &App, _enabled: &[u8]) -> Option<String> {
        // A window whose steps failed has had no end.
        Some("dumpsys SurfaceFlinger --timestats -disable -clear >/dev/null 2>&1".to_owned())
    }

    fn begin(&self, _facts: &DeviceFacts, _app: &App, _nonce: u64) -> String {
        // Sub-flags are carried out in a fixed order, whatever the order here: disable, dump, clear, enable.
        format!(
            "w=$(date +%s); dumpsys SurfaceFlinger --timestats -clear -enable && echo \"{MARK} began $w $(date +%s)\""
        )
    }

    fn end(&self, _facts: &DeviceFacts, _app: &App, _nonce: u64, _mark: &[u8]) -> String {
        format!(
            "dumpsys SurfaceFlinger --timestats -dump -maxlayers {MOST_LAYERS}; w=$(date +%s); \
             dumpsys SurfaceFlinger --timestats -disable -clear >/dev/null 2>&1; echo; echo \"{MARK} ended $w\""
        )
    }
}
