//! How content moves under a finger: drags past the slop, flings as long as OverScroller makes them, rest.
//!
//! Lengths in px, times in ns. Must not know frames or panels.

/// A stretch in which the content moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Begins.
    pub from: i64,
    /// Ends (first instant without movement).
    pub to: i64,
    /// The gesture that causes it.
    pub gesture: Option<u32>,
    /// The finger is down.
    pub finger: bool,
}

/// When a window's content moves, and where it is.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    stretches: Vec<Stretch>,
    scroll: Scroll,
    /// The pixel the last frame showed, of content that flings by whole ones.
    pixel: Option<f64>,
}

/// A position that may be under way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Scroll {
    start: f64,
    end: f64,
    from: i64,
    to: i64,
    eased: bool,
}

impl Scroll {
    fn at(&self, t: i64) -> f64 {
        if t >= self.to {
            return self.end;
        }
        if t <= self.from {
            return self.start;
        }
        let share = (t - self.from) as f64 / (self.to - self.from) as f64;
        let share = if self.eased { 1.0 - (1.0 - share).powf(FLING_POWER) } else { share };
        self.start + (self.end - self.start) * share
    }

    /// When it leaves this pixel for the next one; none if it comes to rest on it.
    fn leaves(&self, pixel: f64) -> Option<i64> {
        let (forth, border) =
            (self.end > self.start, if self.end > self.start { pixel + 1.0 } else { pixel });
        let crosses = if forth { self.end >= border } else { self.end < border };
        let share = (border - self.start) / (self.end - self.start);
        let share = if self.eased { 1.0 - (1.0 - share).powf(1.0 / FLING_POWER) } else { share };
        // Past what rounding may take from it.
        crosses.then(|| self.from + ((self.to - self.from) as f64 * share) as i64 + 1_000)
    }
}

/// ln 0.78 / ln 0.9: how a fling of the platform slows down.
const DECELERATION: f64 = 2.358_201_815;
const FLING_POWER: f64 = 2.36;

/// What a screen makes of finger movements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feel {
    /// Density, dpi.
    pub density: f64,
    /// Last scroll position, px (the first is 0).
    pub last: f64,
}

impl Feel {
    /// Movement that makes a touch a drag: 8 dp.
    pub fn slop(&self) -> f64 {
        8.0 * self.density / 160.0
    }

    /// Duration (ns) and distance (px) of a fling at `velocity` px/s; none below 50 dp/s.
    pub fn fling(&self, velocity: f64) -> Option<(i64, f64)> {
        let dp = self.density / 160.0;
        let speed = velocity.abs().min(8_000.0 * dp);
        if speed < 50.0 * dp {
            return None;
        }
        let friction = 0.015 * 9.806_65 * 39.37 * self.density * 0.84;
        let log = (0.35 * speed / friction).ln();
        let duration = (log / (DECELERATION - 1.0)).exp();
        let distance = friction * (DECELERATION / (DECELERATION - 1.0) * log).exp();
        Some(((duration * 1e9) as i64, distance * velocity.signum()))
    }
}

impl Motion {
    /// Of content that flings by whole pixels, or by any part of one.
    pub fn of(whole_pixels: bool) -> Motion {
        Motion { pixel: whole_pixels.then_some(0.0), ..Motion::default() }
    }

    /// Whether it flings by whole pixels.
    pub fn whole_pixels(&self) -> bool {
        self.pixel.is_some()
    }

    /// A frame showed the content as it was at `t`.
    pub fn drew(&mut self, t: i64) {
        let here = self.position(t).floor();
        self.pixel = self.pixel.map(|_| here);
    }

    /// Scroll position at `t`, px from the top.
    pub fn position(&self, t: i64) -> f64 {
        self.scroll.at(t)
    }

    /// The content stops where it is.
    pub(crate) fn halt(&mut self, t: i64) {
        let here = self.position(t);
        self.scroll = Scroll { start: here, end: here, from: t, to: t, eased: false };
        for stretch in &mut self.stretches {
            stretch.to = stretch.to.min(t);
        }
    }

    /// Something moves by itself (an animation) for a while.
    pub(crate) fn animate(&mut self, from: i64, to: i64, gesture: Option<u32>) {
        self.stretches.push(Stretch { from, to, gesture, finger: false });
    }

    /// The finger moves evenly by `by` px of content from `from` to `to`; the first `slop` px do not count.
    pub fn drag(&mut self, feel: &Feel, from: i64, to: i64, by: f64, slop: f64, gesture: u32) {
        if by.abs() <= slop || to <= from {
            return;
        }
        let past = from + ((to - from) as f64 * (slop / by.abs())) as i64;
        let wanted = by - slop * by.signum();
        self.go(
            feel,
            past,
            to,
            wanted,
            false,
            Stretch { from: past, to, gesture: Some(gesture), finger: true },
        );
    }

    /// The finger that moves the content up to `to` stays as long as its command needs: until it is let go.
    pub fn hold(&mut self, to: i64) {
        for stretch in self.stretches.iter_mut().filter(|stretch| stretch.finger && stretch.to == to) {
            stretch.to = i64::MAX;
        }
    }

    /// The finger left: nothing follows it any more.
    pub(crate) fn let_go(&mut self, t: i64) {
        for stretch in self.stretches.iter_mut().filter(|stretch| stretch.to == i64::MAX) {
            stretch.to = t;
        }
    }

    /// The finger left at `velocity` px/s of content. Answers when the content comes to rest.
    pub fn fling(&mut self, feel: &Feel, t: i64, velocity: f64, gesture: u32) -> Option<i64> {
        let (duration, distance) = feel.fling(velocity)?;
        let stretch = Stretch { from: t, to: t + duration, gesture: Some(gesture), finger: false };
        self.go(feel, t, t + duration, distance, true, stretch)
    }

    /// Moves within the list's ends; movement stops where an end is reached.
    fn go(
        &mut self,
        feel: &Feel,
        from: i64,
        to: i64,
        by: f64,
        eased: bool,
        mut stretch: Stretch,
    ) -> Option<i64> {
        let here = self.position(from);
        let target = (here + by).clamp(0.0, feel.last);
        let share = ((target - here) / by).clamp(0.0, 1.0);
        if share <= 0.0 {
            return None;
        }
        let time = if eased { 1.0 - (1.0 - share).powf(1.0 / FLING_POWER) } else { share };
        self.scroll = Scroll { start: here, end: here + by, from, to, eased };
        stretch.to = if share < 1.0 { from + ((to - from) as f64 * time) as i64 } else { to };
        if share < 1.0 {
            // Rest at the end of the list: from there on nothing changes.
            self.scroll = Scroll { start: here, end: target, from, to: stretch.to, eased };
        }
        self.stretches.push(stretch);
        Some(stretch.to)
    }

    /// The first instant at or after `t` at which there is something new to show.
    #[inline]
    pub fn next(&self, t: i64) -> Option<i64> {
        let ahead = self.stretches.iter().filter(|stretch| stretch.to > t);
        match self.pixel {
            None => ahead.map(|stretch| stretch.from.max(t)).min(),
            Some(pixel) => ahead.filter_map(|stretch| self.shows(stretch, t, pixel)).min(),
        }
    }

    /// The first instant from `t` on at which this stretch shows another pixel than this one.
    fn shows(&self, stretch: &Stretch, t: i64, pixel: f64) -> Option<i64> {
        let at = stretch.from.max(t);
        let flings = stretch.gesture.is_some() && !stretch.finger;
        if !flings || self.position(at).floor() != pixel {
            return Some(at);
        }
        self.scroll.leaves(pixel).map(|leaves| leaves.max(at)).filter(|leaves| *leaves < stretch.to)
    }

    /// What moves at `t`.
    #[inline]
    pub fn moving(&self, t: i64) -> Option<Stretch> {
        self.stretches.iter().find(|stretch| stretch.from <= t && t < stretch.to).copied()
    }

    /// What made a frame be `wanted` that is drawn after it came to rest: the last pixel of a fling.
    pub fn moved(&self, wanted: i64) -> Option<Stretch> {
        self.pixel.and_then(|_| self.moving(wanted))
    }

    /// Drops what is over.
    pub fn forget(&mut self, t: i64) {
        self.stretches.retain(|stretch| stretch.to > t);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEEL: Feel = Feel { density: 420.0, last: 100_000.0 };
    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn a_fling_lasts_as_long_as_overscroller_says() {
        let (duration, distance) = FEEL.fling(4_800.0).unwrap();
        assert!((860_000_000..875_000_000).contains(&duration), "{duration}");
        assert!((1_440.0..1_470.0).contains(&distance), "{distance}");
        assert_eq!(FEEL.fling(100.0), None);
    }

    #[test]
    fn a_list_of_whole_pixels_has_nothing_to_show_until_it_passed_one_and_ever_more_rarely() {
        for velocity in [4_800.0, -4_800.0] {
            let mut motion = Motion::of(true);
            motion.drag(&FEEL, -SECOND, 0, 2_000.0, FEEL.slop(), 0);
            motion.drew(0);
            let end = motion.fling(&FEEL, 0, velocity, 0).unwrap();
            let mut at = 0;
            let mut gaps = Vec::new();
            let mut pixel = motion.position(0).floor();
            while let Some(next) = motion.next(at + 1) {
                motion.drew(next);
                let now = motion.position(next).floor();
                assert!((now - pixel).abs() == 1.0 || next == at + 1, "{pixel} to {now} at {next}");
                (gaps, pixel, at) = ([gaps, vec![next - at]].concat(), now, next);
            }
            let last = &gaps[gaps.len() - 6..];
            assert!(last.is_sorted() && last[5] > 13_000_000 && last[5] < 45_000_000, "{last:?}");
            assert!(at < end && motion.moved(at).is_some() && motion.next(end).is_none());
        }
    }

    #[test]
    fn the_end_of_the_list_ends_the_motion() {
        let feel = Feel { last: 500.0, ..FEEL };
        let mut motion = Motion::default();
        motion.drag(&feel, 0, 250_000_000, 1_200.0, feel.slop(), 0);
        let stretch = motion.moving(50_000_000).unwrap();
        assert!(stretch.to < 130_000_000, "{}", stretch.to);
        assert_eq!(motion.position(i64::MAX), 500.0);
        assert_eq!(motion.fling(&feel, 250_000_000, 4_800.0, 0), None);
    }

    #[test]
    fn at_the_top_pulling_down_moves_nothing() {
        let mut motion = Motion::default();
        motion.drag(&FEEL, 0, 250_000_000, -800.0, FEEL.slop(), 0);
        assert_eq!(motion.next(0), None);
    }

    #[test]
    fn a_touch_halts_a_fling_where_it_is() {
        let mut motion = Motion::default();
        let end = motion.fling(&FEEL, 0, 4_800.0, 0).unwrap();
        motion.halt(end / 2);
        let here = motion.position(end / 2);
        assert!(here > 1_000.0 && here < 1_450.0 && motion.position(end) == here);
        assert_eq!(motion.next(end / 2), None);
    }
}
