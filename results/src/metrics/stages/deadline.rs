//! hwui's counters over the motions: frames late by its old and by its new rule, and the reasons it gives for missed
//! ones.
//!
//! What: frames that rendered for longer than their interval (old rule), frames whose GPU work ended at or after their
//! deadline (new rule), and on frames that missed: missed vsync, slow UI thread, slow uploads, slow drawing. Formula:
//! `hwui`'s own, in integers. Unit: count. Better: lower. Needs: every drawn frame. Source:
//! docs/design/metrics.md#render-stages.

use super::frames::{percent, read};
use super::hwui::{Verdict, modern, verdicts};
use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::window::Window;

fn counted(window: &Window, which: impl Fn(&Verdict) -> bool) -> Reading {
    read(window, |frames| {
        Ok(Reading::Value(verdicts(frames)?.iter().filter(|one| which(one)).count() as f64))
    })
}

/// Missed deadlines and frames judged; only where the phone prints deadlines.
fn missed(window: &Window, value: impl Fn(usize, usize) -> f64) -> Reading {
    read(window, |frames| {
        if !modern(frames.all) {
            return Err("no frame has a deadline: framestats print it from Android 12 on".into());
        }
        let verdicts = verdicts(frames)?;
        let missed = verdicts.iter().filter(|verdict| verdict.missed).count();
        Ok(Reading::Value(value(missed, verdicts.len())))
    })
}

/// Frames that rendered for longer than their interval.
pub(super) static JANK_LEGACY: Metric = Metric {
    key: "jank_legacy",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Stages,
    about: "frames that took longer to render than one frame interval (the rule of Android 7 to 11)",
    formula: "how many R > I",
    since: 7,
    origin: "gfxinfo's `Janky frames` before Android 12 and `Janky frames (legacy)` since. Counts pipelined frames that were \
             shown in time; the phone's own counter forgives part of the wait for a buffer and may be lower",
    measure: |window| {
        read(window, |frames| {
            let known = frames.with_interval()?;
            let over = known.iter().filter(|(frame, interval)| frame.render().ns() > *interval).count();
            Ok(Reading::Value(over as f64))
        })
    },
};

/// Frames whose GPU work ended at or after their deadline.
pub(super) static JANK_DEADLINE: Metric = Metric {
    key: "jank_deadline",
    about: "frames that missed their deadline (the rule of Android 12 and newer)",
    formula: "how many GpuCompleted >= FrameDeadline, one interval later while the queue is stuffed",
    since: 12,
    origin: "gfxinfo's `Janky frames` and `Number Frame deadline missed` since Android 12, replayed frame by frame. Equality \
             misses; the GPU alone can miss. Not comparable with jank_legacy",
    measure: |window| missed(window, |missed, _| missed as f64),
    ..JANK_LEGACY
};

/// Their share.
pub(super) static JANK_DEADLINE_PCT: Metric = Metric {
    key: "jank_deadline_pct",
    unit: Unit::Percent,
    about: "share of frames that missed their deadline (the rule of Android 12 and newer)",
    formula: "100 jank_deadline / m",
    measure: |window| missed(window, percent),
    ..JANK_DEADLINE
};

macro_rules! reasons {
    ($($name:ident $key:literal $reason:ident $about:literal $formula:literal)*) => {$(
        #[doc = $about]
        pub(super) static $name: Metric = Metric {
            key: $key,
            about: $about,
            formula: $formula,
            origin: REASON,
            measure: |window| counted(window, |verdict| verdict.reasons.$reason),
            ..JANK_LEGACY
        };
    )*};
}

const REASON: &str = "gfxinfo's counters of the same name, with the lines of Android 9 and newer, replayed for the motions. \
                      Counted on frames that missed their deadline only (before Android 12: the deadline hwui reckons from \
                      swap to swap); stages of 10 s or more are ignored; one frame may have several reasons";

reasons! {
    HWUI_MISSED_VSYNC "hwui_missed_vsync" missed_vsync
        "late frames that started after their vsync: the UI thread was busy with something else"
        "of missed frames, how many Vsync - IntendedVsync >= 1 ns"
    HWUI_SLOW_UI "hwui_slow_ui" slow_ui
        "late frames whose work on the UI thread took half a frame interval or more"
        "of missed frames, how many (SyncStart - Vsync) - (SyncStart - SyncQueued) >= 0.5 I"
    HWUI_SLOW_UPLOAD "hwui_slow_upload" slow_upload
        "late frames whose bitmap uploads took a fifth of a frame interval or more"
        "of missed frames, how many IssueDrawCommandsStart - SyncStart >= 0.2 I"
    HWUI_SLOW_DRAW "hwui_slow_draw" slow_draw
        "late frames whose drawing took three quarters of a frame interval or more"
        "of missed frames, how many FrameCompleted - IssueDrawCommandsStart >= 0.75 I"
}

/// Frames that met their deadline behind a stuffed queue.
pub(super) static HWUI_HIGH_INPUT_LATENCY: Metric = Metric {
    key: "hwui_high_input_latency",
    about: "frames that were in time only because the queue was stuffed: input is seen one frame later",
    formula: "of frames in time, how many (unstuffed start - IntendedVsync) > 0.1 I",
    origin: "gfxinfo's `Number High input latency`. Since Android 12 the phone's own counter counts a frame by the old and by \
             the new rule, here it is counted once; large numbers are normal",
    measure: |window| counted(window, |verdict| verdict.stuffed),
    ..JANK_LEGACY
};
