//! Why the frames of a cell were late, as its page has it: a bar, sentences, the late frames, stalls without a frame,
//! and where the trace is.
//!
//! Names of threads, locks and sections are of the phone: cleaned here, and bounded. Times are µs.

use crate::cells::{Cell, trace_of};
use crate::clean::{NAME, SENTENCE, line};
use crate::why;
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame_lanes::{FrameLanes, Picture};
use farmjank_results::hitch_causes::{
    FrameCause, FrameCauses, Group, HitchCause, HitchCauses, LateFrame, StallCauses, Stalled, Unexplained,
};
use farmjank_results::time::{BootTime, DeviceTime};
use serde::Serialize;
use std::cmp::Reverse;

/// Most causes listed.
const CAUSES: usize = 12;
/// Most late frames listed.
const FRAMES: usize = 100;
/// Causes told of one frame, those that are one part in so many of its lateness.
const OF_FRAME: usize = 2;
const OF_LATENESS: i64 = 20;
/// Seen of the trace before a frame or stall and after it, µs.
const AROUND: i64 = 20_000;
/// Most reasons and doubts.
const WORDS: usize = 20;

/// A time by the groups of the bar, then what is in causes that are left out, then what nothing can be said of: what a
/// frame or a window was late by, µs.
type Split = [i64; Group::ALL.len() + 2];

/// Why frames were late.
#[derive(Serialize)]
pub(crate) struct CausesLine {
    /// All together in words, or why nothing can be said.
    head: String,
    /// Nothing can be said.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unknown: bool,
    #[serde(flatten)]
    found: Option<FoundLine>,
    /// What the tracer itself may have cost.
    cost: Option<String>,
    /// Path of the trace in the bundle.
    trace: Option<String>,
    /// Path of the pictures in it, where they have call stacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    stacks: Option<String>,
}

#[derive(Serialize)]
struct FoundLine {
    split: Split,
    /// Late by so much, µs.
    late: i64,
    /// Time of motion, µs; none where it is not known.
    motion: Option<i64>,
    late_frames: u32,
    causes: Vec<CauseLine>,
    /// Causes that are not listed, and their time.
    smaller: (usize, i64),
    unexplained: Vec<(String, i64)>,
    frames: Vec<FrameLine>,
    /// Late frames that are not listed.
    left_out: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    stalls: Option<StallsLine>,
    doubts: Vec<String>,
}

/// Stalls without a frame.
#[derive(Serialize)]
struct StallsLine {
    /// All together in words, and how long.
    head: String,
    us: i64,
    split: Split,
    causes: Vec<CauseLine>,
    unexplained: Vec<(String, i64)>,
    list: Vec<FrameLine>,
    /// Stalls that are not listed.
    left_out: usize,
}

#[derive(Serialize)]
struct CauseLine {
    group: &'static str,
    kind: String,
    title: String,
    detail: String,
    us: i64,
    frames: u32,
    /// None where there were too few frames in time to tell.
    usual: Option<i64>,
    confidence: &'static str,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
}

#[derive(Clone, Copy, Serialize)]
struct When {
    /// When it was shown, or a stall began, and of what that is the time.
    at: (i64, &'static str),
    /// What there is to see of it in the trace: from, until, on the trace's clock.
    of_trace: (i64, i64),
}

#[derive(Serialize)]
struct FrameLine {
    #[serde(flatten)]
    when: When,
    late: i64,
    split: Split,
    /// Its largest causes, and the time of each.
    causes: Vec<(String, i64)>,
    /// Why nothing can be said.
    reason: Option<String>,
    confidence: Option<&'static str>,
    /// Path of its own trace in the bundle, where several iterations were traced.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
    /// What the threads on its way did.
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<Picture>,
}

/// What the page says of a cell; none where it was not asked for.
pub(crate) fn causes(cell: &Cell<'_>, lanes: &FrameLanes) -> Option<CausesLine> {
    let of = cell.causes()?;
    let has_stacks = lanes.pictures.iter().any(|one| !one.stacks.is_empty());
    let one = |number: u32| {
        let traced = cell.job.trials.iter().rfind(|trial| trial.trial == number && trial.ended.is_some())?;
        traced.windows.iter().find(|window| window.window == of.window)
    };
    let several = of.iterations.iter().filter_map(|iteration| one(iteration.trial));
    let windows: Vec<&WindowMeasured> = several.chain(cell.diagnosed()).collect();
    Some(CausesLine {
        head: line(&why::head(of), SENTENCE),
        unknown: of.causes.is_none(),
        found: of.causes.as_ref().map(|found| told(found, &windows, lanes)),
        cost: why::cost(cell),
        // Of several iterations each has a trace of its own: frames and stalls say which.
        trace: if let [one] = windows[..] { trace_of(one).map(|path| line(path, SENTENCE)) } else { None },
        stacks: of
            .causes
            .as_ref()
            .and_then(|of| of.lanes.as_deref())
            .filter(|_| has_stacks)
            .map(|path| line(path, SENTENCE)),
    })
}

fn told(found: &HitchCauses, windows: &[&WindowMeasured], lanes: &FrameLanes) -> FoundLine {
    let (listed, rest) = found.causes.split_at(found.causes.len().min(CAUSES));
    let rest_us: i64 = rest.iter().map(|cause| cause.us).sum();
    let mut worst: Vec<&LateFrame> = found.frames.iter().collect();
    worst.sort_by_key(|frame| Reverse(frame.hitch_us));
    let [app, waiting, system, unexplained] = Group::ALL.map(|group| found.of_group(group));
    FoundLine {
        split: [app, waiting, system, unexplained, found.smaller_us, found.unknown_us],
        late: found.hitch_us,
        motion: found.motion.map(|motion| motion.ns() / 1_000).filter(|us| *us > 0),
        late_frames: found.late_frames,
        causes: listed.iter().map(|cause| one(cause, found.usual_known())).collect(),
        smaller: (rest.len() + found.smaller as usize, rest_us + found.smaller_us),
        unexplained: reasons(&found.unexplained),
        frames: worst.iter().take(FRAMES).map(|late| frame(late, windows, lanes)).collect(),
        left_out: worst.len().saturating_sub(FRAMES) + found.frames_left_out as usize,
        stalls: why::stalls_head(found).map(|head| stalls(&found.stalls, head, windows, lanes)),
        doubts: {
            let doubts = found.doubts.iter().take(WORDS).cloned();
            doubts.chain(why::stacks(found)).map(|doubt| line(&doubt, SENTENCE)).collect()
        },
    }
}

fn reasons(all: &[Unexplained]) -> Vec<(String, i64)> {
    all.iter().take(WORDS).map(|one| (line(&one.reason, SENTENCE), one.us)).collect()
}

fn stalls(found: &StallCauses, head: String, windows: &[&WindowMeasured], lanes: &FrameLanes) -> StallsLine {
    let mut split = Split::default();
    for cause in &found.causes {
        split[place(cause.named.group)] += cause.us;
    }
    split[place(Group::Unexplained)] += found.unexplained_us;
    [split[Group::ALL.len()], split[Group::ALL.len() + 1]] = [found.smaller_us, found.unknown_us];
    let mut longest: Vec<&Stalled> = found.list.iter().collect();
    longest.sort_by_key(|one| Reverse(one.us));
    let stall = |one: &&Stalled| {
        let began = one.began.ns() / 1_000;
        let when = When {
            at: when(one.from, one.began, windows),
            of_trace: (began - AROUND, began + one.us + AROUND),
        };
        let lanes = lanes.of_stall(one.process, one.began).cloned();
        let trace = trace(one.from, windows);
        FrameLine { lanes, trace, ..answer(when, one.us, one.charged.as_ref(), one.reason.as_deref()) }
    };
    StallsLine {
        head: line(&head, SENTENCE),
        us: found.us,
        split,
        causes: found.causes.iter().take(CAUSES).map(|cause| one(cause, false)).collect(),
        unexplained: reasons(&found.unexplained),
        list: longest.iter().take(FRAMES).map(stall).collect(),
        left_out: longest.len().saturating_sub(FRAMES) + found.left_out as usize,
    }
}

fn place(group: Group) -> usize {
    Group::ALL.iter().position(|one| *one == group).unwrap_or_default()
}

fn one(cause: &HitchCause, usual_known: bool) -> CauseLine {
    CauseLine {
        group: cause.named.group.word(),
        kind: line(&cause.named.kind, NAME),
        title: line(&cause.named.title, SENTENCE),
        detail: line(&cause.detail, SENTENCE),
        us: cause.us,
        frames: cause.frames,
        usual: usual_known.then_some(cause.usual_us),
        confidence: cause.confidence.word(),
        owner: why::owner(cause).map(|owner| line(&owner, NAME)),
    }
}

fn frame(late: &LateFrame, windows: &[&WindowMeasured], lanes: &FrameLanes) -> FrameLine {
    let lanes = lanes.of_frame(late.process, late.token).cloned();
    let shown = late.shown_at.ns() / 1_000;
    let trace = trace(late.present, windows);
    let of_trace = match &lanes {
        Some(picture) => {
            let began = picture.origin.ns() / 1_000;
            (began + picture.drawn.0, began + picture.drawn.1)
        }
        // When its work should have begun is not kept: a few refreshes before it was due.
        None => (shown - late.hitch_us - 3 * AROUND, shown + AROUND),
    };
    let when = When { at: when(late.present, late.shown_at, windows), of_trace };
    FrameLine { lanes, trace, ..answer(when, late.hitch_us, late.charged.as_ref(), late.reason.as_deref()) }
}

/// The last of several windows that was open before an instant.
fn opened<'w>(at: Option<DeviceTime>, windows: &[&'w WindowMeasured]) -> Option<&'w WindowMeasured> {
    let begun = windows.iter().filter_map(|window| Some((window.span?.0, *window)));
    begun
        .filter(|(from, _)| at.is_some_and(|at| *from <= at))
        .max_by_key(|(from, _)| *from)
        .map(|(_, one)| one)
}

/// Where the trace of an instant is, if not in the one of the cell.
fn trace(at: Option<DeviceTime>, windows: &[&WindowMeasured]) -> Option<String> {
    let [_, _, ..] = windows else { return None };
    opened(at, windows).and_then(trace_of).map(|path| line(path, SENTENCE))
}

fn when(at: Option<DeviceTime>, of_trace: BootTime, windows: &[&WindowMeasured]) -> (i64, &'static str) {
    let begun = match windows {
        [one] => Some(*one),
        _ => opened(at, windows),
    };
    match at.zip(begun.and_then(|window| Some(window.span?.0))) {
        Some((at, from)) => ((at - from).ns() / 1_000, "into the window"),
        None => (of_trace.ns() / 1_000, "of the trace"),
    }
}

fn answer(when: When, late: i64, charged: Option<&FrameCauses>, reason: Option<&str>) -> FrameLine {
    let mut split = Split::default();
    let Some(charged) = charged else {
        split[Group::ALL.len() + 1] = late;
        let reason = reason.unwrap_or("no reason is given");
        let reason = Some(line(reason, SENTENCE));
        return FrameLine {
            when,
            late,
            split,
            causes: Vec::new(),
            reason,
            confidence: None,
            trace: None,
            lanes: None,
        };
    };
    for cause in &charged.causes {
        split[place(cause.named.group)] += cause.us;
    }
    split[place(Group::Unexplained)] += charged.unexplained_us;
    split[Group::ALL.len()] = charged.smaller_us;
    let large = |cause: &&FrameCause| cause.us.saturating_mul(OF_LATENESS) >= late;
    let told = |cause: &FrameCause| (line(&cause.named.title, SENTENCE), cause.us);
    FrameLine {
        when,
        late,
        split,
        causes: charged.causes.iter().filter(large).take(OF_FRAME).map(told).collect(),
        reason: None,
        confidence: Some(charged.confidence.word()),
        trace: None,
        lanes: None,
    }
}
