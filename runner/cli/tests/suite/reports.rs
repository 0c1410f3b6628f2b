//! Reports through the binary: where they go, and that a bundle gives the same bytes as its run did.

use crate::world::{Ended, SMOOTH, ended, farmjank, run, write};
use farmjank_reporters::documents;
use std::path::Path;

/// A run in its own folder; its other arguments are those of reports.
fn ran(folder: &Path, out: &str, more: &[&str]) -> Ended {
    write(folder, "s.yaml", SMOOTH);
    let args = ["run", "--lab", "demo", "--out", out, "s.yaml"];
    run(folder, &[&args[..], more].concat())
}

fn text(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// Every document, each to a file of its name in this folder.
fn asked(to: &str) -> Vec<&'static str> {
    documents().iter().map(|name| &*format!("--reporter={name}={to}/{name}").leak()).collect()
}

/// What the run wrote into `of-run` is what its bundle gives, and so is its exit code.
fn same_again(folder: &Path, bundle: &str, code: i32) {
    let rebuilt = run(folder, &[&["report", bundle][..], &asked("again")].concat());
    assert_eq!((rebuilt.code, rebuilt.out.as_str()), (code, ""), "{}", rebuilt.err);
    for name in documents() {
        let [one, other] = ["of-run", "again"].map(|part| text(folder, &format!("{part}/{name}")));
        assert!(one == other, "{name} of the run differs from that of the bundle");
        assert!(one.to_lowercase().contains("virtual"), "{name} does not say that phones are simulated");
    }
}

#[test]
fn every_report_of_the_run_is_the_report_of_its_bundle() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let first = ran(folder, "bundle", &asked("of-run"));
    assert_eq!(first.code, 0, "{}", first.err);
    assert!(first.out.contains("PASS") && !first.out.contains("::notice"), "{}", first.out);
    same_again(folder, "bundle", first.code);
    let kept = [
        ("json", "results.json"),
        ("junit", "junit.xml"),
        ("openmetrics", "metrics.txt"),
        ("html", "report.html"),
    ];
    for (name, kept) in kept {
        let kept = text(folder, &format!("bundle/{kept}"));
        assert!(kept == text(folder, &format!("again/{name}")), "{name} in the bundle differs");
    }
    let short = run(folder, &["report", "bundle", "--format", "github"]);
    assert_eq!(short.out, text(folder, "again/github"), "`--format` is `--reporter` in short");
    let comment = run(folder, &["report", "bundle", "--reporter", "markdown", "--max-bytes", "2000"]);
    assert!(comment.out.len() <= 2_000 && comment.out.contains("pass"), "{}", comment.out);
}

#[test]
fn so_is_every_report_of_a_run_with_a_baseline_and_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    assert_eq!(ran(folder, "old", &[]).code, 0);
    let more = ["--seed", "9", "--baseline", "old", "--screens", "--warmup", "1"];
    let ended = ran(folder, "new", &[&more[..], &asked("of-run")].concat());
    assert!([0, 1, 4].contains(&ended.code), "{}", ended.err);
    same_again(folder, "new", ended.code);
    let page = text(folder, "again/html");
    assert!(page.contains("\"baseline\":\"old"), "the page says what the run was held against");
    let results: serde_json::Value = serde_json::from_str(&text(folder, "again/json")).expect("JSON");
    let cell = &results["cells"][0];
    assert!(cell["comparisons"].as_array().is_some_and(|all| !all.is_empty()), "{cell}");
    assert_eq!(cell["screens"][0]["trial"], 0, "a warm-up was photographed: {cell}");
    let side = |to: &str| {
        let ended = run(folder, &["report", "old", "new", &format!("--reporter=html={to}")]);
        assert!([0, 1, 4].contains(&ended.code), "{}", ended.err);
        text(folder, to)
    };
    assert!(side("side.html") == side("other.html"), "the same runs give the same page");
}

/// A bundle of before frame logs were kept.
fn without_strips(folder: &Path, bundle: &str) {
    let log = text(folder, &format!("{bundle}/events.ndjson"));
    let parts: Vec<&str> = log.split("\"strip\":\"").collect();
    assert!(parts.len() > 1, "windows of a run name their frame logs");
    let rest = |part: &&str| part.split_once("\",").map(|(_, rest)| rest.to_owned());
    let old: String =
        std::iter::once(parts[0].to_owned()).chain(parts[1..].iter().filter_map(rest)).collect();
    write(folder, &format!("{bundle}/events.ndjson"), &old);
}

#[test]
fn frames_of_a_bundle_without_strips_are_measured_again_or_their_absence_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    assert_eq!(ran(folder, "bundle", &[]).code, 0);
    without_strips(folder, "bundle");
    let kept = text(folder, "bundle/report.html");
    let report = |more: &[&str], to: &str| {
        let asked = format!("--reporter=html={to}");
        let ended = run(folder, &[&["report", "bundle", &asked][..], more].concat());
        assert_eq!(ended.code, 0, "{}", ended.err);
        text(folder, to)
    };
    let bare = report(&[], "bare.html");
    assert!(bare.len() < kept.len() && !bare.contains("\"barcode\":{"), "there are no frames to draw");
    assert!(kept.contains("\"barcode\":{") && report(&["--rejudge", "s.yaml"], "again.html") == kept);
}

#[test]
fn a_document_on_standard_output_is_alone_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = ran(folder.path(), "bundle", &["--reporter", "json"]);
    let value: serde_json::Value = serde_json::from_str(&ended.out).expect("nothing but JSON");
    assert_eq!(value["verdict"], "pass");
    assert!(ended.err.contains("PASS"), "the table is for people still: {}", ended.err);
    let two = ran(folder.path(), "other", &["--reporter", "json", "--reporter", "markdown"]);
    assert!(two.code == 2 && two.err.contains("takes one document"), "{}", two.err);
    assert!(!folder.path().join("other").exists(), "nothing ran");
}

#[test]
fn github_gets_annotations_and_a_summary_without_being_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", &SMOOTH.replace("mean >= 30%refresh", "mean >= 1000"));
    write(folder, "summary.md", "what was there\n");
    let mut command = farmjank(folder);
    let args = ["run", "--lab", "demo", "--out", "bundle", "s.yaml"];
    command.args(args).env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", folder.join("summary.md"));
    let told = ended(&mut command);
    assert_eq!(told.code, 1, "{}", told.err);
    assert!(told.out.contains("\n::error file=s.yaml,line=10,col=5,title=fail%3A fling"), "{}", told.out);
    let summary = text(folder, "summary.md");
    assert!(summary.starts_with("what was there\n<!-- farmjank:gate -->"), "{summary}");
    let junit = text(folder, "bundle/junit.xml");
    let plot = junit.split_once("[[ATTACHMENT|bundle/plots/").expect("a picture of what failed").1;
    let plot = text(folder, &format!("bundle/plots/{}", plot.split_once("]]").unwrap().0));
    assert!(
        plot.starts_with("<svg ") && plot.contains("virtual lab demo") && plot.contains("trial "),
        "{plot}"
    );
    let rebuilt = run(folder, &["report", "bundle", "--reporter", "markdown"]);
    assert!(summary.ends_with(&rebuilt.out), "the summary is the page of the bundle");
}

#[test]
fn one_cell_is_shown_with_its_frames() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    assert_eq!(ran(folder, "bundle", &[]).code, 0);
    let shown = run(folder, &["show", "bundle", "pixel-8/fling"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    for text in [
        "PASS: Smooth › fling the feed",
        "limits",
        "trial 2/2",
        "   1 │",
        "     └",
        "none missed",
        "evidence/",
    ] {
        assert!(shown.out.contains(text), "{text} in {}", shown.out);
    }
    let list = run(folder, &["show", "bundle"]);
    assert!(list.code == 0 && list.out.matches("/Smooth/fling the feed").count() == 4, "{}", list.out);
    let several = run(folder, &["show", "bundle", "fling"]);
    assert!(several.code == 2 && several.err.contains("fits several cells"), "{}", several.err);
    let none = run(folder, &["show", "bundle", "tablet"]);
    assert!(none.code == 2 && none.err.contains("`tablet` fits no cell; there are:"), "{}", none.err);
}

#[test]
fn runs_are_put_side_by_side() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    assert_eq!(ran(folder, "one", &[]).code, 0);
    assert_eq!(ran(folder, "other", &["--seed", "9"]).code, 0);
    let table = run(folder, &["report", "one", "other"]);
    assert!(table.code == 0 && table.out.contains("B  PASS: 4 passed · other"), "{}", table.out);
    let json = run(folder, &["report", "one", "other", "--reporter", "json"]).out;
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let alone: serde_json::Value =
        serde_json::from_str(&run(folder, &["report", "other", "--format", "json"]).out).expect("JSON");
    assert_eq!(value["runs"][1]["report"], alone);
    assert_eq!(value["cells"][0]["verdicts"], serde_json::json!(["pass", "pass"]));
    let junit = run(folder, &["report", "one", "other", "--reporter", "junit"]);
    assert!(junit.code == 2 && junit.err.contains("several runs"), "{}", junit.err);
}

#[test]
fn a_report_that_cannot_be_written_stops_the_run_before_it_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    write(folder.path(), "file", "in the way");
    for asked in [["--junit", "file/j.xml"], ["--reporter", "json=file/j.json"]] {
        let ended =
            run(folder.path(), &[&["run", "--lab", "demo", "--out", "o", "s.yaml"][..], &asked].concat());
        assert_eq!(ended.code, 2, "{}", ended.err);
        assert!(ended.err.contains("nothing is run: file/"), "{}", ended.err);
        assert!(!folder.path().join("o").exists(), "nothing was measured");
    }
}

#[test]
fn a_report_of_an_earlier_run_is_not_left_for_one_that_could_not_write_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    write(folder.path(), "j.xml", "<testsuites/>");
    write(folder.path(), "bad.yaml", "name: Bad\n");
    let ended = run(folder.path(), &["run", "--lab", "demo", "--out", "o", "--junit", "j.xml", "bad.yaml"]);
    assert!(ended.code == 2 && folder.path().join("j.xml").exists(), "a run that never was changes nothing");
    let ended = run(folder.path(), &["run", "--lab", "demo", "--out", "o", "--junit", "j.xml", "s.yaml"]);
    let text = std::fs::read_to_string(folder.path().join("j.xml")).expect("a report");
    assert!(ended.code == 0 && text.contains("fling the feed"), "{}\n{text}", ended.err);
}

#[test]
fn every_report_that_can_be_asked_for_has_its_place_in_the_pages() {
    let readme = include_str!("../../../../README.md");
    let asked = readme.split("`--reporter markdown=").nth(1).and_then(|rest| rest.split(')').next());
    let asked = asked.expect("README.md lists the reports");
    for name in documents() {
        let row = format!("\n| `{name}` |");
        assert!(
            include_str!("../../../../docs/reports.md").contains(&row),
            "docs/reports.md has no row for {name}"
        );
        assert!(name == "markdown" || asked.contains(&format!("`{name}`")), "README.md does not name {name}");
    }
}

#[test]
fn a_folder_in_which_no_run_was_kept_says_where_runs_are() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    let ended = run(folder.path(), &["report", "empty"]);
    let said = "empty: no run is kept there; `farmjank runs` lists those that are";
    assert!(ended.code == 2 && ended.err.contains(said), "{}", ended.err);
    write(folder.path(), "s.yaml", SMOOTH);
    let over = run(folder.path(), &["run", "s.yaml", "--lab", "demo", "--out", "s.yaml"]);
    assert!(
        over.code == 2 && over.err.contains("s.yaml: a file is where a folder should be"),
        "{}",
        over.err
    );
}
