//! `farmjank analyze` on every kind of file that is no latency dump: written here, or by a run of the lab.

use crate::world::{Ended, SMOOTH, farmjank, held, run, write};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn analyzed(folder: &Path, args: &[&str]) -> Ended {
    let all: Vec<&str> = ["analyze"].iter().chain(args).copied().collect();
    run(folder, &all)
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let all: Vec<&str> = ["--format", "json"].iter().chain(args).copied().collect();
    let ended = analyzed(folder, &all);
    assert_eq!(ended.code, 0, "{}", ended.err);
    serde_json::from_str(&ended.out).expect("JSON and nothing else")
}

fn value(answer: &Value, key: &str) -> Option<f64> {
    answer["metrics"][key]["value"].as_f64()
}

fn reason<'a>(answer: &'a Value, key: &str) -> &'a str {
    assert!(answer["metrics"][key]["value"].is_null(), "{key}");
    answer["metrics"][key]["reason"].as_str().expect("a reason")
}

/// What one run of the demo lab leaves: a trace, and the evidence of the same window.
fn bundle(folder: &Path) -> (PathBuf, PathBuf) {
    write(folder, "smooth.yaml", SMOOTH);
    let ended =
        run(folder, &["run", "smooth.yaml", "--lab", "demo", "--iterations", "1", "--out", "out", "--quiet"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let of = |name: &str| folder.join("out/evidence/job-1/trial-0").join(name);
    (of("trial.perfetto-trace.zst"), of("0-fling-the-feed.dumps.zst"))
}

#[test]
fn a_run_s_trace_and_its_evidence_agree_and_carry_their_probes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, evidence) = bundle(folder.path());
    let (trace, evidence) = (trace.display().to_string(), evidence.display().to_string());
    let (of_trace, of_dumps) = (json(folder.path(), &[&trace]), json(folder.path(), &[&evidence]));
    assert_eq!(
        (&of_trace["source"], &of_dumps["source"]),
        (&"frametimeline".into(), &"surfaceflinger".into())
    );
    assert!(of_trace["coverage"]["layer"].as_str().is_some_and(|layer| layer.contains("com.example.shop/")));
    assert!(of_trace["others"].to_string().contains("com.android.systemui"), "{}", of_trace["others"]);
    // The trace spans the trial, the dumps the window: in a stretch of the dumps in which all moves both see the same
    // frames.
    let periods = &of_dumps["coverage"]["periods"][0];
    let from = periods["from"].as_i64().expect("an instant");
    let window = format!("{}..{}:finger", from + 500_000_000, from + 1_000_000_000);
    let inside = |file: &str| json(folder.path(), &["--window", &window, "--vsync", "8333333", file]);
    let (one, other) = (inside(&trace), inside(&evidence));
    for key in ["fps", "hitch_ms", "dropped_frames", "max_ms", "perfdog_jank"] {
        assert!(value(&one, key).is_some(), "{key}: {}", one["metrics"][key]);
        assert_eq!(one["metrics"][key], other["metrics"][key], "{key}");
    }
    assert!(value(&one, "ft_frames").is_some_and(|frames| frames > 20.0), "{}", one["metrics"]["ft_frames"]);
    assert_eq!(one["metrics"]["ft_blame"]["labels"][1], "compositor");
    assert!(reason(&one, "tally_fps").contains("not taken"));
    // Beside the dumps: counts and the log of the window, and render stages where no ring of framestats went round.
    assert!(reason(&of_dumps, "frame_count").contains("ring no longer held"));
    let slower = folder.path().join("out/evidence/job-3/trial-0/0-fling-the-feed.dumps.zst");
    let slower = slower.display().to_string();
    let first =
        json(folder.path(), &[&slower])["coverage"]["periods"][0]["from"].as_i64().expect("an instant");
    let window = format!("{}..{}:finger", first + 800_000_000, first + 1_600_000_000);
    let slower = json(folder.path(), &["--window", &window, &slower]);
    assert!(
        value(&slower, "frame_count").is_some_and(|frames| frames > 10.0),
        "{}",
        slower["metrics"]["frame_count"]
    );
    assert!(value(&of_dumps, "tally_frames").is_some_and(|frames| frames > 20.0));
    assert_eq!(value(&of_dumps, "slow_message_count"), Some(0.0));
    assert_eq!(json(folder.path(), &["--source", "gfxinfo", &evidence])["source"], "gfxinfo");
}

#[test]
fn a_trace_is_of_the_app_asked_for_and_comes_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, evidence) = bundle(folder.path());
    let (trace, evidence) = (trace.display().to_string(), evidence.display().to_string());
    let app = json(folder.path(), &["--package", "com.example.shop", &trace]);
    assert_eq!(app["metrics"], json(folder.path(), &[&trace])["metrics"]);
    let system = json(folder.path(), &["--package", "com.android.systemui", &trace]);
    assert!(system["others"].to_string().contains("com.example.shop"));
    let absent = analyzed(folder.path(), &["--package", "com.other", &trace]);
    assert!(absent.code == 2 && absent.err.contains("there are: com.android.systemui"), "{}", absent.err);
    for files in [[&trace, &trace], [&evidence, &trace]] {
        let ended = analyzed(folder.path(), &[files[0], files[1]]);
        assert!(ended.code == 2 && ended.err.contains("give it alone"), "{}", ended.err);
    }
    let wrong = analyzed(folder.path(), &["--source", "frametimeline", &evidence]);
    assert!(wrong.code == 2 && wrong.err.contains("not a Perfetto trace"), "{}", wrong.err);
}

#[test]
fn a_trace_longer_than_memory_is_read_in_pieces() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, _) = bundle(folder.path());
    let whole = json(folder.path(), &[&trace.display().to_string()]);
    let bytes = held(&trace);
    // Packets of other data sources around it: 96 MB that nobody keeps. Field 900, 64 KiB long.
    let mut packet = vec![0x0a, 0x85, 0x80, 0x04, 0xa2, 0x38, 0x80, 0x80, 0x04];
    packet.resize(packet.len() + 65_536, 0);
    packet[1] = 0x86;
    let mut command = farmjank(folder.path());
    command.args(["analyze", "--format", "json", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut pipe = child.stdin.take().expect("its input");
    let feeder = std::thread::spawn(move || {
        pipe.write_all(&bytes).expect("it is read");
        (0..1_500).for_each(|_| pipe.write_all(&packet).expect("it is read"));
    });
    let mut peak = 0;
    while !feeder.is_finished() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:").map(str::to_owned));
        let kb = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = peak.max(kb.unwrap_or(0));
        std::thread::yield_now();
    }
    let output = child.wait_with_output().expect("it ends");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["metrics"]["fps"], whole["metrics"]["fps"]);
    assert!(peak < 60_000, "{peak} kB for 98 MB");
}

const SUMMARY: &str = "Applications Graphics Acceleration Info:\nUptime: 2000000 Realtime: 3000000\n\n\
    ** Graphics info for pid 41 [com.a] **\n\nStats since: 5000ns\nTotal frames rendered: 200\n";
const OLD: &str = "Janky frames: 50 (25.00%)\n50th percentile: 9ms\n99th percentile: 40ms\nNumber Missed Vsync: 3\n\
    HISTOGRAM: 5ms=150 40ms=50\n";
const NEW: &str = "Janky frames: 8 (4.00%)\nJanky frames (legacy): 50 (25.00%)\n50th percentile: 9ms\n\
    Number Frame deadline missed: 8\nHISTOGRAM: 5ms=150 40ms=50\n";

#[test]
fn a_summary_prints_its_own_numbers_and_never_mixes_the_two_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "old.txt", &format!("{SUMMARY}{OLD}"));
    write(folder.path(), "new.txt", &format!("{SUMMARY}{NEW}"));
    let (old, new) = (json(folder.path(), &["old.txt"]), json(folder.path(), &["new.txt"]));
    let block = |answer: &Value, key: &str| answer["summary"]["blocks"][0][key].clone();
    assert_eq!((block(&old, "jank_deadline"), block(&old, "jank_legacy")), (Value::Null, 50.into()));
    assert_eq!((block(&new, "jank_deadline"), block(&new, "jank_legacy")), (8.into(), 50.into()));
    assert_eq!(block(&old, "percentiles_ms")["p99"], 40);
    assert_eq!(block(&old, "reasons")["missed_vsync"], 3);
    for key in ["fps", "jank_deadline", "render_ms"] {
        assert!(reason(&old, key).contains("framestats"), "{key}");
    }
    assert_eq!((&old["source"], &old["coverage"]["proved"]), (&"gfxinfo".into(), &false.into()));
    let table = analyzed(folder.path(), &["new.txt"]).out;
    assert!(
        table.contains("8 (4.00 %) by the deadline")
            && table.contains("50 (25.00 %) longer than an interval")
    );
    let window = analyzed(folder.path(), &["--window", "1..2:finger", "old.txt"]);
    assert!(window.code == 2 && window.err.contains("single frames"), "{}", window.err);
    let other = analyzed(folder.path(), &["--package", "com.b", "old.txt"]);
    assert!(other.code == 2 && other.err.contains("41/com.a"), "{}", other.err);
}

#[test]
fn a_bucket_without_an_upper_end_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let gpu = "50th gpu percentile: 2ms\n99th gpu percentile: 4950ms\nGPU HISTOGRAM: 1ms=9 4950ms=1\n";
    write(folder.path(), "gpu.txt", &format!("{SUMMARY}{NEW}{gpu}"));
    let table = analyzed(folder.path(), &["gpu.txt"]).out;
    assert!(table.contains("p50 2, p99 ≥ 25 ms") && !table.contains("4950"), "{table}");
    let block = json(folder.path(), &["gpu.txt"])["summary"]["blocks"][0].clone();
    assert_eq!(block["gpu_percentiles_ms"]["p99"], 4950, "as printed");
    assert_eq!(block["open_ended_ms"], serde_json::json!({ "bucket": 4950, "gpu_from": 25 }));
    let top = NEW.replace("50th percentile: 9ms", "50th percentile: 9ms\n99th percentile: 4950ms");
    write(folder.path(), "top.txt", &format!("{SUMMARY}{top}"));
    let table = analyzed(folder.path(), &["top.txt"]).out;
    assert!(table.contains("p50 9, p99 ≥ 4950 ms"), "{table}");
}

fn framestats(rows: std::ops::Range<i64>) -> String {
    let header = "Flags,IntendedVsync,Vsync,OldestInputEvent,NewestInputEvent,HandleInputStart,AnimationStart,\
        PerformTraversalsStart,DrawStart,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,\
        DequeueBufferDuration,QueueBufferDuration,\n";
    let row = |nth: i64| {
        let at = |ms: i64| 1_000_000_000_000 + nth * 16_666_667 + ms * 1_000_000;
        let cells =
            [at(0), at(0), i64::MAX, 0, at(1), at(2), at(3), at(4), at(5), at(5), at(6), at(8), at(10), 1, 1];
        format!("0,{},\n", cells.map(|cell| cell.to_string()).join(","))
    };
    format!("---PROFILEDATA---\n{header}{}---PROFILEDATA---\n", rows.map(row).collect::<String>())
}

#[test]
fn framestats_give_render_stages_of_the_whole_file_and_of_a_stretch() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |rows| {
        format!(
            "{SUMMARY}{OLD}\nProfile data in ms:\n\n\tcom.a/com.a.Main/android.view.ViewRootImpl@1f \
        (visibility=0)\nWindow: com.a/com.a.Main\nTotal frames rendered: 500\n{}",
            framestats(rows)
        )
    };
    write(folder.path(), "one.txt", &text(0..60));
    write(folder.path(), "far.txt", &text(200..260));
    let answer = json(folder.path(), &["one.txt"]);
    assert_eq!(value(&answer, "frame_count"), Some(60.0), "{}", answer["metrics"]["frame_count"]);
    assert_eq!(answer["metrics"]["render_ms"]["value"][0], 10.0);
    assert_eq!(answer["metrics"]["render_ms"]["labels"][3], "p99");
    assert_eq!(answer["summary"]["blocks"][0]["frames"], 200);
    // Frames nobody saw lie between: each frame that was is counted all the same.
    assert_eq!(value(&json(folder.path(), &["one.txt", "far.txt"]), "frame_count"), Some(120.0));
    let window = format!("{}..{}:finger", 1_000_000_000_000_i64, 1_000_100_000_000_i64);
    assert_eq!(value(&json(folder.path(), &["--window", &window, "one.txt"]), "frame_count"), Some(6.0));
    let around = format!("{}..{}:finger", 1_000_000_000_000_i64, 1_004_000_000_000_i64);
    let lost = json(folder.path(), &["--window", &around, "one.txt", "far.txt"]);
    assert!(reason(&lost, "frame_count").contains("no frame in common"));
    assert_eq!(json(folder.path(), &["--package", "com.a", "one.txt"])["name"], answer["name"]);
    assert_eq!(analyzed(folder.path(), &["--package", "com.b", "one.txt"]).code, 2);
}

const COUNTS: &str = "SurfaceFlinger TimeStats:\nstatsStart = 100\nstatsEnd = 160\ntotalFrames = 900\n\n\
    layerName = StatusBar#75\ntotalFrames = 800\ndroppedFrames = 0\n\
    present2present histogram is as below:\n16ms=790 200ms=9\n\n\
    layerName = com.a/com.a.Main#3\ntotalFrames = 101\ndroppedFrames = 2\n\
    present2present histogram is as below:\n8ms=0 16ms=90 33ms=9 54ms=1 1000ms=1\n";

#[test]
fn timestats_give_the_counts_of_the_layer_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "counts.txt", COUNTS);
    let busiest = json(folder.path(), &["counts.txt"]);
    assert_eq!((&busiest["source"], &busiest["name"]), (&"timestats".into(), &"StatusBar".into()));
    assert_eq!(busiest["others"][0]["frames"], 101);
    for choice in [["--package", "com.a"], ["--layer", "com.a.Main"]] {
        let app = json(folder.path(), &[choice[0], choice[1], "counts.txt"]);
        let got = ["tally_frames", "tally_dropped_frames", "tally_long_frames", "tally_gaps", "tally_p50_ms"]
            .map(|key| value(&app, key).unwrap_or(f64::NAN));
        assert_eq!(got, [101.0, 2.0, 1.0, 1.0, 16.0]);
        assert!(reason(&app, "fps").contains("shows none"));
    }
    let absent = analyzed(folder.path(), &["--package", "com.b", "counts.txt"]);
    assert!(absent.code == 2 && absent.err.contains("StatusBar"), "{}", absent.err);
    let twice = analyzed(folder.path(), &["counts.txt", "counts.txt"]);
    assert!(twice.code == 2 && twice.err.contains("a timestats dump"), "{}", twice.err);
    let elided = COUNTS.replace("8ms=0 16ms=90 33ms=9 54ms=1 1000ms=1", "0ms=0 1ms=0 (...)");
    write(folder.path(), "cut.txt", &elided);
    let cut = json(folder.path(), &["--package", "com.a", "cut.txt"]);
    assert!(!reason(&cut, "tally_long_frames").is_empty() && value(&cut, "tally_frames") == Some(101.0));
}

const LOG: &str = "--------- beginning of main\n\
    10.000  11  11 I am_proc_start: [0,4711,10001,com.a,activity,{x}]\n\
    10.500  4711  4711 I Choreographer: Skipped 40 frames!  The application may be doing too much work.\n\
    11.000  4711  4711 W Looper  : Slow dispatch took 80ms main h=H c=null m=1\n\
    11.500  4711  4711 W Looper  : Slow dispatch took 900ms main h=android.os.Handler c=com.a.Sync@1f m=0\n\
    12.000  99  99 I HWUI    : Davey! duration=800ms; Flags=1\n";

#[test]
fn a_log_gives_its_metrics_for_one_app_or_all() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "log.txt", LOG);
    let all = json(folder.path(), &["log.txt"]);
    assert_eq!((&all["source"], &all["name"]), (&"logcat".into(), &"every process".into()));
    let keys = ["davey_count", "choreographer_skipped_frames", "slow_message_count", "evil_message_count"];
    let of = |answer: &Value| keys.map(|key| value(answer, key).unwrap_or(f64::NAN));
    assert_eq!(of(&all), [1.0, 40.0, 2.0, 1.0]);
    assert_eq!(of(&json(folder.path(), &["--package", "com.a", "log.txt"])), [0.0, 40.0, 2.0, 1.0]);
    assert_eq!(all["metrics"]["evil_messages"]["value"][0]["callback"], "com.a.Sync");
    assert_eq!(value(&all, "main_thread_blocked_ms"), Some(980.0));
    let absent = analyzed(folder.path(), &["--package", "com.b", "log.txt"]);
    assert!(absent.code == 2 && absent.err.contains("which process"), "{}", absent.err);
    write(folder.path(), "plain.txt", "I/Choreographer(7): Skipped 49 frames!  x\n");
    let plain = json(folder.path(), &["plain.txt"]);
    assert!(reason(&plain, "slow_message_count").contains("whether the phone watched"));
    assert_eq!(value(&plain, "choreographer_skipped_frames"), Some(49.0));
}

#[test]
fn a_raw_log_is_refused_with_the_format_to_save_it_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let raw: String = LOG
        .lines()
        .map(|line| line.split_once(": ").map_or(line, |(_, message)| message))
        .fold(String::new(), |all, line| all + line + "\n");
    write(folder.path(), "raw.txt", &raw);
    for args in [&["raw.txt"][..], &["--source", "logcat", "raw.txt"]] {
        let refused = analyzed(folder.path(), args);
        assert!(refused.code == 2 && refused.err.contains("-v raw"), "{}", refused.err);
        assert!(refused.err.contains("-v threadtime"), "{}", refused.err);
    }
}

#[test]
fn the_table_groups_families_and_says_once_why_one_is_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "log.txt", LOG);
    let table = analyzed(folder.path(), &["log.txt"]).out;
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("\nMain thread and log\n") && table.contains("\n    at_ms 600"), "{table}");
    assert_eq!(table.matches("a log shows no frames").count(), 2, "{table}");
    write(folder.path(), "quiet.txt", &LOG.replace("900ms", "90ms"));
    let quiet = analyzed(folder.path(), &["quiet.txt"]).out;
    assert!(quiet.contains("evil_messages               none"), "{quiet}");
}
