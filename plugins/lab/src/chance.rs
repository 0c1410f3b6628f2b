//! Seeded chance: every draw is a pure function of seed, stream and index, so the order of asking never matters.
//!
//! No state, no `rand`: a splitmix64 finaliser over the mixed inputs. Must not know what is drawn for.

/// What a draw is for. Streams never share numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Stream {
    /// Stage costs of a frame.
    Cost = 1,
    /// Hitches and freezes of a frame.
    Hitch = 2,
    /// Noise of a present fence.
    Fence = 3,
    /// Traits of a phone: clocks, panel skew, ids.
    Trait = 4,
    /// Time a dump takes.
    Dump = 5,
    /// Start-up time of a command.
    Start = 6,
    /// Launches of the app.
    Launch = 7,
    /// Mood of one burst of frames.
    Burst = 8,
    /// Hashes shown in texts.
    Name = 9,
    /// Sensor readings.
    Sensor = 10,
    /// What the compositor does to a display frame.
    Compositor = 11,
    /// Buffers that never reach the screen.
    Drop = 12,
    /// Tracing: how long it takes, what it loses.
    Trace = 13,
    /// Refreshes a frame takes where an app keeps no even pace.
    Pace = 14,
    /// What `input` waits for.
    Input = 15,
    /// What threads do beside frames.
    Kernel = 16,
}

/// Mixes three words into one that looks random.
#[inline]
pub const fn mix(seed: u64, stream: u64, index: u64) -> u64 {
    let mut word =
        seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ index.wrapping_mul(0xd1b5_4a32_d192_ed03);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// One drawn word and the numbers that can be read from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw(pub u64);

impl Draw {
    /// The draw number `index` of a stream.
    #[inline]
    pub const fn of(seed: u64, stream: Stream, index: u64) -> Draw {
        Draw(mix(seed, stream as u64, index))
    }

    /// A further draw from this one.
    #[inline]
    pub const fn next(self, index: u64) -> Draw {
        Draw(mix(self.0, 0x51, index))
    }

    /// Uniform in 0..1.
    #[inline]
    pub fn unit(self) -> f64 {
        (self.0 >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in `low..high`.
    #[inline]
    pub fn between(self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform whole number in `low..=high`.
    pub fn whole(self, low: i64, high: i64) -> i64 {
        low + (self.0 % (high - low + 1).max(1) as u64) as i64
    }

    /// Bell-shaped with mean 0 and standard deviation 1, never beyond ±3.47 (sum of four 16-bit uniforms).
    #[inline]
    pub(crate) fn bell(self) -> f64 {
        let word = self.0;
        let sum = (word & 0xffff) + ((word >> 16) & 0xffff) + ((word >> 32) & 0xffff) + (word >> 48);
        (sum as f64 - 131_070.0) * (1.732_050_807_568_877_2 / 65_536.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_repeatable_and_streams_differ() {
        assert_eq!(Draw::of(7, Stream::Cost, 3), Draw::of(7, Stream::Cost, 3));
        assert_ne!(Draw::of(7, Stream::Cost, 3), Draw::of(7, Stream::Fence, 3));
        assert_ne!(Draw::of(7, Stream::Cost, 3), Draw::of(8, Stream::Cost, 3));
    }

    #[test]
    fn moments_are_what_they_claim() {
        let count = 200_000;
        let bells: Vec<f64> = (0..count).map(|index| Draw::of(1, Stream::Fence, index).bell()).collect();
        let mean = bells.iter().sum::<f64>() / count as f64;
        let variance = bells.iter().map(|bell| (bell - mean).powi(2)).sum::<f64>() / count as f64;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        let units =
            (0..count).map(|index| Draw::of(2, Stream::Cost, index).unit()).sum::<f64>() / count as f64;
        assert!((units - 0.5).abs() < 0.005);
    }
}
