//! A lab of many phones is run with a thread for every few: the same story, whatever the computer.

use farmjank_results::record::{JobRecord, Record};
use farmjank_tests::memory::Memory;
use farmjank_tests::stage::Stage;
use serde_json::Value;
use std::collections::BTreeMap;

const TWO_SERVERS: &str = "
name: two shards
latency: hub
phones:
  - { archetype: pixel-6, count: 127 }
  - { archetype: rog-phone-7, count: 5 }
faults: [ { at: 3s, phone: virtual-rog-phone-7-2, kind: unplug, for: 2s } ]
";

const SHORT: &str = "
name: Feed
appId: com.example.shop
iterations: 2
warmup: 0
steps:
  - launchApp: { cold: true }
  - measure: fling
    steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 600ms } ]
thresholds: { fps: 'mean >= 50%refresh' }
";

fn stage(lab: &str) -> Stage {
    Stage::lab_yaml(lab).scenario(SHORT).probes(Vec::new())
}

/// What happened to each job, in order: the kind of each fact and the step it is about. When the phones of two servers
/// draw from one server's latencies they wait other milliseconds, and so may be sampled once more or less.
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

/// The phone that is unplugged: in one thread its server has more to do, so it is at another step when it goes.
const UNPLUGGED: &str = "virtual-rog-phone-7-2";

/// Whether each window of each job was proved, but for the phone that is unplugged.
fn proved(record: &Record) -> BTreeMap<u64, Vec<bool>> {
    let stayed = |job: &&JobRecord| job.planned.device.as_ref().is_some_and(|device| device.0 != UNPLUGGED);
    let windows = |job: &JobRecord| {
        let windows = job.trials.iter().flat_map(|trial| &trial.windows);
        windows.map(|window| window.coverage.as_ref().is_some_and(|coverage| coverage.proved)).collect()
    };
    record.jobs.values().filter(stayed).map(|job| (u64::from(job.planned.job), windows(job))).collect()
}

#[test]
fn racks_on_threads_tell_what_one_thread_tells() {
    let alone = stage(TWO_SERVERS).run();
    let (record, files) = stage(TWO_SERVERS).run_in_racks();
    assert_eq!(record.jobs.len(), 132);
    assert_eq!((record.verdict, record.exit_code), (alone.record.verdict, alone.record.exit_code));
    assert_eq!(proved(&record).len(), 131);
    assert_eq!(proved(&record), proved(&alone.record));
    let (apart, together) = (lives(&files), lives(&alone.files));
    assert_eq!(apart.keys().collect::<Vec<_>>(), together.keys().collect::<Vec<_>>());
    for (job, life) in &together {
        if proved(&record).contains_key(job) {
            assert_eq!(&apart[job], life, "job {job}");
        } else {
            let leases = |life: &[String]| life.iter().filter(|fact| fact.contains("lease_granted")).count();
            assert_eq!((leases(&apart[job]), leases(life)), (2, 2), "it left and came back");
        }
    }
    assert!(times(&files).is_sorted(), "facts of two shards are out of order");
    let (_, again) = stage(TWO_SERVERS).run_in_racks();
    assert!(again.read("events.ndjson") == files.read("events.ndjson"), "threads come out in the log");
}
