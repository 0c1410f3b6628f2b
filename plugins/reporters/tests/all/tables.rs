//! The table in the runs that are not like the golden one.

use crate::believable::{Film, Log, Words, events};
use farmjank_reporters::paint::TextStyle;
use farmjank_reporters::table::table;
use farmjank_reporters::{json, junit};
use farmjank_results::event::{FORMAT, Fact};
use farmjank_results::metric::Unit;
use farmjank_results::threshold::Outcome;
use farmjank_results::verdict::Verdict;
use std::time::Duration;

fn lines(log: &Log) -> String {
    table(&log.record(), &Film, TextStyle::default(), None)
}

fn started(log: &mut Log) {
    let [tool, run, wall] = ["farmjank 0.1.0", "r", "2026-03-01T12:00:00Z"].map(str::to_owned);
    log.tell(0, Fact::RunStarted { format: FORMAT, tool, run, wall, seed: 1, lab: None });
}

#[test]
fn a_run_of_nothing_says_so() {
    let mut log = Log::default();
    started(&mut log);
    log.tell(1, Fact::RunJudged { verdict: Verdict::Undecided, exit_code: 5, interrupted: None });
    let text = lines(&log);
    assert!(text.ends_with("UNDECIDED  nothing was run · exit 5 (nothing selected)\n"), "{text}");
    assert!(!text.contains("VIRTUAL"), "real phones are not labelled");
}

#[test]
fn an_interrupted_run_says_what_interrupted_it() {
    let mut log = events(&Words::default());
    for event in &mut log.events {
        if let Fact::RunJudged { exit_code, interrupted, .. } = &mut event.fact {
            (*exit_code, *interrupted) = (130, Some("interrupt from the keyboard".to_owned()));
        }
    }
    log.events.pop();
    let text = lines(&log);
    assert!(text.contains("INTERRUPTED: interrupt from the keyboard"), "{text}");
    assert!(text.contains("exit 130 (interrupted)"), "{text}");
}

#[test]
fn a_confidence_shows_its_bound_and_voids_their_cause() {
    let mut log = events(&Words::default());
    for event in &mut log.events {
        if let Fact::JobJudged { job: 1, windows, verdict, .. } = &mut event.fact {
            *verdict = Verdict::Undecided;
            windows[0].verdict = Verdict::Undecided;
            windows[0].void = vec!["screen went off".to_owned()];
            windows[0].counted = 2;
            let mut judgement = windows[0].judgements[1].clone();
            judgement.unit = Unit::MsPerS;
            judgement.confidence_bound = Some(12.25);
            judgement.outcome = Outcome::Unknown("the bound and the mean disagree".to_owned());
            windows[0].judgements = vec![judgement];
        }
    }
    let text = lines(&log);
    assert!(text.contains("mean < 10 (bound 12.2 ms/s)"), "{text}");
    assert!(text.contains("why  the bound and the mean disagree"), "{text}");
    assert!(text.contains("2 of 3 trials (1 void: screen went off)"), "{text}");
    assert!(junit::junit(&log.record(), &junit::Options::default()).contains("undecided.inconclusive"));
}

/// Many phones, each with the three windows of the second phone of the believable run, which all pass.
fn farm(phones: u32) -> Log {
    let small = events(&Words::default()).events;
    let mut log = Log::default();
    started(&mut log);
    let mut plan =
        small.iter().find(|event| matches!(event.fact, Fact::PlanMade { .. })).unwrap().fact.clone();
    if let Fact::PlanMade { jobs, .. } = &mut plan {
        let model = jobs[1].clone();
        let one = |job| farmjank_results::event::PlannedJob {
            job,
            device: Some(farmjank_results::device::DeviceId(format!("SERIAL{job:04}"))),
            ..model.clone()
        };
        *jobs = (0..phones).map(one).collect();
    }
    log.tell(1, plan);
    let of_second: Vec<&Fact> =
        small.iter().map(|event| &event.fact).filter(|fact| about(fact) == Some(1)).collect();
    for number in 0..phones {
        for fact in &of_second {
            let mut fact = (*fact).clone();
            renumber(&mut fact, number);
            log.tell(1, fact);
        }
    }
    log.tell(1, Fact::RunJudged { verdict: Verdict::Pass, exit_code: 0, interrupted: None });
    log
}

fn about(fact: &Fact) -> Option<u32> {
    match fact {
        Fact::LeaseGranted { job, .. }
        | Fact::LeaseReturned { job, .. }
        | Fact::TrialStarted { job, .. }
        | Fact::TrialFinished { job, .. }
        | Fact::JobJudged { job, .. } => Some(*job),
        _ => None,
    }
}

fn renumber(fact: &mut Fact, number: u32) {
    match fact {
        Fact::LeaseGranted { job, device } | Fact::LeaseReturned { job, device, .. } => {
            (*job, device.0) = (number, format!("SERIAL{number:04}"));
        }
        Fact::TrialStarted { job, .. } | Fact::TrialFinished { job, .. } | Fact::JobJudged { job, .. } => {
            *job = number
        }
        _ => {}
    }
}

#[test]
fn many_passes_take_one_line_each() {
    let text = lines(&farm(20));
    assert_eq!(text.lines().filter(|line| line.starts_with("✓ pass")).count(), 60);
    assert!(text.contains("limits of the 60 passing cells are left out here"), "{text}");
    assert!(text.lines().count() < 75, "{}", text.lines().count());
    assert!(text.ends_with("PASS  60 passed · exit 0 (passed)\n"), "{text}");
}

/// Not a timed test: it ends or it does not. Printed for those who look (`--nocapture`).
#[test]
fn a_large_farm_is_reported() {
    let log = farm(500);
    let record = log.record();
    let timed = |what: &str, work: &dyn Fn() -> usize| {
        let clock = indicatif::ProgressBar::hidden();
        let bytes = work();
        let took: Duration = clock.elapsed();
        println!("{what}: {bytes} bytes in {took:?}");
        assert!(bytes > 1_000);
    };
    timed("table", &|| table(&record, &Film, TextStyle::default(), None).len());
    timed("junit", &|| junit::junit(&record, &junit::Options::default()).len());
    timed("json", &|| json::json(&record).len());
    timed("lanes and lines", &|| {
        use farmjank_seams::reporter::Reporter as _;
        let mut console = farmjank_reporters::console::Console::new(TextStyle::default(), None);
        let mut lanes = farmjank_reporters::lanes::Lanes::default();
        let mut so_far = farmjank_results::record::Record::default();
        let mut said = 0;
        for (at, event) in log.events.iter().enumerate() {
            so_far.apply(event).unwrap();
            said += console.observe(event, &so_far).len();
            lanes.observe(event, &so_far);
            if at % 100 == 0 {
                said += lanes.lines(&so_far, TextStyle::default(), 40).concat().len();
            }
        }
        said
    });
}
