//! What SurfaceFlinger and the display do to frames that reached them in time.
//!
//! A pure function of the phone's seed and the refresh a display frame is meant for, so that all layers of it share its
//! fate. A phone whose file says nothing about its compositor has one that is never late. ns throughout.

use crate::chance::{Draw, Stream};
use crate::spec::CompositorSpec;
use crate::truth::Trouble;

/// Nearest and farthest a prediction is off: well beyond the 2 ms that count as on time.
const OFF_LEAST: i64 = 2_600_000;

/// The compositor of one phone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compositor {
    spec: CompositorSpec,
    seed: u64,
}

impl Compositor {
    /// As described. None when nothing is ever wrong with it.
    pub fn new(spec: &CompositorSpec, seed: u64) -> Option<Compositor> {
        (*spec != CompositorSpec::default()).then_some(Compositor { spec: *spec, seed })
    }

    /// What happens to the display frame meant for a refresh of this period. `slack`: how long before its deadline the
    /// buffer was ready; a promise moved to before that would blame the app.
    pub fn trouble(&self, vsync: i64, period: i64, slack: i64) -> Trouble {
        let draw = Draw::of(self.seed, Stream::Compositor, vsync as u64);
        let late = (1 + (draw.next(1).unit() * f64::from(self.spec.longest.max(1))) as u32).min(60) as u8;
        let mut left = draw.unit();
        let mut falls = |share: f64| {
            let hit = (0.0..share).contains(&left);
            left -= share;
            hit
        };
        if falls(self.spec.slow_cpu) {
            return Trouble::Cpu(late);
        }
        if falls(self.spec.slow_gpu) {
            return Trouble::Gpu(late);
        }
        if falls(self.spec.display_late) {
            return Trouble::Display(late);
        }
        let room = period - 2 * OFF_LEAST;
        if falls(self.spec.mispredicted) && room > 0 {
            let off = OFF_LEAST + (draw.next(2).unit() * room as f64) as i64;
            let earlier = draw.0 & 1 == 0 && off < slack;
            return Trouble::Mispredicted(if earlier { -off } else { off } as i32);
        }
        Trouble::None
    }

    /// Whether the buffer scheduled for a vsync is replaced by the next one before it is shown.
    pub fn drops(&self, intended: i64) -> bool {
        Draw::of(self.seed, Stream::Drop, intended as u64).unit() < self.spec.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trouble_comes_as_often_as_asked_and_none_unasked() {
        assert_eq!(Compositor::new(&CompositorSpec::default(), 1), None);
        let spec = CompositorSpec {
            slow_cpu: 0.1,
            slow_gpu: 0.05,
            display_late: 0.02,
            mispredicted: 0.03,
            dropped: 0.04,
            longest: 2,
        };
        let compositor = Compositor::new(&spec, 7).unwrap();
        let mut counts = [0; 5];
        for index in 0..100_000 {
            let vsync = index * 8_333_333;
            match compositor.trouble(vsync, 8_333_333, 4_000_000) {
                Trouble::Cpu(late) => {
                    assert!((1..=2).contains(&late));
                    counts[0] += 1;
                }
                Trouble::Gpu(_) => counts[1] += 1,
                Trouble::Display(_) => counts[2] += 1,
                Trouble::Mispredicted(off) => {
                    assert!((2_600_000..=5_800_000).contains(&off.abs()) && off > -4_000_000);
                    counts[3] += 1;
                }
                Trouble::None => {}
            }
            counts[4] += u32::from(compositor.drops(vsync));
        }
        for (count, share) in counts.into_iter().zip([0.1, 0.05, 0.02, 0.03, 0.04]) {
            assert!((f64::from(count) / 100_000.0 - share).abs() < 0.004, "{counts:?}");
        }
    }
}
