//! Words and exit codes when nothing is measured.

use crate::world::{SMOOTH, run, write};

#[test]
fn without_phones_a_run_exits_3_and_says_how_to_try_the_lab() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let ended = run(folder.path(), &["run", "s.yaml"]);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("--lab demo"), "{}", ended.err);
}

#[test]
fn every_complaint_of_every_file_is_printed_with_its_place_and_exit_2() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "a.yaml", &SMOOTH.replace("thresholds:", "treshold:"));
    write(
        folder.path(),
        "b.yaml",
        "name: B\nappId: com.b\nsteps:\n  - swip: { direction: UP }\n  - startRecording: x\n",
    );
    for verb in ["check", "run", "plan"] {
        let ended = run(folder.path(), &[verb, "."]);
        assert_eq!(ended.code, 2, "{verb}");
        for wanted in ["a.yaml:", "b.yaml:4:5", "b.yaml:5:5", "thresholds", "swipe", "startRecording", "^"] {
            assert!(ended.err.contains(wanted), "{verb}: no `{wanted}` in\n{}", ended.err);
        }
    }
}

/// The first complaint's place (line and column from 1), the characters under its carets, and what it says to write.
fn hint(err: &str) -> Option<(usize, usize, usize, String)> {
    let place = err.lines().find_map(|line| line.trim_start().strip_prefix("--> s.yaml:"))?;
    let (line, column) = place.split_once(':')?;
    let carets = err.lines().find(|line| line.contains('^'))?.matches('^').count();
    let instead = err.split("help: write `").nth(1)?.split('`').next()?;
    Some((line.parse().ok()?, column.parse().ok()?, carets, instead.to_owned()))
}

#[test]
fn hints_of_limits_followed_to_the_letter_keep_the_number_and_face_the_better_side() {
    let folder = tempfile::tempdir().expect("a folder");
    for (written, meant) in [
        ("fps: '55'", "fps: 'mean >= 55'"),
        ("fps: 'mean < 55'", "fps: 'mean >= 55'"),
        ("fps: 'mean >= 95%refesh'", "fps: 'mean >= 95%refresh'"),
        ("frozen_frames: '0'", "frozen_frames: 'max == 0'"),
        ("frozen_frames: '== 0'", "frozen_frames: 'max == 0'"),
        ("frozen_frames: 'mean < 0'", "frozen_frames: 'mean == 0'"),
        ("p95_ms: '< 20ms'", "p95_ms: 'mean < 20ms'"),
        ("p95_ms: 'p95 > 20'", "p95_ms: 'p(95) <= 20'"),
        ("hitch: 'mean < 10'", "hitch_ms_per_s: 'mean < 10'"),
        ("delivery_ratio: '95'", "delivery_ratio: 'mean >= 95%'"),
    ] {
        let mut text = SMOOTH.replace("fps: 'mean >= 30%refresh', frozen_frames: 'max <= 50'", written);
        for _ in 0..4 {
            write(folder.path(), "s.yaml", &text);
            let Some((line, column, carets, instead)) = hint(&run(folder.path(), &["check", "s.yaml"]).err)
            else {
                break;
            };
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines[line - 1].replace_range(column - 1..column - 1 + carets, &instead);
            text = lines.join("\n");
        }
        assert!(text.contains(meant), "{written}:\n{text}");
        assert_eq!(run(folder.path(), &["check", "s.yaml"]).code, 0, "{text}");
    }
}

#[test]
fn hostile_yaml_is_refused_quickly() {
    let folder = tempfile::tempdir().expect("a folder");
    let laughs: String = (1..12).fold("a0: &a0 [x]\n".to_owned(), |text, n| {
        let many = format!("*a{}, ", n - 1).repeat(10);
        format!("{text}a{n}: &a{n} [{many}]\n")
    });
    let duplicate = SMOOTH.replace("warmup: 0", "warmup: 0\nwarmup: 1");
    for (name, text) in [("laughs", laughs), ("deep", "[".repeat(200_000)), ("twice", duplicate)] {
        let path = write(folder.path(), &format!("{name}.yaml"), &text);
        let ended = run(folder.path(), &["check", &path.display().to_string()]);
        assert_eq!(ended.code, 2, "{name}");
        assert!(ended.err.contains(&format!("{name}.yaml:")), "{name}: {}", ended.err);
    }
    std::fs::write(folder.path().join("bytes.yaml"), b"name: \xff\xfe\n").expect("a file");
    let ended = run(folder.path(), &["check", "bytes.yaml"]);
    assert!(ended.code == 2 && ended.err.contains("UTF-8"), "{}", ended.err);
}

#[test]
fn a_selection_that_matches_nothing_exits_5() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let tagged = SMOOTH.replace("name: Smooth", "name: Tagged\ntags: [ smoke, nightly ]");
    write(folder.path(), "t.yaml", &tagged);
    for (nth, (asked, said)) in [
        (["-t", "no-such-tag"], "no scenario has the tag `no-such-tag`; tags are `nightly`, `smoke`"),
        (["-t", "smok"], "no scenario has the tag `smok`; did you mean `smoke`?"),
    ]
    .iter()
    .enumerate()
    {
        let out = format!("o{nth}");
        let run_it = ["run", "--lab", "demo", "--out", &out, "s.yaml", "t.yaml"];
        let ended = run(folder.path(), &[&run_it[..], &asked[..]].concat());
        assert_eq!(ended.code, 5, "{}{}", ended.out, ended.err);
        assert!(ended.err.contains(said), "{}", ended.err);
        let planned =
            run(folder.path(), &[&["plan", "--lab", "demo", "s.yaml", "t.yaml"][..], &asked[..]].concat());
        assert!(planned.err.contains(said), "{}", planned.err);
    }
}

#[test]
fn a_device_filter_that_leaves_no_phone_exits_5_and_says_what_each_phone_is() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let said =
        "the device filter leaves no phone: virtual-galaxy-a14: sdk is 34, needs >= 99; virtual-oneplus-9: ";
    for verb in ["run", "plan"] {
        let ended = run(folder.path(), &[verb, "--lab", "demo", "s.yaml", "--device-filter", "sdk >= 99"]);
        assert_eq!(ended.code, 5, "{}{}", ended.out, ended.err);
        let told = format!("{}{}", ended.out, ended.err).replace("\n    ", " ");
        assert!(told.contains(said) && !told.contains("not on"), "{told}");
    }
}

#[test]
fn a_serial_that_is_not_there_is_answered_with_the_nearest_or_with_all() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    for (serial, said) in [
        ("virtual-pixel-9", "did you mean virtual-pixel-8?"),
        (
            "typo",
            "connected are virtual-galaxy-a14, virtual-oneplus-9, virtual-pixel-8, virtual-redmi-note-7",
        ),
    ] {
        let ended = run(folder.path(), &["run", "--lab", "demo", "s.yaml", "-s", serial, "--out", serial]);
        let told = ended.out.replace("\n         ", " ");
        assert!(ended.code == 3 && told.contains(said), "{}\n{told}", ended.code);
        assert!(told.contains(&format!("no phone with serial `{serial}` is connected")), "{told}");
    }
}

#[test]
fn no_phone_at_a_time_is_a_usage_error() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let ended = run(folder.path(), &["run", "--lab", "demo", "s.yaml", "--jobs", "0"]);
    assert!(ended.code == 2 && ended.err.contains("--jobs"), "{}{}", ended.code, ended.err);
}

#[test]
fn an_unknown_lab_names_the_gallery() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let ended = run(folder.path(), &["run", "--lab", "dmeo", "s.yaml"]);
    assert!(ended.code == 2 && ended.err.contains("demo"), "{} {}", ended.code, ended.err);
}

#[test]
fn the_schema_is_json_and_knows_the_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = run(folder.path(), &["schema"]);
    let schema: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
    assert!(schema["$schema"].as_str().is_some_and(|name| name.contains("2020-12")));
    assert!(ended.out.contains("scrollUntilVisible"));
}

#[test]
fn devices_plan_and_doctor_look_at_the_demo_lab() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        "s.yaml",
        &SMOOTH.replace("name: Smooth", "name: Smooth\ndevices: 'refresh >= 100'"),
    );
    let devices = run(folder.path(), &["devices", "--lab", "demo"]);
    assert_eq!(devices.code, 0, "{}", devices.err);
    assert_eq!(
        devices.out.lines().filter(|line| line.contains("virtual") && line.contains("Hz")).count(),
        4,
        "{}",
        devices.out
    );
    let plan = run(folder.path(), &["plan", "--lab", "demo", "s.yaml"]);
    assert!(plan.out.contains("needs") && plan.out.contains("job 0"), "{}{}", plan.out, plan.err);
    let doctor = run(folder.path(), &["doctor", "--lab", "demo"]);
    assert!(doctor.out.contains("ready to measure"), "{}", doctor.out);
    let old = "virtual-redmi-note-7: cannot be told: the phone has no frame timeline: it runs Android 10";
    let told = [
        "virtual-pixel-8: with `run --causes`, of every app",
        old,
        "virtual-pixel-8: of apps that are debuggable or <profileable android:shell=\"true\"/>, also with `run --stacks`",
        "virtual-redmi-note-7: of apps that are debuggable or <profileable android:shell=\"true\"/>, with simpleperf alone",
    ];
    assert!(told.iter().all(|words| doctor.out.contains(words)), "{}", doctor.out);
}

#[test]
fn a_flow_that_is_missing_is_named_once_with_what_its_path_starts_from() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", &SMOOTH.replace("steps:\n", "steps:\n  - runFlow: shared/leave.yaml\n"));
    let ended = run(folder.path(), &["check", "s.yaml"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    let complaint = ended.err.lines().next().unwrap_or_default();
    assert_eq!(complaint.matches("leave.yaml").count(), 1, "{complaint}");
    assert!(ended.err.contains("relative to the folder of this file"), "{}", ended.err);
}

#[test]
fn the_version_with_verbose_says_what_a_report_of_a_fault_needs() {
    let folder = tempfile::tempdir().expect("a folder");
    let short = run(folder.path(), &["--version"]);
    assert_eq!((short.code, short.out.as_str()), (0, concat!("farmjank ", env!("CARGO_PKG_VERSION"), "\n")));
    assert_eq!(run(folder.path(), &["-V"]).out, short.out);
    for words in [["--version", "--verbose"], ["--verbose", "-V"]] {
        let long = run(folder.path(), &words);
        let told: Vec<(&str, &str)> =
            long.out.lines().skip(1).filter_map(|line| line.split_once(' ')).collect();
        let heads: Vec<&str> = told.iter().map(|(head, _)| *head).collect();
        assert_eq!(
            heads,
            ["commit", "target", "features", "log", "plugins", "farm", "SQLite"],
            "{}",
            long.out
        );
        assert!(told.iter().all(|(_, value)| !value.trim().is_empty()), "{}", long.out);
        assert!(long.out.contains(std::env::consts::ARCH), "{}", long.out);
        assert!(long.out.starts_with(&short.out), "{}", long.out);
    }
    let alone = run(folder.path(), &["--verbose"]);
    assert!(alone.code == 2 && alone.err.contains("--version"), "{}", alone.err);
}
