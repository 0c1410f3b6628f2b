//! What the RenderThread and the GPU did for a frame.

use super::cast::of_app;
use super::holds::{Who, held};
use super::play::{Gap, Left, Play, Scene, WAKING};
use crate::spec::Hold;

/// Draws it.
pub fn draw(scene: &Scene, play: &mut Play) {
    let Scene { pid, token, work, ready } = *scene;
    let tid = pid + of_app::RENDER;
    let app = (tid, pid);
    if !play.takes(tid, work.sync_start, work.queued) {
        return;
    }
    let who = Who { tid, pid, cpu: Some(play.render), beside: true };
    let planted = work
        .held
        .into_iter()
        .flatten()
        .filter(|one| matches!(one.by, Hold::Upload | Hold::Shader | Hold::Render | Hold::RenderStarved));
    let mut gaps = held(play, who, planted);
    let has_buffer = work.issue + work.dequeue;
    if work.dequeue > 0 {
        gaps.extend(wait_for_buffer(scene, play));
    }
    gaps.sort_by_key(|gap| gap.from);
    play.busy((tid, who.cpu), (work.sync_start, work.queued), Some(Some(pid)), &gaps);
    let name = if token > 0 { format!("DrawFrames {token}") } else { "DrawFrame".to_owned() };
    play.slice(app, (work.sync_start + 1_000, work.queued - 1_000), &name);
    play.slice(app, (work.sync_start + 2_000, work.issue - 9_000), "syncFrameState");
    play.slice(
        app,
        (work.issue + 500, has_buffer + 5_000),
        "dequeueBuffer - VRI[FeedActivity]#0(BLAST Consumer)0",
    );
    play.slice(app, (has_buffer + 6_000, work.swap - 500), "flush commands");
    play.slice(app, (work.swap, work.queued - 2_000), "eglSwapBuffersWithDamageKHR");
    let waiter = pid + of_app::GPU;
    if ready - work.queued > 100_000 && play.takes(waiter, work.queued + 10_000, ready + 30_000) {
        let gap = Gap { from: work.queued + 30_000, to: ready + 10_000, left: Left::Sleeps, by: None };
        play.busy((waiter, None), (work.queued + 10_000, ready + 30_000), Some(None), &[gap]);
        let number = token.rem_euclid(1 << 16);
        let name = format!("waiting for GPU completion {number}");
        play.slice((waiter, pid), (work.queued + 20_000, ready + 20_000), &name);
    }
}

/// The app's own binder thread hands it the buffer that the compositor gave back.
fn wait_for_buffer(scene: &Scene, play: &mut Play) -> Option<Gap> {
    let Scene { pid, work, .. } = *scene;
    let (from, to) = (work.issue + 2_000, work.issue + work.dequeue);
    let giver = pid + of_app::BINDER;
    let gives = (to - 60_000, to - WAKING / 4);
    let by = play.takes(giver, gives.0, gives.1).then_some(giver);
    if by.is_some() {
        play.busy((giver, None), gives, Some(None), &[]);
    }
    Some(Gap { from, to, left: Left::Sleeps, by })
}
