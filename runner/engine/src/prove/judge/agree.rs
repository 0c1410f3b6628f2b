//! Sources against each other: the ring against the trace, the counts, and framestats.

use super::{Case, median};
use crate::prove::Belief;
use farmjank_results::time::{DeviceTime, Span};

/// Two stamps of one present may differ by so much.
const SAME: Span = Span::from_ns(1_000_000);
/// A frame is shown at most so long after it was due to begin.
const SHOWN: Span = Span::from_ms(250);
/// What the platform leaves out of its counts: the first frame of a layer and the last two.
const NOT_COUNTED: i64 = 3;
/// Sources may disagree by this share of the frames, and by two.
const SHARE: f64 = 0.005;

pub fn beliefs(case: &Case<'_>) -> Vec<Belief> {
    vec![accepted(case), trace(case), counts(case), framestats(case)]
}

fn presents(case: &Case<'_>, from: DeviceTime, to: DeviceTime) -> Vec<DeviceTime> {
    let frames = case.list.iter().flat_map(|(_, timeline)| &timeline.frames);
    frames.map(|frame| frame.present).filter(|at| *at >= from && *at <= to).collect()
}

fn allowed(frames: usize) -> usize {
    ((frames as f64 * SHARE) as usize).max(2)
}

fn accepted(case: &Case<'_>) -> Belief {
    let (key, what) = ("trace.accepted", "the phone takes our trace configuration and writes a trace");
    let trace = &case.proof.answers.trace;
    match &trace.refused {
        Some(why) if case.proof.answers.phone.sdk < 31 => Belief::untold(key, what, why.clone()),
        Some(why) => Belief::of(key, what, false, why.clone()),
        None => {
            let doubts = if trace.doubts.is_empty() {
                String::new()
            } else {
                format!("; {}", trace.doubts.join("; "))
            };
            Belief::of(
                key,
                what,
                !trace.presents.is_empty(),
                format!("{} frames of the app{doubts}", trace.presents.len()),
            )
        }
    }
}

fn trace(case: &Case<'_>) -> Belief {
    let (key, what) = ("trace.ring", "the trace and the ring show the same frames");
    let trace = &case.proof.answers.trace;
    // The last frames of a trace are told by a later composition only: what it speaks for ends with its last frame.
    let (Some(first), Some(last)) = (trace.presents.first().copied(), trace.presents.last().copied()) else {
        return Belief::untold(
            key,
            what,
            trace.refused.clone().unwrap_or_else(|| "the trace shows no frame".to_owned()),
        );
    };
    let ring = presents(case, first, last);
    let near = |at: &DeviceTime, others: &[DeviceTime]| {
        let next = others.partition_point(|other| *other < *at - SAME);
        others.get(next).is_some_and(|other| *other <= *at + SAME)
    };
    let only_trace = trace.presents.iter().filter(|at| !near(at, &ring)).count();
    let only_ring = ring.iter().filter(|at| !near(at, &trace.presents)).count();
    let evidence =
        format!("{} frames; {only_trace} only in the trace, {only_ring} only in the ring", ring.len());
    let allowed = allowed(ring.len());
    Belief::of(key, what, only_trace <= allowed && only_ring <= allowed && !ring.is_empty(), evidence)
}

fn counts(case: &Case<'_>) -> Belief {
    let (key, what) = ("counts.ring", "SurfaceFlinger counts as many frames as the ring shows");
    let counts = &case.proof.answers.counts;
    if let Some(why) = &counts.refused {
        return Belief::untold(key, what, why.clone());
    }
    let edges = counts.edges.and_then(|(began, ended)| Some((case.on_clock(began)?, case.on_clock(ended)?)));
    let named = |name: &str| counts.layers.iter().find(|layer| layer.layer == name);
    let (Some((began, ended)), Some((name, _))) = (edges, &case.list) else {
        return Belief::untold(key, what, "nothing was counted");
    };
    let Some(counted) = named(name) else {
        return Belief::untold(
            key,
            what,
            format!("it counts {} layers of the app, and not `{name}`", counts.layers.len()),
        );
    };
    let total = i64::try_from(counted.total_frames).unwrap_or(i64::MAX);
    let (surely, perhaps) = (presents(case, began.1, ended.0).len(), presents(case, began.0, ended.1).len());
    let allowed = i64::try_from(allowed(perhaps)).unwrap_or(0);
    let held = total + NOT_COUNTED + allowed >= surely as i64 && total - allowed <= perhaps as i64;
    Belief::of(key, what, held, format!("counted {total}, seen {surely} to {perhaps}"))
}

fn framestats(case: &Case<'_>) -> Belief {
    let (key, what) = ("framestats.ring", "every frame HWUI drew is shown in the ring");
    let Some((_, timeline)) = &case.list else { return Belief::untold(key, what, "no frame was seen") };
    let (Some(from), Some(to)) = (timeline.frames.first(), timeline.frames.last()) else {
        return Belief::untold(key, what, "no frame was seen");
    };
    let samples = case.stats.iter().flat_map(|(_, samples)| samples);
    let mut due: Vec<DeviceTime> =
        samples.flat_map(|sample| &sample.rows).filter_map(|row| row.intended).collect();
    due.sort_unstable();
    due.dedup();
    due.retain(|at| *at > from.present && *at + SHOWN < to.present);
    if due.is_empty() {
        return Belief::untold(key, what, "HWUI drew nothing of the list, or framestats were not told");
    }
    // Frames are shown in the order they were due: each takes the first present of its own.
    let mut missing = 0;
    let mut at = 0;
    let mut delays = Vec::new();
    for due in &due {
        at += timeline.frames[at..].partition_point(|frame| frame.present <= *due);
        match timeline.frames.get(at) {
            Some(frame) if frame.present <= *due + SHOWN => {
                delays.push((frame.present - *due).ms());
                at += 1;
            }
            _ => missing += 1,
        }
    }
    let delay = median(delays).map_or(String::new(), |ms| format!(", shown {ms:.1} ms after they were due"));
    let held = missing <= allowed(due.len()).max(due.len() / 50);
    Belief::of(key, what, held, format!("{missing} of {} frames are not{delay}", due.len()))
}
