//! Maestro's flows as they are: what each command does on a phone of the lab.

use farmjank_results::fault::FaultCode;
use farmjank_results::record::Record;
use farmjank_tests::stage::{Stage, Story};

/// A shop whose search page has a field and whose settings page comes late, has a switch, and misses its first tap.
const LAB: &str = "
name: flows
phones:
  - archetype: pixel-8
    serial: P8
    apps:
      - id: com.example.shop
        pages:
          main: { activity: .MainActivity, link: 'shop://home', launcher: true, item_text: 'Offer {}', opens: product }
          product: { activity: .ProductActivity, link: 'shop://product', item_text: 'Review {}' }
          search: { activity: .SearchActivity, link: 'shop://search', item_text: 'Result {}', loads_ms: 9000 }
          settings: { activity: .SettingsActivity, link: 'shop://settings', switch: Dark mode, misses_taps: 1 }
";

fn flow(steps: &str) -> String {
    format!("appId: com.example.shop\nname: flow\niterations: 1\nwarmup: 0\n---\n- launchApp\n{steps}")
}

fn ran(steps: &str) -> Story {
    Stage::lab_yaml(LAB).scenario(&flow(steps)).run()
}

/// The fault of its one job, in words.
fn fault(record: &Record) -> Option<String> {
    let job = record.jobs.get(&0)?;
    job.fault.as_ref().map(|fault| fault.to_string())
}

fn passes(steps: &str) -> Story {
    let story = ran(steps);
    assert_eq!(fault(&story.record), None, "{steps}");
    story
}

fn fails(steps: &str, code: FaultCode) -> String {
    let story = ran(steps);
    let job = story.record.jobs.get(&0).expect("the job");
    let found = job.trials.iter().find_map(|trial| match &trial.ending {
        Some(farmjank_results::event::Ending::Faulted(fault)) => Some(fault.clone()),
        _ => None,
    });
    let found = found.unwrap_or_else(|| panic!("it passed: {steps}"));
    assert_eq!(found.code, code, "{found}");
    found.to_string()
}

#[test]
fn hide_keyboard_hides_a_keyboard_and_stays_on_the_page() {
    let shown = "- openLink: shop://search\n- tapOn: { id: search_box }\n- inputText: red shoes\n- hideKeyboard\n- assertVisible: { text: RED shoes, focused: true }\n";
    passes(shown);
    // None is up: `back` would leave the page.
    passes(&format!("{shown}- hideKeyboard\n- hideKeyboard\n- assertVisible: red shoes\n"));
    fails(
        &format!("{shown}- back\n- assertVisible: {{ text: red shoes, timeout: 1s }}\n"),
        FaultCode::ElementMissing,
    );
}

#[test]
fn hide_keyboard_stays_on_the_page_where_words_of_the_phone_linger() {
    let shown = "- openLink: shop://search\n- tapOn: { id: search_box }\n- inputText: red shoes\n";
    let stays = flow(&format!("{shown}- hideKeyboard\n- hideKeyboard\n- assertVisible: red shoes\n"));
    let hardware = "    serial: P8\n    input: { hardware_keyboard: true }";
    for lab in [LAB.replace("    serial: P8", hardware), LAB.replace("pixel-8\n", "pixel-9-pro\n")] {
        let story = Stage::lab_yaml(&lab).scenario(&stays).run();
        assert_eq!(fault(&story.record), None, "{lab}");
    }
}

#[test]
fn erase_text_takes_letters_from_the_field() {
    passes(
        "- openLink: shop://search\n- tapOn: { id: search_box }\n- inputText: shoes\n- eraseText: 2\n- assertVisible: sho\n- eraseText\n- assertVisible: Search\n",
    );
}

#[test]
fn what_comes_late_is_waited_for_and_what_goes_late_as_well() {
    passes(
        "- openLink: shop://search\n- extendedWaitUntil: { visible: Result 1, timeout: 20000 }\n- assertNotVisible: Loading\n",
    );
    passes(
        "- openLink: shop://search\n- assertVisible: Loading\n- extendedWaitUntil: { notVisible: Loading, timeout: 20000 }\n- assertVisible: Result 1\n",
    );
    let told = fails(
        "- openLink: shop://search\n- assertVisible: { text: Result 1, timeout: 2s }\n",
        FaultCode::ElementMissing,
    );
    assert!(told.contains("no element with text `Result 1`"), "{told}");
    let told = fails(
        "- openLink: shop://search\n- assertNotVisible: { text: Loading, timeout: 2s }\n",
        FaultCode::ElementPresent,
    );
    assert!(told.contains("text `Loading` is still on the screen after 2.0 s"), "{told}");
    // A tap waits as well.
    passes("- openLink: shop://search\n- tapOn: { text: 'Result 3', timeout: 30s }\n");
}

#[test]
fn a_missed_tap_is_repeated_where_that_was_asked_for() {
    let settings = "- openLink: shop://settings\n";
    let on = "- assertVisible: { id: switch, checked: true, timeout: 1s }\n";
    passes(&format!("{settings}- tapOn: {{ text: dark mode, retryTapIfNoChange: true }}\n{on}"));
    fails(&format!("{settings}- tapOn: dark mode\n{on}"), FaultCode::ElementMissing);
    passes(&format!("{settings}- tapOn: {{ text: Dark mode, repeat: 2, delay: 300 }}\n{on}"));
}

#[test]
fn steps_under_a_condition_run_only_where_it_holds() {
    let to_search = "runFlow: { when: { visible: Offer 1 }, commands: [ openLink: shop://search ] }";
    passes(&format!("- {to_search}\n- assertVisible: Search\n"));
    let skipped = passes(
        "- runFlow: { when: { visible: Skip intro }, commands: [ tapOn: Skip intro ] }\n- runFlow: { when: { notVisible: Offer 1 }, commands: [ tapOn: Skip intro ] }\n- runFlow: { when: { platform: iOS }, commands: [ tapOn: Skip intro ] }\n- assertVisible: Offer 1\n",
    );
    assert_eq!(skipped.record.exit_code, Some(0));
    passes(
        "- repeat: { while: { notVisible: Offer 60 }, times: 40, commands: [ swipe: { direction: UP, duration: 200 } ] }\n- assertVisible: Offer 60\n",
    );
    passes(
        "- repeat: { while: { true: '${(output.n || 0) < 3}' }, commands: [ evalScript: '${output.n = (output.n || 0) + 1}' ] }\n- assertTrue: ${output.n == 3}\n",
    );
}

#[test]
fn what_fails_is_tried_again_and_the_lab_hears_of_it() {
    let story = passes(
        "- openLink: shop://search\n- retry: { maxRetries: 3, commands: [ assertVisible: { text: Result 1, timeout: 2s } ] }\n",
    );
    let told: Vec<&str> = story
        .record
        .notices
        .iter()
        .map(|notice| notice.1.as_str())
        .filter(|what| what.contains("tried again"))
        .collect();
    assert!((1..=3).contains(&told.len()), "{told:?}");
    fails(
        "- retry: { maxRetries: 1, commands: [ tapOn: { text: Nowhere, timeout: 1s } ] }\n",
        FaultCode::ElementMissing,
    );
}

#[test]
fn elements_are_told_apart_by_place_state_and_number() {
    passes("- tapOn: { text: 'Offer .*', index: 2 }\n- assertVisible: Review 1\n");
    passes(
        "- assertVisible: { text: 'offer \\d+', below: Offer 3, containsChild: { text: none } , optional: true }\n- tapOn: { below: Offer 1, text: 'Offer (2|9)' }\n- assertVisible: Review 1\n",
    );
    passes(
        "- assertVisible: { id: 'title', childOf: { id: list }, index: -1 }\n- assertVisible: { id: list, containsDescendants: [ { text: Offer 1 }, { text: Offer 2 } ] }\n",
    );
    fails("- assertVisible: { text: Offer 1, below: Offer 2, timeout: 1s }\n", FaultCode::ElementMissing);
    fails("- assertVisible: { text: Offer 1, enabled: false, timeout: 1s }\n", FaultCode::ElementMissing);
    passes("- assertVisible: { text: Offer 1, above: Offer 2, enabled: true }\n");
}

#[test]
fn what_was_copied_is_pasted_and_known_to_scripts() {
    passes(
        "- copyTextFrom: { id: title, index: 1 }\n- assertTrue: ${maestro.copiedText == 'Offer 2'}\n- openLink: shop://search\n- tapOn: { id: search_box }\n- pasteText\n- assertVisible: Offer 2\n- evalScript: ${output.next = maestro.copiedText.replace('2', '3')}\n- eraseText\n- inputText: ${output.next}\n- assertVisible: ${output.next}\n- assertVisible: Offer 3\n",
    );
    let told = fails("- assertTrue: ${1 == 2}\n", FaultCode::ConditionFalse);
    assert!(told.contains("`${1 == 2}` does not hold: it is `false`"), "{told}");
    let told = fails("- evalScript: ${http.get('https://x.example')}\n", FaultCode::ScriptFailed);
    assert!(told.contains("scripts of a scenario reach no network"), "{told}");
}

#[test]
fn screenshots_are_kept_and_random_words_are_typed() {
    let story = passes(
        "- takeScreenshot: Home page\n- openLink: shop://search\n- tapOn: { id: search_box }\n- inputRandomNumber: { length: 4 }\n- assertVisible: '\\d{4}'\n- eraseText\n- inputRandomEmail\n- assertVisible: '.*@example\\.com'\n- takeScreenshot: ${'b' + 1}\n",
    );
    let shots: Vec<String> = story
        .files
        .paths()
        .into_iter()
        .filter(|path| path.contains("/shots/"))
        .map(|path| path.to_string())
        .collect();
    assert_eq!(
        shots,
        ["evidence/job-0/trial-0/shots/0-home-page.png", "evidence/job-0/trial-0/shots/1-b1.png"]
    );
    assert!(story.files.read(&shots[0]).starts_with(b"\x89PNG"));
}

#[test]
fn long_and_double_taps_swipes_from_elements_and_launches_with_extras_run() {
    passes(
        "- longPressOn: Offer 1\n- assertVisible: Offer 1\n- doubleTapOn: { id: nav_search }\n- launchApp: { stopApp: false, permissions: { all: allow, camera: deny }, arguments: { fast: true, count: 3, name: '${\"a b\"}' } }\n- openLink: shop://home\n- swipe: { from: { text: Offer 3 }, direction: UP }\n- assertNotVisible: Offer 1\n- killApp\n",
    );
}

#[test]
fn the_same_seed_gives_the_same_run_with_scripts_in_it() {
    let steps = "- openLink: shop://search\n- tapOn: { id: search_box }\n- inputText: ${Math.floor(Math.random() * 1e6) + '-' + new Date().getFullYear()}\n- inputRandomText\n";
    let log = || ran(steps).files.read("events.ndjson");
    assert!(log() == log());
}
