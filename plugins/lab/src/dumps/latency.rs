//! `dumpsys SurfaceFlinger --latency [NAME]`: the classic 127-row ring and the 64-frame display history
//! (docs/design/phones.md#latency). All numbers are ns on CLOCK_MONOTONIC.

use super::Scene;
use super::digits::Digits;
use crate::phone_sim::layer::{Layer, Row, VISIBLE_ROWS};

/// A fence that has not signalled.
const PENDING: i64 = i64::MAX;
/// Display frames the newer engine remembers, all layers together.
const HISTORY: usize = 64;

/// Writes the answer.
pub fn latency(scene: &Scene<'_>, name: Option<&str>, out: &mut Vec<u8>) {
    let archetype = scene.archetype();
    let period = archetype.rates[scene.sim.panel.at(scene.now).rate].printed;
    let period = scene.body.quirks.header_ns.unwrap_or(period);
    Digits::default().put(period, b'\n', out);
    if scene.body.quirks.period_only {
        return;
    }
    let Some(name) = name else {
        // Up to 13 this is the tracker of window animations: nobody feeds it here.
        if archetype.sdk <= 33 {
            zeros(VISIBLE_ROWS, out);
            out.push(b'\n');
        }
        return;
    };
    // Three numbers of up to nineteen digits a row.
    out.reserve(VISIBLE_ROWS * 48);
    for layer in scene.sim.flinger.alive(scene.now).filter(|layer| layer.name == name) {
        if archetype.history_engine {
            history(scene, layer, out)
        } else {
            ring(scene, layer, out)
        }
        out.push(b'\n');
    }
}

fn ring(scene: &Scene<'_>, layer: &Layer, out: &mut Vec<u8>) {
    let capacity =
        scene.body.quirks.ring_rows.map_or(VISIBLE_ROWS, |rows| (rows as usize).clamp(1, VISIBLE_ROWS));
    let shown = layer.visible(scene.now).count();
    // Unfilled records come first, the newest frame last.
    zeros(capacity.saturating_sub(shown), out);
    let mut digits = Digits::default();
    for row in layer.visible(scene.now).skip(shown.saturating_sub(capacity)) {
        print(scene, row, &mut digits, out);
    }
}

fn history(scene: &Scene<'_>, layer: &Layer, out: &mut Vec<u8>) {
    let limit = scene.body.quirks.ring_rows.map_or(HISTORY, |rows| (rows as usize).clamp(1, HISTORY));
    let mut frames: Vec<i64> = Vec::with_capacity(4 * HISTORY);
    for other in scene.sim.flinger.layers.iter().flatten().filter(|layer| layer.died.is_none()) {
        frames.extend(other.taken(scene.now).rev().take(limit).map(|row| row.vsync));
    }
    frames.sort_unstable();
    frames.dedup();
    let frames = &frames[frames.len().saturating_sub(limit)..];
    // After a clear the walk is limited, and it begins at the oldest.
    let walked = (layer.since_clear(scene.now) as usize).min(frames.len());
    let (Some(first), Some(last)) = (frames.first(), walked.checked_sub(1).map(|index| frames[index])) else {
        return;
    };
    let walked = layer.taken(scene.now).filter(|row| row.vsync >= *first && row.vsync <= last);
    // Display frames whose fence is pending are left out; buffers that were given up for one shown are not.
    let mut given_up = layer.given_up(scene.now).skip_while(|dropped| dropped.at < *first).peekable();
    let mut digits = Digits::default();
    for row in walked.filter(|row| row.present <= scene.now) {
        while let Some(dropped) = given_up.next_if(|dropped| dropped.at <= row.latch) {
            cells([dropped.desired, 0, dropped.ready], &mut digits, out);
        }
        print(scene, row, &mut digits, out);
    }
}

fn print(scene: &Scene<'_>, row: &Row, digits: &mut Digits, out: &mut Vec<u8>) {
    let present = if row.present <= scene.now { row.present } else { PENDING };
    let (second, third) = if scene.body.quirks.swapped { (row.ready, present) } else { (present, row.ready) };
    cells([row.desired, second, third], digits, out);
}

fn cells(cells: [i64; 3], digits: &mut Digits, out: &mut Vec<u8>) {
    for (cell, end) in cells.into_iter().zip(*b"\t\t\n") {
        digits.put(cell, end, out);
    }
}

fn zeros(rows: usize, out: &mut Vec<u8>) {
    for _ in 0..rows {
        out.extend_from_slice(b"0\t0\t0\n");
    }
}
