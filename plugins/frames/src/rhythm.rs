//! How often a ring must be read so that no frame can be lost between two dumps
//! (docs/design/stitching.md#how-often-a-ring-is-read).
//!
//! Between two dumps of one ring at most as many new frames may appear as the ring certainly keeps; at the fastest rate
//! the phone may show, that is the longest allowed time between dumps. Dumps are taken at 40 % of it: one missed dump
//! is survivable. Must not know: how a ring is dumped. Rates are in Hz, spans in ns.

use farmjank_results::time::Span;
use farmjank_seams::sampling_loop::Rhythm;

/// The rate assumed where nothing is known about a phone: neither its modes nor a period in the dump. The factor of 2.5
/// between the dumps' distance and the longest allowed one makes the schedule for 60 Hz lossless up to 150 Hz, so the
/// common rate is assumed and the phone is not asked more often than it needs to be.
pub(crate) const FALLBACK_HZ: f64 = 60.0;

/// No pause is shorter: a loop without pause would be the load it measures.
pub(crate) const SHORTEST_PAUSE: Span = Span::from_ms(50);

/// A ring of frames that a phone keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// SurfaceFlinger's classic tracker: 127 rows for each layer.
    Latency,
    /// SurfaceFlinger's frame history (15 QPR2 and newer, by build): 64 display frames.
    History,
    /// HWUI's ring: 120 rows for each window.
    Framestats,
}

impl Ring {
    /// Rows the ring shows at most.
    pub const fn rows(self) -> u32 {
        match self {
            Ring::Latency => 127,
            Ring::History => 64,
            Ring::Framestats => 120,
        }
    }

    /// New frames that may appear between two dumps without loss. Three rows may be pending; a latency dump must also
    /// share one frame with its predecessor to prove that nothing was lost.
    pub const fn safe(self) -> u32 {
        match self {
            Ring::Latency | Ring::History => self.rows() - 3 - 1,
            Ring::Framestats => self.rows() - 3,
        }
    }
}

/// A reported period is a rounded integer: within this factor of a mode's rate it is that mode.
const ROUNDING: f64 = 1.01;

/// The fastest rate to reckon with: the phone's fastest mode, or a faster one that a dump reported; where the modes are
/// unknown, the reported rate but no less than [`FALLBACK_HZ`]. Rates that no panel has (below 1 or above 1000 Hz, not
/// a number) are ignored.
pub fn fastest(modes: Option<f64>, reported: Option<Span>) -> f64 {
    let real = |hz: &f64| (1.0..=1000.0).contains(hz);
    let known = modes.filter(real).unwrap_or(FALLBACK_HZ);
    let reported = reported.filter(|period| period.ns() > 0).map(|period| 1.0 / period.secs()).filter(real);
    reported.filter(|hz| *hz > known * ROUNDING).unwrap_or(known)
}

/// The rhythm for a ring at this rate, when one cycle of dumps takes `cost`.
pub fn rhythm(ring: Ring, fastest_hz: f64, cost: Span) -> Rhythm {
    let longest = Span::from_ns((f64::from(ring.safe()) * 1e9 / fastest_hz) as i64);
    let target = Span::from_ns(longest.ns() / 5 * 2);
    let pause = (target - cost).max(SHORTEST_PAUSE);
    Rhythm { ring_rows: ring.rows(), fastest_hz, pause, longest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedule_is_the_table_of_the_specification() {
        for (hz, latency, poll, framestats) in [
            (60.0, 2.05, 0.82, 1.95),
            (90.0, 1.37, 0.54, 1.30),
            (120.0, 1.03, 0.41, 0.98),
            (144.0, 0.85, 0.34, 0.81),
            (165.0, 0.75, 0.30, 0.71),
        ] {
            let near = |span: Span, seconds: f64| (span.secs() - seconds).abs() < 0.0075; // the table is rounded
            let surface = rhythm(Ring::Latency, hz, Span::ZERO);
            assert!(near(surface.longest, latency) && near(surface.pause, poll), "{surface:?}");
            assert!(near(rhythm(Ring::Framestats, hz, Span::ZERO).longest, framestats), "{hz}");
        }
    }

    #[test]
    fn the_cost_of_a_cycle_shortens_its_pause_down_to_a_floor() {
        let pause = |cost| rhythm(Ring::Latency, 120.0, Span::from_ms(cost)).pause.ns() / 1_000_000;
        assert_eq!(pause(0), 410);
        assert_eq!(pause(60), 350);
        assert_eq!(pause(5_000), 50);
    }

    #[test]
    fn an_unknown_phone_is_taken_for_sixty_and_survives_more() {
        assert_eq!(fastest(None, None), 60.0);
        assert_eq!(fastest(Some(f64::NAN), None), 60.0);
        assert_eq!(fastest(None, Some(Span::from_ns(33_333_333))), 60.0);
        assert!((fastest(None, Some(Span::from_ns(8_333_333))) - 120.0).abs() < 0.01);
        assert!((fastest(Some(90.0), Some(Span::from_ns(8_333_333))) - 120.0).abs() < 0.01);
        assert_eq!(fastest(Some(48.0), None), 48.0);
        let blind = rhythm(Ring::Latency, FALLBACK_HZ, Span::ZERO);
        assert!(blind.pause < rhythm(Ring::Latency, 144.0, Span::ZERO).longest);
    }
}
