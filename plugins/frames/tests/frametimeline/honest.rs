//! What a trace may not hold: losses, cuts, clocks, and the stretch it speaks for.

use super::told::{app, read};
use super::writer::*;
use farmjank_frames::frametimeline::read_trace;
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::time::DeviceTime;

fn at(ns: i64) -> DeviceTime {
    DeviceTime::from_ns(ns)
}

fn doubts(packets: &[Vec<u8>], from: i64, to: i64) -> String {
    let motion = Motion { from: at(from), to: at(to), phase: Phase::Finger, touch: None };
    app(packets).within(&[motion]).doubts.join(" / ")
}

fn forty() -> Vec<Frame> {
    (0..40).map(Frame::in_time).collect()
}

#[test]
fn a_trace_speaks_from_its_start_to_its_last_clock_snapshot() {
    let mut packets = session(&forty());
    // Nothing but frames: from the first present to the last.
    let present = |token: i64| at(ZERO + token * P + 70_000);
    assert_eq!(app(&packets).span, Some((present(0), present(39))));
    // The service tells when it was ready and when it ended, a second of rest on both sides.
    packets.insert(2, started(ZERO - 1_000_000_000));
    packets.extend([usual_clocks(ZERO + 2_000_000_000), foreign(ZERO + 2_500_000_000, 3), totals(0)]);
    assert_eq!(app(&packets).span, Some((at(ZERO - 1_000_000_000), at(ZERO + 2_000_000_000))));
    assert_eq!(doubts(&packets, ZERO - 1_000_000_000, ZERO + 2_000_000_000), "");
    assert_ne!(doubts(&packets, ZERO - 1_000_000_001, ZERO + 2_000_000_000), "");
    assert_ne!(doubts(&packets, ZERO - 1_000_000_000, ZERO + 2_000_000_001), "");
    // Every frame is told up to the last one that is, and no later.
    assert_eq!(app(&packets).told_to, Some(present(39)));
    // Old services make no snapshot at the end, and say when it was: the totals come last.
    let totals_at = packets.len() - 1;
    packets.insert(totals_at, ended(ZERO + 3_000_000_000));
    assert_eq!(app(&packets).span.map(|span| span.1), Some(at(ZERO + 3_000_000_000)));
    // Its beginning was overwritten: only what is left counts.
    *packets.last_mut().expect("the totals") = totals(1);
    assert_eq!(app(&packets).span.map(|span| span.0), Some(present(0)));
}

#[test]
fn the_flag_of_a_lost_packet_is_a_loss_where_its_writer_wrote_before() {
    let frames = forty();
    let mut packets = session(&frames);
    let flag = number(42, 1);
    let flagged = |packet: &[u8]| {
        let body = &packet[packet.iter().take_while(|byte| **byte != 8 * 8).count()..];
        bytes(1, &[flag.clone(), body.to_vec()].concat())
    };
    // Every writer's first packet has the flag.
    packets[2] = flagged(&packets[2]);
    assert_eq!(app(&packets).lost, []);
    let middle = 2 + 8 * 20;
    packets[middle] = flagged(&packets[middle]);
    let frame_timeline = app(&packets);
    let (before, after) = (ZERO + 19 * P - SF - 1_000_000, ZERO + 20 * P - SF);
    assert_eq!(frame_timeline.lost, [(at(before), at(after))]);
    assert!(doubts(&packets, ZERO + P, ZERO + 39 * P).contains("lost"));
    assert_eq!(doubts(&packets, ZERO + P, ZERO + 17 * P), "");
    // Another writer's losses are not ours.
    let mut packets = session(&frames);
    packets.insert(9, foreign(ZERO, 5));
    packets.insert(30, bytes(1, &[flag, number(8, ZERO + OFFSET), number(10, 3)].concat()));
    assert_eq!(app(&packets).lost, []);
}

#[test]
fn halves_without_their_other_half_are_dropped_and_counted() {
    let mut packets = session(&forty());
    // The end of a surface frame, and the whole display frame of another.
    packets.remove(2 + 8 * 30 + 7);
    packets.drain(2 + 8 * 10..2 + 8 * 10 + 4);
    let frame_timeline = app(&packets);
    assert_eq!((frame_timeline.frames.len(), frame_timeline.unfinished), (39, 1));
    let lone = frame_timeline.frames.iter().find(|frame| frame.token == 10).expect("kept");
    assert_eq!((lone.present, frame_timeline.lost_at.as_slice()), (None, &[lone.actual_end][..]));
    assert!(doubts(&packets, ZERO + P, ZERO + 39 * P).contains("lost"));
}

#[test]
fn a_last_packet_that_was_not_handed_over_leaves_its_display_frame_untold() {
    let present = |token: i64| at(ZERO + token * P + 70_000);
    let mut packets = session(&forty());
    packets.extend([usual_clocks(ZERO + 2_000_000_000), totals(0)]);
    // The end of the last surface frame.
    packets.remove(2 + 8 * 40 - 1);
    let frame_timeline = app(&packets);
    assert_eq!((frame_timeline.frames.len(), frame_timeline.told_to), (39, Some(present(38))));
    assert_eq!(
        (frame_timeline.span.map(|span| span.1), frame_timeline.lost_at.len()),
        (Some(at(ZERO + 2_000_000_000)), 0)
    );
    assert_eq!(doubts(&packets, ZERO + P, ZERO + 1_000_000_000), "");
    // One of the middle leaves its own display frame alone.
    let mut packets = session(&forty());
    packets.remove(2 + 8 * 30 - 1);
    assert_eq!(app(&packets).told_to, Some(present(39)));
}

#[test]
fn frames_written_twice_are_one_and_what_was_shown_wins() {
    let mut packets = session(&forty());
    let twice: Vec<_> = packets[2..].to_vec();
    packets.extend(twice);
    assert_eq!(app(&packets).frames, app(&session(&forty())).frames);
}

#[test]
fn each_clock_is_turned_by_the_nearest_snapshot() {
    let frame = Frame::in_time(3);
    // The phone slept an hour between two snapshots.
    let hour = 3_600_000_000_000;
    let mut packets = session(&[frame]);
    packets.push(snapshot(&[(6, ZERO + hour + OFFSET + hour), (3, ZERO + hour)]));
    assert_eq!(app(&packets).frames[0].present, Some(at(frame.present())));
    // Snapshots after all frames turn them too.
    packets.rotate_left(1);
    assert_eq!(app(&packets).frames[0].present, Some(at(frame.present())));
    // And without any, the times stay as they are, which is said.
    let bare: Vec<_> = session(&[frame])[1..].to_vec();
    let frame_timeline = app(&bare);
    assert_eq!(frame_timeline.frames[0].present, Some(at(frame.present() + OFFSET)));
    assert!(frame_timeline.doubts[0].contains("clock"), "{:?}", frame_timeline.doubts);
}

#[test]
fn stamps_without_a_clock_are_of_their_writers_default() {
    let body = |field: u64, cookie: i64| bytes(76, &bytes(field, &number(1, cookie)));
    let display = [number(1, 9), number(2, 5), number(6, 1)].concat();
    let start = |clock: Option<i64>, stamp: i64| {
        let mut fields = vec![number(8, stamp), bytes(76, &bytes(2, &display)), number(10, 8)];
        fields.extend(clock.map(|clock| number(58, clock)));
        packet(&fields)
    };
    let defaults = |clock: i64| packet(&[bytes(59, &number(58, clock)), number(10, 8)]);
    let end = packet(&[number(8, ZERO + 10), body(5, 9), number(10, 8)]);
    let present = |packets: &[Vec<u8>]| {
        let span = read(packets).processes;
        assert!(span.is_empty());
        let frame = Frame { token: 1, ..Frame::in_time(1) };
        let with_app = [packets.to_vec(), frame.packets()].concat();
        app(&with_app).span.map(|span| span.0.ns())
    };
    // CLOCK_MONOTONIC by default: the display frame was shown before all others.
    let packets = [usual_clocks(ZERO), tree(), defaults(3), start(None, ZERO), end.clone()];
    assert_eq!(present(&packets), Some(ZERO + 10));
    // BOOTTIME where nothing is said: seventeen hours earlier.
    let packets = [usual_clocks(ZERO), tree(), start(None, ZERO), end];
    assert_eq!(present(&packets), Some(ZERO + 10 - OFFSET));
}

#[test]
fn incremental_clocks_step_on_within_their_writer() {
    let own = [number(1, 64), number(2, 0), number(3, 1), number(4, 1_000)].concat();
    let base = |id: i64, value: i64| bytes(1, &[number(1, id), number(2, value)].concat());
    let clocks = [base(6, ZERO + OFFSET), base(3, ZERO), bytes(1, &own)].concat();
    let snapshot = packet(&[bytes(6, &clocks), number(10, 8)]);
    let defaults = packet(&[bytes(59, &number(58, 64)), number(10, 8)]);
    let display = [number(1, 9), number(2, 5), number(6, 1)].concat();
    // 5 µs on, then 7 µs more.
    let start = packet(&[number(8, 5), bytes(76, &bytes(2, &display)), number(10, 8)]);
    let end = packet(&[number(8, 7), bytes(76, &bytes(5, &number(1, 9))), number(10, 8)]);
    let frame = Frame::in_time(1).packets();
    let trace = app(&[vec![snapshot, defaults, start, end], frame].concat());
    assert_eq!(trace.span.map(|span| span.0), Some(at(ZERO + 12_000)));
}

#[test]
fn a_damaged_run_is_counted_and_doubted() {
    let packets = session(&forty());
    let whole = zlib(&packets[2..]);
    let broken = [&whole[..whole.len() - 40], &[0; 40]].concat();
    let bytes = [packets[0].clone(), packets[1].clone(), broken].concat();
    let trace = read_trace(&bytes).expect("a part of it");
    assert!(trace.unreadable > 0);
    let frame_timeline = trace.by_name().remove("com.shop").expect("the part shows the app");
    assert!(!frame_timeline.frames.is_empty() && frame_timeline.frames.len() < 40);
    assert!(frame_timeline.doubts[0].contains("could not be opened"), "{:?}", frame_timeline.doubts);
}

#[test]
fn compressed_bombs_open_to_no_more_than_a_trace_of_their_size_does() {
    let rest = vec![foreign(ZERO, 1 << 20); 15];
    let mut trace: Vec<u8> = session(&forty()).concat();
    trace.extend(vec![zlib(&rest); 40].concat());
    let frames = read_trace(&session(&forty()).concat()).expect("frames").packets;
    let told = read_trace(&trace).expect("the frames are still there");
    let opened = (told.packets - frames) << 20;
    assert!(opened <= 64 * trace.len() as u64 + (1 << 20), "{opened} of {}", trace.len());
    let whole = (told.packets - frames) / 15;
    assert!(told.unreadable >= 25, "most bombs stay shut: {}", told.unreadable);
    assert!(told.unreadable + whole >= 39, "what was not opened is told: {} beside {whole}", told.unreadable);
}
