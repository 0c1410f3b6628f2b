//! What voids an iteration before any number is looked at: a phone that compiles apps, heat that changes, a debuggable
//! app.

use super::{FEED, job, one_phone};
use farmjank_results::compare::measured;
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};

fn causes(story: &Story) -> Vec<String> {
    let trials = &job(&story.record, 0).trials;
    trials.iter().flat_map(|trial| &trial.windows).filter_map(|window| window.void.clone()).collect()
}

#[test]
fn a_phone_that_compiles_apps_is_waited_for_and_never_measured() {
    // It ends while the phone is waited for: nothing is void.
    let soon = one_phone("faults:\n  - { at: 0s, phone: P8, kind: dexopt, for: 40s }\n");
    let story = Stage::lab_yaml(&soon).scenario(FEED).run();
    assert_eq!((story.record.exit_code, causes(&story)), (Some(0), vec![]));
    // It never ends: every iteration is void, with its cause and its numbers.
    let ever = one_phone("faults:\n  - { at: 0s, phone: P8, kind: dexopt }\n");
    let story = Stage::lab_yaml(&ever).scenario(FEED).run();
    assert_eq!(story.record.exit_code, Some(4), "{:?}", job(&story.record, 0).reasons);
    let causes = causes(&story);
    assert!(causes.len() >= 3 && causes.iter().all(|cause| cause.contains("dex2oat")), "{causes:?}");
    let window = &job(&story.record, 0).trials[1].windows[1];
    assert!(window.readings.contains_key("fps"), "its numbers are kept: {window:?}");
}

#[test]
fn heat_that_changes_while_it_is_measured_voids_the_iteration_alone() {
    let warmer = one_phone("faults:\n  - { at: 15s, phone: P8, kind: heat, status: 1 }\n");
    let story = Stage::lab_yaml(&warmer).scenario(FEED).run();
    let causes = causes(&story);
    let told = "the phone's thermal status changed from none to light meanwhile";
    assert_eq!(causes, [told], "{:?}", job(&story.record, 0).trials);
    let (again, _) = Record::read_ndjson(&story.files.read("events.ndjson")).expect("a whole log");
    assert_eq!(again, story.record);
}

#[test]
fn battery_saver_is_told_with_the_rate_it_leaves() {
    let saving = "name: saving\nphones:\n  - { archetype: pixel-8, serial: P8, battery: { saver: true } }\n";
    let story = Stage::lab_yaml(saving).scenario(FEED).run();
    let said: Vec<&String> = story.record.notices.iter().map(|(_, what)| what).collect();
    assert!(
        said.iter().any(|what| what
            .contains("battery saver is on and caps the refresh rate (it is at 60 Hz and can do 120 Hz)")),
        "{said:?}"
    );
    let story = Stage::lab_yaml(&one_phone("")).scenario(FEED).run();
    assert_eq!(story.record.notices, []);
}

#[test]
fn a_battery_that_warms_up_voids_what_is_compared_and_no_limit() {
    // The last of three iterations finds it 4 °C warmer than the others, at the same thermal status.
    let warmer = one_phone("faults:\n  - { at: 18s, phone: P8, kind: battery, celsius: 33.5 }\n");
    let story = Stage::lab_yaml(&warmer).scenario(FEED).run();
    assert_eq!((story.record.exit_code, causes(&story)), (Some(0), vec![]));
    let windows = job(&story.record, 0).trials.iter().flat_map(|trial| &trial.windows);
    let seen: Vec<_> = windows.filter_map(|window| window.around.as_ref()?.battery_celsius).collect();
    assert!(seen.first() == Some(&29.5) && seen.last() == Some(&33.5), "{seen:?}");
    let session = measured(&story.record).remove(0).session;
    assert_eq!((session.values.len(), session.void.len()), (2, 1), "{seen:?} {:?}", session.void);
    assert!(
        session.void[0].ends_with("with the battery at 33.5 °C, most others near 29.5 °C"),
        "{:?}",
        session.void
    );
}

#[test]
fn the_version_of_the_app_is_known_and_a_debuggable_one_is_compared_with_nothing() {
    let story = Stage::lab_yaml(&one_phone("")).scenario(FEED).run();
    let session = measured(&story.record).remove(0).session;
    assert_eq!((session.app_version.as_deref(), session.void.len()), (Some("7.4.1 (741)"), 0));
    let apps = "    apps:
      - id: com.example.shop
        debuggable: true
        pages:
          main: { activity: .MainActivity, link: 'shop://home', launcher: true }
          feed: { activity: .FeedActivity, link: 'shop://feed' }\n";
    let lab = format!("name: debug\nphones:\n  - archetype: pixel-8\n    serial: P8\n{apps}");
    let story = Stage::lab_yaml(&lab).scenario(FEED).run();
    // Its limits are held; only what compares builds refuses it.
    assert_eq!(job(&story.record, 0).verdict, Some(Verdict::Pass));
    let session = measured(&story.record).remove(0).session;
    assert!(session.values.is_empty() && session.void.len() == 3, "{session:?}");
    assert!(session.void[0].contains("built to be debugged"), "{:?}", session.void);
}
