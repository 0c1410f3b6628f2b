//! Swarms of flawless apps and of planted stalls: one seed is one kind of list, host and source on a few phones.
//! `FARMJANK_SWARM=100` tries a hundred times as many seeds, `FARMJANK_SWARM_FROM=700` starts elsewhere.

use super::{HELD, PARTS, green, held_up, invented, lab_of, scenario, value};
use crate::simulation::swarm;
use crate::truth::windows;
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_tests::stage::{Stage, Story};

/// Seeds tried when nobody asks for more: about 10 s of a debug build.
const SEEDS: u64 = 24;
/// Seeds of planted stalls: about 3 s.
const STALLS: u64 = 8;

/// Phones whose flings end when the next finger comes: here late frames were invented most often.
const CAUGHT_AT_REST: [&str; 2] = ["oneplus-9", "pixel-8"];

const RING: &str = "source: surfaceflinger\n";

/// Crowd, list and source of a seed.
fn kind(seed: u64) -> (u32, &'static str, &'static str) {
    let odd = |nth: u64| seed >> nth & 1 == 1;
    (if odd(0) { 4 } else { 1 }, if odd(2) { PARTS } else { "" }, if odd(1) { "" } else { RING })
}

/// Those phones and, from seed to seed, each of the others.
fn phones(seed: u64) -> Vec<&'static str> {
    let other = ARCHETYPES[(seed / 8) as usize % ARCHETYPES.len()].name;
    let mut names = CAUGHT_AT_REST.to_vec();
    if !names.contains(&other) {
        names.push(other);
    }
    names
}

/// What was invented in a flawless app.
fn wrongs_of_flawless(seed: u64) -> Vec<String> {
    let (crowd, page, source) = kind(seed);
    let lab = lab_of(&phones(seed), crowd, page);
    invented(&Stage::lab_yaml(&lab).seed(seed).scenario(&scenario(source)).run()).0
}

/// Where stalls are neither told at their size nor left open.
fn wrongs_of_stalls(seed: u64) -> Vec<String> {
    let (crowd, _, source) = kind(seed);
    let moments = ["from: down, after_ms: 120", "from: lift, after_ms: 120", "from: lift, after_ms: 0"];
    let moment = moments[(seed / 4) as usize % moments.len()];
    let page = format!("touch_stall: {{ every: 1, {moment}, ms: {HELD} }}");
    let other = ARCHETYPES[seed as usize % ARCHETYPES.len()].name;
    let lab = lab_of(&[other], crowd, &page);
    let story = Stage::lab_yaml(&lab).seed(seed).scenario(&scenario(source)).run();
    let wrongs = if source == RING { green(&story) } else { misjudged(&story) };
    wrongs.into_iter().map(|wrong| format!("{moment}, crowd {crowd}, {source}: {wrong}")).collect()
}

/// The windows that tell less than the truth, or more than four stalls: a finger that rested before it was lifted
/// flings nothing, and a stall after it holds nothing up. One that the next finger ended is none of the motion's, and
/// may count.
fn misjudged(story: &Story) -> Vec<String> {
    let mut wrongs = Vec::new();
    for (serial, window) in windows(&story.record) {
        let Some(hitch) = value(&window, "hitch_ms") else { continue };
        let (truth, ..) = story.lab.truth(&serial, |truth| held_up(truth, &window)).expect("truth");
        let most = 4.0 * f64::from(HELD) * 1.2 + 100.0;
        if !(truth * 0.8..=most).contains(&hitch) {
            wrongs.push(format!("{serial} {}: hitch_ms {hitch:.0}, the truth is {truth:.0}", window.window));
        }
    }
    wrongs
}

#[test]
fn flawless_apps_of_every_kind_have_no_late_frame_whatever_the_seed() {
    swarm("flawless_apps_of_every_kind", SEEDS, wrongs_of_flawless);
}

#[test]
fn stalls_in_every_touch_are_told_or_left_open_whatever_the_seed() {
    swarm("stalls_in_every_touch", STALLS, wrongs_of_stalls);
}
