//! What people see and do in `report.html` of a run in the lab.

use farmjank_reporters::cells::cells;
use farmjank_tests::stage::{Stage, Story};
use farmjank_witnesses::browser::Browser;
use serde_json::json;

const FEED: &str = "
name: Home feed
appId: com.example.shop
tags: [gate]
iterations: 2
warmup: 1
steps:
  - launchApp: { cold: true }
  - openLink: shop://feed
  - measure: fling the feed
    steps:
      - repeat: { times: 3, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 600ms } ] }
thresholds:
  hitch_ms_per_s: 'max == 0'
  frozen_frames: 'max < 40'
";

/// A name that would act, were it markup.
const HOSTILE: &str = "
name: '<img src=x onerror=\"document.title=666\">'
appId: com.example.shop
tags: [other]
iterations: 1
warmup: 0
steps:
  - launchApp: { cold: true }
  - measure: '</script><script>document.title=667</script>'
    steps:
      - swipe: { direction: UP, duration: 250ms }
";

/// Four phones that show the feed without a fault, but for one whose main thread is held in every touch: what is red
/// here is planted, with any seed.
fn lab() -> String {
    let phone = |archetype: &str, page: &str| {
        format!(
            "  - archetype: {archetype}\n    serial: virtual-{archetype}\n    apps:\n      - id: com.example.shop\n        pages:\n          \
             feed: {{ activity: .FeedActivity, link: 'shop://feed', launcher: true, hitch_rate: 0.0, {page} }}\n"
        )
    };
    let sound = ["pixel-8", "oneplus-9", "redmi-note-7"].map(|archetype| phone(archetype, "cost_ms: 2.0"));
    format!(
        "name: shops\nphones:\n{}{}",
        sound.concat(),
        phone("galaxy-a14", "touch_stall: { every: 1, from: lift, after_ms: 150, ms: 90 }")
    )
}

fn story() -> Story {
    Stage::lab_yaml(&lab()).scenario(FEED).scenario(HOSTILE).reporters().screens().run()
}

const CELLS: &str = "document.querySelectorAll('.matrix a.cell').length";
const TITLE: &str = "document.querySelector('h1').innerText";

#[test]
fn a_report_in_a_browser() {
    let Some(browser) = Browser::start("report") else { return };
    let story = story();
    let page = story.files.read("report.html");
    browser.open(&page, "");
    overview(&browser, &story);
    filters(&browser);
    addresses_and_headings(&browser, &page);
    browser.open(&page, "");
    drill_down(&browser);
    neighbours(&browser);
    on_paper(&browser, &page);
    browser.open(&page, "");
    permalinks(&browser, &page);
    damaged(&browser, &page);
    looks(&browser, &page);
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
    let asked = browser.requests();
    assert!(!asked.is_empty(), "requests are watched");
    // chrome: is the page of new tabs, which the browser opens for itself.
    let own = ["file:", "data:", "about:", "chrome:"];
    let strangers: Vec<&String> =
        asked.iter().filter(|url| !own.iter().any(|own| url.starts_with(own))).collect();
    assert_eq!(strangers, Vec::<&String>::new(), "the page asks nobody");
}

fn overview(browser: &Browser, story: &Story) {
    assert!(browser.text(TITLE).contains("fail"), "{}", browser.text(TITLE));
    assert_eq!(browser.text("getComputedStyle(document.body).marginTop"), "0px", "its styles are allowed");
    let facts = browser.text("document.querySelector('.facts').innerText");
    assert!(facts.contains("virtual lab shops") && facts.contains("4 phones"), "{facts}");
    assert_eq!(
        browser.count(CELLS),
        cells(&story.record).len() as u64,
        "a cell for every window on every phone"
    );
    assert!(
        browser.count("document.querySelectorAll('.matrix .barcode path:not(.ground)').length") > 8,
        "frames are drawn"
    );
    // The worst first: no pass before a fail.
    let first = browser.text("document.querySelector('.matrix tbody a.cell').className");
    assert!(first.contains("fail"), "{first}");
    let shown = browser.text("document.body.innerText");
    assert!(shown.contains("<img src=x") && shown.contains("</script><script>"), "hostile names are text");
    assert_eq!(browser.count("document.querySelectorAll('img').length"), 0, "no element from a name");
    assert!(!browser.text("document.title").contains("66"), "and never acted");
    let named = "[...document.querySelectorAll('a, button, select, input, svg[role=img]')].filter((one) => \
                 !(one.getAttribute('aria-label') || one.innerText || one.closest('label'))).length";
    assert_eq!(browser.count(named), 0, "everything one can reach has a name");
}

fn filters(browser: &Browser) {
    let all = browser.count(CELLS);
    browser.click(".chip.pass");
    let passed = browser.count(CELLS);
    assert!(passed > 0 && passed < all, "{passed} of {all}");
    assert_eq!(browser.count("document.querySelectorAll('.matrix a.cell:not(.pass)').length"), 0);
    browser.click(".toolbar + div button.plain, [role=status] button");
    assert_eq!(browser.count(CELLS), all, "everything again");
    let choose = |nth: u32, value: &str| {
        browser.eval(&format!(
            "(() => {{ const one = document.querySelectorAll('.toolbar select')[{nth}]; one.value = {value}; \
             one.dispatchEvent(new Event('change')); return true; }})()"
        ))
    };
    choose(0, "'virtual-pixel-8'");
    assert_eq!(browser.count(CELLS), 2);
    choose(2, "'gate'");
    assert_eq!(browser.count(CELLS), 1);
    browser.click("[role=status] button");
    browser.eval(
        "(() => { const find = document.querySelector('input[type=search]'); find.value = 'no such thing'; \
         find.dispatchEvent(new Event('input')); return true; })()",
    );
    assert_eq!(browser.count(CELLS), 0);
    assert!(browser.text("document.body.innerText").contains("nothing matches"));
    browser.click("[role=status] button");
    assert_eq!(browser.count(CELLS), all);
    assert_eq!(browser.text("location.hash"), "", "nothing is left out");
}

/// An address with filters shows what they let through, after a visit to a cell too; column headings stay in sight, and
/// a key leads past the filters.
fn addresses_and_headings(browser: &Browser, page: &[u8]) {
    browser.open(page, "#?verdict=pass&phone=virtual-pixel-8");
    let shown = browser.count(CELLS);
    assert!(shown > 0 && shown <= 2, "{shown}");
    assert_eq!(browser.text("document.querySelector('.toolbar select').value"), "virtual-pixel-8");
    browser.click(".matrix a.cell");
    browser.key("Escape");
    let mut kept = browser.text("location.hash");
    kept.retain(|letter| letter != '#' && letter != '?');
    assert_eq!(kept, "verdict=pass&phone=virtual-pixel-8");
    assert_eq!(browser.count(CELLS), shown);
    browser.open(page, "#?verdict=nonsense&phone=nobody");
    assert!(browser.text("document.body.innerText").contains("nothing matches"));
    browser.open(page, "");
    browser
        .eval("(() => { document.body.style.paddingBottom = '3000px'; scrollTo(0, 5000); return true; })()");
    let table = "document.querySelector('.matrix').getBoundingClientRect()";
    browser.eval(&format!("(() => {{ scrollBy(0, {table}.top + 40); return true; }})()"));
    let top = browser.eval("document.querySelector('.matrix thead th').getBoundingClientRect().top");
    assert_eq!(top, json!(0), "headings stay while their rows go by");
    browser.open(page, "");
    browser.key("Tab");
    assert_eq!(browser.text("document.activeElement.innerText"), "skip to the windows");
    browser.click(".skip");
    assert_eq!(browser.eval("document.activeElement.matches('.worst a, .matrix a')"), json!(true));
}

/// The keys are told in a dialog that Escape closes; cells have a way to the one before, and one to the next.
fn neighbours(browser: &Browser) {
    browser.key("?");
    assert_eq!(browser.count("document.querySelectorAll('dialog[open]').length"), 1);
    browser.key("Escape");
    assert_eq!(browser.count("document.querySelectorAll('dialog').length"), 0, "Escape closes it");
    assert!(browser.count(CELLS) > 0, "and nothing else");
    let order =
        "[...document.querySelectorAll('.matrix a.cell')].map((one) => one.getAttribute('href')).join(' ')";
    let name = |hash: &str| hash.split('/').next().unwrap_or_default().to_owned();
    browser.eval(
        "(() => { const one = [...document.querySelectorAll('.toolbar label')].find((one) => one.innerText.startsWith('order'))\
         .querySelector('select'); one.value = 'name'; one.dispatchEvent(new Event('change')); return true; })()",
    );
    assert_eq!(browser.text("location.hash"), "#?sort=name", "the order is in the address");
    let by_name: Vec<String> = browser.text(order).split(' ').map(name).collect();
    browser.click(".matrix a.cell");
    let first = browser.text("location.hash");
    browser.click("nav a[title=j]");
    let second = browser.text("location.hash");
    assert_ne!(first, second);
    assert_eq!(browser.text("document.querySelector('nav a[title=k]').innerText"), "‹ previous");
    browser.click("nav a[title=k]");
    assert_eq!(browser.text("location.hash"), first);
    browser.key("Escape");
    browser.eval("(() => { location.hash = '#?'; return true; })()");
    let worst: Vec<String> = browser.text(order).split(' ').map(name).collect();
    assert_ne!(worst, by_name);
    // Each cell says the value its verdict rests on: here the fails say hitches, whatever limit stands first.
    let failed = browser.text("document.querySelector('.matrix a.cell.fail').innerText");
    assert!(failed.contains("ms/s"), "{failed}");
}

/// On paper the plot is as wide as the paper, whatever the screen was.
fn on_paper(browser: &Browser, page: &[u8]) {
    browser.open(page, "#virtual-galaxy-a14/Home%20feed/fling%20the%20feed");
    let drawn = browser.count("document.querySelector('.plot canvas').offsetWidth");
    assert!(drawn > 900, "{drawn}");
    browser.chrome("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    // Paper is narrower, and nothing is drawn anew for it.
    let narrow = "(() => { globalThis.ResizeObserver = null; const main = document.querySelector('main'); main.style.width = '640px'; \
                  const plot = document.querySelector('.plot canvas'); return plot.getBoundingClientRect().right \
                  - document.querySelector('.plot').getBoundingClientRect().right; })()";
    let over = browser.eval(narrow).as_f64().expect("a length");
    assert!(over <= 1.0, "{over} px of the plot are cut off");
    browser.chrome("Emulation.setEmulatedMedia", &json!({ "media": "" }));
}

/// How many pixels of the plot are drawn on.
const DRAWN: &str = "(() => { const one = document.querySelector('.plot canvas'); \
                     const data = one.getContext('2d').getImageData(0, 0, one.width, one.height).data; \
                     let drawn = 0; for (let at = 3; at < data.length; at += 4) if (data[at] > 0) drawn++; return drawn; })()";

fn drill_down(browser: &Browser) {
    browser.click(".worst a");
    assert!(
        browser.text("location.hash").contains("/Home%20feed/fling%20the%20feed"),
        "an address of its own"
    );
    assert_eq!(browser.text(TITLE).lines().nth(1), Some("fling the feed"));
    assert_eq!(browser.count("document.querySelectorAll('.limits tbody tr').length"), 2);
    assert_eq!(browser.count("document.querySelectorAll('.limits tr.breached').length"), 1);
    let instead = browser.text("document.querySelector('.limits .breached .instead').innerText");
    assert!(instead.contains("fewer would pass"), "{instead}");
    // A warm-up and two iterations, each with its barcode.
    assert_eq!(browser.count("document.querySelectorAll('.rows .row').length"), 3);
    assert_eq!(browser.count("document.querySelectorAll('.rows .barcode').length"), 3);
    assert!(browser.count(DRAWN) > 5_000, "frames are drawn");
    let shown = browser.text("document.body.innerText");
    for part in [
        "Frame lengths",
        "Percentiles",
        "Drop levels",
        "Where the numbers come from",
        "none missed",
        "farmjank run",
    ] {
        assert!(shown.contains(part), "{part} is missing:\n{shown}");
    }
    browser.key("w");
    let told = browser.text("document.querySelector('.told').innerText");
    assert!(told.contains("late (") && told.contains("vsync"), "the worst hitch in words: {told}");
    assert!(browser.text("location.hash").matches('/').count() == 4, "down to the frame");
    pointing(browser);
    pictures(browser);
    browser.key("Escape");
    assert!(browser.count(CELLS) > 0, "and back");
}

/// A frame says its values when pointed at; the plot zooms by dragging and moves with shift.
fn pointing(browser: &Browser) {
    browser.key("0");
    browser.eval(
        "(() => { document.querySelector('.plot').scrollIntoView({ block: 'center' }); return true; })()",
    );
    let over = |side: &str| {
        let at = format!("document.querySelector('.plot .u-over').getBoundingClientRect().{side}");
        browser.eval(&at).as_f64().expect("a length")
    };
    let (left, width, y) = (over("left"), over("width"), over("top") + over("height") * 0.8);
    let at = |share: f64| (left + width * share, y);
    let told = || browser.text("document.querySelector('.told').innerText");
    browser.mouse("mouseMoved", at(0.3), false, false);
    let middle = told();
    assert!(middle.starts_with("frame ") && middle.contains("vsync"), "{middle}");
    // Nothing is drawn before the first frame of a motion, and the page says so.
    browser.mouse("mouseMoved", at(0.02), false, false);
    assert!(told().contains("no frame"), "{}", told());
    let hold = |from: f64, to: f64, shift: bool| {
        browser.mouse("mouseMoved", at(from), false, shift);
        browser.mouse("mousePressed", at(from), true, shift);
        browser.mouse("mouseMoved", at((from + to) / 2.0), true, shift);
        browser.mouse("mouseMoved", at(to), true, shift);
        browser.mouse("mouseReleased", at(to), true, shift);
        browser.eval(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))",
        );
        browser.mouse("mouseMoved", at(0.3), false, false);
        told()
    };
    let zoomed = hold(0.6, 0.8, false);
    assert_ne!(zoomed, middle, "a drag zooms: another frame is under the cursor");
    let moved = hold(0.7, 0.3, true);
    assert_ne!(moved, zoomed, "a drag with shift moves the plot");
    browser.key("0");
    browser.mouse("mouseMoved", at(0.3), false, false);
}

/// A filmstrip under the plot of the warm-up, and of nothing that counts; it follows the cursor.
fn pictures(browser: &Browser) {
    assert_eq!(
        browser.count("document.querySelectorAll('.film').length"),
        0,
        "iterations that count have none"
    );
    browser.click(".row.warm");
    let loaded = "[...document.querySelectorAll('.film img')].filter((one) => one.src.startsWith('data:image/png') && one.decode).length";
    assert!(browser.count(loaded) >= 2, "one a second");
    browser.eval("Promise.all([...document.querySelectorAll('.film img')].map((one) => { one.loading = 'eager'; return one.decode(); })).then(() => true)");
    assert!(browser.count("document.querySelector('.film img').naturalWidth") > 50, "it is a picture");
    let told = browser.text("document.querySelector('.film figcaption').innerText");
    assert!(told.contains("warm-up") && told.contains("ms of the phone each"), "{told}");
    browser.key("w");
    assert_eq!(
        browser.count("document.querySelectorAll('.film [aria-current]').length"),
        1,
        "the nearest is marked"
    );
    browser.click(".film button:last-child");
    let last = "document.querySelector('.film button:last-child').hasAttribute('aria-current')";
    assert_eq!(browser.eval(last), json!(true), "a picture leads to its frame");
}

fn permalinks(browser: &Browser, page: &[u8]) {
    let cell = "#virtual-pixel-8/Home%20feed/fling%20the%20feed";
    browser.open(page, &format!("{cell}/2/12"));
    assert_eq!(browser.text(TITLE).lines().nth(1), Some("fling the feed"));
    let told = browser.text("document.querySelector('.told').innerText");
    assert!(told.starts_with("frame 12"), "{told}");
    assert_eq!(
        browser.text("document.querySelector('.row[aria-pressed=true] .name').innerText"),
        "iteration 2"
    );
    browser.key("j");
    assert_ne!(browser.text("location.hash"), format!("{cell}/2/12"), "to the next cell");
    browser.open(page, "#nobody/Home%20feed/fling%20the%20feed");
    assert!(browser.text("document.querySelector('[role=alert]').innerText").contains("not in this run"));
}

/// A cell whose bytes were damaged says so, and so does a browser that cannot unpack; the others are as they were.
fn damaged(browser: &Browser, page: &[u8]) {
    let cell = "#virtual-pixel-8/Home%20feed/fling%20the%20feed";
    let said = "document.querySelector('.nothing').innerText";
    browser.open(page, "");
    let breaks = "[...document.querySelectorAll('script[id^=cell-]')].forEach((one) => one.textContent = btoa('no deflate'))";
    browser.eval(breaks);
    browser.eval(&format!("location.hash = {cell:?}"));
    browser.eval("new Promise((done) => setTimeout(done, 50))");
    assert_eq!(browser.text(said), "the details of this cell cannot be read: its data are damaged");
    browser.open(page, "");
    browser.eval("delete globalThis.DecompressionStream");
    browser.eval(&format!("location.hash = {cell:?}"));
    browser.eval("new Promise((done) => setTimeout(done, 50))");
    assert!(browser.text(said).contains("use one of 2023 or newer"), "{}", browser.text(said));
    assert_eq!(browser.eval("document.querySelector('main').getAttribute('aria-busy')"), json!(null));
}

fn looks(browser: &Browser, page: &[u8]) {
    let colours = |scheme: &str| {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.chrome("Emulation.setEmulatedMedia", &features);
        browser.open(page, "#virtual-pixel-8/Home%20feed/fling%20the%20feed");
        (browser.text("getComputedStyle(document.body).backgroundColor"), browser.picture())
    };
    let (light, dark) = (colours("light"), colours("dark"));
    assert_eq!((&*light.0, &*dark.0), ("rgb(255, 255, 255)", "rgb(20, 23, 27)"));
    assert!(
        light.1.len() > 30_000 && dark.1.len() > 30_000 && light.1 != dark.1,
        "pictures with something on them"
    );
    // On paper it is light, whatever the screen is, and shows nothing to click on.
    let dark = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
    browser.chrome("Emulation.setEmulatedMedia", &json!({ "media": "print", "features": dark }));
    browser.open(page, "");
    assert_eq!(browser.text("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    assert_eq!(browser.text("getComputedStyle(document.querySelector('.toolbar')).display"), "none");
    browser.chrome("Emulation.setEmulatedMedia", &json!({ "media": "", "features": dark }));
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    browser.chrome("Emulation.setDeviceMetricsOverride", &phone);
    for hash in ["", "#virtual-pixel-8/Home%20feed/fling%20the%20feed"] {
        browser.open(page, hash);
        let wide = browser.count("document.documentElement.scrollWidth");
        assert!(wide <= 390, "{wide} px wide at {hash:?}: nothing may hang over");
        assert!(browser.picture().len() > 30_000);
    }
}
