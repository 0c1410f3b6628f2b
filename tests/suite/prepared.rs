//! Phones are brought into the state a scenario wants, and left as they were found, whatever happens in between.

use farmjank_engine::stop::Urgency;
use farmjank_results::event::Fact;
use farmjank_results::record::Record;
use farmjank_tests::stage::{Stage, Story};
use std::time::Duration;

/// Everything that can be changed, two iterations of a short window.
const PREPARED: &str = "
name: Prepared
appId: com.example.shop
iterations: 2
warmup: 0
prepare: { animations: 1, refresh_rate: 60, battery_saver: false }
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling
    steps: [ { repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ] } } ]
";

/// A phone of somebody: its screen goes off soon, it is slow on purpose, it saves power.
fn phone(more: &str) -> String {
    format!(
        "name: own\nphones: [ {{ archetype: pixel-8, serial: P, settings: {{ global/animator_duration_scale: '0.5', \
         global/low_power: '1', system/screen_off_timeout: '30000' }}{more} }} ]\n"
    )
}

/// What is otherwise on the phone than before.
fn changed(story: &Story) -> Vec<String> {
    let left = story.lab.phone("P").expect("the phone").model().left_behind();
    left.into_iter().filter(|what| what.starts_with("setting ")).collect()
}

fn notices(story: &Story) -> String {
    story.record.notices.iter().map(|(_, what)| format!("{what}\n")).collect()
}

#[test]
fn what_is_changed_for_a_job_is_said_and_set_back_after_it() {
    let story = Stage::lab_yaml(&phone("")).scenario(PREPARED).run();
    assert_eq!(story.record.exit_code, Some(0), "{}", story.ear.err.borrow());
    assert_eq!(changed(&story), Vec::<String>::new());
    assert_eq!(
        notices(&story),
        "changed on P for this job, and set back after it: global/stay_on_while_plugged_in not set → 7, \
         global/animator_duration_scale 0.5 → 1.0, global/low_power 1 → 0, system/peak_refresh_rate 120.0 → 60.0, \
         system/min_refresh_rate not set → 60.0\n\
         set back on P: system/min_refresh_rate 60.0 → not set, system/peak_refresh_rate 60.0 → 120.0, \
         global/low_power 0 → 1, global/animator_duration_scale 1.0 → 0.5, global/stay_on_while_plugged_in 7 → not set\n"
    );
    let (_, events) = Record::read_ndjson(&story.files.read("events.ndjson")).expect("a whole log");
    let prepared: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.fact {
            Fact::PhonePrepared { state, changes, .. } => Some((state, changes.len())),
            _ => None,
        })
        .collect();
    let [(state, 5)] = prepared[..] else { panic!("{prepared:?}") };
    assert_eq!(state.settings["global/low_power"], "1", "as it was found");
    assert!(state.battery.is_some_and(|battery| battery.saver && battery.percent == 84), "{state:?}");
    assert!(
        state.storage.is_some() && state.awake == Some(true) && state.keyguard == Some(false),
        "{state:?}"
    );
    // It was pinned while it was measured.
    let rates = story.record.jobs[&0]
        .trials
        .iter()
        .flat_map(|trial| &trial.windows)
        .filter_map(|window| window.refresh_hz);
    assert!(
        rates.clone().count() == 2 && rates.clone().all(|hz| (hz - 60.0).abs() < 1.0),
        "{:?}",
        rates.collect::<Vec<_>>()
    );
}

#[test]
fn an_old_phone_on_a_slow_hub_is_given_the_time_its_settings_take() {
    // Until Android 8 each `settings` starts a virtual machine, and each change takes three of them.
    let old = "name: own\nlatency: hub\nphones: [ { archetype: galaxy-s7, serial: P } ]\n";
    let wanted =
        PREPARED.replace("animations: 1, refresh_rate: 60", "animations: 1.5, refresh_rate: highest");
    let left = |seed: u64| {
        let story = Stage::lab_yaml(&format!("{old}seed: {seed}\n")).scenario(&wanted).run();
        let (told, changed) = (notices(&story), changed(&story));
        (changed != Vec::<String>::new() || !told.contains("set back on P: "))
            .then_some((seed, changed, told))
    };
    let all: Vec<_> = (0..6).filter_map(left).collect();
    assert!(all.is_empty(), "{all:?}");
}

#[test]
fn a_phone_nobody_wants_otherwise_is_not_touched() {
    let plain = PREPARED.replace("prepare: { animations: 1, refresh_rate: 60, battery_saver: false }\n", "");
    let story =
        Stage::lab_yaml("name: own\nphones: [ { archetype: pixel-8, serial: P } ]\n").scenario(&plain).run();
    assert_eq!((story.record.exit_code, notices(&story)), (Some(0), String::new()));
    let awake = Stage::lab_yaml(&phone("")).scenario(&plain).run();
    let said = notices(&awake);
    assert!(
        said.starts_with(
            "changed on P for this job, and set back after it: global/stay_on_while_plugged_in not set → 7\n"
        ),
        "{said}"
    );
    assert!(said.contains("battery saver is on and caps the refresh rate"), "{said}");
    assert_eq!(changed(&awake), Vec::<String>::new());
}

#[test]
fn a_phone_that_is_empty_full_or_slow_is_a_fault_of_its_own() {
    let fault = |more: &str, scenario: &str| {
        let story = Stage::lab_yaml(&phone(more)).scenario(scenario).run();
        assert_eq!(changed(&story), Vec::<String>::new());
        let fault = story.record.jobs[&0].fault.clone().expect("a fault");
        (story.record.exit_code, fault.code.word().to_owned(), fault.to_string())
    };
    let (exit, code, what) = fault(", battery: { level: 12 }", PREPARED);
    assert_eq!((exit, code.as_str()), (Some(3), "battery_low"), "{what}");
    assert!(what.contains("12 %") && what.contains("--prepare min_battery=0"), "{what}");
    let (exit, code, what) = fault(", free_mb: 90", PREPARED);
    assert_eq!((exit, code.as_str()), (Some(3), "storage_low"), "{what}");
    let (exit, code, what) = fault("", &PREPARED.replace("refresh_rate: 60", "refresh_rate: 90"));
    assert_eq!((exit, code.as_str()), (Some(1), "rate_missing"), "{what}");
}

#[test]
fn recorders_of_others_are_told_and_ours_are_not() {
    let more = ", programs: [ 'screenrecord /sdcard/a.mp4', 'perfetto -o /data/misc/perfetto-traces/farmjank-00 -c -' ]";
    let said = notices(&Stage::lab_yaml(&phone(more)).scenario(PREPARED).run());
    assert!(
        said.contains("something else records on P and may cost it frames: `screenrecord /sdcard/a.mp4`"),
        "{said}"
    );
    assert!(!said.contains("farmjank-00"), "{said}");
}

#[test]
fn ctrl_c_at_any_moment_leaves_the_phone_as_it_was() {
    for ms in (200..9_000).step_by(800) {
        for urgency in [Urgency::Drain, Urgency::Cancel] {
            let stage =
                Stage::lab_yaml(&phone("")).scenario(PREPARED).interrupt(Duration::from_millis(ms), urgency);
            let story = stage.run();
            assert_eq!(changed(&story), Vec::<String>::new(), "{urgency:?} after {ms} ms");
        }
    }
}

#[test]
fn a_phone_that_leaves_and_comes_back_or_reboots_is_left_as_it_was() {
    for kind in ["unplug, for: 6s", "reboot, for: 20s", "offline, for: 3s", "wedge, for: 20s", "frozen_app"] {
        for ms in [900, 1_400, 3_000, 5_000] {
            let lab = phone("") + &format!("faults: [ {{ at: {ms}ms, phone: P, kind: {kind} }} ]\n");
            let story = Stage::lab_yaml(&lab).scenario(PREPARED).run();
            assert_eq!(changed(&story), Vec::<String>::new(), "{kind} at {ms} ms: {}", notices(&story));
        }
    }
    let lab = phone("") + "faults: [ { at: 3s, phone: P, kind: unplug, for: 6s } ]\n";
    let said = notices(&Stage::lab_yaml(&lab).scenario(PREPARED).run());
    assert!(said.contains("P is left changed, and set back when it is next used from here: "), "{said}");
    assert!(said.contains("left by run lab-own-seed0: set back on P: "), "{said}");
}

#[test]
fn what_somebody_else_sets_meanwhile_stays_and_is_said() {
    let own = PREPARED.replace(
        "  - openPage: feed\n",
        "  - openPage: feed\n  - shell: settings put global animator_duration_scale 3\n",
    );
    let story = Stage::lab_yaml(&phone("")).scenario(&own).run();
    assert_eq!(
        changed(&story),
        [r#"setting global/animator_duration_scale is Some("3") and was Some("0.5")"#],
        "the rest is set back"
    );
    let said = notices(&story);
    assert!(
        said.contains(
            "not set back on P: global/animator_duration_scale is 3, which somebody else set meanwhile"
        ),
        "{said}"
    );
}
