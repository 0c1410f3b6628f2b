//! What the steps of a window did: gestures and launches on the phone's clock, and the motions they make.

use crate::android::app::Launch;
use farmjank_results::event::WindowMeasured;
use farmjank_results::metric::Reading;
use farmjank_results::time::{DeviceTime, Span};
use farmjank_results::window::{Motion, Phase};
use std::time::Duration;

/// Name of the implicit window that holds launches made outside any measured one.
pub const LAUNCH: &str = "launch";
/// Metric key of a launch's own time.
pub const LAUNCH_TOTAL_MS: &str = "launch_total_ms";
/// Share of the measured cost of `input` that a gesture surely waits before its finger is down.
const SURE_LEAD: f64 = 0.75;

/// One gesture, stamped on the phone's clock around the command that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GestureStamp {
    /// Just before the command.
    pub began: DeviceTime,
    /// Just after: the finger is up.
    pub ended: DeviceTime,
    /// How long the finger was asked to be down.
    pub duration: Duration,
}

/// What the steps of a window did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowLog {
    /// Start of the first step.
    pub from: Option<DeviceTime>,
    /// End of the last step; none when a step failed.
    pub to: Option<DeviceTime>,
    /// Gestures in order.
    pub gestures: Vec<GestureStamp>,
    /// Launches in order.
    pub launches: Vec<Launch>,
}

impl WindowLog {
    /// Whether the app was launched.
    pub fn has_launch(&self) -> bool {
        !self.launches.is_empty()
    }

    /// The reading of the launches: their mean in ms.
    pub(crate) fn launch_reading(&self) -> Option<Reading> {
        if self.launches.is_empty() {
            return None;
        }
        let totals: Vec<f64> = self.launches.iter().filter_map(|launch| Some(launch.total?.ms())).collect();
        if totals.len() == self.launches.len() {
            return Some(Reading::Value(totals.iter().sum::<f64>() / totals.len() as f64));
        }
        let why = match self.launches.iter().any(|launch| launch.timed_out) {
            true => "the phone stopped waiting for the launch after its own 10 s",
            false => "the phone gave no TotalTime for the launch (the app was already there)",
        };
        Some(Reading::Unmeasurable(why.to_owned()))
    }

    /// The implicit window of launches outside any measured one. It has no frames of its own.
    pub fn launch_window(&self) -> WindowMeasured {
        let readings = self.launch_reading().map(|reading| (LAUNCH_TOTAL_MS.to_owned(), reading));
        WindowMeasured {
            window: LAUNCH.to_owned(),
            readings: readings.into_iter().collect(),
            ..WindowMeasured::default()
        }
    }

    /// The motions of this window: each gesture's finger, and its fling until the next finger, the bound, or the end.
    ///
    /// The finger comes down no earlier than the surely spent part of the cost of `input` after the first stamp; it is up
    /// at the second stamp, because `input swipe` returns when it has lifted it.
    pub fn motions(&self, lead: Duration, fling_bound: Duration) -> Vec<Motion> {
        let lead = Span::from(lead.mul_f64(SURE_LEAD));
        let down = |gesture: &GestureStamp| {
            let latest = gesture.ended - Span::from(gesture.duration);
            (gesture.began + lead).min(latest).max(gesture.began)
        };
        let mut motions = Vec::new();
        for (at, gesture) in self.gestures.iter().enumerate() {
            let next = self.gestures.get(at + 1).map(down);
            let bound = gesture.ended + Span::from(fling_bound);
            let to = next.into_iter().chain(self.to).fold(bound, DeviceTime::min);
            motions.push(Motion { from: down(gesture), to: gesture.ended, phase: Phase::Finger });
            if to > gesture.ended {
                motions.push(Motion { from: gesture.ended, to, phase: Phase::Fling });
            }
        }
        motions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> DeviceTime {
        DeviceTime::from_ns(ms * 1_000_000)
    }

    fn gesture(began: i64, ended: i64) -> GestureStamp {
        GestureStamp { began: at(began), ended: at(ended), duration: Duration::from_millis(250) }
    }

    #[test]
    fn a_fling_ends_with_the_next_finger_the_bound_or_the_window() {
        let log = WindowLog {
            gestures: vec![gesture(0, 300), gesture(900, 1200)],
            to: Some(at(1800)),
            ..WindowLog::default()
        };
        let motions = log.motions(Duration::from_millis(20), Duration::from_millis(2000));
        let spans: Vec<_> =
            motions.iter().map(|motion| (motion.from.ns() / 1_000_000, motion.to.ns() / 1_000_000)).collect();
        assert_eq!(spans, [(15, 300), (300, 915), (915, 1200), (1200, 1800)]);
        let short = log.motions(Duration::from_millis(20), Duration::from_millis(100));
        assert_eq!(short[1].to, at(400));
    }

    #[test]
    fn a_finger_never_starts_later_than_its_own_duration_allows() {
        let log = WindowLog { gestures: vec![gesture(0, 260)], ..WindowLog::default() };
        assert_eq!(log.motions(Duration::from_millis(600), Duration::ZERO)[0].from, at(10));
    }

    #[test]
    fn launches_average_or_say_why_not() {
        let launch = |total| Launch { total, state: "COLD".into(), timed_out: false };
        let mut log = WindowLog {
            launches: vec![launch(Some(Span::from_ms(400))), launch(Some(Span::from_ms(500)))],
            ..WindowLog::default()
        };
        assert_eq!(log.launch_window().readings[LAUNCH_TOTAL_MS], Reading::Value(450.0));
        log.launches.push(launch(None));
        assert!(matches!(log.launch_window().readings[LAUNCH_TOTAL_MS], Reading::Unmeasurable(_)));
    }
}
