//! `--spread`: one phone of each class, as a user sees it.

use crate::world::{SMOOTH, run, write};

/// Two phones of one class and one of another; the first of them that is drawn leaves for good.
const LAB: &str = "
name: pairs
phones:
  - { archetype: pixel-8, serial: A1 }
  - { archetype: pixel-8, serial: A2 }
  - { archetype: pixel-6, serial: B }
";

#[test]
fn a_plan_shows_who_may_step_in_and_a_run_says_who_did() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", LAB);
    write(folder.path(), "s.yaml", SMOOTH);
    let plan =
        |more: &[&str]| run(folder.path(), &[&["plan", "s.yaml", "--lab", "lab.yaml"][..], more].concat());
    assert!(plan(&[]).out.contains("3 jobs, "), "{}", plan(&[]).out);
    let spread = plan(&["--spread"]).out;
    assert!(spread.contains("2 jobs, "), "{spread}");
    let (taken, spare) =
        if spread.contains("A1, or one of its class: A2") { ("A1", "A2") } else { ("A2", "A1") };
    assert!(spread.contains(&format!("{taken}, or one of its class: {spare}")), "{spread}");
    let json = plan(&["--spread", "--format", "json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let jobs = json["jobs"].as_array().expect("jobs");
    let job = jobs.iter().find(|job| job["device"] == taken).expect("its job");
    assert_eq!(job["spares"], serde_json::json!([spare]), "{json:#}");

    write(
        folder.path(),
        "lab.yaml",
        &format!("{LAB}faults:\n  - {{ at: 9s, phone: {taken}, kind: unplug }}\n"),
    );
    let args = ["run", "s.yaml", "--lab", "lab.yaml", "--no-history", "--out", "out"];
    let ended = run(folder.path(), &[&args[..], &["--spread", "--junit", "junit.xml"]].concat());
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let said = format!("moved from {taken} to {spare}, a phone of the same class: {taken} left");
    assert!(ended.out.contains(&said), "{}", ended.out);
    let markdown = run(folder.path(), &["report", "out", "--reporter", "markdown"]).out;
    assert!(markdown.contains(&said), "{markdown}");
    let junit = std::fs::read_to_string(folder.path().join("junit.xml")).expect("JUnit");
    assert!(
        junit.contains("<flakyFailure message=\"") && junit.contains(&format!(">{taken} left (")),
        "{junit}"
    );
    let results = std::fs::read_to_string(folder.path().join("out/results.json")).expect("results");
    assert!(!results.contains(&format!("\"device\": \"{taken}\"")) && results.contains(spare));
    // A job of this scenario on every phone, one of them away for good, is another run.
    let every = run(folder.path(), &[&args[..], &["--overwrite"]].concat());
    assert_eq!(every.code, 3, "{}", every.out);
}
