//! Surfaces: the layers of windows, SurfaceViews and starting windows, made and destroyed.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how layers are printed.

use super::layer::{Layer, Role};
use super::names::{self, Names};
use super::panel::NEVER;
use super::pipeline::{Manner, Pipeline};
use super::producer::{Paced, Producer};
use super::state::PhoneSim;
use crate::chance::{Stream, mix};
use crate::spec::{PageKind, PageSpec};

const MS: i64 = 1_000_000;

/// The layers every phone has.
pub(crate) fn system_layers(sim: &mut PhoneSim) {
    let origin = sim.setup.origin;
    for (name, _) in names::system(sim.setup.archetype.sdk) {
        add_layer(sim, origin, name, Role::Container, "", None);
    }
}

/// A stopped window gets surfaces again.
pub(super) fn show(sim: &mut PhoneSim, t: i64, index: usize) {
    let setup = sim.setup.clone();
    let Some(window) = sim.activities.windows[index].as_ref() else { return };
    let app = window.app;
    let page = window.page;
    let hash = window.hash;
    let task = window.task;
    let id = setup.apps[app].id().to_owned();
    let title = setup.apps[app].title(page);
    let spec = &setup.apps[app].pages[page].spec;
    let names = Names { sdk: setup.archetype.sdk, hash, task };
    let mut layers = Vec::new();
    let mut parent = None;
    for name in names.containers(&title, &setup.apps[app].short(page)) {
        let layer = add_layer(sim, t, &name, Role::Container, &id, parent);
        if !name.contains("InputSink") {
            parent = sim.flinger.layers[layer].as_ref().map(|layer| layer.id);
        }
        layers.push(layer);
    }
    let own = add_layer(sim, t, &title, Role::Buffers, &id, parent);
    layers.push(own);
    let window_id = sim.flinger.layers[own].as_ref().map(|layer| layer.id);
    let mut surface = None;
    if !matches!(spec.kind, PageKind::List | PageKind::Still) {
        let (containers, buffers) = names.surface_view(&title);
        for name in containers {
            layers.push(add_layer(sim, t, &name, Role::Container, &id, window_id));
        }
        let made = add_layer(sim, t, &buffers, Role::Buffers, &id, window_id);
        layers.push(made);
        surface = Some(made);
    }
    let seed = mix(setup.seed, Stream::Launch as u64, (t as u64) ^ 0x77);
    let paced = surface.and_then(|layer| paced(spec, layer, setup.archetype.slowness, seed));
    if let Some(window) = sim.activities.windows[index].as_mut() {
        window.layers = layers;
        window.own = own;
        window.surface = surface;
        window.ui.layer = own;
        window.paced = paced;
        window.resumed = true;
    }
}

/// The window in front loses its layers and gets new ones, as after a configuration change.
pub(crate) fn reborn(sim: &mut PhoneSim, t: i64) {
    let Some(index) = sim.front_window() else { return };
    let Some(window) = sim.activities.windows[index].as_mut() else { return };
    let layers = std::mem::take(&mut window.layers);
    let had_paced = window.paced.take();
    for layer in layers {
        sim.flinger.destroy(t, layer);
    }
    show(sim, t, index);
    if let Some(window) = sim.activities.windows[index].as_mut() {
        if let Some(surface) = window.surface {
            window.ui.layer = surface;
        }
        if let (Some(old), Some(new)) = (had_paced, window.paced.as_mut()) {
            *new = Paced { layer: new.layer, ..old };
        }
    }
}

pub(super) fn open_splash(sim: &mut PhoneSim, t: i64, app: usize, total_ms: i64) {
    let id = sim.setup.apps[app].id().to_owned();
    let name =
        if sim.setup.archetype.sdk >= 26 { format!("Splash Screen {id}") } else { format!("Starting {id}") };
    let layer = add_layer(sim, t + 30 * MS, &name, Role::Buffers, "", None);
    let page = PageSpec { cost_ms: 2.0, hitch_rate: 0.0, ..PageSpec::default() };
    let manner = Manner::new(&page, sim.setup.archetype.slowness);
    let mut splash = Producer::new(layer, manner, mix(sim.setup.seed, 3, t as u64));
    let until = t + (total_ms - 40).clamp(60, 260) * MS;
    splash.motion.animate(t + 50 * MS, until, None);
    splash.plan(&sim.panel, t);
    if let Some(old) = sim.activities.splash.replace(splash) {
        sim.flinger.destroy(t, old.layer);
    }
}

fn add_layer(
    sim: &mut PhoneSim,
    t: i64,
    name: &str,
    role: Role,
    package: &str,
    parent: Option<u32>,
) -> usize {
    let flinger = &mut sim.flinger;
    let setup = &sim.setup;
    let number = flinger.number();
    let name = names::suffixed(setup.archetype.sdk, name, number, |name| {
        flinger.layers.iter().flatten().any(|layer| layer.died.is_none() && layer.name == name)
    });
    let mut layer = Layer::new(name, number, role, package, t, setup.seed, flinger.keeps());
    layer.parent = parent;
    let drawn_by = setup.apps.iter().position(|app| app.id() == package);
    layer.pid = drawn_by.and_then(|app| sim.activities.processes[app].pid).unwrap_or(0);
    flinger.put(layer)
}

/// The video or game of a page, before its first frame.
fn paced(spec: &PageSpec, layer: usize, slowness: f64, seed: u64) -> Option<Paced> {
    let video = match spec.kind {
        PageKind::Video => true,
        PageKind::Game => false,
        _ => return None,
    };
    Some(Paced {
        layer,
        manner: Manner::new(spec, slowness),
        pipeline: Pipeline::new(seed),
        from: NEVER / 2,
        every: (1e9 / spec.fps) as i64,
        index: 0,
        explicit: video,
    })
}
