//! Which job runs on which phone, and when it is given up: a pure state machine. No clock, no I/O, no tokio.
//!
//! A job belongs to one phone (every phone is judged on its own). Jobs of one phone run one after another in plan
//! order; phones run side by side. A phone that leaves keeps its jobs for a while; one that comes back goes on where it
//! was. What the lab keeps from its end on one phone goes on with another of its class, where the plan names one.

mod give_way;

pub(crate) use give_way::GiveWay;

use farmjank_results::device::DeviceId;
use farmjank_results::event::{JobId, PlannedJob};
use farmjank_results::fault::{Blame, Fault, FaultCode, Persistence};
use farmjank_results::time::{RunTime, Span};
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// What the dispatcher is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A phone is ready for work.
    Present(DeviceId),
    /// A phone left.
    Gone(DeviceId, String),
    /// Another run uses a phone; what to say of the jobs that wait for it.
    Held(DeviceId, String),
    /// A phone is not to be had.
    Refused(DeviceId, Fault),
    /// A phone is booted: it may stay away until then.
    Awaited(DeviceId, RunTime),
    /// A job's work ended: for good, or with a fault after which it may go on.
    Ended(JobId, Option<Fault>),
    /// A job's work paused by itself: it goes on after the others of its phone.
    Yielded(JobId),
    /// What was measured of a job decides it: it stays on its phone, whatever the lab does.
    Decided(JobId),
    /// Start nothing more, for this fault.
    Stop(Fault),
    /// Time passed.
    Tick,
}

/// What the dispatcher asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Start (or go on with) this job on its phone.
    Start(JobId, DeviceId),
    /// Say that a job waits, and for what.
    Queue(JobId, String),
    /// The job begins anew on another phone, from the one to the other, for this fault. Where the phone has no other
    /// work it is not known to be there: it must be said to be present.
    Move(JobId, DeviceId, DeviceId, Fault),
    /// Judge this job with what there is; the fault is why it goes no further.
    Judge(JobId, Option<Fault>),
}

/// Budgets of the dispatcher.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How long a phone may stay away.
    pub absence: Span,
    /// How often a job is tried again after a passing fault of the lab.
    pub retries: u32,
    /// Pause before such a retry.
    pub backoff: Span,
    /// Phones that may work at the same time.
    pub most_running: usize,
}

/// How often a job may lose its phone: one that leaves again and again never ends a trial.
const MOST_LOSSES: u32 = 20;

/// How often a job may move: what ails three phones of a class is not theirs.
const MOST_MOVES: usize = 2;

/// Where a phone stands. One field for each thing that decides whether its next job may begin.
#[derive(Debug, Default)]
struct Phone {
    present: bool,
    /// Another run uses it: how long to wait is not ours to say.
    held: bool,
    why_gone: String,
    gone_since: RunTime,
    not_before: RunTime,
    /// It may be away until then, however long that is.
    awaited: RunTime,
    /// The job that is tried again since the last fault; that the phone had left may be told a moment later.
    retried: Option<JobId>,
    queue: VecDeque<JobId>,
    running: Option<JobId>,
}

impl Phone {
    /// It could begin with a job now.
    fn waits(&self, now: RunTime) -> bool {
        self.present && self.running.is_none() && now >= self.not_before && !self.queue.is_empty()
    }

    /// When nobody waits for it any more, if it is away.
    fn given_up_at(&self, absence: Span) -> RunTime {
        (self.gone_since + absence).max(self.awaited)
    }
}

/// The dispatcher's whole state.
#[derive(Debug)]
pub struct Dispatch {
    rules: Rules,
    phones: BTreeMap<DeviceId, Phone>,
    retries: BTreeMap<JobId, u32>,
    losses: BTreeMap<JobId, u32>,
    /// How often each job was put back because its phone was hot.
    coolings: BTreeMap<JobId, u32>,
    /// About how long each job takes, where that is known.
    times: BTreeMap<JobId, Duration>,
    /// Phones each job may still move to.
    spares: BTreeMap<JobId, Vec<DeviceId>>,
    /// Nothing more is started, for this fault.
    stopping: Option<Fault>,
}

impl Dispatch {
    /// Takes the plan. Jobs without a phone are the caller's to judge.
    pub fn new(rules: Rules, jobs: &[PlannedJob]) -> Self {
        Dispatch::begun(RunTime::from_ns(0), rules, jobs, BTreeMap::new())
    }

    /// The same of a run that is this old already: no phone was away before anybody looked. `times` is about how long
    /// jobs take: where fewer phones may work than could, those with the most to do begin.
    pub(crate) fn begun(
        now: RunTime,
        rules: Rules,
        jobs: &[PlannedJob],
        times: BTreeMap<JobId, Duration>,
    ) -> Self {
        let mut phones: BTreeMap<DeviceId, Phone> = BTreeMap::new();
        let mut spares = BTreeMap::new();
        for job in jobs {
            if let Some(device) = &job.device {
                let phone = phones.entry(device.clone()).or_default();
                phone.gone_since = now;
                phone.queue.push_back(job.job);
                for spare in &job.spares {
                    phones.entry(spare.clone()).or_default();
                }
                spares.insert(job.job, job.spares.iter().take(MOST_MOVES).cloned().collect());
            }
        }
        let (retries, losses, coolings) = Default::default();
        Dispatch { rules, phones, retries, losses, coolings, times, spares, stopping: None }
    }

    /// Feeds one input; what follows from it comes back as orders.
    pub fn step(&mut self, now: RunTime, input: Input) -> Vec<Order> {
        self.steps(now, [input])
    }

    /// The same of several inputs of one instant: who begins is chosen when all are known.
    pub(crate) fn steps(&mut self, now: RunTime, inputs: impl IntoIterator<Item = Input>) -> Vec<Order> {
        let mut orders = Vec::new();
        for input in inputs {
            self.take(now, input, &mut orders);
        }
        self.give_up_absent(now, &mut orders);
        self.start_ready(now, &mut orders);
        orders
    }

    fn take(&mut self, now: RunTime, input: Input, orders: &mut Vec<Order>) {
        match input {
            Input::Present(id) => {
                if let Some(phone) = self.phones.get_mut(&id) {
                    phone.present = true;
                    phone.held = false;
                }
            }
            Input::Gone(id, why) => self.gone(now, &id, why, orders),
            Input::Held(id, words) => {
                if let Some(phone) = self.phones.get_mut(&id) {
                    (phone.held, phone.present) = (true, false);
                    orders.extend(phone.queue.iter().map(|job| Order::Queue(*job, words.clone())));
                }
            }
            Input::Refused(id, fault) => {
                let jobs = self.phones.get_mut(&id).map(|phone| std::mem::take(&mut phone.queue));
                for job in jobs.unwrap_or_default() {
                    self.give_up(now, &id, job, fault.clone(), orders);
                }
            }
            Input::Awaited(id, until) => {
                if let Some(phone) = self.phones.get_mut(&id) {
                    phone.awaited = until;
                }
            }
            Input::Ended(job, fault) => self.ended(now, job, fault, orders),
            Input::Yielded(job) => self.yielded(job, orders),
            Input::Decided(job) => drop(self.spares.remove(&job)),
            Input::Stop(fault) => self.stop(fault, orders),
            Input::Tick => {}
        }
    }

    /// When a tick is due at the latest, if anything waits for time to pass.
    pub(crate) fn next_tick(&self) -> Option<RunTime> {
        // Where every place is taken, the end of a job is what frees one, not time.
        let is_full = self.running() >= self.rules.most_running;
        let waiting = self.phones.values().filter(|phone| phone.running.is_none() && !phone.queue.is_empty());
        let due = waiting.filter(|phone| !phone.held).filter_map(|phone| match phone.present {
            true if is_full => None,
            true => Some(phone.not_before),
            false => Some(phone.given_up_at(self.rules.absence)),
        });
        due.min()
    }

    fn running(&self) -> usize {
        self.phones.values().filter(|phone| phone.running.is_some()).count()
    }

    /// Whether a job of this phone runs or waits.
    pub(crate) fn has_work(&self, id: &DeviceId) -> bool {
        self.phones.get(id).is_some_and(|phone| phone.running.is_some() || !phone.queue.is_empty())
    }

    /// Whether a job runs on this phone.
    pub(crate) fn is_at_work(&self, id: &DeviceId) -> bool {
        self.phones.get(id).is_some_and(|phone| phone.running.is_some())
    }

    /// Whether a job of this phone waits.
    pub(crate) fn has_waiting(&self, id: &DeviceId) -> bool {
        self.phones.get(id).is_some_and(|phone| !phone.queue.is_empty())
    }

    /// Nothing runs and nothing waits.
    pub(crate) fn is_done(&self) -> bool {
        self.phones.values().all(|phone| phone.running.is_none() && phone.queue.is_empty())
    }

    fn gone(&mut self, now: RunTime, id: &DeviceId, why: String, orders: &mut Vec<Order>) {
        let absence = self.rules.absence;
        let Some(phone) = self.phones.get_mut(id) else { return };
        if phone.present {
            (phone.present, phone.gone_since, phone.why_gone) = (false, now, why);
            // What went wrong a moment ago was this: the job waits, and that costs none of its tries.
            if let Some(job) = phone.retried.take().filter(|job| phone.queue.front() == Some(job)) {
                let losses = self.losses.entry(job).or_default();
                if *losses < MOST_LOSSES {
                    *losses += 1;
                    self.retries.entry(job).and_modify(|used| *used = used.saturating_sub(1));
                }
            }
            for job in &phone.queue {
                let words =
                    format!("{id} left ({}); waiting up to {:.0} s for it", phone.why_gone, absence.secs());
                orders.push(Order::Queue(*job, words));
            }
        }
    }

    fn ended(&mut self, now: RunTime, job: JobId, fault: Option<Fault>, orders: &mut Vec<Order>) {
        let Some((id, phone)) = self.phones.iter_mut().find(|(_, phone)| phone.running == Some(job)) else {
            return;
        };
        let id = &id.clone();
        phone.running = None;
        let passing = |fault: &Fault| fault.blame == Blame::Lab && fault.persistence == Persistence::Passing;
        match fault {
            Some(fault) if passing(&fault) && self.stopping.is_none() => {
                let losses = self.losses.entry(job).or_default();
                if !phone.present && *losses < MOST_LOSSES {
                    *losses += 1;
                    phone.queue.push_front(job);
                    let (why, absence) = (&phone.why_gone, self.rules.absence.secs());
                    let words = format!("{id} left ({why}); waiting up to {absence:.0} s for it");
                    orders.push(Order::Queue(job, words));
                    return;
                }
                let used = self.retries.entry(job).or_default();
                if *used >= self.rules.retries {
                    self.give_up(now, id, job, fault, orders);
                    return;
                }
                *used += 1;
                phone.not_before = now + self.rules.backoff;
                phone.retried = Some(job);
                phone.queue.push_front(job);
                let words = format!("{id}: {} (try {} of {})", fault.what, *used + 1, self.rules.retries + 1);
                orders.push(Order::Queue(job, words));
            }
            Some(fault) if self.puts_back(now, (id, job), &fault, orders) => {}
            Some(fault) => self.give_up(now, id, job, fault, orders),
            None => orders.push(Order::Judge(job, None)),
        }
    }

    /// A job goes no further on a phone: on one of its spares it may.
    fn give_up(&mut self, now: RunTime, from: &DeviceId, job: JobId, fault: Fault, orders: &mut Vec<Order>) {
        let cut = matches!(fault.code, FaultCode::Interrupted | FaultCode::NotRun);
        let may = fault.blame == Blame::Lab && !cut && self.stopping.is_none();
        let Some(to) = self.spare(job).filter(|_| may) else {
            orders.push(Order::Judge(job, Some(fault)));
            return;
        };
        // It has tries of its own there.
        self.retries.remove(&job);
        self.losses.remove(&job);
        if let Some(spares) = self.spares.get_mut(&job) {
            spares.retain(|spare| *spare != to);
        }
        let phone = self.phones.entry(to.clone()).or_default();
        if phone.running.is_none() && phone.queue.is_empty() {
            (phone.present, phone.gone_since) = (false, now);
        }
        phone.queue.push_back(job);
        orders.push(Order::Move(job, from.clone(), to, fault));
    }

    /// The spare with the least to do, of those that are not known to be away.
    fn spare(&self, job: JobId) -> Option<DeviceId> {
        let spares = self.spares.get(&job).into_iter().flatten();
        let known = spares.filter_map(|id| Some((id, self.phones.get(id)?)));
        let here = known.filter(|(_, phone)| phone.why_gone.is_empty() || phone.present);
        let work =
            |(_, phone): &(&DeviceId, &Phone)| phone.queue.len() + usize::from(phone.running.is_some());
        here.min_by_key(work).map(|(id, _)| id.clone())
    }

    fn yielded(&mut self, job: JobId, orders: &mut Vec<Order>) {
        let Some(phone) = self.phones.values_mut().find(|phone| phone.running == Some(job)) else { return };
        phone.running = None;
        match self.stopping.clone() {
            Some(fault) => orders.push(Order::Judge(job, Some(fault))),
            None => phone.queue.push_back(job),
        }
    }

    fn stop(&mut self, fault: Fault, orders: &mut Vec<Order>) {
        for phone in self.phones.values_mut() {
            orders.extend(phone.queue.drain(..).map(|job| Order::Judge(job, Some(fault.clone()))));
        }
        self.stopping = Some(fault);
    }

    fn give_up_absent(&mut self, now: RunTime, orders: &mut Vec<Order>) {
        let absence = self.rules.absence;
        let is_over = |phone: &Phone| {
            !phone.present && !phone.held && phone.running.is_none() && now >= phone.given_up_at(absence)
        };
        let mut lost: Vec<(DeviceId, JobId, Fault)> = Vec::new();
        for (id, phone) in self.phones.iter_mut().filter(|(_, phone)| is_over(phone)) {
            for job in phone.queue.drain(..) {
                let away = (now - phone.gone_since).secs();
                let what = format!("{id} left ({}) and did not come back within {away:.0} s", phone.why_gone);
                let fault = Fault::new(FaultCode::DeviceLost, what);
                lost.push((id.clone(), job, fault.advise("check its cable, hub and battery")));
            }
        }
        for (id, job, fault) in lost {
            self.give_up(now, &id, job, fault, orders);
        }
    }

    fn start_ready(&mut self, now: RunTime, orders: &mut Vec<Order>) {
        let places = self.rules.most_running.saturating_sub(self.running());
        if places == 0 || self.stopping.is_some() {
            return;
        }
        let mut ready: Vec<(&DeviceId, &mut Phone)> =
            self.phones.iter_mut().filter(|(_, phone)| phone.waits(now)).collect();
        if ready.len() > places {
            // The longest first (Graham 1969): who begins last must not be who has the most to do.
            let time = |job: &JobId| self.times.get(job).copied().unwrap_or_default();
            ready.sort_by_key(|(_, phone)| {
                Reverse(phone.queue.iter().map(time).fold(Duration::ZERO, Duration::saturating_add))
            });
        }
        for (id, phone) in ready.into_iter().take(places) {
            phone.running = phone.queue.pop_front();
            phone.retried = None;
            orders.extend(phone.running.map(|job| Order::Start(job, id.clone())));
        }
    }
}

/// The fault of a job that an interrupt cut short.
pub fn interrupted() -> Fault {
    Fault::new(FaultCode::Interrupted, "the run was interrupted before this job was done")
}

#[cfg(test)]
mod tests;
