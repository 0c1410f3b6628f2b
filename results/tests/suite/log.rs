//! Logs for tests: small events, and legal logs walked at random by rules of their own (a second witness to the laws).

use farmjank_results::cell::CellKey;
use farmjank_results::cells::JOB_ROW;
use farmjank_results::compare::{CellCompared, Compared, Design, Role, Source, State};
use farmjank_results::device::DeviceId;
use farmjank_results::event::{CellVerdict, Ending, Event, FORMAT, Fact, JobId, PlannedJob};
use farmjank_results::frame::SourceId;
use farmjank_results::metric::{Better, Unit};
use farmjank_results::time::RunTime;
use farmjank_results::verdict::Verdict;

/// Facts as a numbered log, one millisecond apart.
pub fn numbered(facts: Vec<Fact>) -> Vec<Event> {
    let event = |(seq, fact)| Event { seq, at: RunTime::from_ns(seq as i64 * 1_000_000), shard: None, fact };
    (0u64..).zip(facts).map(event).collect()
}

/// The first fact.
pub fn run_started() -> Fact {
    let (tool, run, wall) = ("0.1.0".into(), "r1".into(), "2026-01-02T03:04:05Z".into());
    Fact::RunStarted { format: FORMAT, tool, run, wall, seed: u64::MAX, lab: Some("demo".into()) }
}

/// A plan of this many jobs.
pub fn plan_made(jobs: u32) -> Fact {
    Fact::PlanMade {
        digest: "d".into(),
        jobs: (0..jobs).map(planned).collect(),
        refusals: Vec::new(),
        absent: Vec::new(),
        shards: None,
        quarantined: Vec::new(),
    }
}

/// One planned job.
pub fn planned(job: JobId) -> PlannedJob {
    PlannedJob {
        job,
        scenario: "Home feed".into(),
        file: "feed.yaml".into(),
        hash: "ab12".into(),
        app: "com.example.shop".into(),
        tags: vec!["gate".into()],
        device: Some(phone(0)),
        iterations: 5,
        warmup: 1,
        windows: Vec::new(),
        ..PlannedJob::default()
    }
}

/// A phone.
pub fn phone(number: u32) -> DeviceId {
    DeviceId(format!("lab-{number}"))
}

/// A job's phone, granted.
pub fn granted(job: JobId, number: u32) -> Fact {
    Fact::LeaseGranted { job, device: phone(number) }
}

/// A job's phone, returned.
pub fn returned(job: JobId, number: u32) -> Fact {
    Fact::LeaseReturned { job, device: phone(number), reason: "done".into() }
}

/// A trial begins.
pub fn trial_started(job: JobId, trial: u32) -> Fact {
    Fact::TrialStarted {
        job,
        trial,
        counted: trial > 0,
        diagnostic: false,
        reference: false,
        settling: false,
        turn: None,
    }
}

/// A trial ends.
pub fn trial_finished(job: JobId, trial: u32, ending: Ending) -> Fact {
    Fact::TrialFinished { job, trial, counted: trial > 0, ending, windows: Vec::new() }
}

/// A step begins.
pub fn step_started(job: JobId, trial: u32, step: &str) -> Fact {
    Fact::StepStarted { job, trial, step: step.into(), line: 3, what: "swipe".into() }
}

/// A step ends.
pub fn step_finished(job: JobId, trial: u32, step: &str) -> Fact {
    Fact::StepFinished { job, trial, step: step.into(), stamps: None, fault: None }
}

/// Frames arrived.
pub fn sample_taken(job: JobId, trial: u32) -> Fact {
    Fact::SampleTaken { job, trial, window: "fling".into(), samples: 2, frames: 99, fps: Some(59.7) }
}

/// A source was chosen.
pub fn source_chosen(job: JobId, trial: u32) -> Fact {
    Fact::SourceChosen {
        job,
        trial,
        window: "fling".into(),
        source: SourceId::SurfaceFlinger,
        target: "com.example.shop/.Feed#0".into(),
        ring_rows: 127,
        every_ms: 341.5,
        passed_over: Vec::new(),
    }
}

/// A job is judged.
pub fn judged(job: JobId) -> Fact {
    Fact::JobJudged { job, verdict: Verdict::Pass, windows: Vec::new(), fault: None, reasons: Vec::new() }
}

/// A cell.
pub fn cell_of(job: JobId, window: &str, verdict: Verdict) -> CellVerdict {
    CellVerdict {
        job,
        scenario: "Home feed".into(),
        device: Some(phone(0)),
        window: window.into(),
        whole: false,
        verdict: Some(verdict),
        cause: None,
        by_fault: false,
        reasons: Vec::new(),
        fault: None,
        against: None,
        quarantined: None,
    }
}

/// A cell is judged.
pub fn cell_judged(cell: CellVerdict) -> Fact {
    Fact::CellJudged(Box::new(cell))
}

/// A job as a whole is judged as a cell.
pub fn whole_judged(job: JobId, verdict: Verdict) -> Fact {
    cell_judged(CellVerdict { whole: true, ..cell_of(job, JOB_ROW, verdict) })
}

/// The run is judged.
pub fn run_judged() -> Fact {
    Fact::RunJudged { verdict: Verdict::Pass, exit_code: 0, interrupted: None }
}

/// A delivery.
pub fn delivery() -> Fact {
    Fact::DeliveryMade { reporter: "junit".into(), what: "junit.xml".into() }
}

/// A notice.
pub fn noticed(job: Option<JobId>) -> Fact {
    Fact::Noticed { job, what: "a thing".into() }
}

/// Where a job of the walk stands.
#[derive(Clone, Default)]
struct Walker {
    lease: Option<u32>,
    trial: Option<u32>,
    steps: Vec<String>,
    trials: u32,
    judged: bool,
}

/// A complete legal log of up to four jobs on three phones, chosen by `choices`.
pub fn legal(jobs: u32, choices: &[u8]) -> Vec<Event> {
    let mut facts = vec![run_started(), plan_made(jobs)];
    let mut walkers = vec![Walker::default(); jobs as usize];
    for pair in choices.chunks_exact(2) {
        if jobs == 0 {
            facts.push(noticed(None));
            continue;
        }
        let job = u32::from(pair[0]) % jobs;
        let taken: Vec<u32> = walkers.iter().filter_map(|walker| walker.lease).collect();
        let free = (0..3).find(|number| !taken.contains(number));
        facts.push(walk(job, &mut walkers[job as usize], free, pair[1]));
    }
    for (job, walker) in (0u32..).zip(&walkers) {
        if let Some(trial) = walker.trial {
            facts.push(trial_finished(job, trial, Ending::Interrupted));
        }
        if !walker.judged {
            facts.push(judged(job));
        }
        facts.extend(walker.lease.map(|number| returned(job, number)));
    }
    facts.extend((0..jobs).map(|job| whole_judged(job, Verdict::Pass)));
    facts.extend([run_judged(), delivery(), Fact::RunFinished { exit_code: 0 }]);
    numbered(facts)
}

/// One legal move of one job.
fn walk(job: JobId, walker: &mut Walker, free: Option<u32>, choice: u8) -> Fact {
    if let Some(trial) = walker.trial {
        return inside(job, trial, walker, choice);
    }
    match (walker.judged, walker.lease, free) {
        (true, Some(number), _) => {
            walker.lease = None;
            returned(job, number)
        }
        (true, None, _) | (false, None, None) => noticed(Some(job)),
        (false, None, Some(number)) => match choice % 5 {
            0 => Fact::JobQueued { job, why: "busy".into() },
            1 if choice > 200 => {
                walker.judged = true;
                judged(job)
            }
            _ => {
                walker.lease = Some(number);
                granted(job, number)
            }
        },
        (false, Some(number), _) => match choice % 7 {
            0 => {
                walker.judged = true;
                judged(job)
            }
            1 => {
                walker.lease = None;
                returned(job, number)
            }
            _ => {
                walker.trials += 1;
                walker.trial = Some(walker.trials - 1);
                trial_started(job, walker.trials - 1)
            }
        },
    }
}

fn inside(job: JobId, trial: u32, walker: &mut Walker, choice: u8) -> Fact {
    match (choice % 6, walker.steps.pop()) {
        (0 | 1, open) => {
            walker.steps.extend(open);
            let step = format!("steps[{choice}].repeat#{}", walker.steps.len());
            walker.steps.push(step.clone());
            step_started(job, trial, &step)
        }
        (2 | 3, Some(step)) => step_finished(job, trial, &step),
        (4, open) => {
            walker.steps.extend(open);
            sample_taken(job, trial)
        }
        (_, open) => {
            let ending = if open.is_none() { Ending::Completed } else { Ending::Interrupted };
            (walker.trial, walker.steps) = (None, Vec::new());
            trial_finished(job, trial, ending)
        }
    }
}

/// Facts of a phone, with numbers that only an exact reader brings back.
pub fn facts_of(serial: &str) -> farmjank_results::device::DeviceFacts {
    use farmjank_results::device::{AnimationScales, Battery, DeviceFacts, RefreshMode, Screen};
    DeviceFacts {
        id: DeviceId(serial.into()),
        model: "SM-A136U".into(),
        manufacturer: "samsung".into(),
        sdk: 34,
        release: "14".into(),
        fingerprint: "samsung/a13x/a13x:14/UP1A".into(),
        screen: Some(Screen { width: 1080, height: 2408, rotation: 0, density: 450 }),
        modes: vec![RefreshMode { id: 1, hz: 120.00001, width: 1080, height: 2408 }],
        active_hz: Some(59.940_059_999_999_9),
        ram_mb: Some(3_711),
        battery: Some(Battery { percent: 80, decidegrees: 301, plugged: true, faked: false, saver: false }),
        thermal_status: Some(0),
        animations: Some(AnimationScales { window: 1.0, transition: 0.5, animator: 0.0 }),
        keyguard: Some(false),
        awake: Some(true),
        emulator: false,
        is_virtual: true,
        tags: ["rack".to_owned()].into(),
    }
}

fn cell() -> CellKey {
    CellKey {
        model: "Pixel 8".into(),
        build: "google/shiba/shiba:14/A/1:user/release-keys".into(),
        refresh: 120,
        scenario: "Home feed".into(),
        hash: "ab12".into(),
        window: "fling the feed".into(),
        metric: "hitch_ms_per_s".into(),
        metric_version: 1,
        source: "surfaceflinger".into(),
    }
}

/// The run held against a baseline, which has nothing of one cell and finds another slower.
pub fn compared() -> Fact {
    let slower = CellCompared {
        key: cell(),
        device: phone(0),
        phones: None,
        role: Role::Primary,
        state: State::Regression,
        design: Some(Design::Stored),
        unit: Some(Unit::MsPerS),
        better: Better::Lower,
        base: Some(14.0),
        new: Some(41.0),
        means: Some((14.5, 40.25)),
        estimate: Some(27.0),
        interval: Some((19.0, 35.0)),
        mean_interval: None,
        terrible: None,
        p_two_sided: Some(0.0001),
        p_worse: Some(0.00005),
        p_adjusted: Some(0.0001),
        n: (75, 15),
        sessions: (5, 1),
        independent: None,
        mei: Some(15.0),
        mde: Some(12.0),
        looks: None,
        screened_out: false,
        noise_nights: None,
        reasons: Vec::new(),
        sentence: "hitch 14 → 41 ms/s".into(),
        quarantined: false,
    };
    let unknown = CellCompared {
        role: Role::Secondary,
        state: State::NoBaseline,
        design: None,
        base: None,
        means: None,
        estimate: None,
        interval: None,
        mean_interval: None,
        terrible: None,
        p_two_sided: None,
        p_worse: None,
        p_adjusted: None,
        sessions: (0, 1),
        mei: None,
        mde: None,
        reasons: vec!["OS build differs in 5 of 5 sessions".into()],
        ..slower.clone()
    };
    let baseline = Source {
        name: "release".into(),
        wall: Some("2026-03-01T00:00:00Z".into()),
        by: Some("rel-eng".into()),
        why: None,
    };
    Fact::RunCompared(Box::new(Compared {
        baseline,
        cells: vec![slower, unknown],
        notes: vec!["a note".into()],
    }))
}
