//! How fast dumps are cut and read. The simulation reads gigabytes: latency text is to pass at 200 MB/s or more.

use divan::{Bencher, counter::BytesCount};
use farmjank_frames::gfxinfo::read_framestats;
use farmjank_frames::surfaceflinger::read_latency;
use std::fmt::Write;

fn main() {
    divan::main();
}

/// A full ring at 120 Hz, as the classic engine prints it.
fn latency() -> String {
    let mut text = "8333333\n".to_owned();
    for nth in 0..127_i64 {
        let at = 314_856_700_213_169 + nth * 8_333_333;
        let _ = writeln!(text, "{}\t{at}\t{}", at - 12_000_000, at - 8_000_000);
    }
    text + "\n"
}

/// A full ring with the 23 columns of Android 13.
fn framestats() -> String {
    let names = "Flags,FrameTimelineVsyncId,IntendedVsync,Vsync,InputEventId,HandleInputStart,AnimationStart,\
                 PerformTraversalsStart,DrawStart,FrameDeadline,FrameInterval,FrameStartTime,SyncQueued,SyncStart,\
                 IssueDrawCommandsStart,SwapBuffers,FrameCompleted,DequeueBufferDuration,QueueBufferDuration,\
                 GpuCompleted,SwapBuffersCompleted,DisplayPresentTime,CommandSubmissionCompleted,";
    let mut text = format!("Uptime: 314859701 Realtime: 1420190210\n---PROFILEDATA---\n{names}\n");
    for nth in 0..120_i64 {
        let at = |stage: i64| 314_856_700_213_169 + nth * 8_333_333 + stage * 300_000;
        let _ = writeln!(
            text,
            "0,{nth},{},{},0,{},{},{},{},{},{},8333333,{},{},{},{},{},1,1,{},{},{},{},",
            at(0),
            at(1),
            at(2),
            at(3),
            at(4),
            at(5),
            at(40),
            at(2),
            at(6),
            at(7),
            at(8),
            at(9),
            at(12),
            at(11),
            at(10),
            at(50),
            at(9),
        );
    }
    text + "---PROFILEDATA---\n"
}

#[divan::bench]
fn latency_text(bencher: Bencher) {
    let text = latency();
    bencher.counter(BytesCount::of_str(&text)).bench(|| read_latency(divan::black_box(text.as_bytes())));
}

#[divan::bench]
fn framestats_text(bencher: Bencher) {
    let text = framestats();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| read_framestats(divan::black_box(text.as_bytes()), None));
}
