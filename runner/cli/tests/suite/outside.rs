//! Phones that are not our lab (`tests/outside/phone.py`), in real time, before the binary as users run it: what it
//! says is held against what they really showed.
//!
//! Python, a real `mksh`, `toybox` and a C compiler make such a phone. Skipped with a printed reason where one is
//! missing, except in CI.

mod phones;

use farmjank_results::event::WindowMeasured;
use farmjank_results::metric::Reading;
use phones::{Phone, Seen, ready, run};

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
const SLOW: [Phone; 10] = [
    ("25 fps on 120", "slow.yaml", "--hz 120 --fps 25"),
    ("25 fps on 144", "slow.yaml", "--hz 144 --fps 25 --sdk 30 --before 60,150"),
    ("25 fps on 165", "slow.yaml", "--hz 165 --fps 25"),
    ("25 fps on 90", "slow.yaml", "--hz 90 --fps 25 --sdk 28 --before 60,150"),
    ("30 fps on 144", "slow.yaml", "--hz 144 --fps 30"),
    ("30 fps on an adaptive 144", "slow.yaml", "--hz 144 --fps 30 --adaptive --sdk 34"),
    ("24 fps on 60", "slow.yaml", "--hz 60 --fps 24 --sdk 29 --before 60,150"),
    ("five or six refreshes on 120", "slow.yaml", "--hz 120 --random-5-6"),
    ("five or six refreshes on an adaptive 120", "slow.yaml", "--hz 120 --random-5-6 --adaptive --sdk 35"),
    ("three seconds at 25 fps on 120", "slow.yaml", "--hz 120 --fall --sdk 31"),
];

#[test]
fn slow_apps_of_phones_outside_the_lab_are_not_slow_panels() {
    if !ready() {
        return;
    }
    let (mut told, mut wrong) = (0, Vec::new());
    for seen in run(&SLOW) {
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

/// Phones of every release's way to tell of touches, with an app that misses nothing. Older `input` is a virtual
/// machine that starts before its first event and lingers after its last. Lists of whole pixels draw ever more rarely
/// before they rest.
const FLAWLESS: [(&str, &str); 9] = [
    ("60 Hz, Android 9", "--hz 60 --sdk 28 --pixels"),
    ("60 Hz, Android 11, busy", "--hz 60 --sdk 30 --before 300,900 --after 60,300"),
    ("90 Hz, Android 10", "--hz 90 --sdk 29 --pixels"),
    ("90 Hz, adaptive, Android 12", "--hz 90 --adaptive --sdk 31 --pixels"),
    ("120 Hz, Android 13, busy", "--hz 120 --sdk 33 --before 20,160 --after 20,150 --pixels"),
    ("120 Hz, adaptive, Android 14", "--hz 120 --adaptive --sdk 34"),
    (
        "144 Hz, adaptive, Android 15, events without fields",
        "--hz 144 --adaptive --sdk 35 --input hidden --pixels --density 480",
    ),
    ("165 Hz, Android 12, no word of touches", "--hz 165 --sdk 31 --input none --pixels"),
    (
        "120 Hz, Android 11, busy, no word of touches",
        "--hz 120 --sdk 30 --input none --before 300,900 --after 60,300",
    ),
];

#[test]
fn flawless_apps_of_phones_outside_the_lab_are_never_red() {
    if !ready() {
        return;
    }
    let (mut told, mut wrong) = (0, Vec::new());
    let both = FLAWLESS
        .iter()
        .flat_map(|(name, flags)| ["rest.yaml", "fling.yaml"].map(|scenario| (*name, scenario, *flags)));
    for seen in run(&both.collect::<Vec<_>>()) {
        let late = seen.hitch_ms_per_s(&window(&seen).motions);
        assert!(late == 0.0, "the app was flawless: {late}\n{}", seen.told());
        let frozen = value(&seen, "frozen_frames").unwrap_or(0.0);
        let hitch = value(&seen, "hitch_ms_per_s").unwrap_or(0.0);
        // What nobody tells may stay in doubt, but that the app is smooth is not denied.
        let doubts = ["uncertain refresh", "the content stood still or the app hung"];
        let said = seen.ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let doubted = seen.ended.code == 4 && doubts.iter().any(|doubt| said.contains(doubt));
        told += usize::from(!doubted);
        let green = seen.ended.code == 0 || doubted;
        if !green || frozen > 0.0 || hitch > 0.0 {
            wrong.push(seen.told());
        }
    }
    assert!(wrong.is_empty(), "{} are not green:\n{}", wrong.len(), wrong.join("\n"));
    assert!(told >= 12, "only {told} of {} were told at all", 2 * FLAWLESS.len());
}

/// Stalls under the finger, at the lift and in a fling, with where they were planted.
const STALLS: [Phone; 10] = [
    ("under the finger", "rest.yaml", "--hz 120 --sdk 33 --stall 2:400:200"),
    ("under the finger, Android 9", "rest.yaml", "--hz 60 --sdk 28 --stall 2:500:150"),
    ("soon after the finger moves", "rest.yaml", "--hz 90 --sdk 30 --stall 3:200:150"),
    ("at the lift", "rest.yaml", "--hz 120 --sdk 33 --stall 2:1193:300 --pixels"),
    ("at the lift, Android 10", "rest.yaml", "--hz 60 --sdk 29 --stall 3:1190:300"),
    ("in a fling", "fling.yaml", "--hz 120 --sdk 34 --stall 3:330:120"),
    ("in a fling, Android 11", "fling.yaml", "--hz 90 --sdk 30 --stall 5:330:160 --pixels"),
    ("at the slow end of a fling", "fling.yaml", "--hz 120 --sdk 33 --stall 10:925:180 --pixels"),
    ("at the slow end, Android 9", "fling.yaml", "--hz 60 --sdk 28 --stall 10:900:180 --pixels"),
    ("a frozen one under the finger", "rest.yaml", "--hz 120 --sdk 31 --stall 2:200:850"),
];

#[test]
fn stalls_planted_on_phones_outside_the_lab_are_found_at_their_size() {
    if !ready() {
        return;
    }
    let mut wrong = Vec::new();
    for seen in run(&STALLS) {
        let (late, refresh) = seen.stalled_ms();
        assert!(late > 80.0, "a stall was planted: {late}\n{}", seen.told());
        let (hitch, frozen) = (value(&seen, "hitch_ms"), value(&seen, "frozen_frames"));
        let found = hitch.as_ref().is_ok_and(|hitch| (hitch - late).abs() < 1.6 * refresh);
        let freezes = if late > 700.0 { 1.0 } else { 0.0 };
        if !found || frozen != Ok(freezes) {
            wrong.push(format!("{late:.1} ms late, told {hitch:?}, frozen {frozen:?}: {}", seen.told()));
        }
    }
    assert!(wrong.is_empty(), "{} are not found:\n{}", wrong.len(), wrong.join("\n"));
}

/// Phones of every way to tell what is used, and what they keep from a shell.
const USED: [(&str, &str, &[&str]); 6] = [
    ("Android 14 on its battery", "--hz 120 --sdk 34 --unplugged", &[]),
    ("Android 9, mA", "--hz 60 --sdk 28 --unplugged --current milli", &["skin_c"]),
    ("Android 11, a current without a sign", "--hz 90 --sdk 30 --unplugged --current plus", &["network"]),
    ("Android 15 on a cable", "--hz 120 --adaptive --sdk 35", &["battery_ma"]),
    ("CPU and battery kept", "--hz 60 --sdk 33 --unplugged --keeps cpu,battery", &["cpu", "battery_ma"]),
    (
        "memory, heat and network kept",
        "--hz 120 --sdk 34 --unplugged --keeps memory,temperature,network",
        &["rss", "skin_c", "network"],
    ),
];

#[test]
fn what_phones_outside_the_lab_use_is_told_and_what_they_keep_has_its_reason() {
    if !ready() {
        return;
    }
    let phones = USED.map(|(name, flags, _)| (name, "beside.yaml", flags));
    for (seen, (.., kept)) in run(&phones).iter().zip(USED) {
        let window = window(seen);
        assert_eq!(seen.ended.code, 0, "{}", seen.told());
        for (key, low, high) in seen.used(window) {
            let is_kept = kept.iter().any(|kept| key.contains(kept));
            match value(seen, key) {
                Ok(value) => {
                    assert!(
                        !is_kept && (low..=high).contains(&value),
                        "{key} {value} of {low} to {high}: {}",
                        seen.told()
                    );
                }
                Err(why) => assert!(is_kept && why.len() > 40, "{key}: {why}: {}", seen.told()),
            }
        }
        let asked = window.beside.iter().filter(|line| !line.points.is_empty()).count();
        let refused = window.beside.len() - asked;
        assert!(asked >= 4 && refused >= kept.len(), "{asked} lines, {refused} without a point");
    }
}
