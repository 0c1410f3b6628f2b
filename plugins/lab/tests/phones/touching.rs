//! `input` in its time, and what `dumpsys input` and framestats tell of the finger, against the true touch.

use crate::walk::{Walk, phone, with};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::spec::{AppSpec, InputSpec, Moment, PageSpec, PhoneSpec, StallSpec, TouchStallSpec};
use farmjank_lab::truth::TruthGesture;

const MS: i64 = 1_000_000;

fn phone_as_it_is(archetype: &str, crowd: f64, seed: u64) -> Walk {
    let input = InputSpec { prompt: false, crowd, ..InputSpec::default() };
    with(PhoneSpec { archetype: archetype.into(), input, ..PhoneSpec::default() }, seed)
}

fn gestures(walk: &Walk) -> Vec<TruthGesture> {
    walk.phone.truth().gestures
}

/// Begin and end of a swipe of 250 ms as a stamp before and after the command would tell, and the true touch.
fn swiped(walk: &mut Walk) -> (i64, i64, TruthGesture) {
    let began = walk.mono();
    walk.answer("input swipe 540 1500 540 500 250");
    let ended = walk.mono();
    walk.wait(1_600);
    walk.run("getprop");
    (began, ended, *gestures(walk).last().unwrap())
}

#[test]
fn input_takes_its_time_before_and_after_and_every_call_differs() {
    for archetype in ARCHETYPES {
        let mut walk = phone_as_it_is(archetype.name, 1.0, 4);
        walk.open("shop://feed");
        let calls: Vec<_> = (0..6).map(|_| swiped(&mut walk)).collect();
        let (before, after) = if archetype.sdk <= 30 { (300..1_009, 12..107) } else { (8..35, 1..7) };
        for (began, ended, touch) in &calls {
            assert!(before.contains(&((touch.down - began) / MS)), "{}: {touch:?} {began}", archetype.name);
            assert!(after.contains(&((ended - touch.up) / MS)), "{}: {touch:?} {ended}", archetype.name);
            let held = (touch.up - touch.down) as f64 / 1e6;
            // The last move waits for the app's next refresh.
            assert!((250.0..275.0).contains(&held), "{}: {held}", archetype.name);
        }
        let befores: Vec<i64> = calls.iter().map(|(began, _, touch)| touch.down - began).collect();
        assert!(befores.windows(2).all(|pair| pair[0] != pair[1]), "{}: {befores:?}", archetype.name);
    }
}

#[test]
fn a_crowded_phone_puts_the_finger_down_and_returns_up_to_more_than_half_a_second_late() {
    for name in ["galaxy-s7", "pixel-8"] {
        let mut walk = phone_as_it_is(name, 4.0, 9);
        walk.open("shop://feed");
        let calls: Vec<_> = (0..30).map(|_| swiped(&mut walk)).collect();
        let worst = |part: fn(&(i64, i64, TruthGesture)) -> i64| calls.iter().map(part).max().unwrap() / MS;
        let usual = phone_as_it_is(name, 1.0, 9).phone.archetype().sdk <= 30;
        let start = if usual { 560.0 * 1.8 } else { 34.0 } as i64;
        assert!(worst(|(began, _, touch)| touch.down - began) > start.min(500), "{name}");
        let back = worst(|(_, ended, touch)| ended - touch.up);
        assert!((350..=740).contains(&back), "{name}: {back}");
    }
}

/// Time in the text of an age: `559ms`, `61.2ms`.
fn age(line: &str) -> f64 {
    line.rsplit_once("age=").unwrap().1.trim().trim_end_matches("ms").parse().unwrap()
}

fn recent(text: &str) -> Vec<&str> {
    let queue = text.split("RecentQueue:").nth(1).unwrap();
    queue.lines().skip(1).take_while(|line| line.starts_with("    ")).map(str::trim).collect()
}

#[test]
fn the_youngest_event_of_a_dump_is_the_lift_of_the_finger() {
    for archetype in ARCHETYPES {
        let mut walk = phone_as_it_is(archetype.name, 1.0, 4);
        walk.open("shop://feed");
        walk.answer("input swipe 540 1500 540 500 250");
        let text = walk.run("dumpsys input");
        let asked = walk.mono();
        let touch = gestures(&walk)[0];
        assert!((20_000..120_000).contains(&text.len()), "{}: {} bytes", archetype.name, text.len());
        let events = recent(&text);
        assert_eq!(events.len(), 10, "{}", archetype.name);
        let last = events[9];
        let up = asked as f64 / 1e6 - age(last);
        assert!((up - touch.up as f64 / 1e6).abs() < 1.1, "{}: {last} {touch:?}", archetype.name);
        assert!(events.windows(2).all(|pair| age(pair[0]) >= age(pair[1])), "{}", archetype.name);
        let name = archetype.name;
        match (archetype.hides_events, archetype.sdk) {
            (true, _) => assert!(last.starts_with("MotionEvent, age="), "{name}: {last}"),
            (_, ..=25) => {
                assert!(last.contains(" action=1, ") && !last.contains("eventTime"), "{name}: {last}")
            }
            (_, 26..=30) => {
                assert!(last.contains(" action=UP, ") && !last.contains("eventTime"), "{name}: {last}")
            }
            _ => {
                let stamp = format!("eventTime={}, ", touch.up / MS * MS);
                assert!(last.contains(&stamp) && last.contains("action=UP"), "{name}: {last}");
            }
        }
        let whole = !last.rsplit_once("age=").unwrap().1.contains('.');
        assert_eq!(whole, archetype.sdk >= 30, "{name}: {last}");
    }
}

#[test]
fn keys_stand_among_the_events_and_a_phone_without_any_says_so() {
    let mut walk = phone("pixel-6", 4);
    assert!(walk.run("dumpsys input").contains("  RecentQueue: <empty>"));
    walk.answer("input keyevent 0");
    walk.answer("input tap 500 900");
    let text = walk.run("dumpsys input");
    let events = recent(&text);
    assert!(events[0].starts_with("KeyEvent(") && events[0].contains("keyCode=0"), "{events:?}");
    assert!(events[1].contains("action=UP") && events[2].contains("action=DOWN"), "{events:?}");
}

#[test]
fn from_13_on_a_dump_tells_when_the_finger_that_is_down_came_down() {
    for archetype in ARCHETYPES {
        let mut walk = phone_as_it_is(archetype.name, 1.0, 4);
        walk.open("shop://feed");
        let argv: Vec<String> = "input swipe 540 1500 540 500 3000".split(' ').map(str::to_owned).collect();
        let running = walk.phone.begin(walk.now, &argv).unwrap();
        walk.wait(2_500);
        let text = walk.run("dumpsys input");
        let down = gestures(&walk)[0].down / MS * MS;
        assert!(text.contains("  TouchStatesByDisplay:\n"), "{}", archetype.name);
        let told = text.contains(&format!("firstDownTimeInTarget={down}"));
        assert_eq!(told, archetype.sdk >= 33, "{}", archetype.name);
        walk.now = walk.now + running.takes;
        walk.phone.finish(walk.now, running);
        walk.wait(100);
        assert!(!walk.run("dumpsys input").contains("firstDownTimeInTarget"), "{}", archetype.name);
    }
}

#[test]
fn framestats_carry_the_moves_each_frame_handled_on_old_phones_and_an_id_on_new_ones() {
    for archetype in ARCHETYPES {
        let mut walk = phone_as_it_is(archetype.name, 1.0, 4);
        walk.open("shop://feed");
        walk.run("dumpsys gfxinfo com.example.shop reset");
        walk.answer("input swipe 540 1500 540 500 250");
        // Not for long: a fast phone's ring is full after 0.7 s.
        walk.wait(200);
        let text = walk.run("dumpsys gfxinfo com.example.shop framestats");
        let touch = gestures(&walk)[0];
        let rows: Vec<Vec<i64>> = text
            .lines()
            .filter(|line| line.starts_with("0,"))
            .map(|line| line.split(',').filter_map(|cell| cell.parse().ok()).collect())
            .collect();
        let name = archetype.name;
        if archetype.sdk > 30 {
            let ids = rows.iter().filter(|row| row[4] != 0).count();
            assert!(ids > 8 && ids < rows.len(), "{name}: {ids} of {}", rows.len());
            continue;
        }
        let touched: Vec<&Vec<i64>> = rows.iter().filter(|row| row[4] != 0).collect();
        assert!(touched.len() > 8, "{name}: {}", touched.len());
        assert!(rows.iter().all(|row| (row[3] == i64::MAX) == (row[4] == 0)), "{name}");
        assert!(rows.iter().any(|row| row[4] == 0), "{name}: a fling handles no finger");
        for row in &touched {
            assert!(row[3] <= row[4] && row[4] <= row[2], "{name}: {row:?}");
            assert!(row[3] >= touch.down && row[4] <= touch.up, "{name}: {row:?} {touch:?}");
            assert_eq!(row[4] % MS, 0);
        }
        // A move that leaves the slop comes a refresh or two after the finger.
        assert!(touched[0][3] - touch.down < 60 * MS, "{name}");
        assert!(touch.up - touched[touched.len() - 1][4] < 40 * MS, "{name}");
    }
}

#[test]
fn a_finger_whose_app_is_held_stays_until_the_app_is_free() {
    for name in ["galaxy-s7", "oneplus-9", "pixel-8"] {
        let feed = PageSpec {
            activity: ".FeedActivity".into(),
            link: Some("shop://feed".into()),
            hitch_rate: 0.0,
            stall: Some(StallSpec { every_ms: 700, ms: 600, cause: None, unmarked: false }),
            ..PageSpec::default()
        };
        let app = AppSpec { pages: [("feed".to_owned(), feed)].into(), ..AppSpec::default() };
        let input = InputSpec { prompt: false, crowd: 1.0, ..InputSpec::default() };
        let spec = PhoneSpec { archetype: name.into(), input, apps: vec![app], ..PhoneSpec::default() };
        let mut walk = with(spec, 4);
        walk.open("shop://feed");
        let held: Vec<i64> = (0..6)
            .map(|_| {
                let (_, ended, touch) = swiped(&mut walk);
                assert!(ended > touch.up, "{name}: the command is back before its last event was taken");
                (touch.up - touch.down) / MS
            })
            .collect();
        assert!(held.iter().any(|ms| *ms > 400), "{name}: {held:?}");
    }
}

#[test]
fn a_stall_planned_by_touch_delays_the_frame_that_is_due_then() {
    for (from, after_ms) in [(Moment::Down, 90), (Moment::Lift, 0), (Moment::Lift, 130)] {
        let feed = PageSpec {
            activity: ".FeedActivity".into(),
            link: Some("shop://feed".into()),
            hitch_rate: 0.0,
            touch_stall: Some(TouchStallSpec { every: 2, from, after_ms, ms: 300, cause: None }),
            ..PageSpec::default()
        };
        let app = AppSpec { pages: [("feed".to_owned(), feed)].into(), ..AppSpec::default() };
        let input = InputSpec { prompt: false, crowd: 1.0, ..InputSpec::default() };
        let spec = PhoneSpec { archetype: "pixel-8".into(), input, apps: vec![app], ..PhoneSpec::default() };
        let mut walk = with(spec, 4);
        walk.open("shop://feed");
        for _ in 0..4 {
            swiped(&mut walk);
        }
        let truth = walk.phone.truth();
        let layer = truth.layers.iter().rev().find(|layer| layer.name.contains("FeedActivity")).unwrap();
        let longest = |nth: usize| {
            let touch = truth.gestures[nth];
            let moved = layer.frames.iter().filter(|frame| frame.gesture == Some(nth as u32));
            let mut shown: Vec<i64> = moved.map(|frame| frame.present).collect();
            shown.insert(0, touch.down + 20 * MS);
            shown.windows(2).map(|pair| (pair[1] - pair[0]) / MS).max().unwrap()
        };
        let longest: Vec<i64> = (0..4).map(longest).collect();
        assert!(longest[0] < 60 && longest[2] < 60, "{from:?}: {longest:?}");
        assert!(
            (280..360).contains(&longest[1]) && (280..360).contains(&longest[3]),
            "{from:?}: {longest:?}"
        );
    }
}

#[test]
fn content_under_the_finger_moves_once_for_every_move_that_came() {
    // 144 Hz on Android 14, whose `input` moves 120 times a second; 165 Hz on 13, whose waits for the app only.
    for (name, least, most) in [("moto-edge-30", 90, 122), ("rog-phone-7", 130, 166)] {
        let mut walk = phone_as_it_is(name, 1.0, 4);
        walk.open("shop://feed");
        walk.wait(3_000);
        walk.answer("input swipe 540 1800 540 800 1000");
        walk.wait(1_500);
        walk.run("getprop");
        let truth = walk.phone.truth();
        let touch = truth.gestures[0];
        let layer = truth.layers.iter().rev().find(|layer| layer.name.contains("FeedActivity")).unwrap();
        let fingers =
            layer.frames.iter().filter(|frame| frame.intended > touch.down && frame.intended < touch.up);
        let count = fingers.count();
        assert!((least..most).contains(&count), "{name}: {count} frames in a second of dragging");
    }
}
