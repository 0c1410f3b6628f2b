//! Instants and spans as integer nanoseconds whose clocks cannot be mixed.
//!
//! A phone has two clocks that matter here: CLOCK_MONOTONIC (present fences, framestats: [`DeviceTime`]) and
//! CLOCK_BOOTTIME (`/proc/uptime`, 10 ms resolution: [`BootTime`]). The host has one per run ([`RunTime`]).
//! Values are only compared after an explicit conversion ([`ClockMap`]).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};

/// A length of time in nanoseconds; may be negative when it is a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(i64);

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// From nanoseconds.
    pub const fn from_ns(ns: i64) -> Self {
        Span(ns)
    }

    /// From milliseconds.
    pub const fn from_ms(ms: i64) -> Self {
        Span(ms * 1_000_000)
    }

    /// Nanoseconds.
    pub const fn ns(self) -> i64 {
        self.0
    }

    /// Milliseconds, as a fraction.
    pub fn ms(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Seconds, as a fraction.
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// As a std duration for timers; a negative span is zero.
    pub fn to_duration(self) -> std::time::Duration {
        std::time::Duration::from_nanos(self.0.max(0) as u64)
    }
}

impl From<std::time::Duration> for Span {
    fn from(duration: std::time::Duration) -> Self {
        Span(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ms", self.ms())
    }
}

macro_rules! instant {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// From nanoseconds on this clock.
            pub const fn from_ns(ns: i64) -> Self {
                $name(ns)
            }

            /// Nanoseconds on this clock.
            pub const fn ns(self) -> i64 {
                self.0
            }
        }

        impl Add<Span> for $name {
            type Output = $name;
            fn add(self, span: Span) -> $name {
                $name(self.0.saturating_add(span.0))
            }
        }

        impl Sub<Span> for $name {
            type Output = $name;
            fn sub(self, span: Span) -> $name {
                $name(self.0.saturating_sub(span.0))
            }
        }

        impl Sub for $name {
            type Output = Span;
            fn sub(self, earlier: $name) -> Span {
                Span(self.0.saturating_sub(earlier.0))
            }
        }
    };
}

instant! {
    /// An instant on a phone's CLOCK_MONOTONIC: the clock of present fences and framestats.
    DeviceTime
}
instant! {
    /// An instant on a phone's CLOCK_BOOTTIME: the clock of `/proc/uptime` (printed in steps of 10 ms).
    BootTime
}
instant! {
    /// An instant of the run on the host's monotonic clock; zero is the start of the run.
    RunTime
}

/// How a phone's BOOTTIME maps to its MONOTONIC clock: `monotonic = boot - offset`, known to ± `uncertainty`.
///
/// The offset comes from the `Uptime: U Realtime: R` header of `dumpsys gfxinfo` (both in ms, one line), and is
/// constant while the phone does not suspend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockMap {
    /// BOOTTIME minus MONOTONIC.
    pub offset: Span,
    /// Half width of what is not known about a converted instant, the 10 ms grain of `/proc/uptime` included.
    pub uncertainty: Span,
}

impl ClockMap {
    /// From one `Uptime: U Realtime: R` line, both in ms: ±1 ms from the header, 10 ms from `/proc/uptime`.
    pub const fn from_header_ms(uptime: i64, realtime: i64) -> Self {
        ClockMap { offset: Span::from_ms(realtime - uptime), uncertainty: Span::from_ms(11) }
    }

    /// The same instant on CLOCK_MONOTONIC.
    pub fn to_device(self, boot: BootTime) -> DeviceTime {
        DeviceTime::from_ns(boot.ns().saturating_sub(self.offset.ns()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boot_stamp_becomes_monotonic_by_the_header_offset() {
        let map = ClockMap::from_header_ms(116_130_041, 256_466_559);
        let boot = BootTime::from_ns(256_466_559_000_000);
        assert_eq!(map.to_device(boot), DeviceTime::from_ns(116_130_041_000_000));
    }

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!((DeviceTime::from_ns(i64::MAX) - DeviceTime::from_ns(-1)).ns(), i64::MAX);
    }
}
