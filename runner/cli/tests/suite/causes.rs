//! `farmjank causes`: why frames were late, of a trace written here by the rules of the wire format, and of a real one.

mod always;
mod builds;
mod limits;
mod made;
mod new;
pub mod of_methods;
mod of_run;
mod owners;
mod stacks;

use crate::world::{Ended, real_dumps, run, write};
use serde_json::Value;
use std::path::Path;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/causes.md");
const FILE: &str = "trial.perfetto-trace";

fn causes(folder: &Path, args: &[&str]) -> Ended {
    let all: Vec<&str> = ["causes", FILE].iter().chain(args).copied().collect();
    run(folder, &all)
}

fn with_trace(trace: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(FILE), trace).expect("a file");
    folder
}

fn answered(folder: &Path, args: &[&str]) -> Value {
    let all: Vec<&str> = ["--format", "json"].iter().chain(args).copied().collect();
    let ended = causes(folder, &all);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    serde_json::from_str(&ended.out).expect("JSON and nothing else")
}

/// The page shows below this command what was printed; `FARMJANK_BLESS=1` writes it there.
fn shows(command: &str, printed: &str) {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once(&format!("```\n$ {command}\n")).expect("the page shows the command");
    let (shown, after) = rest.split_once("```\n").expect("the end of a block");
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        std::fs::write(PAGE, format!("{before}```\n$ {command}\n{printed}```\n{after}")).expect("the page");
        return;
    }
    assert_eq!(printed, shown, "{printed}");
}

#[test]
fn a_planted_lock_is_named_with_owner_and_place_and_a_stall_without_a_trace_of_it_stays_unexplained() {
    let folder = with_trace(&made::shop());
    let answer = answered(folder.path(), &["--package", "com.shop"]);
    let first = &answer["causes"][0];
    assert_eq!(first["kind"], "lock.monitor");
    assert_eq!(first["title"], "main waits for a lock held by \"db-writer\" in ShopDb.flush");
    assert_eq!(first["detail"], "wanted in ShopDb.read; meanwhile db-writer waits for the disk");
    assert_eq!((first["frames"].as_u64(), answer["frames_in_time"].as_u64()), (Some(1), Some(40)));
    let ms = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value}"));
    // Five refreshes each: one lock, one wait nothing tells of.
    assert!((ms(&first["ms"]) - 41.667).abs() < 1.0, "{first}");
    assert!((ms(&answer["unexplained_ms"]) - 41.667).abs() < 1.0, "{answer}");
    assert_eq!(answer["unexplained"][0]["reason"], "a thread waited, and nothing tells on what");
    for frame in answer["frames"].as_array().expect("frames") {
        let causes = frame["causes"].as_array().expect("causes").iter();
        let charged: i64 = causes.map(|cause| (ms(&cause["ms"]) * 1e3).round() as i64).sum();
        let unexplained = (ms(&frame["unexplained_ms"]) * 1e3).round() as i64;
        assert_eq!(charged + unexplained, (ms(&frame["hitch_ms"]) * 1e3).round() as i64, "{frame}");
    }
    // What causes add up to is what `analyze` counts.
    let analyzed = run(folder.path(), &["analyze", FILE, "--format", "json"]);
    let analyzed: Value = serde_json::from_str(&analyzed.out).expect("JSON");
    let blamed = analyzed["metrics"]["ft_blame_ms"]["value"].as_array().expect("a list").iter().map(ms);
    assert!(
        (blamed.sum::<f64>() - ms(&answer["hitch_ms"])).abs() < 0.01,
        "{}",
        analyzed["metrics"]["ft_blame_ms"]
    );
}

#[test]
fn the_page_shows_what_is_printed() {
    let folder = with_trace(&made::shop());
    let printed = causes(folder.path(), &["--package", "com.shop"]);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
    shows("farmjank causes trial.perfetto-trace --package com.shop", &printed.out);
}

#[test]
fn the_method_in_which_main_waited_is_named_by_stacks_in_the_trace_and_by_the_mapping_of_the_build() {
    let folder = with_trace(&made::shop_with_stacks());
    let mapping = "com.shop.Feed -> a.b:\n    1:1:void bind(int):12:12 -> a\ncom.shop.Net -> a.c:\n    void await() -> b\n";
    write(folder.path(), "mapping.txt", mapping);
    let args = ["--package", "com.shop", "--mapping", "mapping.txt"];
    let printed = causes(folder.path(), &args);
    assert_eq!((printed.code, printed.err.as_str()), (0, ""));
    shows("farmjank causes trial.perfetto-trace --package com.shop --mapping mapping.txt", &printed.out);
    let answer = answered(folder.path(), &args);
    let named = &answer["causes"][1];
    let title = "main waits in com.shop.Net.await, called by com.shop.Feed.bind";
    assert_eq!((named["kind"].as_str(), named["title"].as_str()), (Some("app.off_cpu"), Some(title)));
    assert_eq!(answer["stacks"], serde_json::json!({ "taken": 1, "lost": 0, "reason": null }));
    // Without the mapping it has the names of the phone, and a mapping of another build says so.
    let short = answered(folder.path(), &["--package", "com.shop"]);
    assert_eq!(short["causes"][1]["object"], "a.c.b, called by a.b.a");
    write(folder.path(), "mapping.txt", "com.other.Thing -> x.y:\n");
    let other = causes(folder.path(), &args);
    assert!(other.out.contains("mapping.txt knows no class of this recording"), "{}", other.out);
    // Stacks that somebody asked for, and none came: the reason stands where methods would.
    let bare = with_trace(&made::shop());
    assert!(answered(bare.path(), &[])["stacks"].is_null());
}

#[test]
fn a_real_phones_late_frame_is_explained_as_the_page_says() {
    let Some(dumps) = real_dumps() else { return };
    let trace = dumps.join("frametimeline/google-perfetto-api32-startup-warm.perfetto-trace");
    let folder = with_trace(&std::fs::read(trace).expect("a file"));
    let printed = causes(folder.path(), &["--package", "com.android.systemui"]);
    shows("farmjank causes trial.perfetto-trace --package com.android.systemui", &printed.out);
    // Without a package it is the app with most frames: none was late, and main was held up before the first one.
    let held_up = causes(folder.path(), &[]);
    let app = "androidx.benchmark.integration.macrobenchmark.target";
    assert!(held_up.out.starts_with(&format!("{app}: no frame was late\n")), "{}", held_up.out);
    shows(&format!("farmjank causes trial.perfetto-trace --package {app}"), &held_up.out);
}

#[test]
fn lost_events_leave_null_and_a_reason() {
    let folder = with_trace(&made::shop_with_losses());
    let answer = answered(folder.path(), &[]);
    let frame = &answer["frames"][0];
    assert!(frame["causes"].is_null() && frame["unexplained_ms"].is_null(), "{frame}");
    assert!(frame["reason"].as_str().is_some_and(|why| why.contains("overwrote events")), "{frame}");
    assert_eq!(answer["unknown_ms"], answer["hitch_ms"]);
    let words = causes(folder.path(), &[]).out;
    assert!(
        words.contains("nothing can be said of it") && words.contains("give its buffers more room"),
        "{words}"
    );
}

#[test]
fn what_strangers_call_their_threads_is_harmless_when_it_is_shown() {
    let folder = with_trace(&made::shop_of_a_stranger());
    for format in ["table", "json"] {
        let ended = causes(folder.path(), &["--format", format]);
        assert!(
            ended.code == 0 && !ended.out.contains('\u{1b}') && ended.out.contains("riter"),
            "{}",
            ended.out
        );
    }
}

#[test]
fn what_cannot_be_answered_says_what_to_do() {
    let folder = with_trace(&made::frames_only());
    let ended = causes(folder.path(), &[]);
    assert_eq!((ended.code, ended.out.as_str()), (2, ""));
    assert!(
        ended.err.contains("no scheduler events") && ended.err.contains("docs/causes.md"),
        "{}",
        ended.err
    );
    let ended = run(folder.path(), &["causes", "."]);
    assert!(ended.code == 2 && ended.err.contains("no run is kept there"), "{}", ended.err);
    let ended = run(folder.path(), &["causes", "-"]);
    assert!(ended.code == 2 && ended.err.contains("read twice"), "{}", ended.err);
    let ended = causes(folder.path(), &["--package", "com.other"]);
    assert!(ended.code == 2 && ended.err.contains("com.shop"), "{}", ended.err);
    write(folder.path(), FILE, "not a trace");
    assert_eq!(causes(folder.path(), &[]).code, 2);
}
