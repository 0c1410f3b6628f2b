//! Whole runs in the simulated lab, each with something that goes right or wrong.

mod ab;
mod ab_looks;
mod ab_together;
mod beside;
mod compared;
mod diagnosed;
mod flows;
mod foreign;
mod guards;
mod installed;
mod merged;
mod pictured;
mod rerun;
mod resumed;
mod second_reader;
mod shards;
mod sources;
mod told;
mod troubled;
mod undelivered;
mod untold;

use farmjank_engine::stop::Urgency;
use farmjank_results::metric::Reading;
use farmjank_results::record::Record;
use farmjank_results::timeline::GapCause;
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::Stage;
use std::time::Duration;

/// Two windows, so many flings in each; the pages may differ between builds.
pub fn shop(iterations: u32, warmup: u32, flings: u32) -> String {
    let fling = format!(
        "steps: [ {{ repeat: {{ times: {flings}, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 900ms }} ] }} }} ]"
    );
    format!(
        "
name: Shop
appId: com.example.shop
iterations: {iterations}
warmup: {warmup}
pages:
  feed: {{ link: 'shop://feed', ready: {{ activity: .FeedActivity }} }}
  search: {{ link: 'shop://search', ready: {{ activity: .SearchActivity }} }}
steps:
  - launchApp: {{ cold: true }}
  - openPage: feed
  - measure: fling the feed
    {fling}
  - openPage: search
  - measure: fling the results
    {fling}
"
    )
}

/// Phones of a lab whose pages are smooth, but for the search page: archetype, serial, how often that one hitches.
pub fn shops(phones: &[(&str, &str, f64)]) -> String {
    let phone = |(archetype, serial, rate): &(&str, &str, f64)| {
        format!(
            "  - archetype: {archetype}
    serial: {serial}
    apps:
      - id: com.example.shop
        pages:
          main: {{ activity: .MainActivity, link: 'shop://home', launcher: true, hitch_rate: 0.0008 }}
          feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.0008 }}
          search: {{ activity: .SearchActivity, link: 'shop://search', hitch_rate: {rate} }}\n"
        )
    };
    format!("name: shop\nphones:\n{}", phones.iter().map(phone).collect::<String>())
}

pub const FEED: &str = "
name: Feed
appId: com.example.shop
iterations: 3
warmup: 1
pages:
  feed: { link: 'shop://feed', ready: { activity: .FeedActivity } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps:
      - repeat: { times: 3, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ] }
thresholds:
  fps: 'mean >= 50%refresh'
";

fn one_phone(rest: &str) -> String {
    format!("name: one\nphones:\n  - {{ archetype: pixel-8, serial: P8 }}\n{rest}")
}

fn job(record: &Record, number: u32) -> &farmjank_results::record::JobRecord {
    record.jobs.get(&number).expect("the job")
}

#[test]
fn a_good_phone_passes_and_the_bundle_tells_the_whole_story() {
    let story = Stage::lab_yaml(&one_phone("")).scenario(FEED).reporters().run();
    assert_eq!(story.record.exit_code, Some(0), "{}", story.ear.out.borrow());
    let log = story.files.read("events.ndjson");
    let (again, events) = Record::read_ndjson(&log).expect("a log that reads back");
    assert_eq!(again, story.record);
    assert!(events.len() > 30);
    for path in ["junit.xml", "results.json"] {
        assert!(!story.files.read(path).is_empty(), "{path} is missing from {:?}", story.files.paths());
    }
    assert!(story.files.paths().iter().any(|path| path.starts_with("evidence/job-0/trial-1/")));
    assert!(story.ear.out.borrow().to_lowercase().contains("virtual"), "{}", story.ear.out.borrow());
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_other_ones() {
    let log = |seed| Stage::lab("demo").seed(seed).scenario(FEED).run().files.read("events.ndjson");
    let first = log(5);
    assert!(first == log(5), "two runs of one seed differ");
    assert!(first != log(6), "another seed changed nothing");
}

#[test]
fn a_breached_limit_fails_the_run() {
    let strict = FEED.replace("mean >= 50%refresh", "min >= 500");
    let story = Stage::lab_yaml(&one_phone("")).scenario(&strict).run();
    assert_eq!(story.record.exit_code, Some(1));
    assert_eq!(job(&story.record, 0).verdict, Some(Verdict::Fail));
}

#[test]
fn a_phone_pulled_in_mid_fling_comes_back_and_nothing_is_lost() {
    let faults = "faults:\n  - { at: 20s, phone: P8, kind: unplug, for: 8s }\n";
    let story = Stage::lab_yaml(&one_phone(faults)).scenario(FEED).run();
    let job = job(&story.record, 0);
    assert_eq!(story.record.exit_code, Some(0), "{:?} {:?}", job.fault, job.reasons);
    let completed = job
        .trials
        .iter()
        .filter(|trial| matches!(trial.ending, Some(farmjank_results::event::Ending::Completed)));
    assert_eq!(completed.count(), 4, "one warm-up and three counted trials");
    assert!(job.trials.len() > 4, "the torn trial is on record too");
    // Every try keeps dumps of its own: a file holds one window's.
    let windows = job.trials.iter().flat_map(|trial| &trial.windows);
    // A trace is of a whole trial, and of a kind other programs read.
    let (traces, evidence): (Vec<&String>, Vec<&String>) =
        windows.flat_map(|window| &window.evidence).partition(|path| path.ends_with(".perfetto-trace.zst"));
    assert_eq!(traces.len(), 4, "one of every completed trial");
    assert!(evidence.len() >= 5, "{evidence:?}");
    for (at, path) in evidence.iter().enumerate() {
        assert!(!evidence[..at].contains(path), "{path} holds two windows");
        let dumps = farmjank_results::evidence::read(&story.files.read(path));
        assert!(dumps.as_ref().is_ok_and(|dumps| !dumps.is_empty()), "{path}: {dumps:?}");
    }
}

#[test]
fn a_phone_that_never_comes_back_breaks_its_job_only() {
    let lab = "name: two\nphones:\n  - { archetype: pixel-8, serial: A }\n  - { archetype: pixel-6, serial: B }\n\
               faults:\n  - { at: 12s, phone: A, kind: unplug }\n";
    let story = Stage::lab_yaml(lab).scenario(FEED).run();
    let verdicts: Vec<_> = story.record.jobs.values().map(|job| job.verdict).collect();
    assert_eq!(verdicts, [Some(Verdict::Broken), Some(Verdict::Pass)]);
    assert_eq!(story.record.exit_code, Some(3));
}

#[test]
fn a_wedged_phone_is_found_and_given_up_in_bounded_time() {
    let faults = "faults:\n  - { at: 15s, phone: P8, kind: wedge }\n";
    let story = Stage::lab_yaml(&one_phone(faults)).scenario(FEED).run();
    assert_eq!(story.record.exit_code, Some(3));
    let minutes = story.record.at.ns() / 60_000_000_000;
    assert!(minutes < 10, "it took {minutes} simulated minutes");
}

#[test]
fn forced_loss_is_said_and_never_green() {
    // Every few seconds SurfaceFlinger answers no dump for so long that its ring overflows while the feed moves.
    let faults: String = (0..12)
        .map(|n| format!("  - {{ at: {}s, phone: P8, kind: ring_overflow, for: 4s }}\n", 4 + 6 * n))
        .collect();
    // Left to itself farmjank would judge by the trace, which no full ring can spoil: the ring is pinned.
    let busy = FEED.replace("times: 3", "times: 8") + "source: surfaceflinger\n";
    let story = Stage::lab_yaml(&one_phone(&format!("faults:\n{faults}"))).scenario(&busy).run();
    let window = &job(&story.record, 0).windows[0];
    assert_eq!(story.record.exit_code, Some(4), "{window:?}");
    assert_eq!((window.verdict, window.void.len()), (Verdict::Undecided, 3), "{:?}", window.reasons);
    assert!(window.reasons.iter().any(|reason| reason.contains("void")), "{:?}", window.reasons);
    for trial in &job(&story.record, 0).trials {
        let measured = trial.windows.iter().find(|measured| measured.window == "fling the feed").expect("it");
        let coverage = measured.coverage.as_ref().expect("dumps were read");
        let expected = story.expected("P8", measured).expect("a layer of the phone");
        assert!(coverage.frames_seen < expected.frames, "nothing was lost: the fault does not bite");
        assert!(!coverage.proved && coverage.share < 1.0, "{coverage:?}");
        assert!(coverage.gaps.iter().any(|gap| gap.cause == GapCause::Overflow), "{:?}", coverage.gaps);
        assert!(measured.void.as_ref().is_some_and(|why| why.contains("coverage")), "{:?}", measured.void);
        assert!(matches!(&measured.readings["fps"], Reading::Unmeasurable(why) if !why.is_empty()));
    }
}

#[test]
fn an_interrupt_leaves_everything_measured_so_far() {
    let story = Stage::lab("demo").scenario(FEED).interrupt(Duration::from_secs(25), Urgency::Cancel).run();
    assert_eq!(story.record.exit_code, Some(130));
    assert!(story.record.jobs.values().all(|job| job.verdict.is_some()), "every job is judged");
    let trials = story.record.jobs.values().flat_map(|job| &job.trials);
    assert!(trials.filter(|trial| !trial.windows.is_empty()).count() > 0);
    let log = story.files.read("events.ndjson");
    assert_eq!(Record::read_ndjson(&log).expect("a whole log").0, story.record);
}

#[test]
fn an_app_that_is_not_installed_is_said_to_be_missing() {
    let other = FEED.replace("com.example.shop", "com.example.absent");
    let story = Stage::lab_yaml(&one_phone("")).scenario(&other).run();
    let job = job(&story.record, 0);
    assert_eq!(job.fault.as_ref().map(|fault| fault.code.word()), Some("app_missing"));
    assert_eq!(story.record.exit_code, Some(3));
}

#[test]
fn a_phone_that_does_not_qualify_is_named_with_the_reason() {
    let fast = FEED.replace("iterations: 3", "devices: 'refresh >= 144'\niterations: 3");
    let story = Stage::lab_yaml(&one_phone("")).scenario(&fast).run();
    assert_eq!(story.record.exit_code, Some(3));
    let reasons = job(&story.record, 0).reasons.join("\n");
    assert!(reasons.contains("P8") && reasons.contains("144"), "{reasons}");
}
