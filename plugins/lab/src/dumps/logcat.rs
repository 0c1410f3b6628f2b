//! `logcat -d`, short: the `Davey!` lines HWUI writes for frames of 700 ms and more (frame-sources.md 2.11).

use super::{Scene, framestats, line};
use crate::pulse::hwui::Drawn;

/// Writes what the main buffer holds. `monotonic` stamps lines with CLOCK_MONOTONIC seconds.
pub fn logcat(scene: &Scene<'_>, monotonic: bool, out: &mut Vec<u8>) {
    let sdk = scene.archetype().sdk;
    line!(out, "--------- beginning of main");
    for (app, process) in scene.pulse.processes.iter().enumerate() {
        let pid = process.pid.unwrap_or(0);
        for window in scene.windows(app) {
            for (row, _) in window.hwui.visible(scene.now) {
                let total = row.completed(sdk) - row.stages.intended;
                if total >= 700_000_000 && row.completed(sdk) <= scene.now {
                    let at = row.completed(sdk);
                    let stamp = if monotonic { stamp(at) } else { wall(at) };
                    let tag = if sdk >= 30 { "HWUI" } else { "OpenGLRenderer" };
                    line!(out, "{stamp} {pid:>5} {:>5} I {tag}: {}", pid + 18, davey(row, total, sdk));
                }
            }
        }
    }
}

fn davey(row: &Drawn, total: i64, sdk: u32) -> String {
    let stages = row.stages;
    let token = if sdk >= 31 { format!("FrameTimelineVsyncId={}, ", row.token) } else { String::new() };
    let names = framestats::columns(sdk).len();
    let late = if names > 17 { format!(", GpuCompleted={}", stages.ready) } else { String::new() };
    format!(
        "Davey! duration={}ms; Flags={}, {token}IntendedVsync={}, Vsync={}, HandleInputStart={}, AnimationStart={}, \
         PerformTraversalsStart={}, DrawStart={}, SyncQueued={}, SyncStart={}, IssueDrawCommandsStart={}, SwapBuffers={}, \
         FrameCompleted={}{late}",
        total / 1_000_000,
        row.flags,
        stages.intended,
        stages.vsync,
        stages.start + 4_000,
        stages.start + 9_000,
        stages.traversal,
        stages.draw,
        stages.sync_queued,
        stages.sync_start,
        stages.issue,
        stages.swap,
        row.completed(sdk),
    )
}

fn stamp(at: i64) -> String {
    format!("{:>6}.{:03}", at / 1_000_000_000, at / 1_000_000 % 1_000)
}

/// A wall clock that began with the month: the virtual phone has no other.
fn wall(at: i64) -> String {
    let ms = at / 1_000_000;
    format!(
        "11-{:02} {:02}:{:02}:{:02}.{:03}",
        1 + ms / 86_400_000 % 28,
        ms / 3_600_000 % 24,
        ms / 60_000 % 60,
        ms / 1_000 % 60,
        ms % 1_000
    )
}
