//! Touches by all three sources: the stamps around `input`, the input columns of framestats, the dispatcher's last
//! events.

use super::{Case, spread};
use crate::android::recent::event;
use crate::prove::{Belief, Swipe};
use farmjank_results::time::{DeviceTime, Span};

/// How far two sources of one instant may be apart: whole milliseconds, stamps of ten, and the last movement before the
/// lift.
const APART: Span = Span::from_ms(60);
/// How long a frame may follow the lift of the finger that moved the list.
const FOLLOWS: Span = Span::from_ms(300);

pub fn beliefs(case: &Case<'_>) -> Vec<Belief> {
    vec![cost(case), follows(case), dispatcher(case), framestats(case), agree(case)]
}

fn cost(case: &Case<'_>) -> Belief {
    let (key, what) = ("input.cost", "`input swipe` takes as long as the finger is down, and a little more");
    let more = |swipe: &Swipe| swipe.around.ms() - swipe.asked_ms as f64;
    let more: Vec<f64> = case.proof.answers.swipes.iter().map(more).collect();
    if more.is_empty() {
        return Belief::untold(key, what, "no swipe was made");
    }
    let evidence =
        format!("more: {}; `input keyevent 0`: {}", spread(&more), spread(&case.proof.answers.keyevent_ms));
    // Two stamps of ten milliseconds each.
    Belief::of(key, what, more.iter().all(|more| *more >= -20.0), evidence)
}

fn follows(case: &Case<'_>) -> Belief {
    let (key, what) = ("touch.frames", "the list moves while the command runs");
    let Some((_, timeline)) = &case.list else { return Belief::untold(key, what, "no frame was seen") };
    let swipes = case.swipes();
    let moved = |swipe: &&(DeviceTime, DeviceTime)| {
        let first = timeline.frames.partition_point(|frame| frame.present <= swipe.0);
        timeline.frames.get(first).is_some_and(|frame| frame.present < swipe.1 + FOLLOWS)
    };
    let count = swipes.iter().filter(moved).count();
    let evidence = format!("frames came in {count} of {} swipes", swipes.len());
    // At an end of the list nothing moves.
    Belief::of(key, what, count * 2 > swipes.len(), evidence)
}

/// The last event of a finger that the dispatcher remembers: its lift.
fn lift(case: &Case<'_>, swipe: &Swipe) -> Option<(DeviceTime, DeviceTime)> {
    let (stamps, events) = swipe.events.as_ref()?;
    Some(event(events.last()?, case.on_clock(*stamps)?)?.at)
}

fn dispatcher(case: &Case<'_>) -> Belief {
    let (key, what) =
        ("touch.dispatcher", "the dispatcher's last event of a finger is its lift, between our stamps");
    let mut told = 0;
    let mut inside = 0;
    for swipe in &case.proof.answers.swipes {
        let (Some(up), Some(around)) = (lift(case, swipe), case.on_clock(swipe.around)) else { continue };
        told += 1;
        inside += usize::from(up.1 >= around.0 && up.0 <= around.1);
    }
    if told == 0 {
        return Belief::untold(key, what, "`dumpsys input` tells no event of a finger on this build");
    }
    Belief::of(key, what, inside == told, format!("{inside} of {told} lifts lie between their stamps"))
}

/// Input times of frames: oldest and newest event each handled.
fn inputs(case: &Case<'_>) -> Vec<(DeviceTime, DeviceTime)> {
    let mut found = Vec::new();
    for (dump, _) in &case.stats {
        let text = String::from_utf8_lossy(&dump.text);
        let mut columns: Option<(usize, usize)> = None;
        for line in text.lines().map(str::trim) {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            if cells.contains(&"IntendedVsync") {
                let at = |name: &str| cells.iter().position(|cell| *cell == name);
                columns = at("OldestInputEvent").zip(at("NewestInputEvent"));
                continue;
            }
            let Some((oldest, newest)) = columns else { continue };
            let number = |at: usize| cells.get(at).and_then(|cell| cell.parse::<i64>().ok());
            let known = |at: &i64| *at > 0 && *at != i64::MAX;
            if let (Some(oldest), Some(newest)) = (number(oldest).filter(known), number(newest).filter(known))
            {
                found.push((DeviceTime::from_ns(oldest), DeviceTime::from_ns(newest)));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn framestats(case: &Case<'_>) -> Belief {
    let (key, what) = ("touch.framestats", "input times in framestats lie between our stamps");
    let (inputs, swipes) = (inputs(case), case.swipes());
    let first = swipes.first().map(|swipe| swipe.0);
    let ours = || inputs.iter().filter(|input| first.is_some_and(|first| input.1 >= first));
    let inside =
        ours().filter(|(oldest, newest)| swipes.iter().any(|swipe| *oldest >= swipe.0 && *newest <= swipe.1));
    let (inside, all) = (inside.count(), ours().count());
    if all == 0 {
        return Belief::untold(
            key,
            what,
            "framestats tell no input times on this release, or nothing was drawn by HWUI",
        );
    }
    Belief::of(key, what, inside * 20 >= all * 19, format!("{inside} of {all} frames with input times"))
}

fn agree(case: &Case<'_>) -> Belief {
    let (key, what) = ("touch.agree", "framestats and the dispatcher tell of the same touches");
    let inputs = inputs(case);
    let mut apart = Vec::new();
    for swipe in &case.proof.answers.swipes {
        let (Some(up), Some(around)) = (lift(case, swipe), case.on_clock(swipe.around)) else { continue };
        let last = inputs.iter().map(|input| input.1).filter(|at| *at >= around.0 && *at <= around.1).max();
        apart.extend(
            last.map(|last| if last > up.1 { (last - up.1).ms() } else { (up.0 - last).ms().max(0.0) }),
        );
    }
    if apart.is_empty() {
        return Belief::untold(key, what, "this phone tells of touches by one of them at most");
    }
    let close = apart.iter().filter(|ms| **ms <= APART.ms()).count();
    // A ring of 120 frames may have forgotten the last movements of a touch.
    Belief::of(key, what, close * 4 >= apart.len() * 3, format!("apart by {}", spread(&apart)))
}
