//! How fast dumps become readings: the whole path, and measuring alone. A hundred MB/s of dump text is the floor.
//!
//! `trial` is what a run does: windows of ten seconds, each stitched and measured by itself. `recording` is what
//! `farmjank analyze` does with one long recording: ten minutes in one window.

use divan::{Bencher, counter::BytesCount};
use farmjank_results::metrics::measure_all;
use scene::dumps::{Dump, RATES, Scroll};
use scene::measure::{framestats_window, latency_window, measured, stamped};

mod scene;

fn main() {
    divan::main();
}

/// Seconds of a window, windows of a trial, seconds of a recording.
const WINDOW: i64 = 10;
const WINDOWS: u64 = 20;
const RECORDING: i64 = 600;

fn size<'d>(dumps: impl IntoIterator<Item = &'d Dump>) -> BytesCount {
    BytesCount::new(dumps.into_iter().map(|dump| dump.text.len()).sum::<usize>())
}

fn trial(hz: i64) -> Vec<Scroll> {
    (0..WINDOWS).map(|seed| Scroll::new(hz, WINDOW, seed)).collect()
}

#[divan::bench(args = RATES)]
fn trial_latency(bencher: Bencher, hz: i64) {
    let windows: Vec<_> = trial(hz).into_iter().map(|scroll| (scroll.latency(), scroll.motions())).collect();
    bencher.counter(size(windows.iter().flat_map(|(dumps, _)| dumps))).bench(|| {
        for (dumps, motions) in &windows {
            divan::black_box(measured(latency_window(stamped(dumps), motions)));
        }
    });
}

#[divan::bench(args = RATES)]
fn trial_framestats(bencher: Bencher, hz: i64) {
    let windows: Vec<_> =
        trial(hz).into_iter().map(|scroll| (scroll.framestats(), scroll.motions())).collect();
    bencher.counter(size(windows.iter().flat_map(|(dumps, _)| dumps))).bench(|| {
        for (dumps, motions) in &windows {
            divan::black_box(measured(framestats_window(stamped(dumps), motions)));
        }
    });
}

#[divan::bench(args = RATES, sample_count = 20)]
fn recording_latency(bencher: Bencher, hz: i64) {
    let dumps = Scroll::new(hz, RECORDING, 7).latency();
    bencher.counter(size(&dumps)).bench(|| measured(latency_window(stamped(&dumps), &[])));
}

#[divan::bench(args = RATES, sample_count = 20)]
fn recording_framestats(bencher: Bencher, hz: i64) {
    let dumps = Scroll::new(hz, RECORDING, 7).framestats();
    bencher.counter(size(&dumps)).bench(|| measured(framestats_window(stamped(&dumps), &[])));
}

/// Every metric of one window of 500 to 1400 frames, nothing beside it.
#[divan::bench(args = RATES)]
fn window_of_presents(bencher: Bencher, hz: i64) {
    let scroll = Scroll::new(hz, WINDOW, 1);
    let (_, window) = latency_window(stamped(&scroll.latency()), &scroll.motions());
    bencher.bench_local(|| measure_all(divan::black_box(&window)));
}

/// The same with render stages.
#[divan::bench(args = RATES)]
fn window_of_stages(bencher: Bencher, hz: i64) {
    let scroll = Scroll::new(hz, WINDOW, 1);
    let (_, window) = framestats_window(stamped(&scroll.framestats()), &scroll.motions());
    bencher.bench_local(|| measure_all(divan::black_box(&window)));
}
