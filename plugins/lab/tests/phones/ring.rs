//! Nothing is lost and nothing invented between the truth and the ring.

use crate::readers::latency;
use crate::walk::{Walk, phone};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::spec::{PageSpec, PhoneSpec};
use farmjank_lab::truth::{Truth, TruthFrame};
use std::collections::BTreeSet;

/// Flings while a second command polls every `every` ms, as a runner does; answers every present seen.
fn polled(walk: &mut Walk, layer: &str, flings: usize, every: i64) -> BTreeSet<i64> {
    let mut seen = BTreeSet::new();
    let mut poll = |walk: &mut Walk| {
        let dump = latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")));
        seen.extend(dump.presents());
    };
    for _ in 0..flings {
        let argv = "input swipe 540 1500 540 500 250".split(' ').map(str::to_owned).collect::<Vec<_>>();
        let swipe = walk.phone.begin(walk.now, &argv).unwrap();
        let end = walk.now + swipe.takes;
        while walk.now < end {
            poll(walk);
            walk.wait(every);
        }
        walk.now = walk.now.max(end);
        walk.phone.finish(walk.now, swipe);
        for _ in 0..(1_600 / every) {
            poll(walk);
            walk.wait(every);
        }
    }
    seen
}

#[test]
fn every_frame_that_existed_is_seen_on_every_archetype() {
    for archetype in ARCHETYPES {
        let mut walk = phone(archetype.name, 11);
        walk.open("shop://feed");
        let layer = walk.main_layer(".FeedActivity");
        let begin = walk.mono();
        // 64 display frames at 120 Hz last half a second.
        let seen = polled(&mut walk, &layer, 6, if archetype.history_engine { 150 } else { 300 });
        walk.wait(500);
        let _ = walk.run("getprop");
        let truth = walk.phone.truth();
        let frames = &truth.layer(&layer).unwrap().frames;
        let existed: BTreeSet<i64> =
            frames.iter().map(|frame| frame.present).filter(|present| *present > begin).collect();
        let seen: BTreeSet<i64> = seen.into_iter().filter(|present| *present > begin).collect();
        assert!(existed.len() > 250, "{}: {}", archetype.name, existed.len());
        assert_eq!(seen, existed, "{}", archetype.name);
    }
}

#[test]
fn frames_lie_on_the_lattice_in_force_and_never_reorder() {
    for archetype in ARCHETYPES {
        let mut walk = phone(archetype.name, 5);
        walk.open("shop://product/42");
        for _ in 0..5 {
            walk.fling();
        }
        let truth = walk.phone.truth();
        for layer in &truth.layers {
            for pair in layer.frames.windows(2) {
                assert!(
                    pair[1].present > pair[0].present && pair[1].vsync > pair[0].vsync,
                    "{}",
                    archetype.name
                );
            }
            for frame in &layer.frames {
                let index = truth.switches.partition_point(|switch| switch.at <= frame.vsync) - 1;
                let switch = truth.switches[index];
                assert_eq!((frame.vsync - switch.at) % switch.period, 0, "{}", archetype.name);
                assert_eq!(frame.period, switch.period);
                assert!((frame.present - frame.vsync).abs() < 400_000);
                assert!(
                    frame.desired < frame.ready && frame.ready <= frame.vsync,
                    "{}: {frame:?}",
                    archetype.name
                );
            }
        }
    }
}

#[test]
fn the_newest_rows_are_pending_while_content_moves() {
    for name in ["galaxy-s7", "pixel-6", "oneplus-9", "moto-edge-30", "pixel-8"] {
        let mut walk = phone(name, 3);
        walk.open("shop://feed");
        let layer = walk.main_layer(".FeedActivity");
        walk.answer("input swipe 540 1500 540 500 250");
        // Now and then the app misses a refresh.
        let mut ask = || {
            walk.wait(120);
            latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")))
        };
        let mut dump = ask();
        for _ in 0..2 {
            dump = if dump.pending() == 0 { ask() } else { dump };
        }
        assert!((1..=3).contains(&dump.pending()), "{name}: {}", dump.pending());
        // A pending row comes back resolved, with the same first and last column.
        let waiting: Vec<[i64; 3]> = dump.rows.iter().filter(|row| row[1] == i64::MAX).copied().collect();
        walk.wait(40);
        let later = latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")));
        for row in waiting {
            let resolved = later.rows.iter().find(|other| other[0] == row[0] && other[2] == row[2]).unwrap();
            assert!(resolved[1] < i64::MAX && resolved[1] > row[2]);
        }
    }
}

#[test]
fn a_clear_leaves_zero_rows_first() {
    let mut walk = phone("pixel-6", 3);
    walk.open("shop://feed");
    let layer = walk.main_layer(".FeedActivity");
    walk.fling();
    walk.fling();
    let full = latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")));
    assert_eq!((full.rows.len(), full.zeros()), (127, 0));
    assert_eq!(walk.run(&format!("dumpsys SurfaceFlinger --latency-clear '{layer}'")), "");
    let clear = latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")));
    assert_eq!((clear.rows.len(), clear.zeros()), (127, 127));
    walk.answer("input swipe 540 1500 540 1000 200");
    walk.wait(300);
    let some = latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")));
    let zeros = some.zeros();
    assert!(zeros > 20 && zeros < 127 && some.rows[..zeros].iter().all(|row| *row == [0; 3]), "{zeros}");
}

/// Whether something new was to be shown at every refresh between these two: they are of one gesture, and under the
/// finger its moves came at least as often. Since Android 14 a swipe sends 120 a second.
fn asked_for(truth: &Truth, pair: &[TruthFrame]) -> bool {
    let Some(gesture) = pair[0].gesture.filter(|gesture| pair[1].gesture == Some(*gesture)) else {
        return false;
    };
    let lift = truth.gestures[gesture as usize].up;
    pair[0].vsync > lift || pair[0].period.max(pair[1].period) > 8_000_000
}

/// A phone whose content has something new to show at every refresh, to the end of its flings.
fn drawn_between_pixels(archetype: &str, seed: u64, change: impl Fn(&mut PageSpec)) -> Walk {
    let mut app = farmjank_lab::app::shop();
    for page in app.pages.values_mut() {
        page.whole_pixels = false;
        change(page);
    }
    let spec = PhoneSpec { archetype: archetype.into(), apps: vec![app], ..PhoneSpec::default() };
    crate::walk::with(spec, seed)
}

#[test]
fn smooth_frames_come_at_every_refresh() {
    // No hitches on purpose: within each gesture the presents are one refresh apart.
    for archetype in ARCHETYPES {
        let mut walk = drawn_between_pixels(archetype.name, 21, |page| {
            (page.hitch_rate, page.frozen_rate) = (0.0, 0.0);
        });
        walk.open("shop://feed");
        for _ in 0..4 {
            walk.fling();
        }
        let truth = walk.phone.truth();
        let layer = truth.layers.iter().find(|layer| layer.name.contains("FeedActivity")).unwrap();
        let (mut late, mut all) = (0, 0);
        for pair in layer.frames.windows(2) {
            if asked_for(&truth, pair) {
                all += 1;
                let period = pair[0].period.max(pair[1].period);
                late += i32::from(pair[1].vsync - pair[0].vsync > period + period / 2);
            }
        }
        assert!(all > 150 && late <= all / 100, "{}: {late} of {all}", archetype.name);
    }
}

/// Hitch time per second of scrolling, ms/s, as docs/design/windows.md#length-in-refreshes counts it.
fn hitch_ms_per_s(archetype: &str, link: &str) -> f64 {
    let mut walk = drawn_between_pixels(archetype, 31, |_| ());
    walk.open(link);
    for _ in 0..120 {
        walk.fling();
    }
    let truth = walk.phone.truth();
    let (mut late, mut time) = (0, 0);
    for pair in truth.layers.iter().flat_map(|layer| layer.frames.windows(2)) {
        if asked_for(&truth, pair) {
            let (step, period) = (pair[1].vsync - pair[0].vsync, pair[0].period.max(pair[1].period));
            late += ((step + period / 2) / period - 1).max(0) * period;
            time += step;
        }
    }
    late as f64 / 1e6 / (time as f64 / 1e9)
}

#[test]
fn pages_are_as_smooth_as_they_are_described() {
    for name in [
        "galaxy-s7",
        "redmi-note-7",
        "pixel-6",
        "oneplus-9",
        "galaxy-a14",
        "moto-edge-30",
        "pixel-8",
        "pixel-9-pro",
    ] {
        let (feed, product) = (hitch_ms_per_s(name, "shop://feed"), hitch_ms_per_s(name, "shop://product/1"));
        println!("{name}: feed {feed:.1} ms/s, product {product:.1} ms/s");
        assert!(feed < 10.0, "{name}: the feed is good: {feed}");
        assert!((12.0..90.0).contains(&product), "{name}: products hitch: {product}");
    }
}
