//! Which job runs on which phone, and when it is given up: a pure state machine. No clock, no I/O, no tokio.
//!
//! A job belongs to one phone (every phone is judged on its own). Jobs of one phone run one after another in plan order;
//! phones run side by side. A phone that leaves keeps its jobs for a while; one that comes back goes on where it was.

use farmjank_results::blame::{Blame, Fault, Persistence};
use farmjank_results::device::DeviceId;
use farmjank_results::event::{JobId, PlannedJob};
use farmjank_results::time::{RunTime, Span};
use std::collections::{BTreeMap, VecDeque};

/// What the dispatcher is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A phone is ready for work.
    Present(DeviceId),
    /// A phone left.
    Gone(DeviceId, String),
    /// A job's work ended: for good, or with a fault after which it may go on.
    Ended(JobId, Option<Fault>),
    /// A job's work paused by itself: it goes on after the others of its phone.
    Yielded(JobId),
    /// Start nothing more.
    Stop,
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

#[derive(Debug, Default)]
struct Phone {
    present: bool,
    why_gone: String,
    gone_since: RunTime,
    not_before: RunTime,
    queue: VecDeque<JobId>,
    running: Option<JobId>,
}

/// The dispatcher's whole state.
#[derive(Debug)]
pub struct Dispatch {
    rules: Rules,
    phones: BTreeMap<DeviceId, Phone>,
    retries: BTreeMap<JobId, u32>,
    stopping: bool,
}

impl Dispatch {
    /// Takes the plan. Jobs without a phone are the caller's to judge.
    pub fn new(rules: Rules, jobs: &[PlannedJob]) -> Self {
        let mut phones: BTreeMap<DeviceId, Phone> = BTreeMap::new();
        for job in jobs {
            if let Some(device) = &job.device {
                phones.entry(device.clone()).or_default().queue.push_back(job.job);
            }
        }
        Dispatch { rules, phones, retries: BTreeMap::new(), stopping: false }
    }

    /// Feeds one input; what follows from it comes back as orders.
    pub fn step(&mut self, now: RunTime, input: Input) -> Vec<Order> {
        let mut orders = Vec::new();
        match input {
            Input::Present(id) => {
                if let Some(phone) = self.phones.get_mut(&id) {
                    phone.present = true;
                }
            }
            Input::Gone(id, why) => self.gone(now, &id, why, &mut orders),
            Input::Ended(job, fault) => self.ended(now, job, fault, &mut orders),
            Input::Yielded(job) => self.yielded(job, &mut orders),
            Input::Stop => self.stop(&mut orders),
            Input::Tick => {}
        }
        self.give_up_absent(now, &mut orders);
        self.start_ready(now, &mut orders);
        orders
    }

    /// When a tick is due at the latest, if anything waits for time to pass.
    pub fn next_tick(&self) -> Option<RunTime> {
        // Where every place is taken, the end of a job is what frees one, not time.
        let is_full = self.running() >= self.rules.most_running;
        let waiting = self.phones.values().filter(|phone| phone.running.is_none() && !phone.queue.is_empty());
        let due = waiting.filter_map(|phone| match phone.present {
            true if is_full => None,
            true => Some(phone.not_before),
            false => Some(phone.gone_since + self.rules.absence),
        });
        due.min()
    }

    fn running(&self) -> usize {
        self.phones.values().filter(|phone| phone.running.is_some()).count()
    }

    /// Nothing runs and nothing waits.
    pub fn is_done(&self) -> bool {
        self.phones.values().all(|phone| phone.running.is_none() && phone.queue.is_empty())
    }

    fn gone(&mut self, now: RunTime, id: &DeviceId, why: String, orders: &mut Vec<Order>) {
        let absence = self.rules.absence;
        let Some(phone) = self.phones.get_mut(id) else { return };
        if phone.present {
            (phone.present, phone.gone_since, phone.why_gone) = (false, now, why);
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
        phone.running = None;
        let passing = |fault: &Fault| fault.blame == Blame::Lab && fault.persistence == Persistence::Passing;
        match fault {
            Some(fault) if passing(&fault) && !self.stopping => {
                let used = self.retries.entry(job).or_default();
                if *used >= self.rules.retries {
                    orders.push(Order::Judge(job, Some(fault)));
                    return;
                }
                *used += 1;
                phone.not_before = now + self.rules.backoff;
                phone.queue.push_front(job);
                let words = format!("{id}: {} (try {} of {})", fault.what, *used + 1, self.rules.retries + 1);
                orders.push(Order::Queue(job, words));
            }
            fault => orders.push(Order::Judge(job, fault)),
        }
    }

    fn yielded(&mut self, job: JobId, orders: &mut Vec<Order>) {
        let Some(phone) = self.phones.values_mut().find(|phone| phone.running == Some(job)) else { return };
        phone.running = None;
        match self.stopping {
            true => orders.push(Order::Judge(job, Some(interrupted()))),
            false => phone.queue.push_back(job),
        }
    }

    fn stop(&mut self, orders: &mut Vec<Order>) {
        self.stopping = true;
        for phone in self.phones.values_mut() {
            orders.extend(phone.queue.drain(..).map(|job| Order::Judge(job, Some(interrupted()))));
        }
    }

    fn give_up_absent(&mut self, now: RunTime, orders: &mut Vec<Order>) {
        for (id, phone) in &mut self.phones {
            if phone.present || phone.running.is_some() || now < phone.gone_since + self.rules.absence {
                continue;
            }
            for job in phone.queue.drain(..) {
                let away = (now - phone.gone_since).secs();
                let what = format!("{id} left ({}) and did not come back within {away:.0} s", phone.why_gone);
                let fault = Fault::new(Blame::Lab, "device_lost", what);
                orders.push(Order::Judge(job, Some(fault.advise("check its cable, hub and battery"))));
            }
        }
    }

    fn start_ready(&mut self, now: RunTime, orders: &mut Vec<Order>) {
        let mut running = self.running();
        for (id, phone) in &mut self.phones {
            if running >= self.rules.most_running {
                return;
            }
            if phone.present && phone.running.is_none() && now >= phone.not_before && !self.stopping {
                phone.running = phone.queue.pop_front();
                if let Some(job) = phone.running {
                    running += 1;
                    orders.push(Order::Start(job, id.clone()));
                }
            }
        }
    }
}

/// The fault of a job that an interrupt cut short.
pub fn interrupted() -> Fault {
    Fault::new(Blame::Lab, "interrupted", "the run was interrupted before this job was done")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id(name: &str) -> DeviceId {
        DeviceId(name.into())
    }

    fn at(secs: i64) -> RunTime {
        RunTime::from_ns(secs * 1_000_000_000)
    }

    fn plan(devices: &[&str]) -> Vec<PlannedJob> {
        let job = |(job, device): (usize, &&str)| PlannedJob {
            job: job as JobId,
            scenario: "s".into(),
            file: "s.yaml".into(),
            hash: String::new(),
            app: "com.a".into(),
            tags: vec![],
            device: Some(id(device)),
            iterations: 1,
            warmup: 0,
            windows: vec![],
            effect: None,
        };
        devices.iter().enumerate().map(job).collect()
    }

    fn rules() -> Rules {
        Rules { absence: Span::from_ms(60_000), retries: 2, backoff: Span::from_ms(2_000), most_running: 8 }
    }

    fn lab() -> Fault {
        Fault::new(Blame::Lab, "device_lost", "gone").passing()
    }

    #[test]
    fn phones_run_side_by_side_and_their_jobs_in_order() {
        let mut dispatch = Dispatch::new(rules(), &plan(&["a", "a", "b"]));
        assert_eq!(dispatch.step(at(0), Input::Present(id("a"))), [Order::Start(0, id("a"))]);
        assert_eq!(dispatch.step(at(0), Input::Present(id("b"))), [Order::Start(2, id("b"))]);
        let orders = dispatch.step(at(9), Input::Ended(0, None));
        assert_eq!(orders, [Order::Judge(0, None), Order::Start(1, id("a"))]);
    }

    #[test]
    fn a_phone_that_comes_back_goes_on_with_its_job() {
        let mut dispatch = Dispatch::new(rules(), &plan(&["a"]));
        dispatch.step(at(0), Input::Present(id("a")));
        dispatch.step(at(5), Input::Gone(id("a"), "unplugged".into()));
        assert!(matches!(dispatch.step(at(5), Input::Ended(0, Some(lab())))[..], [Order::Queue(0, _)]));
        assert_eq!(dispatch.next_tick(), Some(at(65)));
        assert_eq!(dispatch.step(at(20), Input::Present(id("a"))), [Order::Start(0, id("a"))]);
    }

    #[test]
    fn a_phone_that_stays_away_breaks_its_jobs() {
        let mut dispatch = Dispatch::new(rules(), &plan(&["a", "a"]));
        dispatch.step(at(0), Input::Present(id("a")));
        dispatch.step(at(5), Input::Gone(id("a"), "unplugged".into()));
        dispatch.step(at(5), Input::Ended(0, Some(lab())));
        let orders = dispatch.step(at(65), Input::Tick);
        assert_eq!(orders.len(), 2);
        assert!(
            orders
                .iter()
                .all(|order| matches!(order, Order::Judge(_, Some(fault)) if fault.code == "device_lost"))
        );
        assert!(dispatch.is_done());
    }

    #[test]
    fn a_lasting_or_app_fault_is_never_retried() {
        for fault in
            [Fault::new(Blame::App, "app_crashed", "x").passing(), Fault::new(Blame::Lab, "locked", "x")]
        {
            let mut dispatch = Dispatch::new(rules(), &plan(&["a"]));
            dispatch.step(at(0), Input::Present(id("a")));
            let orders = dispatch.step(at(1), Input::Ended(0, Some(fault.clone())));
            assert_eq!(orders, [Order::Judge(0, Some(fault))]);
        }
    }

    #[test]
    fn a_phone_that_waits_for_a_place_asks_for_no_tick() {
        let mut dispatch = Dispatch::new(Rules { most_running: 1, ..rules() }, &plan(&["a", "b"]));
        dispatch.step(at(0), Input::Present(id("a")));
        dispatch.step(at(0), Input::Present(id("b")));
        assert_eq!(dispatch.next_tick(), None);
        assert_eq!(
            dispatch.step(at(5), Input::Ended(0, None)),
            [Order::Judge(0, None), Order::Start(1, id("b"))]
        );
    }

    #[test]
    fn the_budget_of_retries_ends() {
        let mut dispatch = Dispatch::new(rules(), &plan(&["a"]));
        dispatch.step(at(0), Input::Present(id("a")));
        for now in [10, 20] {
            dispatch.step(at(now), Input::Ended(0, Some(lab())));
            assert_eq!(dispatch.step(at(now + 1), Input::Tick), [], "backing off");
            assert_eq!(dispatch.step(at(now + 2), Input::Tick), [Order::Start(0, id("a"))]);
        }
        assert_eq!(dispatch.step(at(30), Input::Ended(0, Some(lab()))), [Order::Judge(0, Some(lab()))]);
    }

    proptest! {
        /// Whatever happens in whatever order, every job is judged exactly once and the dispatcher ends.
        #[test]
        fn no_job_is_lost(steps in prop::collection::vec((0u8..7, 0usize..3, 0i64..40), 0..60), most in 1usize..4) {
            let names = ["a", "b", "c"];
            let jobs = plan(&["a", "b", "a", "c", "c", "b", "a"]);
            let mut dispatch = Dispatch::new(Rules { most_running: most, ..rules() }, &jobs);
            let (mut judged, mut running, mut now) = (vec![0; jobs.len()], Vec::new(), 0);
            let mut take = |orders: Vec<Order>, running: &mut Vec<JobId>| for order in orders {
                match order {
                    Order::Start(job, _) => running.push(job),
                    Order::Judge(job, _) => judged[job as usize] += 1,
                    Order::Queue(..) => {}
                }
            };
            for (kind, which, wait) in steps {
                now += wait;
                let name = id(names[which]);
                let input = match kind {
                    0 | 1 => Input::Present(name),
                    2 => Input::Gone(name, "x".into()),
                    3 if !running.is_empty() => Input::Ended(running.remove(which % running.len()), None),
                    5 if !running.is_empty() => Input::Yielded(running.remove(which % running.len())),
                    4 if !running.is_empty() => Input::Ended(running.remove(which % running.len()), Some(lab())),
                    _ => Input::Tick,
                };
                take(dispatch.step(at(now), input), &mut running);
            }
            take(dispatch.step(at(now), Input::Stop), &mut running);
            while let Some(job) = running.pop() {
                take(dispatch.step(at(now), Input::Ended(job, Some(lab()))), &mut running);
            }
            prop_assert!(dispatch.is_done());
            prop_assert_eq!(judged, vec![1; jobs.len()]);
        }
    }
}
