//! The live view in a real browser: lanes, cells that fill in, a wall of phones, in light and dark and at the width of
//! a phone.

use crate::live::{bundle, view};
use crate::world::{SMOOTH, ended, farmjank, write};
use farmjank_witnesses::browser::Browser;
use serde_json::json;
use std::io::Write;

/// Comes to the value of an expression once it is true.
fn once(expression: &str) -> String {
    format!(
        "new Promise((done) => {{ const look = () => {{ const seen = {expression}; \
         if (seen) done(seen); else setTimeout(look, 50); }}; look(); }})"
    )
}

/// Dark and at the width of a phone, in the middle of a run: every lane is there, nothing hangs over, colours follow.
fn looks(browser: &Browser, lanes: u64) {
    let light = browser.text("getComputedStyle(document.body).backgroundColor");
    let scheme = |scheme: &str| {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.chrome("Emulation.setEmulatedMedia", &features);
    };
    scheme("dark");
    assert_ne!(browser.text("getComputedStyle(document.body).backgroundColor"), light);
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    browser.chrome("Emulation.setDeviceMetricsOverride", &phone);
    let wide = browser.count("document.documentElement.scrollWidth");
    assert!(wide <= 390, "{wide} px wide: nothing may hang over");
    let seen = "[...document.querySelectorAll('#live .lane')].filter((one) => one.getBoundingClientRect().height > 30 \
                && one.querySelector('.who b').innerText && one.querySelector('.who small').innerText).length";
    assert_eq!(browser.count(seen), lanes, "every lane says who and what");
    assert!(browser.picture().len() > 30_000, "a picture with something on it");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
    browser.chrome("Emulation.clearDeviceMetricsOverride", &json!({}));
    scheme("light");
}

/// A run with more phones than rows, as one log: the wall.
#[test]
fn many_phones_stand_as_a_wall() {
    let Some(browser) = Browser::start("wall") else { return };
    let folder = tempfile::tempdir().unwrap();
    let scenario = write(folder.path(), "smooth.yaml", SMOOTH);
    let run = folder.path().join("run");
    let command = ["run", "--lab", "rack", "--seed", "7", "--quiet", "--out"];
    ended(farmjank(folder.path()).args(command).arg(&run).arg(&scenario));
    let log = std::fs::read_to_string(run.join("events.ndjson")).unwrap();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let ends: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains("\"trial_finished\"")).collect();
    let growing = folder.path().join("growing");
    std::fs::create_dir_all(growing.join("evidence")).unwrap();
    let events = growing.join("events.ndjson");
    let (some, more) = (ends[ends.len() / 3], ends[ends.len() / 3 + 2]);
    std::fs::write(&events, lines[..some].concat()).unwrap();
    let served = view(folder.path(), &growing);
    browser.visit(&format!("http://{}/{}/", served.host, served.token));
    browser.eval(&once("document.querySelectorAll('#live .lanes.wall .lane.busy .pulses path').length > 0"));
    let lanes = browser.count("document.querySelectorAll('#live .lane').length");
    assert_eq!(lanes, 16, "a tile per phone");
    looks(&browser, lanes);
    // Tiles that did not change are the same elements afterwards: they are not drawn again.
    browser.eval("(() => { for (const one of document.querySelectorAll('#live .lane')) one.marked = true; return true; })()");
    let mut grow = std::fs::OpenOptions::new().append(true).open(&events).unwrap();
    grow.write_all(lines[some..=more].concat().as_bytes()).unwrap();
    let same = "[...document.querySelectorAll('#live .lane')].filter((one) => one.marked).length";
    browser.eval(&once(&format!("{same} < {lanes}")));
    assert!(browser.count(same) > 0, "not all of them changed");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
}

#[test]
fn a_browser_watches_a_run_grow() {
    let Some(browser) = Browser::start("live") else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = bundle(folder.path());
    let log = std::fs::read_to_string(run.join("events.ndjson")).unwrap();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let sampled = lines.iter().position(|line| line.contains("\"sample_taken\"")).expect("frames arrive");
    let growing = folder.path().join("growing");
    std::fs::create_dir(&growing).unwrap();
    let events = growing.join("events.ndjson");
    std::fs::write(&events, lines[..=sampled].concat()).unwrap();
    let served = view(folder.path(), &growing);

    browser.visit(&format!("http://{}/{}/", served.host, served.token));
    browser.eval(&once("document.querySelectorAll('#live .lane.busy .pulses path').length > 0"));
    assert!(browser.text("document.querySelector('h1').innerText").contains("running"));
    assert_eq!(browser.count("document.querySelectorAll('.matrix a.cell.pass').length"), 0);
    let lanes = browser.count("document.querySelectorAll('#live .lane').length");
    assert!(lanes > 1, "a lane per phone: {lanes}");
    let busy = browser.text("document.querySelector('#live .lane.busy').innerText");
    for part in ["Smooth ›", "trial", "frames"] {
        assert!(busy.contains(part), "{part} is missing from {busy}");
    }
    looks(&browser, lanes);

    // Whoever types is not disturbed by what comes in.
    browser.eval("(() => { document.querySelector('input[type=search]').focus(); return true; })()");
    let mut grow = std::fs::OpenOptions::new().append(true).open(&events).unwrap();
    let finished = lines.iter().rposition(|line| line.contains("\"trial_finished\"")).expect("trials end");
    grow.write_all(lines[sampled + 1..=finished].concat().as_bytes()).unwrap();
    browser.eval(&once(
        "document.querySelectorAll('#live .said li').length > 0 && document.querySelector('.codes, .none')",
    ));
    assert_eq!(browser.text("document.activeElement.type"), "search");
    browser.eval("(() => { document.activeElement.blur(); return true; })()");

    grow.write_all(lines[finished + 1..].concat().as_bytes()).unwrap();
    browser.eval(&once(
        "document.querySelector('#live.over') && document.querySelector('.banner:not(.running)')",
    ));
    let cells = "document.querySelectorAll('.matrix a.cell:not(.unjudged)').length";
    assert_eq!(browser.count(cells), lanes, "every cell is judged");
    assert!(browser.text("document.querySelector('#live').innerText").contains("this run has ended"));
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the console is silent");
    let home = format!("http://{}/", served.host);
    let asked = browser.requests();
    let own = [home.as_str(), "data:", "about:", "chrome:"];
    assert!(asked.iter().all(|url| own.iter().any(|own| url.starts_with(own))), "{asked:?}");
}
