//! Limits on causes: `hitch_ms_per_s[lock.*]` fails a build that waits for locks, passes one that is late for something
//! else, and is undecided where nobody can tell.

use super::of_run::{cell, read, results};
use crate::world::{Ended, run, write};
use std::path::Path;

/// A phone whose feed is late for this.
fn lab(archetype: &str, cause: &str) -> String {
    format!(
        "
name: limits
seed: 11
phones:
  - {{ archetype: {archetype}, serial: one, apps: [ {{ id: com.example.shop, pages: {{
      main: {{ activity: .MainActivity, link: 'shop://home', launcher: true, items: 300 }},
      feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.05, causes: [ {{ kind: {cause} }} ] }} }} }} ] }}
"
    )
}

fn scenario(limits: &str) -> String {
    format!(
        "
name: Feed
appId: com.example.shop
iterations: 3
warmup: 0
pages:
  feed: {{ link: 'shop://feed', ready: {{ activity: .FeedActivity }} }}
thresholds:
{limits}
steps:
  - launchApp: {{ cold: true }}
  - openPage: feed
  - measure: fling the feed
    steps: [ {{ repeat: {{ times: 3, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 900ms }} ] }} }} ]
"
    )
}

const LOCKS: &str = "  hitch_ms_per_s[lock.*]: 'max < 5'";

fn ran(folder: &Path, out: &str, lab: &str, limits: &str, more: &[&str]) -> Ended {
    write(folder, "lab.yaml", lab);
    write(folder, "s.yaml", &scenario(limits));
    let all = ["run", "s.yaml", "--lab", "lab.yaml", "--no-history", "--out", out];
    run(folder, &all.iter().chain(more).copied().collect::<Vec<_>>())
}

#[test]
fn a_planted_lock_breaks_the_limit_on_locks_in_every_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let ended = ran(here, "out", &lab("pixel-8", "lock"), LOCKS, &["--reporter", "markdown=page.md"]);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("limits causes, so iterations that count are traced"), "{}", ended.err);
    let results = results(here, "out");
    let feed = cell(&results, "one", "fling the feed");
    let judged = &feed["judgements"][0];
    assert_eq!(
        (&judged["metric"], &judged["outcome"]),
        (&"hitch_ms_per_s[lock.*]".into(), &"breached".into())
    );
    let each = judged["values"].as_array().expect("values");
    // Locks are nearly all that is late here, and a part is never more than the whole.
    let all = feed["metrics"]["hitch_ms_per_s"]["per_iteration"].as_array().expect("values");
    assert_eq!(each.len(), all.len());
    for (part, all) in each.iter().zip(all) {
        let (part, all) = (part.as_f64().expect("a number"), all.as_f64().expect("a number"));
        assert!(part > 5.0 && part > 0.7 * all && part <= all, "{part} of {all}");
    }
    let words = "hitch_ms_per_s[lock.*]: max is ";
    for text in [&ended.out, &read(here, "page.md"), &read(here, "out/junit.xml")] {
        let text = text.replace('\\', "").replace("&lt;", "<");
        assert!(text.contains("hitch_ms_per_s[lock.*]") && text.contains("max < 5"), "{text}");
    }
    assert!(feed["reasons"][0].as_str().is_some_and(|why| why.starts_with(words)), "{feed}");
    // Judged again from the bundle it is the same, and so is a limit that nobody set then.
    for (limits, code) in
        [(LOCKS, 1), ("  hitch_ms_per_s[gc.*]: 'max < 5'", 0), ("  'hitch_ms_per_s[waiting]': 'max < 5'", 1)]
    {
        write(here, "s.yaml", &scenario(limits));
        let again = run(here, &["report", "out", "--rejudge", "s.yaml"]);
        assert_eq!(again.code, code, "{limits}: {}{}", again.out, again.err);
    }
}

#[test]
fn late_frames_of_another_cause_hold_the_limit_on_locks() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = ran(folder.path(), "out", &lab("pixel-8", "inflate"), LOCKS, &[]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let results = results(folder.path(), "out");
    let judged = &cell(&results, "one", "fling the feed")["judgements"][0];
    assert_eq!(judged["outcome"], "held", "{judged}");
    assert!(judged["actual"].as_f64().is_some_and(|most| most < 5.0), "{judged}");
}

#[test]
fn a_phone_that_cannot_tell_causes_leaves_their_limit_undecided_and_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = ran(folder.path(), "out", &lab("redmi-note-7", "lock"), LOCKS, &[]);
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    let results = results(folder.path(), "out");
    let feed = cell(&results, "one", "fling the feed");
    let why = feed["reasons"][0].as_str().expect("a reason");
    assert!(
        why.contains("cannot be told") && why.contains("Android 12") && why.contains("overrides"),
        "{why}"
    );
    assert!(feed["judgements"][0]["values"][0].is_null(), "{feed}");
    let text = run(folder.path(), &["report", "out"]).out;
    assert!(text.contains("Android 12"), "{text}");
}

#[test]
fn the_example_of_the_page_limits_locks_where_they_can_be_told_and_all_hitches_elsewhere() {
    let page = std::fs::read_to_string(super::PAGE).expect("the page");
    let example = page.split("```yaml\n").find(|text| text.starts_with("name: Feed")).expect("an example");
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "page.yaml", example.split("```").next().expect("its end"));
    for (archetype, code, limits) in [("pixel-8", 1, 2), ("redmi-note-7", 0, 1)] {
        write(here, "lab.yaml", &lab(archetype, "lock"));
        let ended = run(here, &["run", "page.yaml", "--lab", "lab.yaml", "--no-history", "--out", archetype]);
        assert_eq!(ended.code, code, "{archetype}: {}{}", ended.out, ended.err);
        let results = results(here, archetype);
        let judged = &cell(&results, "one", "fling the feed")["judgements"];
        assert_eq!(judged.as_array().map(Vec::len), Some(limits), "{judged}");
    }
    let checked = run(here, &["check", "page.yaml"]);
    assert!(checked.out.contains("limits causes: iterations that count are traced"), "{}", checked.out);
}

#[test]
fn builds_that_take_turns_have_no_limits_on_causes() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", &lab("pixel-8", "lock"));
    write(folder.path(), "s.yaml", &scenario(LOCKS));
    let apk = "#!farmjank-lab-apk\nid: com.example.shop\nversion: 7.4.1\nversion_code: 741\n";
    write(folder.path(), "shop.apk", apk);
    let ended = run(folder.path(), &["ab", "shop.apk", "shop.apk", "s.yaml", "--lab", "lab.yaml"]);
    assert_eq!(ended.code, 2, "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("it limits causes"), "{}", ended.err);
}
