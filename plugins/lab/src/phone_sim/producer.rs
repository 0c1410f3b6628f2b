//! Who draws: content that moves when something moves it, and videos and games at a rate of their own.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know why content moves, nor where frames go.

use super::motion::Motion;
use super::pace::Pace;
use super::panel::{NEVER, Panel};
use super::pipeline::{Manner, Pipeline};

/// Makes frames of one layer whenever content moves. The fields after the third are how far it has come.
#[derive(Clone, Debug)]
pub struct Producer {
    /// Layer that gets the buffers (index).
    pub layer: usize,
    /// What moves.
    pub motion: Motion,
    /// The way of a frame.
    pub pipeline: Pipeline,
    /// How frames cost.
    pub manner: Manner,
    /// Vsync of the next frame; far future at rest.
    pub next: i64,
    /// From when on the next frame is wanted: `next` is the first refresh after it.
    pub(super) wanted: i64,
    /// When the last frame began.
    pub last: i64,
    /// Cost of the first frame of a new window, ns; 0 once it is drawn.
    pub first_draw: i64,
    /// A pace of its own; none draws on every refresh.
    pub pace: Option<Pace>,
}

impl Producer {
    /// At rest.
    pub fn new(layer: usize, manner: Manner, seed: u64) -> Producer {
        let motion = Motion::default();
        let pipeline = Pipeline::new(seed);
        Producer {
            layer,
            motion,
            pipeline,
            manner,
            next: NEVER,
            wanted: NEVER,
            last: i64::MIN / 2,
            first_draw: 0,
            pace: None,
        }
    }

    /// The same at a pace of its own.
    pub fn at_pace(self, pace: Option<Pace>) -> Producer {
        Producer { pace, ..self }
    }

    /// When the next frame begins.
    #[inline]
    pub fn due(&self) -> i64 {
        if self.next == NEVER { NEVER } else { self.next.max(self.pipeline.ui_free()) }
    }

    /// The same with content that flings by whole pixels, or by any part of one.
    pub(crate) fn by_whole_pixels(self, whole: bool) -> Producer {
        Producer { motion: Motion::of(whole), ..self }
    }

    /// Plans the next frame: the first refresh from `from` on at which something moves.
    pub fn plan(&mut self, panel: &Panel, from: i64) {
        let from = self.pace.as_ref().map_or(from, |pace| pace.due().max(from));
        self.want(panel, self.motion.next(from));
    }

    /// Plans the first frame of a new window, at `cost` ns, from `from` on.
    pub(crate) fn plan_first(&mut self, panel: &Panel, from: i64, cost: i64) {
        self.first_draw = cost;
        self.want(panel, Some(from));
    }

    /// Nothing is planned any more.
    pub fn rest(&mut self) {
        self.first_draw = 0;
        self.next = NEVER;
    }

    pub(super) fn want(&mut self, panel: &Panel, at: Option<i64>) {
        self.wanted = at.unwrap_or(NEVER);
        self.next = at.map_or(NEVER, |at| panel.at_or_after(at));
    }
}

/// A video or game: frames at its own rate.
#[derive(Clone, Debug)]
pub struct Paced {
    /// Layer that gets the buffers (index).
    pub layer: usize,
    /// How frames hitch.
    pub manner: Manner,
    /// The way of a frame.
    pub pipeline: Pipeline,
    /// Time of frame 0.
    pub from: i64,
    /// Time between frames, ns.
    pub every: i64,
    /// Number of the next frame.
    pub index: i64,
    /// Stamps its buffers with the time they should be shown.
    pub explicit: bool,
}

impl Paced {
    pub(super) fn due(&self) -> i64 {
        (self.from + self.index * self.every).max(self.pipeline.ui_free())
    }
}
