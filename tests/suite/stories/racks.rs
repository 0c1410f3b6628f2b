//! A lab of several servers is run with a thread for each: the same story, whatever the computer.

use farmjank_results::record::Record;
use farmjank_tests::memory::Memory;
use farmjank_tests::stage::Stage;
use serde_json::Value;
use std::collections::BTreeMap;

const TWO_SERVERS: &str = "
name: two racks
latency: hub
phones:
  - { archetype: pixel-6, count: 127 }
  - { archetype: rog-phone-7, count: 5 }
faults: [ { at: 4s, phone: virtual-rog-phone-7-2, kind: unplug, for: 2s } ]
";

const SHORT: &str = "
name: Feed
appId: com.example.shop
iterations: 1
warmup: 0
steps:
  - launchApp: { cold: true }
  - measure: fling
    steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 600ms } ]
thresholds: { fps: 'mean >= 50%refresh' }
";

fn stage(lab: &str) -> Stage {
    Stage::lab_yaml(lab).scenario(SHORT).witnesses(Vec::new())
}

/// What happened to each job, in order: the kind of each fact and the step it is about. When the phones of two servers draw
/// from one server's latencies they wait other milliseconds, and so may be sampled once more or less.
fn lives(files: &Memory) -> BTreeMap<u64, Vec<String>> {
    let mut lives: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for line in files.read("events.ndjson").split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let event: Value = serde_json::from_slice(line).expect("a line of the log");
        let job = event.get("job").and_then(Value::as_u64);
        let Some(job) = job.filter(|_| event["kind"] != "sample_taken") else { continue };
        let words = ["kind", "trial", "step", "source", "target", "ending", "verdict"];
        let life = words.iter().filter_map(|word| event.get(word)).map(Value::to_string);
        lives.entry(job).or_default().push(life.collect::<Vec<_>>().join(" "));
    }
    lives
}

fn times(files: &Memory) -> Vec<u64> {
    let log = files.read("events.ndjson");
    let events =
        log.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    events.filter_map(|event| event["at"].as_u64()).collect()
}

#[test]
fn racks_on_threads_tell_what_one_thread_tells() {
    let alone = stage(TWO_SERVERS).run();
    let (record, files) = stage(TWO_SERVERS).run_in_racks();
    assert_eq!(record.jobs.len(), 132);
    assert_eq!((record.verdict, record.exit_code), (alone.record.verdict, alone.record.exit_code));
    let seen = |record: &Record| -> Vec<bool> {
        let windows = record.jobs.values().flat_map(|job| &job.trials).flat_map(|trial| &trial.windows);
        windows.map(|window| window.coverage.as_ref().is_some_and(|coverage| coverage.proved)).collect()
    };
    assert_eq!(seen(&record), seen(&alone.record));
    let (apart, together) = (lives(&files), lives(&alone.files));
    assert_eq!(apart.keys().collect::<Vec<_>>(), together.keys().collect::<Vec<_>>());
    for (job, life) in &together {
        assert_eq!(&apart[job], life, "job {job}");
    }
    assert!(times(&files).is_sorted(), "facts of two racks are out of order");
    let (_, again) = stage(TWO_SERVERS).run_in_racks();
    assert!(again.read("events.ndjson") == files.read("events.ndjson"), "threads come out in the log");
}
