//! When the next frame is: after something began to move, came uncovered, or the panel changed its lattice.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how a frame is made.

use super::layer::Layer;
use super::panel::{NEVER, Panel};
use super::pipeline::Pipeline;
use super::producer::Producer;
use super::state::PhoneSim;

const MS: i64 = 1_000_000;

/// The content in front may have begun to move: plans its next frame.
pub(crate) fn wake_producer(sim: &mut PhoneSim, t: i64) {
    let Some(index) = sim.front_window() else { return };
    let Some(window) = sim.activities.windows[index].as_mut() else { return };
    // A frame that is due and waits for the main thread is drawn whatever happens meanwhile.
    let overdue = window.ui.next <= t;
    if window.ui.first_draw == 0 && !overdue {
        let from = t.max(window.ui.last + 1);
        window.ui.plan(&sim.panel, from);
    }
}

/// The lock screen went or the screen came on: what waited may draw from now on.
pub(crate) fn uncovered(sim: &mut PhoneSim, t: i64) {
    let Some(index) = sim.front_window() else { return };
    let Some(window) = sim.activities.windows[index].as_mut() else { return };
    // Coming back is a redraw even when nothing waited.
    let cost = window.ui.first_draw.max(4 * MS);
    window.ui.plan_first(&sim.panel, t, cost);
    if let Some(paced) = &mut window.paced {
        let behind = (t - paced.from).div_euclid(paced.every) + 1;
        paced.index = paced.index.max(behind);
    }
}

/// The panel changed its lattice: frames on their way and planned ones move to it.
pub(crate) fn rescheduled(sim: &mut PhoneSim, changed: Option<i64>) {
    let Some(from) = changed else { return };
    let panel = &sim.panel;
    let layers = &mut sim.flinger.layers;
    let mut redo = |producer: &mut Producer| {
        move_frames(panel, layers, producer.layer, &mut producer.pipeline, from);
        if producer.next != NEVER && producer.next > from {
            producer.next = panel.at_or_after(producer.wanted);
        }
    };
    for window in sim.activities.windows.iter_mut().flatten() {
        redo(&mut window.ui);
    }
    if let Some(splash) = &mut sim.activities.splash {
        redo(splash);
    }
    for paced in sim.activities.windows.iter_mut().flatten().filter_map(|window| window.paced.as_mut()) {
        move_frames(panel, layers, paced.layer, &mut paced.pipeline, from);
    }
}

fn move_frames(
    panel: &Panel,
    layers: &mut [Option<Box<Layer>>],
    layer: usize,
    pipeline: &mut Pipeline,
    from: i64,
) {
    if let Some(layer) = layers.get_mut(layer).and_then(Option::as_deref_mut) {
        pipeline.moved(layer.reschedule(panel, from));
    }
}
