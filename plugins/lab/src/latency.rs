//! How long a call takes on the way to a phone and back.

use crate::chance::{Draw, mix};
use std::time::Duration;

/// The distribution of call latencies: a body around the median and rare spikes up to a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// Half of the calls take less than this.
    pub median: Duration,
    /// No call takes longer.
    pub spike: Duration,
    /// Share of calls that spike, 0..=1.
    pub chance: f64,
}

impl Latency {
    /// Calls take no time.
    pub const NONE: Latency = Latency { median: Duration::ZERO, spike: Duration::ZERO, chance: 0.0 };
    /// A phone on a good USB port.
    pub const USB: Latency =
        Latency { median: Duration::from_millis(12), spike: Duration::from_millis(60), chance: 0.01 };
    /// A farm's hub with many phones: the default.
    pub(crate) const HUB: Latency =
        Latency { median: Duration::from_millis(45), spike: Duration::from_millis(200), chance: 0.05 };
    /// Phones over a network.
    pub(crate) const REMOTE: Latency =
        Latency { median: Duration::from_millis(120), spike: Duration::from_millis(800), chance: 0.05 };

    /// The names of profiles.
    pub(crate) const NAMES: [&str; 4] = ["none", "usb", "hub", "remote"];

    /// The profile of a name; nothing when there is none.
    pub fn named(name: &str) -> Option<Latency> {
        Some(match name {
            "none" => Latency::NONE,
            "usb" => Latency::USB,
            "hub" => Latency::HUB,
            "remote" => Latency::REMOTE,
            _ => return None,
        })
    }

    /// The latency of one call, by its own random word. The body is uniform in 0.7..1.3 of the median; spikes lie
    /// between the top of the body and the limit.
    pub fn of(&self, word: u64) -> Duration {
        let spikes = Draw(mix(word, 1, 0)).unit() < self.chance;
        let unit = Draw(mix(word, 2, 0)).unit();
        let body = self.median.mul_f64(0.7 + 0.6 * unit);
        if !spikes {
            return body.min(self.spike.max(self.median));
        }
        let top = self.median.mul_f64(1.3);
        top + self.spike.saturating_sub(top).mul_f64(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_profile_has_its_median_and_its_spikes() {
        let mut all: Vec<Duration> = (0..10_000).map(|i| Latency::HUB.of(mix(7, 7, i))).collect();
        all.sort();
        let (median, last) = (all[5000].as_secs_f64() * 1e3, all[9999].as_secs_f64() * 1e3);
        assert!((44.0..48.0).contains(&median), "{median}");
        assert!((190.0..=200.0).contains(&last), "{last}");
        assert_eq!(Latency::NONE.of(3), Duration::ZERO);
    }
}
