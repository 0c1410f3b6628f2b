//! Methods on a phone whose tracer takes no stacks: simpleperf records beside the diagnosis. Whatever becomes of it,
//! the job keeps its verdict, the rest of the diagnosis is told, and the phone keeps nothing.

use super::job;
use farmjank_engine::diagnose::Diagnose;
use farmjank_engine::stop::Urgency;
use farmjank_frames::ftrace::Methods;
use farmjank_frames::registry::probes_telling;
use farmjank_results::event::Fact;
use farmjank_results::hitch_causes::HitchCauses;
use farmjank_results::record::{Record, WindowCauses};
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};
use std::time::Duration;

const FEED: &str = "
name: Feed
appId: com.example.shop
iterations: 2
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
thresholds: { hitch_ms_per_s: 'mean < 1' }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: first
    steps: [ { repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
  - launchApp: { cold: true }
  - openPage: feed
  - measure: second
    steps: [ { repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";

/// A phone with Android 12, whose app may be looked into, or not, and what happens to it.
fn older(word: &str, faults: &str) -> Stage {
    let lab = format!(
        "name: older
phones:
  - archetype: pixel-6
    serial: P6
    apps:
      - id: com.example.shop
        {word}
        pages:
          main: {{ activity: .MainActivity, link: 'shop://home', launcher: true }}
          feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.08, causes: [ {{ kind: unknown, method: net_await }} ] }}
{faults}"
    );
    let methods = Methods { wanted: true, ..Methods::default() };
    Stage::lab_yaml(&lab).diagnose(Diagnose::Each).probes(probes_telling(methods)).scenario(FEED)
}

fn found<'a>(story: &'a Story, window: &str) -> &'a WindowCauses {
    job(&story.record, 0).causes(window).expect("the window was asked about")
}

fn causes<'a>(story: &'a Story, window: &str) -> &'a HitchCauses {
    found(story, window).causes.as_ref().unwrap_or_else(|| panic!("{:?}", found(story, window).reason))
}

fn left_behind(story: &Story) -> Vec<String> {
    story.lab.phone("P6").map(|phone| phone.model().left_behind()).unwrap_or_default()
}

#[test]
fn methods_are_told_in_every_window_though_the_app_is_started_anew_between_them_and_of_a_closed_app_why_not()
{
    let net = "com.example.shop.Net.await, called by com.example.shop.FeedLoader.load";
    for (word, taken) in
        [("profileable: true", true), ("debuggable: true", true), ("debuggable: false", false)]
    {
        let story = older(word, "").run();
        for window in ["first", "second"] {
            let causes = causes(&story, window);
            let stacks = causes.stacks.as_ref().expect("somebody asked for them");
            assert_eq!((stacks.taken > 100, stacks.reason.is_none()), (taken, taken), "{word}: {stacks:?}");
            if !taken {
                assert!(
                    stacks.reason.as_deref().is_some_and(|why| why.contains("profileable")),
                    "{stacks:?}"
                );
            }
            let object = causes.causes.first().map_or("", |cause| cause.named.object.as_str());
            assert_eq!(object == net, taken, "{word} {window}: {:?}", causes.causes);
        }
        let job = job(&story.record, 0);
        assert_eq!((job.verdict, job.trials.len(), job.fault.is_none()), (Some(Verdict::Fail), 2, true));
        assert!(left_behind(&story).is_empty(), "{:?}", left_behind(&story));
    }
}

#[test]
fn iterations_that_count_are_never_recorded_so_and_the_answer_says_why_there_are_no_methods() {
    let story = older("profileable: true", "").diagnose(Diagnose::Always).run();
    let stacks = causes(&story, "first").stacks.as_ref().expect("somebody asked for them");
    let why = stacks.reason.as_deref().unwrap_or_default();
    assert!(stacks.taken == 0 && why.contains("those that count"), "{stacks:?}");
    let lines = story.lab.phone("P6").map(|phone| phone.model().left_behind()).unwrap_or_default();
    assert!(lines.is_empty(), "{lines:?}");
}

#[test]
fn a_diagnosis_that_is_cut_off_leaves_no_profiler_and_no_file() {
    let whole = older("profileable: true", "").run();
    let (_, events) = Record::read_ndjson(&whole.files.read("events.ndjson")).expect("a log");
    let began = events.iter().find(|event| matches!(event.fact, Fact::TrialStarted { diagnostic: true, .. }));
    let began = began.expect("a diagnosis").at.ns().unsigned_abs();
    let ended = events.iter().rfind(|event| matches!(event.fact, Fact::TrialFinished { .. }));
    let ended = ended.expect("its end").at.ns().unsigned_abs();
    for share in [3, 4, 5, 6, 8, 9] {
        let at = Duration::from_nanos(began + (ended - began) * share / 10);
        let story = older("profileable: true", "").interrupt(at, Urgency::Cancel).run();
        assert_eq!(job(&story.record, 0).verdict, Some(Verdict::Fail), "{share}");
        assert!(left_behind(&story).is_empty(), "{share}: {:?}", left_behind(&story));
    }
}
