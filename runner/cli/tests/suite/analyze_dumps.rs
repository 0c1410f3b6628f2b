//! Every real dump beside the repository, through the command line: sensible numbers or a clear refusal.

use crate::world::{real_dumps, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What is expected of a file.
enum Expected {
    /// Refused with this word.
    Refused(&'static str),
    /// Frames per second and 95th percentile, both within these.
    Frames([f64; 2], [f64; 2]),
    /// No value of `fps`, with this word as the reason.
    Empty(&'static str),
    /// A metric or a place (`/summary/…`) that has exactly this value, and no `fps`.
    Counted(&'static str, f64),
}

use Expected::{Counted, Empty, Frames, Refused};

/// Every file by the end of its path.
const FILES: [(&str, Expected); 35] = [
    ("am-start/solopi-cold-with-thistime.txt", Refused("`am start`")),
    ("battery/solox-usb-charging.txt", Refused("dumpsys battery")),
    ("dumpsys-display/flashlight-120hz-android15-displaydeviceinfo.txt", Refused("dumpsys display")),
    ("dumpsys-display/flashlight-60hz-android12-displaydeviceinfo.txt", Refused("dumpsys display")),
    ("dumpsys-display/healer-full-480x800-screen-off.txt", Refused("dumpsys display")),
    ("frametimeline/google-perfetto-api32-startup-warm.perfetto-trace", Frames([59.8, 60.0], [16.6, 16.8])),
    ("gfxinfo-framestats/anavmode-three-processes-five-blocks.txt", Frames([15.0, 17.0], [205.0, 215.0])),
    ("gfxinfo-framestats/choi-120hz-swapped-columns-utf8bom-a.txt", Frames([48.0, 49.0], [8.3, 8.5])),
    ("gfxinfo-framestats/choi-120hz-swapped-columns-utf8bom-b.txt", Frames([45.0, 46.5], [16.5, 16.7])),
    ("gfxinfo-framestats/yuva-utf16le-60hz-three-frames.txt", Frames([3.1, 3.2], [315.0, 315.3])),
    ("gfxinfo-framestats/yuva-utf16le-failure-while-dumping.txt", Refused("did not answer")),
    (
        "gfxinfo-summary/bam-android10-reactnativefeed-drawprepareprocessexecute.txt",
        Counted("/summary/blocks/0/jank_legacy", 23_595.0),
    ),
    ("gfxinfo-summary/bam-android12-legacyjank-gpuhist.txt", Counted("/summary/blocks/0/jank_deadline", 4.0)),
    (
        "gfxinfo-summary/lisa-android7-uibench-two-windows.txt",
        Counted("/summary/blocks/0/percentiles_ms/p90", 21.0),
    ),
    ("gfxinfo-summary/lisa-android7-youtube.txt", Counted("/summary/blocks/0/frames", 342.0)),
    (
        "misc/androidlog-surfaceflinger-oem-scheduler-120hz-history.txt",
        Refused("full `dumpsys SurfaceFlinger`"),
    ),
    ("misc/cats22-surfaceflinger-android12-scheduler-slice.txt", Refused("full `dumpsys SurfaceFlinger`")),
    (
        "misc/davey-logcat-lines-android12to15.txt",
        Counted("/metrics/choreographer_skipped_frames/value", 204.0),
    ),
    ("misc/flutter11484-surfaceflinger-android7-head.txt", Refused("full `dumpsys SurfaceFlinger`")),
    ("misc/gpablo-surfaceflinger-full-android15-60of90hz.txt", Refused("full `dumpsys SurfaceFlinger`")),
    ("misc/healer-dumpsys-power-head.txt", Refused("dumpsys power")),
    ("surfaceflinger-latency/alioth-android16-120hz-no-layer-argument.txt", Empty("no layer of that name")),
    ("surfaceflinger-latency/alioth-android16-120hz-two-rows.txt", Frames([121.0, 122.0], [8.2, 8.3])),
    ("surfaceflinger-latency/catapult-59hz-three-rows-spaces.txt", Frames([58.9, 59.1], [16.9, 17.0])),
    (
        "surfaceflinger-latency/catapult-59hz-unresponsive-warning-first.txt",
        Frames([58.9, 59.1], [16.9, 17.0]),
    ),
    ("surfaceflinger-latency/kuaishou-home-60hz-eight-rows.txt", Frames([60.8, 61.1], [16.4, 16.5])),
    ("surfaceflinger-latency/solox249-surfaceview-container-all-zero-60hz.txt", Empty("a container")),
    ("surfaceflinger-list/solox303-ctrip-android15-grep.txt", Refused("--list")),
    ("thermal/androidperf-handmade-status2.txt", Refused("dumpsys thermalservice")),
    (
        "timestats/arc-minecraft-android12to13-histograms-elided.txt",
        Counted("/metrics/tally_frames/value", 28.0),
    ),
    ("window/appium-focus-multi-display-a.txt", Refused("dumpsys window")),
    ("window/appium-focus-multi-display-b.txt", Refused("dumpsys window")),
    ("window/deviceinfra-dumpsys-window-anr.txt", Refused("dumpsys window")),
    ("window/deviceinfra-dumpsys-window-crash.txt", Refused("dumpsys window")),
    ("window/deviceinfra-dumpsys-window-normal.txt", Refused("dumpsys window")),
];

/// The one file with a long name of its own.
const WINDOWS: (&str, Expected) =
    ("window/flashlight-dumpsys-window-windows-full.txt", Refused("dumpsys window"));

/// Every file there is, but the page about them.
fn files() -> Vec<PathBuf> {
    let Some(folder) = real_dumps() else { return Vec::new() };
    let list = |path: &PathBuf| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let mut files: Vec<PathBuf> = list(&folder).iter().filter(|path| path.is_dir()).flat_map(list).collect();
    files.sort();
    files
}

fn held(name: &str, expected: &Expected, args: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = run(folder.path(), args);
    if let Refused(word) = expected {
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{name}");
        assert!(ended.err.contains(word), "{name}: {}", ended.err);
        return;
    }
    assert_eq!(ended.code, 0, "{name}: {}", ended.err);
    let answer: Value = serde_json::from_str(&ended.out).expect("JSON");
    let value = |key: &str| answer["metrics"][key]["value"].as_f64();
    let within = |key: &str, [low, high]: [f64; 2]| {
        assert!(
            value(key).is_some_and(|value| (low..=high).contains(&value)),
            "{name}: {key} {:?}",
            value(key)
        );
    };
    match expected {
        Refused(_) => {}
        Frames(fps, p95) => {
            within("fps", *fps);
            within("p95_ms", *p95);
        }
        Empty(word) => {
            let why = answer["metrics"]["fps"]["reason"].as_str().unwrap_or_default();
            assert!(
                value("fps").is_none() && why.contains(word) && ended.err.contains(word),
                "{name}: {why}"
            );
        }
        Counted(place, counted) => {
            assert_eq!(answer.pointer(place).and_then(Value::as_f64), Some(*counted), "{name}: {place}");
            assert!(value("fps").is_none() && answer["coverage"]["proved"] == false, "{name}");
            assert!(answer["metrics"]["fps"]["reason"].as_str().is_some_and(|why| why.contains("frames")));
        }
    }
}

#[test]
fn every_real_dump_gives_numbers_or_says_why_not() {
    let mut unmet: BTreeSet<&str> = FILES.iter().chain([&WINDOWS]).map(|(name, _)| *name).collect();
    let all = files();
    for path in &all {
        let shown = path.display().to_string();
        let known = FILES.iter().chain([&WINDOWS]).find(|(name, _)| shown.ends_with(name));
        let (name, expected) = known.unwrap_or_else(|| panic!("nothing is expected of {shown}: say what"));
        held(name, expected, &["analyze", "--format", "json", &shown]);
        unmet.remove(name);
    }
    assert!(all.is_empty() || unmet.is_empty(), "these were not there: {unmet:?}");
}

#[test]
fn tables_of_real_dumps_fit_eighty_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in files() {
        let ended = run(folder.path(), &["analyze", &path.display().to_string()]);
        for line in ended.out.lines().filter(|line| line.chars().count() > 80) {
            // Only a name that cannot be broken stands out.
            let longest = line.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
            assert!(longest > 60, "{}: {line}", path.display());
        }
        assert!(!ended.out.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "jank"));
    }
}

#[test]
fn the_phone_whose_header_says_60_00_is_judged_by_what_it_shows() {
    for path in files().into_iter().filter(|path| path.display().to_string().contains("kuaishou")) {
        let folder = tempfile::tempdir().expect("a folder");
        let ended = run(folder.path(), &["analyze", "--format", "json", &path.display().to_string()]);
        let answer: Value = serde_json::from_str(&ended.out).expect("JSON");
        let period = answer["coverage"]["periods"][0]["period"].as_i64().expect("a period");
        assert!((16_405_000..16_415_000).contains(&period), "{period}");
    }
}
