//! How much of a cause there is, and whether two such amounts differ by more than chance.
//!
//! Late frames come one by one, each charged with its own time: of a sum over them the squares of the parts tell how
//! far it lies from what it would be on average (the variance of a compound Poisson sum is the expected sum of
//! squares). So one diagnosis tells its own noise. Must not know: where amounts come from.

use super::{CRUMBS, FACTOR, LEAST, SIGMAS, State};
use crate::time::Span;

/// Time charged to a cause in some motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    /// Time charged, µs.
    pub us: i64,
    /// Late frames it is in.
    pub frames: u32,
    /// Sum over those frames of the square of its time, µs².
    pub squares: f64,
    /// Motion it was looked for in.
    pub motion: Span,
}

impl Amount {
    /// Nothing, in this much motion.
    pub fn nothing(motion: Span) -> Amount {
        Amount { motion, ..Amount::default() }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Amount) -> Amount {
        Amount {
            us: self.us.saturating_add(other.us),
            frames: self.frames.saturating_add(other.frames),
            squares: self.squares + other.squares,
            motion: self.motion + other.motion,
        }
    }

    /// Time per time of motion, ms/s, as `hitch_ms_per_s` counts; 0 without motion.
    pub fn ms_per_s(&self) -> f64 {
        if self.motion.ns() > 0 { self.us as f64 / (self.motion.ns() as f64 / 1e6) } else { 0.0 }
    }

    /// Variance of [`Amount::ms_per_s`] by chance, (ms/s)².
    fn variance(&self) -> f64 {
        let per = self.motion.ns() as f64 / 1e6;
        if per > 0.0 { self.squares / (per * per) } else { 0.0 }
    }

    /// What became of a cause that is there in both: grown or shrunk where it is [`FACTOR`] times as much or as little,
    /// differs by [`LEAST`] or more, and by [`SIGMAS`] of the deviation that chance alone gives the difference.
    pub fn since(&self, before: &Amount) -> State {
        let (now, then) = (self.ms_per_s(), before.ms_per_s());
        let beyond_chance = (now - then).abs() >= SIGMAS * (self.variance() + before.variance()).sqrt();
        if (now - then).abs() < LEAST || !beyond_chance {
            State::Known
        } else if now >= FACTOR * then {
            State::Grown
        } else if then >= FACTOR * now {
            State::Shrunk
        } else {
            State::Known
        }
    }

    /// It costs [`LEAST`] or more.
    pub fn is_there(&self) -> bool {
        self.ms_per_s() >= LEAST
    }

    /// It is not there, and at most crumbs are of what it is elsewhere.
    pub fn is_absent(&self, elsewhere: &Amount) -> bool {
        !self.is_there() && self.ms_per_s() <= CRUMBS * elsewhere.ms_per_s()
    }

    /// How probable it is that elsewhere shows no more than it does although nothing changed, 0..=1: that every late
    /// frame that is more than a crumb falls on this side. Those are at least as many as would scatter as much, each
    /// having the same, and at least as many as are here beyond what there is of crumbs elsewhere.
    pub fn missed_by_chance(&self, elsewhere: &Amount) -> f64 {
        let (here, there) = (self.motion.ns().max(0) as f64, elsewhere.motion.ns().max(0) as f64);
        if here <= 0.0 || there <= 0.0 {
            return 1.0;
        }
        let us = self.us as f64;
        let even = if self.squares > 0.0 { us * us / self.squares } else { 0.0 };
        let beyond = f64::from(self.frames) - f64::from(elsewhere.frames) * here / there;
        (here / (here + there)).powf(even.max(beyond))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many frames of so many ms each, in ten seconds of motion.
    fn amount(frames: u32, each_ms: i64) -> Amount {
        let us = each_ms * 1_000;
        let squares = f64::from(frames) * (us * us) as f64;
        Amount { us: i64::from(frames) * us, frames, squares, motion: Span::from_ms(10_000) }
    }

    #[test]
    fn a_change_needs_a_factor_an_amount_and_more_frames_than_chance_gives() {
        let state = |before: Amount, now: Amount| now.since(&before);
        assert_eq!(amount(10, 20).ms_per_s(), 20.0);
        assert_eq!(state(amount(10, 20), amount(10, 20)), State::Known);
        assert_eq!(state(amount(10, 20), amount(40, 20)), State::Grown);
        assert_eq!(state(amount(40, 20), amount(10, 20)), State::Shrunk);
        // Three times as much in three frames is chance.
        assert_eq!(state(amount(1, 20), amount(3, 20)), State::Known);
        // More frames than chance gives, and yet no half more.
        assert_eq!(state(amount(400, 20), amount(560, 20)), State::Known);
        // Four times next to nothing is next to nothing.
        assert_eq!(state(amount(50, 0), amount(50, 0)), State::Known);
        let tiny = Amount { us: 2_000, squares: 1e5, ..amount(40, 0) };
        assert_eq!(state(tiny, Amount { us: 8_000, ..tiny }), State::Known);
        // As many frames, each four times as late.
        assert_eq!(state(amount(20, 10), amount(20, 40)), State::Grown);
    }

    #[test]
    fn a_rare_cause_is_missed_by_chance_and_a_frequent_one_is_not() {
        let none = Amount::nothing(Span::from_ms(10_000));
        assert_eq!(amount(1, 20).missed_by_chance(&none), 0.5);
        assert!(amount(8, 20).missed_by_chance(&none) < 0.005);
        // Nine crumbs beside one large frame are ten frames, and one where there are as many crumbs elsewhere.
        let crumbs = Amount { frames: 9, ..none };
        let large = crumbs.plus(Amount { motion: Span::ZERO, ..amount(1, 20) });
        assert!(large.missed_by_chance(&none) < 0.001 && large.missed_by_chance(&crumbs) == 0.5);
        // A short look misses more.
        assert!(amount(8, 20).missed_by_chance(&Amount::nothing(Span::from_ms(100))) > 0.9);
        assert_eq!(Amount::default().missed_by_chance(&none), 1.0);
    }

    #[test]
    fn crumbs_are_absent_and_a_little_less_is_not() {
        let rate = |ms_per_s: f64| Amount { us: (ms_per_s * 10_000.0) as i64, ..amount(0, 0) };
        assert!(rate(0.1).is_absent(&rate(50.0)) && rate(0.0).is_absent(&rate(1.0)));
        assert!(!rate(0.9).is_absent(&rate(1.5)) && !rate(1.1).is_absent(&rate(50.0)));
    }

    #[test]
    fn frames_that_come_by_chance_alone_are_no_change() {
        // A linear congruential generator of 64 bits (Knuth's constants), as uniform numbers of 0..1.
        let mut state = 7_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut night = |rate: f64| {
            let mut sum = Amount::nothing(Span::from_ms(10_000));
            // 1200 frames of ten seconds, each late by chance, by one refresh or by up to nine.
            for _ in 0..1_200 {
                if draw() < rate {
                    let us = 8_333 * (1 + (draw() * draw() * 9.0) as i64);
                    sum = sum.plus(Amount { us, frames: 1, squares: (us * us) as f64, motion: Span::ZERO });
                }
            }
            sum
        };
        let mut changed = |before: f64, now: f64| {
            let pairs = (0..500).filter(|_| {
                let (before, now) = (night(before), night(now));
                before.frames > 0 && now.frames > 0 && now.since(&before) != State::Known
            });
            pairs.count()
        };
        assert!(changed(0.004, 0.004) <= 5 && changed(0.02, 0.02) <= 5 && changed(0.1, 0.1) <= 5);
        assert!(changed(0.02, 0.08) >= 450, "four times as much is seen");
    }
}
