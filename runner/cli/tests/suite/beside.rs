//! What is looked at beside the frames, as a user asks for it: by a key, a flag or a limit; judged, reported, and
//! judged again from the evidence alone.

use crate::world::{Ended, run, write};
use std::path::Path;

const LAB: &str = "name: beside
latency: usb
phones:
  - { archetype: pixel-8, serial: open, battery: { plugged: false } }
  - { archetype: pixel-6, serial: shut, refuses: [memory] }
";

fn scenario(more: &str, limits: &str) -> String {
    format!(
        "name: Beside\nappId: com.example.shop\niterations: 5\nwarmup: 0\n{more}pages:\n  feed: {{ link: 'shop://feed', ready: {{ activity: .FeedActivity }} }}\n\
         steps:\n  - launchApp: {{ cold: true }}\n  - openPage: feed\n  - measure: scroll\n    thresholds: {{ {limits} }}\n    \
         steps: [ {{ swipe: {{ direction: UP }} }}, {{ wait: 1s }} ]\n"
    )
}

fn told(folder: &Path, args: &[&str]) -> Ended {
    run(folder, &[&["run", "s.yaml", "--lab", "lab.yaml", "-q", "--out", "out"], args].concat())
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join("out").join(file)).unwrap_or_else(|why| panic!("{file}: {why}"))
}

#[test]
fn a_limit_on_memory_is_judged_reported_and_judged_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    write(path, "lab.yaml", LAB);
    write(path, "s.yaml", &scenario("", "rss_mb: 'max < 200MB'"));
    let ended = told(path, &["--reporter", "openmetrics=out.om", "--reporter", "html"]);
    assert_eq!(ended.code, 4, "the phone that keeps it is undecided: {}{}", ended.out, ended.err);
    assert!(ended.out.contains("does not let a shell read VmRSS"), "{}", ended.out);
    for file in ["results.json", "junit.xml"] {
        let text = read(path, file);
        assert!(text.contains("rss_mb") && text.contains("180"), "{file}");
    }
    let json: serde_json::Value = serde_json::from_str(&read(path, "results.json")).expect("JSON");
    assert!(json.to_string().contains("\"MB\""), "the unit is told");
    let metrics = std::fs::read_to_string(path.join("out.om")).expect("a file");
    assert!(metrics.contains("rss_mb"), "{metrics}");
    write(path, "tight.yaml", &scenario("", "rss_mb: 'max < 150MB'"));
    let again = run(path, &["report", "out", "--rejudge", "tight.yaml"]);
    assert_eq!(again.code, 1, "{}{}", again.out, again.err);
    assert!(again.out.contains("180.0") && again.out.contains("150"), "{}", again.out);
}

#[test]
fn a_flag_asks_without_a_limit_and_wins_over_the_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    write(path, "lab.yaml", LAB);
    write(path, "s.yaml", &scenario("beside: network\n", ""));
    let ended = told(path, &["-s", "open", "--beside", "cpu,battery"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let log = read(path, "events.ndjson");
    let readings =
        log.lines().filter(|line| line.contains("\"cpu_ms_per_s\"")).collect::<Vec<_>>().join("\n");
    assert!(
        readings.contains("\"cpu_ms_per_s\":{\"value\":") && readings.contains("\"battery_ma\":{\"value\":")
    );
    assert!(
        readings.contains("nobody asked for it: `beside: [network]`"),
        "the flag stands instead of the key"
    );
}

#[test]
fn what_was_asked_for_is_told_without_a_limit_and_what_a_phone_keeps_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    write(path, "lab.yaml", LAB);
    write(path, "s.yaml", &scenario("beside: [cpu, memory, temperature, battery, network]\n", ""));
    let ended =
        run(path, &["run", "s.yaml", "--lab", "lab.yaml", "--reporter", "markdown=out.md", "--out", "out"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    for told in [
        "    beside  cpu ",
        " · rss 180.0 MB · ",
        " mA · ",
        " · rss – · ",
        "no rss: this phone does not let a shell",
    ] {
        assert!(ended.out.contains(told), "{told} in {}", ended.out);
    }
    let widest = ended.out.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{widest:?} columns: {}", ended.out);
    let page = std::fs::read_to_string(path.join("out.md")).expect("a page");
    let head =
        "| window | phone | cpu | device cpu | rss | skin | battery | battery | network rx | network tx |";
    assert!(page.contains(head) && page.contains("- no network rx, network tx: Android 10 to 12"), "{page}");
    let shown = run(path, &["show", "out", "open"]);
    assert!(
        shown.out.contains("beside the frames\n  cpu ") && shown.out.contains("rss 180.0 MB"),
        "{}",
        shown.out
    );
}

#[test]
fn a_word_that_is_nothing_to_look_at_is_told_with_what_was_meant() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    write(path, "lab.yaml", LAB);
    write(path, "s.yaml", &scenario("", ""));
    let flag = told(path, &["--beside", "memroy"]);
    assert_eq!(flag.code, 2, "{}", flag.out);
    assert!(
        flag.err.contains("--beside: `memroy`") && flag.err.contains("did you mean `memory`?"),
        "{}",
        flag.err
    );
    write(path, "s.yaml", &scenario("beside: [cpu, gpu_clock]\n", "rss_mb: 'max < 200ms'"));
    let key = told(path, &[]);
    assert_eq!(key.code, 2, "{}", key.out);
    assert!(
        key.err.contains("cannot be looked at beside frames") && key.err.contains("`network`"),
        "{}",
        key.err
    );
    assert!(key.err.contains("it takes MB"), "{}", key.err);
    write(path, "farmjank.toml", "[default]\nbeside = ['memroy']\n");
    write(path, "s.yaml", &scenario("", ""));
    let config = told(path, &[]);
    assert_eq!(config.code, 2, "{}", config.out);
    assert!(config.err.contains("did you mean `memory`?"), "{}", config.err);
}
