//! What real phones printed reads as the right thing or as a clear refusal. The dumps lie beside the repository and
//! are not part of it; where they are absent these tests say so and pass.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

use farmjank_frames::gfxinfo::{TimeBase, read_framestats};
use farmjank_frames::surfaceflinger::{choose, read_latency, read_list};
use farmjank_frames::{read_auto, read_clock};
use farmjank_results::frame::{Sample, SourceId, Stamp};
use farmjank_results::time::Span;
use farmjank_seams::source::Unreadable;

fn real(path: &str) -> Option<Vec<u8>> {
    let path = format!("{}/../../../shared/real-dumps/{path}", env!("CARGO_MANIFEST_DIR"));
    let read = std::fs::read(&path).ok();
    if read.is_none() {
        println!("skipped: {path} is not on this machine");
    }
    read
}

fn presents(sample: &Sample) -> Vec<i64> {
    let present = |row: &farmjank_results::frame::Row| match row.present {
        Stamp::At(at) => Some(at.ns()),
        Stamp::Pending => None,
    };
    sample.rows.iter().filter_map(present).collect()
}

/// Valid, pending, unfilled, invalid, ignored, first present, last present, period.
type Summary = (usize, usize, u32, u32, u32, i64, i64, Option<Span>);

fn summary(sample: &Sample) -> Summary {
    let presents = presents(sample);
    assert!(presents.is_sorted());
    let (first, last) = (presents.first().copied().unwrap_or(0), presents.last().copied().unwrap_or(0));
    let pending = sample.rows.len() - presents.len();
    (
        presents.len(),
        pending,
        sample.zero_rows,
        sample.invalid_rows,
        sample.ignored_rows,
        first,
        last,
        sample.period,
    )
}

#[test]
fn latency_dumps_read_as_printed() {
    for (name, period, frames, first, last) in [
        ("alioth-android16-120hz-two-rows.txt", 8_333_333, 2, 11_623_273_240_930, 11_623_281_479_576),
        ("catapult-59hz-three-rows-spaces.txt", 16_954_612, 3, 7_657_482_691_352, 7_657_516_600_576),
        ("catapult-59hz-unresponsive-warning-first.txt", 16_954_612, 3, 7_657_482_691_352, 7_657_516_600_576),
        ("kuaishou-home-60hz-eight-rows.txt", 16_666_666, 8, 23_761_705_288_823, 23_761_820_153_731),
    ] {
        let Some(bytes) = real(&format!("surfaceflinger-latency/{name}")) else { continue };
        let (source, samples) = read_auto(&bytes, None).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!((source, samples.len()), (SourceId::SurfaceFlinger, 1), "{name}");
        let expected = (frames, 0, 0, 0, 0, first, last, Some(Span::from_ns(period)));
        assert_eq!(summary(&samples[0].1), expected, "{name}");
    }
}

#[test]
fn no_layer_and_a_container_have_their_own_messages() {
    if let Some(bytes) = real("surfaceflinger-latency/alioth-android16-120hz-no-layer-argument.txt") {
        assert!(matches!(read_latency(&bytes), Err(Unreadable::Missing(why)) if why.contains("period")));
    }
    if let Some(bytes) = real("surfaceflinger-latency/solox249-surfaceview-container-all-zero-60hz.txt") {
        assert!(matches!(read_auto(&bytes, None), Err(Unreadable::Empty(why)) if why.contains("container")));
    }
}

#[test]
fn one_of_four_listed_layers_gets_the_frames() {
    let Some(bytes) = real("surfaceflinger-list/solox303-ctrip-android15-grep.txt") else { return };
    let layers = read_list(&bytes).expect("a list");
    assert_eq!(layers.len(), 4);
    let choice = choose(&layers, "ctrip.android.view", None);
    let activity =
        "ctrip.android.view/ctrip.android.publicproduct.home.business.activity.CtripHomeActivity#29149";
    assert_eq!(choice.candidates.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>(), [activity]);
    assert_eq!(choice.passed_over.len(), 3);
}

#[test]
fn framestats_of_one_window() {
    let app = "com.soundvisualization.accessibility/com.soundvisualization.accessibility.MainActivity";
    for (name, pid, first, last, period) in [
        (
            "choi-120hz-swapped-columns-utf8bom-a.txt",
            31667,
            314_856_700_213_169,
            314_859_077_453_116,
            8_311_935,
        ),
        (
            "choi-120hz-swapped-columns-utf8bom-b.txt",
            16473,
            306_924_265_216_820,
            306_929_200_150_516,
            8_308_143,
        ),
    ] {
        let Some(bytes) = real(&format!("gfxinfo-framestats/{name}")) else { continue };
        let (source, samples) = read_auto(&bytes, None).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!((source, samples.len()), (SourceId::Gfxinfo, 1), "{name}");
        assert_eq!(samples[0].0, format!("{pid}/{app}@73f2e63 (DisplayPresentTime)"));
        assert_eq!(
            summary(&samples[0].1),
            (116, 4, 0, 0, 0, first, last, Some(Span::from_ns(period))),
            "{name}"
        );
    }
    if let Some(bytes) = real("gfxinfo-framestats/yuva-utf16le-60hz-three-frames.txt") {
        let windows = read_framestats(&bytes, None).expect("a window");
        assert_eq!(windows[0].time_base, TimeBase::Completed);
        let expected =
            (2, 0, 117, 0, 1, 116_543_853_437_561, 116_544_168_573_868, Some(Span::from_ns(16_603_057)));
        assert_eq!(summary(&windows[0].sample), expected);
        let clock = read_clock(&bytes).expect("a clock");
        assert_eq!(clock.offset, Span::from_ms(256_881_373 - 116_544_855));
    }
}

#[test]
fn framestats_of_three_processes() {
    let Some(bytes) = real("gfxinfo-framestats/anavmode-three-processes-five-blocks.txt") else { return };
    let windows = read_framestats(&bytes, None).expect("windows");
    let period = Some(Span::from_ns(16_666_667));
    let expected: [(&str, u32, TimeBase, Summary); 4] = [
        (
            "de.codevoid.andronavibar/de.codevoid.andronavibar.MainActivity@4db95cb",
            17477,
            TimeBase::Completed,
            (116, 0, 0, 0, 4, 25_622_479_943_526, 25_840_952_786_616, period),
        ),
        (
            "com.android.settings/com.android.settings.spa.SpaActivity@4cd4ef7",
            1955,
            TimeBase::Presented,
            (105, 3, 0, 9, 3, 25_828_238_425_923, 25_838_453_810_923, period),
        ),
        (
            "com.android.settings/com.android.settings.SubSettings@b738af6",
            1955,
            TimeBase::Presented,
            (75, 3, 40, 1, 1, 25_823_540_658_922, 25_825_867_392_769, period),
        ),
        (
            "com.android.settings/com.android.settings.homepage.SettingsHomepageActivity@1634b91",
            1955,
            TimeBase::Presented,
            (62, 2, 53, 2, 1, 25_822_137_338_307, 25_824_023_719_845, period),
        ),
    ];
    let read: Vec<_> = windows
        .iter()
        .map(|window| (window.title.as_str(), window.pid, window.time_base, summary(&window.sample)))
        .collect();
    assert_eq!(read, expected);
    assert!(windows.iter().all(|window| window.visibility == Some(8)));
    let render_thread: Vec<u32> = windows.iter().map(|window| window.classes.render_thread).collect();
    assert_eq!(render_thread, [0, 79, 60, 32]);
}

#[test]
fn a_hung_app_is_a_refusal() {
    let Some(bytes) = real("gfxinfo-framestats/yuva-utf16le-failure-while-dumping.txt") else { return };
    assert!(
        matches!(read_auto(&bytes, None), Err(Unreadable::Refused(why)) if why.contains("did not answer"))
    );
    assert!(read_clock(&bytes).is_some(), "the clocks are told even so");
}

#[test]
fn everything_else_is_refused_by_its_name() {
    for (path, kind) in [
        ("gfxinfo-summary/lisa-android7-youtube.txt", "without frames"),
        ("gfxinfo-summary/lisa-android7-uibench-two-windows.txt", "without frames"),
        ("gfxinfo-summary/bam-android10-reactnativefeed-drawprepareprocessexecute.txt", "without frames"),
        ("gfxinfo-summary/bam-android12-legacyjank-gpuhist.txt", "without frames"),
        ("timestats/arc-minecraft-android12to13-histograms-elided.txt", "--timestats"),
        ("dumpsys-display/flashlight-60hz-android12-displaydeviceinfo.txt", "dumpsys display"),
        ("dumpsys-display/flashlight-120hz-android15-displaydeviceinfo.txt", "dumpsys display"),
        ("dumpsys-display/healer-full-480x800-screen-off.txt", "dumpsys display"),
        ("am-start/solopi-cold-with-thistime.txt", "am start"),
        ("battery/solox-usb-charging.txt", "dumpsys battery"),
        ("thermal/androidperf-handmade-status2.txt", "thermalservice"),
        ("frametimeline/google-perfetto-api32-startup-warm.perfetto-trace", "Perfetto"),
        ("surfaceflinger-list/solox303-ctrip-android15-grep.txt", "--list"),
        ("window/appium-focus-multi-display-a.txt", "dumpsys window"),
        ("window/deviceinfra-dumpsys-window-anr.txt", "dumpsys window"),
        ("window/flashlight-dumpsys-window-windows-full.txt", "dumpsys window"),
        ("misc/davey-logcat-lines-android12to15.txt", "logcat"),
        ("misc/androidlog-surfaceflinger-oem-scheduler-120hz-history.txt", "full `dumpsys SurfaceFlinger`"),
        ("misc/cats22-surfaceflinger-android12-scheduler-slice.txt", "full `dumpsys SurfaceFlinger`"),
        ("misc/flutter11484-surfaceflinger-android7-head.txt", "full `dumpsys SurfaceFlinger`"),
        ("misc/gpablo-surfaceflinger-full-android15-60of90hz.txt", "full `dumpsys SurfaceFlinger`"),
        ("misc/healer-dumpsys-power-head.txt", "dumpsys power"),
    ] {
        let Some(bytes) = real(path) else { continue };
        for hint in [None, Some(SourceId::SurfaceFlinger), Some(SourceId::Gfxinfo)] {
            let error = read_auto(&bytes, hint).expect_err(path);
            let Unreadable::Garbled(what) = &error else { panic!("{path} as {hint:?}: {error:?}") };
            if hint != Some(SourceId::SurfaceFlinger) || !path.starts_with("gfxinfo") {
                assert!(what.contains(kind), "{path} as {hint:?}: {what}");
            }
        }
    }
}
