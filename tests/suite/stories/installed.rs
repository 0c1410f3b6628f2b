//! A run that brings a build: it is on the phone whenever something counts, whoever puts another one there meanwhile.

use super::ab::{build, lab};
use super::{FEED, job, one_phone, shop};
use farmjank_results::event::{Ending, Event, Fact};
use farmjank_results::record::{JobRecord, TrialRecord};
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};
use std::collections::BTreeMap;

const SLOW: &str = "version: 7.5.0\npages: { feed: { hitch_rate: 0.3 } }";
const SMOOTH: &str = "version: 7.5.0";
const LIMIT: &str = "thresholds: { hitch_ms_per_s: 'max <= 40' }\n";

fn events(story: &Story) -> Vec<Event> {
    let log = String::from_utf8(story.files.read("events.ndjson")).expect("text");
    log.lines().map(|line| serde_json::from_str(line).expect("whole lines only")).collect()
}

/// How often a build was put on each phone, by the jobs of the log.
fn put(story: &Story) -> BTreeMap<String, usize> {
    let mut put = BTreeMap::new();
    for event in events(story) {
        if let Fact::AppInstalled { job, .. } = event.fact {
            let device = story.record.jobs[&job].planned.device.clone().expect("a phone");
            *put.entry(device.0).or_default() += 1;
        }
    }
    put
}

/// What iterations that count, and came to their end, say of the build they are of.
fn measured(job: &JobRecord) -> Vec<String> {
    let whole = |trial: &&TrialRecord| trial.counted && trial.ending == Some(Ending::Completed);
    let counted = job.trials.iter().filter(whole);
    let around = counted.flat_map(|trial| &trial.windows).filter_map(|window| window.around.as_ref());
    around.map(|around| around.installation.clone().unwrap_or_default()).collect()
}

#[test]
fn a_build_is_put_on_each_phone_once_and_is_what_every_job_measures() {
    let stage = || Stage::lab_yaml(&lab("")).scenario(&(shop(3, 1, 4) + LIMIT)).scenario(FEED);
    let before = stage().run();
    assert_eq!(before.record.exit_code, Some(0), "{}", before.ear.err.borrow());
    let story = stage().install(build("new.apk", SLOW)).reporters().run();
    assert_eq!(put(&story), [("A14".to_owned(), 1), ("P8".to_owned(), 1)].into());
    for job in story.record.jobs.values() {
        let all = measured(job);
        assert!(!all.is_empty() && all.iter().all(|is| is == "sha256:of new.apk"), "{all:?}");
    }
    // What is slow is the build, and only this one.
    assert_eq!(story.record.exit_code, Some(1));
    let said = story.ear.err.borrow().clone() + &story.ear.out.borrow();
    assert!(said.contains("installed new.apk (7.5.0)"), "{said}");
}

#[test]
fn a_build_that_somebody_replaces_is_put_back_and_only_it_counts() {
    let mut back = 0;
    for at in (6..60).step_by(3) {
        let lab = one_phone(&format!("faults:\n  - {{ at: {at}s, kind: app_replaced }}\n"));
        let story = Stage::lab_yaml(&lab).scenario(FEED).install(build("new.apk", SMOOTH)).run();
        assert_eq!(story.record.exit_code, Some(0), "at {at} s: {}", story.ear.err.borrow());
        let job = job(&story.record, 0);
        assert_eq!(measured(job), ["sha256:of new.apk"; 3], "at {at} s");
        let again = put(&story)["P8"] - 1;
        let settled = job.diagnoses.iter().filter(|trial| trial.settling).count();
        let warm = job.trials.iter().filter(|trial| !trial.counted).count();
        // After an installation a pass is made that does not count: the warm-up, or one beside.
        assert!(settled + warm > again, "at {at} s: {again} installations more, {settled} and {warm} passes");
        assert!(again <= 1, "at {at} s");
        back += again;
    }
    assert!(back > 3, "put back {back} times");
}

#[test]
fn an_app_that_somebody_installs_in_the_middle_is_no_sample_of_one_build() {
    let mut told = 0;
    for at in (6..60).step_by(3) {
        let lab = one_phone(&format!("faults:\n  - {{ at: {at}s, kind: app_replaced }}\n"));
        let story = Stage::lab_yaml(&lab).scenario(FEED).run();
        let window = &job(&story.record, 0).windows[0];
        let places = measured(job(&story.record, 0));
        assert_eq!(places.len(), 3, "at {at} s: {places:?}");
        let one = places.iter().all(|place| *place == places[0]);
        let verdict = if one { Verdict::Pass } else { Verdict::Undecided };
        assert_eq!(window.verdict, verdict, "at {at} s: {window:?}");
        if !one {
            told += 1;
            let why = &window.reasons[0];
            assert!(why.starts_with("invalid: somebody installed the app before iteration "), "{why}");
            assert!(why.ends_with("with --install a run puts its own back"), "{why}");
        }
    }
    assert!(told > 3, "{told} times between iterations");
}

#[test]
fn a_build_that_the_phone_refuses_breaks_its_job_and_says_what_to_do() {
    let other = build("other.apk", "version: 7.5.0\nsigner: somebody else");
    let story = Stage::lab_yaml(&one_phone("")).scenario(FEED).install(other).run();
    let fault = job(&story.record, 0).fault.clone().expect("a fault");
    assert_eq!((story.record.exit_code, fault.code.word()), (Some(3), "apk_refused"), "{fault}");
    assert!(fault.advice.contains("--reinstall"), "{fault}");
}
