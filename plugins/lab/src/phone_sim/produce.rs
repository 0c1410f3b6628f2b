//! Producing frames: whose frame is next, making it, and putting it where dumps find it.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know why content moves.

use super::activities::Front;
use super::dispatcher::Handled;
use super::hwui::HwuiFrame;
use super::layer::Layer;
use super::motion::Stretch;
use super::panel::NEVER;
use super::pipeline::{Load, Made, Stages};
use super::producer::Producer;
use super::state::PhoneSim;
use super::{main_thread, planning, world};
use crate::chance::{Draw, Stream};
use crate::truth::Cause;

const MS: i64 = 1_000_000;

/// Whose frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The starting window.
    Splash,
    /// The content of a window.
    Content(usize),
    /// The video or game in a window.
    Paced(usize),
}

/// When the next frame begins, and whose it is.
#[inline]
pub(crate) fn next_frame(sim: &PhoneSim) -> (i64, Who) {
    let mut next = (sim.activities.splash.as_ref().map_or(NEVER, Producer::due), Who::Splash);
    if let Front::Window(index) = sim.activities.front
        && sim.screen.awake
        && !sim.screen.keyguard
        && let Some(window) = sim.activities.windows[index].as_ref()
        && sim.activities.processes[window.app].frozen.is_none()
    {
        let content = window.ui.due();
        if content < next.0 {
            next = (content, Who::Content(index));
        }
        if let Some(paced) = &window.paced
            && paced.due() < next.0
        {
            next = (paced.due(), Who::Paced(index));
        }
    }
    next
}

/// Makes the frame that begins at `t`.
pub(crate) fn produce(sim: &mut PhoneSim, who: Who, t: i64) {
    match who {
        Who::Splash => splash_frame(sim, t),
        Who::Content(index) => content_frame(sim, index, t),
        Who::Paced(index) => paced_frame(sim, index, t),
    }
}

fn splash_frame(sim: &mut PhoneSim, t: i64) {
    let compositor = sim.setup.compositor;
    let Some(splash) = sim.activities.splash.as_mut() else { return };
    if splash.motion.moving(t).is_none() {
        splash.plan(&sim.panel, t + 1);
        return;
    }
    let lead = sim.setup.archetype.lead;
    let load = Load { factor: 1.0, lead, first: false, paced: false, first_draw: 0, compositor };
    let made = splash.pipeline.make(&sim.panel, &splash.manner, splash.next, load);
    if let Some(layer) = sim.flinger.layers[splash.layer].as_mut() {
        layer.push(&sim.panel, &made, made.stages.queued, None, Some(token(&made.stages)));
    }
    splash.last = made.stages.vsync.max(made.stages.start);
    splash.plan(&sim.panel, made.stages.vsync.max(made.stages.start) + 1);
    let changed = sim.panel.moved(t, false);
    planning::rescheduled(sim, changed);
}

/// What moves the frame that begins at `t`; nothing does in the first one of a window. None where there is nothing to
/// draw: then the next one is planned.
fn due_stretch(sim: &mut PhoneSim, index: usize, t: i64) -> Option<Option<Stretch>> {
    let ui = &mut sim.activities.windows[index].as_mut()?.ui;
    // What began to move when it was due may be at rest by the time the main thread is free.
    let stretch = ui.motion.moving(t.max(ui.next)).or_else(|| ui.motion.moving(ui.next));
    let stretch = stretch.or_else(|| ui.motion.moved(ui.wanted));
    if ui.first_draw > 0 {
        return Some(stretch);
    }
    let Some(moving) = stretch else {
        ui.plan(&sim.panel, t + 1);
        return None;
    };
    if moving.finger && !sim.setup.input.prompt {
        // The content follows events, not time: without a new one there is nothing to draw.
        let at = t.max(ui.next);
        let free = ui.pipeline.ui_free();
        if let Some(next) = sim.input.dispatcher.waits(at, moving.from, &sim.panel, free) {
            ui.want(&sim.panel, next);
            return None;
        }
    }
    Some(stretch)
}

fn content_frame(sim: &mut PhoneSim, index: usize, t: i64) {
    let Some(stretch) = due_stretch(sim, index, t) else { return };
    let factor = sim.factor(t);
    let setup = sim.setup.clone();
    let Some(window) = sim.activities.windows[index].as_mut() else { return };
    let ui = &mut window.ui;
    let first_draw = ui.first_draw;
    let intended = ui.next;
    let period = sim.panel.at(intended).period;
    let usual = ui.pace.as_ref().map_or(0, |pace| pace.longest(period));
    let first = intended - ui.last > 3 * period + 60 * MS + usual;
    if first {
        ui.pipeline.burst(intended as u64);
    }
    let lead = setup.archetype.lead;
    let compositor = setup.compositor;
    // Nor is one that waited for a pixel to be passed due right after the one before.
    let waited = ui.motion.whole_pixels() && intended - ui.last > period * 3 / 2;
    let load = Load { factor, lead, first, paced: usual > 0 || waited, first_draw, compositor };
    let free = ui.pipeline.ui_free();
    let made = ui.pipeline.make(&sim.panel, &ui.manner, intended, load);
    ui.first_draw = 0;
    ui.last = made.stages.vsync.max(made.stages.start);
    ui.motion.drew(made.stages.vsync);
    if let Some(pace) = &mut ui.pace {
        pace.drew(&sim.panel, made.stages.vsync, first);
    }
    let gesture = stretch.and_then(|stretch| stretch.gesture);
    // A window whose content lives in a SurfaceView draws only its first frame itself.
    let own = window.surface.is_none() || first_draw > 0;
    let token = own.then(|| token(&made.stages));
    let input = sim.input.dispatcher.handle(made.stages.vsync, &sim.panel, free);
    let follows = first_draw == 0 && !first && ui.motion.moving(ui.last + made.stages.interval).is_some();
    let given_up = follows && compositor.is_some_and(|compositor| compositor.drops(intended));
    match sim.flinger.layers[ui.layer].as_mut() {
        Some(layer) if given_up => layer.drop_frame(&made, made.stages.queued, token),
        Some(layer) => layer.push(&sim.panel, &made, made.stages.queued, gesture, token),
        None => {}
    }
    if own {
        let shown = sim.flinger.layers[window.ui.layer]
            .as_deref()
            .and_then(Layer::newest)
            .map_or(0, |row| row.present);
        let shown = if given_up { 0 } else { shown };
        let drawn = hwui_frame(&made, u32::from(first_draw > 0), input, shown);
        let drawn = window.hwui.push(drawn, &mut sim.activities.processes[window.app].counts);
        let app = window.app;
        sim.activities.processes[app].works(worked(&drawn.stages));
        main_thread::tell_frame(sim, app, &drawn, free);
        main_thread::keep_frame(sim, index, &drawn);
    }
    let after = made.stages.start.max(made.stages.vsync);
    if first_draw > 0 {
        world::first_drawn(sim, index, &made);
    } else if let Some(window) = sim.activities.windows[index].as_mut() {
        window.ui.plan(&sim.panel, after + 1);
        if window.ui.next == NEVER && own {
            // One more callback came, with nothing left to draw.
            let last = sim.panel.after(sim.panel.at_or_before(after));
            skipped(window, &made, last, &mut sim.activities.processes[window.app].counts);
        }
        window.ui.motion.forget(t);
    }
    let changed = sim.panel.moved(t, false);
    planning::rescheduled(sim, changed);
}

/// CPU time of a frame, ns: its callback on the UI thread, and its turn on the RenderThread, waits included.
fn worked(stages: &Stages) -> i64 {
    (stages.sync_queued - stages.start) + (stages.swap - stages.sync_start)
}

fn paced_frame(sim: &mut PhoneSim, index: usize, t: i64) {
    let factor = sim.factor(t);
    let lead = sim.setup.archetype.lead;
    let compositor = sim.setup.compositor;
    let Some(paced) = sim.activities.windows[index].as_mut().and_then(|window| window.paced.as_mut()) else {
        return;
    };
    let due = paced.from + paced.index * paced.every;
    let intended = sim.panel.at_or_after(due.max(t));
    let load = Load { factor, lead, first: false, paced: false, first_draw: 0, compositor };
    let made = paced.pipeline.make(&sim.panel, &paced.manner, intended, load);
    paced.index += 1;
    let work = worked(&made.stages);
    // A player drops what it cannot show any more.
    let behind = (made.stages.start - due) / paced.every;
    paced.index += behind.max(0);
    let desired = if paced.explicit { due + 2 * paced.every } else { made.stages.queued };
    if let Some(layer) = sim.flinger.layers[paced.layer].as_mut() {
        layer.push(&sim.panel, &made, desired, None, None);
    }
    if let Some(app) = sim.activities.window(index).map(|window| window.app) {
        sim.activities.processes[app].works(work);
    }
    let changed = sim.panel.moved(t, true);
    planning::rescheduled(sim, changed);
}

/// Vsync id of a frame: one for every vsync an app is scheduled for.
fn token(stages: &Stages) -> i64 {
    stages.intended / 1_300_000
}

/// A frame as HWUI notes it.
fn hwui_frame(made: &Made, flags: u32, handled: Handled, shown: i64) -> HwuiFrame {
    let stages = made.stages;
    let draw = Draw::of(stages.intended as u64, Stream::Name, 1);
    let input = if handled.any { (draw.0 >> 33) as u32 | 1 } else { 0 };
    // What came outside a frame callback, such as a finger coming down, is forgotten when the callback begins.
    let (input_oldest, input_at) = handled.moves.unwrap_or_default();
    HwuiFrame { stages, flags, token: token(&stages), input, input_oldest, input_at, shown }
}

/// Notes the callback that drew nothing.
fn skipped(
    window: &mut super::window::Window,
    made: &Made,
    vsync: i64,
    process: &mut super::hwui::JankCounts,
) {
    let start = vsync + 400_000;
    let done = start + 700_000;
    let stages = Stages {
        intended: vsync,
        start,
        vsync,
        traversal: start + 100_000,
        draw: start + 150_000,
        sync_queued: start + 200_000,
        sync_start: start + 300_000,
        issue: done,
        dequeue: 0,
        swap: done,
        queued: done,
        ready: done,
        interval: made.stages.interval,
        deadline: made.stages.deadline + (vsync - made.stages.intended),
        stuffed: false,
    };
    let skipped = Made { stages, cause: Cause::Smooth, ..*made };
    window.hwui.push(hwui_frame(&skipped, 8, Handled::default(), 0), process);
}
