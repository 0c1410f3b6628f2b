//! A run that could have happened: four phones, three windows each, every verdict, told event by event.

use crate::caused;
pub use crate::film::Film;
use crate::used;
use farmjank_results::device::{DeviceFacts, DeviceId, Readiness, RefreshMode};
use farmjank_results::event::*;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::frame::SourceId;
use farmjank_results::metric::{Reading, Unit};
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::period::{PeriodOrigin, PeriodSegment};
use farmjank_results::record::Record;
use farmjank_results::threshold::{Judgement, Outcome};
use farmjank_results::time::{DeviceTime, RunTime, Span};
use farmjank_results::timeline::{Gap, GapCause, RowCounts};
use farmjank_results::verdict::Verdict;
use farmjank_results::window::Coverage;
use std::collections::{BTreeMap, BTreeSet};

/// Writes events with their numbers.
#[derive(Default)]
pub struct Log {
    pub events: Vec<Event>,
    now_ms: i64,
}

impl Log {
    pub fn tell(&mut self, after_ms: i64, fact: Fact) {
        self.now_ms += after_ms;
        let at = RunTime::from_ns(self.now_ms * 1_000_000);
        self.events.push(Event { seq: self.events.len() as u64, at, shard: None, fact });
    }

    pub fn record(&self) -> Record {
        Record::fold(&self.events).expect("the log obeys the laws")
    }
}

/// Text that phones and files bring in; hostile in one of the tests.
#[derive(Clone)]
pub struct Words {
    pub models: [String; 4],
    pub serials: [String; 4],
    pub windows: [String; 3],
    pub scenario: String,
    pub file: String,
    pub layer: String,
    pub why: String,
    /// The thread whose lock held frames up, as the phone names it.
    pub lock: String,
    pub lab: Option<String>,
    /// Simulated phones that are reached through adb, as those of a served lab.
    pub served: bool,
}

impl Default for Words {
    fn default() -> Self {
        let own = |texts: [&str; 4]| texts.map(str::to_owned);
        Words {
            models: own(["SM-A146P", "Pixel 8 Pro", "Pixel 6a", "moto g54"]),
            serials: own(["R58N30ABCDE", "39081FDJH00123", "2B171JEGR05677", "ZY22HQ7XKL"]),
            windows: ["fling the feed", "open an article", "back to the feed"].map(str::to_owned),
            scenario: "Home feed".to_owned(),
            file: "scenarios/home_feed.yaml".to_owned(),
            layer: "com.example.shop/com.example.shop.FeedActivity#412".to_owned(),
            why: "one gap of 310 ms in trial 2: the ring overflowed between two dumps".to_owned(),
            lock: "\"db-writer\"".to_owned(),
            lab: Some("demo".to_owned()),
            served: false,
        }
    }
}

pub fn facts(words: &Words, at: usize) -> DeviceFacts {
    let hz = [90.0, 120.0, 60.0, 120.0][at];
    DeviceFacts {
        id: DeviceId(words.serials[at].clone()),
        model: words.models[at].clone(),
        manufacturer: ["samsung", "Google", "Google", "motorola"][at].to_owned(),
        sdk: [33, 34, 34, 33][at],
        release: ["13", "14", "14", "13"][at].to_owned(),
        fingerprint: format!("vendor/product/device:{}/BUILD.{at}/1:user/release-keys", [13, 14, 14, 13][at]),
        screen: None,
        modes: vec![
            RefreshMode { id: 1, hz: 60.0, width: 1080, height: 2400 },
            RefreshMode { id: 2, hz, width: 1080, height: 2400 },
        ],
        active_hz: Some(hz),
        ram_mb: Some(5600),
        battery: None,
        thermal_status: Some(if at == 0 { 2 } else { 0 }),
        animations: None,
        keyguard: Some(false),
        awake: Some(true),
        emulator: false,
        is_virtual: words.lab.is_some() || words.served,
        tags: BTreeSet::new(),
    }
}

/// What one window measures: fps, hitch, frozen frames.
type Numbers = (f64, f64, f64);

pub fn measured(
    words: &Words,
    window: usize,
    trial: u32,
    hz: f64,
    numbers: Numbers,
    proved: bool,
) -> WindowMeasured {
    let value = |value: f64| Reading::Value(value + f64::from(trial) * 0.01);
    let start = DeviceTime::from_ns(1_000_000_000 * (i64::from(trial) * 60 + window as i64 * 10));
    let end = start + Span::from_ms(4_200);
    let (used, looks) = used::beside(window, words, start, value(numbers.0 * 3.0));
    let readings = BTreeMap::from([
        ("fps".to_owned(), value(numbers.0)),
        ("hitch_ms_per_s".to_owned(), value(numbers.1)),
        ("frozen_frames".to_owned(), Reading::Value(numbers.2)),
        ("p95_ms".to_owned(), Reading::Value(1000.0 / numbers.0 * 1.4)),
        (
            "first_frame_latency_ms".to_owned(),
            Reading::Unmeasurable("no gesture began in this window".into()),
        ),
    ]);
    WindowMeasured {
        window: words.windows[window].clone(),
        span: Some((start, end)),
        motions: vec![Motion { from: start, to: end, phase: Phase::Fling, touch: None }],
        readings: readings.into_iter().chain(used).collect(),
        refresh_hz: Some(hz),
        coverage: Some(Coverage {
            frames_seen: (numbers.0 * 4.2) as u64,
            samples: 9,
            proved,
            share: if proved { 1.0 } else { 0.9264 },
            gaps: match proved {
                true => Vec::new(),
                false => vec![Gap { after: Some(start), before: Some(end), cause: GapCause::Overflow }],
            },
            source: SourceId::SurfaceFlinger,
            layer: Some(words.layer.clone()),
            periods: vec![PeriodSegment {
                from: start,
                period: Span::from_ns((1e9 / hz) as i64),
                origin: PeriodOrigin::Fitted,
            }],
            period_uncertain: Span::ZERO,
            late_uncertain: Span::ZERO,
            row_counts: RowCounts { samples: 9, ..RowCounts::default() },
            untold: 0,
            doubts: if proved { Vec::new() } else { vec![words.why.clone()] },
        }),
        void: None,
        evidence: vec![format!("evidence/t{trial}/w{window}.dump")],
        frame_log: Some(format!("evidence/{hz}/{}/t{trial}/w{window}.strip", numbers.1)),
        clock: None,
        pace: None,
        around: None,
        beside: looks,
        ..WindowMeasured::default()
    }
}

pub fn judgement(
    metric: &str,
    unit: Unit,
    text: &str,
    actual: f64,
    limit: f64,
    outcome: Outcome,
) -> Judgement {
    let metric = metric.to_owned();
    let text = text.to_owned();
    let values = vec![Some(actual); 3];
    Judgement {
        metric,
        unit,
        text,
        actual: Some(actual),
        limit: Some(limit),
        confidence_bound: None,
        values,
        outcome,
    }
}

fn judged(words: &Words, window: usize, hz: f64, numbers: Numbers, proved: bool) -> WindowJudged {
    let held = |is: bool| match (is, proved) {
        (true, true) => Outcome::Held,
        (true, false) => Outcome::Unknown("coverage is below the floor of 98 %".to_owned()),
        (false, _) => Outcome::Breached,
    };
    let judgements = vec![
        judgement("fps", Unit::Fps, "mean >= 95%refresh", numbers.0, hz * 0.95, held(numbers.0 >= hz * 0.95)),
        judgement("hitch_ms_per_s", Unit::MsPerS, "mean < 10", numbers.1, 10.0, held(numbers.1 < 10.0)),
        judgement("frozen_frames", Unit::Count, "max == 0", numbers.2, 0.0, held(numbers.2 == 0.0)),
    ];
    let breached = judgements.iter().any(|j| j.outcome == Outcome::Breached);
    let verdict = match (breached, proved) {
        (true, _) => Verdict::Fail,
        (false, true) => Verdict::Pass,
        (false, false) => Verdict::Undecided,
    };
    let reasons = match verdict {
        Verdict::Fail => vec![format!(
            "hitch_ms_per_s: mean is {} ms/s, limit `mean < 10`; iterations: 1, 2, 3",
            numbers.1
        )],
        Verdict::Undecided => vec![words.why.clone()],
        _ => Vec::new(),
    };
    WindowJudged {
        window: words.windows[window].clone(),
        verdict,
        judgements,
        counted: 3,
        void: vec![],
        reasons,
        new_causes: Vec::new(),
    }
}

/// The numbers of each phone and window, and whether coverage is proved.
const NUMBERS: [[(Numbers, bool); 3]; 4] = [
    [((71.2, 42.1, 2.0), true), ((84.0, 10.004, 0.0), true), ((89.1, 1.2, 0.0), true)],
    [((119.4, 0.4, 0.0), true), ((118.9, 0.9, 0.0), true), ((119.9, 0.0, 0.0), true)],
    [((59.6, 2.2, 0.0), true), ((58.8, 3.1, 0.0), false), ((59.9, 0.3, 0.0), true)],
    [((0.0, 0.0, 0.0), true); 3],
];

fn planned(words: &Words, job: u32) -> PlannedJob {
    let places = [(14, 5), (22, 5), (30, 5)];
    let window =
        |(name, (line, column)): (&String, (u32, u32))| PlannedWindow { name: name.clone(), line, column };
    PlannedJob {
        job,
        scenario: words.scenario.clone(),
        file: words.file.clone(),
        hash: "9f86d081884c7d65".to_owned(),
        app: "com.example.shop".to_owned(),
        tags: vec!["gate".to_owned()],
        device: Some(DeviceId(words.serials[job as usize].clone())),
        iterations: 3,
        warmup: 1,
        windows: words.windows.iter().zip(places).map(window).collect(),
        ..PlannedJob::default()
    }
}

/// The whole run as events, ending with `RunFinished`.
pub fn events(words: &Words) -> Log {
    let mut log = Log::default();
    let own = str::to_owned;
    log.tell(
        0,
        Fact::RunStarted {
            format: FORMAT,
            tool: own("farmjank 0.1.0"),
            run: own("20260301-120000-5eed"),
            wall: own("2026-03-01T12:00:00Z"),
            seed: 7,
            lab: words.lab.clone(),
        },
    );
    for at in 0..4 {
        let device = DeviceId(words.serials[at].clone());
        log.tell(
            40,
            Fact::DeviceSeen { device, state: Readiness::Ready, facts: Some(Box::new(facts(words, at))) },
        );
    }
    let why = own("sdk is 28, >= 29 is required");
    let refusal = Refusal { scenario: words.scenario.clone(), device: DeviceId(own("R9TT103ABCD")), why };
    let jobs = (0..4).map(|job| planned(words, job)).collect();
    let (digest, refusals, absent) = (own("0badc0de"), vec![refusal], Vec::new());
    log.tell(10, Fact::PlanMade { digest, jobs, refusals, absent, shards: None, quarantined: Vec::new() });
    for job in 0..4 {
        let device = DeviceId(words.serials[job as usize].clone());
        log.tell(5, Fact::LeaseGranted { job, device });
    }
    for trial in 0..4 {
        for job in 0..3 {
            trial_of(&mut log, words, job, trial);
        }
        if trial == 0 {
            lost(&mut log, words);
        }
    }
    let what = own("SM-A146P reached thermal status 2 during trial 2");
    log.tell(0, Fact::Noticed { job: Some(0), what });
    caused::diagnosed(&mut log, words, 0);
    for job in 0..3 {
        let hz = [90.0, 120.0, 60.0][job as usize];
        let of = &NUMBERS[job as usize];
        let windows: Vec<_> = (0..3).map(|w| judged(words, w, hz, of[w].0, of[w].1)).collect();
        let verdict = Verdict::worst(windows.iter().map(|w| w.verdict));
        log.tell(20, Fact::JobJudged { job, verdict, windows, fault: None, reasons: vec![] });
        let device = DeviceId(words.serials[job as usize].clone());
        log.tell(1, Fact::LeaseReturned { job, device, reason: own("done") });
    }
    log.tell(5, Fact::RunJudged { verdict: Verdict::Fail, exit_code: 1, interrupted: None });
    log.tell(9, Fact::DeliveryMade { reporter: own("junit"), what: own("junit.xml") });
    log.tell(2, Fact::RunFinished { exit_code: 1 });
    log
}

fn trial_of(log: &mut Log, words: &Words, job: u32, trial: u32) {
    let counted = trial > 0;
    log.tell(
        10,
        Fact::TrialStarted {
            job,
            trial,
            counted,
            diagnostic: false,
            reference: false,
            settling: false,
            turn: None,
        },
    );
    let hz = [90.0, 120.0, 60.0][job as usize];
    let step = "steps[1]".to_owned();
    let what = format!("measure {}", words.windows[0]);
    log.tell(300, Fact::StepStarted { job, trial, step: step.clone(), line: 14, what });
    let fps = Some(NUMBERS[job as usize][0].0.0);
    log.tell(
        2_000,
        Fact::SampleTaken { job, trial, window: words.windows[0].clone(), samples: 4, frames: 220, fps },
    );
    log.tell(2_500, Fact::StepFinished { job, trial, step, stamps: None, fault: None });
    let of = &NUMBERS[job as usize];
    let windows = (0..3).map(|w| measured(words, w, trial, hz, of[w].0, of[w].1 || trial != 2)).collect();
    log.tell(400, Fact::TrialFinished { job, trial, counted, ending: Ending::Completed, windows });
}

/// The fourth phone is lost in its warm-up.
fn lost(log: &mut Log, words: &Words) {
    let device = DeviceId(words.serials[3].clone());
    log.tell(
        50,
        Fact::TrialStarted {
            job: 3,
            trial: 0,
            counted: false,
            diagnostic: false,
            reference: false,
            settling: false,
            turn: None,
        },
    );
    log.tell(
        900,
        Fact::DeviceGone { device: device.clone(), why: "the adb server no longer lists it".to_owned() },
    );
    let fault = Fault::new(
        FaultCode::DeviceLost,
        "the phone was lost during warm-up 1 and did not come back in 30 s",
    )
    .advise("check cable and hub power, then see `farmjank doctor`");
    let ending = Ending::Faulted(fault.clone());
    log.tell(30, Fact::TrialFinished { job: 3, trial: 0, counted: false, ending, windows: vec![] });
    let reasons = vec![fault.to_string()];
    let untold = |window: &String| WindowJudged {
        window: window.clone(),
        verdict: Verdict::Undecided,
        judgements: vec![Judgement {
            actual: None,
            limit: None,
            values: vec![],
            ..judgement(
                "fps",
                Unit::Fps,
                "mean >= 95%refresh",
                0.0,
                0.0,
                Outcome::Unknown("no values".to_owned()),
            )
        }],
        counted: 0,
        void: vec![],
        reasons: vec!["no iteration was counted".to_owned()],
        new_causes: Vec::new(),
    };
    let windows = words.windows.iter().map(untold).collect();
    log.tell(30, Fact::JobJudged { job: 3, verdict: Verdict::Broken, windows, fault: Some(fault), reasons });
    log.tell(1, Fact::LeaseReturned { job: 3, device, reason: "lost".to_owned() });
}
