//! Why frames were late, seen in one more trial: whatever becomes of it, the job keeps its verdict, and the phone
//! nothing.

use super::{job, shop, shops};
use farmjank_engine::diagnose::Diagnose;
use farmjank_engine::stop::Urgency;
use farmjank_frames::ftrace::Methods;
use farmjank_frames::registry::probes_telling;
use farmjank_results::compare::{Given, measured};
use farmjank_results::event::{Event, Fact};
use farmjank_results::record::{Record, WindowCauses};
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};
use std::time::Duration;

const LOG: &str = "events.ndjson";
const WINDOW: &str = "fling the feed";

fn feed(flings: u32) -> String {
    format!(
        "
name: Feed
appId: com.example.shop
iterations: 2
warmup: 0
pages: {{ feed: {{ link: 'shop://feed', ready: {{ activity: .FeedActivity }} }} }}
thresholds: {{ hitch_ms_per_s: 'mean < 1' }}
steps:
  - launchApp: {{ cold: true }}
  - openPage: feed
  - measure: fling the feed
    steps: [ {{ repeat: {{ times: {flings}, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 900ms }} ] }} }} ]
"
    )
}

/// One phone whose feed waits for a lock, and what happens to it.
fn locked(faults: &str) -> Stage {
    let lab = format!(
        "name: locked
phones:
  - archetype: pixel-8
    serial: P8
    apps:
      - id: com.example.shop
        pages:
          main: {{ activity: .MainActivity, link: 'shop://home', launcher: true }}
          feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.05, causes: [ {{ kind: lock }} ] }}
{faults}"
    );
    Stage::lab_yaml(&lab).diagnose(Diagnose::Failed)
}

/// When the diagnosis begins and ends in a run that nothing disturbs, seconds of the run.
fn undisturbed() -> (Story, Duration, Duration) {
    let story = locked("").scenario(&feed(3)).run();
    let (_, events) = Record::read_ndjson(&story.files.read(LOG)).expect("a log");
    let began = |event: &&Event| matches!(event.fact, Fact::TrialStarted { diagnostic: true, .. });
    let began = events.iter().find(began).expect("a diagnosis").at;
    let ended = |event: &&Event| matches!(event.fact, Fact::TrialFinished { .. });
    let ended = events.iter().rfind(ended).expect("its end").at;
    let after = |ns: i64| Duration::from_nanos(ns.unsigned_abs());
    (story, after(began.ns()), after(ended.ns()))
}

fn found(story: &Story) -> &WindowCauses {
    job(&story.record, 0).causes(WINDOW).expect("the window was asked about")
}

/// The job is judged by its two iterations, whatever became of the third.
fn judged_by_what_counts(story: &Story, said: &str) {
    let job = job(&story.record, 0);
    assert_eq!((job.verdict, job.trials.len()), (Some(Verdict::Fail), 2), "{said}: {:?}", job.reasons);
    assert_eq!(job.fault, None, "{said}");
    assert_eq!(job.windows[0].counted, 2, "{said}");
    assert!(job.diagnoses.iter().all(|trial| trial.ending.is_some() && !trial.counted), "{said}");
    let (again, _) = Record::read_ndjson(&story.files.read(LOG)).expect("a whole log");
    assert_eq!(again, story.record, "{said}");
}

fn left_behind(story: &Story) -> Vec<String> {
    story.lab.phone("P8").map(|phone| phone.model().left_behind()).unwrap_or_default()
}

#[test]
fn a_long_trace_comes_over_in_pieces_and_leaves_nothing_on_the_phone() {
    let story = locked("").scenario(&feed(24)).run();
    judged_by_what_counts(&story, "undisturbed");
    let path = "evidence/job-0/trial-2/trial.perfetto-trace.zst";
    let length = story.files.read(path).len();
    assert!(length > 5 << 20, "a trace of several pieces, and not {length} bytes");
    let causes = found(&story).causes.as_ref().expect("causes");
    assert_eq!(causes.causes[0].named.kind, "lock.monitor");
    assert!(causes.causes[0].us * 10 > causes.hitch_us * 9, "{:?}", causes.causes);
    assert_eq!(causes.explained_us + causes.unexplained_us + causes.unknown_us, causes.hitch_us);
    assert!(left_behind(&story).is_empty(), "{:?}", left_behind(&story));
}

/// One line of the phone's shell begins the recorder: it has quotes inside quotes, and asks the phone whose app it is.
#[test]
fn stacks_are_recorded_of_an_app_that_may_be_looked_into_and_otherwise_the_rest_of_the_trace_is() {
    for (word, taken) in
        [("profileable: true", true), ("debuggable: true", true), ("debuggable: false", false)]
    {
        let lab = format!(
            "name: methods
phones:
  - archetype: pixel-8
    serial: P8
    apps:
      - id: com.example.shop
        {word}
        pages:
          main: {{ activity: .MainActivity, link: 'shop://home', launcher: true }}
          feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.05, causes: [ {{ kind: unknown, method: net_await }} ] }}
"
        );
        let methods = Methods { wanted: true, ..Methods::default() };
        let story = Stage::lab_yaml(&lab)
            .diagnose(Diagnose::Failed)
            .probes(probes_telling(methods))
            .scenario(&feed(3))
            .run();
        let causes = found(&story).causes.as_ref().expect("causes");
        let stacks = causes.stacks.as_ref().expect("somebody asked for them");
        assert_eq!((stacks.taken > 100, stacks.reason.is_none()), (taken, taken), "{word}: {stacks:?}");
        let object = causes.causes.first().map_or("", |cause| cause.named.object.as_str());
        let net = "com.example.shop.Net.await, called by com.example.shop.FeedLoader.load";
        assert_eq!(object == net, taken, "{word}: {:?}", causes.causes);
        assert!(left_behind(&story).is_empty(), "{:?}", left_behind(&story));
    }
}

#[test]
fn a_phone_that_is_lost_in_a_diagnosis_keeps_its_verdict() {
    let (_, began, ended) = undisturbed();
    for share in [0.1, 0.4, 0.7, 0.97] {
        let at = began + (ended - began).mul_f64(share);
        let faults = format!("faults:\n  - {{ at: {}ms, phone: P8, kind: unplug }}\n", at.as_millis());
        let story = locked(&faults).scenario(&feed(3)).run();
        judged_by_what_counts(&story, &format!("lost after {share}"));
        let causes = found(&story);
        assert_eq!(causes.causes, None);
        // In its steps the trial breaks off; while its trace comes over, that is what is missing.
        let why = causes.reason.as_deref().unwrap_or_default();
        assert!(why.contains("broke off") || (share > 0.9 && why.contains("P8")), "{share}: {why}");
    }
}

#[test]
fn an_app_that_crashes_in_a_diagnosis_has_the_verdict_of_its_iterations() {
    let (_, began, ended) = undisturbed();
    let at = began + (ended - began).mul_f64(0.6);
    let faults = format!("faults:\n  - {{ at: {}ms, phone: P8, kind: crash_app }}\n", at.as_millis());
    let story = locked(&faults).scenario(&feed(3)).run();
    judged_by_what_counts(&story, "crashed");
    // What it did until then is told, and that the window is not whole.
    let causes = found(&story).causes.as_ref().expect("causes until then");
    assert!(
        causes.doubts.iter().any(|doubt| doubt.contains("void") && doubt.contains("Application Error")),
        "{:?}",
        causes.doubts
    );
}

#[test]
fn a_run_interrupted_in_a_diagnosis_is_whole_and_makes_it_again_when_it_goes_on() {
    let (undisturbed, began, ended) = undisturbed();
    let at = began + (ended - began).mul_f64(0.5);
    for urgency in [Urgency::Drain, Urgency::Cancel] {
        let story = locked("").scenario(&feed(3)).interrupt(at, urgency).run();
        judged_by_what_counts(&story, &format!("{urgency:?}"));
        let interrupted = found(&story).reason.as_deref().is_some_and(|why| why.contains("interrupted"));
        assert_eq!(interrupted, urgency == Urgency::Cancel, "{:?}", found(&story).reason);
        assert!(left_behind(&story).is_empty(), "{urgency:?}: {:?}", left_behind(&story));
    }
    // Killed at any line of its log from the diagnosis on: what counts is measured once, and the causes are told.
    let log = undisturbed.files.read(LOG);
    let ends = log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let text = String::from_utf8_lossy(&log).into_owned();
    let (first, last) =
        (text.find("\"diagnostic\":true").expect("one"), text.find("job_judged").expect("one"));
    for cut in ends.filter(|end| (first..last).contains(end)) {
        let story = locked("").scenario(&feed(3)).goes_on(undisturbed.files.cut_off(LOG, cut)).run();
        judged_by_what_counts(&story, &format!("cut at {cut}"));
        let again = found(&story).causes.as_ref().unwrap_or_else(|| panic!("cut at {cut}: no causes"));
        assert_eq!(again.causes[0].named.kind, "lock.monitor");
        assert!(job(&story.record, 0).diagnoses.iter().all(|trial| trial.trial >= 2));
    }
}

#[test]
fn a_phone_that_records_no_trace_says_so_and_is_given_none_of_its_time() {
    let story = locked("faults:\n  - { at: 0s, phone: P8, kind: no_tracing }\n").scenario(&feed(3)).run();
    judged_by_what_counts(&story, "no tracing");
    let why = found(&story).reason.as_deref().unwrap_or_default();
    assert!(why.contains("status"), "{why}");
    let old = Stage::lab_yaml("name: old\nphones: [ { archetype: redmi-note-7, serial: R7 } ]\n");
    let story = old.diagnose(Diagnose::Each).scenario(&feed(3)).run();
    let job = job(&story.record, 0);
    assert!(job.diagnoses.is_empty(), "no trial for nothing");
    assert!(
        job.causes(WINDOW)
            .is_some_and(|one| one.reason.as_deref().is_some_and(|why| why.contains("Android 12")))
    );
}

#[test]
fn a_window_that_keeps_its_limits_and_became_slower_is_asked_about_and_no_other() {
    let build =
        |rate: f64| Stage::lab_yaml(&shops(&[("pixel-8", "P8", 0.0008), ("galaxy-a14", "A14", rate)]));
    let before = build(0.0008).seed(1).scenario(&shop(8, 0, 6)).run();
    let before = measured(&before.record).into_iter().map(|one| one.session).collect();
    let story = build(0.08).seed(2).scenario(&shop(8, 0, 6)).against(Given::Runs, before);
    let story = story.diagnose(Diagnose::Failed).run();
    assert_eq!(story.record.exit_code, Some(1), "the comparison fails the run");
    for job in story.record.jobs.values() {
        assert_eq!(job.verdict, Some(Verdict::Pass), "no limit is broken: {:?}", job.reasons);
        let asked: Vec<&str> = job.causes.iter().map(|one| one.window.as_str()).collect();
        let slow = job.planned.device.as_ref().is_some_and(|device| device.0 == "A14");
        assert_eq!(
            asked,
            if slow { vec!["fling the results"] } else { Vec::new() },
            "{:?}",
            job.planned.device
        );
        assert!(job.causes.iter().all(|one| one.causes.is_some()), "{:?}", job.causes);
    }
}
