//! `farmjank causes perf.data`: which methods held main up, by call stacks written here as simpleperf writes them.

use super::shows;
use crate::world::{Ended, run};
use farmjank_witnesses::art::{Form, MethodTrace};
use farmjank_witnesses::simpleperf::{DEX, ELF, PerfFile};
use serde_json::Value;
use std::path::Path;

const APP: i32 = 700;
const MS: u64 = 1_000_000;
const APK: u64 = 0x7000_0000;
const LIBRARY: u64 = 0x7100_0000;
const MAPPING: &str = "\
# compiler: R8
com.shop.Feed -> a.b:
    1:1:void bind(int):12:12 -> a
    1:1:java.lang.String com.shop.Json.parse(java.lang.String):40:40 -> b
    1:1:void onReply(java.lang.String):20 -> b
";

/// Main decodes a picture for 60 ms and then waits for the network, twice; parses for 90 ms once; draws in between.
fn shop(off_cpu: bool) -> PerfFile {
    let mut file = PerfFile::of("com.shop", off_cpu);
    file.comm(APP, "com.shop");
    file.map(APP, APK, 0x10000, "/data/app/com.shop/base.apk");
    file.map(APP, LIBRARY, 0x10000, "/data/app/com.shop/lib/arm64/libshop.so");
    let methods = [
        (0x100, 0x100, "a.b.a"),
        (0x200, 0x100, "a.b.b"),
        (0x300, 0x100, "android.os.MessageQueue.nativePollOnce"),
        (0x400, 0x100, "android.view.Choreographer.doFrame"),
        (0x500, 0x100, "java.lang.Object.wait"),
    ];
    file.symbols("/data/app/com.shop/base.apk", DEX, &methods);
    file.symbols("/data/app/com.shop/lib/arm64/libshop.so", ELF, &[(0x40, 0x40, "decode_thumb")]);
    let (idle, frame) = ([APK + 0x310], APK + 0x410);
    let decode = [LIBRARY + 0x50, APK + 0x110, frame];
    let wait = [APK + 0x510, APK + 0x110, frame];
    let parse = [APK + 0x210];
    let mut at = 1_000;
    let ran = |file: &mut PerfFile, at: &mut u64, for_ms: u64, calls: &[u64]| {
        for _ in 0..for_ms {
            *at += 1;
            file.ran(APP, APP, *at * MS, MS, calls);
        }
    };
    let rest = |file: &mut PerfFile, at: &mut u64, calls: &[u64], for_ms: u64| {
        if off_cpu {
            file.left(APP, APP, *at * MS, calls);
        }
        *at += for_ms;
        if off_cpu {
            file.back(APP, *at * MS);
        }
    };
    for _ in 0..2 {
        rest(&mut file, &mut at, &idle, 100);
        ran(&mut file, &mut at, 60, &decode);
        rest(&mut file, &mut at, &wait, 40);
        rest(&mut file, &mut at, &idle, 30);
        ran(&mut file, &mut at, 8, &[frame]);
    }
    rest(&mut file, &mut at, &idle, 50);
    ran(&mut file, &mut at, 90, &parse);
    rest(&mut file, &mut at, &idle, 50);
    file
}

fn with_stacks(file: &PerfFile) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("perf.data"), file.written()).expect("a file");
    std::fs::write(folder.path().join("mapping.txt"), MAPPING).expect("a file");
    folder
}

fn causes(folder: &Path, args: &[&str]) -> Ended {
    let all: Vec<&str> = ["causes", "perf.data"].iter().chain(args).copied().collect();
    run(folder, &all)
}

fn told(folder: &Path, args: &[&str]) -> Value {
    let all: Vec<&str> = ["--format", "json"].iter().chain(args).copied().collect();
    let ended = causes(folder, &all);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    serde_json::from_str(&ended.out).expect("JSON and nothing else")
}

#[test]
fn main_is_held_up_by_methods_of_the_source_and_the_page_shows_them() {
    let folder = with_stacks(&shop(true));
    let ended = causes(folder.path(), &["--mapping", "mapping.txt"]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    shows("farmjank causes perf.data --mapping mapping.txt", &ended.out);
    let stalls = &told(folder.path(), &["--mapping", "mapping.txt"])["stalls"];
    let of = |nth: usize| {
        let cause = &stalls["causes"][nth];
        (cause["ms"].as_f64(), cause["kind"].as_str(), cause["object"].as_str())
    };
    assert_eq!(of(0), (Some(120.0), Some("app.code"), Some("decode_thumb, called by com.shop.Feed.bind")));
    assert_eq!(of(1), (Some(90.0), Some("app.code"), Some("com.shop.Feed.onReply")));
    assert_eq!(of(2), (Some(80.0), Some("app.off_cpu"), Some("com.shop.Feed.bind")));
    assert_eq!((stalls["count"].as_u64(), stalls["ms"].as_f64()), (Some(3), Some(290.0)));
    assert_eq!(stalls["unexplained_ms"].as_f64(), Some(0.0));
}

#[test]
fn without_leaving_told_only_what_ran_is_known_and_the_answer_says_so() {
    let folder = with_stacks(&shop(false));
    let answer = told(folder.path(), &[]);
    let stalls = &answer["stalls"];
    assert_eq!((stalls["count"].as_u64(), stalls["causes"][0]["object"].as_str()), (Some(1), Some("a.b.b")));
    let doubt = answer["doubts"][0].as_str().expect("a doubt");
    assert!(doubt.contains("--trace-offcpu"), "{doubt}");
}

#[test]
fn by_the_key_stack_a_stall_has_one_cause() {
    let folder = with_stacks(&shop(true));
    let stalls = &told(folder.path(), &["--by", "key-stack"])["stalls"];
    let of_each = stalls["list"].as_array().expect("stalls").iter();
    assert!(of_each.clone().all(|stall| stall["causes"].as_array().is_some_and(|causes| causes.len() == 1)));
    let first = &stalls["causes"][0];
    assert_eq!(
        (first["ms"].as_f64(), first["object"].as_str()),
        (Some(200.0), Some("decode_thumb, called by a.b.a"))
    );
    assert_eq!(
        first["detail"],
        "1 of 1 looks, 52 ms apart: decode_thumb ← a.b.a ← android.view.Choreographer.doFrame"
    );
}

#[test]
fn a_mapping_of_another_build_a_foreign_process_and_a_broken_file_are_told() {
    let folder = with_stacks(&shop(true));
    std::fs::write(folder.path().join("other.txt"), "com.other.App -> x.y:\n").expect("a file");
    let other = causes(folder.path(), &["--mapping", "other.txt"]);
    assert!(other.out.contains("other.txt knows no class of this recording"), "{}", other.out);
    let foreign = causes(folder.path(), &["--package", "com.other"]);
    assert_eq!(foreign.code, 2);
    assert!(
        foreign.err.contains("say with --package which process is meant; there are com.shop"),
        "{}",
        foreign.err
    );
    std::fs::write(folder.path().join("perf.data"), &shop(true).written()[..700]).expect("a file");
    let broken = causes(folder.path(), &[]);
    assert_eq!(broken.code, 2);
    assert!(broken.err.contains("perf.data: it is cut off or damaged"), "{}", broken.err);
    std::fs::write(folder.path().join("trial.perfetto-trace"), b"\x0a\x10").expect("a file");
    let trace = run(folder.path(), &["causes", "trial.perfetto-trace", "--by", "time"]);
    assert!(trace.err.contains("--by is for call stacks alone"), "{}", trace.err);
}

#[test]
fn stacks_of_stalls_are_handed_on_to_programs_that_draw_them() {
    let folder = with_stacks(&shop(true));
    let export = |form: &str| {
        let ended = causes(folder.path(), &["--mapping", "mapping.txt", "--export", form]);
        assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{form}");
        ended.out
    };
    let frame = "main;android.view.Choreographer.doFrame;com.shop.Feed.bind";
    let folded = export("folded");
    assert!(folded.contains(&format!("{frame};decode_thumb 120000\n")), "{folded}");
    assert!(folded.contains(&format!("{frame};java.lang.Object.wait;[off CPU] 80000\n")), "{folded}");
    let of = |form: &str| serde_json::from_str::<Value>(&export(form)).expect("JSON and nothing else");
    assert_eq!(of("speedscope")["profiles"].as_array().map(Vec::len), Some(3));
    assert_eq!(of("firefox")["threads"][0]["samples"]["length"].as_u64(), Some(290));
}

#[test]
fn issues_of_matrix_are_told_by_methods_and_what_else_is_in_the_file_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    put("methodMapping.txt", "243,1,com.shop.Feed bind (I)V\n244,17,com.shop.Thumb decode ()V\n");
    let issue = |ended: u64, ms: u64, stack: &str| {
        format!(
            "03-01 10:00 I Matrix: tag[Trace_EvilMethod]type[0];key[243|];content[{{\"process\":\"com.shop\",\
             \"time\":{ended},\"cost\":{ms},\"stack\":\"{stack}\"}}]\n"
        )
    };
    let long = issue(1_772_359_205_500, 720, "0,1048574,1,700\\n1,243,1,650\\n2,244,3,500\\n");
    let short = issue(1_772_359_300_000, 130, "0,1048574,1,130\\n1,244,1,120\\n");
    put("matrix.log", &format!("{long}{short}tag[Trace_FPS]type[0];key[null];content[{{\"fps\":55}}]\n"));
    let ended = run(folder.path(), &["causes", "matrix.log", "--mapping", "methodMapping.txt"]);
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    shows("farmjank causes matrix.log --mapping methodMapping.txt", &ended.out);
    let nameless = run(folder.path(), &["causes", "matrix.log"]);
    assert!(nameless.out.contains("2 methods are told by numbers that nobody names"), "{}", nameless.out);
    put("fps.log", "tag[Trace_FPS]type[0];key[null];content[{\"fps\":55}]\n");
    let none = run(folder.path(), &["causes", "fps.log"]);
    assert!(none.code == 2 && none.err.contains("it holds no Trace_EvilMethod"), "{}", none.err);
}

#[test]
fn names_of_the_phone_are_harmless_where_they_are_shown() {
    let mut file = PerfFile::of("com.shop", true);
    file.comm(APP, "com.shop");
    file.map(APP, APK, 0x10000, "/data/app/com.shop/base.apk");
    file.symbols(
        "/data/app/com.shop/base.apk",
        DEX,
        &[(0x100, 0x100, "com.shop.\u{1b}[31mFeed\u{202e}.bind\n\u{7}")],
    );
    for at in 1..=90 {
        file.ran(APP, APP, at * MS, MS, &[APK + 0x110]);
    }
    let folder = with_stacks(&file);
    let ended = causes(folder.path(), &[]);
    let harmful = |letter: char| letter != '\n' && (letter.is_control() || letter == '\u{202e}');
    assert!(!ended.out.contains(harmful) && ended.out.contains("Feed"), "{:?}", ended.out);
}

#[test]
fn a_method_trace_of_art_is_told_as_call_stacks_are_and_its_slowness_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shop.trace");
    for form in [Form::Both, Form::Streamed] {
        std::fs::write(&path, MethodTrace::shop().written(form)).expect("written");
        let told = run(folder.path(), &["causes", "shop.trace", "--package", "com.shop"]);
        shows("farmjank causes shop.trace --package com.shop", &told.out);
    }
    let nameless = run(folder.path(), &["causes", "shop.trace"]);
    assert!(nameless.out.starts_with("the app: main was held up 1 time"), "{}", nameless.out);
    let folded = run(folder.path(), &["causes", "shop.trace", "--export", "folded"]);
    assert!(folded.out.contains("com.shop.Feed.bind;com.shop.Thumb.decode 60000"), "{}", folded.out);
    std::fs::write(&path, MethodTrace::shop().written(Form::Thread)).expect("written");
    let refused = run(folder.path(), &["causes", "shop.trace"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("record with the wall clock or with both"), "{}", refused.err);
}
