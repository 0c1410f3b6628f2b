//! `farmjank analyze` on a Perfetto trace: a pause is what the trace says of it. The traces are written here, by the
//! rules of the protobuf wire format.

use crate::world::run;
use serde_json::Value;
use std::path::Path;

/// Refresh period, ns.
pub(super) const P: i64 = 8_333_333;
/// BOOTTIME minus MONOTONIC.
pub(super) const SLEPT: i64 = 62_091_862_325_480;
/// When frame 0 is due, ns of CLOCK_MONOTONIC.
pub(super) const ZERO: i64 = 95_387_613_230_087;
/// What the compositor takes, ns.
pub(super) const COMPOSED: i64 = 5_000_000;
/// From a vsync to its present fence, ns.
const FENCE: i64 = 70_000;
/// Processes of the app and of SurfaceFlinger.
pub(super) const APP: i64 = 4242;
pub(super) const SURFACEFLINGER: i64 = 611;

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value /= 128;
    }
    bytes.push(value as u8);
    bytes
}

pub(super) fn number(field: u64, value: i64) -> Vec<u8> {
    [varint(field * 8), varint(value as u64)].concat()
}

pub(super) fn message(field: u64, fields: &[Vec<u8>]) -> Vec<u8> {
    let body = fields.concat();
    [varint(field * 8 + 2), varint(body.len() as u64), body].concat()
}

pub(super) fn text(field: u64, text: &str) -> Vec<u8> {
    message(field, &[text.as_bytes().to_vec()])
}

/// A packet of SurfaceFlinger's frame timeline.
fn event(at: i64, kind: u64, fields: &[Vec<u8>]) -> Vec<u8> {
    let event = message(76, &[message(kind, fields)]);
    message(1, &[number(8, at + SLEPT), number(58, 6), event, number(10, 4)])
}

/// The packets of a frame that was promised for one vsync and shown at another: four starts and their ends.
pub(super) fn frame(token: i64, promised: i64, shown: i64) -> [Vec<u8>; 8] {
    let (due, vsync) = (ZERO + promised * P, ZERO + shown * P);
    let (begin, deadline, late) = (vsync - COMPOSED, due - COMPOSED, shown > promised);
    let display_token = 100_000 + token;
    let cookie = |nth: i64| number(1, token * 4 + 1_000 + nth);
    let whose = || [number(4, APP), text(5, "TX - com.shop/com.shop.Main#77")].concat();
    let tokens = || [number(2, token), number(3, display_token)].concat();
    let composed = || [number(2, display_token), number(3, SURFACEFLINGER)].concat();
    let told = |first: u64, late: bool| {
        let (present, bits) = if late { (2, 64) } else { (1, 1) };
        let (finish, gpu) = (number(first + 1, i64::from(!late)), number(first + 4, 1));
        [number(first, present), finish, number(first + 3, bits), gpu].concat()
    };
    let end = |nth: i64, at: i64| event(at, 5, &[cookie(nth)]);
    [
        event(deadline - P, 3, &[cookie(2), tokens(), whose()]),
        end(2, deadline),
        event(deadline - P + 900_000, 4, &[cookie(3), tokens(), whose(), told(6, late), number(11, 1)]),
        end(3, begin - 1_000_000),
        event(begin, 1, &[cookie(0), composed()]),
        end(0, vsync),
        event(begin + 500, 2, &[cookie(1), composed(), told(4, false)]),
        end(1, vsync + FENCE),
    ]
}

/// A trace of frames: for which vsync each was promised, and at which it was shown.
fn trace(frames: &[(i64, i64)]) -> Vec<u8> {
    let clock = |id: i64, value: i64| message(1, &[number(1, id), number(2, value)]);
    let clocks = [clock(6, ZERO + SLEPT), clock(3, ZERO), clock(1, ZERO + SLEPT + 7), clock(5, ZERO + SLEPT)];
    let process = |pid: i64, name: &str| message(1, &[number(1, pid), text(3, name)]);
    let processes = [process(APP, "com.shop"), process(SURFACEFLINGER, "/system/bin/surfaceflinger")];
    let mut packets = vec![
        message(1, &[message(6, &clocks), number(10, 1)]),
        message(1, &[message(2, &processes), number(10, 5)]),
    ];
    for (token, (promised, shown)) in (1..).zip(frames) {
        packets.extend(frame(token, *promised, *shown));
    }
    packets.concat()
}

/// Two bursts of 60 frames each on a panel of 120 Hz, 96 vsyncs (800 ms) apart; the first frame of the second burst was
/// promised for this vsync.
fn bursts(promised: i64) -> Vec<u8> {
    let in_time = |vsync: i64| (vsync, vsync);
    let (first, second) = ((0..60).map(in_time), (156..215).map(in_time));
    let frames: Vec<(i64, i64)> = first.chain([(promised, 155)]).chain(second).collect();
    trace(&frames)
}

fn analyzed(folder: &Path, trace: &[u8], args: &[&str]) -> Value {
    std::fs::write(folder.join("a.perfetto-trace"), trace).expect("a file");
    let all: Vec<&str> =
        ["analyze", "--format", "json"].iter().chain(args).copied().chain(["a.perfetto-trace"]).collect();
    let ended = run(folder, &all);
    assert_eq!(ended.code, 0, "{}", ended.err);
    serde_json::from_str(&ended.out).expect("JSON and nothing else")
}

/// Frozen frames, hitch time and the longest frame in ms, and fps.
fn told(answer: &Value) -> [f64; 4] {
    ["frozen_frames", "hitch_ms", "max_ms", "fps"].map(|key| {
        answer["metrics"][key]["value"].as_f64().unwrap_or_else(|| panic!("{}", answer["metrics"][key]))
    })
}

#[test]
fn a_rest_in_a_trace_is_no_stall_and_a_stall_of_the_same_length_is_found_at_its_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let held = format!("{}..{}:finger", ZERO + FENCE, ZERO + 214 * P + FENCE);
    for window in [&[][..], &["--window", &held]] {
        // Both were shown at the same instants; only what was promised tells them apart.
        let [frozen, hitch, longest, fps] = told(&analyzed(folder.path(), &bursts(155), window));
        assert_eq!((frozen, hitch), (0.0, 0.0), "{window:?}");
        assert!(longest < 8.5 && (fps - 120.0).abs() < 1.0, "{window:?}: {longest} ms, {fps} fps");
        let [frozen, hitch, longest, fps] = told(&analyzed(folder.path(), &bursts(60), window));
        assert_eq!(frozen, 1.0, "{window:?}");
        assert!((hitch - 95.0 * 8.333_333).abs() < 3.0, "{window:?}: {hitch} ms");
        assert!((longest - 800.0).abs() < 1.0 && fps < 80.0, "{window:?}: {longest} ms, {fps} fps");
        // It rested for 300 ms before it was asked for a frame.
        let [frozen, hitch, longest, _] = told(&analyzed(folder.path(), &bursts(95), window));
        assert!((hitch - 60.0 * 8.333_333).abs() < 3.0, "{window:?}: {hitch} ms");
        assert!(frozen == 0.0 && (longest - 61.0 * 8.333_333).abs() < 1.0, "{window:?}: {longest} ms");
    }
}
