//! Frames of the windows of a believable run.

use farmjank_results::frame_log::{Bar, FrameLog, What};
use farmjank_results::frame_timeline::JankOwner;
use farmjank_results::motion::Phase;
use farmjank_results::time::DeviceTime;
use farmjank_seams::reporter::FrameLogs;

/// The frames of every window: 4.2 s at its refresh rate, as often and as much too late as it hitches.
pub struct Film;

impl FrameLogs for Film {
    fn frame_log(&self, path: &str) -> Option<Vec<u8>> {
        let mut parts = path.strip_prefix("evidence/")?.split('/');
        let (hz, hitch): (f64, f64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let shift = parts.next()?.bytes().map(u64::from).sum::<u64>() % 4;
        let period_us = (1e6 / hz) as u64;
        let (mut bars, mut from_us) = (Vec::new(), 0);
        for at in 0.. {
            let late = if (at + shift) % 25 == 24 {
                (hitch / 4.0).ceil() as u32 * ((at / 25) as u32 % 3)
            } else {
                0
            };
            let length_us = period_us * u64::from(1 + late);
            if from_us + length_us > 4_200_000 {
                break;
            }
            let phase = if from_us < 300_000 { Phase::Finger } else { Phase::Fling };
            bars.push(Bar {
                from_us,
                length_us,
                what: What::Frame,
                phase,
                period_ns: period_us * 1000,
                vsyncs: 1 + late,
                cadence: 1,
                owner: (late > 0 && at % 2 == 0).then_some(JankOwner::App),
                stage: (late > 1).then_some(4),
            });
            from_us += length_us;
        }
        Some(FrameLog { origin: DeviceTime::from_ns(0), bars }.encode())
    }
}
