//! The PROFILEDATA block of `dumpsys gfxinfo PKG framestats`: column sets per Android version, late columns of frames
//! in flight, slots that still hold their previous occupant (docs/design/phones.md#gfxinfo). ns on CLOCK_MONOTONIC.

use super::digits::Digits;
use crate::phone_sim::hwui::{Hwui, HwuiFrame, UNTIL_ANIMATION, UNTIL_INPUT, UNTIL_SUBMITTED};

/// No time known.
const UNKNOWN: i64 = i64::MAX;

/// Writes the block of one window.
pub fn block(hwui: &Hwui, sdk: u32, listener: bool, now: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"---PROFILEDATA---\n");
    for name in columns(sdk) {
        out.extend_from_slice(name.as_bytes());
        out.push(b',');
    }
    out.push(b'\n');
    let rows: Vec<_> = hwui.visible(now).collect();
    let count = rows.len();
    // Twenty stamps a row.
    out.reserve(count * 20 * 16);
    let mut cells = [0; 26];
    let mut digits = Digits::default();
    for (index, (row, previous)) in rows.into_iter().enumerate() {
        let width = fill(row, previous, sdk, now, &mut cells);
        if sdk >= 31 {
            // Written for the frame four behind: the newest four still show what was in their slot before.
            let newest = index + 4 >= count;
            let shown = if newest { previous.map_or(0, |previous| previous.shown) } else { row.shown };
            cells[width - 2] = if listener { shown } else { 0 };
        }
        for cell in &cells[..width] {
            digits.put(*cell, b',', out);
        }
        out.push(b'\n');
    }
    out.extend_from_slice(b"---PROFILEDATA---\n");
}

/// Column names in print order.
pub fn columns(sdk: u32) -> Vec<&'static str> {
    let mut names = vec!["Flags"];
    match sdk {
        ..=30 => names.extend(["IntendedVsync", "Vsync", "OldestInputEvent", "NewestInputEvent"]),
        _ => names.extend(["FrameTimelineVsyncId", "IntendedVsync", "Vsync", "InputEventId"]),
    }
    names.extend(["HandleInputStart", "AnimationStart", "PerformTraversalsStart", "DrawStart"]);
    match sdk {
        ..=30 => {}
        31..=33 => names.extend(["FrameDeadline", "FrameInterval", "FrameStartTime"]),
        34 | 35 => names.extend(["FrameDeadline", "FrameStartTime", "FrameInterval", "WorkloadTarget"]),
        _ => names.extend([
            "FrameDeadline",
            "FrameStartTime",
            "FrameInterval",
            "WorkloadTarget",
            "AnimationTime",
        ]),
    }
    names.extend(["SyncQueued", "SyncStart", "IssueDrawCommandsStart", "SwapBuffers", "FrameCompleted"]);
    if sdk >= 26 {
        names.extend(["DequeueBufferDuration", "QueueBufferDuration"]);
    }
    if sdk >= 30 {
        names.push("GpuCompleted");
    }
    if sdk >= 31 {
        names.extend(["SwapBuffersCompleted", "DisplayPresentTime", "CommandSubmissionCompleted"]);
    }
    names
}

/// Fills the cells of a row; answers how many.
fn fill(row: &HwuiFrame, previous: Option<&HwuiFrame>, sdk: u32, now: i64, cells: &mut [i64; 26]) -> usize {
    let stages = row.stages;
    let mut width = 0;
    let mut put = |value: i64| {
        cells[width] = value;
        width += 1;
    };
    // What has not happened yet shows the slot's previous occupant.
    let late = |at: i64, stage: fn(&HwuiFrame) -> i64| {
        if at <= now && row.flags & 8 == 0 { at } else { previous.map_or(0, stage) }
    };
    put(i64::from(row.flags));
    if sdk <= 30 {
        let touched = row.input_at > 0;
        [stages.intended, stages.vsync].into_iter().for_each(&mut put);
        put(if touched { row.input_oldest } else { UNKNOWN });
        put(if touched { row.input_at } else { 0 });
    } else {
        [row.token, stages.intended, stages.vsync, i64::from(row.input)].into_iter().for_each(&mut put);
    }
    [stages.start + UNTIL_INPUT, stages.start + UNTIL_ANIMATION, stages.traversal, stages.draw]
        .into_iter()
        .for_each(&mut put);
    let deadline = stages.deadline;
    match sdk {
        ..=30 => {}
        // The platform's own mistake: the header says interval, start; the values come as start, interval.
        31..=33 => [deadline, stages.start, stages.interval].into_iter().for_each(&mut put),
        // What the frame was given, whatever became of its deadline.
        _ => [deadline, stages.start, stages.interval, row.promised() - stages.intended]
            .into_iter()
            .for_each(&mut put),
    }
    if sdk >= 36 {
        put(stages.vsync);
    }
    [stages.sync_queued, stages.sync_start].into_iter().for_each(&mut put);
    put(late(stages.issue, |old| old.stages.issue));
    put(late(stages.swap, |old| old.stages.swap));
    let completed = if sdk >= 31 {
        late(row.completed(31), |old| old.completed(31))
    } else {
        late(row.completed(30), |old| old.completed(30))
    };
    put(completed);
    if sdk >= 26 {
        put(if sdk >= 31 && stages.dequeue > 100_000 { 0 } else { stages.dequeue });
        put(late(stages.queued, |old| old.stages.queued) - late(stages.swap, |old| old.stages.swap));
    }
    if sdk >= 30 {
        // On 11 it is the fence of four frames back, unknown here; from 12 on the GPU's end of this frame.
        put(if sdk == 30 { -1 } else { late(stages.ready, |old| old.stages.ready) });
    }
    if sdk >= 31 {
        put(late(stages.queued, |old| old.stages.queued));
        put(0);
        put(late(stages.swap + UNTIL_SUBMITTED, |old| old.stages.swap + UNTIL_SUBMITTED));
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_sets_are_those_of_the_releases() {
        let widths = [24, 29, 30, 31, 33, 34, 35, 36].map(|sdk| columns(sdk).len());
        assert_eq!(widths, [14, 16, 17, 23, 23, 24, 24, 25]);
    }
}
