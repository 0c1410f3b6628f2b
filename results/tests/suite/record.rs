//! The laws of the event stream and the fold, against logs walked by other rules.

use crate::log::*;
use farmjank_results::cells;
use farmjank_results::device::{DeviceId, Readiness};
use farmjank_results::event::{Ending, Event, Fact};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::journal::{self, BadLog};
use farmjank_results::record::{JobRecord, Record, run_verdict};
use farmjank_results::recovery::RecoveryStep;
use farmjank_results::time::RunTime;
use farmjank_results::verdict::Verdict;
use proptest::prelude::*;

/// The law the last of these facts breaks; every earlier one must be lawful.
pub fn broken(facts: Vec<Fact>) -> String {
    let events = numbered(facts);
    let (last, before) = events.split_last().expect("some facts");
    let mut record = Record::fold(before).unwrap_or_else(|error| panic!("broken too early: {error}"));
    let untouched = record.clone();
    let error = record.apply(last).expect_err("the last fact breaks a law");
    assert_eq!((error.seq, error.kind), (last.seq, last.fact.kind()));
    assert_eq!(
        Record { laws: untouched.laws.clone(), ..record },
        untouched,
        "a refused event changes nothing"
    );
    error.law
}

/// A run with two jobs, then these.
pub fn run(facts: Vec<Fact>) -> Vec<Fact> {
    [vec![run_started(), plan_made(2)], facts].concat()
}

#[test]
fn a_run_starts_once_and_first() {
    assert!(broken(vec![noticed(None)]).contains("run_started comes first"));
    assert!(broken(vec![run_started(), run_started()]).contains("comes once"));
    assert!(broken(run(vec![plan_made(1)])).contains("plan is made once"));
    let Fact::RunStarted { tool, run, wall, seed, lab, .. } = run_started() else { unreachable!() };
    assert!(broken(vec![Fact::RunStarted { format: 2, tool, run, wall, seed, lab }]).contains("format 2"));
    let Fact::PlanMade { digest, mut jobs, refusals, absent, shards, quarantined } = plan_made(2) else {
        unreachable!()
    };
    jobs[1].job = 0;
    assert!(
        broken(vec![run_started(), Fact::PlanMade { digest, jobs, refusals, absent, shards, quarantined }])
            .contains("twice")
    );
}

#[test]
fn numbers_have_no_holes_and_time_never_goes_back() {
    let mut events = numbered(run(vec![noticed(None), noticed(None)]));
    events[2].at = RunTime::from_ns(0);
    assert!(Record::fold(&events).expect_err("time").law.contains("time never goes back"));
    let mut events = numbered(run(vec![noticed(None), noticed(None)]));
    events.remove(2);
    assert_eq!(
        Record::fold(&events).expect_err("hole").law,
        "events are numbered without holes; 2 was expected"
    );
}

#[test]
fn leases_are_exclusive_and_returned() {
    assert!(broken(run(vec![granted(0, 0), granted(0, 1)])).contains("already holds a phone"));
    assert!(broken(run(vec![granted(0, 0), granted(1, 0)])).contains("job 0 holds that phone"));
    assert!(broken(run(vec![returned(0, 0)])).contains("does not hold that phone"));
    assert!(broken(run(vec![granted(0, 0), returned(0, 1)])).contains("does not hold"));
    assert!(broken(run(vec![granted(0, 0), returned(0, 0), returned(0, 0)])).contains("does not hold"));
    assert!(broken(run(vec![granted(7, 0)])).contains("job 7 is not in the plan"));
    assert!(broken(run(vec![granted(0, 0), judged(0), judged(1), run_judged()])).contains("still leased"));
    let back = run(vec![granted(0, 0), returned(0, 0), granted(1, 0), returned(1, 0), granted(0, 0)]);
    assert!(Record::fold(&numbered(back)).is_ok());
}

#[test]
fn trials_nest_in_leases_and_steps_in_trials() {
    assert!(broken(run(vec![trial_started(0, 0)])).contains("holds no phone"));
    let open = || run(vec![granted(0, 0), trial_started(0, 0)]);
    let then = |facts: Vec<Fact>| [open(), facts].concat();
    assert!(broken(then(vec![trial_started(0, 1)])).contains("already has a trial open"));
    assert!(broken(then(vec![returned(0, 0)])).contains("still has a trial open"));
    assert!(broken(then(vec![judged(0)])).contains("still has a trial open"));
    assert!(broken(then(vec![step_started(0, 1, "a")])).contains("trial 1 of job 0 is not open"));
    assert!(broken(then(vec![sample_taken(1, 0)])).contains("not open"));
    assert!(broken(run(vec![source_chosen(0, 0)])).contains("not open"));
    assert!(broken(then(vec![step_finished(0, 0, "a")])).contains("innermost"));
    let nested = vec![step_started(0, 0, "a"), step_started(0, 0, "b")];
    assert!(broken(then([nested.clone(), vec![step_finished(0, 0, "a")]].concat())).contains("innermost"));
    let cut = |ending| then([nested.clone(), vec![trial_finished(0, 0, ending)]].concat());
    assert!(broken(cut(Ending::Completed)).contains("step still open"));
    assert!(Record::fold(&numbered(cut(Ending::Interrupted))).is_ok());
    let mut changed = trial_finished(0, 0, Ending::Completed);
    if let Fact::TrialFinished { counted, .. } = &mut changed {
        *counted = true;
    }
    assert!(broken(then(vec![changed])).contains("cannot change whether it counts"));
    let again = [cut(Ending::Interrupted), vec![trial_started(0, 0), step_finished(0, 0, "b")]].concat();
    assert!(broken(again).contains("innermost"), "steps of an earlier trial are gone");
}

#[test]
fn a_diagnosis_never_counts_and_is_in_no_list_of_trials() {
    let diagnosis = |counted| Fact::TrialStarted {
        job: 0,
        trial: 7,
        counted,
        diagnostic: true,
        reference: false,
        settling: false,
        turn: None,
    };
    assert!(
        broken(run(vec![granted(0, 0), diagnosis(true)]))
            .contains("is made beside those that count, and counts")
    );
    let found = |window: &str| Fact::CausesFound {
        job: 0,
        trial: 7,
        window: window.into(),
        causes: None,
        reason: Some("no trace came".into()),
        trace: None,
    };
    assert!(broken(run(vec![granted(0, 0), diagnosis(false), found("fling")])).contains("trial open"));
    let ended = Fact::TrialFinished {
        job: 0,
        trial: 7,
        counted: false,
        ending: Ending::Completed,
        windows: Vec::new(),
    };
    let whole = run(vec![granted(0, 0), diagnosis(false), ended, found("fling"), found("other")]);
    let record = Record::fold(&numbered(whole)).expect("a lawful log");
    let job = &record.jobs[&0];
    assert_eq!((job.trials.len(), job.diagnoses.len()), (0, 1));
    assert_eq!(job.diagnoses[0].ending, Some(Ending::Completed));
    assert_eq!(job.causes("fling").and_then(|one| one.reason.as_deref()), Some("no trace came"));
    assert_eq!(job.causes("nothing"), None);
}

#[test]
fn every_job_is_judged_exactly_once() {
    assert!(broken(run(vec![judged(0), judged(0)])).contains("already judged"));
    assert!(broken(run(vec![judged(0), granted(0, 0)])).contains("already judged"));
    assert!(broken(run(vec![judged(0), run_judged()])).contains("job 1 was never judged"));
    assert!(broken(run(vec![judged(2)])).contains("not in the plan"));
}

#[test]
fn a_run_is_compared_once_after_its_jobs_and_before_its_verdict() {
    assert!(broken(run(vec![judged(0), compared()])).contains("job 1 was never judged"));
    let both = || vec![judged(0), judged(1), compared()];
    assert!(broken(run([both(), vec![compared()]].concat())).contains("compared once"));
    assert!(broken(run(vec![judged(0), judged(1), run_judged(), compared()])).contains("only deliveries"));
    let record = Record::fold(&numbered(run(both()))).expect("a lawful log");
    // Both jobs passed; what became slower fails the run.
    assert_eq!(
        (cells::run_verdict(&record), run_verdict(record.jobs.values())),
        (Verdict::Fail, Verdict::Pass)
    );
}

#[test]
fn after_the_verdict_only_deliveries_happen() {
    let over = || run(vec![delivery(), judged(0), judged(1), run_judged(), delivery()]);
    let then = |facts: Vec<Fact>| [over(), facts].concat();
    assert!(broken(then(vec![noticed(None)])).contains("only deliveries"));
    assert!(broken(then(vec![run_judged()])).contains("only deliveries"));
    let finished = || Fact::RunFinished { exit_code: 0 };
    assert!(broken(then(vec![finished(), delivery()])).contains("nothing comes after"));
    assert!(broken(run(vec![finished()])).contains("only after run_judged"));
}

#[test]
fn a_refused_event_spends_its_number() {
    let mut record = Record::default();
    let events = numbered(vec![run_started(), run_started(), noticed(None)]);
    let folded: Vec<bool> = events.iter().map(|event| record.apply(event).is_ok()).collect();
    assert_eq!(folded, [true, false, true]);
}

#[test]
fn the_record_knows_what_happened_to_a_job() {
    let facts = vec![
        granted(0, 0),
        trial_started(0, 0),
        trial_finished(0, 0, Ending::Completed),
        trial_started(0, 1),
        trial_finished(0, 1, Ending::Interrupted),
        trial_started(0, 1),
        trial_finished(0, 1, Ending::Completed),
        noticed(Some(0)),
        judged(0),
        returned(0, 0),
        judged(1),
        Fact::RunJudged { verdict: Verdict::Fail, exit_code: 1, interrupted: Some("SIGINT".into()) },
    ];
    let record = Record::fold(&numbered(run(facts))).unwrap();
    let at = |seq: i64| RunTime::from_ns(seq * 1_000_000);
    let job = &record.jobs[&0];
    assert_eq!((job.started, job.ended, job.verdict), (Some(at(3)), Some(at(10)), Some(Verdict::Pass)));
    let trials: Vec<_> =
        job.trials.iter().map(|t| (t.trial, t.counted, t.started, t.ended, t.ending.clone())).collect();
    let expected = [
        (0, false, at(3), Some(at(4)), Some(Ending::Completed)),
        (1, true, at(5), Some(at(6)), Some(Ending::Interrupted)),
        (1, true, at(7), Some(at(8)), Some(Ending::Completed)),
    ];
    assert_eq!(trials, expected);
    assert_eq!(record.notices, [(Some(0), "a thing".to_owned())]);
    assert_eq!((record.verdict, record.exit_code), (Some(Verdict::Fail), Some(1)));
    assert_eq!((record.interrupted.as_deref(), record.at), (Some("SIGINT"), at(13)));
    assert_eq!((record.header.seed, record.header.lab.as_deref()), (u64::MAX, Some("demo")));
    assert!(record.devices.is_empty());
}

#[test]
fn the_worst_job_decides_the_run_and_an_open_one_is_undecided() {
    let folded = Record::fold(&numbered(vec![run_started(), plan_made(4)])).unwrap();
    assert_eq!(cells::run_verdict(&folded), Verdict::Undecided);
    let mut jobs: Vec<JobRecord> = folded.jobs.into_values().collect();
    let mut verdict = |given: [Verdict; 4]| {
        jobs.iter_mut().zip(given).for_each(|(job, verdict)| job.verdict = Some(verdict));
        run_verdict(&jobs)
    };
    use Verdict::*;
    assert_eq!(verdict([Pass, Undecided, Fail, Broken]), Fail);
    assert_eq!(verdict([Broken, Undecided, Pass, Pass]), Broken);
    assert_eq!(verdict([Pass, Pass, Undecided, Pass]), Undecided);
    assert_eq!(verdict([Pass; 4]), Pass);
}

fn text(events: &[Event]) -> Vec<u8> {
    events.iter().flat_map(|event| journal::line(event).expect("an event is JSON")).collect()
}

#[test]
fn damage_in_the_middle_is_said_with_its_line() {
    let events = numbered(run(vec![noticed(None), noticed(None)]));
    assert!(matches!(Record::read_ndjson(b""), Err(BadLog::Empty)));
    assert!(matches!(Record::read_ndjson(b"{\"seq\":0,"), Err(BadLog::Empty)));
    let whole = String::from_utf8(text(&events)).unwrap();
    let damaged = whole.replacen("\"kind\":\"noticed\"", "\"kind\":\"not iced\"", 1);
    assert!(matches!(Record::read_ndjson(damaged.as_bytes()), Err(BadLog::Line { line: 3, .. })));
    let holed: Vec<&str> = whole.lines().enumerate().filter(|(i, _)| *i != 2).map(|(_, line)| line).collect();
    let error = Record::read_ndjson(holed.join("\n").as_bytes()).expect_err("a hole");
    assert!(
        error.to_string().starts_with("line 3 of the log breaks a law of its order: event 3 (noticed)"),
        "{error}"
    );
}

#[test]
fn an_unknown_field_is_not_an_error() {
    let mut log = text(&numbered(vec![run_started()]));
    log.splice(1..1, *b"\"later\":{\"a\":1},");
    assert!(Record::read_ndjson(&log).is_ok(), "the format grows by addition");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_beginning_of_a_legal_log_folds(jobs in 0u32..5, choices in proptest::collection::vec(any::<u8>(), 0..200)) {
        let events = legal(jobs, &choices);
        let mut grown = Record::default();
        for (index, event) in events.iter().enumerate() {
            grown.apply(event).map_err(|error| TestCaseError::fail(error.to_string()))?;
            if index % 7 == 0 {
                prop_assert_eq!(&Record::fold(&events[..=index]).unwrap(), &grown);
            }
        }
        prop_assert!(grown.jobs.values().all(|job| job.verdict.is_some() && job.ended.is_some()));
        prop_assert!(grown.jobs.values().flat_map(|job| &job.trials).all(|trial| trial.ended.is_some()));
        prop_assert_eq!(grown.exit_code, Some(0));
    }

    #[test]
    fn a_log_with_a_fact_left_out_repeated_or_moved_is_refused(
        choices in proptest::collection::vec(any::<u8>(), 20..100), at in any::<prop::sample::Index>(), how in 0..3,
    ) {
        let mut events = legal(3, &choices);
        let at = at.index(events.len() - 1);
        match how {
            0 => drop(events.remove(at)),
            1 => events.insert(at, events[at].clone()),
            _ => events.swap(at, at + 1),
        }
        prop_assert!(Record::fold(&events).is_err());
    }

    #[test]
    fn a_log_cut_at_any_byte_reads_up_to_its_last_whole_line(
        choices in proptest::collection::vec(any::<u8>(), 0..60), at in any::<prop::sample::Index>(),
    ) {
        let events = legal(2, &choices);
        let whole = text(&events);
        let first = journal::line(&events[0]).unwrap().len();
        let cut = &whole[..first + at.index(whole.len() - first + 1)];
        let (record, read) = Record::read_ndjson(cut).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&read[..], &events[..read.len()]);
        // what is whole is read: only less than the next line is missing
        let used = text(&read).len();
        let next = events.get(read.len()).map_or(0, |event| journal::line(event).unwrap().len());
        prop_assert!(cut.len() + 1 == used || (cut.len() >= used && cut.len() - used < next.max(1)));
        let torn = record.notices.last().is_some_and(|(_, what)| what.contains("torn line"));
        prop_assert_eq!(torn, cut.len() > used);
    }
}

#[test]
fn a_phone_is_helped_only_while_no_job_holds_it_and_people_are_told() {
    let tried = || Fact::RecoveryTried {
        device: phone(0),
        step: RecoveryStep::Reboot,
        why: "does not answer".into(),
    };
    let told = Record::fold(&numbered(vec![run_started(), plan_made(1), tried(), granted(0, 0)])).unwrap();
    assert_eq!(told.notices, [(None, format!("{} does not answer: it is booted again", phone(0)))]);
    let held = Record::fold(&numbered(vec![run_started(), plan_made(1), granted(0, 0), tried()]));
    assert!(held.unwrap_err().law.contains("not to be disturbed"));
    let free = vec![run_started(), plan_made(1), granted(0, 0), judged(0), returned(0, 0), tried()];
    assert!(Record::fold(&numbered(free)).is_ok());
}

#[test]
fn facts_of_a_phone_are_kept_when_it_leaves() {
    let seen = |facts| Fact::DeviceSeen { device: DeviceId("a".into()), state: Readiness::Ready, facts };
    let facts = facts_of("a");
    let gone = Fact::DeviceGone { device: DeviceId("a".into()), why: "unplugged".into() };
    let events =
        numbered(vec![run_started(), seen(None), seen(Some(Box::new(facts.clone()))), gone, seen(None)]);
    let record = Record::fold(&events).unwrap();
    assert_eq!(record.devices.get(&DeviceId("a".into())), Some(&facts));
}

#[test]
fn a_job_moves_for_the_lab_only_and_to_its_spares_once_each() {
    let moved =
        |from: u32, to: u32, fault: Fault| Fact::JobMoved { job: 0, from: phone(from), to: phone(to), fault };
    let asleep = || Fault::new(FaultCode::ScreenOff, "asleep");
    let plan = || {
        let Fact::PlanMade { digest, mut jobs, refusals, absent, .. } = plan_made(1) else { unreachable!() };
        jobs[0].spares = vec![phone(1), phone(2)];
        Fact::PlanMade { digest, jobs, refusals, absent, shards: None, quarantined: Vec::new() }
    };
    let told = |facts: Vec<Fact>| {
        let log = numbered([vec![run_started(), plan()], facts].concat());
        Record::fold(&log).map_err(|error| error.law)
    };
    let record = told(vec![
        granted(0, 0),
        trial_started(0, 0),
        trial_finished(0, 0, Ending::Faulted(asleep())),
        returned(0, 0),
        moved(0, 2, asleep()),
    ]);
    let record = record.expect("lawful");
    let job = &record.jobs[&0];
    assert_eq!((job.planned.device.clone(), job.as_planned().device), (Some(phone(2)), Some(phone(0))));
    assert_eq!((job.trials.len(), job.moves[0].trials), (0, 1), "what it made before counts for nothing");
    assert_eq!(job.spares().collect::<Vec<_>>(), [&phone(1)]);
    assert_eq!(
        record.notices,
        [(Some(0), "moved from lab-0 to lab-2, a phone of the same class: asleep".to_owned())]
    );
    let law = |facts| told(facts).expect_err("a broken law");
    assert_eq!(law(vec![moved(0, 3, asleep())]), "job 0 has no such spare left");
    assert_eq!(law(vec![moved(1, 2, asleep())]), "job 0 is not on that phone");
    assert_eq!(law(vec![moved(0, 1, asleep()), moved(1, 0, asleep())]), "job 0 has no such spare left");
    assert_eq!(law(vec![granted(0, 0), moved(0, 1, asleep())]), "job 0 already holds a phone");
    let crashed = Fault::new(FaultCode::AppCrashed, "crashed");
    assert_eq!(law(vec![moved(0, 1, crashed)]), "job 0 may be moved for a fault of the lab only");
}
