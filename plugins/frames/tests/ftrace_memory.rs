//! Memory for the threads of a trace is that of the seconds around the frames not yet looked at, however long it is.
#![allow(unsafe_code, reason = "an allocator hands out raw memory")]

use farmjank_causes::frame::{Blamed, Frame};
use farmjank_causes::inquiry::Inquiry;
use farmjank_frames::ftrace::{FtraceReader, Scan};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[allow(dead_code, reason = "the benchmarks use more of it")]
#[path = "../benches/scene"]
mod scene {
    pub mod kernel;
    pub mod trace;
}

/// Counts what is allocated now, and the most there was.
struct Counted;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does everything; sizes are counted beside it.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(now, Relaxed);
        // SAFETY: what is promised of the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the memory is the system's, with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static MEMORY: Counted = Counted;

/// When the scene's trace begins, ns, and how long its bundles are, all eight CPUs together.
const BEGIN: i64 = 157_479_470_410_065;
const BUNDLES: i64 = 250_000_000;

/// Four frames in time a second, to the end.
fn frames(seconds: i64) -> Vec<Frame> {
    let frame = |nth: i64| {
        let from = BEGIN + 1_000_000_000 + nth * BUNDLES;
        Frame {
            process: 4_242,
            token: nth,
            layer: String::new(),
            from,
            done: from + 10_000_000,
            deadline: None,
            to: from + 30_000_000,
            shown_by: None,
            period: 8_333_333,
            hitch: if nth % 4 == 0 { 8_333_333 } else { 0 },
            blamed: Blamed { app: nth % 4 == 0, ..Blamed::default() },
        }
    };
    (0..4 * (seconds - 2)).map(frame).collect()
}

/// Bytes of a trace of so many seconds, the most memory that reading it and looking at its frames took, and how many
/// frames were late.
fn read(seconds: i64) -> (usize, usize, usize) {
    let frames = frames(seconds);
    let before = NOW.load(Relaxed);
    MOST.store(before, Relaxed);
    let mut inquiry = Inquiry::about(frames);
    let (mut reader, mut size, mut piece) = (FtraceReader::default(), 0, Vec::new());
    for nth in 0..seconds as u64 * 32 {
        piece.clear();
        scene::kernel::bundle(nth, &mut piece);
        size += piece.len();
        reader.feed(&piece, &mut |_, fact| inquiry.take(&fact));
        if let Some(reached) = reader.reached().filter(|reached| inquiry.ready(*reached)) {
            let mut known = inquiry.known();
            reader.all_open(&mut |_, fact| known.take(&fact));
            inquiry.look(known, reached, reader.threads());
        }
    }
    let (_, threads) = reader.finish(&mut |_, fact| inquiry.take(&fact)).expect("a trace of the kernel");
    let found = inquiry.finish(&threads, None);
    (size, MOST.load(Relaxed) - before, found.late.len())
}

/// The most memory that looking for long stretches of main threads took, and how many there were.
fn scanned(seconds: i64) -> (usize, usize) {
    let before = NOW.load(Relaxed);
    MOST.store(before, Relaxed);
    let (mut scan, mut piece) = (Scan::default(), Vec::new());
    for nth in 0..seconds as u64 * 32 {
        piece.clear();
        scene::kernel::bundle(nth, &mut piece);
        scan.feed(&piece);
    }
    let held = scan.finish().busy.held.len();
    (MOST.load(Relaxed) - before, held)
}

#[test]
fn a_trace_five_times_as_long_takes_no_more_memory() {
    let (size, short, few) = read(20);
    let (larger, long, many) = read(100);
    println!("{size} bytes: {short} of memory; {larger} bytes: {long}");
    assert!(larger > 4 * size && many > 4 * few && few > 10, "{size} {larger} {few} {many}");
    // Frames themselves are kept: some kB each.
    let frames = 4 * 80 * 4_000;
    assert!(long < short + short / 5 + frames, "{short} {long}");
    let ((short, _), (long, held)) = (scanned(20), scanned(100));
    println!("to find stalls: {short} of memory; {long}, {held} found");
    assert!(long < short + short / 5 + frames, "{short} {long}");
}
