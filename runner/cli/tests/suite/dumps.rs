//! Every real dump beside the repository, through the command line: sensible numbers or a clear refusal.

use crate::world::{real_dumps, run};
use std::path::PathBuf;

fn files(kind: &str) -> Vec<PathBuf> {
    let Some(folder) = real_dumps() else { return Vec::new() };
    let entries = std::fs::read_dir(folder.join(kind)).expect("the kind's folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn latency_and_framestats_dumps_give_numbers_or_say_why_not() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in files("surfaceflinger-latency").into_iter().chain(files("gfxinfo-framestats")) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let ended = run(folder.path(), &["analyze", "--format", "json", &path.display().to_string()]);
        let refused = name.contains("failure-while-dumping");
        assert_eq!(ended.code, if refused { 2 } else { 0 }, "{name}: {}", ended.err);
        if refused {
            assert!(ended.out.is_empty() && ended.err.len() > 60, "{name}: {}", ended.err);
            continue;
        }
        let answer: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
        let empty = [("no-layer-argument", "no layer of that name"), ("all-zero", "a container")];
        if let Some((_, words)) = empty.iter().find(|(kind, _)| name.contains(kind)) {
            let fps = &answer["metrics"]["fps"];
            assert!(
                fps["value"].is_null() && fps["reason"].as_str().is_some_and(|why| why.contains(words)),
                "{fps}"
            );
            assert!(ended.err.contains(words), "{name}: {}", ended.err);
            continue;
        }
        let fps = answer["metrics"]["fps"]["value"].as_f64();
        assert!(fps.is_some_and(|fps| (1.0..=170.0).contains(&fps)), "{name}: {fps:?}");
    }
}

#[test]
fn the_phone_whose_header_says_60_00_is_judged_by_what_it_shows() {
    for path in files("surfaceflinger-latency")
        .into_iter()
        .filter(|path| path.display().to_string().contains("kuaishou"))
    {
        let folder = tempfile::tempdir().expect("a folder");
        let ended = run(folder.path(), &["analyze", "--format", "json", &path.display().to_string()]);
        let answer: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
        let period = answer["coverage"]["periods"][0]["period"].as_i64().expect("a period");
        assert!((16_405_000..16_415_000).contains(&period), "{period}");
    }
}

#[test]
fn other_dumps_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in [
        "dumpsys-display",
        "window",
        "battery",
        "thermal",
        "timestats",
        "am-start",
        "surfaceflinger-list",
        "gfxinfo-summary",
    ] {
        for path in files(kind) {
            let ended = run(folder.path(), &["analyze", &path.display().to_string()]);
            assert_eq!(ended.code, 2, "{}", path.display());
            assert!(ended.err.contains("this is") || ended.err.contains("no framestats"), "{}", ended.err);
        }
    }
}
