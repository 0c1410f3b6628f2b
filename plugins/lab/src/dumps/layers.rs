//! `dumpsys SurfaceFlinger --list`: bare names in Z order up to 14, wrapped in order of creation from 15 on
//! (docs/design/phones.md#layers).

use super::Scene;
use crate::phone_sim::layer::Layer;
use crate::phone_sim::names;

/// Writes the list.
pub fn list(scene: &Scene<'_>, out: &mut Vec<u8>) {
    let sdk = scene.archetype().sdk;
    let layers = scene.sim.flinger.alive(scene.now);
    if sdk >= 35 {
        layers.for_each(|layer| wrapped(layer, out));
        return;
    }
    let below = |layer: &&Layer| !layer.package.is_empty() || names::below_apps(sdk, &layer.name);
    let (lower, upper): (Vec<_>, Vec<_>) = layers.partition(below);
    for layer in lower.into_iter().chain(upper) {
        out.extend_from_slice(layer.name.as_bytes());
        out.push(b'\n');
    }
}

fn wrapped(layer: &Layer, out: &mut Vec<u8>) {
    out.extend_from_slice(b"RequestedLayerState{");
    out.extend_from_slice(layer.name.as_bytes());
    if let Some(parent) = layer.parent {
        out.extend_from_slice(format!(" parentId={parent}").as_bytes());
    }
    if layer.name.contains("InputSink") || layer.name.starts_with("Background for") {
        out.extend_from_slice(b" z=-2147483648");
    } else if layer.package.is_empty() && layer.parent.is_none() {
        out.extend_from_slice(b" layerStack=0");
    }
    out.extend_from_slice(b"}\n");
}
