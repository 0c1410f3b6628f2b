//! The pace an app keeps of its own: when its next frame may be drawn, by its own clock or by counting refreshes.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know what a frame costs or why content moves.

use super::panel::Panel;
use crate::chance::{Draw, Stream};
use crate::spec::PaceSpec;

const MS: i64 = 1_000_000;
/// A refresh that comes this much before its time is taken: an app asks whether it is time in whole ms.
const EARLY: i64 = MS / 2;

/// The pace of one window.
#[derive(Clone, Debug)]
pub struct Pace {
    spec: PaceSpec,
    seed: u64,
    /// First frame of the page; none before.
    opened: Option<i64>,
    /// Frame 0 of the app's own clock; none while no pace is kept.
    anchor: Option<i64>,
    /// Frames that were counted out in refreshes.
    turn: u64,
    due: i64,
}

impl Pace {
    /// Of a page that has not drawn yet.
    pub fn new(spec: PaceSpec, seed: u64) -> Pace {
        Pace { spec, seed, opened: None, anchor: None, turn: 0, due: i64::MIN }
    }

    /// The next frame is not drawn before.
    #[inline]
    pub fn due(&self) -> i64 {
        self.due
    }

    /// Longest time from frame to frame at a refresh period, ns; 0 before the page drew.
    pub fn longest(&self, period: i64) -> i64 {
        let counts = self.spec.refreshes.iter().chain(&self.spec.random);
        let counted = counts.map(|count| i64::from(*count) * period).max();
        let clocked = self.spec.fps.map(|fps| (1e9 / fps) as i64 + period);
        if self.opened.is_some() { counted.or(clocked).unwrap_or(0) } else { 0 }
    }

    /// A frame used this refresh; `first`: nothing moved right before it.
    pub fn drew(&mut self, panel: &Panel, vsync: i64, first: bool) {
        let opened = *self.opened.get_or_insert(vsync);
        if !self.holds(vsync - opened) {
            (self.anchor, self.due) = (None, i64::MIN);
            return;
        }
        let Some(fps) = self.spec.fps else {
            self.due = (0..self.refreshes()).fold(vsync, |refresh, _| panel.after(refresh));
            return;
        };
        let anchor = self.anchor.filter(|_| !first).unwrap_or(vsync);
        self.anchor = Some(anchor);
        // What should have been shown by now is not shown any more: the content goes on by the app's own clock.
        let mut count = ((vsync - anchor) as f64 * fps / 1e9).floor().max(0.0);
        let nth = |count: f64| anchor + (count * 1e9 / fps).round() as i64 - EARLY;
        while nth(count) <= vsync {
            count += 1.0;
        }
        self.due = nth(count);
    }

    /// Whether the pace is kept so long after the first frame of the page.
    fn holds(&self, since: i64) -> bool {
        let since = since - i64::from(self.spec.after_ms) * MS;
        let into = self.spec.every_ms.map_or(since, |every| since % (i64::from(every) * MS).max(1));
        since >= 0 && self.spec.for_ms.is_none_or(|lasts| into < i64::from(lasts) * MS)
    }

    /// How many refreshes this frame is held.
    fn refreshes(&mut self) -> u32 {
        let turn = self.turn;
        self.turn += 1;
        let (listed, random) = (&self.spec.refreshes, &self.spec.random);
        let drawn = || Draw::of(self.seed, Stream::Pace, turn).whole(0, random.len() as i64 - 1) as usize;
        match listed.len() as u64 {
            0 if random.is_empty() => 1,
            0 => random[drawn()],
            many => listed[(turn % many) as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archetype::Archetype;

    /// Refreshes from frame to frame on a panel of 60 Hz that is never late.
    fn steps(spec: PaceSpec, frames: usize) -> Vec<i64> {
        let panel = Panel::new(Archetype::find("galaxy-s7").unwrap(), 0, 0);
        let period = panel.at(0).period;
        let mut pace = Pace::new(spec, 7);
        let mut at = panel.at_or_after(1_000 * MS);
        let mut steps = Vec::new();
        for nth in 0..frames {
            pace.drew(&panel, at, nth == 0);
            let next = panel.at_or_after(pace.due().max(at + 1));
            steps.push((next - at) / period);
            at = next;
        }
        steps
    }

    #[test]
    fn an_own_clock_is_pulled_down_to_the_refreshes() {
        let of = |fps| PaceSpec { fps: Some(fps), ..PaceSpec::default() };
        assert_eq!(steps(of(24.0), 8), [3, 2, 3, 2, 3, 2, 3, 2]);
        assert_eq!(steps(of(25.0), 10).iter().sum::<i64>(), 24);
        assert_eq!(steps(of(120.0), 5), [1; 5]);
    }

    #[test]
    fn refreshes_are_counted_in_turn_or_at_random() {
        let turn = PaceSpec { refreshes: vec![3, 2], ..PaceSpec::default() };
        assert_eq!(steps(turn, 5), [3, 2, 3, 2, 3]);
        let random = steps(PaceSpec { random: vec![5, 6], ..PaceSpec::default() }, 200);
        let sixes = random.iter().filter(|step| **step == 6).count();
        assert!(random.iter().all(|step| [5, 6].contains(step)) && (60..140).contains(&sixes), "{sixes}");
    }

    #[test]
    fn a_fall_begins_and_ends() {
        let fall = PaceSpec {
            refreshes: vec![4],
            after_ms: 99,
            for_ms: Some(200),
            every_ms: Some(1_000),
            ..PaceSpec::default()
        };
        let steps = steps(fall, 120);
        let slow = steps.iter().filter(|step| **step == 4).count();
        assert_eq!(steps[..6], [1; 6]);
        assert_eq!((slow, steps[6], steps[8], steps[9]), (9, 4, 4, 1));
    }

    #[test]
    fn a_pace_says_what_it_lacks() {
        let of = |fps, for_ms| PaceSpec { fps, for_ms, every_ms: for_ms, ..PaceSpec::default() };
        assert!(of(None, None).complaint().is_some_and(|why| why.contains("one of")));
        assert!(of(Some(0.5), None).complaint().is_some_and(|why| why.contains("240")));
        assert!(of(Some(25.0), Some(9)).complaint().is_some_and(|why| why.contains("for_ms")));
        assert_eq!(of(Some(25.0), None).complaint(), None);
    }
}
