//! Logs of shared plans: what stands in them, and the laws they are held to.

use crate::log::{granted, judged, numbered, plan_made, returned, run_started};
use farmjank_results::event::{Event, Fact};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::journal;
use farmjank_results::record::Record;
use farmjank_results::shards::{ShardRun, Shards};
use farmjank_results::verdict::Verdict;

/// A plan of three jobs, each in the shard of its number and one; those in `here` among the run's own.
fn plan(shards: Shards, here: &[u32]) -> Fact {
    let Fact::PlanMade { digest, jobs, refusals, absent, quarantined, .. } = plan_made(3) else {
        unreachable!()
    };
    let homes = jobs.into_iter().map(|mut job| {
        job.shard = Some(job.job + 1);
        job
    });
    let (jobs, elsewhere) = homes.partition(|job| here.contains(&job.job));
    let shards = Some(Box::new(Shards { elsewhere, ..shards }));
    Fact::PlanMade { digest, jobs, refusals, absent, shards, quarantined }
}

fn own(shard: u32) -> Shards {
    Shards { of: 3, own: Some(shard), ..Shards::default() }
}

fn merged(shards: &[u32]) -> Shards {
    let run = |shard: &u32| ShardRun { shard: *shard, run: "r".into(), wall: "w".into(), interrupted: None };
    Shards { of: 3, merged: shards.iter().map(run).collect(), ..Shards::default() }
}

/// Why a log is refused, or `lawful`.
fn said(plan: Fact, facts: Vec<(Option<u32>, Fact)>) -> String {
    let (shards, facts): (Vec<Option<u32>>, Vec<Fact>) =
        [(None, run_started()), (None, plan)].into_iter().chain(facts).unzip();
    let mut events = numbered(facts);
    events.iter_mut().zip(shards).for_each(|(event, shard)| event.shard = shard);
    Record::fold(&events).map_or_else(|why| why.law, |_| "lawful".to_owned())
}

fn broken(job: u32) -> Fact {
    let fault = Some(Fault::new(FaultCode::ShardMissing, "not there"));
    Fact::JobJudged { job, verdict: Verdict::Broken, windows: Vec::new(), fault, reasons: Vec::new() }
}

#[test]
fn a_shard_has_its_own_jobs_and_knows_the_others() {
    assert_eq!(said(plan(own(2), &[1]), vec![(None, granted(1, 0))]), "lawful");
    assert_eq!(said(plan(own(2), &[1, 2]), vec![]), "a job of another shard is among its own");
    assert_eq!(said(plan(own(2), &[]), vec![]), "a job of its own is said to be elsewhere");
    assert_eq!(said(plan(own(4), &[]), vec![]), "there is no shard 4/3");
    assert_eq!(said(plan(own(0), &[]), vec![]), "there is no shard 0/3");
    assert_eq!(said(plan(own(2), &[1]), vec![(None, granted(0, 0))]), "job 0 is not in the plan");
    assert_eq!(said(plan(own(2), &[1]), vec![(Some(2), granted(1, 0))]), "shard 2 was not merged");
    let neither = Shards { of: 3, ..Shards::default() };
    assert_eq!(said(plan(neither, &[0, 1, 2]), vec![]), "a log is of one shard, or merged of some");
    let both = Shards { own: Some(2), ..merged(&[2]) };
    assert_eq!(said(plan(both, &[1]), vec![]), "a log is of one shard, or merged of some");
    let mut twice = plan(own(2), &[1]);
    if let Fact::PlanMade { shards: Some(shards), .. } = &mut twice {
        shards.elsewhere[0].job = 1;
    }
    assert_eq!(said(twice, vec![]), "job 1 stands twice in the whole plan");
    let mut lost = plan(own(2), &[1]);
    if let Fact::PlanMade { shards: Some(shards), .. } = &mut lost {
        shards.elsewhere[0].shard = None;
    }
    assert_eq!(said(lost, vec![]), "job 0 is in no shard");
}

#[test]
fn in_a_merged_log_a_shard_tells_of_its_own_jobs_and_what_nobody_measured_is_broken() {
    let all = || plan(merged(&[1, 2]), &[0, 1, 2]);
    let work =
        |shard| vec![(Some(shard), granted(1, 0)), (Some(shard), returned(1, 0)), (Some(shard), judged(1))];
    assert_eq!(said(all(), work(2)), "lawful");
    assert_eq!(said(all(), work(1)), "shard 1 tells of job 1, which is not its own");
    assert_eq!(said(all(), work(3)), "shard 3 was not merged");
    assert_eq!(said(all(), vec![(None, broken(2))]), "lawful");
    let green = "a job of a shard that was not merged can only be broken";
    assert_eq!(said(all(), vec![(None, judged(2))]), green);
    assert_eq!(said(plan(merged(&[1, 1]), &[0, 1, 2]), vec![]), "a shard is merged twice");
    let early = [(None, run_started()), (Some(3), crate::log::noticed(None)), (None, all())];
    let (shards, facts): (Vec<Option<u32>>, Vec<Fact>) = early.into_iter().unzip();
    let mut events = numbered(facts);
    events.iter_mut().zip(shards).for_each(|(event, shard)| event.shard = shard);
    assert_eq!(Record::fold(&events).expect_err("a stranger").law, "a shard tells that was not merged");
}

#[test]
fn shards_are_written_as_they_always_were() {
    let line = |event: &Event| String::from_utf8(journal::line(event).expect("a line")).expect("text");
    let mut events = numbered(vec![plan(own(2), &[1]), plan(merged(&[3]), &[0, 1, 2]), granted(2, 0)]);
    events[2].shard = Some(3);
    let lines: Vec<String> = events.iter().map(line).collect();
    assert!(lines[0].contains("\"windows\":[],\"shard\":2}],\"refusals\":[]"), "{}", lines[0]);
    assert!(lines[0].contains("\"shards\":{\"of\":3,\"own\":2,\"elsewhere\":[{\"job\":0,"), "{}", lines[0]);
    let runs = "\"shards\":{\"of\":3,\"merged\":[{\"shard\":3,\"run\":\"r\",\"wall\":\"w\"}]}}";
    assert!(lines[1].contains(runs), "{}", lines[1]);
    assert!(
        lines[2].starts_with("{\"seq\":2,\"at\":2000000,\"shard\":3,\"kind\":\"lease_granted\""),
        "{}",
        lines[2]
    );
    let back: Vec<Event> = lines.iter().map(|line| serde_json::from_str(line).expect("an event")).collect();
    assert_eq!(back, events);
}
