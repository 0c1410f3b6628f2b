//! `farmjank suggest` through the binary: what it prints is pasted into a scenario, and does what it says.

use crate::world::{Ended, FEED, run, write};
use farmjank_history::{Missing, open};
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::device::DeviceId;
use farmjank_results::verdict::Verdict;
use farmjank_seams::history::{Calibration, RunRow};
use std::path::Path;

/// A fast phone and a slow one, in each the shop with these keys of its feed.
fn lab(here: &Path, name: &str, feed: &str) {
    let app = format!(
        "apps: [ {{ id: com.example.shop, pages: {{ main: {{ activity: .MainActivity, link: 'shop://home', launcher: true }}, feed: {{ activity: .FeedActivity, link: 'shop://feed', {feed} }} }} }} ]"
    );
    let phones = format!(
        "  - {{ archetype: pixel-8, serial: FAST, {app} }}\n  - {{ archetype: redmi-note-7, serial: SLOW, {app} }}\n"
    );
    write(here, name, &format!("name: shop\nphones:\n{phones}"));
}

const HEALTHY: &str = "hitch_rate: 0.01";
const JANKY: &str = "hitch_rate: 0.25";

fn measure(here: &Path, scenario: &str, lab: &str, seed: &str, more: &[&str]) -> Ended {
    let out = format!("{lab}-{seed}");
    let args = ["run", scenario, "-q", "--lab", lab, "--seed", seed, "--no-history", "--out", &out];
    run(here, &[&args[..], more].concat())
}

/// A scenario with what was suggested in its place: what belongs beside a step there, the rest in the header.
fn pasted(scenario: &str, suggested: &str) -> String {
    let (mut text, mut header) = (scenario.to_owned(), String::new());
    for chunk in suggested.split("\n\n") {
        let window = chunk.split("beside `- measure: ").nth(1).and_then(|rest| rest.split('`').next());
        match window {
            None => header += &format!("{chunk}\n"),
            Some(window) => {
                let step = format!("  - measure: {window}\n");
                let lines: Vec<&str> = chunk.lines().filter(|line| line.starts_with(' ')).collect();
                text = text.replace(&step, &format!("{step}{}\n", lines.join("\n")));
            }
        }
    }
    text + &header
}

#[test]
fn pasted_limits_pass_the_healthy_app_and_fail_one_with_jank_on_both_phones() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    lab(here, "healthy", HEALTHY);
    lab(here, "janky", JANKY);
    write(here, "s.yaml", &FEED.replace("times: 3", "times: 8"));
    for seed in ["1", "2", "3", "4"] {
        assert_eq!(measure(here, "s.yaml", "healthy", seed, &["--iterations", "15"]).code, 0);
    }
    let runs = ["healthy-1", "healthy-2", "healthy-3", "healthy-4"];
    let suggested = run(here, &[&["suggest"], &runs[..], &["--iterations", "6"]].concat());
    assert_eq!(suggested.code, 0, "{}{}", suggested.out, suggested.err);
    for wanted in [
        "thresholds:",
        "hitch_ms_per_s: 'mean <= ",
        "fps: 'mean >= ",
        "%refresh'",
        "from 60 iterations of 4 runs on ",
    ] {
        assert!(suggested.out.contains(wanted), "no `{wanted}` in\n{}", suggested.out);
    }
    let scenario = pasted(&std::fs::read_to_string(here.join("s.yaml")).expect("it"), &suggested.out);
    write(here, "limited.yaml", &scenario);
    let checked = run(here, &["check", "limited.yaml"]);
    assert_eq!(checked.code, 0, "{}\n{scenario}", checked.err);
    for seed in ["11", "12", "13", "14"] {
        let healthy = measure(here, "limited.yaml", "healthy", seed, &[]);
        assert_eq!(healthy.code, 0, "seed {seed}: {}\n{scenario}", healthy.out);
    }
    let janky = measure(here, "limited.yaml", "janky", "21", &[]);
    assert_eq!(janky.code, 1, "{}\n{scenario}", janky.out);
    let results = std::fs::read_to_string(here.join("janky-21/results.json")).expect("results.json");
    let results: serde_json::Value = serde_json::from_str(&results).expect("JSON");
    let cells = results["cells"].as_array().expect("cells");
    assert!(cells.len() == 2 && cells.iter().all(|cell| cell["verdict"] == "fail"), "{}", janky.out);
}

#[test]
fn the_commands_of_the_page_end_as_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let page = include_str!("../../../../docs/suggest.md");
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/gallery/home-feed.yaml");
    let block = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("commands");
    let commands: Vec<&str> =
        block.lines().map(|line| line.split('#').next().unwrap_or(line).trim()).collect();
    assert_eq!(commands.len(), 3, "{block}");
    for (command, code) in commands.iter().zip([0, 0, 2]) {
        let gallery = gallery.display().to_string();
        let words = command
            .split_whitespace()
            .skip(1)
            .map(|word| if word.ends_with(".yaml") { &gallery } else { word });
        let ended = run(here, &words.collect::<Vec<_>>());
        // Runs on a lab keep no history of their own: there is none to ask.
        assert_eq!(ended.code, code, "{command}: {}{}", ended.out, ended.err);
    }
}

#[test]
fn windows_have_limits_of_their_own_and_a_launch_is_limited_in_the_header() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    lab(here, "healthy", HEALTHY);
    let second = "  - measure: fling again\n    steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ]\n";
    let scenario = format!("{FEED}{second}");
    write(here, "s.yaml", &format!("{scenario}thresholds: {{ launch_total_ms: 'mean < 60s' }}\n"));
    assert_eq!(measure(here, "s.yaml", "healthy", "1", &[]).code, 0);
    let suggested = run(here, &["suggest", "healthy-1"]);
    assert_eq!(suggested.code, 0, "{}{}", suggested.out, suggested.err);
    let text = pasted(&scenario, &suggested.out);
    write(here, "limited.yaml", &text);
    let checked = run(here, &["check", "limited.yaml"]);
    assert_eq!(checked.code, 0, "{}\n{text}", checked.err);
    let planned = text.matches("    thresholds:").count();
    assert!(planned >= 2 && text.contains("launch_total_ms: 'mean <= "), "{text}");
    let again = measure(here, "limited.yaml", "healthy", "2", &[]);
    assert_eq!(again.code, 0, "{}\n{text}", again.out);
    // One window alone is not the whole scenario, so its limits are for its step.
    let one = run(here, &["suggest", "healthy-1", "--window", "fling again"]);
    assert!(
        one.out.contains("beside `- measure: fling again`") && !one.out.contains("fling the feed"),
        "{}",
        one.out
    );
}

#[test]
fn too_few_iterations_get_no_number_but_the_number_of_further_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    lab(here, "healthy", HEALTHY);
    write(here, "s.yaml", FEED);
    assert_eq!(measure(here, "s.yaml", "healthy", "1", &["--iterations", "3"]).code, 0);
    let few = run(here, &["suggest", "healthy-1"]);
    assert_eq!(few.code, 4, "{}{}", few.out, few.err);
    assert!(
        few.out.contains("3 iterations cannot tell how much they differ: measure 2 more at least"),
        "{}",
        few.out
    );
    assert!(
        !few.out.contains("thresholds:")
            && few.out.lines().all(|line| line.is_empty() || line.starts_with('#')),
        "{}",
        few.out
    );
    for (args, words) in [
        (&["suggest", "healthy-1", "healthy-1"][..], "are one run"),
        (&["suggest", "healthy-1", "--metric", "hitch_ms_per"], "did you mean hitch_ms_per_s"),
        (&["suggest", "healthy-1", "--false-alarms", "1"], "such as 1%"),
        (&["suggest", "healthy-1", "--false-alarms", "60%"], "below 50%"),
        (&["suggest", "nowhere"], "nowhere"),
        (&["suggest"], "history.sqlite"),
    ] {
        let refused = run(here, args);
        assert!(
            refused.code == 2 && refused.err.contains(words),
            "{args:?}: {} {}",
            refused.code,
            refused.err
        );
    }
    assert_eq!(run(here, &["suggest", "healthy-1", "--scenario", "Other"]).code, 5);
}

fn session(night: usize, model: &str, metric: &str, values: Vec<f64>) -> CellSession {
    CellSession {
        key: CellKey {
            model: model.to_owned(),
            build: "b".to_owned(),
            refresh: 60,
            scenario: "Shop".to_owned(),
            hash: "5eed".to_owned(),
            window: "fling".to_owned(),
            metric: metric.to_owned(),
            metric_version: 1,
            source: "surfaceflinger".to_owned(),
        },
        run: format!("run-{night}"),
        wall: format!("2026-03-{:02}T02:00:00Z", night + 1),
        device: DeviceId(format!("{model}-1")),
        app_version: None,
        seconds: vec![20.0; values.len()],
        values,
        void: Vec::new(),
        effect: None,
    }
}

/// Six nights of three models: two alike, one slow.
fn nights(here: &Path) {
    let mut store =
        open(&here.join("nights.sqlite").display().to_string(), Missing::Create).expect("a store");
    for night in 0..6 {
        let row = RunRow {
            id: format!("run-{night}"),
            wall: format!("2026-03-{:02}T02:00:00Z", night + 1),
            tool: "farmjank".to_owned(),
            lab: None,
            verdict: Some(Verdict::Pass),
            labels: Default::default(),
        };
        let around = |level: f64| (0..8).map(|at| level + f64::from(at % 4)).collect::<Vec<_>>();
        let sessions = [
            session(night, "Pixel 7", "hitch_ms_per_s", around(4.0)),
            session(night, "Pixel 8", "hitch_ms_per_s", around(3.0)),
            session(night, "SM-A146P", "hitch_ms_per_s", around(120.0)),
        ];
        store.record(&row, &sessions).expect("a night");
    }
}

#[test]
fn the_history_gives_a_limit_for_all_and_an_exception_for_the_slow_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    nights(here);
    let from = ["suggest", "--history", "nights.sqlite"];
    let told = run(here, &from);
    assert_eq!(told.code, 0, "{}{}", told.out, told.err);
    let expected = include_str!("suggest/nights.yaml");
    assert_eq!(told.out, expected, "{}", told.out);
    let page = include_str!("../../../../docs/suggest.md");
    let block = expected.split("\n\n").nth(1).expect("the block");
    assert!(page.contains(block), "the page shows another block");
    let json = run(here, &[&from[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!((&json["false_alarms"], &json["yaml"]), (&0.01.into(), &expected.into()));
    let from_what = &json["scenarios"][0]["windows"][0]["limits"][0]["from"][0];
    for object in [&json, &json["scenarios"][0], from_what] {
        for field in object.as_object().expect("an object").keys() {
            assert!(page.contains(&format!("`{field}`")), "no `{field}` on the page");
        }
    }
    let exception = &json["scenarios"][0]["overrides"][0];
    assert_eq!(
        (&exception["model"], &exception["devices"]),
        (&"SM-A146P".into(), &"model = \"SM-A146P\"".into())
    );
    assert_eq!(exception["limits"][0]["from"][0]["iterations"], 48);
    // Rarer alarms take a looser limit, more iterations a tighter one; a noisier calibration counts.
    let limit = |more: &[&str]| -> f64 {
        let args = [&from[..], &["--model", "SM-A146P", "--format", "json"], more].concat();
        let told: serde_json::Value = serde_json::from_str(&run(here, &args).out).expect("JSON");
        let text =
            told["scenarios"][0]["windows"][0]["limits"][0]["limit"].as_str().expect("a limit").to_owned();
        let number = text.trim_start_matches("mean <= ").trim_end_matches("ms/s");
        number.parse().unwrap_or_else(|_| panic!("{text}"))
    };
    let usual = limit(&[]);
    assert!(limit(&["--false-alarms", "0.01%"]) > usual && limit(&["--iterations", "60"]) < usual);
    let key = session(0, "SM-A146P", "hitch_ms_per_s", Vec::new()).key;
    let found = Calibration {
        key,
        run: "noise".to_owned(),
        wall: "2026-03-01T00:00:00Z".to_owned(),
        iterations: 60,
        sd: 20.0,
        session_sd: None,
        mde: 1.0,
    };
    let mut store =
        open(&here.join("nights.sqlite").display().to_string(), Missing::Refuse).expect("the store");
    store.calibrate(&[found], &[]).expect("kept");
    drop(store);
    assert!(limit(&[]) > usual + 5.0, "{} {usual}", limit(&[]));
}
