//! SurfaceFlinger's own counting of frames (timestats): on, off, cleared. While it is on, and while frames are traced, layers
//! keep their frames, the dead ones too.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how counts are printed.

use super::PhoneSim;
use super::layer::Layer;

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

impl PhoneSim {
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

    /// A trace begins: frames are kept from now on. Answers from when on (the latest present of a frame already on its way)
    /// nothing is missing from what is kept.
    pub fn trace_begins(&mut self) -> i64 {
        self.begin_keeping();
        self.tracing += 1;
        let on_its_way = |layer: &Layer| layer.latest().filter(|_| layer.history().is_empty());
        self.layers.iter().flatten().filter_map(|layer| on_its_way(layer)).max().unwrap_or(i64::MIN)
    }

    /// A trace is written, or its process was killed.
    pub fn trace_ends(&mut self) {
        self.tracing = self.tracing.saturating_sub(1);
        self.end_keeping();
    }

    /// Frames are kept although no truth is asked for.
    pub(super) fn keeps(&self) -> bool {
        self.keep || self.tracing > 0 || !self.counting.stretches.is_empty()
    }

    fn begin_counting(&mut self, now: i64, wall_s: i64) {
        self.begin_keeping();
        self.counting.started_s.get_or_insert(wall_s);
        self.counting.stretches.push((now, None));
    }

    fn forget_counted(&mut self) {
        self.counting = Counting::default();
        self.end_keeping();
    }

    /// Before whatever wants frames kept is noted.
    fn begin_keeping(&mut self) {
        if !self.keeps() {
            self.layers.iter_mut().flatten().for_each(|layer| layer.keep(true));
        }
    }

    /// After whatever wanted frames kept is gone.
    fn end_keeping(&mut self) {
        if self.keeps() {
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
