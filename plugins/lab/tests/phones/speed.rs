//! How fast phones are. Run by hand on an optimised build:
//! `cargo test --release -p farmjank-lab --test phones speed -- --ignored --nocapture`.

use crate::walk::{Walk, phone};
use std::time::Instant;

/// Ten minutes of flings, two seconds each.
fn ten_minutes(walk: &mut Walk) {
    walk.open("shop://feed");
    let up: Vec<String> = "input swipe 540 1800 540 300 250".split(' ').map(str::to_owned).collect();
    while walk.now.ns() < 600_000_000_000 {
        let running = walk.phone.begin(walk.now, &up).unwrap();
        walk.now = walk.now + running.takes;
        walk.phone.finish(walk.now, running);
        walk.wait(1_500);
    }
}

#[test]
#[ignore = "a measurement, not a test"]
fn speed_of_generation_and_printing() {
    for name in ["galaxy-s7", "oneplus-9", "moto-edge-30", "pixel-9-pro"] {
        // The best of several: other work on the machine only ever adds.
        let (mut lived, mut replayed, mut frames) = (f64::MAX, f64::MAX, 0);
        let mut walk = phone(name, 1);
        for _ in 0..7 {
            walk = phone(name, 1);
            let begin = Instant::now();
            ten_minutes(&mut walk);
            lived = lived.min(begin.elapsed().as_nanos() as f64);
            let begin = Instant::now();
            let truth = walk.phone.truth();
            replayed = replayed.min(begin.elapsed().as_nanos() as f64);
            frames = truth.layers.iter().map(|layer| layer.frames.len()).sum();
        }
        let layer = walk.main_layer(".FeedActivity");
        let line: Vec<String> =
            ["dumpsys", "SurfaceFlinger", "--latency", &layer].map(str::to_owned).to_vec();
        let begin = Instant::now();
        let mut bytes = 0;
        for _ in 0..2_000 {
            let running = walk.phone.begin(walk.now, &line).unwrap();
            bytes += walk.phone.finish(walk.now, running).out.len();
        }
        let printed = begin.elapsed() / 2_000;
        println!(
            "{name}: {frames} frames, {:.0} ns each (truth {:.0} ns), a dump of {} bytes in {:.1} us",
            lived / frames as f64,
            replayed / frames as f64,
            bytes / 2_000,
            printed.as_nanos() as f64 / 1e3
        );
    }
}
