//! The panel: when it refreshes. A chain of segments, each a lattice `from + n × period`, each beginning on a point
//! of the one before. The policy decides the next segment from touch, content and time.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know apps or layers.

use crate::archetype::Archetype;

const MS: i64 = 1_000_000;
/// Far future.
pub const NEVER: i64 = i64::MAX;

/// A stretch at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First refresh of the stretch.
    pub from: i64,
    /// Exact period, ns.
    pub period: i64,
    /// Index into the archetype's rates.
    pub rate: usize,
}

/// What the policy looks at.
#[derive(Clone, Copy, Debug)]
struct Watch {
    touching: bool,
    boost_until: i64,
    last_motion: i64,
    last_video: i64,
    tail: [(i64, usize); 2],
    capped: bool,
}

/// The panel of one phone.
#[derive(Clone, Debug)]
pub struct Panel {
    archetype: &'static Archetype,
    exact: Vec<i64>,
    segments: Vec<Segment>,
    watch: Watch,
    timer: i64,
}

impl Panel {
    /// A panel that has been idle since long before `from`.
    pub fn new(archetype: &'static Archetype, skew_ppm: i64, from: i64) -> Panel {
        let exact: Vec<i64> = exact_periods(archetype, skew_ppm);
        let policy = archetype.policy;
        let rate = policy.idle.last().map_or(policy.motion, |step| step.1);
        let watch = Watch {
            touching: false,
            boost_until: i64::MIN,
            last_motion: from - 60_000 * MS,
            last_video: from - 60_000 * MS,
            tail: [(NEVER, 0); 2],
            capped: false,
        };
        let segments = vec![Segment { from, period: exact[rate], rate }];
        Panel { archetype, exact, segments, watch, timer: NEVER }
    }

    /// Every segment so far.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The segment in force.
    #[inline]
    pub fn at(&self, t: i64) -> Segment {
        let mut index = self.segments.len() - 1;
        while index > 0 && self.segments[index].from > t {
            index -= 1;
        }
        self.segments[index]
    }

    /// First refresh at or after `t`.
    #[inline]
    pub(crate) fn at_or_after(&self, t: i64) -> i64 {
        let mut index = self.segments.len() - 1;
        let mut end = NEVER;
        while index > 0 && self.segments[index].from > t {
            end = self.segments[index].from;
            index -= 1;
        }
        let segment = self.segments[index];
        let steps = (t - segment.from + segment.period - 1).div_euclid(segment.period);
        (segment.from + steps * segment.period).min(end)
    }

    /// Last refresh at or before `t`.
    pub(crate) fn at_or_before(&self, t: i64) -> i64 {
        let segment = self.at(t);
        segment.from + (t - segment.from).div_euclid(segment.period) * segment.period
    }

    /// The refresh after a refresh.
    #[inline]
    pub fn after(&self, vsync: i64) -> i64 {
        let last = self.segments[self.segments.len() - 1];
        if vsync >= last.from { vsync + last.period } else { self.at_or_after(vsync + 1) }
    }

    /// A finger came down or left. Answers from when on the lattice changed, if it did.
    pub fn touch(&mut self, t: i64, down: bool) -> Option<i64> {
        self.watch.touching = down;
        self.watch.boost_until = t + self.archetype.policy.boost_ms * MS;
        self.watch.tail = [(NEVER, 0); 2];
        self.decide(t)
    }

    /// A fling began and will end.
    pub fn fling(&mut self, from: i64, until: i64) {
        for (slot, (share, rate)) in self.watch.tail.iter_mut().zip(self.archetype.policy.tail) {
            *slot = (from + ((until - from) as f64 * share) as i64, *rate);
        }
        let first = self.watch.tail.iter().map(|step| step.0).filter(|at| *at > from).min();
        self.timer = self.timer.min(first.unwrap_or(NEVER));
    }

    /// Content moved: a frame was begun.
    #[inline]
    pub fn moved(&mut self, t: i64, video: bool) -> Option<i64> {
        let last = if video { &mut self.watch.last_video } else { &mut self.watch.last_motion };
        let woke = t - *last > 50 * MS;
        *last = t;
        if woke { self.decide(t) } else { None }
    }

    /// The battery saver or a setting caps the rate.
    pub fn cap(&mut self, t: i64, capped: bool) -> Option<i64> {
        self.watch.capped = capped;
        self.decide(t)
    }

    /// When the policy wants to look again.
    #[inline]
    pub fn timer(&self) -> i64 {
        self.timer
    }

    /// Looks at touch, content and time and switches the rate if it must.
    pub fn decide(&mut self, t: i64) -> Option<i64> {
        let wanted = self.wanted(t);
        self.timer = self.next_look(t);
        self.request(t, wanted)
    }

    fn wanted(&self, t: i64) -> usize {
        let policy = self.archetype.policy;
        let watch = &self.watch;
        let quiet_after = policy.idle.first().map_or(NEVER, |step| step.0 * MS);
        let rate = if watch.touching || t < watch.boost_until {
            policy.touch
        } else if t - watch.last_motion < quiet_after {
            let slow = watch.tail.iter().filter(|step| step.0 <= t).map(|step| step.1).next_back();
            slow.unwrap_or(policy.motion)
        } else if t - watch.last_video < 250 * MS {
            policy.video
        } else {
            let quiet = t - watch.last_motion.max(watch.last_video);
            let step = policy.idle.iter().rev().find(|step| quiet >= step.0 * MS);
            step.map_or(policy.motion, |step| step.1)
        };
        if watch.capped { rate.min(policy.capped) } else { rate }
    }

    fn next_look(&self, t: i64) -> i64 {
        let policy = self.archetype.policy;
        let watch = &self.watch;
        if watch.touching || policy.idle.is_empty() {
            return NEVER;
        }
        let last = watch.last_motion.max(watch.last_video);
        let idle = policy.idle.iter().flat_map(|step| [watch.last_motion + step.0 * MS, last + step.0 * MS]);
        let tail = watch.tail.iter().map(|step| step.0);
        let others = [watch.boost_until, watch.last_video + 250 * MS];
        idle.chain(tail).chain(others).filter(|at| *at > t).min().unwrap_or(NEVER)
    }

    /// Asks for a rate: it begins on the next point of the lattice that the panel can still reach.
    fn request(&mut self, t: i64, rate: usize) -> Option<i64> {
        let mut changed = None;
        // A switch that has not happened yet can still be called off, unless its first fence may have signalled.
        while let [_, .., last] = self.segments[..]
            && last.from > t + MS
            && last.rate != rate
        {
            self.segments.pop();
            changed = Some(last.from);
        }
        let current = self.segments[self.segments.len() - 1];
        if current.rate == rate {
            return changed;
        }
        let t = t.max(current.from);
        // A slow panel that divides a fast tick answers a touch at the next tick, not at its next refresh.
        let tick = self.exact[self.exact.len() - 1];
        let from = if current.period > 2 * tick && self.archetype.modes.len() == 1 {
            current.from + (t - current.from + tick).div_euclid(tick) * tick + tick
        } else {
            self.at_or_after(t + current.period.min(20 * MS) / 2 + 2 * MS)
        };
        self.segments.push(Segment { from, period: self.exact[rate], rate });
        Some(changed.map_or(from, |earlier| earlier.min(from)))
    }
}

/// True periods: the printed ones, faster by the panel's skew. Rates that divide one tick stay exact multiples of it.
fn exact_periods(archetype: &Archetype, skew_ppm: i64) -> Vec<i64> {
    let skewed = |printed: i64| (printed as f64 / (1.0 + skew_ppm as f64 / 1e6)).round() as i64;
    if archetype.modes.len() == 1 && archetype.rates.len() > 1 {
        let tick = skewed(4_166_666);
        return archetype
            .rates
            .iter()
            .map(|rate| tick * (240.0 / f64::from(rate.hz)).round() as i64)
            .collect();
    }
    archetype.rates.iter().map(|rate| skewed(rate.printed)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn panel(name: &str) -> Panel {
        let archetype = Archetype::find(name).unwrap();
        Panel::new(archetype, archetype.skew_ppm, 1_000)
    }

    #[test]
    fn touch_boosts_and_silence_drops() {
        let mut panel = panel("pixel-6");
        assert_eq!(panel.at(5 * MS).rate, 0);
        panel.touch(1_000 * MS, true).unwrap();
        assert_eq!(panel.at(1_050 * MS).rate, 1);
        panel.touch(1_300 * MS, false);
        assert_eq!(panel.timer(), 2_300 * MS);
        panel.decide(2_300 * MS);
        assert_eq!(panel.at(2_400 * MS).rate, 0);
    }

    #[test]
    fn a_divided_tick_slows_down_in_the_tail_of_a_fling() {
        let mut panel = panel("pixel-9-pro");
        panel.touch(3_000 * MS, true);
        panel.touch(3_200 * MS, false);
        panel.fling(3_200 * MS, 4_200 * MS);
        for at in 3_200..4_200 {
            panel.moved(at * MS, false);
            if panel.timer() <= at * MS {
                panel.decide(at * MS);
            }
        }
        let rates: Vec<usize> = panel.segments().iter().map(|segment| segment.rate).collect();
        assert_eq!(rates, [0, 4, 3, 2]);
    }

    proptest! {
        #[test]
        fn segments_begin_on_the_lattice_before_them(touches in prop::collection::vec((1i64..900, any::<bool>()), 1..40)) {
            let mut panel = panel("moto-edge-30");
            let mut t = 0;
            for (pause, down) in touches {
                t += pause * MS;
                while panel.timer() < t {
                    let at = panel.timer();
                    panel.decide(at);
                }
                panel.touch(t, down);
            }
            for pair in panel.segments().windows(2) {
                prop_assert!(pair[1].from > pair[0].from);
                prop_assert_eq!((pair[1].from - pair[0].from) % pair[0].period, 0);
                prop_assert_eq!(panel.after(panel.at_or_before(pair[1].from - 1)), pair[1].from);
            }
        }
    }
}
