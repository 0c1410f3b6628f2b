//! `perfetto` on a phone, and its traces against the truth.

use crate::packets::{Slice, Trace, read};
use crate::walk::{Walk, phone, with};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::phone::{Answer, LabTime};
use farmjank_lab::phone_fault::PhoneFault;
use farmjank_lab::spec::{CompositorSpec, PhoneSpec};
use farmjank_lab::truth::{Cause, Prediction, Truth, TruthFrame};
use std::collections::BTreeMap;

const FILE: &str = "/data/misc/perfetto-traces/t";
const FRAMES: &str = "data_sources { config { name: \"android.surfaceflinger.frametimeline\" } }";
const PROCESSES: &str = "data_sources { config { name: \"linux.process_stats\" } }";

fn config(size_kb: u32, more: &str) -> String {
    format!("buffers {{ size_kb: {size_kb} fill_policy: RING_BUFFER }}\n{FRAMES}\n{PROCESSES}\n{more}")
}

/// Runs `perfetto` with a config on standard input.
fn perfetto(walk: &mut Walk, line: &str, config: &str) -> Option<Answer> {
    let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let running = walk.phone.begin_fed(walk.now, &argv, config.as_bytes(), 7_001)?;
    walk.now = walk.now + running.takes;
    Some(walk.phone.finish(walk.now, running))
}

fn start(walk: &mut Walk, config: &str) {
    let line = format!("perfetto -c - --txt --background-wait -o {FILE}");
    let answer = perfetto(walk, &line, config).unwrap();
    assert_eq!((answer.status, answer.out.as_slice()), (0, &b"7001\n"[..]), "{answer:?}");
}

/// Ends the trace and reads the file.
fn stop(walk: &mut Walk) -> Vec<u8> {
    assert!(walk.phone.signal(walk.now, 7_001, 15) && walk.phone.tracing(7_001));
    assert_eq!(walk.phone.file(walk.now, FILE), None, "the file appears at the end");
    walk.wait(400);
    walk.run("getprop");
    assert!(!walk.phone.tracing(7_001));
    walk.phone.file(walk.now, FILE).expect("a trace")
}

/// Flings under a trace.
fn traced(spec: PhoneSpec, seed: u64, config: &str, link: &str) -> (Walk, Vec<u8>) {
    let mut walk = with(spec, seed);
    walk.open(link);
    start(&mut walk, config);
    (0..6).for_each(|_| walk.fling());
    let file = stop(&mut walk);
    (walk, file)
}

fn of(archetype: &str) -> PhoneSpec {
    PhoneSpec { archetype: archetype.into(), ..PhoneSpec::default() }
}

fn troubled(archetype: &str) -> PhoneSpec {
    let compositor = CompositorSpec {
        slow_cpu: 0.04,
        slow_gpu: 0.03,
        display_late: 0.02,
        mispredicted: 0.03,
        dropped: 0.03,
        longest: 2,
    };
    PhoneSpec { compositor, ..of(archetype) }
}

/// The trace file of a troubled phone that was flung about.
pub fn recorded(archetype: &str) -> Vec<u8> {
    traced(troubled(archetype), 21, &config(65_536, ""), "shop://search").1
}

/// Slices of a kind by a field.
fn by(trace: &Trace, kind: u64, field: u64) -> BTreeMap<i64, Slice> {
    let wanted = trace.slices.values().filter(|slice| slice.kind == kind && slice.end.is_some());
    wanted.filter_map(|slice| Some((slice.number(field)?, slice.clone()))).collect()
}

/// Every traced frame of the app's layers is one of the truth, with its times, tokens and verdict; answers how many
/// there were, and how many frames of the truth were not traced.
fn compare(trace: &Trace, truth: &Truth<'_>, sdk: u32) -> (usize, usize) {
    let (expected, actual) = (by(trace, 1, 2), by(trace, 2, 2));
    let (promised, surfaces) = (by(trace, 3, 2), by(trace, 4, 2));
    let first = actual.values().filter_map(|slice| slice.end).min().expect("display frames");
    let (mut seen, mut missing) = (0, 0);
    for layer in truth.layers.iter().filter(|layer| !layer.package.is_empty()) {
        for frame in layer.frames.iter().filter(|frame| frame.present >= first) {
            let Some(display) = actual.get(&frame.display) else {
                missing += 1;
                continue;
            };
            assert_eq!(display.end, Some(frame.present), "the slice ends with the present fence");
            let composed = truth.display(frame.display).expect("its display frame");
            assert_eq!(display.number(7), Some(i64::from(composed.jank)));
            assert_eq!(expected[&frame.display].end, Some(composed.expected));
            let Some(token) = frame.token else { continue };
            // What SurfaceFlinger wrote last may not have been handed over.
            let Some(slice) = surfaces.get(&token) else {
                assert_eq!(Some(&frame.display), actual.keys().last());
                missing += 1;
                continue;
            };
            assert_eq!((slice.number(3), slice.number(4)), (Some(frame.display), Some(i64::from(layer.pid))));
            assert_eq!(slice.said[&5].1, format!("TX - {}", layer.name));
            assert_eq!(slice.end, Some(frame.ready));
            surface(slice, promised.get(&token), frame, sdk);
            seen += 1;
        }
        for dropped in layer.dropped.iter().filter(|dropped| actual.contains_key(&dropped.display)) {
            let Some(slice) = surfaces.get(&dropped.token.expect("apps have tokens")) else {
                assert_eq!(Some(&dropped.display), actual.keys().last());
                continue;
            };
            assert_eq!((slice.number(6), slice.number(9)), (Some(4), Some(1_024)));
            assert_eq!((slice.number(3), slice.end), (Some(dropped.display), Some(dropped.at)));
        }
    }
    (seen, missing)
}

fn surface(slice: &Slice, promised: Option<&Slice>, frame: &TruthFrame, sdk: u32) {
    assert_eq!(slice.number(9), Some(i64::from(frame.jank)));
    assert_eq!(slice.number(7), Some(i64::from(frame.in_time)));
    assert_eq!(slice.number(12).is_some(), sdk >= 34, "severity is newer");
    assert_eq!(slice.said.contains_key(&13), sdk >= 36 && frame.prediction == Prediction::Valid);
    match frame.prediction {
        Prediction::Valid => {
            assert_eq!((slice.number(10), slice.start), (Some(1), frame.start));
            let promised = promised.expect("a promise");
            assert_eq!((promised.start, promised.end), (frame.intended, Some(frame.deadline)));
        }
        Prediction::Expired => {
            assert_eq!((slice.number(10), slice.number(6), promised.is_none()), (Some(2), Some(5), true));
        }
        Prediction::None => unreachable!("it has a token"),
    }
}

#[test]
fn traces_say_what_happened_on_every_release() {
    for archetype in ARCHETYPES.iter().filter(|archetype| archetype.sdk >= 31) {
        for spec in [of(archetype.name), troubled(archetype.name)] {
            let (walk, file) = traced(spec, 3, &config(65_536, ""), "shop://search");
            let trace = read(&file);
            let truth = walk.phone.truth();
            let (seen, missing) = compare(&trace, &truth, archetype.sdk);
            assert!(seen > 200 && missing <= 12, "{}: {seen} seen, {missing} missing", archetype.name);
            let unfinished = trace.slices.values().filter(|slice| slice.end.is_none()).count();
            assert!(unfinished <= 1 && trace.holes == 0, "{}: {unfinished} unfinished", archetype.name);
            assert_eq!(
                trace.offset,
                walk.phone.boot_clock_ns(walk.now) - walk.phone.monotonic_ns(walk.now),
                "both clocks"
            );
            let own = truth.layers.iter().rfind(|layer| !layer.package.is_empty()).expect("the app's layer");
            let pid = u64::from(own.pid);
            assert_eq!(trace.processes.get(&pid).map(String::as_str), Some("com.example.shop"));
        }
    }
}

#[test]
fn on_a_screen_at_rest_the_last_frames_stay_untold_and_the_end_is_the_last_snapshot() {
    let (mut packets_missing, mut phones) = (0, 0);
    for archetype in ARCHETYPES.iter().filter(|archetype| archetype.sdk >= 31) {
        let mut walk = phone(archetype.name, 3);
        walk.open("shop://feed");
        start(&mut walk, &config(65_536, ""));
        (0..3).for_each(|_| walk.fling());
        walk.wait(6_000);
        let end = walk.phone.monotonic_ns(walk.now);
        let trace = read(&stop(&mut walk));
        let truth = walk.phone.truth();
        let told = by(&trace, 2, 2);
        let newest = *told.keys().last().expect("display frames");
        let untold = truth.displays.iter().filter(|display| display.token > newest && display.present < end);
        let untold: Vec<i64> = untold.map(|display| display.present).collect();
        assert!((1..=4).contains(&untold.len()), "{}: {}", archetype.name, untold.len());
        assert!(untold.iter().all(|present| end - present > 2_000_000_000), "{}", archetype.name);
        let unfinished = trace.slices.values().filter(|slice| slice.end.is_none()).count();
        packets_missing += unfinished;
        phones += 1;
        let newest_snapshot = trace.newest_snapshot;
        assert_eq!(
            newest_snapshot >= end,
            archetype.sdk >= 34,
            "{}: {newest_snapshot} {end}",
            archetype.name
        );
        assert!(trace.disabled >= end, "{}: the event of its end is there on all", archetype.name);
    }
    assert!((1..phones).contains(&packets_missing), "{packets_missing} of {phones}");
}

#[test]
fn processes_born_later_are_named_only_where_the_kernel_is_traced() {
    for (more, named) in [("", false), ("data_sources { config { name: \"linux.ftrace\" } }", true)] {
        let mut walk = phone("pixel-8", 4);
        start(&mut walk, &config(65_536, more));
        walk.open("shop://feed");
        walk.fling();
        let trace = read(&stop(&mut walk));
        assert!((300..700).contains(&trace.processes.len()), "{}", trace.processes.len());
        assert_eq!(trace.processes.values().any(|name| name == "com.example.shop"), named);
    }
}

#[test]
fn tokens_join_with_framestats_and_presents_with_latency() {
    for name in ["pixel-6", "galaxy-a14", "pixel-8"] {
        let mut walk = phone(name, 11);
        walk.open("shop://feed");
        start(&mut walk, &config(65_536, ""));
        (0..2).for_each(|_| walk.fling());
        let layer = walk.main_layer(".FeedActivity");
        let latency =
            crate::readers::latency(&walk.run(&format!("dumpsys SurfaceFlinger --latency '{layer}'")));
        let stats = walk.run("dumpsys gfxinfo com.example.shop framestats");
        let trace = read(&stop(&mut walk));
        let ends: Vec<i64> = by(&trace, 2, 2).values().filter_map(|slice| slice.end).collect();
        let known = latency.presents().iter().filter(|present| ends.contains(present)).count();
        assert!(known > 60 && known + 3 >= latency.presents().len().min(ends.len()), "{name}: {known}");
        let window = "com.example.shop/com.example.shop.FeedActivity";
        let (names, rows) = crate::readers::framestats(&stats, window);
        let column = |name: &str| names.iter().position(|known| known == name).unwrap();
        let [flags, id, done] = ["Flags", "FrameTimelineVsyncId", "FrameCompleted"].map(column);
        let surfaces = by(&trace, 4, 2);
        let drawn: Vec<_> = rows.iter().filter(|row| row[flags] == 0).collect();
        let joined =
            drawn.iter().filter(|row| surfaces.get(&row[id]).is_some_and(|s| s.end == Some(row[done])));
        let joined = joined.count();
        assert!(joined + 8 > drawn.len() && joined > 60, "{name}: {joined} of {}", drawn.len());
    }
}

#[test]
fn a_slow_compositor_is_blamed_and_the_app_is_not() {
    let (walk, _) = traced(troubled("pixel-8"), 5, &config(65_536, ""), "shop://feed");
    let truth = walk.phone.truth();
    let frames: Vec<&TruthFrame> =
        truth.layers.iter().flat_map(|layer| &layer.frames).filter(|frame| frame.gesture.is_some()).collect();
    let blamed = |cause: Cause, bit: u32| {
        let of_cause: Vec<_> = frames.iter().filter(|frame| frame.cause == cause).collect();
        let with_bit = of_cause.iter().filter(|frame| frame.jank & (bit | 128 | 512 | 64) != 0).count();
        assert!(
            of_cause.len() > 3 && with_bit == of_cause.len(),
            "{cause:?}: {with_bit} of {}",
            of_cause.len()
        );
    };
    blamed(Cause::CompositorCpu, 16);
    blamed(Cause::CompositorGpu, 32);
    blamed(Cause::DisplayLate, 8);
    blamed(Cause::Stuffed, 128);
    let late_app = frames.iter().filter(|frame| frame.jank & 64 != 0 && frame.cause == Cause::Smooth).count();
    assert!(late_app * 50 < frames.len(), "{late_app} of {} frames blame the app for nothing", frames.len());
    let dropped: usize = truth.layers.iter().map(|layer| layer.dropped.len()).sum();
    assert!(dropped > 5, "{dropped} dropped");
    assert!(frames.iter().all(|frame| (frame.trouble.refreshes() > 0) == (frame.planned < frame.vsync)));
}

#[test]
fn small_buffers_faults_and_cuts_lose_packets_and_say_so() {
    let (_, whole) = traced(of("pixel-8"), 3, &config(65_536, ""), "shop://feed");
    let whole = read(&whole);
    let (_, file) = traced(of("pixel-8"), 3, &config(16, ""), "shop://feed");
    let small = read(&file);
    assert!(small.packets > 100 && small.packets < whole.packets / 3, "{} packets", small.packets);
    assert!(small.processes.is_empty() && small.buffer[&3].0 > 0);
    let newest = |trace: &Trace| trace.slices.values().map(|slice| slice.start).max();
    assert_eq!(newest(&small), newest(&whole), "a ring keeps the newest");
    let discard = config(32, "").replace("RING_BUFFER", "DISCARD");
    let (_, file) = traced(of("pixel-8"), 3, &discard, "shop://feed");
    let oldest = read(&file);
    assert!(newest(&oldest) < newest(&whole) && oldest.processes.len() > 4, "the other keeps the oldest");
    let faults = |fault: PhoneFault| PhoneSpec { faults: vec![fault], ..of("pixel-8") };
    let lossy = faults(PhoneFault::TraceLoss { share: 0.2 });
    let (_, file) = traced(lossy, 3, &config(65_536, ""), "shop://feed");
    let lossy = read(&file);
    assert!(lossy.holes > 3 && lossy.packets > whole.packets / 2 && lossy.packets < whole.packets);
    let (_, file) = traced(faults(PhoneFault::TraceCut { kept: 0.5 }), 3, &config(65_536, ""), "shop://feed");
    let cut = read(&file);
    assert!(cut.packets > whole.packets / 3 && cut.packets < whole.packets && cut.buffer.is_empty());
    let (_, file) = traced(
        of("pixel-8"),
        3,
        &config(65_536, "compression_type: COMPRESSION_TYPE_DEFLATE"),
        "shop://feed",
    );
    assert_eq!(read(&file).packets, whole.packets, "deflated packets are the same packets");
}

#[test]
fn surfaces_without_a_token_are_shown_as_the_release_shows_them() {
    for (name, wanted) in [("pixel-6", false), ("pixel-8", true)] {
        let mut walk = phone(name, 4);
        start(&mut walk, &config(65_536, ""));
        walk.open("shop://video");
        walk.wait(3_000);
        let trace = read(&stop(&mut walk));
        let tokenless = |slice: &&Slice| slice.kind == 4 && slice.number(2).is_none();
        let found: Vec<&Slice> = trace.slices.values().filter(tokenless).collect();
        assert_eq!(!found.is_empty(), wanted, "{name}");
        assert!(
            found.iter().all(|slice| slice.number(10) == Some(3) && slice.said[&5].1.contains("(BLAST)"))
        );
        assert!(by(&trace, 2, 2).len() > 60, "{name}: display frames are there all the same");
    }
}

#[test]
fn perfetto_answers_as_the_release_does() {
    let line = format!("perfetto -c - --txt -o {FILE}");
    assert!(perfetto(&mut phone("galaxy-s7", 1), &line, &config(64, "")).is_none(), "Android 7 has none");
    let mut old = phone("redmi-note-7", 1);
    start_old(&mut old);
    let trace = read(&old.phone.file(old.now, FILE).unwrap());
    assert!(
        trace.packets == 0 && trace.processes.len() > 200 && trace.snapshots == 2,
        "Android 10 has no frames"
    );
    let mut walk = phone("pixel-8", 1);
    let mut said = |line: &str, config: &str| {
        let answer = perfetto(&mut walk, line, config).unwrap();
        (answer.status, String::from_utf8(answer.err).unwrap())
    };
    assert_eq!(said(&line, "bufers {}").0, 1);
    assert!(said(&line, "bufers {}").1.contains("No field named \"bufers\" in proto TraceConfig"));
    assert!(said(&line, "").1.contains("empty"));
    assert!(said(&line, FRAMES).1.contains("buffer"));
    assert!(said("perfetto -c - --txt -o /data/local/tmp/t", &config(64, "")).1.contains("Failed to open"));
    assert!(said(&format!("perfetto -c - -o {FILE}"), &config(64, "")).1.contains("invalid"));
    assert!(said("perfetto --txt", "").1.contains("Usage"));
    assert!(said(&format!("perfetto -c /x --txt -o {FILE}"), "").1.contains("Could not open"));
}

#[test]
fn one_user_has_five_sessions_at_once_and_the_kernel_shows_whose_they_are() {
    let mut walk = phone("pixel-8", 1);
    for nth in 0..6_u32 {
        let line = format!("perfetto -c - --txt --background -o {FILE}-{nth}");
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let running = walk.phone.begin_fed(walk.now, &argv, config(64, "").as_bytes(), 8_000 + nth).unwrap();
        walk.now = walk.now + running.takes;
        let answer = walk.phone.finish(walk.now, running);
        assert_eq!(answer.status, i32::from(nth == 5), "{nth}: {answer:?}");
        assert_eq!(String::from_utf8_lossy(&answer.err).contains("limit is 5"), nth == 5);
    }
    let shown = |walk: &Walk| {
        walk.phone.file(walk.now, "/proc/8003/cmdline").map(|line| String::from_utf8(line).unwrap())
    };
    assert!(shown(&walk).is_some_and(|line| line.starts_with("perfetto\0-c\0") && line.ends_with("/t-3\0")));
    assert!(walk.phone.signal(walk.now, 8_003, 9));
    assert_eq!(shown(&walk), None);
}

fn start_old(walk: &mut Walk) {
    let line = format!("perfetto -c - --txt --background -o {FILE}");
    let answer = perfetto(walk, &line, &config(64, "duration_ms: 1500")).unwrap();
    assert_eq!(answer.out, b"7001\n");
    assert_eq!(walk.phone.traced_until(7_001).map(|until| until > walk.now), Some(true));
    walk.wait(2_500);
    walk.run("getprop");
}

#[test]
fn a_trace_does_not_depend_on_who_asks_when() {
    let run = |questions: bool| {
        let mut walk = phone("pixel-9-pro", 8);
        walk.open("shop://feed");
        start(&mut walk, &config(65_536, "duration_ms: 4000"));
        for _ in 0..40 {
            let argv = ["input", "swipe", "540", "1500", "540", "500", "150"].map(str::to_owned);
            if walk.now.ns() % 3 == 0 {
                drop(walk.phone.begin(walk.now, &argv));
            }
            if questions {
                let ask = walk.phone.begin(walk.now, &["getprop".to_owned()]).unwrap();
                walk.phone.finish(walk.now, ask);
            }
            walk.wait(250);
        }
        walk.now = LabTime::from_ns(20_000_000_000);
        walk.run("getprop");
        walk.phone.file(walk.now, FILE).expect("a trace")
    };
    assert!(run(true) == run(false));
}
