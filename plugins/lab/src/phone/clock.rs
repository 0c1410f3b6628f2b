//! The phone's own clocks. CLOCK_MONOTONIC runs a little fast or slow against the lab; CLOCK_BOOTTIME is ahead of it by
//! the time the phone has slept. ns throughout.

use crate::chance::{Draw, Stream};

/// How lab time becomes phone time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// CLOCK_MONOTONIC at lab time 0.
    pub origin: i64,
    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC.
    pub slept: i64,
    /// Drift against the lab, parts per million.
    pub drift_ppm: i64,
}

impl Clocks {
    /// Clocks of a phone that has been up for hours to days.
    pub fn of(seed: u64) -> Clocks {
        let draw = Draw::of(seed, Stream::Trait, 1);
        Clocks {
            origin: draw.whole(3_600_000_000_000, 300_000_000_000_000),
            slept: draw.next(1).whole(5_000_000_000_000, 400_000_000_000_000),
            drift_ppm: draw.next(2).whole(-15, 15),
        }
    }

    /// CLOCK_MONOTONIC at a lab time.
    pub fn monotonic(&self, lab: i64) -> i64 {
        self.origin + lab + lab / 1_000_000 * self.drift_ppm + lab % 1_000_000 * self.drift_ppm / 1_000_000
    }

    /// CLOCK_BOOTTIME at a lab time.
    pub fn boot(&self, lab: i64) -> i64 {
        self.monotonic(lab) + self.slept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn time_goes_forward_and_the_offset_is_constant(seed: u64, at in 0i64..1_000_000_000_000_000, step in 1i64..1_000_000_000_000) {
            let clocks = Clocks::of(seed);
            prop_assert!(clocks.monotonic(at + step) > clocks.monotonic(at) - 1);
            prop_assert_eq!(clocks.boot(at) - clocks.monotonic(at), clocks.slept);
            let gained = clocks.monotonic(at + step) - clocks.monotonic(at) - step;
            prop_assert!(gained.abs() <= step / 60_000 + 2, "{}", gained);
        }
    }
}
