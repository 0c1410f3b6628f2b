//! Recordings of call stacks, read: those made here by the format, method traces, hostile ones, and those of a real
//! simpleperf.

mod art;
mod hostile;
mod real;

use farmjank_causes::stacks::{Call, Recording, Seen};
use farmjank_frames::stacks::{Unread, is_recording, read, retrace};
use farmjank_witnesses::simpleperf::{DEX, ELF, PerfFile};

const APP: i32 = 700;
const MS: u64 = 1_000_000;

/// An app whose main thread decodes, then waits for the network.
fn shop(off_cpu: bool) -> PerfFile {
    let mut file = PerfFile::of("com.shop.market", off_cpu);
    file.comm(APP, "com.shop.market");
    file.map(APP, 0x7000_0000, 0x10000, "/data/app/com.shop/base.apk");
    file.map(APP, 0x7100_0000, 0x10000, "/data/app/com.shop/lib/arm64/libshop.so");
    file.symbols(
        "/data/app/com.shop/base.apk",
        DEX,
        &[
            (0x100, 0x100, "a.b.a"),
            (0x200, 0x80, "a.b.b"),
            (0x300, 0x10, "android.os.MessageQueue.nativePollOnce"),
        ],
    );
    file.symbols("/data/app/com.shop/lib/arm64/libshop.so", ELF, &[(0x40, 0x40, "decode_thumb")]);
    file.ran(APP, APP, 10 * MS, MS, &[0x7100_0050, 0x7000_0110, 0x7000_0210]);
    file.ran(APP, APP + 1, 11 * MS, MS, &[0x7100_0050]);
    file.left(APP, APP, 12 * MS, &[0x7000_0210]);
    file.back(APP, 90 * MS);
    file.lost(3);
    file
}

fn stack(recording: &Recording, nth: usize) -> Vec<Call> {
    let sample = recording.mains[&APP].samples[nth];
    recording.calls(sample.stack.expect("a stack")).cloned().collect()
}

#[test]
fn a_perf_data_file_is_read_by_its_events_maps_and_symbols_and_other_threads_are_left_out() {
    let recording = read(&shop(true).written()).expect("a recording");
    assert_eq!(
        (recording.app.as_deref(), recording.off_cpu, recording.lost),
        (Some("com.shop.market"), true, 3)
    );
    let main = &recording.mains[&APP];
    let seen: Vec<_> = main.samples.iter().map(|sample| (sample.at, sample.seen)).collect();
    let ns = 1_000_000;
    assert_eq!(seen, [(10 * ns, Seen::Ran(Some(ns))), (12 * ns, Seen::Left), (90 * ns, Seen::Back)]);
    let names: Vec<String> = stack(&recording, 0).into_iter().map(|call| call.name).collect();
    assert_eq!(names, ["decode_thumb", "a.b.a", "a.b.b"]);
    assert_eq!(stack(&recording, 1)[0].file, "/data/app/com.shop/base.apk");
}

#[test]
fn names_of_the_source_come_from_the_mapping_of_the_build() {
    let mut recording = read(&shop(true).written()).expect("a recording");
    let mapping = "com.shop.Feed -> a.b:\n    1:1:void bind(int):4:4 -> a\n    2:2:void load():9:9 -> b\n";
    assert_eq!(retrace(&mut recording, mapping), 1);
    let names: Vec<String> = stack(&recording, 0).into_iter().map(|call| call.name).collect();
    assert_eq!(names, ["decode_thumb", "com.shop.Feed.bind", "com.shop.Feed.load"]);
    assert_eq!(retrace(&mut recording, "com.other.App -> x.y:\n"), 0);
}

#[test]
fn what_is_no_recording_or_holds_no_main_thread_is_told_apart() {
    assert!(is_recording(&shop(true).written()) && is_recording(b"SIMPLEPERF\x01\0"));
    assert!(!is_recording(b"\x0a\x10") && !is_recording(b"PERF"));
    let mut other = PerfFile::of("com.shop", true);
    other.ran(APP, APP + 1, MS, MS, &[0x10]);
    assert_eq!(read(&other.written()).expect_err("no main thread"), Unread::Empty);
    let newer = [b"SIMPLEPERF".as_slice(), &[2, 0], &[0; 4]].concat();
    assert!(matches!(read(&newer), Err(Unread::Unknown(_))));
    let whole = shop(true).written();
    assert!(matches!(read(&whole[..600]), Err(Unread::Damaged(_))));
}

#[test]
fn who_looks_for_frames_in_call_stacks_is_told_who_reads_those() {
    let issue = br#"{"tag":"Trace_EvilMethod","cost":720}"#;
    for (bytes, words) in [
        (shop(true).written(), "a recording of call stacks: `farmjank causes FILE`"),
        (issue.to_vec(), "issues of the Matrix library: `farmjank causes FILE`"),
    ] {
        let why = farmjank_frames::read_auto(&bytes, None).expect_err("no frames in it").to_string();
        assert!(why.contains(words), "{why}");
    }
}
