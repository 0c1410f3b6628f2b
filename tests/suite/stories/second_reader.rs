//! A second reader of the log, in another language and written from its page alone, sees the verdicts that `junit.xml`
//! and `results.json` print: of a plain run, one against a baseline, two builds in turn, one interrupted, one cut off,
//! and one merged of shards.
#![expect(clippy::disallowed_types, reason = "runs a program in another language")]

use super::ab::{build, lab};
use super::{FEED, shop, shops};
use farmjank_engine::builds::{AbPlan, Builds};
use farmjank_engine::stop::Urgency;
use farmjank_results::compare::{AbRules, Given, measured};
use farmjank_results::event::Fact;
use farmjank_results::record::Record;
use farmjank_tests::memory::Memory;
use farmjank_tests::merged::merged;
use farmjank_tests::stage::{Stage, Story};
use farmjank_witnesses::xml;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// What the second reader makes of a log, or its complaint; none without a Python.
fn second(log: &[u8]) -> Option<Result<Value, String>> {
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("outside/reader.py");
    let piped = Command::new("python3")
        .arg(&reader)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = piped else {
        println!("skipped: no python3 to run {}", reader.display());
        return None;
    };
    child.stdin.take().expect("a pipe").write_all(log).expect("the reader reads to the end");
    let output = child.wait_with_output().expect("the reader ends");
    if !output.status.success() {
        return Some(Err(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Some(Ok(serde_json::from_slice(&output.stdout).expect("the reader prints JSON")))
}

fn texts(cell: &Value, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| cell[*name].as_str().unwrap_or("-").to_owned()).collect()
}

/// Scenario, phone, window, status and type of every case.
fn cases(junit: &str) -> BTreeSet<Vec<String>> {
    let root = xml::read(junit).expect("junit.xml is XML");
    let mut all = BTreeSet::new();
    for suite in root.all("testsuite") {
        for case in suite.all("testcase") {
            let bad = ["failure", "error"].into_iter().find_map(|name| Some((name, case.one(name)?)));
            let (status, kind) = bad.map_or(("pass", "-"), |(name, one)| (name, one.attribute("type")));
            let class = case.attribute("classname").split('.').next().unwrap_or_default();
            let phone =
                if suite.attribute("hostname").is_empty() { "-" } else { suite.attribute("hostname") };
            let told = [class, phone, case.attribute("name"), status, kind];
            assert!(all.insert(told.map(str::to_owned).to_vec()), "{told:?} twice");
        }
    }
    all
}

/// Holds the reader against both documents of a story, and gives the cells by verdict and cause.
fn agreed(story: &Story) -> BTreeMap<String, usize> {
    agreed_on(&story.files)
}

/// The same of any bundle.
fn agreed_on(files: &Memory) -> BTreeMap<String, usize> {
    let file = |name| String::from_utf8(files.read(name)).expect("text");
    let mut counts = BTreeMap::new();
    let Some(read) = second(&files.read("events.ndjson")) else { return counts };
    let read = read.unwrap_or_else(|broken| panic!("{broken}"));
    let results: Value = serde_json::from_str(&file("results.json")).expect("results.json is JSON");
    assert_eq!((&read["run"], &read["exit_code"]), (&results["verdict"], &results["exit"]["code"]));
    let names = ["job", "scenario", "device", "window", "whole", "verdict", "reasons", "fault"];
    let shape = |cell: &Value, cause: &str| -> Vec<Value> {
        names.iter().chain(&[cause]).map(|name| cell[*name].clone()).collect()
    };
    let all = |document: &Value, cause| -> Vec<Vec<Value>> {
        document["cells"].as_array().expect("cells").iter().map(|cell| shape(cell, cause)).collect()
    };
    assert_eq!(all(&read, "cause"), all(&results, "kind"));
    let mut told = BTreeSet::new();
    for cell in read["cells"].as_array().expect("cells") {
        let [scenario, phone, window, verdict, cause] =
            texts(cell, &["scenario", "device", "window", "verdict", "cause"]).try_into().expect("five");
        *counts.entry(format!("{verdict} {cause}")).or_default() += 1;
        let status = match verdict.as_str() {
            "pass" => "pass",
            "fail" => "failure",
            _ => "error",
        };
        told.insert(vec![scenario.to_lowercase(), phone, window, status.to_owned(), cause]);
    }
    assert_eq!(told, cases(&file("junit.xml")));
    counts
}

fn has(counts: &BTreeMap<String, usize>, all: &[(&str, usize)]) {
    let expected: BTreeMap<String, usize> =
        all.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    // Without a Python nothing was read.
    assert!(counts.is_empty() || *counts == expected, "{counts:?}");
}

#[test]
fn a_second_reader_sees_the_cells_of_a_plain_run_and_of_one_that_was_cut_off() {
    let limited = shop(3, 0, 2) + "thresholds:\n  hitch_ms_per_s: 'mean < 15'\n";
    let phones = shops(&[("pixel-8", "P8", 0.0008), ("galaxy-a14", "A14", 0.3)]);
    let story = Stage::lab_yaml(&phones).scenario(&limited).reporters().run();
    let counts = agreed(&story);
    assert!(
        counts.is_empty() || counts.len() == 2 && counts.keys().any(|told| told.starts_with("fail ")),
        "{counts:?}"
    );
    let log = String::from_utf8(story.files.read("events.ndjson")).expect("text");
    // Cut off in the middle of a line: what was decided by then is there, and nothing is made up.
    let end = log.rfind("\"kind\":\"cell_judged\"").expect("cells were judged") + 30;
    let (left, _) = Record::read_ndjson(&log.as_bytes()[..end]).expect("a torn log");
    assert_eq!((left.verdict, left.jobs.values().map(|job| job.cells.len()).sum::<usize>()), (None, 3));
    if let Some(torn) = second(&log.as_bytes()[..end]) {
        let torn = torn.expect("a torn log is read");
        assert_eq!((&torn["run"], torn["cells"].as_array().map(Vec::len)), (&Value::Null, Some(3)));
    }
    // A log that says two things is refused by both readers.
    let lie = log.replacen("\"verdict\":\"fail\",\"cause\"", "\"verdict\":\"pass\",\"cause\"", 1);
    assert!(lie != log);
    assert!(Record::read_ndjson(lie.as_bytes()).is_err());
    assert!(second(lie.as_bytes()).is_none_or(|read| read.is_err_and(|why| why.contains("a law is broken"))));
}

#[test]
fn a_second_reader_sees_the_cells_of_a_run_against_a_baseline() {
    let phone = |rate| shops(&[("pixel-8", "P8", rate)]);
    let run = |rate, seed| Stage::lab_yaml(&phone(rate)).seed(seed).scenario(&shop(8, 0, 4));
    let before: Vec<_> = measured(&run(0.0008, 1).run().record).into_iter().map(|one| one.session).collect();
    let story = run(0.2, 2).against(Given::Runs, before).reporters().run();
    let counts = agreed(&story);
    assert!(counts.is_empty() || counts.contains_key("fail regression.hitch_ms_per_s"), "{counts:?}");
}

#[test]
fn a_second_reader_sees_that_a_build_is_slower_though_its_jobs_passed() {
    let (old, new) = (
        build("old.apk", "version: 7.4.1"),
        build("new.apk", "version: 7.5.0\npages: { search: { hitch_rate: 0.3 } }"),
    );
    let builds = Builds { old, new, compile: Some("speed".to_owned()), reinstall: false };
    let ab_rules = AbRules { per_install: 3, looks: 1, ..AbRules::of(0) };
    let ab_plan =
        AbPlan { ab_rules, builds: Some(Arc::new(builds)), budget: None, siblings: BTreeMap::new() };
    let story = Stage::lab_yaml(&lab(""))
        .serials(&["P8"])
        .seed(3)
        .scenario(&shop(6, 0, 4))
        .ab_plan(ab_plan)
        .reporters()
        .run();
    has(&agreed(&story), &[("fail regression.hitch_ms_per_s", 1), ("undecided undecided.inconclusive", 1)]);
    // What its limits say of the job is another thing, and stays what it was.
    let (_, events) = Record::read_ndjson(&story.files.read("events.ndjson")).expect("a whole log");
    let jobs = events.iter().filter_map(|event| match &event.fact {
        Fact::JobJudged { verdict, .. } => Some(verdict.to_string()),
        _ => None,
    });
    assert_eq!(jobs.collect::<Vec<_>>(), ["pass"]);
}

#[test]
fn a_second_reader_sees_the_cells_of_an_interrupted_run() {
    let story = Stage::lab("demo")
        .scenario(FEED)
        .interrupt(Duration::from_secs(25), Urgency::Cancel)
        .reporters()
        .run();
    assert!(story.record.interrupted.is_some());
    let counts = agreed(&story);
    assert!(counts.is_empty() || counts.contains_key("undecided undecided.interrupted"), "{counts:?}");
    assert_eq!(json!(story.record.exit_code), json!(130));
}

#[test]
fn a_second_reader_sees_the_cells_of_a_run_that_was_cut_off_while_it_was_judged_and_went_on() {
    let limited = shop(2, 0, 2) + "thresholds:\n  hitch_ms_per_s: 'mean < 15'\n";
    let phones = shops(&[("pixel-8", "P8", 0.0008), ("galaxy-a14", "A14", 0.3)]);
    let stage = || Stage::lab_yaml(&phones).scenario(&limited).reporters();
    let first = stage().run();
    let log = first.files.read("events.ndjson");
    let text = String::from_utf8(log.clone()).expect("text");
    for kind in ["cell_judged", "run_judged", "delivery_made"] {
        let at = text.find(&format!("\"kind\":\"{kind}\"")).expect("it happened");
        let cut = at + text[at..].find('\n').expect("a line end") + 1;
        let story = stage().goes_on(first.files.cut_off("events.ndjson", cut)).run();
        let counts = agreed(&story);
        assert!(counts.is_empty() || counts == agreed(&first), "cut off after {kind}: {counts:?}");
    }
}

#[test]
fn a_second_reader_sees_the_cells_of_shards_and_of_what_they_are_merged_to() {
    let phones = shops(&[("pixel-8", "P8", 0.0008), ("galaxy-a14", "A14", 0.3), ("pixel-6", "P6", 0.0008)]);
    let limited = shop(3, 0, 2) + "thresholds:\n  hitch_ms_per_s: 'mean < 15'\n";
    let stage = || Stage::lab_yaml(&phones).scenario(&limited).reporters();
    let parts: Vec<Story> = (1..=3).map(|index| stage().shard(index, 3).run()).collect();
    let with = |with: &[usize]| {
        let bundles: Vec<&Memory> = with.iter().map(|nth| &*parts[*nth].files).collect();
        merged(&bundles).expect("one plan").1
    };
    let all = with(&[2, 0, 1]);
    assert_eq!(agreed_on(&all), agreed(&stage().run()));
    let full: Vec<usize> = (0..3).filter(|nth| !parts[*nth].record.jobs.is_empty()).collect();
    for part in full.iter().map(|nth| &parts[*nth]) {
        assert!(agreed(part).len() <= 2, "a shard alone is a log like any");
    }
    let some = with(&full[..1]);
    let counts = agreed_on(&some);
    assert!(counts.is_empty() || counts.contains_key("broken infra.shard_missing"), "{counts:?}");
    // Nobody measured it, and the log says that it is fine.
    let log = String::from_utf8(some.read("events.ndjson")).expect("text");
    let lie = log.replacen("\"verdict\":\"broken\",\"windows\":[]", "\"verdict\":\"pass\",\"windows\":[]", 1);
    assert!(lie != log && Record::read_ndjson(lie.as_bytes()).is_err());
    assert!(second(lie.as_bytes()).is_none_or(|read| read.is_err_and(|why| why.contains("nobody measured"))));
    let stranger = log.replacen("\"shard\":", "\"shard\":7", 1);
    assert!(Record::read_ndjson(stranger.as_bytes()).is_err());
    assert!(second(stranger.as_bytes()).is_none_or(|read| read.is_err()));
}
