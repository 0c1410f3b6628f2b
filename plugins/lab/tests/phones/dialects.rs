//! What each Android version prints, checked by hand against the description of the formats.

use crate::readers::{framestats, latency, unwrapped};
use crate::walk::{Walk, phone};
use farmjank_lab::archetype::ARCHETYPES;

/// Seven hex digits become `H`, so that goldens do not depend on hashes.
fn masked(text: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for letter in text.chars().chain(['\0']) {
        if letter.is_ascii_digit() || ('a'..='f').contains(&letter) {
            word.push(letter);
            continue;
        }
        out += if word.len() == 7 && word.chars().any(|digit| digit.is_ascii_digit()) { "H" } else { &word };
        word.clear();
        if letter != '\0' {
            out.push(letter);
        }
    }
    out
}

/// Lines of `--list` that name the shop.
fn shop_lines(walk: &mut Walk) -> Vec<String> {
    walk.run("dumpsys SurfaceFlinger --list")
        .lines()
        .filter(|line| line.contains("com.example.shop"))
        .map(masked)
        .collect()
}

const VIDEO: &str = "com.example.shop/com.example.shop.VideoActivity";

#[test]
fn android_7_names_layers_without_numbers() {
    let mut walk = phone("galaxy-s7", 4);
    walk.open("shop://video");
    assert_eq!(shop_lines(&mut walk), [VIDEO.to_owned(), format!("SurfaceView - {VIDEO}")]);
}

#[test]
fn android_10_and_11_number_the_free_name() {
    for name in ["redmi-note-7", "galaxy-tab-a7"] {
        let mut walk = phone(name, 4);
        walk.open("shop://video");
        let lines = shop_lines(&mut walk);
        assert!(lines[0].starts_with(
            "AppWindowToken{H token=Token{H ActivityRecord{H u0 com.example.shop/.VideoActivity t"
        ));
        let rest = [
            format!("{VIDEO}#0"),
            format!("Background for - SurfaceView - {VIDEO}#0"),
            format!("SurfaceView - {VIDEO}#0"),
        ];
        assert_eq!(lines[1..], rest);
    }
}

#[test]
fn android_12_has_blast_layers_inside_containers() {
    let mut walk = phone("pixel-6", 4);
    walk.open("shop://video");
    let lines = shop_lines(&mut walk);
    assert!(
        lines[0].starts_with("ActivityRecord{H u0 com.example.shop/.VideoActivity t")
            && lines[0].ends_with("}#0")
    );
    let rest = [
        format!("H {VIDEO}#0"),
        format!("{VIDEO}#0"),
        format!("Bounds for - {VIDEO}#0"),
        format!("Background for SurfaceView[{VIDEO}]#0"),
        format!("SurfaceView[{VIDEO}]#0"),
        format!("SurfaceView[{VIDEO}](BLAST)#0"),
    ];
    assert_eq!(lines[1..], rest);
}

#[test]
fn android_13_counts_up_and_android_15_wraps() {
    for name in ["oneplus-9", "galaxy-a14", "pixel-8", "pixel-9-pro"] {
        let mut walk = phone(name, 4);
        let sdk = walk.phone.archetype().sdk;
        walk.open("shop://video");
        let text = walk.run("dumpsys SurfaceFlinger --list");
        assert_eq!(
            text.lines().all(|line| line.starts_with("RequestedLayerState{") && line.ends_with('}')),
            sdk >= 35
        );
        let names: Vec<String> = text.lines().map(unwrapped).collect();
        let mut numbers: Vec<u32> =
            names.iter().map(|name| name.rsplit('#').next().unwrap().parse().unwrap()).collect();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{name}: numbers are unique");
        assert!(
            names
                .iter()
                .any(|name| name.contains(" ActivityRecordInputSink com.example.shop/.VideoActivity#"))
        );
        assert!(names.iter().any(|name| name.starts_with(&format!("SurfaceView[{VIDEO}](BLAST)#"))));
    }
}

#[test]
fn latency_answers_by_release_and_by_layer() {
    for archetype in ARCHETYPES {
        let mut walk = phone(archetype.name, 4);
        walk.open("shop://video");
        let unknown = walk.run("dumpsys SurfaceFlinger --latency 'no such layer#0'");
        assert_eq!(unknown.lines().count(), 1, "{}: period only", archetype.name);
        let nothing = latency(&walk.run("dumpsys SurfaceFlinger --latency"));
        assert!(archetype.rates.iter().any(|rate| rate.printed == nothing.period));
        assert_eq!(nothing.rows.len(), if archetype.sdk <= 33 { 127 } else { 0 }, "{}", archetype.name);
        if archetype.sdk >= 31 {
            let container = walk
                .layers("SurfaceView[")
                .into_iter()
                .find(|name| name.starts_with("SurfaceView[") && !name.contains("BLAST"))
                .unwrap();
            let text = walk.run(&format!("dumpsys SurfaceFlinger --latency '{container}'"));
            let expected = if archetype.history_engine { 0 } else { 127 };
            assert_eq!(latency(&text).zeros(), expected);
            assert!(text.ends_with("\n\n"));
        }
    }
}

#[test]
fn the_history_engine_shows_few_rows_and_no_pending_ones() {
    let mut walk = phone("pixel-9-pro", 4);
    walk.open("shop://feed");
    let layer = walk.main_layer(".FeedActivity");
    walk.answer("input swipe 540 1500 540 500 250");
    walk.wait(400);
    let dump = latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")));
    assert!((50..=64).contains(&dump.rows.len()), "{}", dump.rows.len());
    assert_eq!((dump.pending(), dump.zeros()), (0, 0));
    // A clear does not erase: it limits the walk, from the oldest on.
    walk.wait(2_000);
    walk.run(&format!("dumpsys SurfaceFlinger --latency-clear '{layer}'"));
    assert!(latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'"))).rows.is_empty());
    walk.answer("input swipe 540 1500 540 1200 60");
    let some = latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")));
    assert!(some.rows.len() < 30, "{}", some.rows.len());
}

const A14: &str = "Flags,IntendedVsync,Vsync,OldestInputEvent,NewestInputEvent,HandleInputStart,AnimationStart,\
PerformTraversalsStart,DrawStart,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted";
const B23: &str = "Flags,FrameTimelineVsyncId,IntendedVsync,Vsync,InputEventId,HandleInputStart,AnimationStart,\
PerformTraversalsStart,DrawStart,FrameDeadline,FrameInterval,FrameStartTime,SyncQueued,SyncStart,IssueDrawCommandsStart,\
SwapBuffers,FrameCompleted,DequeueBufferDuration,QueueBufferDuration,GpuCompleted,SwapBuffersCompleted,DisplayPresentTime,\
CommandSubmissionCompleted";

#[test]
fn framestats_have_the_columns_of_their_release() {
    for archetype in ARCHETYPES {
        let mut walk = phone(archetype.name, 4);
        walk.open("shop://feed");
        walk.fling();
        let text = walk.run("dumpsys gfxinfo com.example.shop framestats");
        let (names, rows) = framestats(&text, "com.example.shop/com.example.shop.FeedActivity");
        let header = names.join(",");
        match archetype.sdk {
            24 => assert_eq!(header, A14),
            29 => assert_eq!(header, format!("{A14},DequeueBufferDuration,QueueBufferDuration")),
            30 => assert_eq!(header, format!("{A14},DequeueBufferDuration,QueueBufferDuration,GpuCompleted")),
            31..=33 => assert_eq!(header, B23),
            34 | 35 => assert_eq!(
                header,
                B23.replace("FrameInterval,FrameStartTime", "FrameStartTime,FrameInterval,WorkloadTarget")
            ),
            _ => assert_eq!(
                header,
                B23.replace(
                    "FrameInterval,FrameStartTime",
                    "FrameStartTime,FrameInterval,WorkloadTarget,AnimationTime"
                )
            ),
        }
        assert!(
            rows.len() > 40 && rows.len() <= 120 && rows.iter().all(|row| row.len() == names.len()),
            "{}",
            archetype.name
        );
        let column = |name: &str| names.iter().position(|other| other == name).unwrap();
        if archetype.sdk >= 31 {
            let (interval, start) = (rows[5][column("FrameInterval")], rows[5][column("FrameStartTime")]);
            let swapped = interval > 1_000_000_000 && start < 1_000_000_000;
            assert_eq!(swapped, archetype.sdk <= 33, "{}", archetype.name);
        }
        assert!(
            rows[0][0] == 1 || rows.len() == 120,
            "{}: the first frame of a window is flagged",
            archetype.name
        );
        let in_order = |row: &&Vec<i64>| {
            let at = |name: &str| row[column(name)];
            let stages = [
                "IntendedVsync",
                "HandleInputStart",
                "DrawStart",
                "SyncQueued",
                "SyncStart",
                "IssueDrawCommandsStart",
                "SwapBuffers",
                "FrameCompleted",
            ];
            row[0] & 8 == 0 && stages.windows(2).all(|pair| at(pair[0]) <= at(pair[1]))
        };
        let good = rows.iter().filter(in_order).count();
        assert!(
            good + 3 >= rows.len() && good < rows.len() + 1,
            "{}: {good} of {}",
            archetype.name,
            rows.len()
        );
    }
}

#[test]
fn frames_in_flight_show_what_was_in_their_slot_before() {
    let mut walk = phone("oneplus-9", 4);
    walk.open("shop://feed");
    walk.fling();
    walk.fling();
    // Until a dump falls between the sync of a frame and its end.
    let mut stale = 0;
    for _ in 0..60 {
        walk.answer("input swipe 540 1500 540 500 250");
        walk.wait(60);
        let text = walk.run("dumpsys gfxinfo com.example.shop framestats");
        let (names, rows) = framestats(&text, "com.example.shop/com.example.shop.FeedActivity");
        let column = |name: &str| names.iter().position(|other| other == name).unwrap();
        let last = rows.last().unwrap();
        stale += i32::from(last[column("FrameCompleted")] < last[column("SyncStart")]);
        walk.wait(900);
    }
    assert!(stale > 0);
}

#[test]
fn gfxinfo_heads_its_text_with_both_clocks() {
    let mut walk = phone("pixel-6", 4);
    assert_eq!(walk.run("dumpsys gfxinfo com.example.shop"), "No process found for: com.example.shop\n");
    let text = walk.run("dumpsys gfxinfo com.android.systemui");
    let line = text.lines().nth(1).unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!((words[0], words[2]), ("Uptime:", "Realtime:"));
    let offset = words[3].parse::<i64>().unwrap() - words[1].parse::<i64>().unwrap();
    let exact = (walk.phone.boot_clock_ns(walk.now) - walk.phone.monotonic_ns(walk.now)) / 1_000_000;
    assert!((offset - exact).abs() <= 1);
    walk.open("shop://feed");
    let text = walk.run("dumpsys gfxinfo com.example.shop framestats reset");
    assert!(text.contains("Janky frames (legacy): ") && text.contains("GPU HISTOGRAM: 1ms="));
    let all = walk.run("dumpsys gfxinfo --list framestats");
    assert!(
        all.contains("[com.android.systemui]")
            && all.contains("[com.example.shop]")
            && all.contains("---PROFILEDATA---")
    );
    let again = walk.run("dumpsys gfxinfo com.example.shop framestats");
    let (_, rows) = framestats(&again, "com.example.shop/com.example.shop.FeedActivity");
    assert!(
        rows.is_empty()
            && again.contains("Total frames rendered: 0\n")
            && again.contains("50th percentile: 4950ms\n")
    );
}

#[test]
fn display_and_focus_are_worded_by_release() {
    let focus = |name: &str| {
        let mut walk = phone(name, 4);
        walk.open("shop://feed");
        let text = walk.run("dumpsys window");
        text.lines()
            .filter(|line| line.contains("mFocusedApp=") || line.contains("mCurrentFocus="))
            .map(|line| masked(line.trim()))
            .collect::<Vec<_>>()
    };
    let window = "mCurrentFocus=Window{H u0 com.example.shop/com.example.shop.FeedActivity}";
    for (name, app) in [
        (
            "galaxy-s7",
            "mFocusedApp=AppWindowToken{H token=Token{H ActivityRecord{H u0 com.example.shop/.FeedActivity t",
        ),
        ("pixel-8", "mFocusedApp=ActivityRecord{H u0 com.example.shop/.FeedActivity t"),
    ] {
        let lines = focus(name);
        assert_eq!(lines[0], window);
        assert!(lines[1].starts_with(app), "{lines:?}");
    }
    let display = |name: &str| phone(name, 4).run("dumpsys display");
    assert!(display("galaxy-s7").contains("1080 x 1920, 60.0 fps, modeId 1"));
    assert!(display("pixel-6").contains(
        "supportedModes [{id=1, width=1080, height=2400, fps=60.0, alternativeRefreshRates=[90.0]}, {id=2,"
    ));
    assert!(
        display("pixel-8").contains("renderFrameRate 60.0, defaultModeId 1")
            && display("pixel-8").contains("fps=120.00001, vsync=120.00001")
    );
    assert!(!phone("galaxy-s7", 4).answer("dumpsys thermalservice").err.is_empty());
}

#[test]
fn starts_fail_in_the_words_of_the_platform() {
    let mut walk = phone("pixel-6", 4);
    let view = "am start -W -a android.intent.action.VIEW -d";
    let text = walk.run(&format!("{view} nope://x com.example.shop"));
    let unresolved = "Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW dat=nope://x flg=0x10000000 pkg=com.example.shop }\n";
    assert!(
        text.starts_with(
            "Starting: Intent { act=android.intent.action.VIEW dat=nope://x pkg=com.example.shop }\n"
        ) && text.ends_with(unresolved),
        "{text}"
    );
    let text = walk.run("am start -W -n com.example.shop/.NoActivity");
    assert!(
        text.ends_with(
            "Error type 3\nError: Activity class {com.example.shop/.NoActivity} does not exist.\n"
        ),
        "{text}"
    );
    let quiet = walk.answer("am start -n com.example.shop/.NoActivity");
    assert!(!quiet.out.is_empty() && String::from_utf8(quiet.err).unwrap().starts_with("Error type 3\n"));
    assert!(
        walk.run("am start -W com.example.shop")
            .contains("LaunchState: COLD\nActivity: com.example.shop/.MainActivity\nTotalTime: ")
    );
    assert!(
        walk.run("am start -W com.example.shop")
            .contains("intent has been delivered to currently running top-most instance.\nStatus: ok\n")
    );
    walk.answer("input keyevent HOME");
    assert!(walk.run("am start -W com.example.shop").contains("LaunchState: HOT\n"));
    assert!(phone("galaxy-s7", 4).run("am start -W com.example.shop").contains("\nThisTime: "));
}

#[test]
fn packages_and_properties_answer() {
    let mut walk = phone("pixel-8", 4);
    let resolve = "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER";
    assert_eq!(
        walk.run(&format!("{resolve} com.example.shop")).lines().last(),
        Some("com.example.shop/.MainActivity")
    );
    assert_eq!(walk.run(&format!("{resolve} com.no.such")), "No activity found\n");
    assert!(walk.run("pm path com.example.shop").starts_with("package:/data/app/"));
    assert_eq!(walk.answer("pm path com.no.such").status, 1);
    assert_eq!(walk.run("pm list packages -3"), "package:com.example.shop\n");
    assert_eq!(walk.run("getprop ro.farmjank.virtual"), "1\n");
    assert_eq!(walk.run("getprop ro.product.model"), "Pixel 8\n");
    assert_eq!(walk.run("getprop ro.kernel.qemu"), "\n");
    assert_eq!(walk.run("settings get global animator_duration_scale"), "null\n");
    walk.run("settings put global animator_duration_scale 0.5");
    assert_eq!(walk.run("settings get global animator_duration_scale"), "0.5\n");
    assert_eq!(walk.run("wm size"), "Physical size: 1080x2400\n");
    assert_eq!(walk.answer("monkey -p com.no.such -c android.intent.category.LAUNCHER 1").status, 252);
    assert!(walk.phone.begin(walk.now, &["frobnicate".to_owned()]).is_none());
}

#[test]
fn timestats_speaks_every_release_and_is_silent_unless_enabled() {
    for archetype in ARCHETYPES.iter().filter(|archetype| archetype.sdk >= 28) {
        let mut walk = phone(archetype.name, 4);
        walk.open("shop://feed");
        assert_eq!(walk.run("dumpsys SurfaceFlinger --timestats -dump"), "", "{}", archetype.name);
        walk.run("dumpsys SurfaceFlinger --timestats -enable -clear");
        walk.fling();
        let text = walk.run("dumpsys SurfaceFlinger --timestats -dump -maxlayers 1");
        let has = |words: &str| text.contains(words);
        let sdk = archetype.sdk;
        assert!(has("SurfaceFlinger TimeStats:\n") && has("present2present histogram is as below:\n0ms=0 "));
        assert_eq!(text.matches("layerName = ").count(), 1, "{}", archetype.name);
        assert_eq!(has("Legacy stats are as follows:"), sdk >= 31);
        assert_eq!(has("clientCompositionReusedFrames = "), sdk >= 30);
        assert_eq!(has("SetFrateRate vote"), (31..=33).contains(&sdk), "{}", archetype.name);
        assert_eq!(has("SetFrameRate vote"), sdk >= 34);
        assert_eq!(has("present2presentDelta"), sdk >= 34);
        assert_eq!(has("uid = 10100\n"), sdk >= 31);
        walk.run("dumpsys SurfaceFlinger --timestats -disable");
        assert!(walk.run("dumpsys SurfaceFlinger --timestats -dump").starts_with("SurfaceFlinger"), "kept");
        walk.run("dumpsys SurfaceFlinger --timestats -clear");
        assert_eq!(walk.run("dumpsys SurfaceFlinger --timestats -dump"), "");
    }
}
