//! Phones that are not our lab (`tests/outside/phone.py`), in real time, before the binary as users run it: what it says is
//! held against what they really showed.
//!
//! Python, a real `mksh`, `toybox` and a C compiler make such a phone. Skipped with a printed reason where one is missing,
//! except in CI.

mod phones;

use farmjank_results::event::WindowMeasured;
use farmjank_results::metric::Reading;
use phones::{Seen, ready, run};

/// The only window of an only iteration.
fn window(seen: &Seen) -> &WindowMeasured {
    let windows: Vec<_> =
        seen.record.jobs.values().flat_map(|job| &job.trials).flat_map(|trial| &trial.windows).collect();
    assert_eq!(windows.len(), 1, "{}", seen.told());
    windows[0]
}

fn value(seen: &Seen, key: &str) -> Result<f64, String> {
    match window(seen).readings.get(key) {
        Some(Reading::Value(value)) => Ok(*value),
        other => Err(format!("{other:?}")),
    }
}

/// Pages that keep a slow rate, on panels of every kind.
const SLOW: [(&str, &str); 10] = [
    ("25 fps on 120", "--hz 120 --fps 25"),
    ("25 fps on 144", "--hz 144 --fps 25 --sdk 30 --before 60,150"),
    ("25 fps on 165", "--hz 165 --fps 25"),
    ("25 fps on 90", "--hz 90 --fps 25 --sdk 28 --before 60,150"),
    ("30 fps on 144", "--hz 144 --fps 30"),
    ("30 fps on an adaptive 144", "--hz 144 --fps 30 --adaptive --sdk 34"),
    ("24 fps on 60", "--hz 60 --fps 24 --sdk 29 --before 60,150"),
    ("five or six refreshes on 120", "--hz 120 --random-5-6"),
    ("five or six refreshes on an adaptive 120", "--hz 120 --random-5-6 --adaptive --sdk 35"),
    ("three seconds at 25 fps on 120", "--hz 120 --fall --sdk 31"),
];

#[test]
fn slow_apps_of_phones_outside_the_lab_are_not_slow_panels() {
    if !ready() {
        return;
    }
    let (mut told, mut wrong) = (0, Vec::new());
    for seen in run("slow.yaml", &SLOW) {
        let truth = seen.hitch_ms_per_s(&window(&seen).motions);
        assert!(truth > 100.0, "the page was slow: {truth}\n{}", seen.told());
        match value(&seen, "hitch_ms_per_s") {
            Ok(value) => {
                told += 1;
                if (value - truth).abs() > 0.04 * truth {
                    wrong.push(format!("{}: {value:.1} ms/s of {truth:.1}\n{}", seen.name, seen.told()));
                }
            }
            // Where it cannot be told it is said why.
            Err(why) if why.contains("refresh") => println!("{}: {why}", seen.name),
            Err(why) => wrong.push(format!("{}: {why}\n{}", seen.name, seen.told())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told >= 8, "only {told} of {} were told at all", SLOW.len());
}
