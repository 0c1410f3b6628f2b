//! How fast phones live and print. `cargo bench -p farmjank-lab --bench phones`.
//!
//! Wanted: at most 100 ns per frame (items of `life` and `truth`), at most 15 µs for a dump of 127 rows.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use farmjank_lab::phone::{LabTime, Phone};
use farmjank_lab::spec::PhoneSpec;

const MODELS: [&str; 4] = ["galaxy-s7", "oneplus-9", "moto-edge-30", "pixel-9-pro"];

fn main() {
    divan::main();
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn run(phone: &mut Phone, now: LabTime, argv: &[String]) -> (LabTime, Vec<u8>) {
    let Some(running) = phone.begin(now, argv) else { return (now, Vec::new()) };
    let end = now + running.takes;
    (end, phone.finish(end, running).out)
}

/// Ten minutes of flings on the feed.
fn ten_minutes(model: &str) -> (Phone, LabTime) {
    let spec = PhoneSpec { archetype: model.to_owned(), ..PhoneSpec::default() };
    let mut phone = Phone::new(&spec, "BENCH".to_owned(), 1).expect("every model makes a phone");
    let (mut now, _) =
        run(&mut phone, LabTime::from_ns(0), &words("am start -W -d shop://feed com.example.shop"));
    let fling = words("input swipe 540 1800 540 300 250");
    while now.ns() < 600_000_000_000 {
        now = run(&mut phone, now, &fling).0;
        now = LabTime::from_ns(now.ns() + 1_500_000_000);
    }
    (phone, now)
}

fn frames(phone: &Phone) -> usize {
    phone.truth().layers.iter().map(|layer| layer.frames.len()).sum()
}

#[divan::bench(args = MODELS)]
fn life(bencher: Bencher, model: &str) {
    let count = frames(&ten_minutes(model).0);
    bencher.counter(ItemsCount::new(count)).bench_local(|| ten_minutes(black_box(model)).1);
}

#[divan::bench(args = MODELS)]
fn truth(bencher: Bencher, model: &str) {
    let (phone, _) = ten_minutes(model);
    bencher.counter(ItemsCount::new(frames(&phone))).bench_local(|| frames(black_box(&phone)));
}

#[divan::bench(args = MODELS)]
fn dump(bencher: Bencher, model: &str) {
    let (mut phone, now) = ten_minutes(model);
    let (now, list) = run(&mut phone, now, &words("dumpsys SurfaceFlinger --list"));
    let list = String::from_utf8_lossy(&list).into_owned();
    let name = list.lines().filter_map(|line| {
        let name = line.trim_start_matches("RequestedLayerState{").split(" parentId").next()?;
        name.starts_with("com.example.shop/").then(|| name.to_owned())
    });
    let argv: Vec<String> =
        words("dumpsys SurfaceFlinger --latency").into_iter().chain(name.take(1)).collect();
    bencher.bench_local(|| run(&mut phone, now, black_box(&argv)).1.len());
}
