//! Apps with a pace of their own: what the panel shows of them, on every archetype.

use crate::walk::{Walk, with};
use farmjank_lab::archetype::{ARCHETYPES, Archetype};
use farmjank_lab::spec::{AppSpec, PaceSpec, PageSpec, PhoneSpec};
use farmjank_lab::truth::{Cause, RefreshSwitch, TruthFrame};

fn phone(archetype: &Archetype, page: PageSpec, seed: u64) -> Walk {
    let page = PageSpec { activity: ".FeedActivity".into(), link: Some("shop://feed".into()), ..page };
    let app = AppSpec { pages: [("feed".to_owned(), page)].into(), ..AppSpec::default() };
    let spec = PhoneSpec { archetype: archetype.name.into(), apps: vec![app], ..PhoneSpec::default() };
    with(spec, seed)
}

/// Frames of the page's layer while the finger moved and while the list flung, each with the one before it.
fn moved(walk: &mut Walk) -> Vec<(TruthFrame, TruthFrame)> {
    walk.open("shop://feed");
    for _ in 0..3 {
        walk.answer("input swipe 540 1500 540 500 600");
        walk.wait(1_500);
    }
    let layer = walk.main_layer(".FeedActivity");
    let truth = walk.phone.truth();
    let frames = &truth.layer(&layer).unwrap().frames;
    // One burst at one rate, well after it began: its first frame wakes clocks and caches, the panel may still be slow.
    let steady = |three: &&[TruthFrame]| {
        let (from, to) = (three[1].vsync, three[2].vsync);
        let began = |switch: &RefreshSwitch| switch.at <= from - 100_000_000 || switch.at > to;
        three[0].gesture.is_some()
            && three.iter().all(|frame| frame.gesture == three[0].gesture)
            && three[1].period == three[2].period
            && truth.switches.iter().all(began)
    };
    frames.windows(3).filter(steady).map(|three| (three[1], three[2])).collect()
}

fn smooth(pace: PaceSpec) -> PageSpec {
    PageSpec { pace: Some(pace), hitch_rate: 0.0, cost_ms: 2.0, whole_pixels: false, ..PageSpec::default() }
}

#[test]
fn a_slow_clock_is_pulled_down_to_every_panel_and_nothing_is_late() {
    for archetype in ARCHETYPES {
        for fps in [24.0, 25.0, 30.0, 40.0, 45.0, 48.0, 60.0] {
            let clock = PaceSpec { fps: Some(fps), ..PaceSpec::default() };
            let pairs = moved(&mut phone(archetype, smooth(clock), 3));
            let place = format!("{} at {fps}", archetype.name);
            assert!(pairs.len() > 40, "{place}: {}", pairs.len());
            for (one, other) in &pairs {
                let (refreshes, rest) =
                    ((other.vsync - one.vsync) / one.period, (other.vsync - one.vsync) % one.period);
                let wanted = (1e9 / fps / one.period as f64).max(1.0);
                assert_eq!(rest, 0, "{place}");
                assert!((refreshes as f64 - wanted).abs() < 1.01, "{place}: {refreshes} for {wanted}");
                assert_eq!(other.due, other.vsync, "{place}: late by its own pace");
            }
        }
    }
}

#[test]
fn counted_refreshes_are_kept_on_every_panel() {
    for archetype in ARCHETYPES {
        let counted = PaceSpec { random: vec![5, 6], ..PaceSpec::default() };
        let pairs = moved(&mut phone(archetype, smooth(counted), 4));
        let of = |count: i64| {
            pairs.iter().filter(|(one, other)| other.vsync - one.vsync == count * one.period).count()
        };
        assert_eq!(of(5) + of(6), pairs.len(), "{}", archetype.name);
        assert!(of(5) > 5 && of(6) > 5, "{}: {} {}", archetype.name, of(5), of(6));
    }
}

#[test]
fn a_planted_hitch_is_late_by_the_pace_of_the_app() {
    for archetype in ARCHETYPES {
        let pace = PaceSpec { refreshes: vec![4], ..PaceSpec::default() };
        let page = PageSpec { hitch_rate: 0.1, spread: 0.0, ..smooth(pace) };
        let pairs = moved(&mut phone(archetype, page, 5));
        let slow = |frame: &TruthFrame| matches!(frame.cause, Cause::AppSlow | Cause::RenderSlow);
        // Behind a late frame the next ones wait in the queue, slow or not.
        let calm = |frame: &TruthFrame| frame.vsync - frame.intended <= 3 * frame.period;
        let alone = |pair: &&(TruthFrame, TruthFrame)| slow(&pair.1) && calm(&pair.0);
        let late = pairs.iter().filter(alone).collect::<Vec<_>>();
        assert!(late.len() >= 2, "{}: {}", archetype.name, late.len());
        for (one, frame) in late {
            assert!(frame.vsync > frame.due, "{}: {frame:?}", archetype.name);
            assert!(frame.vsync - one.vsync >= frame.vsync - frame.due, "{}", archetype.name);
        }
        assert!(pairs.iter().all(|(_, frame)| slow(frame) || frame.due == frame.vsync), "{}", archetype.name);
    }
}

#[test]
fn a_fall_to_a_slow_pace_ends_when_it_says() {
    let fall = PaceSpec { fps: Some(25.0), after_ms: 1_500, for_ms: Some(1_500), ..PaceSpec::default() };
    for archetype in ARCHETYPES {
        let pairs = moved(&mut phone(archetype, smooth(fall.clone()), 6));
        let slow = |pair: &&(TruthFrame, TruthFrame)| pair.1.vsync - pair.0.vsync > 30_000_000;
        let first = pairs.iter().position(|pair| slow(&pair)).expect("a fall");
        let last = pairs.iter().rposition(|pair| slow(&pair)).expect("a fall");
        let took = pairs[last].1.vsync - pairs[first].0.vsync;
        assert!(took < 1_600_000_000, "{}: {took}", archetype.name);
        assert!(last + 20 < pairs.len(), "{}: it goes on at full speed", archetype.name);
    }
}
