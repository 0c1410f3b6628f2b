//! What is kept of a step that failed, and where a person finds it: bundle, page, JUnit, terminal.

use crate::world::{ended, farmjank, run, write};
use std::fs;
use std::path::Path;

const SCENARIO: &str = "
name: Failing
appId: com.example.shop
iterations: 2
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ]
  - assertVisible: { text: 'No such text', timeout: 1s }
";

fn failed(folder: &Path) -> String {
    write(folder, "s.yaml", SCENARIO);
    let words = ["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--out", "b", "--junit", "j.xml"];
    let ended = run(folder, &words);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    ended.out
}

#[test]
fn a_step_that_fails_leaves_screen_hierarchy_texts_and_log_in_bundle_junit_and_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let printed = failed(folder.path());
    let kept = folder.path().join("b/evidence/job-0/trial-0/failure");
    let picture = fs::read(kept.join("screen.png")).expect("a picture");
    let wide = u32::from_be_bytes(picture[16..20].try_into().expect("four bytes"));
    assert!(picture.starts_with(b"\x89PNG") && (180..=540).contains(&wide), "{wide} px wide");
    let hierarchy = fs::read_to_string(kept.join("hierarchy.xml")).expect("a hierarchy");
    assert!(hierarchy.starts_with("<?xml") && hierarchy.contains("com.example.shop:id/"), "{hierarchy}");
    assert!(fs::read_to_string(kept.join("log.txt")).expect("a log").contains("beginning of"));
    assert!(printed.contains("see  evidence/job-0/trial-0/failure/ in the bundle"), "{printed}");
    let junit = fs::read_to_string(folder.path().join("j.xml")).expect("JUnit");
    for said in [
        "in front: com.example.shop/com.example.shop.FeedActivity",
        "on the screen: Feed · Item",
        "[[ATTACHMENT|b/evidence/job-0/trial-0/failure/screen.png]]",
        "[[ATTACHMENT|b/evidence/job-0/trial-0/failure/log.txt]]",
    ] {
        assert!(junit.contains(said), "{said} is not in\n{junit}");
    }
    let log = fs::read_to_string(folder.path().join("b/events.ndjson")).expect("a log");
    assert_eq!(log.matches("\"failure_kept\"").count(), 1, "the job ends with its first failed iteration");
}

#[test]
fn a_run_without_failures_keeps_none() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", &SCENARIO.replace("'No such text'", "Feed"));
    let ended =
        run(folder.path(), &["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--out", "b"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(!folder.path().join("b/evidence/job-0/trial-0/failure").exists() && !ended.out.contains("see  "));
}

#[test]
fn no_picture_is_taken_of_a_failure_where_the_run_has_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = SCENARIO
        .replace("warmup: 0", "warmup: 0\nsecret: [TOKEN]")
        .replace("shop://feed'", "shop://feed?token=${TOKEN}'");
    write(folder.path(), "s.yaml", &scenario);
    let mut command = farmjank(folder.path());
    command.args(["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--out", "b", "-e", "TOKEN"]);
    let ended = ended(command.env("TOKEN", "hunter2-Hunter"));
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    let kept = folder.path().join("b/evidence/job-0/trial-0/failure");
    assert!(!kept.join("screen.png").exists() && kept.join("log.txt").exists());
    let log = fs::read_to_string(folder.path().join("b/events.ndjson")).expect("a log");
    assert!(log.contains("none is taken where the run has secrets") && !log.contains("hunter2"), "{log}");
}
