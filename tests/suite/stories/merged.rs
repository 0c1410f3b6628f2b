//! Shards of one plan, merged: the run that one computer would have made, in whatever order and however often; what is
//! missing is broken, and what contradicts itself is refused.

use super::FEED;
use farmjank_engine::stop::Urgency;
use farmjank_results::event::{Fact, PlannedJob};
use farmjank_results::fault::FaultCode;
use farmjank_results::record::{Header, Record};
use farmjank_results::shards::merge::NotMerged;
use farmjank_results::verdict::Verdict;
use farmjank_tests::memory::Memory;
use farmjank_tests::merged::merged;
use farmjank_tests::stage::Stage;
use serde_json::Value;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

const LOG: &str = "events.ndjson";

/// Phones in all of three parts, one of which has a phone that does not let us.
const FARM: &str = "name: farm\nphones:\n  - { archetype: pixel-8, serial: P8 }\n  - { archetype: pixel-6, count: 2 }\n  \
                    - { archetype: redmi-note-7, count: 2 }\n  - { archetype: pixel-8, serial: SHY }\nfaults:\n  \
                    - { at: 0s, phone: SHY, kind: unauthorized }\n";

/// Without the phone that does not let us.
fn calm() -> String {
    let (phones, _) = FARM.split_once("faults").expect("two parts");
    phones.replace("  - { archetype: pixel-8, serial: SHY }\n", "")
}

/// One scenario that runs, and one no phone is for.
fn stage(lab: &str) -> Stage {
    let nobody = FEED.replace("name: Feed", "name: Nobody\ndevices: 'sdk >= 99'");
    Stage::lab_yaml(lab)
        .scenario(&FEED.replace("iterations: 3", "iterations: 2"))
        .scenario(&nobody)
        .reporters()
}

/// One scenario that runs on all phones.
fn feed(lab: &str) -> Stage {
    Stage::lab_yaml(lab).scenario(&FEED.replace("iterations: 3", "iterations: 2")).reporters()
}

fn shards(stage: impl Fn() -> Stage, of: u32) -> Vec<Rc<Memory>> {
    (1..=of).map(|index| stage().shard(index, of).run().files).collect()
}

fn refs(all: &[Rc<Memory>]) -> Vec<&Memory> {
    all.iter().map(|one| &**one).collect()
}

fn folded(files: &Memory) -> Record {
    Record::read_ndjson(&files.read(LOG)).expect("a lawful log").0
}

/// Merged, and sound: what was written is what is known.
fn sound(bundles: &[&Memory]) -> (Record, Rc<Memory>) {
    let (record, files) = merged(bundles).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(folded(&files), Record { exit_code: record.exit_code, ..record.clone() });
    (record, files)
}

/// The document of a run, without its name and place.
fn document(files: &Memory) -> Value {
    let mut document: Value =
        serde_json::from_slice(&files.read("results.json")).expect("results.json is JSON");
    document["run"]["id"] = Value::Null;
    document
}

/// The record without the times of the lab, the name of the run, and the shards.
fn timeless(record: &Record) -> Record {
    let mut record = record.clone();
    record.header = Header::default();
    (record.shards, record.laws) = (None, Default::default());
    (record.at, record.busy) = (Default::default(), Default::default());
    for job in record.jobs.values_mut() {
        job.planned = PlannedJob { shard: None, ..job.planned.clone() };
        (job.started, job.ended) = (None, None);
        for trial in &mut job.trials {
            (trial.started, trial.ended) = (Default::default(), None);
        }
    }
    record
}

/// Paths of evidence, and what lies there.
fn evidence(files: &Memory) -> Vec<(String, Vec<u8>)> {
    let own = files.paths().into_iter().filter(|path| path.starts_with("evidence/"));
    own.map(|path| (path.clone(), files.read(&path))).collect()
}

#[test]
fn three_shards_are_the_run_that_one_computer_would_have_made() {
    let whole = stage(FARM).run();
    let parts = shards(|| stage(FARM), 3);
    let jobs = |files: &Memory| folded(files).jobs.len();
    assert!(parts.iter().all(|part| jobs(part) > 0 && jobs(part) < whole.record.jobs.len()));
    let (record, files) = sound(&refs(&parts));
    assert_eq!(record.exit_code, Some(3), "one phone lets nobody in, and a scenario has none");
    assert_eq!(timeless(&record), timeless(&whole.record));
    assert_eq!(document(&files), document(&whole.files));
    assert_eq!(evidence(&files), evidence(&whole.files));
    let kinds = |files: &Memory| files.paths().into_iter().collect::<BTreeSet<String>>();
    assert_eq!(kinds(&files), kinds(&whole.files), "every report is there");
    let passed = sound(&refs(&shards(|| feed(&calm()), 3))).0;
    assert_eq!(timeless(&passed), timeless(&feed(&calm()).run().record));
    assert_eq!(passed.exit_code, Some(0));
}

#[test]
fn the_order_of_shards_and_merging_again_change_nothing() {
    let parts = shards(|| stage(FARM), 3);
    let [a, b, c] = &refs(&parts)[..] else { panic!("three") };
    let all = sound(&[a, b, c]).1;
    let (ab, bc, ac) = (sound(&[a, b]).1, sound(&[b, c]).1, sound(&[a, c]).1);
    let said: [&[&Memory]; 13] = [
        &[a, c, b],
        &[b, a, c],
        &[b, c, a],
        &[c, a, b],
        &[c, b, a],
        &[a, a, b, c, b],
        &[&all],
        &[&all, &all],
        &[&all, b],
        &[c, &ab],
        &[&bc, a],
        &[&ac, &bc],
        &[b, &ac, &all],
    ];
    for (nth, bundles) in said.iter().enumerate() {
        let again = sound(bundles).1;
        assert!(again.read(LOG) == all.read(LOG), "the log of way {nth} is another");
        assert_eq!(evidence(&again), evidence(&all), "way {nth}");
    }
    let alone = sound(&[b]).1;
    assert!(sound(&[&alone, b]).1.read(LOG) == alone.read(LOG), "one alone, twice");
}

#[test]
fn a_shard_that_is_missing_is_a_fault_of_the_lab_and_never_a_pass() {
    let parts = shards(|| feed(&calm()), 3);
    for missing in 0..3 {
        let mut left = refs(&parts);
        left.remove(missing);
        for bundles in [left.clone(), vec![left[0]], vec![left[1]]] {
            let (record, files) = sound(&bundles);
            assert_eq!((record.verdict, record.exit_code), (Some(Verdict::Broken), Some(3)));
            assert!(!record.notices.is_empty());
            let there = record.shards.as_ref().expect("it says of what it was made");
            for job in record.jobs.values() {
                let home = job.planned.shard.expect("a shard");
                let code = job.fault.as_ref().map(|fault| fault.code.clone());
                let due = (!there.has(home)).then_some(FaultCode::ShardMissing);
                assert_eq!(code, due, "{:?}", job.planned);
                assert_eq!(job.verdict == Some(Verdict::Pass), there.has(home));
                let advice = job.fault.as_ref().map_or("", |fault| &fault.advice);
                assert!(there.has(home) || advice.contains(&format!("--shard {home}/3")), "{advice}");
            }
            let junit = String::from_utf8(files.read("junit.xml")).expect("text");
            assert!(junit.contains("infra.shard_missing"));
        }
    }
}

#[test]
fn a_shard_that_was_cut_off_is_broken_where_it_did_not_come_to_and_may_go_on() {
    let stage = || feed(&calm());
    let parts = shards(stage, 3);
    let all = sound(&refs(&parts)).1;
    let log = parts[1].read(LOG);
    let ends: Vec<usize> = (0..log.len()).filter(|at| log[*at] == b'\n').map(|at| at + 1).collect();
    for at in (0..ends.len()).step_by(5).chain([ends.len() - 2]) {
        let cut = parts[1].cut_off(LOG, ends[at]);
        let bundles = [&*parts[0], &cut, &*parts[2]];
        if folded(&cut).shards.is_none() {
            let why = merged(&bundles).map(|_| ()).expect_err("nobody knows which it was");
            assert!(matches!(&why, NotMerged::Unplanned { bundle } if bundle == "1"), "{why}");
            continue;
        }
        let unjudged = folded(&cut).jobs.values().filter(|job| job.verdict.is_none()).count();
        let (record, files) = sound(&bundles);
        let broken = record.jobs.values().filter(|job| {
            job.fault.as_ref().is_some_and(|fault| fault.code == FaultCode::ShardCutOff)
                && job.verdict == Some(Verdict::Broken)
        });
        assert_eq!(broken.count(), unjudged, "cut off after event {at}");
        assert_eq!(record.exit_code, Some(if unjudged > 0 { 3 } else { 0 }));
        // What was cut off is the beginning of what was not: the longer one counts, wherever it comes from.
        assert!(sound(&[&*files, &*parts[1]]).1.read(LOG) == all.read(LOG), "cut off after event {at}");
        if unjudged > 0 {
            let resumed = stage().shard(2, 3).goes_on(parts[1].cut_off(LOG, ends[at])).run();
            let (record, _) = sound(&[&*files, &resumed.files]);
            assert_eq!((record.exit_code, record.resumed), (Some(0), 1), "resumed after event {at}");
            assert!(merged(&[&*parts[1], &resumed.files]).is_err(), "two ends of one run");
        }
    }
}

#[test]
fn an_interrupted_shard_makes_an_interrupted_run() {
    let stage = || feed(&calm());
    let mut parts = shards(stage, 3);
    parts[2] = stage().shard(3, 3).interrupt(Duration::from_secs(5), Urgency::Cancel).run().files;
    let (record, files) = sound(&refs(&parts));
    assert_eq!((record.exit_code, record.interrupted.as_deref()), (Some(130), Some("SIGINT")));
    assert!(sound(&[&*files, &*parts[0]]).1.read(LOG) == files.read(LOG));
}

#[test]
fn a_part_without_phones_may_stay_away() {
    let parts = shards(|| feed(&calm()), 24);
    let empty = |part: &&Memory| folded(part).jobs.is_empty();
    let (without, with): (Vec<&Memory>, Vec<&Memory>) = refs(&parts).into_iter().partition(empty);
    assert!(without.len() > 12 && with.len() > 2);
    assert_eq!(sound(&refs(&parts)).0.exit_code, Some(0));
    let (record, _) = sound(&with);
    assert_eq!(
        (record.exit_code, record.notices.len()),
        (Some(0), 0),
        "the plan says that nothing is missing"
    );
    let (record, _) = sound(&without[..1]);
    assert_eq!(record.exit_code, Some(3));
}

/// A bundle whose log is another text.
fn altered(files: &Memory, from: &str, to: &str) -> Memory {
    let log = String::from_utf8(files.read(LOG)).expect("text");
    assert!(log.contains(from), "{from}");
    let other = Memory::keeping(true);
    farmjank_seams::host::Files::write(&other, LOG, log.replacen(from, to, 1).as_bytes()).expect("memory");
    other
}

#[test]
fn two_bundles_that_contradict_each_other_are_refused_by_name() {
    let parts = shards(|| feed(&calm()), 3);
    let job = folded(&parts[0]).jobs.into_values().next().expect("a job");
    let (number, phone) = (job.planned.job, job.planned.device.expect("a phone"));
    let other = altered(
        &parts[0],
        &format!(
            "\"kind\":\"trial_finished\",\"job\":{number},\"trial\":1,\"counted\":true,\"ending\":\"completed\""
        ),
        &format!(
            "\"kind\":\"trial_finished\",\"job\":{number},\"trial\":1,\"counted\":true,\"ending\":\"interrupted\""
        ),
    );
    for bundles in [[&*parts[0], &*parts[1], &other], [&other, &*parts[0], &*parts[0]]] {
        let why = merged(&bundles).map(|_| ()).expect_err("a contradiction").to_string();
        let job = format!("job {number}, `Feed` (scenario-0.yaml) on {phone}");
        assert!(why.contains("both hold shard 1/3") && why.contains(&job), "{why}");
        assert!(why.starts_with("0 and "), "{why}");
    }
    let twice = stage_called("again").shard(1, 3).run().files;
    let why = merged(&[&*parts[0], &twice]).map(|_| ()).expect_err("run twice").to_string();
    assert!(why.contains("it was run twice, as lab-farm-seed") && why.contains("and as again"), "{why}");
    let outside = altered(&parts[1], "\"evidence/job-", "\"evidence/job-0/../../job-");
    let why = merged(&[&*parts[0], &outside]).map(|_| ()).expect_err("outside").to_string();
    assert!(why.contains("the log was altered"), "{why}");
}

fn stage_called(name: &str) -> Stage {
    feed(&calm()).called(name)
}

#[test]
fn runs_of_other_plans_are_refused_with_how_they_differ() {
    let lab = calm();
    let first = feed(&lab).shard(1, 3).run().files;
    let refused = |stage: Stage, how: &str| {
        let other = stage.run().files;
        let why = merged(&[&*first, &other]).map(|_| ()).expect_err(how).to_string();
        assert!(why.contains(how), "{why}");
    };
    let three = || Stage::lab_yaml(&lab).scenario(FEED);
    refused(three().shard(2, 3), "has not the same text in both, or was read with other variables");
    refused(feed(&lab), "1: no shard, but a whole run");
    refused(feed(&lab).shard(2, 4), "0 is of 3 shards, 1 of 4");
    refused(feed(&lab).seed(99).shard(2, 3), "with seed 99");
    refused(stage(&lab).shard(2, 3), "only 1 has `Nobody` (scenario-1.yaml)");
    let fewer = lab.replace("  - { archetype: pixel-8, serial: P8 }\n", "");
    refused(feed(&fewer).shard(2, 3), "only 0 has `Feed` (scenario-0.yaml) on P8: phones came or went");
    let events = Record::read_ndjson(&first.read(LOG)).expect("a log").1;
    let tells =
        |fact: &Fact| matches!(fact, Fact::PlanMade { shards: Some(shards), .. } if shards.own == Some(1));
    assert!(events.iter().any(|event| tells(&event.fact)));
}
