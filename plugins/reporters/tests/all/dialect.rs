//! The JUnit dialect, rule by rule, as its readers apply it.

use crate::believable::{Log, Words, events};
use farmjank_reporters::junit::{Layout, Options, junit};
use farmjank_results::event::Fact;
use farmjank_results::record::Record;
use farmjank_witnesses::xml::{Element, read};
use std::collections::BTreeSet;

/// What every reader relies on; the tree, for more questions.
pub fn readable(text: &str) -> Element {
    let root = read(text).unwrap_or_else(|why| panic!("{why}\n{:.3000}", text));
    assert_eq!(root.name, "testsuites");
    let mut pairs = BTreeSet::new();
    let mut suites = BTreeSet::new();
    let sum = |name: &str| -> usize { root.all("testsuite").iter().map(|s| number(s, name)).sum() };
    assert_eq!(number(&root, "tests"), sum("tests"));
    assert_eq!(number(&root, "failures"), sum("failures"));
    assert_eq!(number(&root, "errors"), sum("errors"));
    for suite in root.all("testsuite") {
        assert!(suites.insert(suite.attribute("name").to_owned()), "suite names are unique");
        let cases = suite.all("testcase");
        let with = |kind: &str| cases.iter().filter(|case| case.one(kind).is_some()).count();
        assert_eq!(number(suite, "tests"), cases.len());
        assert_eq!(number(suite, "failures"), with("failure"));
        assert_eq!(number(suite, "errors"), with("error"));
        assert!(suite.attribute("time").parse::<f64>().is_ok());
        for case in cases {
            let (class, name) = (case.attribute("classname"), case.attribute("name"));
            assert!(!class.is_empty() && !name.is_empty());
            assert!(
                pairs.insert((class.to_owned(), name.to_owned())),
                "{class} {name} twice: GitLab drops one"
            );
            let trouble =
                case.children.iter().filter(|child| matches!(&*child.name, "failure" | "error")).count();
            assert!(trouble <= 1);
        }
    }
    one_line(&root);
    root
}

fn number(element: &Element, name: &str) -> usize {
    element.attribute(name).parse().unwrap_or_else(|_| panic!("{name} of {} is a number", element.name))
}

fn one_line(element: &Element) {
    for (name, value) in &element.attributes {
        assert!(!value.contains(['\n', '\r', '\t']), "{name} is one line");
        assert!(value.chars().count() <= 601, "{name} is bounded");
    }
    element.children.iter().for_each(one_line);
}

fn record() -> Record {
    events(&Words::default()).record()
}

fn case<'e>(root: &'e Element, class: &str, name: &str) -> &'e Element {
    let mut cases = root.children.iter().flat_map(|suite| suite.all("testcase"));
    cases
        .find(|case| case.attribute("classname") == class && case.attribute("name") == name)
        .expect("the case exists")
}

#[test]
fn the_golden_run_is_junit_with_the_place_and_words_of_each_breach() {
    let text = junit(&record(), &Options::default());
    let root = readable(&text);
    assert_eq!(root.all("testsuite").len(), 4);
    let missed = case(&root, "home_feed.SM-A146P.R58N30ABCDE", "fling the feed");
    assert_eq!((missed.attribute("file"), missed.attribute("line")), ("scenarios/home_feed.yaml", "14"));
    let failure = missed.one("failure").unwrap();
    assert_eq!(failure.attribute("type"), "threshold.fps");
    let lines: Vec<&str> = failure.text.lines().collect();
    assert!(
        lines[0].starts_with("fail: fps is 71.2 fps, limit mean >= 95%refresh = 85.5 fps"),
        "{}",
        lines[0]
    );
    assert_eq!(
        lines[lines.len() - 3..],
        [
            "at scenarios.Step(home_feed.yaml:14)",
            "at (scenarios/home_feed.yaml:14:5)",
            "scenarios/home_feed.yaml:14",
        ]
    );
    let lost = case(&root, "home_feed.moto_g54.ZY22HQ7XKL", "fling the feed");
    assert_eq!(lost.one("error").unwrap().attribute("type"), "infra.device_lost");
    let doubtful = case(&root, "home_feed.Pixel_6a.2B171JEGR05677", "open an article");
    assert_eq!(doubtful.one("error").unwrap().attribute("type"), "undecided.coverage");
    let suite = root.all("testsuite")[0];
    assert!(suite.attribute("name").ends_with("[virtual]"));
    let properties = suite.one("properties").unwrap();
    let keys: Vec<&str> = properties.children.iter().map(|property| property.attribute("name")).collect();
    for key in ["model", "android", "refresh", "build", "thermal", "coverage", "virtual", "run"] {
        assert!(keys.contains(&key), "{key} is missing from {keys:?}");
    }
}

#[test]
fn layouts_group_the_same_cases() {
    let pairs = |layout| -> BTreeSet<(String, String)> {
        let root = readable(&junit(&record(), &Options { layout, ..Options::default() }));
        let cases = root.children.iter().flat_map(|suite| suite.all("testcase"));
        cases
            .map(|case| (case.attribute("classname").to_owned(), case.attribute("name").to_owned()))
            .collect()
    };
    assert_eq!(pairs(Layout::Device), pairs(Layout::Scenario));
    assert_eq!(pairs(Layout::Device), pairs(Layout::Flat));
}

#[test]
fn strict_keeps_to_the_schema_of_the_xunit_plugin() {
    let options = Options { strict: true, case_properties: true, ..Options::default() };
    let root = readable(&junit(&record(), &options));
    let only = |element: &Element, allowed: &[&str]| {
        for name in element.attributes.keys() {
            assert!(allowed.contains(&name.as_str()), "{name} on {}", element.name);
        }
    };
    only(&root, &["name", "time", "tests", "failures", "errors"]);
    for suite in root.all("testsuite") {
        only(suite, &["name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname"]);
        for case in suite.all("testcase") {
            only(case, &["name", "time", "classname"]);
            assert!(case.one("properties").is_none());
        }
    }
}

/// The run with one job changed before it is folded.
fn changed(change: impl Fn(&mut Fact)) -> Record {
    let mut log: Log = events(&Words::default());
    log.events.iter_mut().for_each(|event| change(&mut event.fact));
    log.record()
}

#[test]
fn a_crash_is_a_failure_of_the_app() {
    use farmjank_results::fault::{Fault, FaultCode};
    use farmjank_results::verdict::Verdict;
    let record = changed(|fact| {
        if let Fact::JobJudged { job: 1, verdict, fault, windows, .. } = fact {
            (*verdict, *fault) = (Verdict::Fail, Some(Fault::new(FaultCode::AppCrashed, "the app crashed")));
            windows.truncate(1);
        }
    });
    let root = readable(&junit(&record, &Options::default()));
    let class = "home_feed.Pixel_8_Pro.39081FDJH00123";
    assert!(case(&root, class, "fling the feed").one("failure").is_none(), "what was judged before stays");
    let failure = case(&root, class, "open an article").one("failure").unwrap();
    assert_eq!(failure.attribute("type"), "app.crashed");
}

#[test]
fn a_job_worse_than_its_windows_has_a_case_of_its_own() {
    use farmjank_results::fault::{Fault, FaultCode};
    use farmjank_results::verdict::Verdict;
    let record = changed(|fact| {
        if let Fact::JobJudged { job: 1, verdict, fault, .. } = fact {
            (*verdict, *fault) = (Verdict::Fail, Some(Fault::new(FaultCode::AppCrashed, "the app crashed")));
        }
    });
    let root = readable(&junit(&record, &Options::default()));
    let own = case(&root, "home_feed.Pixel_8_Pro.39081FDJH00123", "whole scenario");
    assert_eq!(own.one("failure").unwrap().attribute("type"), "app.crashed");
}

#[test]
fn a_window_the_job_did_not_finish_is_the_faults() {
    use farmjank_results::fault::{Fault, FaultCode};
    use farmjank_results::verdict::Verdict;
    let ended = |code: FaultCode, of_job: Verdict| {
        changed(move |fact| {
            if let Fact::JobJudged { job: 1, verdict, fault, windows, reasons } = fact {
                let what = Fault::new(code.clone(), format!("{code} in trial 2"));
                (*verdict, *reasons) = (of_job, vec![what.to_string()]);
                *fault = Some(what);
                // One trial was measured before it happened, and looked fine.
                windows.iter_mut().for_each(|window| window.counted = 1);
            }
        })
    };
    let class = "home_feed.Pixel_8_Pro.39081FDJH00123";
    let kind = |record: &Record, tag: &str| {
        let root = readable(&junit(record, &Options::default()));
        let trouble = case(&root, class, "open an article").one(tag).expect("it did not pass");
        trouble.attribute("type").to_owned()
    };
    assert_eq!(kind(&ended(FaultCode::DeviceLost, Verdict::Broken), "error"), "infra.device_lost");
    assert_eq!(kind(&ended(FaultCode::AppCrashed, Verdict::Fail), "failure"), "app.crashed");
    assert_eq!(kind(&ended(FaultCode::ElementMissing, Verdict::Fail), "failure"), "scenario.element_missing");
    assert_eq!(kind(&ended(FaultCode::Interrupted, Verdict::Undecided), "error"), "undecided.interrupted");
}

#[test]
fn jobs_without_a_phone_have_a_suite() {
    let mut log = Log::default();
    let all = events(&Words::default()).events;
    log.tell(0, all[0].fact.clone());
    let mut plan = all.iter().find(|event| matches!(event.fact, Fact::PlanMade { .. })).unwrap().fact.clone();
    if let Fact::PlanMade { jobs, .. } = &mut plan {
        jobs.iter_mut().for_each(|job| job.device = None);
    }
    log.tell(1, plan);
    let root = readable(&junit(&log.record(), &Options::default()));
    assert_eq!(root.all("testsuite").len(), 1);
    assert_eq!(root.all("testsuite")[0].attribute("name"), "no phone");
    let case = root.all("testsuite")[0].all("testcase")[0];
    assert_eq!(case.attribute("classname").split('~').next(), Some("home_feed.no_phone"));
    assert_eq!(case.one("error").unwrap().attribute("type"), "undecided.not_judged");
}

/// The believable run with the first counted trial of one job made again, after a fault of the lab.
fn tried_again() -> Record {
    again(1).expect("a trial begins")
}

/// The same of any job; none where it has no such trial.
fn again(tried: u32) -> Option<Record> {
    use farmjank_results::event::{Ending, Event};
    use farmjank_results::fault::{Fault, FaultCode};
    let mut log: Log = events(&Words::default());
    let begins =
        |event: &Event| matches!(event.fact, Fact::TrialStarted { job, trial: 1, .. } if job == tried);
    let at = log.events.iter().position(begins)?;
    let began = log.events[at].clone();
    let fault = Fault::new(FaultCode::Timeout, "the phone did not answer <in> 10 s\u{1b}[31m");
    let ending = Ending::Faulted(fault);
    let fact = Fact::TrialFinished { job: tried, trial: 1, counted: true, ending, windows: Vec::new() };
    log.events.insert(at, Event { fact, ..began.clone() });
    log.events.insert(at, began);
    (0..).zip(&mut log.events).for_each(|(seq, event)| event.seq = seq);
    Some(log.record())
}

#[test]
fn a_trial_tried_again_with_success_is_nobody_s_fault_whatever_the_verdict() {
    let blamed = |record: &Record| -> Vec<String> {
        let all = farmjank_reporters::cells::cells(record);
        all.iter().map(|cell| cell.fault().map(|fault| fault.code.to_string()).unwrap_or_default()).collect()
    };
    let before = blamed(&events(&Words::default()).record());
    let mut failed = 0;
    for record in (0..20).filter_map(again) {
        let trial = |job: &farmjank_results::record::JobRecord| {
            job.trials.iter().filter(|trial| trial.trial == 1).count()
        };
        let retried = record.jobs.values().filter(|job| trial(job) > 1);
        failed += retried.filter(|job| job.verdict != Some(farmjank_results::verdict::Verdict::Pass)).count();
        assert_eq!(blamed(&record), before);
    }
    assert!(failed > 0, "a job that did not pass was tried again");
}

#[test]
fn a_case_that_passed_after_a_second_try_says_so() {
    let text = junit(&tried_again(), &Options::default());
    let root = readable(&text);
    let class = "home_feed.Pixel_8_Pro.39081FDJH00123";
    let passed = case(&root, class, "fling the feed");
    assert!(
        passed.one("failure").is_none() && passed.one("error").is_none(),
        "a second try buys a label, no failure"
    );
    let flaky = passed.all("flakyFailure");
    assert_eq!(flaky.len(), 1);
    assert_eq!(flaky[0].attribute("type"), "infra.timeout");
    assert!(flaky[0].one("stackTrace").unwrap().text.contains("the phone did not answer <in> 10 s"));
    assert_eq!(text.matches("<flakyFailure").count(), 3, "each window of that job, and no other");
    crate::schemas::by_schema("surefire", &text);
    let strict = junit(&tried_again(), &Options { strict: true, ..Options::default() });
    assert!(!strict.contains("flaky"), "the xunit plugin's schema knows no reruns");
    crate::schemas::by_schema("jenkins", &strict);
}
