//! What a trace says of single frames.

use super::writer::*;
use farmjank_frames::frametimeline::{Trace, read_trace};
use farmjank_results::frame_timeline::{JankOwner, PresentType, Severity, SurfaceFrame, SurfaceFrames, jank};
use farmjank_results::time::{DeviceTime, Span};
use farmjank_seams::source::Unreadable;

pub fn read(packets: &[Vec<u8>]) -> Trace {
    read_trace(&packets.concat()).expect("a trace")
}

/// The app of a trace.
pub fn app(packets: &[Vec<u8>]) -> SurfaceFrames {
    read(packets).by_name().remove("com.shop").expect("the app is in it")
}

fn at(ns: i64) -> DeviceTime {
    DeviceTime::from_ns(ns)
}

#[test]
fn a_frame_in_time_is_read_with_all_its_times_on_the_clock_of_frames() {
    let frame = Frame::in_time(7);
    let frame_timeline = app(&session(&[frame]));
    let expected = SurfaceFrame {
        token: 7,
        display_token: Some(100_007),
        pid: 4242,
        layer: LAYER.into(),
        expected_start: Some(at(frame.due() - SF - 2 * P)),
        expected_end: Some(at(frame.due() - SF)),
        actual_start: at(frame.due() - SF - 2 * P + 900_000),
        actual_end: at(frame.due() - SF - 1_000_000),
        expected_present: Some(at(frame.due())),
        present: Some(at(frame.due() + 70_000)),
        present_type: PresentType::OnTime,
        on_time_finish: true,
        jank: jank::NONE,
        display_jank: jank::NONE,
        prediction: farmjank_results::frame_timeline::Prediction::Valid,
        is_buffer: true,
        severity: Severity::Unknown,
        first_draw: false,
    };
    assert_eq!(frame_timeline.frames, [expected]);
    assert_eq!(
        (frame_timeline.lost.len(), frame_timeline.lost_at.len(), frame_timeline.unfinished),
        (0, 0, 0)
    );
    assert_eq!(frame_timeline.doubts, Vec::<String>::new());
    assert_eq!(read(&session(&[frame])).offset, Some(Span::from_ns(OFFSET)));
}

#[test]
fn a_missed_turn_is_late_although_its_display_frame_is_in_time() {
    for missed in 1..4 {
        let frames: Vec<Frame> = (0..40)
            .filter(|token| !(20 - 1 < *token && *token < 20 + 1 + missed))
            .map(Frame::in_time)
            .chain([Frame { app: missed, ..Frame::in_time(20) }])
            .collect();
        let frame_timeline = app(&session(&frames));
        let late = frame_timeline.frames.iter().find(|frame| frame.token == 20).expect("it is there");
        assert_eq!(late.expected_present, Some(at(ZERO + 20 * P)), "{missed}");
        assert_eq!(late.present, Some(at(ZERO + (20 + missed) * P + 70_000)));
        assert_eq!((late.jank, late.display_jank), (jank::APP_DEADLINE, jank::NONE));
        assert_eq!(frame_timeline.period, Some(Span::from_ns(P)));
        let shares = frame_timeline.shares(Span::from_ns(P));
        assert_eq!(
            (shares[&JankOwner::App].frames, shares[&JankOwner::App].hitch),
            (1, Span::from_ns(missed * P))
        );
    }
}

#[test]
fn a_late_display_frame_makes_its_frame_late_by_as_much() {
    let mut frames: Vec<Frame> = (0..40).filter(|token| *token != 21).map(Frame::in_time).collect();
    frames[20].sf = 1;
    let frame_timeline = app(&session(&frames));
    let late = &frame_timeline.frames[20];
    assert_eq!(
        (late.expected_present, late.present),
        (Some(at(ZERO + 20 * P)), Some(at(ZERO + 21 * P + 70_000)))
    );
    assert_eq!((late.jank, late.display_jank), (jank::SF_CPU, jank::SF_CPU));
    assert_eq!(frame_timeline.shares(Span::from_ns(P))[&JankOwner::Compositor].hitch, Span::from_ns(P));
}

#[test]
fn a_dropped_frame_has_no_present() {
    let frames = [Frame::in_time(1), Frame { dropped: true, ..Frame::in_time(2) }, Frame::in_time(3)];
    let frame_timeline = app(&session(&frames));
    let dropped = frame_timeline.frames.iter().find(|frame| frame.token == 2).expect("it is there");
    assert_eq!((dropped.present, dropped.present_type), (None, PresentType::Dropped));
    assert_eq!(dropped.actual_end, at(ZERO + 2 * P - SF - 1_000_000));
    assert_eq!((dropped.display_token, frame_timeline.lost_at.len()), (None, 0));
}

#[test]
fn newer_releases_tell_severity_and_delay() {
    let frame = Frame { app: 1, ..Frame::in_time(5) };
    let mut packets = session(&[frame]);
    let whose = [number(4, APP), bytes(5, format!("TX - {LAYER}").as_bytes())].concat();
    let ours = [number(1, 1_023), number(2, 5), number(3, frame.display_token())].concat();
    let told =
        [number(6, 2), number(9, 64), number(10, 1), number(11, 0), number(12, 3), float(13, 25.0)].concat();
    packets[8] = event(frame.due() - SF, 4, &[ours, whose, told].concat());
    let frame_timeline = app(&packets);
    let frame = &frame_timeline.frames[0];
    assert_eq!((frame.severity, frame.is_buffer), (Severity::Full, false));
    assert_eq!(
        frame.present.zip(frame.expected_present).map(|(present, due)| (present - due).ms()),
        Some(25.0)
    );
}

#[test]
fn a_process_without_a_name_is_named_by_its_layer() {
    let mut packets = session(&[Frame::in_time(1)]);
    packets.remove(1);
    assert_eq!(read(&packets).by_name().keys().collect::<Vec<_>>(), ["com.shop"]);
}

#[test]
fn a_process_caught_while_it_was_born_is_named_by_its_layer() {
    let mut packets = session(&[Frame::in_time(1)]);
    packets[1] = packet(&[bytes(2, &bytes(1, &[number(1, APP), bytes(3, b"zygote64")].concat()))]);
    assert_eq!(read(&packets).by_name().keys().collect::<Vec<_>>(), ["com.shop"]);
}

#[test]
fn the_first_draw_of_a_window_opened_meanwhile_is_marked() {
    // The scan found the app: its window was there before.
    assert!(!app(&session(&[Frame::in_time(1)])).frames[0].first_draw);
    // Another window of it may have been quiet until now: nobody knows that it was opened meanwhile.
    let other = Frame::in_time(2).packets();
    let name = LAYER.as_bytes();
    let renamed = |packet: &Vec<u8>| match packet.windows(name.len()).position(|bytes| bytes == name) {
        Some(at) => [&packet[..at + name.len() - 1], b"8", &packet[at + name.len()..]].concat(),
        None => packet.clone(),
    };
    let two = [session(&[Frame::in_time(1)]), other.iter().map(renamed).collect()].concat();
    let frames = app(&two).frames;
    assert!(frames[0].layer != frames[1].layer && frames.iter().all(|frame| !frame.first_draw));
    // The app was started after the scan.
    let mut packets = session(&[Frame::in_time(1), Frame::in_time(2)]);
    let others =
        (1..30).map(|pid| bytes(1, &[number(1, pid), bytes(3, b"other")].concat())).collect::<Vec<_>>();
    packets[1] = packet(&[bytes(2, &others.concat())]);
    let drawn: Vec<bool> = app(&packets).frames.iter().map(|frame| frame.first_draw).collect();
    assert_eq!(drawn, [true, false]);
}

#[test]
fn what_is_no_trace_and_what_holds_no_frames_is_refused_in_words() {
    let why = |bytes: &[u8]| read_trace(bytes).expect_err("no trace");
    assert!(matches!(why(b""), Unreadable::Garbled(_)));
    assert!(matches!(why(b"Cannot open /data/misc/perfetto-traces/x"), Unreadable::Garbled(_)));
    let empty = [usual_clocks(ZERO), tree(), foreign(ZERO, 100)].concat();
    assert!(
        matches!(why(&empty), Unreadable::Empty(words) if words.contains("android.surfaceflinger.frametimeline"))
    );
}

/// Replaces field 2, the token, of a surface event's body.
fn without_token(frame: &Frame) -> Vec<u8> {
    let whose = [number(4, APP), bytes(5, format!("TX - SurfaceView[{LAYER}](BLAST)#9").as_bytes())].concat();
    let ours = [number(1, frame.token * 4 + 1_003), number(3, frame.display_token())].concat();
    let told = [number(6, 5), number(9, 0), number(10, 3), number(11, 1)].concat();
    event(frame.due() - SF - P, 4, &[ours, whose, told].concat())
}

#[test]
fn frames_without_a_token_stay_apart() {
    let frames: Vec<Frame> = (0..5).map(Frame::in_time).collect();
    let mut packets = session(&frames);
    for (nth, frame) in frames.iter().enumerate() {
        packets[2 + 8 * nth + 6] = without_token(frame);
    }
    let frame_timeline = app(&packets);
    assert_eq!((frame_timeline.frames.len(), frame_timeline.joints().len()), (5, 5));
    assert!(
        frame_timeline
            .frames
            .iter()
            .all(|frame| frame.token < 0 && frame.present.is_some() && frame.jank == 0)
    );
}

#[test]
fn a_frame_whose_prediction_expired_was_expected_at_no_known_time() {
    let frame = Frame::in_time(9);
    let mut packets = session(&[Frame::in_time(1), frame]);
    let whose = [number(4, APP), bytes(5, format!("TX - {LAYER}").as_bytes())].concat();
    let ours = [number(1, 1_039), number(2, 9), number(3, frame.display_token())].concat();
    let told = [number(6, 5), number(9, 64), number(10, 2), number(11, 1)].concat();
    packets[2 + 8 + 6] = event(frame.due() - SF - 2_000_000, 4, &[ours, whose, told].concat());
    packets.drain(2 + 8 + 4..2 + 8 + 6);
    let frame_timeline = app(&packets);
    assert_eq!(
        (frame_timeline.frames[1].expected_present, frame_timeline.frames[1].present.is_some()),
        (None, true)
    );
    // Seven vsyncs without a frame where one was due at each.
    assert_eq!(frame_timeline.shares(Span::from_ns(P))[&JankOwner::App].hitch, Span::from_ns(7 * P));
}
