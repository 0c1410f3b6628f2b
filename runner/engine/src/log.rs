//! What the steps of a window did: gestures and launches on the phone's clock, and the motions they make.

use crate::android::app::Launch;
use crate::android::gesture::Remembered;
use crate::android::recent::recent;
use crate::touched::GestureStamp;
use farmjank_measure::weigh::LAUNCH_TOTAL_MS;
use farmjank_results::event::WindowMeasured;
use farmjank_results::metric::Reading;
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::time::{ClockMap, DeviceTime, Span};
use std::time::Duration;

/// Name of the implicit window that holds launches made outside any measured one.
pub const LAUNCH: &str = "launch";

/// What the steps of a window did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowLog {
    /// Start of the first step.
    pub from: Option<DeviceTime>,
    /// End of the last step; none when a step failed.
    pub to: Option<DeviceTime>,
    /// Gestures in order.
    pub gestures: Vec<GestureStamp>,
    /// Taps and keys in order: how many gestures came before, and its earliest instant.
    pub touches: Vec<(usize, DeviceTime)>,
    /// Launches in order.
    pub launches: Vec<Launch>,
    /// From the question at the end to the app's answer, where that was long in coming.
    pub blocked: Option<(DeviceTime, DeviceTime)>,
}

impl WindowLog {
    /// Whether the app was launched.
    pub(crate) fn has_launch(&self) -> bool {
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
        Some(Reading::Unmeasurable(why.into()))
    }

    /// The implicit window of launches outside any measured one. It has no frames of its own.
    pub(crate) fn launch_window(&self) -> WindowMeasured {
        let readings = self.launch_reading().map(|reading| (LAUNCH_TOTAL_MS.to_owned(), reading));
        WindowMeasured {
            window: LAUNCH.to_owned(),
            readings: readings.into_iter().collect(),
            ..WindowMeasured::default()
        }
    }

    /// A tap or a key: what moves from here on is its doing, and no fling any more.
    pub(crate) fn touched(&mut self, began: DeviceTime, clock: ClockMap) {
        self.touches.push((self.gestures.len(), began - clock.uncertainty));
    }

    /// The motions of this window: each gesture's finger as long as it may be down, and its fling until the earliest
    /// instant of the next finger or key, the bound, or the end.
    pub fn motions(&self, fling_bound: Duration) -> Vec<Motion> {
        let end =
            self.to.map(|to| self.gestures.iter().map(|gesture| gesture.ended).fold(to, DeviceTime::max));
        let mut motions: Vec<Motion> = Vec::new();
        for (at, gesture) in self.gestures.iter().enumerate() {
            let mut finger = gesture.motion();
            // Two fingers are never down at once, and nobody looks at what comes after the window.
            finger.from = motions.last().map_or(finger.from, |before| finger.from.max(before.to));
            let next = self.gestures.get(at + 1).map(|next| next.down.0.max(gesture.ended));
            finger.to = next.into_iter().chain(end).fold(finger.to, DeviceTime::min).max(finger.from);
            let bound = finger.to + Span::from(fling_bound);
            let touch = self.touches.iter().find(|(before, _)| *before == at + 1);
            let touch = touch.map(|(_, began)| (*began).max(finger.to));
            let to = next.into_iter().chain(touch).chain(self.to).fold(bound, DeviceTime::min);
            motions.push(finger);
            if to > finger.to {
                motions.push(Motion { from: finger.to, to, phase: Phase::Fling, touch: None });
            }
        }
        motions
    }

    /// Narrows the last gesture by what the dispatcher remembers.
    pub fn remembered(&mut self, told: &Remembered, clock: ClockMap) {
        let slack = clock.uncertainty;
        let between = (clock.to_device(told.asked) - slack, clock.to_device(told.answered) + slack);
        let events = recent(&told.text, between);
        self.gestures.iter_mut().next_back().into_iter().for_each(|gesture| gesture.remembered(&events));
    }

    /// Narrows each gesture by the events of its finger that frames of the app handled, in any order.
    pub fn handled(&mut self, events: impl Iterator<Item = DeviceTime>) {
        for at in events {
            // Stretches of two gestures may overlap: then it is not known whose it was.
            let mut may =
                self.gestures.iter_mut().filter(|gesture| at >= gesture.down.0 && at <= gesture.up.1);
            if let (Some(gesture), None) = (may.next(), may.next()) {
                gesture.handled(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> DeviceTime {
        DeviceTime::from_ns(ms * 1_000_000)
    }

    fn gesture(began: i64, ended: i64) -> GestureStamp {
        let clock = ClockMap { offset: Span::ZERO, uncertainty: Span::from_ms(11) };
        GestureStamp::around((at(began), at(ended)), Duration::from_millis(250), None, clock)
    }

    fn spans(motions: &[Motion]) -> Vec<(i64, i64)> {
        motions.iter().map(|motion| (motion.from.ns() / 1_000_000, motion.to.ns() / 1_000_000)).collect()
    }

    #[test]
    fn a_fling_ends_with_the_earliest_instant_of_the_next_finger_the_bound_or_the_window() {
        let log = WindowLog {
            gestures: vec![gesture(10, 300), gesture(900, 1200)],
            to: Some(at(1800)),
            ..WindowLog::default()
        };
        let motions = log.motions(Duration::from_millis(2000));
        assert_eq!(spans(&motions), [(9, 311), (311, 899), (899, 1211), (1211, 1800)]);
        let short = log.motions(Duration::from_millis(100));
        assert_eq!(short[1].to, at(411));
    }

    #[test]
    fn a_fling_ends_with_a_tap_or_a_key_and_another_finger_has_its_own() {
        let mut log =
            WindowLog { gestures: vec![gesture(10, 300)], to: Some(at(2_900)), ..WindowLog::default() };
        let clock = ClockMap { offset: Span::ZERO, uncertainty: Span::from_ms(11) };
        log.touched(at(900), clock);
        log.touched(at(1_100), clock);
        log.gestures.push(gesture(1_200, 1_500));
        log.touched(at(1_502), clock);
        let spans = spans(&log.motions(Duration::from_millis(2000)));
        assert_eq!(
            spans,
            [(9, 311), (311, 889), (1199, 1511)],
            "the second is caught where its finger may be up"
        );
    }

    #[test]
    fn a_finger_ends_with_its_window_and_before_the_next_one() {
        let mut log = WindowLog {
            gestures: vec![gesture(10, 300), gesture(302, 600)],
            to: Some(at(605)),
            ..WindowLog::default()
        };
        assert_eq!(spans(&log.motions(Duration::from_millis(2000))), [(9, 301), (301, 605)]);
        // What a frame handled may be either's where both may be down.
        let before = log.gestures.clone();
        log.handled([at(305)].into_iter());
        assert_eq!(log.gestures, before);
        log.handled([at(40), at(500)].into_iter());
        assert_eq!((log.gestures[0].down.1, log.gestures[1].up.0), (at(40), at(551)));
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
