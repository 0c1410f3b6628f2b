//! The noise model (docs/design/statistics.md#the-noise-model): what hitches of four kinds of phones look like,
//! iteration by iteration.
//!
//! A chain of good and bad stretches of frames, hitches with a heavy tail, iterations that differ, a few hit by foreign
//! work. Synthetic: it shows whether a method holds what it promises, never what a phone does. Times in ms, durations
//! in s.

use farmjank_statistics::chance::Chance;

/// Share of frames in a bad stretch, mean length of one in frames, and how much more likely a hitch is inside it.
const BAD: (f64, f64, f64) = (0.15, 8.0, 5.0);
/// Exponent of a hitch's length: P(K >= k) = k^-1.8 vsyncs of 60 Hz; and its cap.
const TAIL: (f64, f64) = (1.8, 42.0);
/// Share of iterations hit by foreign work, and its cost in ms.
const FOREIGN: (f64, f64, f64) = (0.04, 100.0, 500.0);
/// One vsync of 60 Hz, ms.
const VSYNC60: f64 = 1000.0 / 60.0;

/// A kind of phone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// What the report calls it.
    pub name: &'static str,
    /// Refresh rate, Hz.
    pub hz: f64,
    /// Mean share of frames that hitch.
    pub rate: f64,
    /// Spread of the rate between iterations: standard deviation of its logarithm.
    pub spread: f64,
}

/// The four profiles.
pub const PROFILES: [Profile; 4] = [
    Profile { name: "A flagship 120 Hz", hz: 120.0, rate: 0.0016, spread: 0.5 },
    Profile { name: "B good 60 Hz", hz: 60.0, rate: 0.0042, spread: 0.4 },
    Profile { name: "C mid 60 Hz", hz: 60.0, rate: 0.0135, spread: 0.35 },
    Profile { name: "D low-end 60 Hz", hz: 60.0, rate: 0.078, spread: 0.25 },
];

/// A phone on which nothing happens: of a hundred iterations of 20 s without foreign work ninety-odd have no hitch.
pub const SILENT: Profile = Profile { name: "S silent 120 Hz", hz: 120.0, rate: 0.000_03, spread: 0.5 };

/// One iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Hitch time, ms per s.
    pub hitch: f64,
    /// Frames per second.
    pub fps: f64,
}

impl Profile {
    /// The same phone with another mean share of hitching frames.
    pub fn with_rate(self, rate: f64) -> Profile {
        Profile { rate, ..self }
    }

    /// One iteration of that many seconds of motion.
    pub fn iteration(&self, seconds: f64, chance: &mut Chance) -> Iteration {
        let period = 1000.0 / self.hz;
        let (share, dwell, boost) = BAD;
        let mood = chance.lognormal(self.spread);
        let good = self.rate / ((1.0 - share) + boost * share);
        let (leave, enter) = (1.0 / dwell, share / (1.0 - share) / dwell);
        let mut bad = chance.unit() < share;
        let mut hitch = 0.0;
        let mut time = 0.0;
        let mut frames = 0.0;
        for _ in 0..(self.hz * seconds).round() as usize {
            let rate = mood * if bad { boost * good } else { good };
            let long = if chance.unit() < rate { self.length(period, chance) } else { 0.0 };
            frames += 1.0;
            hitch += long * period;
            time += (1.0 + long) * period;
            bad = if bad { chance.unit() >= leave } else { chance.unit() < enter };
            if time >= seconds * 1000.0 {
                break;
            }
        }
        let foreign =
            if chance.unit() < FOREIGN.0 { FOREIGN.1 + (FOREIGN.2 - FOREIGN.1) * chance.unit() } else { 0.0 };
        let seconds = (time + foreign) / 1000.0;
        Iteration { hitch: (hitch + foreign) / seconds, fps: frames / seconds }
    }

    /// Length of one hitch in vsyncs of this phone, at least one.
    fn length(&self, period: f64, chance: &mut Chance) -> f64 {
        let vsyncs = (1.0 - chance.unit()).powf(-1.0 / TAIL.0).floor().min(TAIL.1);
        // a faster panel shows the end of a hitch sooner
        let part = if self.hz > 60.0 { 0.5 + 0.5 * chance.unit() } else { 1.0 };
        (vsyncs * VSYNC60 * part / period).round().max(1.0)
    }

    /// Hitch times of `count` iterations.
    pub fn hitches(&self, seconds: f64, count: usize, seed: u64) -> Vec<f64> {
        let iteration = |at| self.iteration(seconds, &mut Chance::of(seed, at as u64)).hitch;
        (0..count).map(iteration).collect()
    }

    /// The same phone, made worse until its mean hitch time is `effect` ms/s greater. The mean is that of 4 000
    /// iterations, the same draws for each rate tried.
    pub fn worse_by(self, effect: f64, seconds: f64, seed: u64) -> Profile {
        const ITERATIONS: usize = 4_000;
        let mean = |rate: f64| {
            self.with_rate(rate).hitches(seconds, ITERATIONS, seed).iter().sum::<f64>() / ITERATIONS as f64
        };
        let wanted = mean(self.rate) + effect;
        let mut low = self.rate;
        let mut high = self.rate * 2.0;
        while mean(high) < wanted && high < 1.0 {
            (low, high) = (high, high * 2.0);
        }
        // twelve halvings: the rate to one part in four thousand
        for _ in 0..12 {
            let middle = f64::midpoint(low, high);
            if mean(middle) < wanted { low = middle } else { high = middle }
        }
        self.with_rate(f64::midpoint(low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_have_the_means_of_the_reference() {
        // docs/design/statistics.md#the-noise-model, rounded: mean hitch 5-6, 8-9, 25, 124 ms/s and frame rates 119.3,
        // 59.4, 58.5, 52.5
        let wanted = [(4.5, 6.5, 119.3), (8.0, 9.5, 59.4), (23.0, 27.0, 58.5), (118.0, 130.0, 52.5)];
        for (profile, (least, most, fps)) in PROFILES.into_iter().zip(wanted) {
            let count = 3_000;
            let all: Vec<Iteration> =
                (0..count).map(|at| profile.iteration(20.0, &mut Chance::of(1, at))).collect();
            let mean = |of: fn(&Iteration) -> f64| all.iter().map(of).sum::<f64>() / count as f64;
            let (hitch, rate) = (mean(|it| it.hitch), mean(|it| it.fps));
            assert!(
                (least..most).contains(&hitch) && (rate - fps).abs() < 0.3,
                "{}: {hitch} {rate}",
                profile.name
            );
        }
    }

    #[test]
    fn smooth_phones_pile_up_zeros() {
        // docs/design/statistics.md#the-unit: 25 to 68 % of short iterations have no hitch
        let zeros = |profile: Profile| {
            profile.hitches(6.0, 2_000, 2).iter().filter(|hitch| **hitch == 0.0).count() as f64 / 2_000.0
        };
        assert!(zeros(PROFILES[0]) > 0.25 && zeros(PROFILES[1]) > 0.2 && zeros(PROFILES[3]) < 0.01);
    }

    #[test]
    fn a_worse_phone_is_worse_by_what_was_asked() {
        let base = PROFILES[1];
        let worse = base.worse_by(20.0, 20.0, 3);
        let mean = |profile: Profile| profile.hitches(20.0, 6_000, 4).iter().sum::<f64>() / 6_000.0;
        let effect = mean(worse) - mean(base);
        assert!((effect - 20.0).abs() < 1.0, "{effect}");
    }
}
