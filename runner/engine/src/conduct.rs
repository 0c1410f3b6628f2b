//! Conducts a run: feeds what happens to `dispatch`, carries out its orders, and ends with a judged record.

use crate::announce::{Announcer, Voice};
use crate::dispatch::{Dispatch, Input, Order, Rules};
use crate::job::{self, Progress};
use crate::patience::Patience;
use crate::session::{Bench, ForScenario};
use crate::stop::{Stop, Urgency};
use crate::survey::{Surveyed, Wanted, not_ready, survey};
use farmjank_results::blame::{Blame, Fault};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::{Ending, FORMAT, Fact, JobId, PlannedJob};
use farmjank_results::record::Record;
use farmjank_results::time::Span;
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::plan::{Plan, Selection, plan};
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::device::{Arrival, Arrivals, DeviceState, Provider};
use farmjank_seams::host::Files;
use farmjank_seams::reporter::Reporter;
use farmjank_seams::witness::Witness;
use futures::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::rc::Rc;

/// Exit code when nothing was selected.
pub const NOTHING_SELECTED: u8 = 5;

/// What a run is told.
pub struct Options {
    /// Run id; names the bundle.
    pub run: String,
    /// Version of the tool.
    pub tool: String,
    /// Wall time of the start, RFC 3339.
    pub wall: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Name of the virtual lab; none for real phones.
    pub lab: Option<String>,
    /// Which phones are asked at all.
    pub wanted: Wanted,
    /// Which scenarios.
    pub selection: Selection,
    /// Phones that may work at the same time.
    pub most_running: usize,
    /// Timeouts and budgets.
    pub patience: Patience,
}

/// Everything a run needs.
pub struct Setup {
    /// What it is told.
    pub options: Options,
    /// What to run, checked.
    pub scenarios: Vec<Scenario>,
    /// Where phones come from.
    pub provider: Rc<dyn Provider>,
    /// Ways of seeing frames for a scenario, best first.
    pub sources: Box<ForScenario>,
    /// Who is asked at both ends of trials and windows, in order of preference.
    pub witnesses: Vec<Rc<dyn Witness>>,
    /// The bundle.
    pub files: Rc<dyn Files>,
    /// Where text for people goes.
    pub voice: Rc<dyn Voice>,
    /// Who is told.
    pub reporters: Vec<Box<dyn Reporter>>,
    /// How it is stopped.
    pub stop: Stop,
}

/// A run under way: everything its jobs borrow.
struct Stage {
    options: Options,
    scenarios: Vec<Scenario>,
    provider: Rc<dyn Provider>,
    stop: Stop,
    bench: Bench,
    plan: Plan,
    facts: BTreeMap<DeviceId, DeviceFacts>,
}

type JobWork<'a> = Pin<Box<dyn Future<Output = (JobId, Progress, Option<Fault>)> + 'a>>;

/// Runs to the end; the record's exit code is the run's.
pub async fn run(setup: Setup) -> Record {
    let Setup { options, scenarios, provider, sources, witnesses, files, voice, reporters, stop } = setup;
    let announcer = Rc::new(Announcer::new(files.clone(), voice, reporters));
    announcer.announce(Fact::RunStarted {
        format: FORMAT,
        tool: options.tool.clone(),
        run: options.run.clone(),
        wall: options.wall.clone(),
        seed: options.seed,
        lab: options.lab.clone(),
    });
    let mut arrivals = None;
    let (phones, no_phones) = match look(&*provider, &mut arrivals, &options).await {
        Ok(phones) => (phones, None),
        Err(fault) => (Vec::new(), Some(fault)),
    };
    let facts = announce_phones(&announcer, &phones);
    let known: Vec<DeviceFacts> = facts.values().cloned().collect();
    let plan = plan(&scenarios, &known, &options.selection);
    announcer.announce(Fact::PlanMade {
        digest: plan.digest.clone(),
        jobs: plan.jobs.clone(),
        refusals: plan.refusals.clone(),
    });
    let nonce = crate::witnesses::nonce(options.run.bytes());
    let patience = options.patience;
    let bench = Bench { announcer: announcer.clone(), files, patience, sources, witnesses, nonce };
    let stage = Stage { options, scenarios, provider, stop, bench, plan, facts };
    stage.judge_homeless(no_phones, &phones);
    if let Some(mut arrivals) = arrivals {
        stage.work(&mut *arrivals).await;
    }
    stage.finish();
    announcer.record()
}

async fn look(
    provider: &dyn Provider,
    arrivals: &mut Option<Box<dyn Arrivals>>,
    options: &Options,
) -> Result<Vec<Surveyed>, Fault> {
    let watching = arrivals.insert(provider.watch().await?);
    survey(provider, &mut **watching, &options.wanted, &options.patience).await
}

fn announce_phones(announcer: &Announcer, phones: &[Surveyed]) -> BTreeMap<DeviceId, DeviceFacts> {
    let mut known = BTreeMap::new();
    for phone in phones {
        let device = phone.sighting.id.clone();
        let facts = phone.facts.as_ref().ok().cloned();
        let state = match (&phone.facts, &phone.sighting.state) {
            (Ok(_), _) => "ready".to_owned(),
            (Err(fault), _) => fault.to_string(),
        };
        announcer.announce(Fact::DeviceSeen {
            device: device.clone(),
            state,
            facts: facts.clone().map(Box::new),
        });
        if let Some(facts) = facts {
            known.insert(device, facts);
        }
    }
    known
}

impl Stage {
    fn announce(&self, fact: Fact) {
        self.bench.announcer.announce(fact);
    }

    fn planned(&self, job: JobId) -> Option<&PlannedJob> {
        self.plan.jobs.iter().find(|planned| planned.job == job)
    }

    fn scenario(&self, planned: &PlannedJob) -> Option<&Scenario> {
        let of_job =
            |scenario: &&Scenario| scenario.name == planned.scenario && scenario.file == planned.file;
        self.scenarios.iter().find(of_job)
    }

    /// Jobs no phone qualifies for are Broken, with a reason for every phone.
    fn judge_homeless(&self, no_phones: Option<Fault>, phones: &[Surveyed]) {
        for planned in self.plan.jobs.iter().filter(|planned| planned.device.is_none()) {
            let refusals = self.plan.refusals.iter().filter(|refusal| refusal.scenario == planned.scenario);
            let mut reasons: Vec<String> =
                refusals.map(|refusal| format!("{}: {}", refusal.device, refusal.why)).collect();
            reasons.extend(phones.iter().filter_map(|phone| Some(phone.facts.as_ref().err()?.to_string())));
            let fault = no_phones.clone().unwrap_or_else(|| no_phone(phones.is_empty()));
            reasons.insert(0, fault.to_string());
            self.announce(Fact::JobJudged {
                job: planned.job,
                verdict: Verdict::Broken,
                windows: Vec::new(),
                fault: Some(fault),
                reasons,
            });
        }
    }

    /// Runs every job that has a phone.
    async fn work(&self, arrivals: &mut dyn Arrivals) {
        let rules = Rules {
            absence: Span::from(self.options.patience.absence),
            retries: self.options.patience.retries,
            backoff: Span::from(self.options.patience.backoff),
            most_running: self.options.most_running.max(1),
        };
        let mut dispatch = Dispatch::new(rules, &self.plan.jobs);
        let mut progress: BTreeMap<JobId, Progress> = BTreeMap::new();
        let mut jobs: FuturesUnordered<JobWork<'_>> = FuturesUnordered::new();
        let mut watching = true;
        let mut inbox: Vec<Input> = self.facts.keys().cloned().map(Input::Present).collect();
        let mut stopped = false;
        while !inbox.is_empty() || !dispatch.is_done() {
            let now = self.bench.announcer.now();
            let orders: Vec<Order> = inbox.drain(..).flat_map(|input| dispatch.step(now, input)).collect();
            for order in orders {
                if let Some(work) = self.carry_out(order, &mut progress) {
                    jobs.push(work);
                }
            }
            if dispatch.is_done() {
                break;
            }
            let tick = dispatch.next_tick().map(|at| self.bench.announcer.instant(at));
            tokio::select! {
                biased;
                Some((job, kept, fault)) = jobs.next() => {
                    progress.insert(job, kept);
                    inbox.push(Input::Ended(job, fault));
                }
                () = self.stop.reached(Urgency::Drain), if !stopped => {
                    stopped = true;
                    let why = self.stop.reason().unwrap_or_default();
                    self.bench.announcer.notice(None, format!("stopping ({why}): nothing new is started"));
                    inbox.push(Input::Stop);
                }
                arrival = arrivals.next(), if watching => match arrival {
                    Ok(arrival) => inbox.extend(self.arrived(arrival)),
                    Err(fault) => {
                        watching = false;
                        self.bench.announcer.notice(None, format!("phones are no longer watched: {fault}"));
                    }
                },
                () = tokio::time::sleep_until(tick.unwrap_or_else(tokio::time::Instant::now)), if tick.is_some() => {
                    inbox.push(Input::Tick);
                }
            }
        }
    }

    fn arrived(&self, arrival: Arrival) -> Option<Input> {
        match arrival {
            Arrival::Seen(sighting) if !self.facts.contains_key(&sighting.id) => None,
            Arrival::Seen(sighting) if sighting.state == DeviceState::Ready => {
                let device = sighting.id.clone();
                self.announce(Fact::DeviceSeen { device, state: "ready".to_owned(), facts: None });
                Some(Input::Present(sighting.id))
            }
            Arrival::Seen(sighting) => {
                let why = not_ready(&sighting.id, &sighting.state).to_string();
                self.announce(Fact::DeviceGone { device: sighting.id.clone(), why: why.clone() });
                Some(Input::Gone(sighting.id, why))
            }
            Arrival::Gone { id, .. } if !self.facts.contains_key(&id) => None,
            Arrival::Gone { id, why } => {
                self.announce(Fact::DeviceGone { device: id.clone(), why: why.clone() });
                Some(Input::Gone(id, why))
            }
            Arrival::Settled => None,
        }
    }

    fn carry_out(&self, order: Order, progress: &mut BTreeMap<JobId, Progress>) -> Option<JobWork<'_>> {
        match order {
            Order::Start(job, _) => Some(self.start(job, progress.remove(&job).unwrap_or_default())),
            Order::Queue(job, why) => {
                self.announce(Fact::JobQueued { job, why });
                None
            }
            Order::Judge(job, fault) => {
                let kept = progress.remove(&job).unwrap_or_default();
                self.judge(job, &kept, fault);
                None
            }
        }
    }

    fn start(&self, id: JobId, mut kept: Progress) -> JobWork<'_> {
        Box::pin(async move {
            let Some((planned, scenario, facts)) = self.parts(id) else {
                let what = format!("job {id} is not in the plan");
                return (id, kept, Some(Fault::new(Blame::Tool, "plan", what)));
            };
            let work =
                job::run(&self.bench, &*self.provider, &self.stop, planned, scenario, facts, &mut kept);
            // A panic is our bug: it breaks this job, says so, and the others go on.
            let fault = match AssertUnwindSafe(work).catch_unwind().await {
                Ok(fault) => fault,
                Err(panic) => {
                    let words = panic.downcast_ref::<String>().cloned();
                    let words =
                        words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
                    let what = format!("farmjank failed inside itself: {}", words.unwrap_or_default());
                    let fault =
                        Fault::new(Blame::Tool, "panic", what).advise("please report it with the run bundle");
                    self.close_after_panic(id, facts, &fault);
                    Some(fault)
                }
            };
            (id, kept, fault)
        })
    }

    /// What a panic left open is closed, so that the log stays whole.
    fn close_after_panic(&self, job: JobId, facts: &DeviceFacts, fault: &Fault) {
        let open = self.bench.announcer.with_record(|record| {
            let trial = record.jobs.get(&job)?.trials.last().filter(|trial| trial.ending.is_none())?;
            Some((trial.trial, trial.counted))
        });
        if let Some((trial, counted)) = open {
            let ending = Ending::Faulted(fault.clone());
            self.announce(Fact::TrialFinished { job, trial, counted, ending, windows: Vec::new() });
        }
        self.announce(Fact::LeaseReturned { job, device: facts.id.clone(), reason: fault.what.clone() });
    }

    fn parts(&self, job: JobId) -> Option<(&PlannedJob, &Scenario, &DeviceFacts)> {
        let planned = self.planned(job)?;
        Some((planned, self.scenario(planned)?, self.facts.get(planned.device.as_ref()?)?))
    }

    fn judge(&self, id: JobId, kept: &Progress, fault: Option<Fault>) {
        if let Some((planned, scenario, facts)) = self.parts(id) {
            self.announce(job::judge(planned, scenario, facts, &kept.measured, fault));
        }
    }

    /// Judges the run and closes the log.
    fn finish(&self) {
        let announcer = &self.bench.announcer;
        let mut verdict = announcer.with_record(|record| {
            Verdict::worst(record.jobs.values().map(|job| job.verdict.unwrap_or(Verdict::Undecided)))
        });
        if announcer.log_broken().is_some() {
            verdict = verdict.worse(Verdict::Broken);
        }
        let interrupted = self.stop.reason();
        let exit_code = match interrupted.as_deref() {
            Some("SIGTERM") => 143,
            Some(_) => 130,
            None if self.plan.jobs.is_empty() => NOTHING_SELECTED,
            None => verdict.exit_code(),
        };
        if self.plan.jobs.is_empty() {
            verdict = Verdict::Undecided;
        }
        self.announce(Fact::RunJudged { verdict, exit_code, interrupted });
        announcer.conclude();
        self.announce(Fact::RunFinished { exit_code });
    }
}

fn no_phone(none_at_all: bool) -> Fault {
    if none_at_all {
        let fault = Fault::new(Blame::Lab, "no_phone", "no phone is connected");
        fault.advise("connect one, or try the virtual lab: `farmjank run --lab demo scenarios/`")
    } else {
        let fault = Fault::new(Blame::Lab, "no_phone", "no connected phone qualifies for this scenario");
        fault.advise("`farmjank plan` shows why for each phone")
    }
}
