//! A served lab in real time behind either stock adb server, one of the two with four busy threads per core beside it:
//! a flawless app stays green however the finger rests, and a stall planted into every touch is found at its size.
//! Every archetype, more moments: ci/bench/stillness.py.

use crate::stock_adb::Server;
use crate::world::{Lab, ended, farmjank, write};
use farmjank_witnesses::stock;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A Java machine for every `input`, a service for it, and a panel that changes its rate.
const KINDS: [&str; 3] = ["galaxy-s7", "pixel-8", "moto-edge-30"];

/// Flawless, and what holds the main thread at which moment of a touch.
const MOMENTS: [&str; 3] = ["", "from: down, after_ms: 120", "from: lift, after_ms: 0"];

/// How long a planted stall is, ms.
const HELD: f64 = 400.0;

/// Touches of a window.
const TOUCHES: usize = 3;

const SCENARIO: &str = "
name: Stillness
appId: com.example.shop
iterations: 1
warmup: 0
steps:
  - openLink: 'shop://home'
  - wait: 1500ms
  - measure: dragged
    steps: [ { repeat: { times: 3, steps: [ { swipe: { direction: UP, duration: 900ms } }, { wait: 600ms } ] } } ]
  - wait: 1s
  - measure: caught
    steps:
      - repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 450ms } ] }
      - swipe: { direction: UP, duration: 250ms }
      - wait: 1500ms
thresholds: { hitch_ms: 'max <= 0', frozen_frames: 'max == 0' }
";

/// Every kind of phone with every moment, the moments of one kind side by side; their `input` waits for the same crowd.
fn lab(crowd: usize) -> String {
    let phone = |number: usize, kind: &str, moment: &str| {
        let stall = match moment {
            "" => String::new(),
            moment => format!("touch_stall: {{ every: 1, {moment}, ms: {HELD} }}"),
        };
        format!(
            "  - archetype: {kind}\n    serial: phone-{number}\n    input: {{ crowd: {crowd} }}\n    apps:\n      - id: com.example.shop\n        pages:\n          main: \
             {{ activity: .MainActivity, link: 'shop://home', launcher: true, wakes: false, cost_ms: 3, hitch_rate: 0, {stall} }}\n"
        )
    };
    let all = KINDS.iter().flat_map(|kind| MOMENTS.iter().map(move |moment| (kind, moment))).enumerate();
    let phones: String = all.map(|(number, (kind, moment))| phone(number, kind, moment)).collect();
    format!("name: stillness\nphones:\n{phones}")
}

/// Threads that want every core until it is dropped.
struct Crowd(Arc<AtomicBool>);

impl Crowd {
    fn of(threads: usize) -> Crowd {
        let crowd = Crowd(Arc::default());
        for _ in 0..threads {
            let over = crowd.0.clone();
            std::thread::spawn(move || while !over.load(Ordering::Relaxed) {});
        }
        crowd
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The touches after which content moved, of those of the `nth` window of a phone: who is kept from a core when the
/// finger should leave has stopped before, and nothing is late in a list at rest.
fn flung(truth: &Value, phone: usize, nth: usize) -> usize {
    let touches = truth[format!("phone-{phone}")]["gestures"].as_array().expect("its touches");
    let window = touches.iter().skip(nth * TOUCHES).take(TOUCHES);
    window.filter(|touch| touch[2].as_i64() > touch[1].as_i64()).count()
}

/// What is wrong with a cell of a phone that has this moment, and whether it has a number.
fn judged(cell: &Value, moment: &str, flung: usize) -> (Option<String>, bool) {
    let value = |key: &str| cell["metrics"][key]["value"].as_f64();
    let told = value("hitch_ms");
    let hitch = told.unwrap_or(0.0);
    let sound = match moment {
        "" => cell["verdict"] != "fail" && hitch == 0.0 && value("frozen_frames").unwrap_or(0.0) == 0.0,
        _ if told.is_none() => cell["verdict"] != "pass",
        _ => {
            let least = if moment.starts_with("from: lift") { flung } else { TOUCHES };
            let (least, most) = (0.8 * HELD * least as f64, 1.2 * HELD * TOUCHES as f64 + 100.0);
            (least == 0.0 || cell["verdict"] == "fail") && (least..=most).contains(&hitch)
        }
    };
    let why =
        || format!("{} {moment}: {} with {told:?} ms: {}", cell["window"], cell["verdict"], cell["reasons"]);
    ((!sound).then(why), told.is_some())
}

fn stillness_is_no_stall(server: &Server, per_core: usize) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let crowd = per_core * cores;
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "lab.yaml", &lab(per_core.max(1)));
    let phones = KINDS.len() * MOMENTS.len();
    let truth = folder.path().join("truth.json");
    let lab = Lab::serve(folder.path(), &file, phones, &truth);
    server.connect(&lab.daemons);
    write(folder.path(), "s.yaml", SCENARIO);
    let crowded = Crowd::of(crowd);
    let done = ended(
        farmjank(folder.path())
            .env("ANDROID_ADB_SERVER_PORT", server.port.to_string())
            .args(["run", "--quiet", "--out", "bundle", "s.yaml"]),
    );
    drop(crowded);
    let daemons = lab.daemons.clone();
    lab.interrupt();
    let truth: Value = serde_json::from_slice(&std::fs::read(truth).expect("the truth")).expect("JSON");
    assert_eq!(done.code, 1, "planted stalls fail: {}{}", done.out, done.err);
    let results = std::fs::read(folder.path().join("bundle/results.json")).expect("results");
    let results: Value = serde_json::from_slice(&results).expect("JSON");
    let cells = results["cells"].as_array().expect("cells");
    assert_eq!(cells.len(), 2 * phones, "{cells:?}");
    let (mut wrongs, mut told) = (Vec::new(), 0);
    for cell in cells {
        let at = daemons.iter().position(|address| cell["device"] == address.as_str()).expect("a phone");
        let nth = usize::from(cell["window"] == "caught");
        let (wrong, number) = judged(cell, MOMENTS[at % MOMENTS.len()], flung(&truth, at, nth));
        wrongs.extend(wrong.map(|why| format!("{}: {why}", KINDS[at / MOMENTS.len()])));
        told += usize::from(number);
    }
    println!("{crowd} busy threads: {told} of {} windows have a number", cells.len());
    assert!(wrongs.is_empty(), "{crowd} busy threads:\n{}", wrongs.join("\n"));
    assert!(4 * told >= 3 * cells.len(), "only {told} of {} windows have a number", cells.len());
}

#[test]
fn stillness_is_no_stall_through_either_stock_adb_server_also_beside_four_busy_threads_per_core() {
    for (server, per_core) in stock::programs().into_iter().map(Server::start).zip([4, 0]) {
        stillness_is_no_stall(&server, per_core);
    }
}
