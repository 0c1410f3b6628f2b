//! Runs that could have been measured.

use farmjank_history::History;
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::compare::Effect;
use farmjank_results::device::DeviceId;
use farmjank_results::verdict::Verdict;
use farmjank_seams::history::{Pin, RunRow};
use std::collections::BTreeMap;

/// A cell of a phone model and a window.
pub fn key(model: &str, window: &str) -> CellKey {
    CellKey {
        model: model.into(),
        build: format!("maker/{model}/user"),
        refresh: 90,
        scenario: "Home feed".into(),
        hash: "c0ffee".into(),
        window: window.into(),
        metric: "hitch_ms_per_s".into(),
        metric_version: 1,
        source: "surfaceflinger".into(),
    }
}

/// A run of the n-th night.
pub fn run(night: u32) -> RunRow {
    RunRow {
        id: format!("run-{night:04}"),
        wall: wall(night),
        tool: "0.1.0".into(),
        lab: None,
        verdict: Some(Verdict::Pass),
        labels: BTreeMap::from([("branch".into(), "main".into())]),
    }
}

/// Two o'clock of the n-th night.
pub fn wall(night: u32) -> String {
    format!("2026-{:02}-{:02}T02:00:00Z", 1 + night / 28, 1 + night % 28)
}

/// A session of a run on a phone.
pub fn session(run: &RunRow, key: CellKey, device: &str, values: &[f64]) -> CellSession {
    CellSession {
        key,
        run: run.id.clone(),
        wall: run.wall.clone(),
        device: DeviceId(device.into()),
        app_version: Some("4.2".into()),
        values: values.to_vec(),
        seconds: values.iter().map(|_| 20.016_666_667).collect(),
        void: vec!["thermal".into()],
        effect: None,
    }
}

/// A night: two models with two windows each, and one more phone of the first model. What matters is said of one
/// window.
pub fn night(night: u32) -> (RunRow, Vec<CellSession>) {
    let run = run(night);
    let mut sessions = Vec::new();
    for (model, devices) in [("Pixel 7", &["A1", "A2"][..]), ("Galaxy S9", &["B1"][..])] {
        for window in ["fling", "scroll"] {
            for device in devices {
                let values = [f64::from(night), 14.25, 1.0 / 3.0];
                let effect = (window == "fling").then_some(Effect::Percent(100.0 / 3.0));
                sessions.push(CellSession { effect, ..session(&run, key(model, window), device, &values) });
            }
        }
    }
    (run, sessions)
}

/// Nights recorded in an order that is not theirs: what a store orders by is when they were.
pub fn record(store: &mut History, nights: &[u32]) {
    for number in nights {
        let (run, sessions) = night(*number);
        store.record(&run, &sessions).unwrap();
    }
}

/// A baseline's name with who, why and when.
pub fn pin(name: &str, night: u32) -> Pin {
    Pin { name: name.into(), by: "Release team".into(), why: "4.2 shipped".into(), wall: wall(night) }
}
