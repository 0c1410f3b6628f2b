//! Pages that keep a rate of their own, with the rate declared: what the tool calls late is what the lab made late, on
//! every archetype; and what is said of a page that declares nothing.

use super::{is_inconclusive, windows};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_results::event::WindowMeasured;
use farmjank_results::metric::Reading;
use farmjank_tests::oracle::Expected;
use farmjank_tests::stage::{Stage, Story};

/// Pages, the pace of each, and the rate it is meant to be.
const PAGES: [(&str, &str, f64); 5] = [
    ("film", "hitch_rate: 0, pace: { fps: 24 }", 24.0),
    ("game", "hitch_rate: 0, pace: { fps: 30 }", 30.0),
    ("sixty", "hitch_rate: 0, pace: { fps: 60 }", 60.0),
    ("rough", "hitch_rate: 0.02, pace: { fps: 30 }", 30.0),
    ("heavy", "hitch_rate: 0.05, hitch_tail: 1.2, pace: { fps: 45 }", 45.0),
];

/// One phone of every archetype, with these pages.
fn lab() -> String {
    let page = |(name, spec, _): &(&str, &str, f64)| {
        format!("          {name}: {{ activity: .{name}Activity, link: 'shop://{name}', {spec} }}\n")
    };
    let pages: String = PAGES.iter().map(page).collect();
    let phone = |name: &str| {
        format!(
            "  - archetype: {name}\n    serial: {name}\n    apps:\n      - id: com.example.shop\n        pages:\n          \
             main: {{ activity: .MainActivity, link: 'shop://home', launcher: true }}\n{pages}"
        )
    };
    format!("name: targets\nphones:\n{}", ARCHETYPES.iter().map(|one| phone(one.name)).collect::<String>())
}

fn scenario() -> String {
    let mut text = "name: Targets\nappId: com.example.shop\niterations: 1\nwarmup: 0\nsteps:\n".to_owned();
    for (name, _, target) in PAGES {
        text += &format!(
            "  - openLink: 'shop://{name}'\n  - wait: 1500ms\n  - measure: {name}\n    target_fps: {target}\n    steps:\n      - repeat: {{ times: 4, steps: [ {{ swipe: {{ \
             direction: UP, duration: 250ms }} }}, {{ wait: 900ms }} ] }}\n"
        );
    }
    text
}

/// How far a window may be from the truth, ms: one refresh for each change of the rate, and one that a clock may have
/// taken on a panel a little faster than its nominal rate. Frames behind a late one catch up, and the next may be late
/// before they have: so every five late frames hide one refresh more, and where one frame of twenty-five is late, up to
/// three tenths of it all.
fn slack(expected: &Expected) -> f64 {
    let longest = expected.intervals.iter().map(|one| one.period_ms).fold(0.0, f64::max);
    let late = expected.intervals.iter().filter(|one| one.late > 0.0).count();
    let share = if late * 25 >= expected.intervals.len() { 0.3 } else { 0.003 };
    // A schedule begins anew after each rest.
    let refreshes = 1 + late / 5 + 2 * expected.switches + expected.rests.len();
    expected.hitch_by_pace() * share + longest * refreshes as f64 + 1e-6
}

/// What is wrong with a window; none where it says the truth, or says why it says nothing.
fn wrong(expected: &Expected, window: &WindowMeasured) -> Option<String> {
    match window.readings.get("hitch_ms") {
        Some(Reading::Value(value)) => {
            let truth = expected.hitch_by_pace();
            ((value - truth).abs() > slack(expected)).then(|| {
                let late: Vec<f64> =
                    expected.intervals.iter().map(|one| one.late).filter(|late| *late > 0.0).collect();
                format!(
                    "hitch_ms is {value}, the truth is {truth} (late by {late:?} of {} frames)",
                    expected.frames
                )
            })
        }
        Some(Reading::Unmeasurable(why)) if !why.is_empty() => None,
        other => Some(format!("hitch_ms is {other:?}")),
    }
}

/// How many windows said the truth of how many.
fn check(story: &Story) -> (usize, usize) {
    let (mut told, mut all, mut wrongs) = (0, 0, Vec::new());
    for (serial, window) in windows(&story.record) {
        let expected = story.expected(&serial, &window).expect("truth");
        let wrong = wrong(&expected, &window);
        wrongs.extend(wrong.map(|wrong| format!("{serial} {}: {wrong}", window.window)));
        all += 1;
        let value = window.readings.get("hitch_ms").is_some_and(|reading| reading.value().is_some());
        told += usize::from(value || is_inconclusive(&window));
    }
    assert!(wrongs.is_empty(), "{}", wrongs.join("\n"));
    (told, all)
}

#[test]
fn what_is_late_against_a_declared_rate_is_what_was_late() {
    for seed in 0..3 {
        let story = Stage::lab_yaml(&lab()).seed(seed).scenario(&scenario()).run();
        let (told, all) = check(&story);
        assert_eq!(all, ARCHETYPES.len() * PAGES.len());
        println!("seed {seed}: {told} of {all} windows have a number, and it is the truth");
        assert!(told * 2 > all, "{told} of {all}: too few to prove anything");
    }
}

#[test]
fn a_thirty_fps_page_on_120_hz_is_told_what_to_say() {
    let text = include_str!("../../../scenarios/pace/wall.yaml");
    let story = Stage::lab("thirty").scenario(text).run();
    for job in story.record.jobs.values() {
        let said: Vec<&str> = story
            .record
            .notices
            .iter()
            .filter(|(of, _)| *of == Some(job.planned.job))
            .map(|(_, what)| what.as_str())
            .collect();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].starts_with(
                "as it counts: looks like a 30 fps page on a 120 Hz panel; say `target_fps: 30`"
            ),
            "{said:?}"
        );
        for trial in &job.trials {
            let [counts, means] = &trial.windows[..] else { panic!("{:?}", trial.windows) };
            let hitch =
                |window: &WindowMeasured| window.readings["hitch_ms_per_s"].value().expect("a number");
            assert!((700.0..760.0).contains(&hitch(counts)), "{}", hitch(counts));
            assert_eq!(hitch(means), 0.0);
            let pace = counts.pace.as_ref().expect("a pace");
            assert_eq!((pace.fps, pace.panel_hz, pace.target_fps, &means.pace), (30.0, 120.0, None, &None));
        }
    }
}
