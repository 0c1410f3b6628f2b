//! Why frames were late, as people read it on the page of a cell; and a thread with a name that would act.

use farmjank_engine::diagnose::Diagnose;
use farmjank_reporters::html::html;
use farmjank_results::event::{Event, Fact};
use farmjank_results::record::Record;
use farmjank_seams::reporter::NoFrameLogs;
use farmjank_tests::stage::Stage;
use farmjank_witnesses::browser::Browser;
use serde_json::json;

const LAB: &str = "
name: late
phones:
  - { archetype: pixel-8, serial: P8, apps: &apps [ { id: com.example.shop, pages: {
      main: { activity: .MainActivity, link: 'shop://home', launcher: true },
      feed: { activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.06, causes: [ { kind: lock, meanwhile: disk } ] } } } ] }
  - { archetype: redmi-note-7, serial: R7, apps: *apps }
";
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
  - measure: fling the feed
    steps: [ { repeat: { times: 4, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";
const SECTION: &str = "document.querySelector('.why-late')";

fn section(browser: &Browser, page: &[u8], phone: &str) -> String {
    browser.open(page, &format!("#{phone}/Feed/fling%20the%20feed"));
    browser.text(&format!("{SECTION}.innerText"))
}

#[test]
fn the_page_of_a_cell_says_why_its_frames_were_late() {
    let Some(browser) = Browser::start("late") else { return };
    let story = Stage::lab_yaml(LAB).scenario(FEED).reporters().diagnose(Diagnose::Failed).run();
    let page = story.files.read("report.html");
    let told = section(&browser, &page, "P8");
    for words in [
        "main waits for a lock held by \"db-writer\" in ShopDb.flush",
        "meanwhile db-writer waits for the disk",
        "lock.monitor",
        "late frames",
        "in it, ",
        "evidence/job-0/trial-2/trial.perfetto-trace.zst",
        "ui.perfetto.dev",
    ] {
        assert!(told.contains(words), "{words} is missing:\n{told}");
    }
    // The bar's widest part is what was planted: waiting.
    let widest = "[...document.querySelectorAll('.why-late > .charged i')].sort((a, b) => b.offsetWidth - a.offsetWidth)[0].className";
    assert_eq!(browser.text(widest), "waiting");
    let folded = "document.querySelectorAll('.late-frames details:not([open]):not(.lane-details) li').length";
    if browser.count(folded) > 0 {
        browser.click(".late-frames details:not(.lane-details) > summary");
        assert_eq!(browser.count(folded), 0, "and opens");
    }
    let old = section(&browser, &page, "R7");
    assert!(old.contains("is not known") && old.contains("Android 12 is the first"), "{old}");
    assert_eq!(browser.count(&format!("{SECTION}.querySelectorAll('.charged').length")), 0);
    // The same run, had a stranger named the thread that has the lock.
    let (_, mut events) = Record::read_ndjson(&story.files.read("events.ndjson")).expect("a log");
    for Event { fact, .. } in &mut events {
        if let Fact::CausesFound { causes: Some(causes), .. } = fact {
            causes.causes[0].named.title = "<img src=x onerror=\"document.title=668\">".to_owned();
        }
    }
    let hostile = html(&Record::fold(&events).expect("a log"), &NoFrameLogs).into_bytes();
    assert!(section(&browser, &hostile, "P8").contains("<img src=x"), "it is text");
    assert_eq!(browser.count("document.querySelectorAll('.why-late img').length"), 0);
    // On a phone nothing is wider than the screen.
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    browser.chrome("Emulation.setDeviceMetricsOverride", &phone);
    section(&browser, &page, "P8");
    assert!(browser.count("document.documentElement.scrollWidth") <= 390, "nothing hangs over");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
}
