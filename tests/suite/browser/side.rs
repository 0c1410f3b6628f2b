//! Two builds side by side in one page: what people see and do in it.

use farmjank_engine::scribe::Kept;
use farmjank_reporters::side_by_side::{Run, html};
use farmjank_tests::stage::{Stage, Story};
use farmjank_witnesses::browser::Browser;
use serde_json::json;

pub const SHOP: &str = "
name: Shop
appId: com.example.shop
iterations: 3
warmup: 1
steps:
  - launchApp: { cold: true }
  - openLink: shop://search
  - measure: fling the results
    steps:
      - repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 500ms } ] }
thresholds:
  hitch_ms_per_s: 'mean < 60'
";

/// A build of the shop on two phones; its search page hitches so often on the first.
pub fn build(rate: &str) -> String {
    let phone = |archetype: &str, serial: &str, rate: &str| {
        format!(
            "  - archetype: {archetype}\n    serial: {serial}\n    apps:\n      - id: com.example.shop\n        pages:\n          \
             main: {{ activity: .MainActivity, link: 'shop://home', launcher: true }}\n          \
             search: {{ activity: .SearchActivity, link: 'shop://search', hitch_rate: {rate} }}\n"
        )
    };
    format!("name: shop\nphones:\n{}{}", phone("galaxy-a14", "A14", rate), phone("pixel-8", "P8", "0.0005"))
}

fn story(rate: &str, seed: u64) -> Story {
    // Enough iterations for the comparison to show something.
    let longer = SHOP.replace("iterations: 3", "iterations: 8");
    let mut story = Stage::lab_yaml(&build(rate)).seed(seed).scenario(&longer).run();
    // Runs of one lab have its name and seed in theirs, which two seeds tell apart.
    story.record.header.run += rate;
    story
}

const ROWS: &str = "document.querySelectorAll('.side tbody tr').length";

#[test]
fn two_builds_side_by_side_in_a_browser() {
    let Some(browser) = Browser::start("side") else { return };
    let (old, new) = (story("0.0005", 1), story("0.12", 2));
    let runs = [("<b>old</b>", &old), ("new", &new)]
        .map(|(name, story)| Run { name: name.to_owned(), record: &story.record });
    let page = html(&runs, &[&Kept(&*old.files), &Kept(&*new.files)]).into_bytes();
    browser.open(&page, "");
    let shown = browser.text("document.body.innerText");
    for part in ["2 runs side by side", "<b>old</b>", "virtual lab shop", "worse", "fling the results"] {
        assert!(shown.contains(part), "{part} is missing:\n{shown}");
    }
    assert_eq!(browser.count(ROWS), 2);
    assert_eq!(browser.count("document.querySelectorAll('.side thead th').length"), 3, "a column per run");
    let first = browser.text("document.querySelector('.side tbody tr').innerText");
    assert!(first.contains("SM-A145F") && first.contains("▲"), "the worst change comes first: {first}");
    assert_eq!(
        browser.count("document.querySelectorAll('.side .delta.worse').length"),
        1,
        "what is shown has a colour"
    );
    let other = browser.text("document.querySelectorAll('.side tbody tr')[1].innerText");
    assert!(!other.contains("worse"), "what noise explains has no word: {other}");
    assert!(
        browser.count("document.querySelectorAll('.side .dots circle').length") >= 32,
        "a dot per iteration"
    );
    assert!(browser.count("document.querySelectorAll('.side .dots .mean').length") > 0, "with an interval");
    // Another metric, then a filter.
    browser.eval(
        "(() => { const one = document.querySelector('select[aria-label=metric]'); one.value = 'fps'; \
         one.dispatchEvent(new Event('change')); return true; })()",
    );
    assert!(browser.text("document.querySelector('.side tbody .cell').innerText").contains("fps"));
    browser.click(".chip.pass");
    assert_eq!(browser.count(ROWS), 1);
    browser.click("[role=status] button");
    assert_eq!(browser.count(ROWS), 2);
    depth(&browser);
    looks(&browser, &page);
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
    let asked = browser.requests();
    let own = ["file:", "data:", "about:", "chrome:"];
    assert!(asked.iter().all(|url| own.iter().any(|own| url.starts_with(own))), "it asks nobody: {asked:?}");
}

/// A row in depth: a plot and barcodes per run, all on one scale.
fn depth(browser: &Browser) {
    browser.click(".side tbody a.cell");
    assert!(
        browser.text("location.hash").starts_with("#A14/Shop/fling%20the%20results"),
        "an address of its own"
    );
    assert_eq!(browser.count("document.querySelectorAll('.run .plot canvas').length"), 2);
    assert_eq!(
        browser.count("document.querySelectorAll('.run .row .barcode').length"),
        18,
        "a warm-up and eight, twice"
    );
    let spans = "new Set([...document.querySelectorAll('.run .row .barcode')].map((one) => one.getAttribute('viewBox'))).size";
    assert_eq!(browser.count(spans), 1, "barcodes share their scale");
    // The times under a plot, as drawn.
    let ticks = |nth: u32| {
        browser.text(&format!(
            "(() => {{ const one = document.querySelectorAll('.run .plot canvas')[{nth}], tall = 24 * devicePixelRatio; \
             const copy = Object.assign(document.createElement('canvas'), {{ width: one.width, height: tall }}); \
             copy.getContext('2d').drawImage(one, 0, tall - one.height); return copy.toDataURL(); }})()"
        ))
    };
    let whole = ticks(0);
    assert_eq!(whole, ticks(1), "plots share their scale");
    browser.key("+");
    assert_ne!(ticks(0), whole, "it zooms");
    assert_eq!(ticks(0), ticks(1), "and all plots go along");
    assert_eq!(
        browser.count("document.querySelectorAll('.lengths .card').length"),
        2,
        "lengths of both runs"
    );
    assert_eq!(
        browser.count("document.querySelectorAll('.lengths .card:last-child .ghost').length"),
        2,
        "and the first run behind the second"
    );
    assert!(browser.text("document.querySelector('.beside').innerText").contains("hitch_ms_per_s"));
    browser.key("Escape");
    assert_eq!(browser.count(ROWS), 2, "and back");
}

fn looks(browser: &Browser, page: &[u8]) {
    let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.chrome("Emulation.setEmulatedMedia", &features);
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    browser.chrome("Emulation.setDeviceMetricsOverride", &phone);
    for hash in ["", "#A14/Shop/fling%20the%20results"] {
        browser.open(page, hash);
        assert_eq!(browser.text("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 27)");
        let wide = browser.count("document.documentElement.scrollWidth");
        assert!(wide <= 390, "{wide} px wide at {hash:?}: nothing may hang over");
        assert!(browser.picture().len() > 30_000);
    }
}
