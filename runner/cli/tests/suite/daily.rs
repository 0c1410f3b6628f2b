//! What is typed every day: some scenarios by name, an end after enough has failed, listings for programs.

use crate::world::{Ended, SMOOTH, ended, farmjank, run, write};
use serde_json::Value;
use std::path::Path;

fn named(name: &str, rest: &str) -> String {
    SMOOTH.replace("name: Smooth", &format!("name: {name}")).replace("iterations: 2", rest)
}

/// A limit no app holds.
fn slow(name: &str) -> String {
    named(name, "iterations: 1").replace("mean >= 30%refresh", "mean >= 500")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

fn names(folder: &Path, args: &[&str]) -> Vec<String> {
    let ended = run(folder, &[&["plan", "flows", "--lab", "demo", "--format", "json"], args].concat());
    let plan = json(&ended.out);
    let jobs = plan["jobs"].as_array().expect("jobs");
    let mut names: Vec<String> =
        jobs.iter().map(|job| job["scenario"].as_str().expect("a name").to_owned()).collect();
    names.dedup();
    names
}

#[test]
fn scenarios_are_selected_by_name_and_one_that_is_not_there_ends_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "flows/a.yaml", &named("Home feed", "iterations: 1"));
    write(folder, "flows/b.yaml", &named("Home banner", "iterations: 1"));
    write(folder, "flows/c.yaml", &named("Search", "iterations: 1"));
    assert_eq!(names(folder, &["--scenario", "search"]), ["Search"]);
    assert_eq!(names(folder, &["--scenario", "Home*"]), ["Home feed", "Home banner"]);
    assert_eq!(names(folder, &["--scenario", "Search", "--scenario", "Home feed"]), ["Home feed", "Search"]);
    for verb in ["run", "plan", "calibrate"] {
        let typo =
            run(folder, &[verb, "flows", "--lab", "demo", "--scenario", "Search", "--scenario", "Home fed"]);
        assert_eq!(typo.code, 5, "{verb}: {}{}", typo.out, typo.err);
        let wanted = "no scenario is called `Home fed`; did you mean `Home feed`?";
        assert!(typo.err.contains(wanted), "{verb}: {}", typo.err);
        assert!(!folder.join("results").exists(), "{verb} left something behind");
    }
    let stranger = run(folder, &["plan", "flows", "--lab", "demo", "--scenario", "xyzzy"]);
    assert!(stranger.err.contains("there are `Home banner`, `Home feed`, `Search`"), "{}", stranger.err);
}

#[test]
fn fail_fast_starts_nothing_more_and_says_of_the_rest_that_it_was_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "flows/a.yaml", &slow("A slow page"));
    write(folder, "flows/b.yaml", &named("B long page", "iterations: 3"));
    write(folder, "flows/c.yaml", &slow("C slow page"));
    let base = ["run", "flows", "--lab", "demo", "-s", "virtual-pixel-8", "--out"];
    let ended = run(folder, &[&base[..], &["one", "--fail-fast", "1"]].concat());
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("FAIL  1 failed, 2 not run"), "{}", ended.out);
    assert!(ended.out.contains("not run: 1 failed, and --fail-fast 1 ends the run there"), "{}", ended.out);
    let junit = std::fs::read_to_string(folder.join("one/junit.xml")).expect("junit");
    assert!(
        junit.contains("tests=\"3\"") && junit.contains("failures=\"1\"") && junit.contains("errors=\"0\""),
        "{junit}"
    );
    assert_eq!(junit.matches("<skipped message=\"not run: 1 failed").count(), 2, "{junit}");
    let results = json(&std::fs::read_to_string(folder.join("one/results.json")).expect("results"));
    let kinds: Vec<&str> =
        results["cells"].as_array().expect("cells").iter().filter_map(|cell| cell["kind"].as_str()).collect();
    assert_eq!(kinds, ["threshold.fps", "undecided.not_run", "undecided.not_run"]);

    // What was left can be run afterwards, and then it ends where it would have.
    let rest = run(folder, &["run", "flows", "--lab", "demo", "-s", "virtual-pixel-8", "--resume", "one"]);
    assert!(rest.code == 1 && rest.out.contains("2 failed, 1 passed"), "{}{}", rest.out, rest.err);

    let two = run(folder, &[&base[..], &["two", "--fail-fast", "2"]].concat());
    assert!(two.out.contains("2 failed, 1 passed"), "{}", two.out);
    write(
        folder,
        "flows/quarantine.yaml",
        "quarantine:\n  - { scenario: A slow page, reason: slow, owner: ana, until: 2099-12-31 }\n",
    );
    let muted = run(folder, &[&base[..], &["three", "--fail-fast", "1"]].concat());
    assert!(muted.out.contains("1 failed, 1 passed; 1 in quarantine"), "{}", muted.out);
    let wrong = run(folder, &["calibrate", "flows", "--lab", "demo", "--fail-fast", "1"]);
    assert!(wrong.code == 2 && wrong.err.contains("--fail-fast"), "{}", wrong.err);
}

#[test]
fn fail_fast_stops_what_runs_on_other_phones_after_its_iteration() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let long = named("Page", "iterations: 9")
        .replace("frozen_frames: 'max <= 50' }", "frozen_frames: 'max <= 50' }\noverrides:\n  - { devices: 'model ~ \"SM*\"', thresholds: { fps: 'mean >= 500' } }");
    write(folder, "p.yaml", &long);
    write(folder, "farmjank.toml", "[[overrides]]\ndevices = 'model ~ \"SM*\"'\niterations = 1\n");
    let ended = run(folder, &["run", "p.yaml", "--lab", "demo", "--out", "out", "--fail-fast", "1"]);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("1 failed, 3 not run"), "{}{}", ended.out, ended.err);
    let log = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("the log");
    let trials = log.lines().filter(|line| line.contains("\"kind\":\"trial_finished\"")).count();
    assert!((4..16).contains(&trials), "{trials} iterations of 28");
}

#[test]
fn listings_for_programs_say_what_those_for_people_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "good.yaml", SMOOTH);
    write(folder, "bad.yaml", &named("Other", "iterations: 1").replace("thresholds:", "tresholds:"));
    let page = include_str!("../../../../docs/listings.md");
    let good = run(folder, &["check", "good.yaml", "--format", "json"]);
    assert_eq!(good.code, 0, "{}", good.err);
    let bad = run(folder, &["check", "good.yaml", "bad.yaml", "--format", "json"]);
    assert_eq!((bad.code, bad.err.as_str()), (2, ""), "{}", bad.out);
    let devices = run(folder, &["devices", "--lab", "demo", "--format", "json"]);
    let doctor = run(folder, &["doctor", "--lab", "demo", "--format", "json"]);
    let plan = run(folder, &["plan", "good.yaml", "--lab", "demo", "--format", "json"]);
    assert_eq!((devices.code, doctor.code, plan.code), (0, 0, 0), "{}", doctor.out);
    let complaint = &json(&bad.out)["complaints"][0];
    assert_eq!(
        (&complaint["line"], &complaint["instead"]),
        (&Value::from(12), &Value::from("write `thresholds`"))
    );
    assert_eq!(json(&doctor.out)["phones"][0]["ready"], true);
    assert_eq!(json(&devices.out)["phones"][0]["serial"], json(&doctor.out)["phones"][0]["serial"]);
    // Every field is on the page.
    for text in [&good.out, &bad.out, &devices.out, &doctor.out, &plan.out] {
        for field in fields(&json(text), &["facts", "fault", "needs", "advice"]) {
            assert!(page.contains(&format!("`{field}`")), "no `{field}` on the page");
        }
    }
    let nobody = ended(farmjank(folder).args(["devices", "--format", "json"]));
    assert_eq!(nobody.code, 3, "{}", nobody.out);
    assert_eq!(json(&nobody.out)["fault"]["code"], "no_server", "{}", nobody.out);
}

/// Names of fields at any depth, but for what lies below some.
fn fields(value: &Value, but: &[&str]) -> Vec<String> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(name, value)| {
                let below = if but.contains(&name.as_str()) { Vec::new() } else { fields(value, but) };
                std::iter::once(name.clone()).chain(below)
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| fields(item, but)).collect(),
        _ => Vec::new(),
    }
}

/// A lab of one phone whose feed hitches so often.
fn lab(here: &Path, rate: f64) {
    let text = format!(
        "name: shop
phones:
  - archetype: pixel-8
    serial: P8
    apps:
      - id: com.example.shop
        pages:
          main: {{ activity: .MainActivity, link: 'shop://home', launcher: true, hitch_rate: 0.0008 }}
          feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: {rate} }}
"
    );
    write(here, "lab.yaml", &text);
}

/// Two scenarios on that phone, of which one has a limit that a slow feed breaks; and the log of their run.
fn go(here: &Path, more: &[&str]) -> Ended {
    let limit = SMOOTH.replace("fps: 'mean >= 30%refresh'", "hitch_ms_per_s: 'mean <= 60'");
    write(here, "s.yaml", &limit);
    write(
        here,
        "t.yaml",
        &limit.replace("name: Smooth", "name: Other").replace("'mean <= 60'", "'mean <= 9000'"),
    );
    run(here, &[&["run", "s.yaml", "t.yaml", "--lab", "lab.yaml"], more].concat())
}

const BUNDLE: &str = "results/runs/lab-shop-seed0";

fn log(here: &Path) -> String {
    std::fs::read_to_string(here.join(BUNDLE).join("events.ndjson")).expect("the log")
}

#[test]
fn a_part_of_no_run_of_two_or_of_another_plan_is_refused_and_the_run_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    lab(here, 0.2);
    let none = go(here, &["--last-failed"]);
    assert!(
        none.code == 2 && none.err.contains("--last-failed: no run is kept in results/runs"),
        "{}",
        none.err
    );
    assert_eq!(go(here, &[]).code, 1);
    let before = log(here);
    let undecided = go(here, &["--undecided"]);
    assert_eq!(undecided.code, 5, "{}{}", undecided.out, undecided.err);
    assert!(
        undecided.err.ends_with("nothing to run again: no window of the run is undecided\n"),
        "{}",
        undecided.err
    );
    for (more, words) in [
        (&["--last-failed=nosuch"][..], "--last-failed: no run is called nosuch; `farmjank runs` lists them"),
        (&["--last-failed=a", "--undecided=b"], "name two runs; name one"),
        (&["--last-failed", "--resume", "auto"], "cannot be used with"),
        (&["--last-failed", "--iterations", "3"], "it is of another plan: `Smooth` has 3 iterations"),
    ] {
        let refused = go(here, more);
        assert!(refused.code == 2 && refused.err.contains(words), "{words}: {}{}", refused.code, refused.err);
    }
    assert_eq!(log(here), before);
}

#[test]
fn what_failed_is_run_again_by_name_or_not_and_a_pass_says_that_it_failed_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    lab(here, 0.2);
    let first = go(here, &["--history", "history.sqlite"]);
    assert!(first.code == 1 && first.out.contains("1 failed, 1 passed"), "{}{}", first.out, first.err);
    let bundle = here.join(BUNDLE);
    let before = log(here);
    let still = go(here, &["--last-failed", "--undecided", "--history", "history.sqlite"]);
    assert!(still.code == 1 && still.out.contains("1 failed, 1 passed"), "{}{}", still.out, still.err);
    lab(here, 0.0008);
    let second = go(here, &["--last-failed=lab-shop-seed0", "--history", "history.sqlite"]);
    assert_eq!(second.code, 0, "{}{}", second.out, second.err);
    let told = "PASS  2 passed (1 only when run again)";
    assert!(second.out.contains(told), "{}", second.out);
    assert!(second.out.contains("run again 2 times: before, it failed (hitch_ms_per_s"), "{}", second.out);
    assert!(second.err.contains("run again: 1 of 2 jobs, in which a window failed"), "{}", second.err);
    assert!(log(here).starts_with(&before));
    for pass in ["trial-0", "rerun-1/trial-0", "rerun-2/trial-0"] {
        let job = ["job-0", "job-1"]
            .into_iter()
            .find(|job| bundle.join("evidence").join(job).join("rerun-1").is_dir());
        let place = bundle.join("evidence").join(job.expect("a job")).join(pass);
        assert!(place.is_dir(), "{}", place.display());
    }
    // Told again from the log, it is the same; and so in the page, a comment and annotations.
    let again = |format: &str| run(here, &["report", BUNDLE, "--format", format]).out;
    assert!(again("table").contains(told));
    assert!(again("markdown").contains("### Run again"), "{}", again("markdown"));
    assert!(again("github").contains("(1 only when run again)"), "{}", again("github"));
    let page = std::fs::read_to_string(bundle.join("report.html")).expect("the page");
    assert!(page.contains("run again 2 times: before, it failed"));
    let show = run(here, &["show", BUNDLE, "Smooth/fling"]);
    assert!(show.out.contains("run again 2 times"), "{}{}", show.out, show.err);
    // The history has what failed, not what passed in the end.
    let history = run(here, &["history", "--history", "history.sqlite", "--format", "json"]).out;
    let hitches: Vec<f64> = json(&history)["cells"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["last"]["value"].as_f64())
        .collect();
    assert!(hitches.iter().any(|value| *value > 60.0), "{history}");
    let nothing = go(here, &["--last-failed"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (5, ""), "{}", nothing.err);
}

#[test]
fn one_run_is_shown_with_what_it_came_to_where_it_lies_and_what_to_do_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let none = run(here, &["runs", "show"]);
    assert!(none.code == 2 && none.err.contains("no run is kept in results/runs"), "{}", none.err);
    lab(here, 0.2);
    assert_eq!(go(here, &[]).code, 1);
    let shown = run(here, &["runs", "show"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    let next = format!(
        "run again what failed, the other flags as before\n             farmjank run … --last-failed={BUNDLE}\n"
    );
    for words in [
        "FAIL  lab-shop-seed0 · exit 1 (gate failed)",
        "windows  1 failed, 1 passed",
        "phones   Pixel 8 (P8)",
        "virtual lab shop: every phone is simulated",
        "report.html, junit.xml, results.json, metrics.txt",
        &next,
    ] {
        assert!(shown.out.contains(words), "{words}: {}", shown.out);
    }
    assert_eq!(run(here, &["runs", "show", "lab-shop-seed0"]).out, shown.out, "by name");
    assert_eq!(run(here, &["runs", "show", BUNDLE]).out, shown.out, "by folder");
    let typo = run(here, &["runs", "show", "lab-shop-sed0"]);
    assert!(typo.code == 2 && typo.err.contains("there is lab-shop-seed0"), "{}", typo.err);
    let program = json(&run(here, &["runs", "show", "--format", "json"]).out);
    assert_eq!((&program["windows"]["fail"], &program["exit"]["code"]), (&1.into(), &1.into()), "{program}");
    assert_eq!(program["next"][1]["command"], format!("farmjank run … --last-failed={BUNDLE}"));
    let list = json(&run(here, &["runs", "list", "--format", "json"]).out);
    assert_eq!(
        (&list["runs"][0]["name"], &list["runs"][0]["ended"]),
        (&"lab-shop-seed0".into(), &"failed".into())
    );
    let page = include_str!("../../../../docs/listings.md");
    for key in
        [&program, &list["runs"][0]].into_iter().flat_map(|one| one.as_object().expect("an object").keys())
    {
        assert!(page.contains(&format!("`{key}`")), "docs/listings.md does not name {key}");
    }
    // What was done about it is told next time, and that nothing is left.
    lab(here, 0.0008);
    assert_eq!(go(here, &["--last-failed"]).code, 0);
    let after = run(here, &["runs", "show"]);
    assert!(after.out.contains("2 passed (1 only when run again)"), "{}", after.out);
    assert!(after.out.contains("went on once") && !after.out.contains("--last-failed"), "{}", after.out);
    // A log that ends early says how to go on.
    let text = log(here);
    let half = text[..text.len() / 3].rfind('\n').expect("lines") + 1;
    std::fs::write(here.join(BUNDLE).join("events.ndjson"), &text[..half]).expect("it is cut");
    let cut = run(here, &["runs", "show"]);
    assert!(
        cut.out.starts_with("UNFINISHED  lab-shop-seed0 · its log ends before it was judged"),
        "{}",
        cut.out
    );
    assert!(cut.out.contains(&format!("farmjank run … --resume {BUNDLE}")), "{}", cut.out);
}

#[test]
fn a_run_that_has_had_its_time_ends_undecided_and_can_be_gone_on_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for name in ["a", "b", "c"] {
        write(folder, &format!("flows/{name}.yaml"), &named(&format!("Page {name}"), "iterations: 3"));
    }
    let base = ["run", "flows", "--lab", "demo", "-s", "virtual-pixel-8"];
    let ended = run(folder, &[&base[..], &["--out", "one", "--deadline", "20s"]].concat());
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("not run: the run has had its time, --deadline 20s"), "{}", ended.out);
    assert!(ended.out.contains("1 passed") && ended.out.contains("not run"), "{}", ended.out);
    let results = json(&std::fs::read_to_string(folder.join("one/results.json")).expect("results"));
    let cells = results["cells"].as_array().expect("cells");
    let kinds: Vec<Option<&str>> = cells.iter().map(|cell| cell["kind"].as_str()).collect();
    assert_eq!(kinds, [None, Some("undecided.not_run"), Some("undecided.not_run")]);
    // What ran is left after its iteration, not in the middle of it.
    let log = std::fs::read_to_string(folder.join("one/events.ndjson")).expect("the log");
    let finished: Vec<Value> =
        log.lines().map(json).filter(|event| event["kind"] == "trial_finished").collect();
    assert!((4..9).contains(&finished.len()), "{} iterations of 9", finished.len());
    assert!(finished.iter().all(|event| event["ending"] == "completed"), "{log}");
    // It came to its end; nobody interrupted it.
    assert!(!ended.err.contains("stopping"), "{}", ended.err);

    let rest = run(folder, &[&base[..], &["--resume", "one"]].concat());
    assert!(rest.code == 0 && rest.out.contains("3 passed"), "{}{}", rest.out, rest.err);

    let wrong = run(folder, &[&base[..], &["--out", "two", "--deadline", "tomorrow"]].concat());
    assert!(wrong.code == 2 && wrong.err.contains("--deadline: `tomorrow` is no time"), "{}", wrong.err);
    assert!(!folder.join("two").exists());
    let turns = run(folder, &["calibrate", "flows", "--lab", "demo", "--deadline", "1h"]);
    assert!(turns.code == 2 && turns.err.contains("--budget"), "{}", turns.err);
}
