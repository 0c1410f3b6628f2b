//! A Perfetto trace: which process is the app, and its frames judged with SurfaceFlinger's own judgement beside them.
//!
//! Must not know files or packets. A process is named as the trace names it.

use super::error::{SavedError, Unseen};
use super::frames::{Seen, judged};
use super::{Answer, Asked};
use crate::probe_read::{SideReadings, Traced};
use crate::rings::{Layers, traced_by};
use farmjank_results::frame::SourceId;
use farmjank_results::frame_timeline::SurfaceFrames;
use farmjank_results::period::{PeriodOrigin, PeriodSegment};
use farmjank_results::stitch::StitchRules;
use farmjank_results::time::Span;
use farmjank_results::timeline::FrameTimeline;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Processes that draw around every app: judged only where no app has a frame.
const SYSTEM: [&str; 4] =
    ["surfaceflinger", "/system/bin/surfaceflinger", "system_server", "com.android.systemui"];
/// Other processes listed at most.
const LISTED: usize = 12;

/// The answer of a trace, by the name of each process in it.
///
/// # Errors
/// [`SavedError`]: no such process, or none with a frame.
pub fn of_trace(asked: &Asked, mut processes: BTreeMap<String, SurfaceFrames>) -> Result<Answer, SavedError> {
    let app = app(asked.package.as_deref(), &processes)?;
    let mut others: Vec<(String, u64)> = processes
        .iter()
        .filter(|(name, _)| !app.contains(name))
        .map(|(name, frame_timeline)| (name.clone(), shown(frame_timeline)))
        .collect();
    others.sort_by_key(|(_, frames)| std::cmp::Reverse(*frames));
    others.truncate(LISTED);
    processes.retain(|name, _| app.contains(name));
    let rules = StitchRules { modes: Vec::new(), pins: asked.pins.clone() };
    let layers: Layers =
        processes.values().flat_map(|frame_timeline| traced_by(frame_timeline, &rules)).collect();
    let period = processes.values().find_map(|frame_timeline| frame_timeline.period);
    let known = |timeline: &FrameTimeline| with_period(timeline.clone(), period);
    let timelines = layers.iter().map(|((_, name), timeline)| (name.clone(), known(timeline))).collect();
    let trace = Some(Rc::new(Traced { processes, layers }));
    let side_readings = SideReadings { trace, ..SideReadings::default() };
    // The processes are chosen: layers of an app may be named after anything.
    let asked = Asked { package: None, ..asked.clone() };
    let seen = Seen { timelines, side_readings, ..Seen::default() };
    let mut answer = judged(&asked, SourceId::FrameTimeline, seen)?;
    answer.others.extend(others);
    Ok(answer)
}

/// The processes of the app that is asked for; of nobody in particular, the one with most frames.
///
/// # Errors
/// [`SavedError`]: no such process, or none with a frame.
pub fn app(
    package: Option<&str>,
    processes: &BTreeMap<String, SurfaceFrames>,
) -> Result<Vec<String>, SavedError> {
    let Some(package) = package else { return Ok(vec![busiest(processes).ok_or(SavedError::NoFrame)?]) };
    let own: Vec<String> = processes.keys().filter(|name| of_app(name, package)).cloned().collect();
    if own.is_empty() { Err(absent(processes)) } else { Ok(own) }
}

/// Presents may be too few to tell the refresh period: then it is what the trace's display frames say.
fn with_period(mut timeline: FrameTimeline, period: Option<Span>) -> FrameTimeline {
    if let (true, Some(period), Some(first)) =
        (timeline.periods.segments.is_empty(), period, timeline.frames.first())
    {
        let origin = PeriodOrigin::Reported;
        timeline.periods.segments = vec![PeriodSegment { from: first.present, period, origin }];
    }
    timeline
}

/// A process of the app: its own, or one of those it names after a colon.
fn of_app(name: &str, package: &str) -> bool {
    name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// Frames of a process that reached the screen.
fn shown(frame_timeline: &SurfaceFrames) -> u64 {
    frame_timeline.frames.iter().filter(|frame| frame.present.is_some()).count() as u64
}

/// The process with most frames shown, of equals the first by name; the system's own only where there is no other.
fn busiest(processes: &BTreeMap<String, SurfaceFrames>) -> Option<String> {
    let rank = |(name, frame_timeline): &(&String, &SurfaceFrames)| {
        (
            shown(frame_timeline) > 0 && !SYSTEM.contains(&name.as_str()),
            shown(frame_timeline),
            std::cmp::Reverse((*name).clone()),
        )
    };
    processes.iter().max_by_key(rank).map(|(name, _)| name.clone())
}

fn absent(processes: &BTreeMap<String, SurfaceFrames>) -> SavedError {
    Unseen::of("process with frames", processes.keys().map(String::as_str)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_its_process_and_those_after_a_colon() {
        assert!(of_app("com.a", "com.a") && of_app("com.a:gpu", "com.a"));
        assert!(!of_app("com.ab", "com.a") && !of_app("x.com.a", "com.a"));
    }
}
