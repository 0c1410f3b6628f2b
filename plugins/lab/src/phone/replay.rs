//! What really happened on a phone, told by going through it once more.

use super::state::Phone;
use crate::truth::{RefreshSwitch, Truth, TruthLayer, verdict};
use std::marker::PhantomData;

/// What happened up to an instant (CLOCK_MONOTONIC, ns), as if nobody had asked after it.
pub(super) fn truth_until(phone: &Phone, until: i64) -> Truth<'_> {
    let mut replayed = phone.sim.replay(until);
    let buffers = replayed.flinger.layers.iter_mut().flatten().map(|layer| TruthLayer {
        name: layer.name.clone(),
        package: layer.package.clone(),
        born: layer.born,
        died: layer.died,
        pid: layer.pid,
        dropped: layer.take_dropped(until),
        frames: layer.take_history(until),
    });
    let mut layers: Vec<TruthLayer> = buffers.filter(|layer| !layer.frames.is_empty()).collect();
    let displays =
        verdict::judge(&mut layers, phone.sim.setup.archetype.sdk, phone.sim.setup.compositor.is_some());
    let rates = phone.sim.setup.archetype.rates;
    let switch = |segment: &crate::phone_sim::panel::Segment| RefreshSwitch {
        at: segment.from,
        period: segment.period,
        printed: rates[segment.rate].printed,
    };
    let switches =
        replayed.panel.segments().iter().filter(|segment| segment.from <= until).map(switch).collect();
    let messages = crate::phone_sim::main_thread::messages(&replayed, until);
    let stalls = replayed.journal.stalls_until(until);
    let mut hwui_frames = replayed.journal.hwui_frames;
    hwui_frames.retain(|frame| frame.sync_start <= until);
    let (gestures, launches) = (replayed.input.gestures, replayed.activities.launches);
    Truth {
        layers,
        gestures,
        switches,
        launches,
        displays,
        messages,
        stalls,
        hwui_frames,
        phone: PhantomData,
    }
}

/// The frames kept since tracing began, as if nobody had asked after this instant (CLOCK_MONOTONIC, ns). No
/// launches, no messages.
pub(super) fn truth_kept(phone: &Phone, until: i64) -> Truth<'_> {
    let kept = phone.sim.flinger.layers.iter().flatten().map(|layer| TruthLayer {
        name: layer.name.clone(),
        package: layer.package.clone(),
        born: layer.born,
        died: layer.died,
        pid: layer.pid,
        dropped: layer.given_up(until).copied().collect(),
        frames: layer.history().iter().filter(|frame| frame.present <= until).copied().collect(),
    });
    let mut layers: Vec<TruthLayer> = kept.filter(|layer| !layer.frames.is_empty()).collect();
    let displays =
        verdict::judge(&mut layers, phone.sim.setup.archetype.sdk, phone.sim.setup.compositor.is_some());
    let stalls = phone.sim.journal.stalls_until(until);
    let gestures = phone.sim.input.gestures.iter().filter(|one| one.down <= until).copied().collect();
    Truth { layers, gestures, displays, stalls, ..Truth::default() }
}
