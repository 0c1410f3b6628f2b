//! What is in quarantine is told and does not count: the laws of its announcement, the verdict without it, and a log
//! of before that knows none.

use crate::log::*;
use farmjank_results::cells;
use farmjank_results::compare::{Compared, Given, Role, Rules, Source, State, compare_run, measured};
use farmjank_results::device::{DeviceFacts, DeviceId, Readiness};
use farmjank_results::event::{
    CellVerdict, Ending, Fact, JobId, PlannedWindow, WindowJudged, WindowMeasured,
};
use farmjank_results::metric::Reading;
use farmjank_results::quarantine::{Quarantine, Quarantined};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;

const FEED: &str = "fling the feed";

fn terms() -> Quarantine {
    Quarantine { reason: "the battery swells".into(), owner: "ana".into(), until: "2026-12-01".into() }
}

fn of_job(job: JobId, window: Option<&str>) -> Quarantined {
    Quarantined { job, window: window.map(str::to_owned), quarantine: terms() }
}

/// Two jobs with one window each, judged so.
fn run(verdicts: [Verdict; 2], all: Vec<Quarantined>) -> Vec<Fact> {
    let Fact::PlanMade { digest, mut jobs, refusals, absent, shards, .. } = plan_made(2) else {
        unreachable!()
    };
    for job in &mut jobs {
        job.windows = vec![PlannedWindow { name: FEED.into(), line: 3, column: 5 }];
    }
    let judged = |(job, verdict): (JobId, Verdict)| Fact::JobJudged {
        job,
        verdict,
        windows: vec![WindowJudged {
            window: FEED.into(),
            verdict,
            judgements: Vec::new(),
            counted: 5,
            void: Vec::new(),
            reasons: Vec::new(),
            new_causes: Vec::new(),
        }],
        fault: None,
        reasons: Vec::new(),
    };
    let mut facts =
        vec![run_started(), Fact::PlanMade { digest, jobs, refusals, absent, shards, quarantined: all }];
    facts.extend((0..).zip(verdicts).map(judged));
    facts
}

fn cell(job: JobId, verdict: Verdict, quarantined: bool) -> Fact {
    cell_judged(CellVerdict { quarantined: quarantined.then(terms), ..cell_of(job, FEED, verdict) })
}

fn told(verdict: Verdict) -> Fact {
    Fact::RunJudged { verdict, exit_code: verdict.exit_code(), interrupted: None }
}

fn folded(facts: Vec<Vec<Fact>>) -> Result<Record, String> {
    Record::fold(&numbered(facts.concat())).map_err(|broken| broken.law)
}

fn law(facts: Vec<Vec<Fact>>) -> String {
    folded(facts).expect_err("the last fact breaks a law")
}

use Verdict::{Broken, Fail, Pass, Undecided};

#[test]
fn a_cell_in_quarantine_has_its_own_verdict_and_no_part_in_that_of_the_run() {
    for of in [of_job(0, None), of_job(0, Some(FEED))] {
        let record = folded(vec![run([Fail, Pass], vec![of])]).expect("a lawful log");
        let judged = cells::judged(&record, false);
        let said: Vec<_> = judged.iter().map(|cell| (cell.verdict, cell.quarantined.is_some())).collect();
        assert_eq!(said, [(Some(Fail), true), (Some(Pass), false)]);
        assert_eq!((cells::run_verdict(&record), cells::is_ungated(&record)), (Pass, false));
        let announced: Vec<Fact> = judged.into_iter().map(cell_judged).collect();
        let quarantined = record.quarantined.clone();
        let whole = folded(vec![run([Fail, Pass], quarantined), announced, vec![told(Pass)]]);
        assert_eq!(whole.expect("announced cells and the run's verdict agree").exit_code, Some(0));
    }
    // What gates decides, whatever stands beside it.
    let record = folded(vec![run([Fail, Broken], vec![of_job(0, None)])]).expect("a lawful log");
    assert_eq!(cells::run_verdict(&record), Broken);
}

#[test]
fn a_run_of_which_nothing_gates_is_undecided() {
    let all = || vec![of_job(0, None), of_job(1, Some(FEED))];
    for verdicts in [[Pass, Pass], [Fail, Broken]] {
        let record = folded(vec![run(verdicts, all())]).expect("a lawful log");
        assert_eq!((cells::run_verdict(&record), cells::is_ungated(&record)), (Undecided, true));
        let cells = || (0..).zip(verdicts).map(|(job, verdict)| cell(job, verdict, true)).collect::<Vec<_>>();
        assert!(folded(vec![run(verdicts, all()), cells(), vec![told(Undecided)]]).is_ok());
        let said = law(vec![run(verdicts, all()), cells(), vec![told(Pass)]]);
        assert_eq!(said, "the run is judged pass, and the worst of its cells is undecided");
    }
}

#[test]
fn a_cell_says_of_its_quarantine_what_the_plan_says() {
    let both = [Fail, Pass];
    let said = law(vec![run(both, vec![of_job(0, None)]), vec![cell(0, Fail, false)]]);
    assert_eq!(said, "`fling the feed` of job 0 is in quarantine by the plan, and does not say so");
    let said = law(vec![run(both, Vec::new()), vec![cell(0, Fail, true)]]);
    assert_eq!(said, "`fling the feed` of job 0 is in quarantine, and gates by the plan");
    let other = Quarantine { until: "2030-01-01".into(), ..terms() };
    let longer = cell_judged(CellVerdict { quarantined: Some(other), ..cell_of(0, FEED, Fail) });
    assert!(law(vec![run(both, vec![of_job(0, None)]), vec![longer]]).contains("by the plan"));
}

#[test]
fn the_plan_says_once_of_what_it_has_that_it_is_in_quarantine() {
    let of = |all: Vec<Quarantined>| law(vec![run([Pass, Pass], all)]);
    assert_eq!(of(vec![of_job(7, None)]), "job 7 is in quarantine, and not in the plan");
    assert_eq!(of(vec![of_job(1, Some("x"))]), "`x` of job 1 is in quarantine, and not in the plan");
    let once = "what is in quarantine is said once, in order of jobs and windows";
    assert_eq!(of(vec![of_job(1, None), of_job(1, None)]), once);
    assert_eq!(of(vec![of_job(1, None), of_job(0, None)]), once);
}

#[test]
fn a_comparison_counts_what_gates() {
    let Fact::RunCompared(compared) = compared() else { unreachable!() };
    assert_eq!(compared.verdict(), Fail);
    let mut aside = (*compared).clone();
    aside.cells.iter_mut().for_each(|cell| cell.quarantined = true);
    // Nothing that gates was compared.
    assert_eq!((aside.verdict(), aside.count(aside.cells[0].state)), (Undecided, 0));
    let mut passing = compared.cells[0].clone();
    passing.state = farmjank_results::compare::State::Pass;
    let both = Compared { cells: aside.cells.iter().cloned().chain([passing]).collect(), ..aside };
    assert_eq!(both.verdict(), Pass);
}

/// A phone of one model.
fn facts(number: u32) -> DeviceFacts {
    let text = r#"{"id":"lab-N","model":"Pixel 7","manufacturer":"Google","sdk":34,"release":"14",
        "fingerprint":"google/panther:14/AP1A/1:user/release-keys","screen":null,"modes":[],"active_hz":null,"ram_mb":null,
        "battery":null,"thermal_status":null,"animations":null,"keyguard":null,"awake":null,"emulator":false,
        "is_virtual":true,"tags":[]}"#;
    serde_json::from_str(&text.replace('N', &number.to_string())).expect("facts of a phone")
}

/// A run of two phones of one model, each with thirty iterations around a hitch time.
fn measured_run(id: &str, hitch: [f64; 2], all: Vec<Quarantined>) -> Record {
    let Fact::PlanMade { digest, mut jobs, refusals, absent, shards, .. } = plan_made(2) else {
        unreachable!()
    };
    let mut facts_of_run = vec![run_started()];
    if let Fact::RunStarted { run, .. } = &mut facts_of_run[0] {
        id.clone_into(run);
    }
    for (job, number) in jobs.iter_mut().zip(0..) {
        job.windows = vec![PlannedWindow { name: FEED.into(), line: 3, column: 5 }];
        job.device = Some(phone(number));
        let facts = Some(Box::new(facts(number)));
        facts_of_run.push(Fact::DeviceSeen { device: phone(number), state: Readiness::Ready, facts });
    }
    facts_of_run.push(Fact::PlanMade { digest, jobs, refusals, absent, shards, quarantined: all });
    for (job, level) in (0..).zip(hitch) {
        facts_of_run.push(granted(job, job));
        for trial in 1..31 {
            facts_of_run.push(trial_started(job, trial));
            let value = Reading::Value(level + f64::from(trial % 3));
            let readings = [("hitch_ms_per_s".to_owned(), value)].into();
            let windows = vec![WindowMeasured { window: FEED.into(), readings, ..WindowMeasured::default() }];
            facts_of_run.push(Fact::TrialFinished {
                job,
                trial,
                counted: true,
                ending: Ending::Completed,
                windows,
            });
        }
        facts_of_run.push(judged(job));
        facts_of_run.push(returned(job, job));
    }
    folded(vec![facts_of_run]).expect("a lawful log")
}

#[test]
fn a_phone_in_quarantine_is_no_regression_and_in_no_cell_with_its_twins() {
    let nights = (0..6).map(|night| {
        let level = 14.0 + 0.2 * f64::from(night);
        measured_run(&format!("night-{night}"), [level, level], Vec::new())
    });
    let base: Vec<_> = nights.flat_map(|night| measured(&night)).map(|one| one.session).collect();
    let rules = Rules::of(Given::Run, 0);
    let held = |all: Vec<Quarantined>| {
        compare_run(Source::default(), &base, &measured_run("new", [14.3, 90.0], all), &rules)
    };
    let both = held(Vec::new());
    assert_eq!(both.verdict(), Fail, "{both:?}");
    let apart = held(vec![of_job(1, None)]);
    assert_eq!((apart.verdict(), apart.count(State::Regression)), (Pass, 0), "{apart:?}");
    let primary = apart.cells.iter().filter(|cell| cell.role == Role::Primary);
    let told: Vec<_> = primary.map(|cell| (cell.device.clone(), cell.state, cell.quarantined)).collect();
    let id = |number: u32| DeviceId(format!("lab-{number}"));
    assert_eq!(told, [(id(0), State::Pass, false), (id(1), State::Regression, true)]);
    assert_eq!(apart.notes, both.notes, "the baseline has nothing more because of it");
}
