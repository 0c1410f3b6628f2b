//! What the app and its phone used, over the windows of whole runs, against the truth: on every archetype, and on a
//! phone that keeps all of it from a shell.

use super::registry::{APP, Differences, sdk_of};
use super::windows;
use farmjank_lab::archetype::{ARCHETYPES, Archetype};
use farmjank_lab::truth::Truth;
use farmjank_results::event::WindowMeasured;
use farmjank_results::evidence;
use farmjank_results::frame::SourceId;
use farmjank_results::metric::Reading;
use farmjank_tests::oracle::answer::Answer;
use farmjank_tests::oracle::registry::RESOURCES;
use farmjank_tests::stage::{Stage, Story};

const SCENARIO: &str = "
name: Resources
appId: com.example.shop
iterations: 2
warmup: 0
pages:
  feed: { link: 'shop://feed', ready: { activity: .FeedActivity } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: scroll
    steps:
      - repeat: { times: 4, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] }
";

const BESIDE: &str = "beside: [cpu, memory, temperature, battery, network]\n";

/// What a phone of [`lab`] is given, and its readers must find again.
const MEMORY_MB: f64 = 210.0;
const LEAKS_MB_PER_S: f64 = 2.5;
const RX_KB_PER_S: f64 = 60.0;
const TX_KB_PER_S: f64 = 7.0;
const DRAIN_MA: f64 = 450.0;
/// What the lab's phones do beside their apps, as a share of all cores.
const OTHERS: f64 = 0.08;
/// Grain of the phone's clock and of the map from it, and of CPU time, s.
const GRAIN: f64 = 0.022;
const TICK_MS: f64 = 10.0;

fn lab() -> String {
    let phones: String = ARCHETYPES
        .iter()
        .map(|archetype| {
            let name = archetype.name;
            format!(
                "  - archetype: {name}\n    serial: {name}\n    battery: {{ plugged: false, drain_ma: {DRAIN_MA}, celsius: 31.5 }}\n    \
                 apps:\n      - id: {APP}\n        memory_mb: {MEMORY_MB}\n        leaks_mb_per_s: {LEAKS_MB_PER_S}\n        \
                 rx_kb_per_s: {RX_KB_PER_S}\n        tx_kb_per_s: {TX_KB_PER_S}\n        pages:\n          \
                 feed: {{ activity: .FeedActivity, link: 'shop://feed', launcher: true, hitch_rate: 0.02 }}\n"
            )
        })
        .collect();
    format!("name: resources\nlatency: hub\nphones:\n{phones}")
}

/// The instants of the first and the last look, s on the frames' clock, as their own first lines tell.
fn ends(story: &Story, window: &WindowMeasured) -> (f64, f64, usize) {
    let path = window.evidence.iter().find(|path| path.ends_with(".dumps.zst")).expect("dumps");
    let dumps = evidence::read(&story.files.read(path)).expect("evidence");
    let clock = window.clock.expect("a clock");
    let own = dumps.iter().filter(|dump| dump.source == SourceId::Resources);
    let text: String = own.map(|dump| String::from_utf8_lossy(&dump.text).into_owned()).collect();
    let looks: Vec<f64> = text
        .lines()
        .filter_map(|line| line.strip_prefix("farmjank-look ")?.split(' ').next()?.parse().ok())
        .collect();
    let offset = clock.to_device(farmjank_results::time::BootTime::from_ns(0)).ns() as f64 / 1e9;
    (looks[0] + offset, looks[looks.len() - 1] + offset, looks.len())
}

/// What a metric may read, from the truth alone.
fn answer(truth: &Truth<'_>, archetype: &Archetype, (from, to): (f64, f64), key: &str) -> Answer {
    let time = to - from;
    let within = |slack: f64| {
        let frames = truth.hwui_frames.iter().filter(|frame| frame.package == APP && frame.flags & 8 == 0);
        let began = |at: i64| (from - slack..to + slack).contains(&(at as f64 / 1e9));
        let worked = frames
            .filter(|frame| began(frame.start))
            .map(|frame| (frame.sync_queued - frame.start + frame.swap - frame.sync_start) as f64 / 1e6);
        worked.sum::<f64>()
    };
    let (least, most) = (within(-GRAIN) - TICK_MS, within(GRAIN) + TICK_MS);
    let cold = truth.launches.iter().filter(|launch| launch.package == APP && launch.cold);
    let born = cold.map(|launch| launch.start as f64 / 1e9).filter(|at| *at < to).fold(0.0, f64::max);
    let heat = 31.5;
    match key {
        "cpu_ms_per_s" => Answer::between(least / (time + GRAIN), most / (time - GRAIN), 0.0),
        "device_cpu_pct" => {
            let share = |ms: f64| 100.0 * (OTHERS + ms / 1e3 / time / f64::from(archetype.cores));
            Answer::between(share(least), share(most), 0.6)
        }
        "rss_mb" | "rss_peak_mb" => {
            Answer::about(MEMORY_MB + LEAKS_MB_PER_S * (to - born), LEAKS_MB_PER_S * GRAIN + 0.1)
        }
        "skin_c" if archetype.sdk < 29 => Answer::Absent,
        "skin_c" => Answer::between(heat + 3.0, heat + 4.0, 0.06),
        "battery_c" => Answer::between(heat, heat + 0.2, 0.06),
        "battery_ma" => Answer::about(DRAIN_MA, 20.0),
        "network_rx_kb" | "network_tx_kb" if (29..33).contains(&archetype.sdk) => Answer::Absent,
        // The service is asked after the look's clock: at both ends the later the slower others answer.
        "network_rx_kb" => Answer::about(RX_KB_PER_S * time, RX_KB_PER_S * 0.2),
        "network_tx_kb" => Answer::about(TX_KB_PER_S * time, TX_KB_PER_S * 0.2),
        other => panic!("{other} stands in RESOURCES without a truth"),
    }
}

/// The lines for those who draw them are of the same looks as the metrics.
fn adds_up(place: &str, window: &WindowMeasured, looks: usize) {
    let line =
        |key: &str| window.beside.iter().find(|line| line.metric == key).expect("a line").points.clone();
    let cpu = line("cpu_ms_per_s");
    let time = |from: usize, to: usize| (cpu[to].0 - cpu[from].0).secs();
    let used: f64 = (1..cpu.len()).map(|nth| cpu[nth].1.unwrap_or(0.0) * time(nth - 1, nth)).sum();
    let mean = used / time(0, cpu.len() - 1);
    let told = window.readings["cpu_ms_per_s"].value().expect("CPU time");
    assert!((mean - told).abs() < 0.1, "{place}: {mean} ms/s of the line is not {told} ms/s");
    let memory = line("rss_mb");
    assert_eq!(memory.len(), looks, "{place}");
    let (first, last) = (memory[0].1.expect("MB"), memory[memory.len() - 1].1.expect("MB"));
    assert!(first < last && (last - window.readings["rss_mb"].value().expect("MB")).abs() < 0.01, "{place}");
    assert!(line("battery_ma").len() == looks && line("battery_c").len() == 2, "{place}");
}

#[test]
fn what_was_used_is_what_the_truth_says() {
    let story = Stage::lab_yaml(&lab()).seed(5).scenario(&format!("{SCENARIO}{BESIDE}")).run();
    let mut all = Differences::default();
    let mut windows_seen = 0;
    for (serial, window) in windows(&story.record) {
        let place = format!("{serial} {}", window.window);
        let archetype = Archetype::find(&serial).expect("an archetype");
        assert_eq!(archetype.sdk, sdk_of(&serial));
        let (from, to, looks) = ends(&story, &window);
        assert!(looks as f64 > (to - from) * 0.7, "{place}: {looks} looks in {:.1} s", to - from);
        adds_up(&place, &window, looks);
        let held = story.lab.truth(&serial, |truth| {
            let of = |key: &'static str| (key, answer(truth, archetype, (from, to), key));
            RESOURCES.split_whitespace().map(of).collect::<Vec<_>>()
        });
        for (key, answer) in held.expect("a phone") {
            all.hold(&place, key, &answer, window.readings.get(key));
        }
        windows_seen += 1;
    }
    assert_eq!(windows_seen, 2 * ARCHETYPES.len());
    all.none(RESOURCES);
}

#[test]
fn nobody_looks_where_nobody_asks_and_a_limit_asks() {
    let lab = "name: x\nphones:\n  - { archetype: pixel-8, serial: open }\n  - { archetype: pixel-6, serial: shut, refuses: [cpu, memory] }\n";
    let lines = |scenario: &str| {
        let story = Stage::lab_yaml(lab).scenario(scenario).run();
        let looked = windows(&story.record).iter().all(|(_, window)| {
            let path = window.evidence.iter().find(|path| path.ends_with(".dumps.zst")).expect("dumps");
            let dumps = evidence::read(&story.files.read(path)).expect("evidence");
            dumps.iter().any(|dump| dump.source == SourceId::Resources)
        });
        (looked, story)
    };
    let (looked, story) = lines(SCENARIO);
    assert!(!looked);
    for (_, window) in windows(&story.record) {
        let Reading::Unmeasurable(why) = &window.readings["cpu_ms_per_s"] else {
            panic!("a number of no look")
        };
        assert!(why.contains("`beside: [cpu]`"), "{why}");
    }
    let (looked, story) = lines(&format!("{SCENARIO}thresholds: {{ cpu_ms_per_s: 'mean < 900' }}\n"));
    assert!(looked, "a limit asks");
    for (serial, window) in windows(&story.record) {
        let why = |key: &str| match &window.readings[key] {
            Reading::Unmeasurable(why) => why.to_string(),
            told => format!("{told:?}"),
        };
        assert!(why("rss_mb").contains("`beside: [memory]`"), "only what the limit needs");
        match serial.as_str() {
            "shut" => {
                assert!(why("cpu_ms_per_s").contains("does not let a shell read"), "{}", why("cpu_ms_per_s"))
            }
            _ => assert!(window.readings["cpu_ms_per_s"].value().is_some_and(|used| used > 20.0)),
        }
    }
}
