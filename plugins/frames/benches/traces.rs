//! How fast traces are read. Most of a trace is other things; what matters is how fast those are passed over.

use divan::{Bencher, counter::BytesCount};
use farmjank_frames::frametimeline::{TraceReader, read_trace};
use farmjank_frames::ftrace::FtraceReader;
use scene::kernel;
use scene::trace::{frame, frame_and_noise};

mod scene;

fn main() {
    divan::main();
}

/// A trace of this many MB, mostly other packets.
fn trace(mb: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity((mb + 1) << 20);
    (0..)
        .take_while(|nth| {
            frame_and_noise(*nth, &mut out);
            out.len() < mb << 20
        })
        .for_each(drop);
    out
}

#[divan::bench(sample_count = 10)]
fn whole(bencher: Bencher) {
    let trace = trace(97);
    bencher.counter(BytesCount::of_slice(&trace)).bench(|| read_trace(divan::black_box(&trace)));
}

#[divan::bench(sample_count = 10)]
fn in_pieces(bencher: Bencher) {
    let trace = trace(97);
    bencher.counter(BytesCount::of_slice(&trace)).bench(|| {
        let mut reader = TraceReader::default();
        trace.chunks(64 * 1024).for_each(|piece| reader.feed(divan::black_box(piece)));
        reader.finish()
    });
}

/// Frame timeline and nothing else: what a trace of our own holds.
#[divan::bench(sample_count = 10)]
fn frames_alone(bencher: Bencher) {
    let mut trace = Vec::new();
    (0..20_000).for_each(|nth| frame(nth, &mut trace));
    bencher.counter(BytesCount::of_slice(&trace)).bench(|| read_trace(divan::black_box(&trace)));
}

/// Threads and slices, in the mix of a busy phone: twice as many bytes of marks as of switches.
#[divan::bench(sample_count = 10)]
fn threads(bencher: Bencher) {
    let mut trace = Vec::new();
    (0..12_000).for_each(|nth| kernel::bundle(nth, &mut trace));
    bencher.counter(BytesCount::of_slice(&trace)).bench(|| {
        let (mut facts, mut reader) = (0_u64, FtraceReader::default());
        let pieces = trace.chunks(64 * 1024);
        pieces.for_each(|piece| reader.feed(divan::black_box(piece), &mut |_, _| facts += 1));
        reader.finish(&mut |_, _| facts += 1).map(|_| facts)
    });
}
