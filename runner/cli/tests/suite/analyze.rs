//! `farmjank analyze` on dumps written here.

use crate::world::{run, write};
use serde_json::Value;

/// A `--latency` dump: period line and one row per present.
fn dump(period: i64, presents: &[i64]) -> String {
    let row = |at: &i64| format!("{}\t{at}\t{}\n", at - 2 * period, at - period);
    format!("{period}\n{}\n", presents.iter().map(row).collect::<String>())
}

fn json(args: &[&str], files: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = vec!["analyze", "--format", "json"];
    all.extend(args);
    let names: Vec<String> = (0..files.len()).map(|n| format!("{n}.txt")).collect();
    for (name, text) in names.iter().zip(files) {
        write(folder.path(), name, text);
        all.push(name);
    }
    let ended = run(folder.path(), &all);
    assert_eq!(ended.code, 0, "{}", ended.err);
    serde_json::from_str(&ended.out).expect("JSON and nothing else")
}

const P: i64 = 16_666_667;
const FALSE: Value = Value::Bool(false);

/// 60 frames at 60 Hz, the 31st three vsyncs late.
fn presents() -> Vec<i64> {
    (0..60).map(|n| 1_000_000_000_000 + (n + if n >= 30 { 3 } else { 0 }) * P).collect()
}

#[test]
fn one_hitch_of_three_vsyncs_is_what_it_is() {
    let answer = json(&["--vsync", "16666667"], &[&dump(P, &presents())]);
    assert_eq!((&answer["format"], &answer["source"]), (&Value::from(1), &Value::from("surfaceflinger")));
    let value = |key: &str| answer["metrics"][key]["value"].as_f64().unwrap_or(f64::NAN);
    assert_eq!(value("dropped_frames"), 3.0);
    assert!((value("fps") - 59.0 / (62.0 * P as f64 / 1e9)).abs() < 1e-9);
    assert!((value("hitch_ms") - 3.0 * P as f64 / 1e6).abs() < 1e-9);
    assert!((value("fps") / (1e9 / P as f64) + value("hitch_ms_per_s") / 1e3 - 1.0).abs() < 1e-9);
    assert_eq!(answer["coverage"]["frames_seen"], 60);
    assert!(answer["metrics"]["scroll_fps"]["value"].is_null());
    assert!(answer["metrics"]["scroll_fps"]["reason"].is_string());
}

#[test]
fn overlapping_dumps_in_any_order_give_one_answer() {
    let all = presents();
    let whole = json(&[], &[&dump(P, &all)]);
    let (first, second) = (dump(P, &all[..40]), dump(P, &all[25..]));
    for files in [[first.as_str(), &second], [&second, &first]] {
        assert_eq!(json(&[], &files)["metrics"]["fps"], whole["metrics"]["fps"]);
    }
}

#[test]
fn a_loss_voids_a_named_window_and_splits_the_whole_file() {
    let all = presents();
    let files = [dump(P, &all[..20]), dump(P, &all[40..])];
    let files = [files[0].as_str(), &files[1]];
    let whole = json(&[], &files);
    assert_eq!(
        (&whole["coverage"]["proved"], &whole["metrics"]["loss_events"]["value"]),
        (&FALSE, &Value::from(1))
    );
    assert_eq!(whole["metrics"]["max_ms"]["value"], P as f64 / 1e6, "the bridging interval is no frame");
    assert_eq!(whole["metrics"]["dropped_frames"]["value"], 0);
    let around = format!("{}..{}:finger", all[0], all[50]);
    let void = json(&["--window", &around], &files);
    assert!(void["metrics"]["fps"]["value"].is_null());
    assert!(void["metrics"]["fps"]["reason"].as_str().is_some_and(|reason| reason.contains("overflowed")));
    let before = format!("{}..{}:finger", all[0], all[19]);
    assert_eq!(json(&["--window", &before], &files)["metrics"]["dropped_frames"]["value"], 0);
}

#[test]
fn rows_pending_in_the_last_dump_end_the_numbers_and_void_nothing() {
    let all = presents();
    let pending = format!("{}\t{}\t{}\n", all[59] - P, i64::MAX, i64::MAX);
    let text = format!("{}{pending}", dump(P, &all).trim_end_matches('\n').to_owned() + "\n");
    for phase in ["finger", "fling", "scroll"] {
        let window = format!("{}..{}:{phase}", all[0], all[59] + 200_000_000);
        let answer = json(&["--window", &window, "--vsync", "16666667"], &[&text]);
        assert_eq!(answer["metrics"]["dropped_frames"]["value"], 3, "{phase}");
        assert_eq!(answer["metrics"]["unresolved_pending"]["value"], 1);
        assert_eq!(answer["coverage"]["proved"], false, "the frame that is pending was not seen");
    }
    assert_eq!(json(&[], &[&text])["coverage"]["proved"], true);
}

#[test]
fn a_full_ring_proves_nothing_about_the_time_before_it() {
    let all: Vec<i64> = (0..127).map(|n| 1_000_000_000_000 + n * P).collect();
    let window = format!("{}..{}:finger", all[0] - 500_000_000, all[126]);
    let full = json(&["--window", &window], &[&dump(P, &all)]);
    assert_eq!(
        (&full["coverage"]["proved"], &full["metrics"]["dropped_frames"]["value"]),
        (&FALSE, &Value::from(0))
    );
    assert_eq!(full["metrics"]["first_frame_latency_ms"]["value"], 500.0);
    let begun = dump(P, &all[1..]).replacen('\n', "\n0\t0\t0\n", 1);
    assert_eq!(json(&["--window", &window], &[&begun])["coverage"]["proved"], true, "an empty slot does");
}

#[test]
fn a_dump_without_frames_is_an_empty_ring_and_no_number() {
    let all = presents();
    let (zeros, alone) = (format!("{P}\n{}\n", "0\t0\t0\n".repeat(127)), format!("{P}\n\n"));
    let pending = format!("{P}\n{}\t{}\t{}\n\n", all[0], i64::MAX, i64::MAX);
    let mut reasons = Vec::new();
    for empty in [&zeros, &alone, &pending] {
        let answer = json(&[], &[empty]);
        for key in ["fps", "hitch_ms", "dropped_frames", "first_frame_latency_ms"] {
            assert!(answer["metrics"][key]["value"].is_null(), "{key}");
        }
        reasons.push(answer["metrics"]["fps"]["reason"].as_str().expect("a reason").to_owned());
        let among = json(&["--vsync", "16666667"], &[empty, &dump(P, &all)]);
        assert_eq!(among["metrics"]["dropped_frames"]["value"], 3);
    }
    assert!(
        reasons[0].contains("container") && reasons[1].contains("no layer") && reasons[2].contains("pending")
    );
    assert_eq!(json(&[], &[&zeros])["metrics"]["zero_rows"]["value"], 127);
    let elsewhere = json(&["--window", "5..6:finger"], &[&dump(P, &all)]);
    assert!(elsewhere["metrics"]["fps"]["reason"].as_str().is_some_and(|why| why.contains("in the window")));
}

#[test]
fn windows_idle_gaps_and_target_rates_are_honoured() {
    let all = presents();
    let window = format!("{}..{}:finger", all[0], all[10]);
    let answer = json(&["--window", &window], &[&dump(P, &all)]);
    assert_eq!(answer["metrics"]["dropped_frames"]["value"], 0);
    assert_eq!(answer["coverage"]["frames_seen"], 11);
    let gap = json(&["--idle-gap", "50ms"], &[&dump(P, &all)]);
    assert_eq!(gap["metrics"]["dropped_frames"]["value"], 0);
    assert_eq!(gap["metrics"]["idle_gaps"]["value"], 1);
    assert_eq!(json(&["--idle-gap", "50"], &[&dump(P, &all)]), gap, "a bare number is milliseconds");
    let none = json(&["--idle-gap", "none"], &[&dump(P, &all)]);
    assert_eq!(none["metrics"]["dropped_frames"]["value"], 3);
    let half: Vec<i64> = (0..40).map(|n| 1_000_000_000_000 + n * 2 * P).collect();
    let target = json(&["--target-fps", "30", "--vsync", "16666667"], &[&dump(P, &half)]);
    assert_eq!(target["metrics"]["hitch_ms"]["value"], 0.0);
}

#[test]
fn standard_input_and_wrong_files_are_handled_with_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "dump.txt", &dump(P, &presents()));
    let stdin = std::fs::File::open(path).expect("the dump");
    let mut command = crate::world::farmjank(folder.path());
    let output = command.args(["analyze", "-"]).stdin(stdin).output().expect("it runs");
    assert!(output.status.success());
    write(folder.path(), "empty.txt", "");
    write(folder.path(), "words.txt", "hello\n");
    write(folder.path(), "no-app.txt", "No process found for: com.a\n");
    let mut said = Vec::new();
    for name in ["empty.txt", "words.txt", "no-app.txt", "absent.txt"] {
        let ended = run(folder.path(), &["analyze", "--format", "json", name]);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{name}");
        assert!(ended.err.contains(name));
        said.push(ended.err.replace(name, ""));
    }
    said.dedup();
    assert_eq!(said.len(), 4, "each has its own message: {said:?}");
}

#[test]
fn a_half_read_paste_is_told_and_one_torn_inside_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = dump(P, &presents());
    let analyzed = |text: &str| {
        write(folder.path(), "paste.txt", text);
        run(folder.path(), &["analyze", "paste.txt"])
    };
    let sound = analyzed(&whole);
    assert!(sound.code == 0 && !sound.err.contains("missing"), "{}", sound.err);
    let cut = analyzed(&whole[..whole.len() - 25]);
    assert!(cut.code == 0 && cut.err.contains("half a row"), "{}", cut.err);
    let scrolled = analyzed(&dump(P, &(0..90).map(|n| 1_000_000_000_000 + n * P).collect::<Vec<_>>()));
    assert!(scrolled.code == 0 && scrolled.err.contains("90 rows"), "{}", scrolled.err);
    // The middle is gone: without a word it would be one long frame.
    let torn = analyzed(&format!("{}\n{}", &whole[..whole.len() / 3], &whole[whole.len() / 2..]));
    assert!(torn.code == 2 && torn.err.contains("part of a row"), "{}", torn.err);
}
