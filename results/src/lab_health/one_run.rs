//! What one run's log says of its phones, on the days of a period.

use super::phone_day::is_no_fault_of_a_lab;
use super::{Period, PhoneDay};
use crate::device::{DeviceId, Readiness};
use crate::event::{Absent, Ending, Event, Fact, JobId, WindowMeasured};
use crate::fault::{Blame, Fault, FaultCode};
use crate::prepared::PhoneState;
use crate::record::Record;
use crate::time::RunTime;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use thiserror::Error;

/// The thermal status from which on a phone slows itself down.
const THROTTLED: u8 = 1;

/// The log does not say when its run was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("its log does not say when the run began: `{0}` is no instant")]
pub struct NoTime(pub String);

/// One run, as far as it tells of phones in the period.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTold {
    /// The run, to know it again; none of a virtual lab, whose runs may be called the same.
    pub(super) id: Option<String>,
    /// Runs it was merged of.
    pub(super) parts: Vec<String>,
    /// Length of its log, events.
    pub(super) events: usize,
    /// Models of its phones.
    pub(super) models: BTreeMap<DeviceId, String>,
    /// Its phones' days.
    pub(super) days: BTreeMap<DeviceId, BTreeMap<Date, PhoneDay>>,
}

impl RunTold {
    /// Reads a log and its record. The clock of a virtual lab is its own: `written` is when the last line of such a log
    /// was, and places the run.
    ///
    /// # Errors
    /// The log has no instant its run began at.
    pub fn of(
        record: &Record,
        events: &[Event],
        period: Period,
        written: Option<Timestamp>,
    ) -> Result<RunTold, NoTime> {
        let clock = RunClock::of(record, events, written)?;
        let mut fold =
            Fold { period, clock, phones: BTreeMap::new(), last: BTreeMap::new(), days: BTreeMap::new() };
        events.iter().for_each(|event| fold.event(event));
        let merged = record.shards.iter().flat_map(|shards| &shards.merged);
        let models = record.devices.iter().map(|(id, facts)| (id.clone(), facts.model.clone()));
        Ok(RunTold {
            id: written.is_none().then(|| record.header.run.clone()),
            parts: merged.map(|part| part.run.clone()).collect(),
            events: events.len(),
            models: models.filter(|(id, _)| fold.days.contains_key(id)).collect(),
            days: fold.days,
        })
    }

    /// Whether it tells nothing of the period.
    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
    }
}

/// Which instant a time of the run was: by the last wall time that was told, of each shard.
struct RunClock {
    anchors: BTreeMap<Option<u32>, (Timestamp, RunTime)>,
    is_virtual: bool,
}

impl RunClock {
    fn of(record: &Record, events: &[Event], written: Option<Timestamp>) -> Result<RunClock, NoTime> {
        let zero = RunTime::from_ns(0);
        let mut anchors = BTreeMap::new();
        match written {
            Some(written) => {
                anchors.insert(None, (written, events.last().map_or(zero, |last| last.at)));
            }
            None => {
                anchors.insert(None, (instant(&record.header.wall)?, zero));
                for part in record.shards.iter().flat_map(|shards| &shards.merged) {
                    anchors.insert(Some(part.shard), (instant(&part.wall)?, zero));
                }
            }
        }
        Ok(RunClock { anchors, is_virtual: written.is_some() })
    }

    fn goes_on(&mut self, event: &Event, wall: &str) {
        if let (false, Ok(wall)) = (self.is_virtual, instant(wall)) {
            self.anchors.insert(event.shard, (wall, event.at));
        }
    }

    /// None past the ends of the calendar.
    fn at(&self, event: &Event) -> Option<Timestamp> {
        let (wall, at) = self.anchors.get(&event.shard).or_else(|| self.anchors.get(&None))?;
        let since = event.at.ns().checked_sub(at.ns())?;
        wall.checked_add(SignedDuration::from_nanos(since)).ok()
    }
}

fn instant(wall: &str) -> Result<Timestamp, NoTime> {
    wall.parse().map_err(|_| NoTime(farmjank_leaf::text::line(wall, 60)))
}

struct Fold {
    period: Period,
    clock: RunClock,
    /// The phone each job is on.
    phones: BTreeMap<JobId, DeviceId>,
    /// The last fault counted of each job since something of it went well: its judgement repeats it.
    last: BTreeMap<JobId, FaultCode>,
    days: BTreeMap<DeviceId, BTreeMap<Date, PhoneDay>>,
}

impl Fold {
    fn event(&mut self, event: &Event) {
        match &event.fact {
            Fact::RunResumed { wall, .. } => self.clock.goes_on(event, wall),
            Fact::PlanMade { jobs, absent, .. } => {
                let on = |id: &Option<DeviceId>| id.clone();
                self.phones = jobs.iter().filter_map(|job| Some((job.job, on(&job.device)?))).collect();
                self.gone_without(event, absent);
            }
            Fact::DeviceGone { device, .. } => self.count(event, device, |day| day.left += 1),
            Fact::DeviceSeen { device, state: Readiness::NotReady(_), .. } if self.is_planned(device) => {
                self.count(event, device, |day| day.left += 1);
            }
            Fact::RecoveryTried { device, step, .. } => {
                self.count(event, device, |day| *day.recovered.entry(*step).or_default() += 1);
            }
            Fact::LeaseRefused { job, device, fault } => self.repeated(event, *job, device, fault),
            Fact::JobMoved { job, from, to, fault } => {
                self.repeated(event, *job, from, fault);
                self.count(event, from, |day| day.moved += 1);
                self.last.remove(job);
                self.phones.insert(*job, to.clone());
            }
            Fact::PhonePrepared { device, state, .. } => self.prepared(event, device, state),
            Fact::TrialFinished { job, ending, windows, .. } => self.trial(event, *job, ending, windows),
            Fact::JobJudged { job, fault, .. } => self.judged(event, *job, fault.as_ref()),
            _ => {}
        }
    }

    fn is_planned(&self, device: &DeviceId) -> bool {
        self.phones.values().any(|own| own == device)
    }

    fn count(&mut self, event: &Event, device: &DeviceId, counts: impl FnOnce(&mut PhoneDay)) {
        let Some(at) = self.clock.at(event).filter(|at| self.period.holds(*at)) else { return };
        let date = at.to_zoned(TimeZone::UTC).date();
        counts(self.days.entry(device.clone()).or_default().entry(date).or_default());
    }

    /// A fault of the lab, counted once though the job's end tells it again.
    fn repeated(&mut self, event: &Event, job: JobId, device: &DeviceId, fault: &Fault) {
        let known = self.last.insert(job, fault.code.clone());
        if known.as_ref() != Some(&fault.code) {
            self.fault(event, device, fault);
        }
    }

    fn fault(&mut self, event: &Event, device: &DeviceId, fault: &Fault) {
        if fault.blame == Blame::Lab && !is_no_fault_of_a_lab(&fault.code) {
            self.count(event, device, |day| *day.faults.entry(fault.code.clone()).or_default() += 1);
        }
    }

    /// Phones a run was allowed to go without have no job that could tell.
    fn gone_without(&mut self, event: &Event, absent: &[Absent]) {
        for one in absent.iter().filter(|one| one.allowed) {
            self.fault(event, &one.device, &one.fault);
        }
    }

    fn prepared(&mut self, event: &Event, device: &DeviceId, state: &PhoneState) {
        let told = state.battery.filter(|battery| !battery.faked);
        if let Some(battery) = told {
            self.count(event, device, |day| day.warm(f64::from(battery.decidegrees) / 10.0));
        }
    }

    fn trial(&mut self, event: &Event, job: JobId, ending: &Ending, windows: &[WindowMeasured]) {
        let Some(device) = self.phones.get(&job).cloned() else { return };
        match ending {
            Ending::Completed => {
                self.last.remove(&job);
                self.count(event, &device, |day| day.iterations += 1);
            }
            Ending::Faulted(fault) => {
                self.last.insert(job, fault.code.clone());
                self.fault(event, &device, fault);
            }
            Ending::Interrupted => {}
        }
        for window in windows {
            let around = window.around.as_ref();
            let celsius =
                around.and_then(|around| around.battery_celsius).filter(|celsius| celsius.is_finite());
            let throttled = around.and_then(|around| around.thermal_status).is_some_and(|is| is >= THROTTLED);
            self.count(event, &device, |day| {
                day.void += u32::from(window.void.is_some());
                day.heat.throttled += u32::from(throttled);
                celsius.into_iter().for_each(|celsius| day.warm(celsius));
            });
        }
    }

    fn judged(&mut self, event: &Event, job: JobId, fault: Option<&Fault>) {
        let Some(device) = self.phones.get(&job).cloned() else { return };
        // A job nobody began says nothing of its phone.
        if fault.is_some_and(|fault| is_no_fault_of_a_lab(&fault.code)) {
            return;
        }
        if let Some(fault) = fault {
            self.repeated(event, job, &device, fault);
        }
        self.count(event, &device, |day| day.jobs += 1);
    }
}
