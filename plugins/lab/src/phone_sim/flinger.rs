//! SurfaceFlinger's side: the layers, alive and dead, and why they keep their frames: for the truth, for a trace, or
//! because frames are counted (timestats).
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know whose layers they are, nor how anything is printed.

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
    pub(crate) fn is_on(&self) -> bool {
        self.stretches.last().is_some_and(|(_, until)| until.is_none())
    }

    /// Was on at an instant.
    pub fn covers(&self, at: i64) -> bool {
        self.stretches.iter().any(|(from, until)| *from <= at && until.is_none_or(|until| at < until))
    }
}

/// Every layer, and what wants its frames kept.
#[derive(Clone, Debug)]
pub struct Flinger {
    /// Layers by index; dead ones are dropped unless their frames are kept.
    pub layers: Vec<Option<Box<Layer>>>,
    /// Its own counting.
    pub counting: Counting,
    /// Tracing processes for which every frame is kept.
    tracing: u32,
    /// Everything is kept: the truth is asked for.
    truth: bool,
    /// Number of the newest layer.
    newest: u32,
}

impl Flinger {
    /// Without a layer. `truth` keeps every frame of every layer.
    pub fn new(truth: bool) -> Flinger {
        Flinger { layers: Vec::new(), counting: Counting::default(), tracing: 0, truth, newest: 40 }
    }

    /// A number no layer has had.
    pub(super) fn number(&mut self) -> u32 {
        self.newest += 1;
        self.newest
    }

    /// A layer that was made now. Answers its index.
    pub(super) fn put(&mut self, layer: Layer) -> usize {
        self.layers.push(Some(Box::new(layer)));
        self.layers.len() - 1
    }

    /// A layer is destroyed.
    pub(super) fn destroy(&mut self, t: i64, index: usize) {
        if let Some(layer) = self.layers[index].as_mut() {
            layer.die(t);
        }
        if !self.keeps() {
            self.layers[index] = None;
        }
    }

    /// Every layer there is at an instant, in order of creation.
    pub fn alive(&self, now: i64) -> impl Iterator<Item = &Layer> {
        self.layers
            .iter()
            .filter_map(Option::as_deref)
            .filter(move |layer| layer.born <= now && layer.died.is_none())
    }

    /// A layer that was not dropped.
    pub fn layer(&self, index: usize) -> Option<&Layer> {
        self.layers.get(index).and_then(Option::as_deref)
    }

    /// Another tool clears every ring.
    pub(super) fn clear(&mut self, t: i64) {
        self.layers.iter_mut().flatten().for_each(|layer| layer.clear(t));
    }

    /// `-disable`, then `-clear`, then `-enable`: the platform's order, whatever the order of the flags.
    pub fn count(&mut self, now: i64, wall_s: i64, disable: bool, clear: bool, enable: bool) {
        if disable && let Some((_, until)) = self.counting.stretches.last_mut() {
            until.get_or_insert(now);
        }
        if clear {
            let on = self.counting.is_on();
            self.counting = Counting::default();
            self.end_keeping();
            if on {
                self.begin_counting(now, wall_s);
            }
        }
        if enable && !self.counting.is_on() {
            self.begin_counting(now, wall_s);
        }
    }

    /// A trace begins: frames are kept from now on. Answers from when on (the latest present of a frame already on its
    /// way) nothing is missing from what is kept.
    pub(crate) fn trace_begins(&mut self) -> i64 {
        self.begin_keeping();
        self.tracing += 1;
        let on_its_way = |layer: &Layer| layer.latest().filter(|_| layer.history().is_empty());
        self.layers.iter().flatten().filter_map(|layer| on_its_way(layer)).max().unwrap_or(i64::MIN)
    }

    /// A trace is written, or its process was killed.
    pub(crate) fn trace_ends(&mut self) {
        self.tracing = self.tracing.saturating_sub(1);
        self.end_keeping();
    }

    /// Layers keep their frames, the dead ones too.
    pub(super) fn keeps(&self) -> bool {
        self.truth || self.tracing > 0 || !self.counting.stretches.is_empty()
    }

    fn begin_counting(&mut self, now: i64, wall_s: i64) {
        self.begin_keeping();
        self.counting.started_s.get_or_insert(wall_s);
        self.counting.stretches.push((now, None));
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
