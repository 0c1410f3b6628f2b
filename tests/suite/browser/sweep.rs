//! A sweep of more phones than anybody reads one by one, in a browser: what broke in a sentence, rows of models.

use farmjank_tests::stage::Stage;
use farmjank_witnesses::browser::Browser;
use serde_json::json;

fn scenario(page: &str) -> String {
    format!(
        "
name: Shop {page}
appId: com.example.shop
iterations: 1
warmup: 0
steps:
  - openLink: shop://{page}
  - measure: fling the {page}
    steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 400ms }} ]
thresholds:
  frozen_frames: 'max < 100'
  hitch_ms_per_s: 'mean < 20'
"
    )
}

/// Twelve phones that stall in every touch of one page, eight that do not.
fn lab() -> String {
    let phones = |archetype: &str, count: u32, page: &str| {
        format!(
            "  - archetype: {archetype}\n    count: {count}\n    apps:\n      - id: com.example.shop\n        pages:\n          \
             feed: {{ activity: .FeedActivity, link: 'shop://feed', launcher: true, hitch_rate: 0.0, cost_ms: 2.0 }}\n          \
             product: {{ activity: .ProductActivity, link: 'shop://product', hitch_rate: 0.0, cost_ms: 2.0{page} }}\n"
        )
    };
    let stall = ", touch_stall: { every: 1, from: lift, after_ms: 150, ms: 90 }";
    format!("name: sweep\nphones:\n{}{}", phones("pixel-8", 12, stall), phones("redmi-note-7", 8, ""))
}

const CELLS: &str = "document.querySelectorAll('.matrix a.cell').length";

#[test]
fn many_phones_are_one_sentence_and_rows_of_models() {
    let Some(browser) = Browser::start("sweep") else { return };
    let story =
        Stage::lab_yaml(&lab()).scenario(&scenario("feed")).scenario(&scenario("product")).reporters().run();
    let page = story.files.read("report.html");
    browser.open(&page, "");
    assert_eq!(
        browser.text("document.querySelector('.short p').innerText"),
        "Shop product › fling the product broke on 12 of 20 phones; all are 120 Hz, and none of that kind was spared"
    );
    assert_eq!(browser.count(CELLS), 0, "models first");
    let rows = "[...document.querySelectorAll('.matrix tbody tr')].map((one) => one.innerText.replace(/\\s+/g, ' ')).join('|')";
    let shown = browser.text(rows);
    let [all, worst, other] = &shown.split('|').collect::<Vec<_>>()[..] else { panic!("{shown}") };
    assert!(all.starts_with("all 20 phones ✗ 12 of 20 ✓ 20 all") && all.ends_with("✗ 12 of 40"), "{all}");
    assert!(worst.contains("Pixel 8 12 phones ✗ 12 all ✓ 12 all"), "{worst}");
    assert!(other.contains("8 phones ✓ 8 all ✓ 8 all"), "{other}");
    // What broke names the worst phone of the window, not every one of them.
    assert_eq!(browser.count("document.querySelectorAll('.worst li').length"), 1);
    browser.click(".matrix [data-open='Pixel 8']");
    assert_eq!(browser.count(CELLS), 24, "a model opens");
    assert_eq!(browser.text("location.hash"), "#?open=Pixel+8", "and the address says so");
    browser.click(".matrix a.cell.fail");
    browser.key("Escape");
    assert_eq!(browser.count(CELLS), 24, "and it is open after a visit to a cell");
    browser.open(&page, "#?group=phone&phone=&text=product");
    assert_eq!(browser.count(CELLS), 20);
    browser.open(&page, "");
    browser.click(".short a");
    assert_eq!(
        browser.text("document.querySelector('[role=status]').innerText").split(" cells").next(),
        Some("12 of 40")
    );
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    browser.chrome("Emulation.setDeviceMetricsOverride", &phone);
    browser.open(&page, "");
    assert!(browser.count("document.documentElement.scrollWidth") <= 390, "nothing hangs over");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
}
