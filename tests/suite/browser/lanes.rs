//! Pictures of late frames, as people see them on the page of a cell: who waits stands over who is waited for, it opens
//! by keyboard, fits a phone, and a thread with a name that would act does not.

use farmjank_engine::diagnose::Diagnose;
use farmjank_frames::ftrace::Methods;
use farmjank_frames::registry::probes_telling;
use farmjank_reporters::html::html;
use farmjank_results::record::Record;
use farmjank_seams::reporter::FrameLogs;
use farmjank_tests::stage::{Stage, Story};
use farmjank_witnesses::browser::Browser;
use serde_json::json;

const LAB: &str = "
name: late
phones:
  - { archetype: pixel-8, serial: P8, apps: [ { id: com.example.shop, pages: {
      main: { activity: .MainActivity, link: 'shop://home', launcher: true },
      feed: { activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.06, causes: [ { kind: lock, meanwhile: disk } ] } } } ] }
";
const FEED: &str = "
name: Feed
appId: com.example.shop
iterations: 1
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
thresholds: { hitch_ms_per_s: 'mean < 1' }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 3, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";
const CELL: &str = "#P8/Feed/fling%20the%20feed";
const OPEN: &str = "document.querySelectorAll('.lane-details[open] figure').length";
/// Where the strong bar of the nth lane of the first picture begins and ends, whole px.
const BAR: &str = "[...document.querySelectorAll('.lanes .lane:not(.top, .bottom)')].slice(0, 2).map((lane) => \
                   [...lane.querySelectorAll('.lane-band i:not(.usual)')].map((bar) => bar.getBoundingClientRect()) \
                   .sort((a, b) => b.width - a.width)[0]).map((box) => [Math.round(box.left), Math.round(box.right)])";

/// The files of a story, had a stranger named the thread that has the lock.
struct Named<'s>(&'s Story, &'static str);

impl FrameLogs for Named<'_> {
    fn frame_log(&self, path: &str) -> Option<Vec<u8>> {
        let bytes = self.0.files.read(path);
        match path.contains(".lanes") {
            true => Some(String::from_utf8(bytes).expect("JSON").replace("db-writer", self.1).into_bytes()),
            false => Some(bytes),
        }
    }
}

/// The same files, torn.
struct Torn<'s>(&'s Story);
impl FrameLogs for Torn<'_> {
    fn frame_log(&self, path: &str) -> Option<Vec<u8>> {
        let bytes = self.0.files.read(path);
        Some(if path.contains(".lanes") { bytes[..bytes.len() / 2].to_vec() } else { bytes })
    }
}

/// Waits until so many pictures are drawn: a page is told that they are open in a task of its own.
fn drawn(browser: &Browser, open: u64) {
    let drawn = (0..100).any(|_| {
        browser.eval("new Promise((next) => setTimeout(() => next(true), 50))");
        browser.count(OPEN) == open
    });
    assert!(drawn, "{} are drawn, not {open}", browser.count(OPEN));
}

fn by_keyboard(browser: &Browser) {
    browser.eval("document.querySelectorAll('.lane-details summary')[1].focus(), true");
    for open in [2, 1] {
        for kind in ["keyDown", "keyUp"] {
            let params = json!({ "type": kind, "key": "Enter", "text": "\r", "windowsVirtualKeyCode": 13 });
            browser.chrome("Input.dispatchKeyEvent", &params);
        }
        drawn(browser, open);
    }
}

/// On a phone nothing is wider than the screen, however long names are.
fn on_a_phone(browser: &Browser, pages: &[&[u8]]) {
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    browser.chrome("Emulation.setDeviceMetricsOverride", &phone);
    for page in pages {
        browser.open(page, CELL);
        browser.eval("document.querySelectorAll('.lane-details').forEach((one) => (one.open = true)), true");
        assert!(browser.count("document.documentElement.scrollWidth") <= 390, "nothing hangs over");
        let wide = "[...document.querySelectorAll('.lane-marks span')].filter((one) => { \
                    const box = one.getBoundingClientRect(); return box.width && (box.left < 0 || box.right > 390); }).length";
        assert_eq!(browser.count(wide), 0, "every mark can be read");
    }
}

#[test]
fn the_picture_of_a_late_frame_shows_who_waited_for_whom() {
    let Some(browser) = Browser::start("lanes") else { return };
    let story = Stage::lab_yaml(LAB).scenario(FEED).reporters().diagnose(Diagnose::Failed).run();
    let page = story.files.read("report.html");
    browser.open(&page, CELL);
    assert!(browser.count("document.querySelectorAll('.lane-details').length") > 2);
    // The worst is seen at once, the others are drawn when they are asked for.
    drawn(&browser, 1);
    let told = browser.text("document.querySelector('.lanes').innerText");
    for words in [
        "main",
        "makes the frame",
        "db-writer",
        "main waits for it",
        "waits for the disk",
        "RenderThread",
        "GPU",
        "surfaceflinger",
        "should begin 0.0 ms",
        "app's deadline",
        "should be shown",
        "shown ",
        "runs on a CPU",
        "is ready, has no CPU",
        "sleeps, waits for somebody",
        "is blocked in the kernel",
        "main waits for a lock held by \"db-writer\" in ShopDb.flush",
        "charged",
    ] {
        assert!(told.contains(words), "{words} is missing:\n{told}");
    }
    let bars = browser.eval(BAR);
    let at = |lane: usize, side: usize| bars[lane][side].as_i64().expect("a bar");
    assert!(at(0, 1) - at(0, 0) > 100, "{bars}");
    assert!(
        (at(0, 0) - at(1, 0)).abs() <= 4 && (at(0, 1) - at(1, 1)).abs() <= 4,
        "one above the other: {bars}"
    );

    by_keyboard(&browser);

    // In the dark, in another colour.
    let colour = "getComputedStyle(document.querySelector('.lane-band .waiting')).backgroundColor";
    let light = browser.text(colour);
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.chrome("Emulation.setEmulatedMedia", &dark);
    assert_ne!(browser.text(colour), light);

    // A name that would act is text.
    let (_, events) = Record::read_ndjson(&story.files.read("events.ndjson")).expect("a log");
    let record = Record::fold(&events).expect("a log");
    let hostile = html(&record, &Named(&story, "<img src=x onerror=document.title=668>\u{202e}"));
    browser.open(hostile.as_bytes(), CELL);
    let told = browser.text("document.querySelector('.lanes').innerText");
    assert!(told.contains("<img src=x"), "it is text:\n{told}");
    assert!(!told.contains('\u{202e}'), "nothing reorders what is read");
    assert_eq!(browser.count("document.querySelectorAll('.lanes img').length"), 0);

    on_a_phone(&browser, &[hostile.as_bytes(), &page]);
    // A file that is torn is no picture, and no error.
    browser.open(html(&record, &Torn(&story)).as_bytes(), CELL);
    assert_eq!(browser.count("document.querySelectorAll('.lane-details').length"), 0);
    assert!(
        browser.text("document.querySelector('.why-late').innerText").contains("ShopDb.flush"),
        "the rest is told"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
}

#[test]
fn under_the_lanes_the_methods_stand_that_the_threads_were_in() {
    let Some(browser) = Browser::start("icicle") else { return };
    let lab = LAB
        .replace("kind: lock, meanwhile: disk", "kind: unknown, method: net_await")
        .replace("id: com.example.shop,", "id: com.example.shop, profileable: true,");
    let methods = Methods { wanted: true, ..Methods::default() };
    let stage = Stage::lab_yaml(&lab).scenario(FEED).reporters().diagnose(Diagnose::Failed);
    let story = stage.probes(probes_telling(methods)).run();
    browser.open(&story.files.read("report.html"), CELL);
    drawn(&browser, 1);
    let told = browser.text("document.querySelector('.icicle').innerText");
    for words in ["Methods of main", "known by stacks", "Net.await", "java.lang.Object.wait: ", "off its CPU"]
    {
        assert!(told.contains(words), "{words} is missing:\n{told}");
    }
    // What is called stands below its caller, and is no wider.
    let boxes = "['FeedLoader.load', 'Net.await'].map((name) => [...document.querySelectorAll('.icicle-chart i.off')] \
                 .find((one) => one.innerText === name).getBoundingClientRect()) \
                 .map((box) => [box.left, box.top, box.right, box.width].map(Math.round))";
    let boxes = browser.eval(boxes);
    let at = |nth: usize, side: usize| boxes[nth][side].as_i64().expect("px");
    assert!(at(0, 1) < at(1, 1) && at(0, 0) <= at(1, 0) && at(1, 2) <= at(0, 2) && at(1, 3) > 40, "{boxes}");
    on_a_phone(&browser, &[&story.files.read("report.html")]);
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
}
