//! `farmjank lab health`: what the runs of some days say of their phones, as a user sees it.

use crate::world::{SMOOTH, run, write};
use std::path::Path;

const LAB: &str = "
name: rack
phones:
  - { archetype: pixel-8, serial: P8 }
  - { archetype: pixel-8, serial: P9 }
  - { archetype: pixel-8, serial: P10 }
";
const UNPLUGGED: &str = "faults: [ { at: 9400ms, phone: P8, kind: unplug, for: 8s } ]\n";

/// A run of a lab, as one of real phones would have left it, copied to every one of these nights.
fn nights(folder: &Path, faults: &str, nights: std::ops::RangeInclusive<u32>) {
    write(folder, "lab.yaml", &format!("{LAB}{faults}"));
    write(folder, "s.yaml", SMOOTH);
    let args = ["run", "s.yaml", "--lab", "lab.yaml", "--out", "one", "--overwrite", "--no-history"];
    let ended = run(folder, &args);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let log = std::fs::read_to_string(folder.join("one/events.ndjson")).expect("a log");
    for night in nights {
        let real = log
            .replacen("\"lab\":\"rack\"", "\"lab\":null", 1)
            .replacen(
                "\"wall\":\"2000-01-01T00:00:00Z\"",
                &format!("\"wall\":\"2026-11-{night:02}T02:00:00Z\""),
                1,
            )
            .replacen("\"run\":\"lab-rack-seed0\"", &format!("\"run\":\"night-{night}\""), 1);
        write(folder, &format!("results/runs/night-{night}/events.ndjson"), &real);
    }
}

/// A text as one line, however it was set.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_phone_that_is_unplugged_night_after_night_is_named_once_the_nights_are_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    nights(folder.path(), "", 1..=3);
    nights(folder.path(), UNPLUGGED, 4..=10);
    let health =
        |more: &[&str]| run(folder.path(), &[&["lab", "health", "--until", "2026-11-10"], more].concat());
    let ended = health(&["--since", "10d"]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{}", ended.out);
    for wanted in [
        "10 runs of results/runs, 2026-10-31 23:59 to 2026-11-10 23:59 UTC",
        "Pixel 8 (P8) 7 of 10",
        "Pixel 8 (P9) 0 of 10",
        "2026-11-04 left its adb server or went offline",
        "replace Pixel 8 (P8), or first its cable and port: trouble on 7 of its 10 days",
    ] {
        assert!(flat(&ended.out).contains(wanted), "no `{wanted}` in\n{}", ended.out);
    }
    // Of two nights nobody can tell, and nobody says that all is well.
    let few = health(&["--since", "2d"]);
    assert!(
        few.out.contains("2 runs") && flat(&few.out).contains("nothing can be told of any phone"),
        "{}",
        few.out
    );
    let json: serde_json::Value =
        serde_json::from_str(&health(&["--since=10d", "--format=json"]).out).expect("JSON");
    assert_eq!((&json["replace"][0], &json["phones"][0]["days_of_trouble"]), (&"P8".into(), &7.into()));
    // Whether an answer was cut off or the next question found no phone is the instant's doing.
    let faults = json["phones"][0]["total"]["faults"].as_object().expect("faults by kind");
    let left = faults.iter().filter(|(kind, _)| kind.starts_with("device_"));
    assert_eq!(left.filter_map(|(_, count)| count.as_u64()).sum::<u64>(), 7);
}

#[test]
fn what_is_no_run_or_damaged_is_said_and_the_others_count() {
    let folder = tempfile::tempdir().expect("a folder");
    nights(folder.path(), "", 9..=10);
    let log = folder.path().join("results/runs/night-9/events.ndjson");
    let text = std::fs::read_to_string(&log).expect("a log");
    write(folder.path(), "results/runs/night-9/events.ndjson", &text.replacen("\"seq\":3", "\"seq\":", 1));
    write(folder.path(), "results/runs/notes/readme.txt", "mine");
    let ended = run(folder.path(), &["lab", "health", "--until", "2026-11-10"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    for wanted in [
        "1 run of",
        "not counted: results/runs/night-9:",
        "line 4 of the log",
        "results/runs/notes: it has no",
    ] {
        assert!(flat(&ended.out).contains(wanted), "no `{wanted}` in\n{}", ended.out);
    }
}

#[test]
fn virtual_labs_count_only_where_they_are_asked_for_and_nothing_is_exit_5() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    write(folder.path(), "lab.yaml", LAB);
    assert_eq!(run(folder.path(), &["run", "s.yaml", "--lab", "lab.yaml", "--no-history"]).code, 0);
    let ended = run(folder.path(), &["lab", "health"]);
    assert_eq!(ended.code, 5, "{}", ended.out);
    assert!(ended.out.contains("1 run of virtual labs left out; --virtual counts them"), "{}", ended.out);
    let ended = run(folder.path(), &["lab", "health", "--virtual"]);
    assert!(ended.code == 0 && ended.out.contains("Pixel 8 (P10)"), "{}", ended.out);
    for (flag, word) in [("--since=3y", "--since"), ("--until=soon", "--until"), ("--runs=none", "no folder")]
    {
        let ended = run(folder.path(), &["lab", "health", flag]);
        assert!(ended.code == 2 && ended.err.contains(word), "{flag}: {}", ended.err);
    }
}
