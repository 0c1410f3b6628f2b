//! The kernel's events in a trace: who ran where, who woke whom, what apps and services marked. All of it follows from
//! what happened; no event names a cause (docs/design/lab.md#why-a-frame-is-late). And what their stacks of calls were.
//!
//! Times are ns on CLOCK_MONOTONIC unless a name says otherwise. Must not know frames' verdicts.

mod act;
mod background;
mod calls;
mod cast;
mod compositor;
mod cpus;
mod holds;
mod looks;
mod play;
mod profile;
mod render;
mod tracer;

pub(super) use cast::{appears, named};
pub(in crate::dumps) use profile::{Moment, Was, moments};

use super::FTRACE;
use super::capture::Capture;
use super::config::Stacks;
use super::ring::Ring;
use calls::Calls;
use cpus::Staged;
use play::Play;
use std::collections::BTreeMap;

/// The first release whose profiler stamps stacks as the tracer its events: Android 13.
const PROFILES: u32 = 33;

/// Writes them, as far as the config and the phone's release let them be traced; and call stacks beside them.
pub(super) fn write(capture: &Capture<'_>, rings: &mut BTreeMap<usize, Ring>) {
    let asked = capture.config.kernel.as_ref().filter(|asked| asked.wants("sched/sched_switch"));
    let stacks = capture.config.stacks.iter().filter(|asked| asked.buffer < capture.config.buffers.len());
    let stacks: Vec<&Stacks> = stacks.filter(|_| capture.sdk >= PROFILES).collect();
    if asked.is_none() && stacks.is_empty() {
        return;
    }
    let (staged, calls) = played(capture);
    if let Some((asked, buffer)) = asked.zip(capture.config.buffer_of(FTRACE)) {
        tracer::write(capture, asked, &staged, rings.entry(buffer).or_default());
    }
    for (nth, asked) in stacks.into_iter().enumerate() {
        looks::write(capture, nth, asked, &staged, &calls, rings.entry(asked.buffer).or_default());
    }
}

/// What happened, on the phone's CPUs, and in which calls.
fn played(capture: &Capture<'_>) -> (Staged, Calls) {
    let mut play = Play::new(capture.seed, capture.cores);
    compositor::compose(capture, &mut play);
    act::all(capture, &mut play);
    background::others(capture, &mut play);
    let mut calls = std::mem::take(&mut play.calls);
    calls.settle();
    (cpus::stage(play, capture.cores), calls)
}
