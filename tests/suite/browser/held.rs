//! A run held against a baseline, in a browser: what became worse is told where it is, at any width.

use super::side::{SHOP, build};
use farmjank_results::compare::{Given, measured};
use farmjank_tests::stage::Stage;
use farmjank_witnesses::browser::Browser;
use serde_json::json;

#[test]
fn a_regression_in_a_browser() {
    let Some(browser) = Browser::start("held") else { return };
    let stage = |rate: &str, seed: u64| {
        Stage::lab_yaml(&build(rate)).seed(seed).scenario(&SHOP.replace("iterations: 3", "iterations: 8"))
    };
    let before = measured(&stage("0.0005", 1).run().record).into_iter().map(|one| one.session).collect();
    let story = stage("0.12", 2).reporters().against(Given::Runs, before).run();
    let page = story.files.read("report.html");
    browser.open(&page, "");
    let cell = "a.cell.fail[href^=\"#A14\"]";
    let told = browser.text(&format!("document.querySelector('{cell} .since.worse').innerText"));
    assert!(told.starts_with('▲') && told.ends_with("worse"), "{told}");
    let spoken = browser.text(&format!("document.querySelector('{cell}').getAttribute('aria-label')"));
    assert!(spoken.contains("worse than the baseline"), "{spoken}");
    assert_eq!(
        browser.count("document.querySelectorAll('.matrix .since').length"),
        1,
        "no word where nothing changed"
    );
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    browser.chrome("Emulation.setDeviceMetricsOverride", &phone);
    let broken =
        "[...document.querySelectorAll('.cell .top > *')].filter((one) => one.offsetHeight > 24).length";
    assert_eq!(browser.count(broken), 0, "numbers and words of a cell stay on one line each");
    assert!(browser.count("document.documentElement.scrollWidth") <= 390, "nothing hangs over");
    browser.chrome("Emulation.clearDeviceMetricsOverride", &json!({}));
    browser.click(cell);
    let count = |what: &str| browser.count(&format!("document.querySelectorAll('{what}').length"));
    assert!(
        count(".compared tbody tr.breached") >= 1 && count(".compared .span") >= 1,
        "each difference with its interval"
    );
    assert_eq!(count(".chart .base"), 1, "the baseline's p95 among the percentiles");
    assert!(count(".series .base") >= 2 && count(".series .ground") >= 1, "and amid the iterations");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
}
