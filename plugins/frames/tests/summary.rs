//! The counters of gfxinfo: every line of Android 7 to 16, scoped by process and window, with the phone's own
//! percentiles.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

use farmjank_frames::gfxinfo::{GPU_REST_MS, Summary, read_summary};
use farmjank_results::time::DeviceTime;
use proptest::prelude::*;

const TEXT: &str = "Applications Graphics Acceleration Info:\nUptime: 51000 Realtime: 90000\n\n\
    ** Graphics info for pid 2101 [com.example.shop] **\n\n\
    Stats since: 1000000000ns\nTotal frames rendered: 60\nJanky frames: 5 (8.33%)\nJanky frames (legacy): 9 (15.00%)\n\
    50th percentile: 8ms\n90th percentile: 16ms\n95th percentile: 34ms\n99th percentile: 150ms\n\
    Number Missed Vsync: 1\nNumber High input latency: 33\nNumber Slow UI thread: 3\nNumber Slow bitmap uploads: 2\n\
    Number Slow issue draw commands: 4\nNumber Frame deadline missed: 5\nNumber Frame deadline missed (legacy): 6\n\
    HISTOGRAM: 5ms=20 8ms=30 16ms=6 34ms=3 150ms=1 4950ms=0\n\
    50th gpu percentile: 2ms\n90th gpu percentile: 3ms\n\
    GPU HISTOGRAM: 1ms=10 2ms=40 3ms=9 4950ms=1\nPipeline=Skia (OpenGL)\nCPU Caches:\n  Glyph Cache: 0,00 bytes (1 entry)\n\n\
    Profile data in ms:\n\n\
    \tcom.example.shop/com.example.shop.Feed/android.view.ViewRootImpl@1f2e3d4 (visibility=0)\n\
    Window: com.example.shop/com.example.shop.Feed\n\
    Stats since: 1000000000ns\nTotal frames rendered: 40\nJanky frames: 4 (10.00%)\nHISTOGRAM: 5ms=40\n\
    ---PROFILEDATA---\nFlags,IntendedVsync,FrameCompleted,\n0,1,2,\n---PROFILEDATA---\n\
    \tPopupWindow:9/android.view.ViewRootImpl@77 (visibility=8)\nWindow: PopupWindow:9\n\
    View hierarchy:\n\n  57 views, 594,63 kB of render nodes\n\nTotal ViewRootImpl   : 2\n\n\
    ** Graphics info for pid 2102 [com.example.shop:web] **\n\n\
    Stats since: 7ns\nTotal frames rendered: 3\nJanky frames: 0 (0.00%)\n";

fn one() -> Summary {
    read_summary(TEXT.as_bytes()).swap_remove(0)
}

#[test]
fn every_line_has_its_place() {
    let summary = one();
    assert_eq!(
        (summary.pid, summary.process.as_str(), summary.window.as_deref()),
        (2101, "com.example.shop", None)
    );
    assert_eq!(summary.since, Some(DeviceTime::from_ns(1_000_000_000)));
    assert_eq!((summary.total_frames, summary.janky, summary.janky_legacy), (Some(60), Some(5), Some(9)));
    let reasons: Vec<(&str, u64)> =
        summary.reasons.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(
        reasons,
        [
            ("frame_deadline_missed", 5),
            ("frame_deadline_missed_legacy", 6),
            ("high_input_latency", 33),
            ("missed_vsync", 1),
            ("slow_bitmap_uploads", 2),
            ("slow_issue_draw_commands", 4),
            ("slow_ui_thread", 3),
        ]
    );
    assert_eq!(summary.percentiles.into_iter().collect::<Vec<_>>(), [(50, 8), (90, 16), (95, 34), (99, 150)]);
    assert_eq!(summary.gpu_percentiles.into_iter().collect::<Vec<_>>(), [(50, 2), (90, 3)]);
    assert_eq!((summary.histogram.len(), summary.histogram[&8]), (6, 30));
    assert_eq!(summary.gpu_histogram[&GPU_REST_MS], 1);
    assert_eq!(summary.pipeline.as_deref(), Some("Skia (OpenGL)"));
}

#[test]
fn processes_and_windows_are_told_apart_by_their_place() {
    let names: Vec<_> =
        read_summary(TEXT.as_bytes()).iter().map(|one| (one.name(), one.total_frames)).collect();
    let expected = [
        ("2101/com.example.shop", 60),
        ("2101/com.example.shop/com.example.shop.Feed@1f2e3d4", 40),
        ("2102/com.example.shop:web", 3),
    ];
    assert_eq!(names, expected.map(|(name, total)| (name.to_owned(), Some(total))));
}

#[test]
fn what_was_counted_in_between_is_a_difference() {
    let later = TEXT.replace("rendered: 60", "rendered: 72").replace("frames: 5 ", "frames: 6 ");
    let later =
        later.replace("8ms=30", "8ms=41").replace("150ms=1 ", "150ms=2 ").replace("Vsync: 1", "Vsync: 4");
    let later = read_summary(later.as_bytes()).swap_remove(0);
    let between = later.after(&one()).expect("the same counters");
    assert_eq!((between.total_frames, between.janky, between.janky_legacy), (Some(12), Some(1), Some(0)));
    assert_eq!((between.histogram[&8], between.histogram[&150], between.histogram[&5]), (11, 1, 0));
    assert_eq!(between.reasons["missed_vsync"], 3);
    assert_eq!((between.percentiles[&50], between.percentiles[&99]), (8, 150));
    assert_eq!(one().after(&later), None, "it went back: reset in between");
    let other = Summary { since: Some(DeviceTime::from_ns(2)), ..one() };
    assert_eq!(later.after(&other), None);
    let counts = between.counts();
    assert_eq!((counts.layer.as_str(), counts.total_frames), ("2101/com.example.shop", 12));
    assert_eq!((counts.counters["janky_frames"], counts.counters["missed_vsync"]), (1, 3));
    assert!(counts.present_to_present.is_empty(), "render times are no distances of presents");
}

#[test]
fn a_percentile_of_nothing_is_none() {
    let nothing = "** Graphics info for pid 1 [a] **\nStats since: 5ns\nTotal frames rendered: 0\nHISTOGRAM: 5ms=0 4950ms=0\n";
    let summary = read_summary(nothing.as_bytes()).swap_remove(0);
    assert_eq!((summary.total_frames, summary.percentile(50)), (Some(0), None));
}

#[test]
fn encodings_line_ends_and_other_texts() {
    let expected = read_summary(TEXT.as_bytes());
    let crlf = TEXT.replace('\n', "\r\n");
    let utf16: Vec<u8> =
        std::iter::once(0xfeff).chain(crlf.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let bom = [b"\xef\xbb\xbf", crlf.as_bytes()].concat();
    for text in [crlf.into_bytes(), utf16, bom] {
        assert_eq!(read_summary(&text), expected);
    }
    for other in
        [&b""[..], b"8333333\n1\t2\t3\n", b"No process found for: a\n", b"Failure while dumping the app: x\n"]
    {
        assert_eq!(read_summary(other), []);
    }
}

fn real(path: &str) -> Option<Vec<u8>> {
    let path = format!("{}/../../../shared/real-dumps/{path}", env!("CARGO_MANIFEST_DIR"));
    let read = std::fs::read(&path).ok();
    if read.is_none() {
        println!("skipped: {path} is not on this machine");
    }
    read
}

#[test]
fn real_phones_print_the_percentiles_their_histograms_have() {
    for (path, blocks) in [
        ("gfxinfo-summary/lisa-android7-youtube.txt", vec![0]),
        ("gfxinfo-summary/lisa-android7-uibench-two-windows.txt", vec![620]),
        ("gfxinfo-summary/bam-android10-reactnativefeed-drawprepareprocessexecute.txt", vec![35360]),
        ("gfxinfo-summary/bam-android12-legacyjank-gpuhist.txt", vec![21]),
        ("gfxinfo-framestats/choi-120hz-swapped-columns-utf8bom-a.txt", vec![516, 516]),
        ("gfxinfo-framestats/yuva-utf16le-60hz-three-frames.txt", vec![3, 3]),
        ("gfxinfo-framestats/anavmode-three-processes-five-blocks.txt", vec![3370, 3370, 3463, 65, 79, 160]),
        ("gfxinfo-framestats/yuva-utf16le-failure-while-dumping.txt", vec![]),
    ] {
        let Some(bytes) = real(path) else { continue };
        let summaries = read_summary(&bytes);
        let totals: Vec<u64> = summaries.iter().map(|one| one.total_frames.unwrap_or(0)).collect();
        if path != "gfxinfo-summary/lisa-android7-youtube.txt" {
            assert_eq!(totals, blocks, "{path}");
        }
        for summary in &summaries {
            assert!(summary.percentiles.len() >= 4, "{path}: {summary:?}");
            let counted: u64 = summary.histogram.values().sum();
            // Where a vendor's counters and buckets disagree, the percentiles come from the counter.
            if Some(counted) == summary.total_frames && counted > 0 {
                for (percent, ms) in &summary.percentiles {
                    assert_eq!(summary.percentile(*percent), Some(*ms), "{path}: p{percent}");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_and_memory_is_bounded(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(read_summary(&bytes).len() <= bytes.len());
    }

    #[test]
    fn any_edit_of_the_text_is_read(at in 0usize..TEXT.len(), cut in 0usize..200, with in "[0-9:=\n\t a-z(){}.-]{0,40}") {
        let end = (at + cut).min(TEXT.len());
        let text = [&TEXT.as_bytes()[..at], with.as_bytes(), &TEXT.as_bytes()[end..]].concat();
        for summary in read_summary(&text) {
            for percent in [0, 1, 50, 99, 100, 4_000_000_000] {
                summary.percentile(percent);
            }
            if let Some(nothing) = summary.after(&summary) {
                prop_assert!(nothing.histogram.values().all(|count| *count == 0));
            }
            summary.counts();
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn many_blocks_and_buckets_are_bounded(blocks in 1usize..700, buckets in 1usize..700) {
        let histogram: Vec<String> = (0..buckets).map(|ms| format!("{ms}ms=1")).collect();
        let block = format!("** Graphics info for pid 7 [p] **\nStats since: 1ns\nHISTOGRAM: {}\n", histogram.join(" "));
        let summaries = read_summary(block.repeat(blocks).as_bytes());
        prop_assert_eq!(summaries.len(), blocks.min(512));
        prop_assert_eq!(summaries[0].histogram.len(), buckets.min(512));
    }
}
