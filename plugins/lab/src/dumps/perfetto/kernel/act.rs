//! What an app's main thread did: frames, and messages that drew nothing. What was planted is laid in as what happens;
//! of what is planted nowhere, a little happens in every frame.
//!
//! Must not know the RenderThread's work.

use super::super::capture::Capture;
use super::background;
use super::calls::Doing;
use super::cast::{APP_VSYNC, of_app};
use super::holds::{Who, held, hold};
use super::play::{Gap, Left, Play, Scene, WAKING};
use super::render;
use crate::spec::{Hold, Meanwhile};
use crate::truth::TruthGesture;
use crate::truth::held::{TruthHeld, TruthWork};

/// Main goes on so long before the RenderThread lets it, ns.
const LET_GO: i64 = 22_000;

/// Everything that apps' threads did for frames, shown or not, and beside.
pub fn all(capture: &Capture<'_>, play: &mut Play) {
    let mut scenes: Vec<Scene> = Vec::new();
    for layer in capture.truth.layers.iter().filter(|layer| layer.pid != 0) {
        let shown = layer.frames.iter().map(|frame| (frame.token, frame.work, frame.ready));
        let dropped = layer.dropped.iter().map(|frame| (frame.token, frame.work, frame.ready));
        let whole = |(token, work, ready): (Option<i64>, TruthWork, i64)| {
            Some(Scene { pid: layer.pid, token: token?, work, ready })
        };
        scenes.extend(shown.chain(dropped).filter_map(whole));
    }
    scenes.retain(|scene| scene.work.start <= capture.ended && scene.ready >= capture.began);
    scenes.sort_by_key(|scene| (scene.work.start, scene.pid));
    scenes.iter().for_each(|scene| frame(scene, play));
    for stall in capture.truth.stalls.iter().filter(|stall| stall.to >= capture.began) {
        let who = main(stall.pid, play);
        if play.takes(stall.pid, stall.from, stall.to) {
            if !stall.unmarked {
                let name = "android.os.Handler: com.example.shop.Refresher$1";
                play.slice((who.tid, who.pid), (stall.from + 500, stall.to - 500), name);
            }
            play.calls.does(who.tid, (stall.from, stall.to), Doing::Message);
            let gaps =
                held(play, who, stall.held().into_iter().flatten().filter(|one| one.by != Hold::Message));
            play.busy((who.tid, who.cpu), (stall.from, stall.to), Some(None), &gaps);
            let waits = |gesture: &&TruthGesture| gesture.down > stall.from && gesture.down < stall.to;
            if let Some(touch) = capture.truth.gestures.iter().find(waits) {
                touched(play, who, (stall.to, touch.down));
            }
        }
    }
}

/// Main takes a touch that waited for a message to end. `input` stamps its events in whole ms.
fn touched(play: &mut Play, who: Who, (free, down): (i64, i64)) {
    let (from, to) = (free + 30_000, free + 180_000);
    if play.takes(who.tid, from, to) {
        let stamp = down.div_euclid(1_000_000) * 1_000_000;
        let name =
            format!("deliverInputEvent src=0x1002 eventTimeNano={stamp} id=0x{:x}", stamp & 0x7fff_ffff);
        play.slice((who.tid, who.pid), (from + 10_000, to - 10_000), &name);
        play.busy((who.tid, who.cpu), (from, to), Some(None), &[]);
    }
}

fn main(pid: u32, play: &Play) -> Who {
    Who { tid: pid, pid, cpu: Some(play.main), beside: false }
}

/// Whether a hold is of the RenderThread or later.
fn is_later(by: Hold) -> bool {
    matches!(by, Hold::Upload | Hold::Shader | Hold::Render | Hold::RenderStarved | Hold::Gpu)
}

fn frame(scene: &Scene, play: &mut Play) {
    let Scene { pid, token, work, .. } = *scene;
    let who = main(pid, play);
    let planted = || work.held.into_iter().flatten().filter(|one| !is_later(one.by));
    let from = planted().map(|one| one.from).min().unwrap_or(work.start).min(work.start);
    if !play.takes(pid, from, work.issue) {
        return;
    }
    for (doing, span) in [
        (Doing::Message, (from, work.start)),
        (Doing::Callbacks, (work.start, work.traversal)),
        (Doing::Layout, (work.traversal, work.draw)),
        (Doing::Draw, (work.draw, work.sync_queued)),
        (Doing::Sync, (work.sync_queued, work.issue)),
    ] {
        play.calls.does(pid, span, doing);
    }
    let mut gaps = held(play, who, planted());
    let mut busy: Vec<(i64, i64)> = planted().map(|one| (one.from, one.to)).collect();
    for (by, span) in background::innocent(play, &work, &busy) {
        gaps.extend(hold(play, who, by, Meanwhile::Runs, span));
        busy.push(span);
    }
    let app = (pid, pid);
    // What main waits in until the RenderThread has what it needs.
    let let_go = work.issue - LET_GO;
    gaps.push(Gap { from: work.sync_queued, to: let_go, left: Left::Sleeps, by: Some(pid + of_app::RENDER) });
    gaps.sort_by_key(|gap| gap.from);
    play.busy((pid, who.cpu), (from, work.issue), Some(Some(APP_VSYNC)), &gaps);
    // Who tells of the refresh ran when it woke main.
    let told = (from - 4 * WAKING, from - WAKING / 2);
    if play.takes(APP_VSYNC, told.0, told.1) {
        play.busy((APP_VSYNC, None), told, Some(None), &[]);
    }
    play.slice(app, (work.start + 1_000, work.issue - 2_000), &format!("Choreographer#doFrame {token}"));
    let on_main = |share: i64| {
        let inside = |one: &TruthHeld| {
            one.from >= work.start && one.from < work.start + share && one.by == Hold::Input
        };
        planted().filter(inside).map(|one| one.to - one.from).sum::<i64>()
    };
    let quick = work.traversal - work.start - planted_before(&work, planted());
    let input = work.start + quick * 2 / 5 + on_main(i64::MAX / 4);
    play.slice(app, (work.start + 1_500, input), "input");
    play.slice(app, (input + 100, work.traversal - 200), "animation");
    let end = work.sync_queued;
    play.slice(app, (work.traversal, end - 3_000), "traversal");
    play.slice(app, (work.traversal + 200, work.draw - 200), "layout");
    play.slice(app, (work.draw, end - 3_500), "draw");
    play.slice(app, (end - 2_500, work.issue - 6_000), "postAndWait");
    render::draw(scene, play);
}

/// Time planted on main between the callback's beginning and its traversal.
fn planted_before(work: &TruthWork, planted: impl Iterator<Item = TruthHeld>) -> i64 {
    let inside = |one: &TruthHeld| one.from >= work.start && one.to <= work.traversal;
    planted.filter(inside).map(|one| one.to - one.from).sum()
}
