//! Clocks: that their offset stands still, and that frames are stamped by the one we think.

use super::Case;
use super::rows::printed;
use crate::prove::{Belief, Stamps};
use farmjank_results::time::{DeviceTime, Span};

/// How far the offset may seem to move: the header rounds both clocks to a millisecond, and reads one after the other.
const STILL: Span = Span::from_ms(20);
/// How long before a dump its newest frame may be while a list moves: three refreshes of the slowest panel, and a dump
/// that waits.
const FRESH: Span = Span::from_ms(250);

pub fn beliefs(case: &Case<'_>) -> Vec<Belief> {
    vec![offset(case), presents(case)]
}

fn offset(case: &Case<'_>) -> Belief {
    let (key, what) = ("clock.offset", "the phone's two clocks keep their distance while it is awake");
    let [first, last] = case.proof.answers.clocks[..] else {
        return Belief::untold(key, what, "the phone does not tell both clocks");
    };
    let moved = (last.offset - first.offset).ns().abs();
    Belief::of(key, what, moved <= STILL.ns(), format!("moved by {:.0} ms meanwhile", moved as f64 / 1e6))
}

/// Frames are stamped by the clock the header calls uptime: the newest is never in the future of its dump, and just
/// past where the list moves.
fn presents(case: &Case<'_>) -> Belief {
    let (key, what) = ("clock.presents", "frames are stamped by CLOCK_MONOTONIC");
    let swipes = case.swipes();
    let mut ahead = 0;
    let mut fresh = 0;
    let mut looked = 0;
    for (dump, _) in &case.rings {
        let (Some(asked), Some(answered)) = (dump.asked, dump.answered) else { continue };
        let Some((from, to)) = case.on_clock(Stamps { asked, answered }) else { continue };
        let newest = printed(&dump.text).shown().map(|row| row[1]).max().map(DeviceTime::from_ns);
        let Some(newest) = newest else { continue };
        ahead += u32::from(newest > to);
        // Just after a finger left, the list moves: its last frame is a moment old.
        let moves = swipes.iter().any(|swipe| from > swipe.1 && from < swipe.1 + FRESH);
        looked += u32::from(moves);
        fresh += u32::from(moves && newest > from - FRESH);
    }
    let evidence = format!(
        "{ahead} of {} dumps show a frame of the future; the newest frame of {fresh} of {looked} dumps just after a finger \
         is less than {:.0} ms old",
        case.rings.len(),
        FRESH.ms()
    );
    if looked == 0 {
        return Belief::untold(key, what, "no dump fell just after a finger");
    }
    // A list may be at its end.
    Belief::of(key, what, ahead == 0 && fresh * 2 > looked, evidence)
}
