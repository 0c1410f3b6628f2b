//! Simulated time: 500 phones × 10 minutes of scenario, at most 32 threads. Limit: 60 s.
//! Run: `cargo bench -p farmjank-tests --bench simulated` (a number of phones may follow `--`; the limit scales;
//! `alone` leaves the second half out).
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a benchmark lives in the real world"
)]

use farmjank_seams::probe::Probe;
use farmjank_tests::stage::Stage;
use std::rc::Rc;
use std::time::Instant;

/// As in the `farmjank` command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PHONES: usize = 500;
const LIMIT_SECS: f64 = 60.0;
const ITERATIONS: usize = 74;

/// The example of the documentation, repeated until it takes ten minutes a phone: cold launch, page, six flings.
const SCENARIO: &str = "
name: Home feed
appId: com.example.shop
iterations: 74
warmup: 1
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
setup: [ stopApp ]
steps:
  - launchApp: { clearState: false, cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 6, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 600ms } ] } } ]
teardown: [ pressKey: HOME ]
thresholds: { fps: 'mean >= 50%refresh' }
";

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let asked = std::env::args().find_map(|argument| argument.parse().ok());
    let phones: usize = asked.unwrap_or(PHONES);
    let alone = measured("the rings alone (as with --no-witnesses)", phones, Some(Vec::new()));
    if !std::env::args().any(|argument| argument == "alone") {
        measured("with trace, counts and log of every phone", phones, None);
    }
    let limit = LIMIT_SECS * phones as f64 / PHONES as f64;
    assert!(alone < limit, "too slow: {alone:.1} s, the limit is {limit:.1} s");
}

/// Runs the scenario on so many phones and gives the seconds it took.
fn measured(what: &str, phones_wanted: usize, probes: Option<Vec<Rc<dyn Probe>>>) -> f64 {
    let kinds = ["pixel-6", "pixel-8", "galaxy-a14", "rog-phone-7", "pixel-9-pro"];
    let phones: String = kinds
        .iter()
        .map(|kind| format!("  - {{ archetype: {kind}, count: {} }}\n", phones_wanted.div_ceil(kinds.len())))
        .collect();
    let started = Instant::now();
    let stage = Stage::lab_yaml(&format!("name: bench\nlatency: hub\nphones:\n{phones}"));
    let stage = stage.scenario(SCENARIO).forgetful();
    let stage = match probes {
        Some(probes) => stage.probes(probes),
        None => stage,
    };
    let (record, _) = stage.run_in_racks();
    let took = started.elapsed().as_secs_f64();
    let simulated = record.at.ns() as f64 / 1e9;
    let (phones, trials) = (record.jobs.len(), ITERATIONS + 1);
    let windows = || record.jobs.values().flat_map(|job| &job.trials).flat_map(|trial| &trial.windows);
    let coverage = || windows().filter_map(|window| window.coverage.as_ref());
    let frames: u64 = coverage().map(|coverage| coverage.frames_seen).sum();
    let dumps: u64 = coverage().map(|coverage| coverage.samples).sum();
    let proved = coverage().filter(|coverage| coverage.proved).count();
    println!("{what}: {phones} phones × {:.1} min simulated in {took:.1} s", simulated / 60.0);
    println!(
        "  {frames} frames in motion seen, {dumps} dumps, {proved} of {} windows proved",
        phones * trials
    );
    println!("  {:.0} phone-seconds a second", simulated * phones as f64 / took);
    assert_eq!(proved, phones * trials, "every window of every trial has proved coverage");
    assert!(simulated >= 600.0, "the scenario is shorter than ten minutes");
    took
}
