//! The lines under the frame plot: what was used beside the frames, on their clock.

use farmjank_tests::stage::Stage;
use farmjank_witnesses::browser::Browser;

const LAB: &str = "
name: beside
phones:
  - { archetype: pixel-8, serial: open, battery: { plugged: false } }
  - { archetype: pixel-6, serial: shut, refuses: [memory] }
";

fn scenario(beside: &str) -> String {
    format!(
        "name: Beside\nappId: com.example.shop\niterations: 2\nwarmup: 0\n{beside}steps:\n  - launchApp: {{ cold: true }}\n  \
         - openLink: shop://feed\n  - measure: scroll\n    thresholds: {{ rss_mb: 'max < 181MB' }}\n    steps:\n      \
         - repeat: {{ times: 4, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 900ms }} ] }}\n"
    )
}

/// Where one thing lies, as left and width in px.
fn place(browser: &Browser, selector: &str) -> (f64, f64) {
    let value = browser.eval(&format!(
        "(() => {{ const at = document.querySelector(\"{selector}\").getBoundingClientRect(); return [at.x, at.width]; }})()"
    ));
    let number = |nth: usize| value[nth].as_f64().unwrap_or_else(|| panic!("{selector} is {value}"));
    (number(0), number(1))
}

const LINE: &str = ".use-line[aria-label^=cpu_ms_per_s] svg path.line";
const NAMES: &str = "[...document.querySelectorAll('.use b')].map((one) => one.innerText).join(' ')";

#[test]
fn what_was_used_is_drawn_under_the_frames_and_follows_their_zoom() {
    let Some(browser) = Browser::start("beside") else { return };
    let asked = scenario("beside: [cpu, memory, temperature, battery, network]\n");
    let story = Stage::lab_yaml(LAB).scenario(&asked).reporters().run();
    let page = story.files.read("report.html");
    browser.open(&page, "#open/Beside/scroll/1");
    assert_eq!(
        browser.text(NAMES),
        "cpu_ms_per_s device_cpu_pct rss_mb skin_c battery_c battery_ma network_rx_kb network_tx_kb"
    );
    // The same pixels are the same instants in both.
    let (plot, over) = (place(&browser, ".plot .u-over"), place(&browser, ".use-line .ground"));
    assert!((plot.0 - over.0).abs() < 1.0 && (plot.1 - over.1).abs() < 1.0, "{plot:?} is not {over:?}");
    let drawn = || browser.text(&format!("document.querySelector('{LINE}').getAttribute('d')"));
    let whole = drawn();
    assert!(whole.matches('L').count() >= 6, "a step for each look: {whole}");
    browser.click(".tools button[title='zoom in']");
    let near = drawn();
    assert_ne!(near, whole);
    browser.click(".tools button[title='move right']");
    assert_ne!(drawn(), near);
    browser.click(".tools button[title='show all']");
    let middle = browser.eval(
        "(() => { const over = document.querySelector('.plot .u-over'); over.scrollIntoView({ block: 'center' }); \
         const at = over.getBoundingClientRect(); return at.y + at.height / 2; })()",
    );
    let middle = middle.as_f64().expect("a height");
    browser.mouse("mouseMoved", (plot.0 + plot.1 / 2.0, middle), false, false);
    let told =
        "[...document.querySelectorAll('.use .now')].map((one) => one.innerText).filter(Boolean).length";
    let answered =
        format!("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done({told}))))");
    assert_eq!(browser.count(&answered), 8, "each says what it is at the cursor");
    assert!(
        browser.count("document.querySelectorAll('.use-line .limit').length") == 1,
        "the limit on rss_mb"
    );

    browser.open(&page, "#shut/Beside/scroll/1");
    let shown = browser.text("document.querySelector('.beside').innerText");
    for reason in
        ["does not let a shell read VmRSS", "a cable feeds the phone", "Android 10 to 12 tell a shell"]
    {
        assert!(shown.contains(reason), "{reason} in {shown}");
    }
    assert_eq!(browser.count("document.querySelectorAll('.use-line').length"), 4, "what it tells is drawn");

    let plain = Stage::lab_yaml(LAB).scenario(&scenario("")).reporters().run();
    browser.open(&plain.files.read("report.html"), "#open/Beside/scroll/1");
    assert_eq!(browser.text(NAMES), "rss_mb", "a limit asks for what it needs alone");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
