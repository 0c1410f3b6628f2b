//! The native half of `ci/bench/`: writes dumps for other tools to read, times this program's own path over the same
//! files, and streams a trace larger than it may keep. Plain text on the standard output, one line per answer.
//!
//! Words: `write FOLDER`, `time FOLDER`, `trace MB`, `windows KIND COUNT` (for a profiler: measures one
//! window that often; kinds are `presents`, `stages`, `unproved`).
//! Without words, as under `cargo bench`: a small one of each. Must not know: other tools.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark reads files and the clock"
)]

use farmjank_frames::frametimeline::TraceReader;
use farmjank_results::metrics::measure_all;
use scene::dumps::{Dump, RATES, Scroll};
use scene::measure::{Measured, framestats_window, latency_window, measured, stamped};
use scene::trace::frame_and_noise;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

mod scene;

/// Seconds of one recording: about ten MB of latency text, sixty of framestats.
const RECORDING: i64 = 600;
/// What begins each dump in a file of many: of framestats its title; a dump of latency ends with an empty line.
const TITLE: &[u8] = b"Applications Graphics Acceleration Info:";
/// Runs of which the fastest is told.
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["write", folder] => write(Path::new(folder), RECORDING),
        ["time", folder] => time(Path::new(folder)),
        ["trace", mb] => trace(mb.parse()?),
        ["windows", kind, count] => windows(kind, count.parse()?),
        [] => {
            let folder = std::env::temp_dir().join(format!("farmjank-throughput-{}", std::process::id()));
            let told = write(&folder, 20).and_then(|()| time(&folder)).and_then(|()| trace(64));
            fs::remove_dir_all(&folder)?;
            told
        }
        _ => Err("say `write FOLDER`, `time FOLDER`, `trace MB` or `windows KIND COUNT`".into()),
    }
}

/// Writes one file per kind and rate, dumps one after another, and tells how many frames each shows.
fn write(folder: &Path, seconds: i64) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    for (nth, hz) in RATES.into_iter().enumerate() {
        let scroll = Scroll::new(hz, seconds, nth as u64);
        for (kind, dumps) in [("latency", scroll.latency()), ("framestats", scroll.framestats())] {
            let whole: String = dumps.iter().map(|dump: &Dump| dump.text.as_str()).collect();
            let name = format!("{kind}-{hz}.txt");
            println!("wrote {name} bytes={} dumps={} frames={}", whole.len(), dumps.len(), scroll.frames());
            fs::write(folder.join(name), whole)?;
        }
    }
    Ok(())
}

/// Reads each file and walks the whole path: cut into dumps, read, stitch, cut, every metric.
fn time(folder: &Path) -> Result<(), Box<dyn Error>> {
    for hz in RATES {
        for kind in ["latency", "framestats"] {
            let path = folder.join(format!("{kind}-{hz}.txt"));
            let mut fastest = f64::INFINITY;
            let (mut bytes, mut frames) = (0, 0);
            for _ in 0..RUNS {
                let begun = Instant::now();
                let text = fs::read(&path)?;
                let Measured { frames: found, readings } = of(kind, &text);
                fastest = fastest.min(begun.elapsed().as_secs_f64());
                (bytes, frames) = (text.len(), found);
                black_box(readings);
            }
            println!("timed {kind}-{hz}.txt bytes={bytes} frames={frames} seconds={fastest:.6}");
        }
    }
    Ok(())
}

fn of(kind: &str, text: &[u8]) -> Measured {
    match kind {
        "latency" => measured(latency_window(pieces(text, b"\n\n", 2).map(|dump| (None, dump)), &[])),
        _ => measured(framestats_window(pieces(text, TITLE, 0).map(|dump| (None, dump)), &[])),
    }
}

/// The text cut `after` bytes behind the beginning of each `mark` but the one it begins with.
fn pieces<'t>(text: &'t [u8], mark: &'t [u8], after: usize) -> impl Iterator<Item = &'t [u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let next = memchr::memmem::find(&rest[1..], mark).map_or(rest.len(), |at| at + 1 + after);
        let piece;
        (piece, rest) = rest.split_at(next);
        Some(piece)
    })
}

/// Streams a trace through the reader, made while it is read: nothing but the reader keeps any of it.
fn trace(mb: usize) -> Result<(), Box<dyn Error>> {
    let mut reader = TraceReader::default();
    let (mut fed, mut nth, mut seconds) = (0, 0, 0.0);
    let mut made = Vec::with_capacity(2 << 20);
    while fed < mb << 20 {
        made.clear();
        while made.len() < 1 << 20 {
            frame_and_noise(nth, &mut made);
            nth += 1;
        }
        let begun = Instant::now();
        made.chunks(64 * 1024).for_each(|piece| reader.feed(black_box(piece)));
        seconds += begun.elapsed().as_secs_f64();
        fed += made.len();
    }
    let begun = Instant::now();
    let read = reader.finish().map_err(|unreadable| format!("{unreadable:?}"))?;
    seconds += begun.elapsed().as_secs_f64();
    black_box(read);
    let rss = peak_kb().map_or_else(|| "unknown".to_owned(), |kb| kb.to_string());
    println!("trace bytes={fed} frames={nth} seconds={seconds:.6} peak_rss_kb={rss}");
    Ok(())
}

/// The most memory this process ever had, kB, where the system tells.
fn peak_kb() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Every metric of one window of ten seconds at 60 Hz, that often.
fn windows(kind: &str, count: usize) -> Result<(), Box<dyn Error>> {
    let scroll = Scroll::new(60, 10, 1);
    let motions = scroll.motions();
    let (_, window) = match kind {
        "presents" => latency_window(stamped(&scroll.latency()), &motions),
        "stages" => framestats_window(stamped(&scroll.framestats()), &motions),
        // Every eighth dump: the ring goes round between them.
        "unproved" => latency_window(stamped(&scroll.latency()).step_by(8), &motions),
        _ => return Err("kinds of windows are `presents`, `stages` and `unproved`".into()),
    };
    let begun = Instant::now();
    for _ in 0..count {
        black_box(measure_all(black_box(&window)));
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("windows of={kind} frames={} count={count} seconds={seconds:.6}", window.intervals.len());
    Ok(())
}
