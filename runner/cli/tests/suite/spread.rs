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

#[test]
fn a_plan_reckons_with_what_runs_before_it_took_and_a_run_that_goes_on_with_what_was_known_then() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", LAB);
    write(folder.path(), "s.yaml", SMOOTH);
    let lab = ["s.yaml", "--lab", "lab.yaml", "--history", "h.sqlite"];
    let plan = |more: &[&str]| run(folder.path(), &[&["plan"][..], &lab, more].concat()).out;
    let first = [&["run"][..], &lab, &["--out", "one"]].concat();
    let ended = run(folder.path(), &first);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let log =
        |out: &str| std::fs::read_to_string(folder.path().join(out).join("events.ndjson")).expect("a log");
    assert!(!log("one").contains("usual_ms"), "nothing was known");
    let known = plan(&[]);
    assert!(known.contains("3 jobs, ") && known.contains(", by how long they took before; plan "), "{known}");
    let json: serde_json::Value = serde_json::from_str(&plan(&["--format", "json"])).expect("JSON");
    let jobs = json["jobs"].as_array().expect("jobs");
    let usual: Vec<u64> = jobs.iter().filter_map(|job| job["usual_ms"].as_u64()).collect();
    assert_eq!((usual.len(), json["from_history"].as_u64()), (3, Some(3)), "{json:#}");
    assert!(usual.iter().all(|ms| (4_000..40_000).contains(ms)), "{usual:?}");
    // Two iterations each, phones side by side; one was of longer and one of shorter steps than reckoned by their text.
    let most = usual.iter().max().expect("three") * 2 / 1000;
    assert_eq!(json["seconds"].as_u64(), Some(most));
    assert!(!plan(&["--shard", "1/2"]).contains("took before"), "each part may know something else");
    let edited = SMOOTH.replace("wait: 700ms", "wait: 800ms");
    write(folder.path(), "s.yaml", &edited);
    assert!(!plan(&[]).contains("took before"), "an edited scenario is another");
    write(folder.path(), "s.yaml", SMOOTH);

    // What was known stands in the log: a run that goes on is the same plan, whatever is known now.
    let second = [&["run"][..], &lab, &["--spread"]].concat();
    assert_eq!(run(folder.path(), &[&second[..], &["--out", "two"]].concat()).code, 0);
    let text = log("two");
    assert!(text.contains("\"usual_ms\":"), "{text}");
    let end = text.find("\"kind\":\"job_judged\"").expect("a verdict");
    let cut = text[..end].rfind('\n').expect("a line") + 1;
    write(folder.path(), "two/events.ndjson", &text[..cut]);
    std::fs::remove_file(folder.path().join("h.sqlite")).expect("a store");
    let again = run(folder.path(), &[&second[..], &["--resume", "two"]].concat());
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
}

/// The instants of events of a kind that hold a text, s.
fn instants(log: &str, kind: &str, text: &str) -> Vec<f64> {
    let events =
        log.lines().filter(|line| line.contains(&format!("\"kind\":\"{kind}\"")) && line.contains(text));
    let at = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["at"].as_f64();
    events.filter_map(|line| Some(at(line)? / 1e9)).collect()
}

#[test]
fn a_hot_phone_gives_way_to_a_cool_one_of_its_class_or_to_one_that_waits_for_its_turn() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let log =
        |out: &str| std::fs::read_to_string(folder.path().join(out).join("events.ndjson")).expect("a log");
    let hot = |phone: &str, length: &str| {
        let fault = format!("faults:\n  - {{ at: 0s, phone: {phone}, kind: heat, status: 3{length} }}\n");
        write(folder.path(), "lab.yaml", &format!("{LAB}{fault}"));
    };
    let args = ["run", "s.yaml", "--lab", "lab.yaml", "--no-history"];
    hot("A1", "");
    let spread = run(folder.path(), &[&args[..], &["--spread", "--out", "one"]].concat());
    hot("A2", "");
    let other = run(folder.path(), &[&args[..], &["--spread", "--out", "two"]].concat());
    assert_eq!((spread.code, other.code), (0, 0), "{}{}", spread.out, other.out);
    let moved: Vec<f64> =
        ["one", "two"].iter().flat_map(|out| instants(&log(out), "job_moved", "\"hot\"")).collect();
    assert!(
        matches!(moved[..], [at] if at < 20.0),
        "the one of two that was drawn gives way at once: {moved:?}"
    );

    // One place for three phones: the first is hot for a while, and the others have it meanwhile.
    hot("A1", ", for: 90s");
    let one = run(folder.path(), &[&args[..], &["--jobs", "1", "--out", "three"]].concat());
    assert_eq!(one.code, 0, "{}{}", one.out, one.err);
    let log = log("three");
    let put_back = instants(&log, "job_queued", "others go first");
    assert!(matches!(put_back[..], [at, ..] if at < 20.0), "{put_back:?}");
    let begun = instants(&log, "lease_granted", "\"A2\"");
    assert!(matches!(begun[..], [at, ..] if at < 20.0), "the place is not slept on: {begun:?}");
}

#[test]
fn a_plan_shows_how_equal_phones_share_the_iterations_and_reports_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", LAB);
    write(folder.path(), "s.yaml", SMOOTH);
    let lab = ["s.yaml", "--lab", "lab.yaml", "--iterations", "10", "--spread=iterations"];
    let plan = run(folder.path(), &[&["plan"][..], &lab].concat()).out;
    for line in [
        "10 iterations, shared out by the phones of a class, after 0",
        " A1: 5 of 10 iterations\n",
        " A2: 5 of 10 iterations\n",
        " B: 10 iterations after 0 warm-up\n",
    ] {
        assert!(plan.contains(line), "{line}: {plan}");
    }
    let ended = run(folder.path(), &[&["run"][..], &lab, &["--no-history", "--out", "out", "-q"]].concat());
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let markdown = run(folder.path(), &["report", "out", "--reporter", "markdown"]).out;
    let said = "the 10 iterations of a class are shared out, each phone is judged by its own: A1 5, A2 5";
    assert!(markdown.contains(said), "{markdown}");
    write(folder.path(), "odd.yaml", &SMOOTH.replacen("appId", "spread: phones\nappId", 1));
    let odd = run(folder.path(), &["check", "odd.yaml"]);
    assert_eq!(odd.code, 2);
    assert!(odd.err.contains("write `true`, `false` or `iterations`"), "{}", odd.err);
}
