//! A real phone's trace, checked against a decode by Google's own protobuf runtime. It lies beside the repository and
//! is not part of it; where it is absent these tests say so and pass.

use farmjank_frames::frametimeline::read_trace;
use farmjank_results::frame_timeline::{PresentType, SurfaceFrame, SurfaceFrames, jank};
use farmjank_results::time::Span;

/// Token of the one late frame.
const SPLASH: i64 = 191_058;
/// BOOTTIME minus MONOTONIC in the later of its two snapshots, both of which lie before all frames.
const OFFSET: i64 = 62_091_857_180_385;
/// Processes that were shown.
const NAMES: [&str; 3] = [
    "androidx.benchmark.integration.macrobenchmark.target",
    "com.android.systemui",
    "com.google.android.apps.nexuslauncher",
];

/// Ends of the actual display slices, on BOOTTIME.
const PRESENTS: [i64; 5] =
    [157_479_962_017_283, 157_479_978_717_194, 157_479_845_052_073, 157_479_878_564_687, 157_479_861_858_510];

fn trace() -> Option<Vec<u8>> {
    let path = format!(
        "{}/../../../shared/real-dumps/frametimeline/google-perfetto-api32-startup-warm.perfetto-trace",
        env!("CARGO_MANIFEST_DIR")
    );
    let read = std::fs::read(&path).ok();
    if read.is_none() {
        println!("skipped: {path} is not on this machine");
    }
    read
}

/// Tokens of the frame and its display frame, begin and present on BOOTTIME, length, bits, in time.
type Row = (i64, i64, i64, i64, i64, u32, bool);

fn rows(frame_timeline: &SurfaceFrames) -> Vec<Row> {
    let row = |frame: &SurfaceFrame| {
        (
            frame.token,
            frame.display_token.expect("shown"),
            frame.actual_start.ns() + OFFSET,
            frame.present.expect("shown").ns() + OFFSET,
            (frame.actual_end - frame.actual_start).ns(),
            frame.jank,
            frame.on_time_finish,
        )
    };
    frame_timeline.frames.iter().map(row).collect()
}

#[test]
fn the_trace_of_a_warm_start_reads_as_the_platform_wrote_it() {
    let Some(bytes) = trace() else { return };
    let trace = read_trace(&bytes).expect("a trace");
    assert_eq!((trace.packets, trace.unreadable, trace.cut), (269, 0, false));
    assert_eq!(trace.offset, Some(Span::from_ns(OFFSET)));
    let named = trace.by_name();
    assert_eq!(named.keys().collect::<Vec<_>>(), NAMES);
    let (late, none) = (jank::APP_DEADLINE, jank::NONE);
    let known: [[Row; 2]; 3] = [
        [
            (191_185, 191_192, 157_479_929_637_848, PRESENTS[0], 10_757_812, none, true),
            (191_201, 191_214, 157_479_952_590_526, PRESENTS[1], 2_328_695, none, true),
        ],
        [
            (SPLASH, 191_080, 157_479_809_639_353, PRESENTS[2], 8_856_405, late, false),
            (191_103, 191_138, 157_479_845_846_914, PRESENTS[3], 1_954_712, none, true),
        ],
        [
            (191_095, 191_102, 157_479_829_467_682, PRESENTS[4], 3_406_087, none, true),
            (191_117, 191_138, 157_479_845_980_174, PRESENTS[3], 1_403_361, none, true),
        ],
    ];
    for (name, known) in NAMES.iter().zip(known) {
        assert_eq!(rows(&named[*name]), known, "{name}");
    }
    let app = &named[NAMES[0]];
    assert_eq!((app.unfinished, app.doubts.len(), app.lost.len(), app.lost_at.len()), (1, 0, 0, 0));
}

#[test]
fn the_splash_screen_is_late_although_its_display_frame_was_in_time() {
    let Some(bytes) = trace() else { return };
    let named = read_trace(&bytes).expect("a trace").by_name();
    for frame in named.values().flat_map(|frame_timeline| &frame_timeline.frames) {
        let late = (frame.present.expect("shown") - frame.expected_present.expect("expected")).ns();
        let expected = if frame.token == SPLASH { PresentType::Late } else { PresentType::OnTime };
        assert_eq!(frame.present_type, expected, "{}", frame.token);
        // One turn of a 60 Hz panel: 16.41 ms between the predictions of the two display frames.
        let turn = if frame.token == SPLASH { 16_000_000..16_800_000 } else { -2_000_000..2_000_001 };
        assert!(turn.contains(&late), "{} {late}", frame.token);
    }
}
