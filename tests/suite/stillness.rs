//! Stillness is never a stall, and no stall is taken for stillness (docs/touches.md): a flawless app under drags with
//! rests, flings caught at any time and flings that end just before the next finger, on every archetype, quiet and
//! crowded; the same with stalls planted at set times of a touch.

mod open;
mod swarm;

use crate::truth::windows;
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::truth::Truth;
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame::SourceId;
use farmjank_tests::stage::{Stage, Story};

/// Flings caught after these waits, ms: in full motion, at their end, just after.
const CAUGHT: [u32; 4] = [450, 600, 750, 900];

/// One phone of every archetype whose `input` takes its time, with these pages.
fn lab(crowd: u32, page: &str) -> String {
    lab_of(&ARCHETYPES.iter().map(|one| one.name).collect::<Vec<_>>(), crowd, page)
}

/// One phone of each of these archetypes.
fn lab_of(names: &[&str], crowd: u32, page: &str) -> String {
    let phone = |name: &str| {
        format!(
            "  - archetype: {name}\n    serial: {name}\n    input: {{ crowd: {crowd} }}\n    apps:\n      - id: com.example.shop\n        \
             pages:\n          main: {{ activity: .MainActivity, link: 'shop://home', launcher: true, wakes: false, cost_ms: 3, spread: 0.1, hitch_rate: 0, {page} }}\n"
        )
    };
    format!("name: stillness\nphones:\n{}", names.iter().map(|name| phone(name)).collect::<String>())
}

/// Drags with rests, and flings each followed by the next finger after a while.
fn scenario(source: &str) -> String {
    let caught: String = CAUGHT
        .iter()
        .map(|wait| {
            format!(
                "  - measure: caught {wait}\n    steps: [ {{ repeat: {{ times: 4, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, \
                 {{ wait: {wait}ms }} ] }} }} ]\n  - wait: 2s\n"
            )
        })
        .collect();
    format!(
        "name: Stillness\nappId: com.example.shop\niterations: 1\nwarmup: 0\n{source}steps:\n  - openLink: 'shop://home'\n  - wait: 1500ms\n  \
         - measure: dragged\n    steps: [ {{ repeat: {{ times: 4, steps: [ {{ swipe: {{ direction: UP, duration: 900ms }} }}, {{ wait: 500ms }} ] }} }} ]\n  \
         - wait: 2s\n{caught}"
    )
}

fn value(window: &WindowMeasured, key: &str) -> Option<f64> {
    window.readings.get(key).and_then(|reading| reading.value())
}

/// What is wrong with the windows of a flawless app.
fn invented(story: &Story) -> (Vec<String>, usize) {
    let (mut wrongs, mut told) = (Vec::new(), 0);
    for (serial, window) in windows(&story.record) {
        let place = format!("{serial} {}", window.window);
        let expected = story.expected(&serial, &window).expect("truth");
        wrongs.extend(expected.unjust.iter().map(|why| format!("{place}: {why}")));
        let coverage = window.coverage.as_ref().expect("coverage");
        if !coverage.proved {
            wrongs.push(format!("{place}: {:?}", coverage.doubts));
            continue;
        }
        for key in ["hitch_ms", "frozen_frames", "dropped_frames"] {
            match value(&window, key) {
                Some(value) if value > 0.0 => wrongs.push(format!("{place}: {key} is {value}")),
                Some(_) => told += 1,
                None => {}
            }
        }
    }
    (wrongs, told)
}

fn flawless(crowd: u32, page: &str, source: &str, seed: u64) {
    let story = Stage::lab_yaml(&lab(crowd, page)).seed(seed).scenario(&scenario(source)).run();
    let (wrongs, told) = invented(&story);
    for (serial, window) in windows(&story.record) {
        if value(&window, "hitch_ms").is_none() {
            println!("{serial} {}: {:?}", window.window, window.readings.get("hitch_ms"));
        }
    }
    println!("crowd {crowd}, {source}: {told} numbers");
    assert!(wrongs.is_empty(), "{} wrongs:\n{}", wrongs.len(), wrongs.join("\n"));
}

#[test]
fn a_flawless_app_is_flawless_however_the_finger_rests() {
    flawless(1, "", "", 22);
}

#[test]
fn a_flawless_app_is_flawless_on_a_crowded_host() {
    flawless(4, "", "", 2);
}

#[test]
fn a_flawless_app_has_no_stall_by_the_ring_alone() {
    flawless(4, "", "source: surfaceflinger\n", 3);
}

/// A list that also draws parts of pixels: one that the lab's lists are not, whose last frames lie ever further apart.
const PARTS: &str = "whole_pixels: false";

#[test]
fn a_flawless_list_of_parts_of_pixels_is_flawless_to_the_end_of_its_flings() {
    flawless(1, PARTS, "", 8);
    flawless(4, PARTS, "", 9);
}

#[test]
fn a_flawless_list_of_parts_of_pixels_has_no_stall_by_the_ring_alone() {
    flawless(1, PARTS, "source: surfaceflinger\n", 10);
    flawless(4, PARTS, "source: surfaceflinger\n", 11);
}

/// How long the planted stalls hold the app, ms.
const HELD: u32 = 400;

/// Every touch of every window has a stall of [`HELD`] at this moment: what the windows read beside what they should.
fn planted(moment: &str, crowd: u32, source: &str, seed: u64) {
    planted_in("", moment, crowd, source, seed);
}

fn planted_in(page: &str, moment: &str, crowd: u32, source: &str, seed: u64) {
    let page = format!("{page}touch_stall: {{ every: 1, {moment}, ms: {HELD} }}");
    let story = Stage::lab_yaml(&lab(crowd, &page)).seed(seed).scenario(&scenario(source)).run();
    let (mut told, mut open, mut wrongs) = (0, 0, Vec::new());
    for (serial, window) in windows(&story.record) {
        let place = format!("{serial} {}", window.window);
        // Four touches, each with a stall; the last refreshes of one may be put down to its pipeline.
        match (value(&window, "hitch_ms"), value(&window, "max_ms")) {
            (Some(hitch), Some(worst)) => {
                told += 1;
                let (least, most) = (4.0 * f64::from(HELD) * 0.8, 4.0 * f64::from(HELD) * 1.2 + 100.0);
                if !(least..=most).contains(&hitch) || worst < f64::from(HELD) * 0.8 {
                    wrongs.push(format!(
                        "{place}: hitch_ms {hitch:.0} of {least}..{most}, longest {worst:.0} ms"
                    ));
                }
            }
            _ => open += 1,
        }
    }
    println!("{moment}, crowd {crowd}, {source}: {told} told, {open} open");
    assert!(wrongs.is_empty(), "{} wrongs of {told}, {open} open:\n{}", wrongs.len(), wrongs.join("\n"));
}

#[test]
fn stalls_under_the_finger_are_found_at_their_size() {
    planted("from: down, after_ms: 120", 1, "", 4);
}

#[test]
fn stalls_in_a_fling_are_found_at_their_size() {
    planted("from: lift, after_ms: 120", 1, "", 5);
}

#[test]
fn stalls_in_a_fling_of_parts_of_pixels_are_found_at_their_size() {
    planted_in("whole_pixels: false, ", "from: lift, after_ms: 120", 1, "", 12);
}

#[test]
fn stalls_at_the_slow_end_of_a_fling_are_found_at_their_size() {
    let scenario = "name: Ends\nappId: com.example.shop\niterations: 1\nwarmup: 0\nsteps:\n  - openLink: 'shop://home'\n  - wait: 1500ms\n  \
         - measure: ends\n    steps: [ { repeat: { times: 3, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 1800ms } ] } } ]\n";
    let (mut late, mut wrongs) = (0, Vec::new());
    for (nth, after) in [450, 550, 650, 750].into_iter().enumerate() {
        let page = format!("touch_stall: {{ every: 1, from: lift, after_ms: {after}, ms: 170 }}");
        let story = Stage::lab_yaml(&lab(1, &page)).seed(13 + nth as u64).scenario(scenario).run();
        for (serial, window) in windows(&story.record).into_iter() {
            let (truth, ends, refresh) =
                story.lab.truth(&serial, |truth| held_up(truth, &window)).expect("truth");
            late += ends;
            let Some(hitch) = value(&window, "hitch_ms") else {
                wrongs.push(format!("{serial}, {after}: {:?}", window.readings.get("hitch_ms")));
                continue;
            };
            // Where nobody watched, the slow gap that the stall prolonged counts with it.
            let more = if window.coverage.as_ref().is_some_and(|own| own.source == SourceId::FrameTimeline) {
                0.0
            } else {
                60.0
            };
            if hitch < truth - 4.5 * refresh || hitch > truth + 4.5 * refresh + 3.0 * more {
                wrongs.push(format!("{serial}, {after}: {hitch:.1} ms, the truth is {truth:.1}"));
            }
        }
    }
    println!("{late} stalls at slow ends");
    assert!(
        late >= 20 && wrongs.is_empty(),
        "{late} at slow ends, {} wrong:\n{}",
        wrongs.len(),
        wrongs.join("\n")
    );
}

/// By how much frames came later than promised, where that was long; how many of them ended in the last 300 ms of a
/// fling; and the longest refresh. In ms.
fn held_up(truth: &Truth<'_>, window: &WindowMeasured) -> (f64, usize, f64) {
    let inside = |at: i64| window.motions.iter().any(|motion| motion.from.ns() <= at && at <= motion.to.ns());
    let frames = truth.layers.iter().flat_map(|layer| &layer.frames).filter(|frame| inside(frame.present));
    let (mut late, mut ends, mut refresh) = (0.0, 0, 0.0_f64);
    for frame in frames {
        let ms = (frame.vsync - frame.expected) as f64 / 1e6;
        refresh = refresh.max(frame.period as f64 / 1e6);
        if ms > 50.0 {
            late += ms;
            let end = |rest: i64| frame.present > rest - 300_000_000 && frame.present < rest + 250_000_000;
            ends += usize::from(truth.gestures.iter().any(|touch| end(touch.fling_end)));
        }
    }
    (late, ends, refresh)
}

#[test]
fn stalls_right_at_the_lift_are_found_at_their_size() {
    planted("from: lift, after_ms: 0", 1, "", 6);
}

#[test]
fn stalls_that_only_the_ring_saw_near_a_lift_are_never_green() {
    let page = format!("touch_stall: {{ every: 1, from: lift, after_ms: 0, ms: {HELD} }}");
    let story = Stage::lab_yaml(&lab(1, &page)).seed(7).scenario(&scenario("source: surfaceflinger\n")).run();
    let wrongs = green(&story);
    assert!(wrongs.is_empty(), "{}", wrongs.join("\n"));
}

/// The windows with stalls of [`HELD`] that neither tell one nor leave as much open.
fn green(story: &Story) -> Vec<String> {
    let mut wrongs = Vec::new();
    for (serial, window) in windows(&story.record) {
        let hitch = value(&window, "hitch_ms");
        let said = hitch.or(value(&window, "ambiguous_gap_ms"));
        if said.is_none_or(|ms| ms <= f64::from(HELD)) {
            wrongs.push(format!("{serial} {}: hitch_ms {hitch:?}, said {said:?}", window.window));
        }
    }
    wrongs
}

/// Nobody watched and the finger has just left the slop: 0.13 s in which content it surely moved was not shown.
#[test]
fn short_stalls_that_only_the_ring_saw_soon_after_a_finger_came_down_are_found_or_refused() {
    let (mut found, mut open, mut wrongs) = (0, 0, Vec::new());
    for after in [60, 100] {
        let page = format!("touch_stall: {{ every: 1, from: down, after_ms: {after}, ms: 130 }}");
        let stage = Stage::lab_yaml(&lab(1, &page)).seed(8);
        let story = stage.scenario(&scenario("source: surfaceflinger\n")).run();
        for (serial, window) in windows(&story.record) {
            match value(&window, "hitch_ms") {
                // What a stall holds up before the slop is surely left is not counted.
                Some(hitch) if (4.0 * 75.0..4.0 * 170.0).contains(&hitch) => found += 1,
                Some(hitch) => {
                    wrongs.push(format!("{serial} {}, after {after} ms: hitch_ms {hitch:.0}", window.window));
                }
                None => open += 1,
            }
        }
    }
    println!("{found} found, {open} open");
    assert!(wrongs.is_empty() && found > open, "{found} found, {open} open, wrong:\n{}", wrongs.join("\n"));
}

/// The archetype whose panel divides a fast tick: it slows down inside a fling, and its one mode does not tell to what.
const DIVIDES: &str = "pixel-9-pro";

#[test]
fn a_panel_that_slows_down_unheard_in_a_fling_makes_no_late_frame() {
    let spent = "  - measure: spent\n    steps: [ { repeat: { times: 4, steps: [ { swipe: { direction: UP, duration: 250ms } }, \
                 { wait: 2500ms } ] } } ]\n";
    let (mut wrongs, mut told) = (Vec::new(), 0);
    for (seed, crowd, source) in
        (1..9).flat_map(|seed| [(seed, 1, ""), (seed, 4, ""), (seed, 1, "source: surfaceflinger\n")])
    {
        let phone = lab_of(&[DIVIDES], crowd, "");
        let scenario = format!("{}{spent}", scenario(source));
        let story = Stage::lab_yaml(&phone).seed(seed).scenario(&scenario).run();
        let (invented, numbers) = invented(&story);
        wrongs.extend(invented.iter().map(|wrong| format!("seed {seed}, crowd {crowd}, {source}{wrong}")));
        told += numbers;
    }
    println!("{told} numbers");
    assert!(
        wrongs.is_empty() && told > 400,
        "{told} numbers, {} wrongs:\n{}",
        wrongs.len(),
        wrongs.join("\n")
    );
}
