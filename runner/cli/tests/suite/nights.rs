//! Many nights in a store, and what the binary says of them.

use crate::world::{Ended, SMOOTH, run, write};
use farmjank_history::{Missing, open};
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::compare::Effect;
use farmjank_results::device::DeviceId;
use farmjank_results::verdict::Verdict;
use farmjank_seams::history::{CellFilter, Cells, RunRow, Wanted};
use std::path::Path;

/// Phones: model and serial.
const PHONES: [(&str, &str); 2] = [("Pixel 7", "2A171FDH20"), ("SM-A146P", "R58N30ABCDE")];
const WINDOWS: [&str; 2] = ["fling the feed", "fling the results"];

/// Noise of −1..1 that is the same every time.
fn noise(parts: &[usize]) -> f64 {
    let mixed = parts.iter().fold(0x9e37_79b9_u64, |hash, part| {
        (hash ^ *part as u64).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
    });
    f64::from((mixed >> 32) as u32) / f64::from(u32::MAX) * 2.0 - 1.0
}

fn session(night: usize, phone: usize, window: usize, metric: &str, level: f64) -> CellSession {
    let (model, serial) = PHONES[phone];
    let drift = 1.0 + 0.15 * noise(&[night, phone, window]);
    let values = (0..10).map(|at| level * drift * (1.0 + 0.1 * noise(&[night, phone, window, at])));
    CellSession {
        key: CellKey {
            model: model.to_owned(),
            build: "google/panther/panther:14/AP1A.240305/1:user/release-keys".to_owned(),
            refresh: 90,
            scenario: "Shop".to_owned(),
            hash: "5eed".to_owned(),
            window: WINDOWS[window].to_owned(),
            metric: metric.to_owned(),
            metric_version: 1,
            source: "surfaceflinger".to_owned(),
        },
        run: name(night),
        wall: wall(night),
        device: DeviceId(serial.to_owned()),
        app_version: Some(if night < 30 { "7.4.1 (7410)" } else { "7.5.0 (7500)" }.to_owned()),
        values: values.collect(),
        seconds: vec![20.0; 10],
        void: Vec::new(),
        effect: None,
    }
}

fn name(night: usize) -> String {
    format!("{}-020000", &wall(night)[..10].replace('-', ""))
}

fn wall(night: usize) -> String {
    format!("2026-{:02}-{:02}T02:00:00Z", 3 + night / 30, night % 30 + 1)
}

/// A store of so many nights. `level` gives the hitch time of a night, phone and window.
fn store(place: &str, nights: usize, level: impl Fn(usize, usize, usize) -> f64) {
    let mut store = open(place, Missing::Create).expect("a store");
    for night in 0..nights {
        let row = RunRow {
            id: name(night),
            wall: wall(night),
            tool: "farmjank".to_owned(),
            lab: None,
            verdict: Some(Verdict::Pass),
            labels: [("commit".to_owned(), format!("c0ffee{night:02}"))].into(),
        };
        let mut sessions = Vec::new();
        for phone in 0..PHONES.len() {
            for window in 0..WINDOWS.len() {
                sessions.push(session(night, phone, window, "hitch_ms_per_s", level(night, phone, window)));
                sessions.push(session(night, phone, window, "fps", 80.0));
            }
        }
        store.record(&row, &sessions).expect("a night");
    }
}

/// The Pixel's results page is slow from the 31st night on.
fn planted(night: usize, phone: usize, window: usize) -> f64 {
    if night >= 30 && (phone, window) == (0, 1) { 41.0 } else { 14.0 }
}

/// The same nights, of a scenario that says what matters.
fn said(folder: &Path, effect: Effect) {
    let place = folder.join("results/history.sqlite").display().to_string();
    let mut store = open(&place, Missing::Refuse).expect("the store");
    for row in store.runs(usize::MAX).expect("its runs") {
        let mut sessions = Vec::new();
        let like = CellFilter::default();
        let wanted = Wanted { cells: Cells::Like(&like), since: None, before: None, newest: None };
        let mut take = |all: Vec<CellSession>| {
            sessions.extend(all.into_iter().filter(|one| one.run == row.id));
            Ok(())
        };
        store.sessions(&wanted, &mut take).expect("its sessions");
        for one in sessions.iter_mut().filter(|one| one.key.metric == "hitch_ms_per_s") {
            one.effect = Some(effect);
        }
        store.replace(&row, &sessions).expect("a night");
    }
}

fn in_folder(nights: usize, level: impl Fn(usize, usize, usize) -> f64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("results")).expect("its folder");
    store(&folder.path().join("results/history.sqlite").display().to_string(), nights, level);
    folder
}

/// The text, as if its lines were as long as they like.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json(folder: &Path, args: &[&str]) -> (i32, serde_json::Value) {
    let Ended { code, out, err } = run(folder, &[args, &["--format", "json"]].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|why| panic!("{why}: {out}{err}")))
}

#[test]
fn a_slower_page_is_named_with_its_night_and_nothing_else_is() {
    let folder = in_folder(36, planted);
    let here = folder.path();
    let trend = run(here, &["trend", "--fail-on", "change"]);
    assert_eq!(trend.code, 1, "{}{}", trend.out, trend.err);
    assert_eq!(trend.out.matches("✗ worse").count(), 1, "{}", trend.out);
    for told in [
        "fling the results on Pixel 7: hitch 1",
        "since 2026-04-01",
        "run 20260401-020000",
        "app 7.4.1 (7410) › 7.5.0 (7500)",
        "commit c0ffee30",
        "3 cells: nothing that matters changed",
        "1 worse, 3 quiet · exit 1 (gate failed)",
    ] {
        assert!(words(&trend.out).contains(told), "{told}: {}", trend.out);
    }
    assert!(trend.out.lines().all(|line| line.chars().count() <= 80), "{}", trend.out);
    // Told all the same where nothing is to fail, or only what became better is asked for.
    assert_eq!(run(here, &["trend"]).code, 0);
    assert_eq!(run(here, &["trend", "--fail-on", "worse"]).code, 1);
    assert_eq!(run(here, &["trend", "--fail-on", "change", "--mei", "60 ms/s"]).code, 0);
    // The change is six nights old: it is no news of the newest three.
    assert_eq!(run(here, &["trend", "--fail-on", "change", "--nights", "3"]).code, 0);
    let page = run(here, &["trend", "--format", "markdown"]);
    assert!(page.out.starts_with("### CHANGED: 1 worse") && page.out.contains("| ✗ worse |"), "{}", page.out);

    let (code, told) = json(here, &["trend", "--fail-on", "change"]);
    assert_eq!((code, &told["sweep"]["exit"]["code"]), (1, &1.into()));
    let cell = &told["cells"][0];
    assert_eq!((&cell["standing"], &cell["key"]["window"]), (&"worse".into(), &WINDOWS[1].into()));
    let change = &cell["changes"][0];
    assert_eq!((&change["run"], &change["way"]), (&"20260401-020000".into(), &"worse".into()));
    assert_eq!((&change["labels"]["commit"], &change["matters"]), (&"c0ffee30".into(), &true.into()));
    assert!(
        change["p_alert"].is_f64() && change["p_placed"].is_f64() && change["size"].as_f64() > Some(15.0)
    );
    assert_eq!(told["sweep"]["counts"]["quiet"], 3);
}

#[test]
fn what_a_scenario_says_matters_is_kept_with_its_nights() {
    let folder = in_folder(36, planted);
    let here = folder.path();
    said(here, Effect::Plain(60.0));
    let trend = run(here, &["trend", "--fail-on", "change"]);
    assert_eq!(trend.code, 0, "{}{}", trend.out, trend.err);
    assert_eq!(run(here, &["trend", "--fail-on", "change", "--mei", "20 ms/s"]).code, 1);
    let shown = run(here, &["history", "2a171/results"]);
    assert!(words(&shown.out).contains("its scenario says that 60.0 ms/s matters"), "{}", shown.out);
    assert!(words(&shown.out).contains("too small to matter"), "{}", shown.out);
    let (_, told) = json(here, &["history", "--window", "fling the results", "--model", "Pixel 7"]);
    let cell = &told["cells"][0];
    assert_eq!((&cell["mei"], &cell["mei_said"]), (&60.0.into(), &"60".into()));
    assert_eq!(cell["changes"][0]["matters"], false);
}

#[test]
fn the_nights_of_a_cell_are_shown_and_listed() {
    let folder = in_folder(36, planted);
    let here = folder.path();
    let listed = run(here, &["history"]);
    assert!(listed.code == 0 && listed.out.contains("4 cells in"), "{}{}", listed.out, listed.err);
    assert_eq!(listed.out.matches("worse since 2026-04-01").count(), 1, "{}", listed.out);
    assert!(!listed.out.contains("fps"), "only what decides is listed: {}", listed.out);
    for cell in [vec!["2a171/results"], vec!["pixel", "7/shop/results"]] {
        let shown = run(here, &[vec!["history"], cell].concat());
        assert_eq!(shown.code, 0, "{}", shown.err);
        assert!(shown.out.contains("worse: fling the results on Pixel 7: hitch 1"), "{}", shown.out);
        assert!(shown.out.lines().all(|line| line.chars().count() <= 80), "{}", shown.out);
        assert!(shown.out.matches(" 2026").count() >= 36, "{}", shown.out);
    }
    let (_, told) = json(here, &["history", "--model", "Pixel 7", "--window", "fling the results"]);
    let cell = &told["cells"][0];
    assert_eq!(cell["nights"].as_array().map(Vec::len), Some(36));
    assert_eq!(
        (&cell["nights"][30]["run"], &cell["nights"][30]["n"]),
        (&"20260401-020000".into(), &10.into())
    );
    assert!(cell["calibration"].is_null() && cell["last"]["interval"][0].is_f64(), "{cell}");
    let (_, told) = json(here, &["history", "--metric", "fps", "--since", "2026-04-01"]);
    assert_eq!((&told["cells"][0]["night_count"], &told["cells"][0]["nights"]), (&6.into(), &().into()));
    let ascii =
        crate::world::ended(crate::world::farmjank(here).args(["history", "pixel"]).env("LC_ALL", "C"));
    assert!(ascii.out.is_ascii() && ascii.code == 0, "{}", ascii.out);
    let none = run(here, &["history", "pixel 9"]);
    assert!(none.code == 5 && none.err.contains("no cell of that name"), "{}", none.err);
}

#[test]
fn quiet_nights_are_green_and_too_few_are_not() {
    let folder = in_folder(36, |_, _, _| 14.0);
    let quiet = run(folder.path(), &["trend", "--fail-on", "change"]);
    assert!(quiet.code == 0 && quiet.out.contains("QUIET: 4 quiet · exit 0 (passed)"), "{}", quiet.out);
    assert_eq!(run(folder.path(), &["trend", "--model", "Pixel 9"]).code, 5);

    let folder = in_folder(12, |_, _, _| 14.0);
    let few = run(folder.path(), &["trend", "--fail-on", "change"]);
    assert!(
        few.code == 4 && words(&few.out).contains("fewer than the 25 nights it takes to tell"),
        "{}",
        few.out
    );
    assert!(words(&few.out).contains("fling the feed on Pixel 7 (2A171FDH20) 12"), "{}", few.out);

    let folder = tempfile::tempdir().expect("a folder");
    let missing = run(folder.path(), &["trend"]);
    assert!(missing.code == 2 && missing.err.contains("history.sqlite"), "{}{}", missing.code, missing.err);
    assert!(!folder.path().join("results").exists(), "asking makes nothing");
}

#[test]
fn another_system_build_is_another_line_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("nights.sqlite").display().to_string();
    store(&place, 36, |_, _, _| 14.0);
    let mut history = open(&place, Missing::Refuse).expect("the store");
    for night in 36..39 {
        let row = RunRow {
            id: name(night),
            wall: wall(night),
            tool: "farmjank".to_owned(),
            lab: None,
            verdict: None,
            labels: Default::default(),
        };
        let mut one = session(night, 0, 0, "hitch_ms_per_s", 60.0);
        one.key.build = "google/panther/panther:15/AP3A/2:user/release-keys".to_owned();
        let other = session(night, 1, 0, "hitch_ms_per_s", 14.0);
        history.record(&row, &[one, other]).expect("a night");
    }
    drop(history);
    let trend = run(folder.path(), &["trend", "--fail-on", "change", "--history", &place]);
    // 60 ms/s on another build of Android is another question, not a change.
    assert_eq!(trend.code, 0, "{}", trend.out);
    let told = "OS build differs since 2026-04-07: the 36 nights before are a line of their own";
    assert!(words(&trend.out).contains(told), "{}", trend.out);
    let shown = run(folder.path(), &["history", "2A171FDH20/feed", "--history", &place]);
    assert!(words(&shown.out).contains("over, OS build differs since 2026-04-07"), "{}", shown.out);
}

/// A lab of one phone, whose app is built to be debugged or not, and hitches in so many frames.
fn lab(folder: &Path, name: &str, debuggable: bool, hitches: f64) {
    let text = format!(
        "name: {name}
phones:
  - archetype: pixel-8
    serial: P8
    apps:
      - id: com.example.shop
        debuggable: {debuggable}
        pages:
          main: {{ activity: .MainActivity, link: 'shop://home', launcher: true }}
          feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: {hitches} }}\n"
    );
    write(folder, "lab.yaml", &text);
    write(folder, "smooth.yaml", &SMOOTH.replace("iterations: 2", "iterations: 5"));
}

#[test]
fn a_debuggable_build_is_invalid_unless_it_is_meant() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    lab(here, "debug", true, 0.001);
    let measure = |out: &str, seed: &str, more: &[&str]| {
        let args = ["run", "smooth.yaml", "--lab", "lab.yaml", "--quiet", "--out", out, "--seed", seed];
        run(here, &[&args, more].concat())
    };
    assert_eq!(measure("before", "1", &[]).code, 0, "its limits are held");
    let after = measure("after", "2", &["--baseline", "before"]);
    assert_eq!(after.code, 4, "{}", after.out);
    let told = run(here, &["compare", "before", "after"]);
    assert!(
        words(&told.out).contains("? invalid") && told.out.contains("--allow-debuggable"),
        "{}",
        told.out
    );
    measure("meant", "1", &["--allow-debuggable"]);
    let meant = measure("meant-too", "2", &["--allow-debuggable", "--baseline", "meant"]);
    assert!(meant.code == 0 || meant.code == 4, "{}", meant.out);
    let told = run(here, &["compare", "meant", "meant-too"]);
    assert!(!told.out.contains("invalid"), "{}", told.out);
}

#[test]
fn a_store_is_made_when_there_is_something_to_keep_and_looked_at_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    lab(here, "kept", false, 0.001);
    // No phone: no store, though runs on phones are kept by default.
    assert_eq!(run(here, &["run", "smooth.yaml"]).code, 3);
    assert!(!here.join("results/history.sqlite").exists());
    let args = ["run", "smooth.yaml", "--lab", "lab.yaml", "--quiet", "--history", "nights.sqlite"];
    write(here, "nights.sqlite", "this is no store");
    let refused = run(here, &args);
    assert!(refused.code == 2 && refused.err.contains("nights.sqlite"), "{}{}", refused.code, refused.err);
    assert!(!here.join("results/runs").exists(), "nothing ran");
    std::fs::remove_file(here.join("nights.sqlite")).expect("the file");
    let kept = run(here, &[&args[..], &["--label", "commit=1a2b3c"]].concat());
    assert_eq!(kept.code, 0, "{}{}", kept.out, kept.err);
    let (code, told) = json(here, &["history", "--history", "nights.sqlite"]);
    let last = &told["cells"][0]["last"];
    assert_eq!((code, &last["labels"]["commit"]), (0, &"1a2b3c".into()));
    assert_eq!((&last["app_version"], &last["n"]), (&"7.4.1 (741)".into(), &5.into()));
    let wrong = run(here, &[&args[..], &["--label", "commit"]].concat());
    assert!(wrong.code == 2 && wrong.err.contains("--label commit"), "{}", wrong.err);
}

#[test]
fn nights_are_kept_in_postgresql_as_well() {
    let Ok(address) = std::env::var("FARMJANK_TEST_POSTGRES") else {
        assert!(std::env::var_os("CI").is_none(), "FARMJANK_TEST_POSTGRES is not set: run .ci/with-postgres");
        println!("skipped: FARMJANK_TEST_POSTGRES names no PostgreSQL; .ci/with-postgres starts one");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    lab(here, "a lab of the server's story", false, 0.001);
    for seed in ["1", "2"] {
        let args = ["run", "smooth.yaml", "--lab", "lab.yaml", "--quiet", "--seed", seed, "--out", seed];
        let kept = run(here, &[&args[..], &["--history", &address]].concat());
        assert_eq!(kept.code, 0, "{}{}", kept.out, kept.err);
    }
    let (code, told) = json(here, &["history", "P8/smooth", "--history", &address]);
    assert_eq!((code, &told["cells"][0]["night_count"]), (0, &2.into()), "{told}");
    let few = run(here, &["trend", "--scenario", "Smooth", "--history", &address]);
    assert!(few.code == 4 && !few.out.contains("farmjank:"), "the password stays unsaid: {}", few.out);
}

#[test]
fn a_slower_night_alerts_against_the_last_good_ones_and_fails_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    lab(here, "rolling", false, 0.001);
    let kept_in = |store: &str, seed: &str, more: &[&str]| {
        let args = ["run", "smooth.yaml", "--lab", "lab.yaml", "--history", store, "--seed", seed];
        run(here, &[&args[..], &["--out", seed], more].concat())
    };
    let night = |seed: &str, more: &[&str]| kept_in("nights.sqlite", seed, more);
    // The first night has nothing to be held against, and says so.
    let first = night("1", &["--rolling"]);
    assert_eq!(first.code, 0, "{}{}", first.out, first.err);
    for seed in ["2", "3", "4", "5", "6"] {
        assert_eq!(night(seed, &[]).code, 0);
    }
    let same = night("7", &["--rolling"]);
    assert!(same.code == 0 && !same.out.contains("! alert"), "{}{}", same.out, same.err);
    lab(here, "rolling", false, 0.12);
    std::fs::copy(here.join("nights.sqlite"), here.join("same.sqlite")).expect("a copy of the store");
    let slow = night("8", &["--rolling"]);
    assert!(slow.code == 0 && slow.out.contains("! alert"), "{}{}", slow.out, slow.err);
    let results = std::fs::read_to_string(here.join("8/results.json")).expect("results.json");
    let results: serde_json::Value = serde_json::from_str(&results).expect("JSON");
    let told = &results["cells"][0]["comparisons"][0];
    assert_eq!((&told["role"], &told["state"]), (&"alert".into(), &"regression".into()), "{results}");
    // The pinned one decides; the alert stands beside it.
    let save = ["baseline", "save", "release", "2", "3", "4", "5", "6", "--by", "rel-eng", "--why", "7.4"];
    assert_eq!(run(here, &save).code, 0);
    let pinned = kept_in("same.sqlite", "9", &["--rolling", "--baseline", "release"]);
    assert!(pinned.code == 1 && pinned.out.contains("✗ regression"), "{}{}", pinned.out, pinned.err);
    assert!(pinned.out.contains("! alert"), "{}", pinned.out);
}
