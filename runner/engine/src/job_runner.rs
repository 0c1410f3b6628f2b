//! The jobs of some phones, run side by side: feeds what happens to `dispatch` and carries out its orders.

use crate::borrowed::idle;
use crate::claiming::{Claimed, Claiming};
use crate::device_session::RunEnv;
use crate::dispatch::{Dispatch, Input, Order, Rules};
use crate::job::{self, Others, Task};
use crate::progress::Progress;
use crate::recovery::{self, Act, Ailment, Ladder};
use crate::standing::Standing;
use crate::stop::{Stop, Urgency};
use crate::survey::not_ready;
use farmjank_results::device::{DeviceFacts, DeviceId, Readiness};
use farmjank_results::event::{Ending, Fact, JobId, PlannedJob};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::recovery::RecoveryStep;
use farmjank_results::time::{RunTime, Span};
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::plan::job_time;
use farmjank_scenarios::scenario::{Scenario, Trials};
use farmjank_seams::device::{Arrival, Arrivals, DeviceState, Provider};
use futures::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::rc::Rc;

/// Work under way: everything its jobs borrow. One field for each thing that is injected, and where jobs are.
pub struct JobRunner {
    /// What to run.
    pub scenarios: Vec<Scenario>,
    /// Where phones come from.
    pub provider: Rc<dyn Provider>,
    /// How it is stopped.
    pub stop: Stop,
    /// Phones that may work at the same time.
    pub most_running: usize,
    /// What every job shares.
    pub env: RunEnv,
    /// The jobs that have a phone here.
    pub jobs: Vec<PlannedJob>,
    /// The phones.
    pub facts: BTreeMap<DeviceId, DeviceFacts>,
    /// How they are claimed.
    pub claiming: Claiming,
    /// What changes while they work; empty at first.
    pub standing: Standing,
}

/// A phone that another run uses is not ready for this one, whatever its cable says.
fn waited_for(claimed: &Claimed<'_>, input: &Input) -> bool {
    matches!(input, Input::Present(id) if claimed.waits_for(id))
}

type RecoveryWork<'a> = Pin<Box<dyn Future<Output = Option<String>> + 'a>>;

type JobWork<'a> = Pin<Box<dyn Future<Output = (JobId, Progress, Option<Fault>)> + 'a>>;

impl JobRunner {
    fn announce(&self, fact: Fact) {
        self.env.announcer.announce(fact);
    }

    /// A job on the phone it is on now.
    fn planned(&self, job: JobId) -> Option<PlannedJob> {
        let mut planned = self.jobs.iter().find(|planned| planned.job == job)?.clone();
        if let Some(device) = self.standing.moved.borrow().get(&job) {
            planned.device = Some(device.clone());
        }
        Some(planned)
    }

    fn scenario(&self, planned: &PlannedJob) -> Option<&Scenario> {
        let of_job =
            |scenario: &&Scenario| scenario.name == planned.scenario && scenario.file == planned.file;
        self.scenarios.iter().find(of_job)
    }

    fn rules(&self) -> Rules {
        Rules {
            absence: Span::from(self.env.patience.absence),
            retries: self.env.patience.retries,
            backoff: Span::from(self.env.patience.backoff),
            most_running: self.most_running.max(1),
        }
    }

    /// The jobs, none of them begun.
    fn dispatch(&self) -> Dispatch {
        let times = self.jobs.iter().filter_map(|planned| {
            let trials = Trials { warmup: planned.warmup, iterations: planned.iterations };
            let time = job_time(self.scenario(planned)?, trials, planned.usual_ms);
            Some((planned.job, time))
        });
        Dispatch::begun(self.env.announcer.now(), self.rules(), &self.jobs, times.collect())
    }

    /// Runs every job that has a phone; some of them came some way before.
    pub async fn work(&self, arrivals: &mut dyn Arrivals, mut progress: BTreeMap<JobId, Progress>) {
        let mut dispatch = self.dispatch();
        let mut jobs: FuturesUnordered<JobWork<'_>> = FuturesUnordered::new();
        let (mut watching, mut stopped) = (true, false);
        let mut claimed = Claimed::new(&self.claiming);
        let (mut inbox, notices) =
            claimed.claim(self.facts.values().filter(|facts| dispatch.has_work(&facts.id)));
        notices.into_iter().for_each(|what| self.env.announcer.notice(None, what));
        inbox.extend(progress.iter().filter_map(|(job, kept)| self.decided(*job, kept)));
        let mut ladder = Ladder::new(self.env.patience.recover, self.claiming.servers.clone());
        let mut recoveries: FuturesUnordered<RecoveryWork<'_>> = FuturesUnordered::new();
        let mut came = BTreeMap::new();
        while !inbox.is_empty() || !dispatch.is_done() {
            let now = self.env.announcer.now();
            for order in dispatch.steps(now, inbox.drain(..)) {
                if let Order::Move(job, from, to, fault) = order {
                    inbox.extend(self.move_on(job, (from, to), fault, &mut claimed, &mut progress));
                } else if let Some(work) = self.carry_out(order, &mut progress) {
                    jobs.push(work);
                }
            }
            inbox.extend(self.standing.ends(now).map(Input::Stop));
            if dispatch.is_done() {
                break;
            }
            self.standing.give_way.replace(dispatch.gives_way(now));
            let may_be =
                |id: &DeviceId| dispatch.has_work(id) && !dispatch.is_at_work(id) && !claimed.waits_for(id);
            inbox.extend(self.climb(now, &mut ladder, &may_be, &mut recoveries));
            let step = ladder.next_due(may_be);
            claimed.let_go(|id| dispatch.has_work(id));
            let needed = |id: &DeviceId| dispatch.has_work(id) && !claimed.waits_for(id);
            recoveries.extend(idle(&*self.provider, &self.standing.returning, needed));
            let due = claimed.due();
            // What a step leaves to be known is taken in at once.
            let known = (!inbox.is_empty()).then_some(now);
            let ticks = dispatch.next_tick().into_iter().chain(step).chain(known).chain(self.standing.due());
            let tick = ticks.min().map(|at| self.env.announcer.instant(at));
            tokio::select! {
                biased;
                Some((job, mut kept, fault)) = jobs.next() => {
                    let later = std::mem::take(&mut kept.later) && fault.is_none();
                    self.learn(&mut ladder, &mut came, (job, &kept, fault.as_ref()));
                    inbox.extend(self.decided(job, &kept));
                    progress.insert(job, kept);
                    let more = |id: &DeviceId| later || dispatch.has_waiting(id);
                    inbox.extend(self.given_away((job, !later), more, &mut claimed));
                    inbox.push(if later { Input::Yielded(job) } else { Input::Ended(job, fault) });
                }
                () = self.stop.reached(Urgency::Drain), if !stopped => {
                    stopped = true;
                    inbox.push(self.stopping());
                }
                arrival = arrivals.next(), if watching => match arrival {
                    Ok(arrival) => {
                        self.watch_over(&mut ladder, &arrival);
                        inbox.extend(self.arrived(arrival).filter(|input| !waited_for(&claimed, input)));
                    }
                    Err(fault) => {
                        watching = false;
                        self.env.announcer.notice(None, format!("phones are no longer watched: {fault}"));
                    }
                },
                Some(Some(what)) = recoveries.next() => self.env.announcer.notice(None, what),
                () = tokio::time::sleep_until(due.unwrap_or_else(tokio::time::Instant::now)), if due.is_some() => {
                    inbox.extend(claimed.ask_again());
                }
                () = tokio::time::sleep_until(tick.unwrap_or_else(tokio::time::Instant::now)), if tick.is_some() => {
                    inbox.push(Input::Tick);
                }
            }
        }
    }

    /// Nothing new is started, and that is told.
    fn stopping(&self) -> Input {
        let why = self.stop.reason().unwrap_or_default();
        self.env.announcer.notice(None, format!("stopping ({why}): nothing new is started"));
        Input::Stop(self.stop.fault())
    }

    /// What the end of a job's work says of its phone, which did some of it where the job came on since the last time;
    /// `came` is how far.
    fn learn(
        &self,
        ladder: &mut Ladder,
        came: &mut BTreeMap<(JobId, u32), u32>,
        (job, kept, fault): (JobId, &Progress, Option<&Fault>),
    ) {
        let Some(phone) = &self.planned(job).and_then(|planned| planned.device) else { return };
        let before = came.insert((job, kept.moves), kept.completed);
        if before.unwrap_or_default() < kept.completed {
            // What its server told of it since stands.
            ladder.worked(phone);
        }
        match fault.map(Ailment::of) {
            Some(Some(ailment)) => ladder.fails(self.env.announcer.now(), phone, ailment),
            // Why a phone left is told by its server.
            Some(None) if fault.is_some_and(Fault::is_lost) => {}
            _ => ladder.works(phone),
        }
    }

    /// What a server says of its phones.
    fn watch_over(&self, ladder: &mut Ladder, arrival: &Arrival) {
        let now = self.env.announcer.now();
        match arrival {
            Arrival::Seen(sighting) if self.facts.contains_key(&sighting.id) => match &sighting.state {
                DeviceState::Ready => ladder.is_back(&sighting.id),
                DeviceState::Offline => ladder.fails(now, &sighting.id, Ailment::Offline),
                _ => {}
            },
            Arrival::Gone { id, .. } if self.facts.contains_key(id) => {
                ladder.fails(now, id, Ailment::Unlisted)
            }
            Arrival::ServerLost { server, .. } => ladder.server(server, true),
            Arrival::ServerBack { server } => ladder.server(server, false),
            Arrival::Seen(_) | Arrival::Gone { .. } | Arrival::Settled => {}
        }
    }

    /// Begins what is due for phones that do not answer: what the dispatcher has to know of it.
    fn climb<'r>(
        &'r self,
        now: RunTime,
        ladder: &mut Ladder,
        may_be: &impl Fn(&DeviceId) -> bool,
        recoveries: &mut FuturesUnordered<RecoveryWork<'r>>,
    ) -> Vec<Input> {
        let mut inputs = Vec::new();
        for act in ladder.due(now, may_be) {
            let (device, step, why) = match act {
                Act::Tell(what) => {
                    self.env.announcer.notice(None, what);
                    continue;
                }
                Act::Step(phone, step, why) => (phone, step, why.to_owned()),
            };
            if step == RecoveryStep::Reboot {
                let reboots = self.claiming.reboots(&device, now);
                if let Err(fault) = reboots.allow(&device, self.env.patience.reboots_per_day, &why) {
                    inputs.push(Input::Refused(device, fault));
                    continue;
                }
                inputs.push(Input::Awaited(device.clone(), now + recovery::patience(step)));
            }
            self.announce(Fact::RecoveryTried { device: device.clone(), step, why });
            recoveries.push(Box::pin(async move {
                let done = self.provider.recover(&device, step).await;
                done.err().map(|fault| format!("{device} could not be helped so: {fault}"))
            }));
        }
        inputs
    }

    /// The phone of a job that paused or is done, where somebody waits for it whose turn it is: it is not ours for a
    /// while.
    fn given_away(
        &self,
        (job, done): (JobId, bool),
        has_more: impl Fn(&DeviceId) -> bool,
        claimed: &mut Claimed<'_>,
    ) -> Option<Input> {
        let facts = self.facts.get(&self.planned(job)?.device?).filter(|facts| has_more(&facts.id))?;
        let words = claimed.give_away(facts, done)?;
        self.env.announcer.notice(None, words.clone());
        Some(Input::Held(facts.id.clone(), words))
    }

    fn arrived(&self, arrival: Arrival) -> Option<Input> {
        match arrival {
            Arrival::Seen(sighting) if !self.facts.contains_key(&sighting.id) => None,
            Arrival::Seen(sighting) if sighting.state == DeviceState::Ready => {
                let device = sighting.id.clone();
                self.announce(Fact::DeviceSeen { device, state: Readiness::Ready, facts: None });
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
            // Its phones left, or arrive: that is told of each.
            Arrival::ServerLost { .. } | Arrival::ServerBack { .. } | Arrival::Settled => None,
        }
    }

    /// What was measured of a job decides it: a breach is not tried again elsewhere, nor are builds compared in part on
    /// one phone and in part on another.
    fn decided(&self, id: JobId, kept: &Progress) -> Option<Input> {
        let (planned, scenario, facts) = self.parts(id)?;
        let windows = job::windows(&planned, scenario, facts, kept);
        let breached = windows.iter().any(|window| window.verdict == Verdict::Fail);
        (breached || !kept.samples.is_empty()).then_some(Input::Decided(id))
    }

    /// A job begins anew on another phone, which is claimed where it had no work.
    fn move_on(
        &self,
        job: JobId,
        (from, to): (DeviceId, DeviceId),
        fault: Fault,
        claimed: &mut Claimed<'_>,
        progress: &mut BTreeMap<JobId, Progress>,
    ) -> Vec<Input> {
        let kept = progress.remove(&job).unwrap_or_default();
        progress.insert(job, kept.moved());
        self.standing.moved.borrow_mut().insert(job, to.clone());
        self.announce(Fact::JobMoved { job, from, to: to.clone(), fault });
        if claimed.waits_for(&to) {
            return Vec::new();
        }
        let (inputs, notices) = claimed.claim(self.facts.get(&to).into_iter());
        notices.into_iter().for_each(|what| self.env.announcer.notice(None, what));
        inputs
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
            // Done where phones are claimed.
            Order::Move(..) => None,
        }
    }

    fn start(&self, id: JobId, mut kept: Progress) -> JobWork<'_> {
        Box::pin(async move {
            let Some((planned, scenario, facts)) = self.parts(id) else {
                let what = format!("job {id} is not in the plan");
                return (id, kept, Some(Fault::new(FaultCode::Plan, what)));
            };
            let of_phone = |job: &&PlannedJob| job.device == planned.device;
            kept.shares_phone = self.jobs.iter().filter(of_phone).count() > 1;
            let planned = &planned;
            let undo = self.claiming.undo(&facts.id);
            let before = self.claiming.before(&facts.id);
            let asked = || self.claiming.more_urgent(&facts.id);
            let give_way = |begun| self.standing.give_way.borrow().does(id, begun);
            let enough = || self.standing.enough(self.env.announcer.now());
            let others = Others { asked: &asked, give_way: &give_way, enough: &enough };
            let task = Task { planned, scenario, facts, undo, before, others };
            let work = job::run(&self.env, &*self.provider, &self.stop, task, &mut kept);
            // A panic is our bug: it breaks this job, says so, and the others go on.
            let fault = match AssertUnwindSafe(work).catch_unwind().await {
                Ok(fault) => fault,
                Err(panic) => {
                    let words = panic.downcast_ref::<String>().cloned();
                    let words =
                        words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
                    let what = format!("farmjank failed inside itself: {}", words.unwrap_or_default());
                    let fault =
                        Fault::new(FaultCode::Panic, what).advise("please report it with the run bundle");
                    self.close_after_panic(id, facts, &fault);
                    Some(fault)
                }
            };
            (id, kept, fault)
        })
    }

    /// What a panic left open is closed, so that the log stays whole.
    fn close_after_panic(&self, job: JobId, facts: &DeviceFacts, fault: &Fault) {
        if let Some((trial, counted)) = self.env.announcer.open_trial(job) {
            let ending = Ending::Faulted(fault.clone());
            self.announce(Fact::TrialFinished { job, trial, counted, ending, windows: Vec::new() });
        }
        self.announce(Fact::LeaseReturned { job, device: facts.id.clone(), reason: fault.what.clone() });
    }

    fn parts(&self, job: JobId) -> Option<(PlannedJob, &Scenario, &DeviceFacts)> {
        let planned = self.planned(job)?;
        let (scenario, facts) = (self.scenario(&planned)?, self.facts.get(planned.device.as_ref()?)?);
        Some((planned, scenario, facts))
    }

    fn judge(&self, id: JobId, kept: &Progress, fault: Option<Fault>) {
        if let Some((planned, scenario, facts)) = self.parts(id) {
            let judged = job::judge(&planned, scenario, facts, kept, fault);
            self.standing.fail_fast.judged(&planned, &judged);
            self.announce(judged);
        }
    }
}
