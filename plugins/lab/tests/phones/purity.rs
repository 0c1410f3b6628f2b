//! A phone is a pure function of seed, time and commands.

use crate::walk::{Walk, phone};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::phone::{LabTime, Phone};
use proptest::prelude::*;

/// The same commands for every phone: launches, flings, keys, a video.
const STORY: &[(i64, &str)] = &[
    (100, "am start -W -a android.intent.action.VIEW -d shop://product/1 com.example.shop"),
    (2_000, "input swipe 500 1400 500 500 220"),
    (2_700, "input swipe 500 1400 500 400 120"),
    (3_400, "input swipe 500 600 500 1500 400"),
    (5_500, "input tap 500 1200"),
    (6_400, "am start -a android.intent.action.VIEW -d shop://video com.example.shop"),
    (8_900, "input keyevent KEYCODE_BACK"),
    (9_500, "input swipe 500 1400 500 500 300"),
];

/// Runs the story; between its commands, commands that change nothing at the given instants.
fn story(walk: &mut Walk, questions: &[(i64, usize)]) -> Vec<Vec<u8>> {
    let mut answers = Vec::new();
    let asks = [
        "dumpsys SurfaceFlinger --list",
        "dumpsys gfxinfo com.example.shop framestats",
        "getprop",
        "dumpsys window",
    ];
    let mut steps: Vec<(i64, &str, bool)> = STORY.iter().map(|(ms, line)| (*ms, *line, true)).collect();
    steps.extend(questions.iter().map(|(ms, which)| (*ms, asks[which % asks.len()], false)));
    steps.sort_by_key(|step| (step.0, !step.2));
    let mut running = Vec::new();
    for (ms, line, _) in steps {
        let now = LabTime::from_ns(ms * 1_000_000);
        finish(walk, &mut running, now, &mut answers);
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let started = walk.phone.begin(now, &argv).unwrap();
        running.push((now + started.takes, started));
    }
    let end = LabTime::from_ns(14_000_000_000);
    finish(walk, &mut running, end, &mut answers);
    let last = walk.phone.begin(end, &["getprop".to_owned()]).unwrap();
    answers.push(walk.phone.finish(end, last).out);
    answers
}

type Pending = (LabTime, farmjank_lab::phone::Running);

fn finish(walk: &mut Walk, running: &mut Vec<Pending>, until: LabTime, answers: &mut Vec<Vec<u8>>) {
    running.sort_by_key(|(at, _)| *at);
    while running.first().is_some_and(|(at, _)| *at <= until) {
        let (at, work) = running.remove(0);
        answers.push(walk.phone.finish(at, work).out);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for archetype in ARCHETYPES {
        let questions: Vec<(i64, usize)> = (0..60).map(|index| (150 + index * 211, index as usize)).collect();
        let [a, b] = [1, 1].map(|seed| story(&mut phone(archetype.name, seed), &questions));
        assert_eq!(a, b, "{}", archetype.name);
        let other = story(&mut phone(archetype.name, 2), &questions);
        assert_ne!(a, other);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn asking_never_changes_what_happens(
        which in 0..ARCHETYPES.len(),
        seed in 0u64..1_000,
        questions in prop::collection::vec((0i64..13_900, 0usize..4), 0..50),
    ) {
        let name = ARCHETYPES[which].name;
        let mut quiet = phone(name, seed);
        story(&mut quiet, &[]);
        let mut asked = phone(name, seed);
        story(&mut asked, &questions);
        prop_assert_eq!(quiet.phone.truth(), asked.phone.truth());
    }

    #[test]
    fn frames_go_forward_whatever_the_fingers_do(
        which in 0..ARCHETYPES.len(),
        touches in prop::collection::vec((1i64..1_500, 0i64..1_000, 300i64..1_900, 1i64..900), 1..25),
    ) {
        let mut walk = phone(ARCHETYPES[which].name, 77);
        walk.open("shop://feed");
        for (pause, from, to, ms) in touches {
            let argv: Vec<String> = format!("input swipe 500 {} 500 {to} {ms}", from + 500).split(' ').map(str::to_owned).collect();
            // Not waited for: fingers may overlap.
            let running = walk.phone.begin(walk.now, &argv).unwrap();
            drop(running);
            walk.wait(pause);
        }
        walk.wait(3_000);
        walk.run("getprop");
        let truth = walk.phone.truth();
        for layer in &truth.layers {
            prop_assert!(layer.frames.windows(2).all(|pair| pair[0].present < pair[1].present && pair[0].vsync < pair[1].vsync));
            prop_assert!(layer.frames.windows(2).all(|pair| pair[0].desired < pair[1].desired), "{}", layer.name);
            let died = layer.died.unwrap_or(i64::MAX);
            prop_assert!(layer.frames.iter().all(|frame| frame.vsync <= died && frame.ready >= layer.born));
        }
        prop_assert!(truth.switches.windows(2).all(|pair| pair[0].at < pair[1].at));
        prop_assert!(truth.gestures.iter().all(|gesture| gesture.down <= gesture.up && gesture.up <= gesture.fling_end));
    }
}

#[test]
fn phones_of_a_model_differ() {
    let made = |seed| Phone::new(&Default::default(), "X".into(), seed).unwrap();
    let (a, b) = (made(1), made(2));
    let now = LabTime::from_ns(0);
    assert_ne!(a.monotonic_ns(now), b.monotonic_ns(now));
    assert_ne!(a.boot_clock_ns(now) - a.monotonic_ns(now), b.boot_clock_ns(now) - b.monotonic_ns(now));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_was_printed_stays_true(
        which in 0..ARCHETYPES.len(),
        seed in 0u64..500,
        steps in prop::collection::vec((1i64..400, 0usize..5, 100i64..1_900, 30i64..600), 5..60),
    ) {
        let mut walk = phone(ARCHETYPES[which].name, seed);
        walk.open("shop://feed");
        let layer = walk.main_layer(".FeedActivity");
        let mut seen = std::collections::BTreeSet::new();
        let mut resolved = std::collections::BTreeMap::new();
        for (pause, kind, y, ms) in steps {
            if kind == 0 {
                let line = format!("input swipe 500 1500 500 {y} {ms}");
                let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
                drop(walk.phone.begin(walk.now, &argv).unwrap());
            }
            let dump = crate::readers::latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")));
            for row in dump.rows.iter().filter(|row| row[1] > 0 && row[1] < i64::MAX) {
                // A row, once resolved, never changes.
                prop_assert_eq!(*resolved.entry((row[0], row[2])).or_insert(row[1]), row[1]);
                seen.insert(row[1]);
            }
            walk.wait(pause);
        }
        let truth = walk.phone.truth();
        let existed: std::collections::BTreeSet<i64> = truth.layer(&layer).unwrap().frames.iter().map(|frame| frame.present).collect();
        prop_assert!(seen.is_subset(&existed));
    }

    #[test]
    fn no_words_break_a_phone(
        which in 0..ARCHETYPES.len(),
        lines in prop::collection::vec((0usize..15, prop::collection::vec("[-a-zA-Z0-9/:.]{0,12}|com.example.shop|--latency|get|start|-W|-n|swipe|1e308|-5", 0..6)), 1..12),
    ) {
        const PROGRAMS: [&str; 15] = ["dumpsys", "input", "am", "pm", "cmd", "getprop", "setprop", "settings", "wm", "svc", "pidof", "uiautomator", "service", "logcat", "monkey"];
        const SERVICES: [&str; 8] = ["gfxinfo", "SurfaceFlinger", "window", "package", "meminfo", "activity", "display", "-t"];
        let mut walk = phone(ARCHETYPES[which].name, 5);
        for (index, (program, words)) in lines.into_iter().enumerate() {
            let mut argv = vec![PROGRAMS[program].to_owned()];
            if program == 0 {
                argv.push(SERVICES[index % 8].to_owned());
            }
            argv.extend(words);
            let running = walk.phone.begin(walk.now, &argv).unwrap();
            prop_assert!(running.takes.ns() > 0);
            walk.now = walk.now + running.takes;
            walk.phone.finish(walk.now, running);
        }
    }
}
