//! One frame on its way: UI thread, RenderThread, GPU, buffer queue, SurfaceFlinger's latch, the panel.
//!
//! Pure arithmetic over one window's producer. Times are ns on CLOCK_MONOTONIC. Must not know layers or gestures.

use super::compositor::Compositor;
use super::panel::Panel;
use super::planted::{Bare, Known, Planted};
use crate::chance::{Draw, Stream};
use crate::spec::{CauseSpec, PageSpec};
use crate::truth::held::TruthHeld;
use crate::truth::{Cause, Trouble};
use std::rc::Rc;

const MS: f64 = 1e6;

/// How a page's frames cost and hitch, prepared for drawing from it thousands of times. One field for each key
/// of a page.
#[derive(Clone, Debug)]
pub struct Manner {
    cost: f64,
    spread: f64,
    good_rate: f64,
    bad_rate: f64,
    frozen_rate: f64,
    wakes: bool,
    tail: f64,
    cap: f64,
    causes: Rc<[CauseSpec]>,
}

impl Manner {
    /// From the page and the phone's slowness (1 is the reference phone).
    pub fn new(page: &PageSpec, slowness: f64) -> Manner {
        // Two-state chain: 15 % of frames in a bad stretch with five times the rate of a good one
        // (docs/design/statistics.md#the-noise-model).
        let good_rate = page.hitch_rate / (0.85 + 5.0 * 0.15);
        Manner {
            cost: page.cost_ms * MS * slowness,
            spread: page.spread.clamp(0.0, 1.0),
            good_rate,
            bad_rate: 5.0 * good_rate,
            frozen_rate: page.frozen_rate,
            wakes: page.wakes,
            tail: page.hitch_tail.max(0.2),
            cap: f64::from(page.hitch_cap.max(1)),
            causes: page.causes.as_slice().into(),
        }
    }

    /// What makes a late frame late, where the page says.
    fn planted(&self, draw: Draw, hitch: i64) -> Option<CauseSpec> {
        let last = self.causes.len().checked_sub(1).filter(|_| hitch > 0)?;
        self.causes.get(draw.next(7).whole(0, last as i64) as usize).copied()
    }
}

/// The stages of one frame. One field for each column of framestats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    /// Vsync it was scheduled for.
    pub intended: i64,
    /// doFrame began.
    pub start: i64,
    /// Vsync used as frame time.
    pub vsync: i64,
    /// Measure and layout began.
    pub traversal: i64,
    /// Recording began.
    pub draw: i64,
    /// Handed to the RenderThread.
    pub sync_queued: i64,
    /// RenderThread took it.
    pub sync_start: i64,
    /// Sync done; waits for a buffer from here.
    pub issue: i64,
    /// Time waited for a free buffer.
    pub dequeue: i64,
    /// Draw commands issued.
    pub swap: i64,
    /// Buffer queued: column 1 of `--latency`.
    pub queued: i64,
    /// GPU done: column 3.
    pub ready: i64,
    /// Refresh period the app believed in.
    pub interval: i64,
    /// When the GPU should be done; HWUI moves it on while its queue is stuffed.
    pub deadline: i64,
    /// HWUI moved it: a frame before it was late, and this one started earlier than it had to.
    pub stuffed: bool,
}

/// A frame as made: its stages and the refresh that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// Stages.
    pub stages: Stages,
    /// SurfaceFlinger takes it.
    pub latch: i64,
    /// The refresh that shows it.
    pub present: i64,
    /// The refresh that would have shown it if nothing had gone wrong with this frame itself.
    pub due: i64,
    /// From latch to display at least, ns.
    pub lead: i64,
    /// Why then.
    pub cause: Cause,
    /// What was promised, and what compositor and display made of it.
    pub promise: Promise,
    /// What was planted in it.
    pub held: [Option<TruthHeld>; 2],
}

/// What a frame was promised when it was scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Its buffer should be ready by then.
    pub deadline: i64,
    /// It should be shown then.
    pub expected: i64,
    /// The refresh SurfaceFlinger took it for.
    pub planned: i64,
    /// Why it was shown at another, or why the promise was wrong.
    pub trouble: Trouble,
}

/// What one frame is made under.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Heat and background load: factor on every stage.
    pub factor: f64,
    /// From latch to display, in periods.
    pub lead: f64,
    /// First frame of a burst: nothing came right before.
    pub first: bool,
    /// The app keeps a pace of its own: a frame is not due right after the one before.
    pub paced: bool,
    /// The first frame of a window: cost of it in ns, 0 for any other frame.
    pub first_draw: i64,
    /// What compositor and display may do to it.
    pub compositor: Option<Compositor>,
}

/// A window's producer of frames. Three of its fields are when a thread is free.
#[derive(Clone, Debug)]
pub struct Pipeline {
    seed: u64,
    count: u64,
    bad: bool,
    mood: f64,
    ui_free: i64,
    rt_free: i64,
    gpu_free: i64,
    last_latch: i64,
    presents: [i64; 4],
}

impl Pipeline {
    /// An idle producer.
    pub fn new(seed: u64) -> Pipeline {
        let idle = i64::MIN / 4;
        Pipeline {
            seed,
            count: 0,
            bad: false,
            mood: 1.0,
            ui_free: idle,
            rt_free: idle,
            gpu_free: idle,
            last_latch: idle,
            presents: [idle; 4],
        }
    }

    /// A burst of frames begins: moods differ from burst to burst (lognormal, sd 0.35).
    pub(crate) fn burst(&mut self, index: u64) {
        let bell = Draw::of(self.seed, Stream::Burst, index).bell();
        self.mood = (0.35 * bell - 0.06).exp();
    }

    /// When the UI thread can begin the next frame.
    #[inline]
    pub(crate) fn ui_free(&self) -> i64 {
        self.ui_free
    }

    /// Something else holds the UI thread until then.
    pub fn hold(&mut self, until: i64) {
        self.ui_free = self.ui_free.max(until);
    }

    /// Makes the frame scheduled for `intended`.
    pub fn make(&mut self, panel: &Panel, manner: &Manner, intended: i64, load: Load) -> Made {
        let index = self.count;
        self.count += 1;
        let segment = panel.at(intended);
        let period = segment.period;
        let draw = Draw::of(self.seed, Stream::Cost, index);
        let size = manner.cost * load.factor;
        let [ui, render, gpu] = costs(draw, size, manner.spread, load.first_draw);
        let lead = (load.lead * period as f64) as i64;
        let (hitch, cause) = self.hitch(manner, index, period);
        let plain_start = (intended + 60_000 + (draw.0 >> 56) as i64 * 1_500).max(self.ui_free);
        let plain_ready = plain_start + ui + render + gpu;
        let late = match hitch == 0 && !manner.wakes {
            true => 0,
            false => self.lateness(panel, hitch, plain_ready, period, lead, load),
        };
        let planted = manner.planted(draw, hitch).filter(|_| late > 0);
        let planted =
            planted.map(|cause| Planted::new(cause, late, Bare { start: plain_start, ui, render, gpu }));
        let (delay, ui, render, gpu) = match &planted {
            Some(planted) => planted.stages(),
            None => spread_late(draw, cause, late, ui, render, gpu),
        };
        let start = plain_start + delay;
        let vsync = if start < intended + period { intended } else { panel.at_or_before(start) };
        let sync_queued = start + ui;
        let sync_start = sync_queued.max(self.rt_free) + 45_000;
        // What is planted on the RenderThread holds it up in one piece; other work is slower everywhere.
        let bare = planted.as_ref().map_or(render, Planted::bare_render);
        let issue = sync_start + bare / 5;
        let buffers = if period > 12_000_000 { 2 } else { 3 };
        let dequeue = (self.presents[buffers - 1] - issue).max(12_000 + (draw.0 & 0x3fff) as i64);
        let swap = issue + bare * 7 / 10 + (render - bare) + if dequeue > 100_000 { dequeue } else { 0 };
        let queued = swap + bare / 10 + 20_000;
        let ready = queued.max(self.gpu_free) + gpu;
        let earliest = panel.after(self.presents[0].max(intended));
        let due = earliest.max(panel.at_or_after(plain_ready + if hitch == 0 { late } else { 0 } + lead));
        let planned = earliest.max(panel.at_or_after(ready + lead));
        let promise = promise(panel, intended, planned, ready, lead, load.compositor);
        let present = later(panel, planned, promise.trouble);
        let latch = (planned - lead).max(ready);
        self.last_latch = latch;
        self.ui_free = issue;
        self.rt_free = queued;
        self.gpu_free = ready;
        self.presents = [present, self.presents[0], self.presents[1], self.presents[2]];
        let mut stages = Stages {
            intended,
            start,
            vsync,
            traversal: start + ui / 4,
            draw: start + ui * 3 / 5,
            sync_queued,
            sync_start,
            issue,
            dequeue,
            swap,
            queued,
            ready,
            interval: period,
            deadline: promise.deadline,
            stuffed: false,
        };
        let held = planted.map_or([None; 2], |planted| {
            let dequeue = if dequeue > 100_000 { dequeue } else { 0 };
            let settled = planted.settle(Known { start, issue, dequeue, ready });
            (stages.traversal, stages.draw) = (settled.traversal, settled.draw);
            settled.held
        });
        let cause = if load.first_draw > 0 { Cause::FirstDraw } else { blamed(cause, promise.trouble) };
        Made { stages, latch, present, due, lead, cause, promise, held }
    }

    /// The refreshes of the last frames moved, because the panel changed its rate before them: newest first.
    pub fn moved(&mut self, presents: impl Iterator<Item = i64>) {
        for (slot, present) in self.presents.iter_mut().zip(presents) {
            *slot = present;
        }
    }

    /// Extra ns so that the frame misses as many refreshes as its hitch is long.
    fn lateness(&self, panel: &Panel, hitch: i64, ready: i64, period: i64, lead: i64, load: Load) -> i64 {
        if hitch == 0 {
            // The first frame after rest wakes clocks and caches; on fast panels that decides the latency of the burst.
            return if load.first && period < 10_000_000 { period * 3 / 5 } else { 0 };
        }
        let alone = load.first || load.paced;
        let usual = if alone { panel.at_or_after(ready + lead) } else { panel.after(self.presents[0]) };
        let missed = ((hitch + period / 2) / period).max(1);
        (usual + missed * period - lead - period / 2 - ready).max(0)
    }

    /// Length of this frame's hitch, ns (0: none).
    #[inline]
    fn hitch(&mut self, manner: &Manner, index: u64, period: i64) -> (i64, Cause) {
        let draw = Draw::of(self.seed, Stream::Hitch, index);
        let unit = draw.unit();
        let rate = self.mood * if self.bad { manner.bad_rate } else { manner.good_rate };
        // Bad stretches last 8 frames on average and fill 15 % of the time.
        let turn = (draw.0 & 0x7ff) as f64 / 2048.0;
        self.bad = if self.bad { turn >= 0.125 } else { turn < 0.125 * 0.15 / 0.85 };
        if unit < rate {
            let sized = draw.next(1).unit().max(1e-9).powf(-1.0 / manner.tail).floor().min(manner.cap);
            let share = if period < 16_000_000 { draw.next(2).between(0.5, 1.0) } else { 1.0 };
            let cause = if draw.next(3).unit() < 0.7 { Cause::AppSlow } else { Cause::RenderSlow };
            return ((sized * share * 16_666_667.0) as i64, cause);
        }
        if unit > 1.0 - manner.frozen_rate {
            return ((draw.next(4).between(750.0, 2_500.0) * MS) as i64, Cause::Frozen);
        }
        (0, Cause::Smooth)
    }
}

/// What was promised to the frame scheduled for `intended`: the second refresh from there, with the time SurfaceFlinger
/// needs before it. A wrong prediction moves both.
fn promise(
    panel: &Panel,
    intended: i64,
    planned: i64,
    ready: i64,
    lead: i64,
    compositor: Option<Compositor>,
) -> Promise {
    let expected = panel.after(panel.after(intended));
    let deadline = expected - lead;
    let trouble = compositor.map_or(Trouble::None, |compositor| {
        compositor.trouble(planned, panel.at(planned).period, deadline - ready)
    });
    let shift = match trouble {
        Trouble::Mispredicted(shift) => i64::from(shift),
        _ => 0,
    };
    Promise { deadline: deadline + shift, expected: expected + shift, planned, trouble }
}

/// The refresh that shows what was meant for `planned`.
pub(super) fn later(panel: &Panel, planned: i64, trouble: Trouble) -> i64 {
    (0..trouble.refreshes()).fold(planned, |vsync, _| panel.after(vsync))
}

/// The cause, where the app was smooth and what came after it was not.
fn blamed(cause: Cause, trouble: Trouble) -> Cause {
    match (cause, trouble) {
        (Cause::Smooth, Trouble::Cpu(_)) => Cause::CompositorCpu,
        (Cause::Smooth, Trouble::Gpu(_)) => Cause::CompositorGpu,
        (Cause::Smooth, Trouble::Display(_)) => Cause::DisplayLate,
        (Cause::Smooth, Trouble::Mispredicted(_)) => Cause::Mispredicted,
        (cause, _) => cause,
    }
}

/// UI, RenderThread and GPU time of a frame.
#[inline]
fn costs(draw: Draw, size: f64, spread: f64, first_draw: i64) -> [i64; 3] {
    let part = |shift: u32| {
        let unit = ((draw.0 >> shift) & 0xffff) as f64 * (1.0 / 65_536.0);
        1.0 + spread * (3.0 * unit * unit - 1.0)
    };
    let [ui, render, gpu] = [size * 0.45 * part(0), size * 0.30 * part(16), size * 0.25 * part(32)];
    [ui as i64 + first_draw * 7 / 10, render as i64 + first_draw * 2 / 10, gpu as i64 + first_draw / 10]
}

/// Where a late frame lost its time: before doFrame, in the UI thread, in the RenderThread, on the GPU.
#[inline]
fn spread_late(draw: Draw, cause: Cause, late: i64, ui: i64, render: i64, gpu: i64) -> (i64, i64, i64, i64) {
    match cause {
        _ if late == 0 => (0, ui, render, gpu),
        Cause::RenderSlow if draw.0 & 1 == 0 => (0, ui, render, gpu + late),
        Cause::RenderSlow => (0, ui, render + late, gpu),
        Cause::AppSlow | Cause::Frozen if draw.0 & 3 == 0 => (late, ui, render, gpu),
        _ => (0, ui + late, render, gpu),
    }
}
