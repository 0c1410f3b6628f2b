//! The whole trace file: what the service writes around them, processes and frames out of the buffer.
//!
//! Times are ns on CLOCK_MONOTONIC unless a name says otherwise. Must not know who asked for the trace.

use super::capture::Capture;
use super::deflate::deflated;
use super::frames::{Frames, Surface};
use super::ring::{Ring, Room};
use super::{FRAMETIMELINE, PROCESS_STATS, kernel, processes, service};
use crate::chance::{Draw, Stream};
use crate::truth::{TruthDisplay, TruthDropped, TruthFrame};
use std::collections::BTreeMap;

const MS: i64 = 1_000_000;
/// SurfaceFlinger's work on a composition: at its end it looks which fences have signalled, and tells of those.
const COMPOSING: i64 = 3 * MS;
/// Share of traces whose last packet of the frame timeline is missing.
const KEPT_BACK: f64 = 0.5;
const SURFACEFLINGER: u32 = 3;

/// Writes the file.
pub fn trace(capture: &Capture<'_>) -> Vec<u8> {
    let mut rings: BTreeMap<usize, Ring> = BTreeMap::new();
    kernel::write(capture, &mut rings);
    for source in [PROCESS_STATS, FRAMETIMELINE] {
        let Some(buffer) = capture.config.buffer_of(source) else { continue };
        let ring = rings.entry(buffer).or_default();
        match source {
            PROCESS_STATS => processes::write(capture, ring),
            _ if capture.sdk >= 31 => frames(capture, ring),
            _ => {}
        }
    }
    let committed: usize = rings.values().map(Ring::committed).sum();
    let mut out = Vec::with_capacity(committed + committed / 16 + 1_024);
    service::opening(capture, &mut out);
    let mut told = Vec::new();
    for (nth, (bytes, discard)) in capture.config.buffers.iter().enumerate() {
        let room = Room { bytes: *bytes, discard: *discard, loss: capture.loss, seed: capture.seed };
        let ring = rings.remove(&nth).unwrap_or_default();
        told.push((ring.committed(), room, ring.read(&room, &mut out)));
    }
    service::closing(capture, &told, &mut out);
    if capture.config.deflate {
        out = deflated(&out);
    }
    if capture.kept < 1.0 {
        out.truncate((out.len() as f64 * capture.kept.max(0.0)) as usize);
    }
    out
}

/// Something to trace with a display frame.
enum Item<'a> {
    Shown(&'a TruthFrame),
    Dropped(&'a TruthDropped),
}

fn frames(capture: &Capture<'_>, ring: &mut Ring) {
    let displays = told(capture);
    let (Some(first), Some(last)) = (displays.first(), displays.last()) else { return };
    let (first, last) = (first.token, last.token);
    let within = |token: i64| (first..=last).contains(&token);
    let mut items: Vec<(i64, usize, Item<'_>)> = Vec::new();
    for (index, layer) in capture.truth.layers.iter().enumerate() {
        let shown = layer.frames.iter().filter(|frame| within(frame.display));
        items.extend(shown.map(|frame| (frame.display, index, Item::Shown(frame))));
        let dropped = layer.dropped.iter().filter(|dropped| within(dropped.display));
        items.extend(dropped.map(|dropped| (dropped.display, index, Item::Dropped(dropped))));
    }
    items.sort_by_key(|(token, layer, _)| (*token, *layer));
    let names: Vec<String> =
        capture.truth.layers.iter().map(|layer| format!("TX - {}", layer.name)).collect();
    let cookie = Draw::of(capture.seed, Stream::Trace, 0x00c0_0c1e).0 >> 44;
    let mut frames = Frames::new(capture.sdk, capture.boot_offset, SURFACEFLINGER, cookie);
    let mut items = items.into_iter().peekable();
    for display in displays {
        frames.display(display, ring);
        while let Some((_, layer, item)) = items.next_if(|(token, ..)| *token <= display.token) {
            let pid = match capture.truth.layers[layer].pid {
                0 => crate::dumps::gfxinfo::SYSTEMUI_PID,
                pid => pid,
            };
            let of = Surface { layer: &names[layer], pid };
            match item {
                Item::Shown(frame) => frames.shown(frame, display, of, ring),
                Item::Dropped(dropped) => frames.dropped(dropped, of, display.period, ring),
            }
        }
    }
    // A writer hands a packet over with the next one; what it wrote last may never be read.
    if Draw::of(capture.seed, Stream::Trace, capture.ended as u64).unit() < KEPT_BACK {
        ring.forget_newest();
    }
}

/// The display frames that were told while the trace ran. SurfaceFlinger tells one when a later composition finds its
/// fence signalled, and at no other time (docs/design/trace.md#the-end-of-a-trace): on a screen that came to rest the
/// last two stay untold however long the trace runs on.
fn told<'a>(capture: &Capture<'a>) -> Vec<&'a TruthDisplay> {
    let displays = &capture.truth.displays;
    let mut next = 0;
    let mut found = Vec::new();
    for display in displays {
        while displays.get(next).is_some_and(|later| later.wake + COMPOSING < display.present) {
            next += 1;
        }
        let Some(later) = displays.get(next) else { break };
        let at = later.wake + COMPOSING;
        if at > capture.ended {
            break;
        }
        if at >= capture.began {
            found.push(display);
        }
    }
    found
}
