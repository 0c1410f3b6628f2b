//! Verdicts of cells: the law that holds cells and run together, and what a cell is made of.

use crate::log::*;
use farmjank_results::cells::{self, JOB_ROW};
use farmjank_results::compare::{Compared, Role, State};
use farmjank_results::event::{CellVerdict, Event, Fact, JobId, PlannedWindow, WindowJudged};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;

const FEED: &str = "fling the feed";

/// A run of two jobs with one window each, judged with these verdicts.
fn run(verdicts: [Verdict; 2]) -> Vec<Fact> {
    let Fact::PlanMade { digest, mut jobs, refusals, absent, shards, quarantined } = plan_made(2) else {
        unreachable!()
    };
    for job in &mut jobs {
        job.windows = vec![PlannedWindow { name: FEED.into(), line: 3, column: 5 }];
    }
    let judged = |(job, verdict): (JobId, Verdict)| job_judged(job, verdict, None, &["slow"]);
    let judged = (0..).zip(verdicts).map(judged);
    [run_started(), Fact::PlanMade { digest, jobs, refusals, absent, shards, quarantined }]
        .into_iter()
        .chain(judged)
        .collect()
}

/// A job whose window was counted five times and judged so, and the fault that ended it.
fn job_judged(job: JobId, verdict: Verdict, fault: Option<Fault>, reasons: &[&str]) -> Fact {
    let reasons: Vec<String> = reasons.iter().map(|why| (*why).to_owned()).collect();
    let counted = if fault.is_some() { 2 } else { 5 };
    let own = if fault.is_some() { Verdict::Pass } else { verdict };
    let reasons_of = if own == Verdict::Pass { Vec::new() } else { reasons.clone() };
    let window = WindowJudged {
        window: FEED.into(),
        verdict: own,
        judgements: Vec::new(),
        counted,
        void: Vec::new(),
        reasons: reasons_of,
        new_causes: Vec::new(),
    };
    Fact::JobJudged { job, verdict, windows: vec![window], fault, reasons }
}

fn told(verdict: Verdict, exit_code: u8) -> Fact {
    Fact::RunJudged { verdict, exit_code, interrupted: None }
}

fn cells_of(verdicts: [Verdict; 2]) -> Vec<Fact> {
    (0..).zip(verdicts).map(|(job, verdict)| cell_judged(cell_of(job, FEED, verdict))).collect()
}

fn folded(facts: Vec<Vec<Fact>>) -> Result<Record, String> {
    Record::fold(&numbered(facts.concat())).map_err(|broken| broken.law)
}

fn law(facts: Vec<Vec<Fact>>) -> String {
    folded(facts).expect_err("the last fact breaks a law")
}

use Verdict::{Broken, Fail, Pass, Undecided};

#[test]
fn the_verdict_of_a_run_is_the_worst_of_its_cells_or_of_its_comparison() {
    let both = [Pass, Pass];
    assert!(folded(vec![run(both), cells_of(both), vec![told(Pass, 0)]]).is_ok());
    // A comparison makes a cell worse than its job, and with it the run.
    assert!(folded(vec![run(both), vec![compared()], cells_of([Fail, Pass]), vec![told(Fail, 1)]]).is_ok());
    let said = law(vec![run(both), cells_of([Fail, Pass]), vec![told(Pass, 0)]]);
    assert_eq!(said, "the run is judged pass, and the worst of its cells is fail");
    let said = law(vec![run(both), cells_of(both), vec![told(Undecided, 4)]]);
    assert_eq!(said, "the run is judged undecided, and the worst of its cells is pass");
    // Whatever the cells say, a run that could not keep its log is broken; but never hides a failure.
    assert!(folded(vec![run(both), cells_of(both), vec![told(Broken, 3)]]).is_ok());
    let said = law(vec![run([Fail, Pass]), cells_of([Fail, Pass]), vec![told(Broken, 3)]]);
    assert_eq!(said, "the run is judged broken, and the worst of its cells is fail");
    // Nothing was compared: the run cannot pass, though each of its cells does.
    let nothing = || vec![Fact::RunCompared(Box::<Compared>::default())];
    assert!(folded(vec![run(both), nothing(), cells_of(both), vec![told(Undecided, 4)]]).is_ok());
    assert!(law(vec![run(both), nothing(), cells_of(both), vec![told(Pass, 0)]]).contains("undecided"));
}

#[test]
fn the_exit_code_is_that_of_the_verdict_or_of_the_interrupt() {
    let both = [Pass, Undecided];
    let with = |exit_code, interrupted: Option<&str>| {
        let interrupted = interrupted.map(str::to_owned);
        let run_judged = Fact::RunJudged { verdict: Undecided, exit_code, interrupted };
        folded(vec![run(both), cells_of(both), vec![run_judged]])
    };
    assert!(with(4, None).is_ok() && with(130, Some("SIGINT")).is_ok() && with(143, Some("SIGTERM")).is_ok());
    assert_eq!(with(0, None).expect_err("0"), "exit code 0 is not that of such a run, 4");
    assert_eq!(with(4, Some("SIGINT")).expect_err("4"), "exit code 4 is not that of such a run, 130");
}

#[test]
fn every_cell_is_judged_once_after_its_job_and_before_the_run() {
    let both = [Pass, Fail];
    let said = law(vec![run(both)[..3].to_vec(), cells_of(both)]);
    assert_eq!(said, "job 1 was never judged");
    let said = law(vec![run(both), cells_of(both)[..1].to_vec(), vec![told(Fail, 1)]]);
    assert_eq!(said, "`fling the feed` of job 1 was never judged");
    let said = law(vec![run(both), cells_of(both), cells_of(both)]);
    assert_eq!(said, "`fling the feed` of job 0 was already judged");
    let said = law(vec![run(both), cells_of(both), vec![compared()]]);
    assert_eq!(said, "the run is compared before its cells are judged");
    assert_eq!(law(vec![run(both), vec![whole_judged(7, Pass)]]), "job 7 is not in the plan");
    let unsaid = CellVerdict { verdict: None, ..cell_of(0, FEED, Pass) };
    assert!(law(vec![run(both), vec![cell_judged(unsaid)]]).contains("without a verdict"));
    let said = law(vec![run(both), cells_of([Pass, Pass]), vec![told(Pass, 0)]]);
    assert_eq!(said, "job 1 is fail, and the worst of its cells is pass");
    // A job may say more than its windows.
    let more = vec![whole_judged(1, Fail)];
    assert!(folded(vec![run(both), cells_of([Pass, Pass]), more, vec![told(Fail, 1)]]).is_ok());
}

#[test]
fn what_a_run_announces_keeps_the_law_and_is_what_its_log_gives() {
    let crash = Fault::new(FaultCode::AppCrashed, "the app crashed");
    for (first, baseline) in [
        (job_judged(0, Pass, None, &[]), None),
        (job_judged(0, Undecided, None, &["few frames"]), Some(compared())),
        (job_judged(0, Fail, Some(crash.clone()), &["the app crashed"]), None),
        (
            Fact::JobJudged {
                job: 0,
                verdict: Fail,
                windows: Vec::new(),
                fault: Some(crash),
                reasons: Vec::new(),
            },
            None,
        ),
    ] {
        let mut facts = run([Pass, Pass]);
        facts[2] = first;
        facts.extend(baseline);
        let before = folded(vec![facts.clone()]).expect("a lawful log");
        facts.extend(cells::judged(&before, false).into_iter().map(cell_judged));
        let verdict = cells::run_verdict(&before);
        facts.push(told(verdict, verdict.exit_code()));
        let after = folded(vec![facts]).expect("announced cells and the run's verdict agree");
        let of = |record: &Record| -> Vec<CellVerdict> {
            let all = record.jobs.values();
            all.flat_map(|job| cells::of_job(record, job)).map(|cell| cell.into_owned()).collect()
        };
        assert_eq!(of(&after), of(&before));
    }
}

#[test]
fn what_was_announced_is_the_truth_also_of_a_log_that_ends_between_the_cells() {
    let early = vec![cell_judged(CellVerdict { cause: Some("as.said".into()), ..cell_of(0, FEED, Fail) })];
    let events: Vec<Event> = numbered([run([Pass, Undecided]), early].concat());
    let record = Record::fold(&events).expect("a lawful log");
    let told: Vec<_> = record.jobs.values().flat_map(|job| cells::of_job(&record, job)).collect();
    let said: Vec<_> = told.iter().map(|cell| (cell.verdict, cell.cause.as_deref())).collect();
    assert_eq!(said, [(Some(Fail), Some("as.said")), (Some(Undecided), Some("undecided.no_frames"))]);
}

#[test]
fn a_fault_has_one_verdict_and_a_window_it_cut_short_has_it_too() {
    let fault = |code: FaultCode| Fault::new(code, "x");
    let all = [
        (FaultCode::AppCrashed, Fail),
        (FaultCode::PageNotReady, Fail),
        (FaultCode::DeviceLost, Broken),
        (FaultCode::Panic, Broken),
        (FaultCode::Interrupted, Undecided),
        (FaultCode::OldBuild, Undecided),
        (FaultCode::ApkOther, Broken),
    ];
    for (code, expected) in all {
        assert_eq!(fault(code.clone()).verdict(), expected, "{code}");
        let mut facts = run([Pass, Pass]);
        facts[2] = job_judged(0, expected, Some(fault(code.clone())), &["x"]);
        let record = folded(vec![facts]).expect("a lawful log");
        let cells = cells::judged(&record, false);
        assert_eq!((cells[0].verdict, cells[0].by_fault), (Some(expected), true), "{code}");
        assert_eq!((cells[1].verdict, cells.len()), (Some(Pass), 2));
    }
}

#[test]
fn a_baseline_makes_the_window_of_its_phone_worse_and_says_why() {
    let Fact::RunCompared(compared) = compared() else { unreachable!() };
    let facts = [run([Pass, Pass]), vec![Fact::RunCompared(compared.clone())]].concat();
    let cells = cells::judged(&folded(vec![facts]).expect("a lawful log"), false);
    assert!(cells.iter().all(|cell| cell.verdict == Some(Fail)), "both jobs are of that phone and scenario");
    assert_eq!(cells[0].cause.as_deref(), Some("regression.hitch_ms_per_s"));
    assert_eq!(cells[0].against.as_deref(), Some("hitch 14 → 41 ms/s"));
    // What explains has no vote, and what cannot be told is not green.
    let one = |role, state| {
        let mut compared = compared.clone();
        (compared.cells[0].role, compared.cells[0].state) = (role, state);
        let facts = [run([Pass, Pass]), vec![Fact::RunCompared(compared)]].concat();
        let cell = cells::judged(&folded(vec![facts]).expect("a lawful log"), false).swap_remove(0);
        (cell.verdict, cell.cause)
    };
    assert_eq!(one(Role::Alert, State::Regression), (Some(Pass), None));
    let inconclusive = Some("undecided.inconclusive".to_owned());
    assert_eq!(one(Role::Primary, State::Inconclusive), (Some(Undecided), inconclusive));
}

#[test]
fn an_interrupted_run_says_so_where_a_trial_was_open() {
    let record = folded(vec![run([Undecided, Pass])]).expect("a lawful log");
    let cause = |interrupted| cells::judged(&record, interrupted)[0].cause.clone();
    assert_eq!(cause(true).as_deref(), Some("undecided.interrupted"));
    assert_eq!(cause(false).as_deref(), Some("undecided.no_frames"));
    assert_eq!(cells::judged(&record, true)[1].cause, None);
}

#[test]
fn a_job_without_windows_is_one_cell() {
    let record = Record::fold(&numbered(vec![run_started(), plan_made(1), judged(0)])).expect("a lawful log");
    let cells = cells::judged(&record, false);
    assert_eq!((cells.len(), cells[0].window.as_str(), cells[0].whole), (1, JOB_ROW, true));
}
