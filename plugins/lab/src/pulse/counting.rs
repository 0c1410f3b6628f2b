//! SurfaceFlinger's own counting of frames (timestats): on, off, cleared. While it is on, layers keep their frames, the
//! dead ones too.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how counts are printed.

use super::Pulse;

/// Whether frames are counted, and since when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counting {
    /// Wall clock of the beginning, s; none when it was never enabled since the last clear while off.
    pub started_s: Option<i64>,
    /// Stretches in which it was on; the last may be open.
    pub stretches: Vec<(i64, Option<i64>)>,
}

impl Counting {
    /// On right now.
    pub fn is_on(&self) -> bool {
        self.stretches.last().is_some_and(|(_, until)| until.is_none())
    }

    /// Was on at an instant.
    pub fn covers(&self, at: i64) -> bool {
        self.stretches.iter().any(|(from, until)| *from <= at && until.is_none_or(|until| at < until))
    }
}

impl Pulse {
    /// `-disable`, then `-clear`, then `-enable`: the platform's order, whatever the order of the flags.
    pub fn count(&mut self, now: i64, wall_s: i64, disable: bool, clear: bool, enable: bool) {
        if disable && let Some((_, until)) = self.counting.stretches.last_mut() {
            until.get_or_insert(now);
        }
        if clear {
            let on = self.counting.is_on();
            self.forget_counted();
            if on {
                self.begin_counting(now, wall_s);
            }
        }
        if enable && !self.counting.is_on() {
            self.begin_counting(now, wall_s);
        }
    }

    /// Frames are kept although no truth is asked for.
    pub(super) fn keeps(&self) -> bool {
        self.keep || !self.counting.stretches.is_empty()
    }

    fn begin_counting(&mut self, now: i64, wall_s: i64) {
        if self.counting.stretches.is_empty() && !self.keep {
            self.layers.iter_mut().flatten().for_each(|layer| layer.keep(true));
        }
        self.counting.started_s.get_or_insert(wall_s);
        self.counting.stretches.push((now, None));
    }

    fn forget_counted(&mut self) {
        self.counting = Counting::default();
        if self.keep {
            return;
        }
        for slot in &mut self.layers {
            match slot {
                Some(layer) if layer.died.is_some() => *slot = None,
                Some(layer) => layer.keep(false),
                None => {}
            }
        }
    }
}
