//! Which source a window is judged by, what was passed over for it and why, and whose fault late frames are.

use super::FEED;
use farmjank_results::event::{Ending, WindowMeasured};
use farmjank_results::frame::SourceId;
use farmjank_results::metric::Reading;
use farmjank_tests::oracle::judged::judged;
use farmjank_tests::stage::{Stage, Story};

const APP: &str = "com.example.shop";

/// Measured windows of complete trials, by phone.
fn windows(story: &Story) -> Vec<(String, WindowMeasured)> {
    let mut found = Vec::new();
    for job in story.record.jobs.values() {
        let serial = job.planned.device.as_ref().expect("a phone").0.clone();
        for trial in job.trials.iter().filter(|trial| trial.ending == Some(Ending::Completed)) {
            let own = trial.windows.iter().filter(|window| window.window != "launch");
            found.extend(own.map(|window| (serial.clone(), window.clone())));
        }
    }
    found
}

fn source(window: &WindowMeasured) -> SourceId {
    window.coverage.as_ref().unwrap_or_else(|| panic!("{:?}", window.void)).source
}

/// Why the trace was passed over.
fn passed_over(window: &WindowMeasured) -> Option<&str> {
    window.passed_over.iter().find(|over| over.what == "frametimeline").map(|over| over.why.as_str())
}

/// The ring judges, rightly, and says why the trace does not.
fn falls_back(story: &Story, because: &[&str]) {
    let all = windows(story);
    assert!(all.len() >= 3, "{} windows", all.len());
    for (serial, window) in all {
        assert_eq!(source(&window), SourceId::SurfaceFlinger, "{serial}: {:?}", window.passed_over);
        let why = passed_over(&window).unwrap_or_else(|| panic!("{serial}: {:?}", window.passed_over));
        assert!(because.iter().any(|part| why.contains(part)), "{serial}: {why}");
        let expected = story.expected(&serial, &window).expect("truth");
        let coverage = window.coverage.as_ref().expect("coverage");
        assert!(coverage.proved && coverage.frames_seen == expected.frames, "{serial}: {coverage:?}");
    }
}

#[test]
fn blame_counts_are_the_causes_of_the_lab_frame_by_frame() {
    let story = Stage::lab("compositor").seed(1).scenario(FEED).run();
    let (mut seen, mut blamed) = (0, [0; 5]);
    for (serial, window) in windows(&story) {
        let Reading::List(said) = &window.readings["ft_blame"] else {
            assert_eq!(serial, "lossy-traces", "{:?}", window.readings["ft_blame"]);
            continue;
        };
        let frames = story.lab.truth(&serial, |truth| judged(truth, &window, APP)).expect("a phone");
        for frame in &frames {
            assert_eq!(frame.culprit(), frame.caused(), "{serial}: {frame:?}");
            if let Some(place) = frame.caused() {
                blamed[place] += 1;
            }
        }
        let caused: Vec<f64> = (0..5)
            .map(|place| frames.iter().filter(|frame| frame.caused() == Some(place)).count() as f64)
            .collect();
        assert_eq!(*said, caused, "{serial}");
        assert_eq!(window.readings["ft_frames"].value(), Some(frames.len() as f64), "{serial}");
        seen += frames.len();
    }
    println!("{seen} frames; app, compositor, display, stuffing, dropped: {blamed:?}");
    assert!(seen > 1_000 && [1, 2, 4].iter().all(|place| blamed[*place] > 3), "{seen} {blamed:?}");
}

fn one(archetype: &str, rest: &str) -> String {
    format!("name: one\nphones:\n  - archetype: {archetype}\n    serial: P\n{rest}")
}

#[test]
fn a_trace_that_lost_packets_steps_back_for_the_ring() {
    let lossy = one("pixel-9-pro", "    faults: [trace_loss: { share: 0.2 }]\n");
    falls_back(&Stage::lab_yaml(&lossy).scenario(FEED).run(), &["may have missed"]);
}

#[test]
fn a_surface_view_has_no_frame_timeline_on_android_twelve() {
    let app = "    apps:\n      - id: com.example.shop\n        pages:\n          \
               feed: { activity: .FeedActivity, link: 'shop://feed', launcher: true, kind: surface_view }\n";
    // A view that first draws while it moves may be found too late: it draws before it is measured.
    let drawn = FEED.replace(
        "  - measure",
        "  - swipe: { direction: UP, duration: 250ms }\n  - wait: 900ms\n  - measure",
    );
    falls_back(&Stage::lab_yaml(&one("pixel-6", app)).scenario(&drawn).run(), &["not what the app draws on"]);
}

#[test]
fn phones_before_android_twelve_say_that_they_cannot_be_traced() {
    falls_back(&Stage::lab_yaml(&one("galaxy-tab-a7", "")).scenario(FEED).run(), &["Android 12"]);
}

#[test]
fn no_finger_comes_down_before_the_page_has_something_to_look_at() {
    let lab = "
name: slow page
phones:
  - archetype: pixel-8
    apps:
      - id: com.example.shop
        warm_ms: 900
        pages:
          main: { activity: .MainActivity, launcher: true, item_text: 'Offer {}', opens: product }
          product: { activity: .ProductActivity, item_text: 'Review {}' }
";
    let scenario = "appId: com.example.shop\nname: Product\niterations: 3\nwarmup: 0\nsteps:\n- launchApp\n- tapOn: Offer 1\n- measure: read reviews\n  steps: [ { swipe: { direction: UP, duration: 300 } } ]\n";
    let story = Stage::lab_yaml(lab).probes(Vec::new()).scenario(scenario).run();
    let all = windows(&story);
    assert_eq!(all.len(), 3);
    for (serial, window) in all {
        let coverage = window.coverage.as_ref().unwrap_or_else(|| panic!("{serial}: {:?}", window.void));
        assert!(coverage.proved, "{serial}: {:?}", coverage.doubts);
        let layer = coverage.layer.as_deref().unwrap_or_default();
        assert!(layer.contains("ProductActivity"), "{layer}");
    }
}

#[test]
fn a_trace_without_a_frame_accuses_nobody_while_surfaceflinger_is_silent() {
    let lab = "
name: deaf
phones:
  - archetype: pixel-6
    serial: P6
    apps:
      - id: com.example.shop
        pages:
          main: { activity: .MainActivity, launcher: true }
          feed: { activity: .FeedActivity, link: 'shop://feed', kind: flutter }
faults:
  - { at: 0ms, phone: P6, kind: dump_timeout, for: 120000ms }
";
    let story = Stage::lab_yaml(lab).scenario(FEED).run();
    let all = windows(&story);
    assert!(!all.is_empty());
    for (serial, window) in all {
        let why = window.void.as_deref().unwrap_or_else(|| panic!("{serial} has numbers"));
        assert!(!why.contains("nothing scrolled"), "its Flutter page moved all the time: {why}");
    }
}
