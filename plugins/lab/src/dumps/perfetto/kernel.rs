//! The kernel's events in a trace: who ran where, who woke whom, what apps and services marked. All of it follows from
//! what happened; no event names a cause (docs/design/lab.md#why-a-frame-is-late).
//!
//! Times are ns on CLOCK_MONOTONIC unless a name says otherwise. Must not know frames' verdicts.

mod act;
mod background;
mod cast;
mod compositor;
mod cpus;
mod holds;
mod play;
mod render;
mod tracer;

pub(super) use cast::{appears, named};

use super::capture::Capture;
use super::ring::Ring;
use play::Play;

/// Writes them, as far as the config and the phone's release let them be traced.
pub(super) fn write(capture: &Capture<'_>, ring: &mut Ring) {
    let Some(asked) = capture.config.kernel.as_ref().filter(|asked| asked.wants("sched/sched_switch")) else {
        return;
    };
    let mut play = Play::new(capture.seed, capture.cores);
    compositor::compose(capture, &mut play);
    act::all(capture, &mut play);
    background::others(capture, &mut play);
    let staged = cpus::stage(play, capture.cores);
    tracer::write(capture, asked, &staged, ring);
}
