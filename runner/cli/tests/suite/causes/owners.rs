//! `--owners`: whose a cause is, in every report of a run, afterwards by another file, and of a trace.

use super::of_run::{cell, ran, read, results};
use crate::world::{run, write};

const OWNERS: &str =
    "owners:\n  com.example.shop: team-shop\n  com.example.shop.ShopDb: team-db\n  '*': team-app\n";

#[test]
fn causes_of_a_run_are_told_with_their_owner_in_every_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "owners.yaml", OWNERS);
    let ended = ran(here, "out", &["--causes", "--owners", "owners.yaml"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.out.contains("owner team-db"), "{}", ended.out);
    let results = results(here, "out");
    let causes = cell(&results, "fast", "fling the feed")["causes"]["causes"].as_array().expect("causes");
    let of = |kind: &str| causes.iter().find(|one| one["kind"] == kind).expect(kind);
    let lock = of("lock.monitor");
    assert_eq!(
        (&lock["owner"], &lock["method"]),
        (&"team-db".into(), &"com.example.shop.ShopDb.flush".into())
    );
    let layout = of("ui.layout");
    assert!(layout["owner"] == "team-app" && layout["method"].is_null(), "{layout}");
    for (path, words) in
        [("out/junit.xml", "sure, owner team-db"), ("out/events.ndjson", "\"owner\":\"team-db\"")]
    {
        assert!(read(here, path).contains(words), "{path} without {words}");
    }
    // Told again by another file; the run stays as it was.
    write(here, "other.yaml", "owners: { 'lock.*': team-locks }\n");
    let told = run(here, &["causes", "out", "fast/Feed/fling the feed", "--owners", "other.yaml"]);
    assert!(
        told.out.contains("sure · owner team-locks") && !told.out.contains("team-db"),
        "{}{}",
        told.out,
        told.err
    );
    let trace = "out/evidence/job-0/trial-2/trial.perfetto-trace.zst";
    let of_trace = run(here, &["causes", trace, "--package", "com.example.shop", "--owners", "owners.yaml"]);
    assert!(of_trace.out.contains("owner team-db"), "{}{}", of_trace.out, of_trace.err);
}

#[test]
fn a_file_of_owners_that_is_wrong_is_told_with_its_places_before_a_phone_is_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "owners.yaml", "owners:\n  com.example.: team\nteam: {}\n");
    let ended = ran(here, "out", &["--causes", "--owners", "owners.yaml"]);
    assert_eq!(ended.code, 2, "{}", ended.out);
    for words in ["owners.yaml:2", "write `com.example`", "owners.yaml:3", "`teams`", "no phone was touched"]
    {
        assert!(ended.err.contains(words), "no {words} in\n{}", ended.err);
    }
    assert!(!here.join("out").exists());
    let schema = run(here, &["schema", "owners"]);
    assert!(schema.code == 0 && schema.out.contains("\"farmjank owners\""), "{}", schema.out);
}
