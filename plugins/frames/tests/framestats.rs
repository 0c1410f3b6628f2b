//! Render stages as each release prints them: every column by its name, swapped values put back, rows set aside known.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

use farmjank_frames::gfxinfo::{Window, read_framestats};
use farmjank_results::framestats::{Aside, FrameStats, FrameStatsStitch, SetAside};
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::time::{DeviceTime, Span};

fn text(name: &str) -> Vec<u8> {
    let path = format!("{}/evidence/framestats/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn window(name: &str) -> Window {
    let windows = read_framestats(&text(name), None);
    windows.unwrap_or_else(|error| panic!("{name}: {error:?}")).swap_remove(0)
}

const FILES: [&str; 7] = [
    "android7-a14-visible-and-hidden-60hz.txt",
    "android10-a16-in-flight-90hz.txt",
    "android11-a17-90hz.txt",
    "android12-b22-swapped-120hz.txt",
    "android13-b23-presented-120hz-utf16.txt",
    "android14-c24-young-window-120hz.txt",
    "android16-d26-two-processes-144hz.txt",
];

/// Instants relative to the frame's vsync, in µs.
fn since(frame: &FrameStats, at: Option<DeviceTime>) -> Option<i64> {
    at.map(|at| (at - frame.intended).ns() / 1000)
}

#[test]
fn the_stages_of_every_release_follow_their_names() {
    for name in FILES {
        let window = window(name);
        let frame = window.sample.framestats.iter().find(|frame| frame.flags == 0).expect(name);
        let stages = [
            (frame.vsync, 0),
            (frame.handle_input, 310),
            (frame.animation, 420),
            (frame.traversals, 900),
            (frame.draw, 1_300),
            (frame.sync_queued, 2_400),
            (frame.sync_start, 2_450),
            (frame.issue, 2_900),
            (frame.swap, 4_800),
        ];
        for (nth, (at, us)) in stages.into_iter().enumerate() {
            // Each frame of the text has its own few µs on top.
            let after = since(frame, at).expect("a time");
            assert!((us..us + 40).contains(&after), "{name}, stage {nth}: {after}");
        }
        assert!((5_900..7_000).contains(&since(frame, Some(frame.completed)).expect("an end")), "{name}");
    }
}

#[test]
fn what_a_release_does_not_print_is_none() {
    for (nth, name) in FILES.into_iter().enumerate() {
        let window = window(name);
        let (modern, newer) = (nth >= 3, nth >= 5);
        let touched = window.sample.framestats.iter().any(|frame| frame.oldest_input.is_some());
        assert_eq!(touched, !modern, "{name}");
        for frame in window.sample.framestats.iter().filter(|frame| frame.flags == 0) {
            assert_eq!(frame.dequeue.is_some() && frame.queue.is_some(), nth >= 1, "{name}");
            assert_eq!(frame.gpu_completed.is_some(), modern, "{name}: before 12 it is of another frame");
            for known in [
                frame.vsync_id.is_some(),
                frame.swap_completed.is_some(),
                frame.deadline.is_some(),
                frame.interval.is_some(),
                frame.started.is_some(),
            ] {
                assert_eq!(known, modern, "{name}: {frame:?}");
            }
            assert_eq!(frame.submitted.is_some(), nth >= 4, "{name}");
            assert_eq!(frame.workload.is_some(), newer, "{name}");
        }
    }
}

#[test]
fn values_swapped_by_android_12_and_13_are_put_back() {
    for (name, interval) in [
        ("android12-b22-swapped-120hz.txt", 8_333_333),
        ("android13-b23-presented-120hz-utf16.txt", 8_333_333),
        ("android14-c24-young-window-120hz.txt", 8_333_333),
        ("android16-d26-two-processes-144hz.txt", 6_944_444),
    ] {
        for frame in &window(name).sample.framestats {
            assert_eq!(frame.interval, Some(Span::from_ns(interval)), "{name}");
            assert_eq!(since(frame, frame.started), Some(300), "{name}");
        }
    }
}

#[test]
fn touches_are_times_only_where_they_are_times() {
    let frame = window("android11-a17-90hz.txt").sample.framestats[0];
    assert_eq!(since(&frame, frame.oldest_input), Some(-4_000));
    let text = String::from_utf8(text("android11-a17-90hz.txt")).expect("text");
    for none in ["0", "9223372036854775807", "-1"] {
        let windows =
            read_framestats(text.replacen("499996000000", none, 1).as_bytes(), None).expect("a window");
        assert_eq!(windows[0].sample.framestats[0].oldest_input, None, "{none}");
    }
}

#[test]
fn an_unknown_deadline_is_none() {
    let text = String::from_utf8(text("android14-c24-young-window-120hz.txt")).expect("text");
    let deadline = window("android14-c24-young-window-120hz.txt").sample.framestats[0]
        .deadline
        .expect("one")
        .ns()
        .to_string();
    for none in ["9223372036854775807", "0", "-1"] {
        let windows = read_framestats(text.replacen(&deadline, none, 1).as_bytes(), None).expect("a window");
        assert_eq!(windows[0].sample.framestats[0].deadline, None, "{none}");
    }
}

#[test]
fn the_newest_four_rows_have_no_display_time_of_their_own() {
    let drawn = window("android13-b23-presented-120hz-utf16.txt").sample.framestats;
    let shown: Vec<bool> = drawn.iter().map(|frame| frame.displayed.is_some()).collect();
    let old = shown.len() - 4;
    assert!(shown[..old].iter().all(|shown| *shown) && !shown[old..].iter().any(|shown| *shown), "{shown:?}");
}

#[test]
fn rows_set_aside_are_counted_and_known_by_their_vsync() {
    for name in FILES {
        let Window { sample, .. } = window(name);
        let count = |why: Aside| sample.aside.iter().filter(|aside| aside.why == why).count() as u32;
        assert_eq!(
            (count(Aside::LeftOut), count(Aside::Unreadable)),
            (sample.ignored_rows, sample.invalid_rows),
            "{name}"
        );
    }
    let first = window("android14-c24-young-window-120hz.txt").sample.aside;
    let draw = SetAside { intended: DeviceTime::from_ns(7_000_000_000_000), why: Aside::LeftOut };
    assert_eq!(first.first(), Some(&draw));
}

#[test]
fn encodings_and_line_ends_change_no_frame() {
    let plain = String::from_utf8(text("android16-d26-two-processes-144hz.txt")).expect("text");
    let expected = read_framestats(plain.as_bytes(), None).expect("windows");
    let crlf = plain.replace('\n', "\r\n");
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let comma =
        plain.replace("View hierarchy:", "View hierarchy:\n\n  57 views, 1.594,63 kB of render nodes\n");
    for bytes in [
        [b"\xef\xbb\xbf", plain.as_bytes()].concat(),
        crlf.clone().into_bytes(),
        utf16(&crlf, false),
        utf16(&crlf, true),
        comma.into_bytes(),
    ] {
        assert_eq!(read_framestats(&bytes, None).expect("windows"), expected);
    }
}

#[test]
fn a_frame_in_flight_comes_back_whole_in_the_next_dump() {
    // The same ring twice: first while the newest two frames are in flight, then a little later.
    let now = String::from_utf8(text("android10-a16-in-flight-90hz.txt")).expect("text");
    let first = read_framestats(now.as_bytes(), None).expect("a window").swap_remove(0).sample;
    let flying: Vec<i64> = first.aside.iter().map(|aside| aside.intended.ns()).collect();
    assert_eq!(flying.len(), 2);
    let mut later = first.clone();
    later.aside.clear();
    later.framestats.extend(flying.iter().map(|intended| {
        let moved = |at: Option<DeviceTime>, from: DeviceTime| {
            at.map(|at| at + (DeviceTime::from_ns(*intended) - from))
        };
        let model = first.framestats[0];
        FrameStats {
            intended: DeviceTime::from_ns(*intended),
            sync_start: moved(model.sync_start, model.intended),
            swap: moved(model.swap, model.intended),
            completed: DeviceTime::from_ns(intended + 7_000_000),
            ..model
        }
    }));
    let from = first.framestats[0].intended;
    let to = DeviceTime::from_ns(flying[1] + 1);
    let motion = [Motion { from, to, phase: Phase::Finger, touch: None }];
    let mut stitch = FrameStatsStitch::new();
    stitch.add(&first);
    let early = stitch.finish(&motion);
    assert_eq!((early.frames.len(), early.unreadable, early.proved), (118, 2, false));
    stitch.add(&later);
    let whole = stitch.finish(&motion);
    assert_eq!((whole.frames.len(), whole.unreadable, whole.proved), (120, 0, true), "{:?}", whole.doubts);
}
