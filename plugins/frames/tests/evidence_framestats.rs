//! Framestats texts in the formats of Android 7 to 16, and what they must read as.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

use farmjank_frames::gfxinfo::{TimeBase, Window, read_framestats};
use farmjank_frames::read_clock;
use farmjank_results::frame::Stamp;
use farmjank_results::time::Span;
use farmjank_seams::source::Unreadable;

fn evidence(name: &str) -> Vec<u8> {
    let path = format!("{}/evidence/framestats/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn windows(name: &str) -> Vec<Window> {
    read_framestats(&evidence(name), None).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

/// Presented, pending, unfilled, invalid, ignored.
fn counts(window: &Window) -> (usize, usize, u32, u32, u32) {
    let sample = &window.sample;
    let pending = sample.rows.iter().filter(|row| row.present == Stamp::Pending).count();
    (sample.rows.len() - pending, pending, sample.zero_rows, sample.invalid_rows, sample.ignored_rows)
}

const FEED: &str = "com.example.shop/com.example.shop.FeedActivity";

#[test]
fn android_7_has_fourteen_columns_and_hidden_windows_with_history() {
    let windows = windows("android7-a14-visible-and-hidden-60hz.txt");
    assert_eq!(windows.len(), 2);
    assert_eq!(windows[0].name(), format!("2101/{FEED}@31bc075 (FrameCompleted)"));
    assert_eq!((windows[0].visibility, windows[1].visibility), (Some(0), Some(8)));
    assert_eq!(counts(&windows[0]), (39, 0, 80, 0, 1));
    assert_eq!(counts(&windows[1]), (120, 0, 0, 0, 0));
    assert_eq!(windows[0].classes.first_draw, 1);
    assert_eq!(windows[0].sample.period, None, "no FrameInterval before Android 12");
    assert_eq!((windows[0].total_frames, windows[1].total_frames), (Some(40), Some(260)));
    let first = windows[0].sample.rows[0];
    assert_eq!(first.intended.map(|at| at.ns()), Some(50_000_000_000 + 16_666_667));
    assert_eq!(
        first.present,
        Stamp::At(farmjank_results::time::DeviceTime::from_ns(50_016_666_667 + 5_900_000 + 911 + 1000))
    );
    assert_eq!(first.ready, None, "no GPU time of this frame before Android 12");
}

#[test]
fn android_10_and_11_rows_in_flight_are_not_frames() {
    let ten = windows("android10-a16-in-flight-90hz.txt");
    assert_eq!(counts(&ten[0]), (118, 0, 0, 2, 0));
    let eleven = windows("android11-a17-90hz.txt");
    assert_eq!(counts(&eleven[0]), (120, 0, 0, 0, 0));
    assert!(eleven[0].sample.rows.iter().all(|row| row.ready.is_none()), "GpuCompleted is of another frame");
}

#[test]
fn android_12_columns_are_swapped_and_flags_are_classes() {
    let windows = windows("android12-b22-swapped-120hz.txt");
    assert_eq!(windows[0].sample.period, Some(Span::from_ns(8_333_333)));
    assert_eq!(counts(&windows[0]), (117, 0, 0, 1, 2));
    let classes = windows[0].classes;
    assert_eq!(
        (classes.render_thread, classes.skipped, classes.surface_canvas, classes.first_draw),
        (2, 1, 1, 0)
    );
    assert!(windows[0].sample.rows.iter().all(|row| row.ready.is_some()));
}

#[test]
fn android_13_presents_are_the_displays_where_the_app_listens() {
    let windows = windows("android13-b23-presented-120hz-utf16.txt");
    assert_eq!(windows[0].time_base, TimeBase::Presented);
    assert_eq!(windows[0].name(), format!("2101/{FEED}@1f2e3d4 (DisplayPresentTime)"));
    assert_eq!(counts(&windows[0]), (116, 4, 0, 0, 0));
    let rows = &windows[0].sample.rows;
    assert!(rows[116..].iter().all(|row| row.present == Stamp::Pending && row.desired == row.intended));
    assert_eq!(
        rows[0].present,
        Stamp::At(farmjank_results::time::DeviceTime::from_ns(7_000_000_000_000 + 2 * 8_333_333))
    );
}

#[test]
fn android_14_columns_are_straight_and_a_young_window_shows_its_empty_slots() {
    let windows = windows("android14-c24-young-window-120hz.txt");
    assert_eq!(counts(&windows[0]), (25, 4, 90, 0, 1));
    assert_eq!(windows[0].time_base, TimeBase::Presented);
    assert_eq!(windows[0].sample.period, Some(Span::from_ns(8_333_333)));
    assert_eq!(windows[0].sample.capacity, 120);
}

#[test]
fn android_16_has_more_columns_several_processes_and_windows_without_frames() {
    let windows = windows("android16-d26-two-processes-144hz.txt");
    assert_eq!(windows.len(), 2);
    assert_eq!(counts(&windows[0]), (120, 0, 0, 0, 0));
    assert_eq!(windows[0].sample.period, Some(Span::from_ns(6_944_444)));
    assert_eq!((windows[0].pid, windows[0].process.as_str()), (2101, "com.example.shop"));
    assert_eq!(windows[1].name(), "2101/PopupWindow:3c4d5e6@0badf00 (FrameCompleted)");
    assert_eq!(counts(&windows[1]), (0, 0, 120, 0, 0));
}

#[test]
fn frames_that_finish_while_the_dump_is_written_count_when_its_end_is_known() {
    let text = evidence("android11-a17-90hz.txt");
    let early = String::from_utf8(text).expect("text").replace("Uptime: 501400", "Uptime: 501000");
    let read = |answered| read_framestats(early.as_bytes(), answered).expect("windows")[0].sample.rows.len();
    assert_eq!(read(Some(501_400_000_000)), 120);
    assert_eq!(read(None), 90, "frames until 5 ms after the header: 11.11 ms apart from 500 s + 6 ms on");
}

#[test]
fn failures_are_told_apart() {
    let error = |name: &str| read_framestats(&evidence(name), None).expect_err(name);
    for name in ["refused-no-process.txt", "refused-no-process-bare.txt"] {
        assert!(
            matches!(error(name), Unreadable::Missing(why) if why.contains("com.example.shop")),
            "{name}"
        );
    }
    assert!(
        matches!(error("refused-remote-exception.txt"), Unreadable::Refused(why) if why.contains("died"))
    );
    assert!(matches!(error("never-drew.txt"), Unreadable::Empty(why) if why.contains("Flutter")));
    assert!(matches!(error("summary-only.txt"), Unreadable::Garbled(why) if why.contains("framestats")));
    assert!(
        matches!(read_framestats(b"what is this\n", None), Err(Unreadable::Garbled(line)) if line == "what is this")
    );
    assert!(matches!(read_framestats(b"", None), Err(Unreadable::Garbled(_))));
}

#[test]
fn one_process_that_fails_does_not_hide_the_other() {
    let windows = windows("one-process-failed-one-answered.txt");
    assert_eq!(windows.len(), 1);
    assert_eq!(windows[0].pid, 2101);
    assert_eq!(counts(&windows[0]), (120, 0, 0, 0, 0));
}

#[test]
fn a_table_without_its_surroundings_is_read_too() {
    let text = String::from_utf8(evidence("android11-a17-90hz.txt")).expect("text");
    let table: Vec<&str> =
        text.lines().filter(|line| line.starts_with("Flags,") || line.starts_with("0,")).collect();
    let windows = read_framestats(table.join("\n").as_bytes(), None).expect("a window");
    assert_eq!(counts(&windows[0]), (120, 0, 0, 0, 0));
    assert_eq!(windows[0].title, "window 1");
}

#[test]
fn noise_and_notes_inside_a_ring() {
    let text = String::from_utf8(evidence("android11-a17-90hz.txt")).expect("text");
    let noisy = text.replacen("\n0,", "\nWARNING: linker: libvendor.so: unused DT entry\nnot a row\n0,", 1);
    let windows = read_framestats(noisy.as_bytes(), None).expect("a window");
    assert_eq!(counts(&windows[0]), (120, 0, 0, 1, 0));
    let cut = text.replacen("\n0,", "\n@fj: dump cut at 1048576 bytes\n0,", 1);
    assert!(matches!(read_framestats(cut.as_bytes(), None), Err(Unreadable::Refused(_))));
}

#[test]
fn the_header_tells_both_clocks() {
    let map = read_clock(&evidence("android10-a16-in-flight-90hz.txt")).expect("a clock");
    assert_eq!(map.offset, Span::from_ms(900_000 - 501_400));
    assert!(read_clock(&evidence("android13-b23-presented-120hz-utf16.txt")).is_some());
    for text in ["", "Uptime: x Realtime: 1\n", "Uptime: 1\n", "Uptime: 99999999999999999999 Realtime: 1\n"] {
        assert_eq!(read_clock(text.as_bytes()), None, "{text}");
    }
}
