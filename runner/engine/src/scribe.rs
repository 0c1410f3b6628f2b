//! Appends stamped facts to the log, folds them into the record and hands them to every reporter, in one order.

use crate::announce::FactSink;
use crate::masked::masked;
use farmjank_leaf::mask::Mask;
pub use farmjank_results::bundle_files::LOG;
use farmjank_results::event::{Event, Fact};
use farmjank_results::frame_log::MOST_BYTES;
use farmjank_results::journal;
use farmjank_results::record::{OutOfOrder, Record};
use farmjank_results::time::RunTime;
use farmjank_results::verdict::exit_undelivered;
use farmjank_seams::host::Files;
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// What else a run's folder holds: files and folders.
pub const BUNDLE: [&str; 7] =
    ["evidence", "plots", "plugins", "report.html", "results.json", "junit.xml", "metrics.txt"];

/// Where text for people goes.
pub trait Voice {
    /// Standard output.
    fn out(&self, text: &str);
    /// Standard error.
    fn err(&self, text: &str);
    /// What is secret: it stands in no fact.
    fn mask(&self) -> Option<&Mask> {
        None
    }
    /// Standard output, of what a CI runner is to obey.
    fn commands(&self, text: &str) {
        self.out(text);
    }
}

/// The frame logs of a bundle.
pub struct Kept<'f>(pub &'f dyn Files);

impl FrameLogs for Kept<'_> {
    fn frame_log(&self, path: &str) -> Option<Vec<u8>> {
        self.0.read(path, MOST_BYTES as u64).ok()
    }
}

/// Facts after which nothing measured may be lost, whatever happens to the computer.
fn outlives_power(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::PlanMade { .. }
            | Fact::RunResumed { .. }
            | Fact::TrialFinished { .. }
            | Fact::JobJudged { .. }
            | Fact::RunJudged { .. }
    )
}

/// The one place events are made. Every reporter sees the same order.
pub struct Scribe {
    files: Rc<dyn Files>,
    voice: Rc<dyn Voice>,
    inner: RefCell<Inner>,
}

struct Inner {
    seq: u64,
    record: Record,
    reporters: Vec<Box<dyn Reporter>>,
    log_broken: Option<String>,
    /// Something that was asked for could not be delivered.
    undelivered: bool,
}

impl FactSink for Scribe {
    fn put(&self, at: RunTime, fact: Fact) {
        self.put_of(at, None, fact);
    }
}

impl Scribe {
    /// A new log.
    pub fn new(files: Rc<dyn Files>, voice: Rc<dyn Voice>, reporters: Vec<Box<dyn Reporter>>) -> Self {
        let inner =
            Inner { seq: 0, record: Record::default(), reporters, log_broken: None, undelivered: false };
        Scribe { files, voice, inner: RefCell::new(inner) }
    }

    /// The log of a run that goes on. Reporters hear what happened before; what they had to say of it was said.
    ///
    /// # Errors
    /// The first event that breaks a law.
    pub fn resumed(
        files: Rc<dyn Files>,
        voice: Rc<dyn Voice>,
        reporters: Vec<Box<dyn Reporter>>,
        events: &[Event],
    ) -> Result<Self, OutOfOrder> {
        let scribe = Scribe::new(files, voice, reporters);
        {
            let inner = &mut *scribe.inner.borrow_mut();
            for event in events {
                inner.record.apply(event)?;
                inner.seq = event.seq + 1;
                for reporter in &mut inner.reporters {
                    // One that fails on it fails on what comes, too, and is told of there.
                    drop(catch_unwind(AssertUnwindSafe(|| reporter.observe(event, &inner.record))));
                }
            }
        }
        Ok(scribe)
    }

    /// The same of what the run of a shard told.
    pub(crate) fn put_of(&self, at: RunTime, shard: Option<u32>, fact: Fact) {
        let deliveries = self.spread(at, shard, fact);
        self.deliver(at, deliveries);
    }

    /// Asks every reporter for its conclusion and delivers it, one after the other: the reports of a large run do not
    /// fit into memory all at once.
    pub fn conclude(&self, at: RunTime) {
        let reporters = self.inner.borrow().reporters.len();
        for nth in 0..reporters {
            let concluded = self.concluded(nth);
            self.deliver(at, concluded);
        }
    }

    fn concluded(&self, nth: usize) -> Vec<(String, Delivery)> {
        let inner = &mut *self.inner.borrow_mut();
        let Some(reporter) = inner.reporters.get_mut(nth) else { return Vec::new() };
        let (record, frame_logs) = (&inner.record, Kept(&*self.files));
        let name = reporter.name().to_owned();
        match catch_unwind(AssertUnwindSafe(|| reporter.conclude(record, &frame_logs))) {
            Ok(made) => made.into_iter().map(|delivery| (name.clone(), delivery)).collect(),
            Err(_) => {
                let why = "it failed; the others go on".to_owned();
                vec![(name, Delivery::Failed { what: "its report".to_owned(), why })]
            }
        }
    }

    /// The record folded so far.
    pub fn record(&self) -> Record {
        self.inner.borrow().record.clone()
    }

    /// The record of a run that is over, without a copy: nothing more may be put. A log without its end is no success.
    pub fn take_record(&self) -> Record {
        let inner = &mut *self.inner.borrow_mut();
        let mut record = std::mem::take(&mut inner.record);
        if inner.log_broken.is_some() {
            record.exit_code = record.exit_code.map(exit_undelivered);
        }
        record
    }

    /// The exit code of a run that was judged so, now that its reports are delivered.
    pub(crate) fn delivered(&self, judged: u8) -> u8 {
        if self.inner.borrow().undelivered { exit_undelivered(judged) } else { judged }
    }

    /// Reads the record without a copy.
    pub fn with_record<T>(&self, read: impl FnOnce(&Record) -> T) -> T {
        read(&self.inner.borrow().record)
    }

    /// The first error of the log's file, if any: the run goes on, and ends as a tool fault.
    pub(crate) fn log_broken(&self) -> Option<String> {
        self.inner.borrow().log_broken.clone()
    }

    fn spread(&self, at: RunTime, shard: Option<u32>, fact: Fact) -> Vec<(String, Delivery)> {
        let fact = self.voice.mask().and_then(|mask| masked(mask, &fact)).unwrap_or(fact);
        let inner = &mut *self.inner.borrow_mut();
        let event = Event { seq: inner.seq, at, shard, fact };
        inner.seq += 1;
        self.append(&event, &mut inner.log_broken);
        if let Err(error) = inner.record.apply(&event) {
            // A law of the log is broken: our own bug, said loudly, and the log keeps the evidence.
            self.voice.err(&format!("internal error: event out of order: {error:?}\n"));
            inner.log_broken.get_or_insert_with(|| format!("{error:?}"));
        }
        let mut deliveries = Vec::new();
        for reporter in &mut inner.reporters {
            let record = &inner.record;
            let name = reporter.name().to_owned();
            match catch_unwind(AssertUnwindSafe(|| reporter.observe(&event, record))) {
                Ok(made) => deliveries.extend(made.into_iter().map(|delivery| (name.clone(), delivery))),
                Err(_) => self.voice.err(&format!("reporter {name} failed on event {}\n", event.seq)),
            }
        }
        deliveries
    }

    /// The log ends with the first event that cannot be written: it stays one that can be read.
    fn append(&self, event: &Event, broken: &mut Option<String>) {
        if broken.is_some() {
            return;
        }
        let line = journal::line(event).map_err(|error| error.to_string());
        let written = line.and_then(|line| {
            let kept = self.files.append(LOG, &line).and_then(|()| match &event.fact {
                // Whoever reads the exit code may rely on it.
                Fact::RunFinished { .. } => self.files.sync().and_then(|()| self.files.synced()),
                fact if outlives_power(fact) => self.files.sync(),
                _ => Ok(()),
            });
            kept.map_err(|error| error.why.to_string())
        });
        if let Err(error) = written {
            self.voice.err(&format!("cannot write {LOG}: {error}; results of this run may be lost\n"));
            *broken = Some(error);
        }
    }

    /// Said at once, whatever a console is told to keep to itself.
    fn failed(&self, at: RunTime, reporter: String, what: String, why: String) {
        self.voice.err(&format!("error: {reporter} could not deliver {what}: {why}\n"));
        self.inner.borrow_mut().undelivered = true;
        self.put(at, Fact::DeliveryFailed { reporter, what, why });
    }

    /// Carries deliveries out. A failed delivery is a fact, and the end of no other.
    fn deliver(&self, at: RunTime, deliveries: Vec<(String, Delivery)>) {
        for (reporter, delivery) in deliveries {
            match delivery {
                Delivery::Out(text) => self.voice.out(&text),
                Delivery::Commands(text) => self.voice.commands(&text),
                Delivery::Err(text) => self.voice.err(&text),
                Delivery::File { path, bytes } => match self.files.write(&path, &bytes) {
                    Ok(()) => self.put(at, Fact::DeliveryMade { reporter, what: path }),
                    Err(error) => self.failed(at, reporter, path, error.why.to_string()),
                },
                Delivery::Failed { what, why } => self.failed(at, reporter, what, why),
                Delivery::Missed { what, why } => {
                    self.voice.err(&format!("warning: {reporter} did not deliver {what}: {why}\n"));
                    self.put(at, Fact::DeliveryFailed { reporter, what, why });
                }
            }
        }
    }
}
