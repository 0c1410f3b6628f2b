//! What keeps main threads busy, and what the log makes of it: slow messages, skipped frames, periodic and planted
//! work.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how lines are printed.

use super::acts::Act;
use super::hwui::{HwuiFrame, UNTIL_ANIMATION, UNTIL_INPUT, UNTIL_SUBMITTED};
use super::journal::{Noted, Said, Work};
use super::pipeline::Stages;
use super::state::PhoneSim;
use crate::spec::{Moment, StallSpec};
use crate::truth::TruthMessage;
use crate::truth::held::TruthStall;
use crate::truth::hwui::TruthHwuiFrame;

const MS: i64 = 1_000_000;
/// Messages from this length on are noted, ns.
const NOTED: i64 = 50 * MS;
/// Choreographer complains from so many frames on.
const SKIPPED: i64 = 30;
/// HWUI complains from this render time on, ns.
const DAVEY: i64 = 700 * MS;

/// Notes something about an app whose process runs.
pub(super) fn tell_of(sim: &mut PhoneSim, app: usize, at: i64, what: Said) {
    if let Some(pid) = sim.activities.processes[app].pid {
        sim.journal.tell(Noted { at, app: Some(app), pid, what });
    }
}

/// The long messages that were over by an instant, in order of their ends.
pub fn messages(sim: &PhoneSim, until: i64) -> Vec<TruthMessage> {
    let long = sim.journal.until(until).into_iter().filter_map(|note| match (&note.what, note.app) {
        (Said::Message { began, work, slow_ms }, Some(app)) => Some(TruthMessage {
            package: sim.setup.apps[app].id().to_owned(),
            pid: note.pid,
            began: *began,
            ended: note.at,
            watched_ms: *slow_ms,
            drew: matches!(work, Work::Launch | Work::Frame),
        }),
        _ => None,
    });
    long.collect()
}

fn message(sim: &mut PhoneSim, app: usize, began: i64, until: i64, work: Work) {
    if until - began >= NOTED {
        let slow_ms = sim.activities.processes[app].slow_ms;
        tell_of(sim, app, until, Said::Message { began, work, slow_ms });
    }
}

/// What the log makes of a frame of a window; the main thread was free from `free` on.
pub(super) fn tell_frame(sim: &mut PhoneSim, app: usize, drawn: &HwuiFrame, free: i64) {
    let Stages { intended, start, issue, interval, .. } = drawn.stages;
    // What held the thread before doFrame could begin was another message.
    message(sim, app, free.max(intended), start, Work::Load);
    let skipped = (start - intended) / interval.max(1);
    if skipped >= SKIPPED {
        tell_of(sim, app, start, Said::Skipped(skipped));
    }
    let work = if drawn.flags & 1 != 0 { Work::Launch } else { Work::Frame };
    message(sim, app, start, issue, work);
    let completed = drawn.completed(sim.setup.archetype.sdk);
    if completed - intended >= DAVEY {
        tell_of(sim, app, completed, Said::Davey(Box::new(*drawn)));
    }
}

/// The page in this window came to the front: its periodic work begins.
pub(super) fn plan_stall(sim: &mut PhoneSim, t: i64, index: usize) {
    let Some(window) = sim.activities.window(index) else { return };
    let spec = &sim.setup.apps[window.app].pages[window.page].spec;
    if let Some(stall) = spec.stall {
        let run = window.layers.first().copied().unwrap_or(0);
        sim.follow(t + i64::from(stall.every_ms) * MS, Act::Stall(index, run));
    }
}

/// The page's periodic work holds the main thread; `run` tells a page that went and came back from the one it was
/// planned for.
pub(super) fn stall(sim: &mut PhoneSim, t: i64, index: usize, run: usize) {
    let Some(window) = sim.activities.window(index) else { return };
    let Some(stall) = sim.setup.apps[window.app].pages[window.page].spec.stall else { return };
    if !window.resumed || window.layers.first() != Some(&run) {
        return;
    }
    busy(sim, t, index, stall);
    plan_stall(sim, t, index);
}

/// The main thread of a window works for so long, as soon as it is free.
fn busy(sim: &mut PhoneSim, t: i64, index: usize, stall: StallSpec) {
    let StallSpec { ms, cause, unmarked, .. } = stall;
    let Some(window) = sim.activities.windows.get_mut(index).and_then(Option::as_mut) else { return };
    let app = window.app;
    if sim.activities.processes[app].frozen.is_none() {
        let began = window.ui.pipeline.ui_free().max(t);
        let until = began + i64::from(ms) * MS;
        window.ui.pipeline.hold(until);
        message(sim, app, began, until, Work::Refresh);
        if let Some(pid) = sim.activities.processes[app].pid {
            sim.journal.keep_stall(TruthStall { pid, from: began, to: until, cause, unmarked });
        }
    }
}

/// A touch reached a moment that some page's work waits for.
pub(super) fn plan_planted(sim: &mut PhoneSim, t: i64, moment: Moment) {
    let Some(index) = sim.front_window() else { return };
    let Some(window) = sim.activities.window(index) else { return };
    let spec = &sim.setup.apps[window.app].pages[window.page].spec;
    let Some(stall) = spec.touch_stall.filter(|stall| stall.from == moment) else { return };
    // Divisible by 0 is only 0: then there is none.
    if (sim.input.gestures.len() as u32).is_multiple_of(stall.every) {
        sim.follow(t + i64::from(stall.after_ms) * MS, Act::Planted(index, stall.ms));
    }
}

/// That work begins, if its page is still in front.
pub(super) fn planted(sim: &mut PhoneSim, t: i64, index: usize, ms: u32) {
    let Some(window) = sim.activities.window(index).filter(|window| window.resumed) else { return };
    let cause = sim.setup.apps[window.app].pages[window.page].spec.touch_stall.and_then(|stall| stall.cause);
    busy(sim, t, index, StallSpec { every_ms: 0, ms, cause, unmarked: false });
}

/// Keeps a frame of a window for the truth, where everything is kept.
pub(super) fn keep_frame(sim: &mut PhoneSim, index: usize, drawn: &HwuiFrame) {
    let Some(window) = sim.activities.window(index).filter(|_| sim.journal.is_truth()) else { return };
    let stages = drawn.stages;
    let kept = TruthHwuiFrame {
        package: sim.setup.apps[window.app].id().to_owned(),
        layer: sim.flinger.layers[window.own].as_ref().map(|layer| layer.name.clone()).unwrap_or_default(),
        flags: drawn.flags,
        token: drawn.token,
        input: Some(drawn.input_oldest).filter(|at| *at > 0),
        intended: stages.intended,
        vsync: stages.vsync,
        start: stages.start,
        handle_input: stages.start + UNTIL_INPUT,
        animation: stages.start + UNTIL_ANIMATION,
        traversals: stages.traversal,
        draw: stages.draw,
        sync_queued: stages.sync_queued,
        sync_start: stages.sync_start,
        issue: stages.issue,
        swap: stages.swap,
        submitted: stages.swap + UNTIL_SUBMITTED,
        queued: stages.queued,
        gpu: stages.ready,
        completed: drawn.completed(sim.setup.archetype.sdk),
        deadline: stages.deadline,
        promised: drawn.promised(),
        stuffed: stages.stuffed,
        interval: stages.interval,
    };
    sim.journal.hwui_frames.push(kept);
}
