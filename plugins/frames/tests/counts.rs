//! SurfaceFlinger's counts in the shapes of Android 9 to 16, from a real phone, and from nobody.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

use farmjank_frames::TimeStats;
use farmjank_frames::timestats::read_counted;
use farmjank_results::device::App;
use farmjank_results::side_reading::SideReading;
use farmjank_seams::probe::{ProbeOutput, ProbeReader};
use farmjank_seams::source::Unreadable;
use proptest::prelude::*;
use std::collections::BTreeMap;

const NINE: &str = "SurfaceFlinger TimeStats:
statsStart = 1700000000
statsEnd = 1700000010
totalFrames= 130
missedFrames= 2
clientCompositionFrames= 0
TimeStats for each layer is as below:
layerName = com.example.shop/com.example.shop.MainActivity#0
packageName = com.example.shop
statsStart = 1700000001
statsEnd = 0
totalFrames= 120
averageFPS = 62.500
present2present histogram is as below:
0ms=0 1ms=0 16ms=119 200ms=1
latch2present histogram is as below:
0ms=0 34ms=120
layerName = StatusBar#0
packageName = StatusBar
totalFrames= 3
averageFPS = 1.000
present2present histogram is as below:
0ms=0 1000ms=3
";

const TEN: &str = "SurfaceFlinger TimeStats:
statsStart = 1700000000
statsEnd = 1700000010
totalFrames = 130
missedFrames = 2
clientCompositionFrames = 0
displayOnTime = 10000 ms
displayConfigStats is as below:
60fps=7000ms 90fps=3000ms
totalP2PTime = 9900 ms
presentToPresent histogram is as below:
0ms=0 11ms=20 16ms=110

layerName = SurfaceView - com.example.shop/com.example.shop.Video#1
packageName = com.example.shop
totalFrames = 61
droppedFrames = 4
averageFPS = 30.303
present2present histogram is as below:
0ms=0 33ms=61
";

const TWELVE: &str = "SurfaceFlinger TimeStats:
Legacy stats are as follows:
statsStart = 1700000000
statsEnd = 1700000010
totalFrames = 700
missedFrames = 5
clientCompositionFrames = 1
clientCompositionReusedFrames = 0
refreshRateSwitches = 2
compositionStrategyChanges = 0
displayOnTime = 10000 ms
displayConfigStats is as below:
60fps = 4000ms
120fps = 6000ms
totalP2PTime = 9900 ms
presentToPresent histogram is as below:
0ms=0 8ms=600 16ms=100
averageFrameDuration = 3.000 ms
frameDuration histogram is as below:
0ms=0 3ms=700
averageRenderEngineTiming = 0.000 ms
renderEngineTiming histogram is as below:
0ms=0

Global aggregated jank payload (Timeline stats):
displayRefreshRate = 60 fps
renderRate = 60 fps
totalTimelineFrames = 100
jankyFrames = 4
appUnattributedJankyFrames = 3
sfDeadlineMisses histogram is as below:
0ms=7
sfPredictionErrors histogram is as below:
0ms=7

displayRefreshRate = 120 fps
renderRate = 120 fps
totalTimelineFrames = 600
jankyFrames = 9
appUnattributedJankyFrames = 8
sfDeadlineMisses histogram is as below:
0ms=7
sfPredictionErrors histogram is as below:
0ms=7

displayRefreshRate = 120 fps
renderRate = 120 fps
uid = 10123
layerName = VRI[MainActivity]#12(BLAST com.example.shop)#13
packageName = 
gameMode = Unsupported
totalFrames = 599
droppedFrames = 1
lateAcquireFrames = 2
badDesiredPresentFrames = 0
Jank payload for this layer:
totalTimelineFrames = 600
jankyFrames = 9
appUnattributedJankyFrames = 8
SetFrateRate vote for this layer:
frameRate = 0.00
frameRateCompatibility = Undefined
seamlessness = Undefined
averageFPS = 125.000
present2present histogram is as below:
0ms=0 8ms=590 16ms=9
avg 8.4, max 16
latch2present histogram is as below:
0ms=0 20ms=599

displayRefreshRate = 60 fps
renderRate = 60 fps
uid = 10123
layerName = VRI[MainActivity]#12(BLAST com.example.shop)#13
packageName = 
gameMode = Unsupported
totalFrames = 100
droppedFrames = 0
lateAcquireFrames = 0
badDesiredPresentFrames = 0
Jank payload for this layer:
totalTimelineFrames = 100
jankyFrames = 4
appUnattributedJankyFrames = 3
SetFrameRate vote for this layer:
frameRate = 0.00
averageFPS = 62.500
present2present histogram is as below:
0ms=0 16ms=99 100ms=1
present2presentDelta histogram is as below:
0ms=100
";

#[test]
fn android_nine_and_ten_are_read_with_their_own_spellings() {
    let nine = read_counted(NINE.as_bytes()).unwrap();
    assert_eq!((nine.totals.started, nine.totals.ended), (Some(1_700_000_000), Some(1_700_000_010)));
    assert_eq!((nine.totals.frames, nine.totals.missed), (Some(130), Some(2)));
    assert_eq!(nine.layers.len(), 2);
    assert!(!nine.any_name);
    let app = &nine.layers[0];
    assert_eq!(
        (app.layer.as_str(), app.total_frames),
        ("com.example.shop/com.example.shop.MainActivity#0", 120)
    );
    assert_eq!((app.dropped_frames, app.counters.len()), (None, 0));
    assert_eq!(app.present_to_present, BTreeMap::from([(16, 119), (200, 1)]));
    let ten = read_counted(TEN.as_bytes()).unwrap();
    assert_eq!(ten.totals.display_on_ms, Some(10_000));
    assert_eq!(ten.totals.present_to_present, BTreeMap::from([(11, 20), (16, 110)]));
    assert!(!ten.any_name);
    assert_eq!(ten.layers[0].dropped_frames, Some(4));
    assert_eq!(ten.layers[0].present_to_present, BTreeMap::from([(33, 61)]));
}

#[test]
fn a_layer_s_refresh_rates_are_added_up_and_never_lent_to_its_neighbour() {
    for crlf in [false, true] {
        let text = if crlf { TWELVE.replace('\n', "\r\n") } else { TWELVE.to_owned() };
        let twelve = read_counted(text.as_bytes()).unwrap();
        assert_eq!((twelve.blocks, twelve.layers.len(), twelve.any_name), (2, 1, true));
        let app = &twelve.layers[0];
        assert_eq!((app.total_frames, app.dropped_frames), (699, Some(1)));
        assert_eq!(app.present_to_present, BTreeMap::from([(8, 590), (16, 108), (100, 1)]));
        assert_eq!(
            (app.counters["totalTimelineFrames"], app.counters["appUnattributedJankyFrames"]),
            (700, 11)
        );
        assert_eq!(app.counters["lateAcquireFrames"], 2);
        assert_eq!(twelve.totals.counters["totalTimelineFrames"], 700);
        assert_eq!((twelve.totals.rate_switches, twelve.totals.frames), (Some(2), Some(700)));
    }
}

#[test]
fn a_real_block_with_elided_histograms_keeps_its_totals_and_no_half_histogram() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/real-dumps/timestats/arc-minecraft-android12to13-histograms-elided.txt"
    );
    let Ok(bytes) = std::fs::read(path) else {
        println!("skipped: no real dumps beside the repository");
        return;
    };
    let layers = read_counted(&bytes).unwrap().layers;
    assert_eq!(layers.len(), 1);
    let game = &layers[0];
    assert_eq!(game.layer, "com.mojang.minecraftpe/com.mojang.minecraftpe.MainActivity#145");
    assert_eq!((game.total_frames, game.dropped_frames), (28, Some(0)));
    assert_eq!(game.counters["totalTimelineFrames"], 0);
    assert_eq!(game.present_to_present, BTreeMap::new());
}

#[test]
fn what_is_no_dump_is_refused_in_words() {
    assert!(matches!(read_counted(b""), Err(Unreadable::Empty(why)) if why.contains("never enabled")));
    assert!(matches!(read_counted(b"16666666\n0\t0\t0\n"), Err(Unreadable::Garbled(_))));
    assert!(matches!(read_counted(b"Can't find service: SurfaceFlinger\n"), Err(Unreadable::Refused(_))));
    assert_eq!(
        read_counted(b"SurfaceFlinger TimeStats:\nstatsStart = 1\n").map(|counted| counted.layers),
        Ok(Vec::new())
    );
}

fn read(bytes: &str, app: &str) -> Result<SideReading, Unreadable> {
    let mark = b"farmjank-timestats began 1699999999 1700000000\n".to_vec();
    let bytes = format!("{bytes}\n\nfarmjank-timestats ended 1700000010\n").into_bytes();
    TimeStats.read(&ProbeOutput { bytes, mark, began: None, ended: None }, &App(app.to_owned()), None)
}

#[test]
fn an_output_is_read_as_its_counts_and_what_speaks_against_them() {
    let Ok(SideReading::Timestats(layers)) = read(TWELVE, "com.example.shop") else { panic!() };
    assert_eq!(layers[0].doubts, [""; 0]);
    let late = TWELVE.replace("statsStart = 1700000000", "statsStart = 1700000004");
    let Ok(SideReading::Timestats(layers)) = read(&late, "com.example.shop") else { panic!() };
    assert!(layers[0].doubts[0].contains("4 s after the window began"), "{:?}", layers[0].doubts);
    assert!(matches!(read("", "a.b"), Err(Unreadable::Empty(why)) if why.contains("gone")));
    assert!(matches!(read(NINE, "org.example"), Err(Unreadable::Missing(why)) if why.contains("com.")));
    assert!(read(TWELVE, "org.example").is_ok(), "newer releases count any name");
}

proptest! {
    #[test]
    fn no_bytes_panic_and_memory_is_bounded(
        shape in prop::sample::select(vec![NINE, TEN, TWELVE]),
        edits in prop::collection::vec((any::<usize>(), 0usize..200, prop::collection::vec(any::<u8>(), 0..12)), 0..12),
    ) {
        let mut bytes = shape.as_bytes().to_vec();
        for (at, cut, insert) in edits {
            let at = at % (bytes.len() + 1);
            let end = (at + cut).min(bytes.len());
            bytes.splice(at..end, insert);
        }
        if let Ok(counted) = read_counted(&bytes) {
            let kept: usize = counted.layers.iter().map(|layer| layer.layer.len() + layer.present_to_present.len()).sum();
            prop_assert!(kept <= 4 * bytes.len());
        }
    }

    #[test]
    fn anything_at_all_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = read_counted(&bytes);
    }

    #[test]
    fn blocks_add_up_however_a_layer_is_split(parts in prop::collection::vec((0u64..1_000_000, 0u32..1_001), 1..20)) {
        let mut text = "SurfaceFlinger TimeStats:\nLegacy stats are as follows:\n".to_owned();
        for (frames, bucket) in &parts {
            text += &format!(
                "\ndisplayRefreshRate = 60 fps\nrenderRate = 60 fps\nuid = 1\nlayerName = a b#1\ntotalFrames = {frames}\n\
                 present2present histogram is as below:\n0ms=0 {bucket}ms={frames}\n"
            );
        }
        let layers = read_counted(text.as_bytes()).unwrap().layers;
        let total: u64 = parts.iter().map(|(frames, _)| frames).sum();
        prop_assert_eq!(layers.len(), 1);
        prop_assert_eq!(layers[0].total_frames, total);
        prop_assert_eq!(layers[0].present_to_present.values().sum::<u64>(), total);
    }
}
