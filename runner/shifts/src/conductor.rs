//! Who conducts a run over hosts: plans as any run is planned, offers each host its shift, puts what they say into one
//! log, and closes it as any run is closed. A host that is gone has its line closed by the conductor; one that comes
//! back finds that somebody else goes on.

mod files;
mod lead;
mod parting;
pub mod reading;

use crate::evidence::Evidence;
use crate::said::Said;
pub use crate::sheet::Commission;
use crate::sheet::{Line, RunSheet};
use crate::shift::{Asked, CANCELLED, Shift, Texts, spoken};
use crate::turns::Turns;
use crate::working::passes;
use farmjank_engine::announce::FactSink;
use farmjank_engine::conduct::{Against, close};
use farmjank_engine::fail_fast::FailFast;
use farmjank_engine::scribe::{Scribe, Voice};
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_farm::frames::Ordered;
use farmjank_farm::head::Head;
use farmjank_farm::spill::Spill;
use farmjank_leaf::text::line;
use farmjank_results::event::Fact;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::file_error::FileError;
use farmjank_results::record::Record;
use farmjank_results::time::RunTime;
use farmjank_seams::exchange::Exchange;
use farmjank_seams::host;
use farmjank_seams::reporter::Reporter;
use files::Files;
use lead::Lead;
use parting::part;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Between two tries to reach the farm.
const AGAIN: Duration = Duration::from_secs(1);

/// Where a run is conducted from. One field for each thing that is injected.
pub struct Desk {
    /// The farm.
    pub exchange: Rc<dyn Exchange>,
    /// What the run is called on the farm; no two are called the same.
    pub key: String,
    /// Who conducts it from here: no two are called the same.
    pub owner: String,
    /// How long a host, or the farm, may be away.
    pub patience: Duration,
    /// Where text for people goes.
    pub voice: Rc<dyn Voice>,
    /// How it is stopped.
    pub stop: Stop,
    /// Where what is in order is put, which memory need not hold.
    pub aside: Rc<dyn Spill>,
}

/// What comes of a run.
pub struct Outputs {
    /// The bundle.
    pub files: Rc<dyn host::Files>,
    /// Keeps a file of the bundle as it came, packed or not; none where nobody wants them.
    pub keep: Option<Box<KeepFile>>,
    /// Who is told.
    pub reporters: Vec<Box<dyn Reporter>>,
    /// What the run is held against.
    pub against: Option<Box<Against>>,
    /// Of which jobs raw evidence is taken into the bundle.
    pub evidence: Evidence,
}

/// Keeps a file of the bundle as it came.
pub type KeepFile = dyn Fn(&str, &[u8]) -> Result<(), FileError>;

/// A run under way. One field for each thing that is told, or behind what is there.
struct Conductor {
    lead: Lead,
    scribe: Scribe,
    keep: Option<Box<KeepFile>>,
    /// Whoever is told to stop leaves, and the run goes on.
    leaves: bool,
    /// So much of the order is in the log.
    fed: usize,
    files: Files,
    /// Time of the last fact.
    last: RunTime,
    /// What failed, and whether that is enough.
    fail_fast: FailFast,
    /// Hosts know that it is.
    ended: bool,
}

/// Conducts a run to its end; the record's exit code is the run's.
///
/// # Errors
/// The farm stays away for longer than is waited, or refuses.
pub async fn run(commission: Commission, desk: Desk, outputs: Outputs) -> Result<Record, Fault> {
    let (brought, fail_fast) = (commission.brought(), commission.asked.fail_fast);
    let (sheet, lines) = RunSheet::of(commission)?;
    let lead = Lead::new(desk, &sheet, lines, false)?.bringing(brought);
    let record = conducted(lead, sheet, outputs, (false, fail_fast)).await?;
    // Nobody leaves a run that was begun to be conducted.
    record.ok_or_else(|| Fault::new(FaultCode::FarmRefused, "the run was left before its end"))
}

/// Begins a run that goes on while nobody conducts it. Its hosts know of it then.
///
/// # Errors
/// As [`run`].
pub async fn detach(commission: Commission, desk: Desk) -> Result<(), Fault> {
    let brought = commission.brought();
    let (sheet, lines) = RunSheet::of(commission)?;
    if lines.is_empty() {
        let what = "no phone of the farm is asked for anything";
        return Err(Fault::new(FaultCode::NoPhone, what)
            .advise("`farmjank plan` tells why; or run it without --detach"));
    }
    let mut lead = Lead::new(desk, &sheet, lines, true)?.bringing(brought);
    let mut trouble = Trouble::new(lead.patience);
    loop {
        match lead.begun().await {
            Ok(true) => return Ok(()),
            Ok(false) => trouble.over(),
            Err(fault) => trouble.wait(fault, &*lead.voice, lead.goes_on()).await?,
        }
    }
}

/// A run that is known to the farm.
pub struct Found {
    key: String,
    head: Head,
    sheet: RunSheet,
    lines: Vec<Line>,
}

impl Found {
    /// What it is called on the farm.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Whether it came to its end.
    pub fn is_over(&self) -> bool {
        self.head.over
    }

    /// Its id, as its bundle has it.
    pub fn run(&self) -> &str {
        &self.sheet.run
    }

    /// The virtual lab its phones are of; none for real ones.
    pub fn lab(&self) -> Option<&str> {
        let started = |(_, fact): &(RunTime, Fact)| matches!(fact, Fact::RunStarted { .. });
        match &self.sheet.facts.iter().find(|one| started(one))?.1 {
            Fact::RunStarted { lab, .. } => lab.as_deref(),
            _ => None,
        }
    }

    /// Of which jobs its hosts were told to send raw evidence.
    pub fn evidence(&self) -> Evidence {
        let asked = self.scenarios().ok().flatten().map(|(_, asked)| asked.evidence);
        asked.unwrap_or_default()
    }

    /// Its scenarios as hosts read them, and how they are measured; none where no host has anything to do.
    ///
    /// # Errors
    /// `farm_garbled`.
    pub fn scenarios(&self) -> Result<Option<(Texts, Asked)>, Fault> {
        let first = self.lines.first().map(|line| spoken::<Shift>("a shift", &line.shift)).transpose()?;
        Ok(first.map(|shift| (shift.texts, shift.asked)))
    }

    /// After how many failed cells nothing more is begun.
    fn fail_fast(&self) -> Option<u32> {
        self.scenarios().ok().flatten()?.1.fail_fast
    }

    /// How builds take turns in it, where it is about that.
    pub fn turns(&self) -> Option<Turns> {
        let first = self.lines.first()?;
        spoken::<Shift>("a shift", &first.shift).ok()?.turns
    }
}

/// Finds a run that was begun elsewhere. A farm that does not answer is waited for: its servers may be about to agree
/// who leads.
///
/// # Errors
/// Those of the exchange, once they lasted for longer than is waited; `farm_refused`: the farm does not know, or keep,
/// the run.
pub async fn found(desk: &Desk) -> Result<Found, Fault> {
    let mut trouble = Trouble::new(desk.patience);
    loop {
        match looked_up(desk).await {
            Ok(found) => return Ok(found),
            Err(fault) => {
                let advice = "once the farm answers, the same command finds the run".to_owned();
                trouble.wait(fault, &*desk.voice, advice).await?;
            }
        }
    }
}

async fn looked_up(desk: &Desk) -> Result<Found, Fault> {
    let Some((_, head)) = Head::of(&*desk.exchange, &desk.key).await? else {
        let what = format!("the farm knows no run {}", line(&desk.key, 80));
        return Err(Fault::new(FaultCode::FarmRefused, what).advise("look at its name, and at --team"));
    };
    let (sheet, lines) = RunSheet::fetched(&*desk.exchange, &head.object).await?;
    Ok(Found { key: desk.key.clone(), head, sheet, lines })
}

/// Lets the hosts of a run know that it is to stop: after what is under way, or `now`. Whoever conducts it, then or
/// later, finds its jobs undecided.
///
/// # Errors
/// Those of the exchange.
pub async fn cancel(found: Found, desk: Desk, now: bool) -> Result<(), Fault> {
    let Found { head, sheet, lines, .. } = found;
    // Who begins with a shift later reads it there.
    head.cancel(&*desk.exchange, &desk.key).await?;
    let lead = Lead::new(desk, &sheet, lines, head.stays)?;
    lead.stop_all(now, CANCELLED, None).await
}

/// Takes a run up that was begun elsewhere, whether it is under way, waits for somebody who conducts it, or is over.
/// None where it was left before its end.
///
/// # Errors
/// As [`run`].
pub async fn attach(found: Found, desk: Desk, outputs: Outputs) -> Result<Option<Record>, Fault> {
    let fail_fast = found.fail_fast();
    let Found { head, sheet, lines, .. } = found;
    let lead = Lead::new(desk, &sheet, lines, head.stays)?.late(&head);
    conducted(lead, sheet, outputs, (true, fail_fast)).await
}

async fn conducted(
    lead: Lead,
    sheet: RunSheet,
    outputs: Outputs,
    (leaves, fail_fast): (bool, Option<u32>),
) -> Result<Option<Record>, Fault> {
    let Outputs { files, keep, reporters, against, evidence } = outputs;
    let scribe = Scribe::new(files, lead.voice.clone(), reporters);
    for (at, fact) in sheet.facts {
        scribe.put(at, fact);
    }
    let (files, last) = (Files::of(evidence), sheet.begins);
    let quarantined = scribe.with_record(|record| record.quarantined.clone());
    let fail_fast = FailFast::after(fail_fast, quarantined);
    let mut conductor =
        Conductor { lead, scribe, keep, leaves, fed: 0, files, last, fail_fast, ended: false };
    let whole = conductor.conducted().await?;
    part(&mut conductor.lead).await;
    if !whole {
        return Ok(None);
    }
    let Conductor { lead, scribe, files, last, .. } = conductor;
    if let Some(what) = files.told(&lead.key) {
        scribe.put(last, Fact::Noticed { job: None, what });
    }
    let interrupted = lead.stop.reason().filter(|_| !leaves);
    close(&scribe, last, interrupted, sheet.nothing, against.as_deref().filter(|_| !sheet.nothing));
    Ok(Some(scribe.take_record()))
}

/// What fails and passes is told once, and waited out.
struct Trouble {
    patience: Duration,
    heard: Instant,
    told: bool,
}

impl Trouble {
    fn new(patience: Duration) -> Trouble {
        Trouble { patience, heard: Instant::now(), told: false }
    }

    fn over(&mut self) {
        (self.heard, self.told) = (Instant::now(), false);
    }

    /// # Errors
    /// The fault, where it does not pass or has lasted for too long.
    async fn wait(&mut self, fault: Fault, voice: &dyn Voice, goes_on: String) -> Result<(), Fault> {
        if !passes(&fault) {
            return Err(fault);
        }
        if self.heard.elapsed() > self.patience {
            return Err(fault.advise(goes_on));
        }
        if !std::mem::replace(&mut self.told, true) {
            voice.err(&format!("{fault}; waiting\n"));
        }
        sleep(AGAIN).await;
        Ok(())
    }
}

impl Conductor {
    /// Until every line said its last, and all of it is in the log; or it was left before.
    async fn conducted(&mut self) -> Result<bool, Fault> {
        if self.lead.lines.is_empty() {
            return Ok(true);
        }
        let mut trouble = Trouble::new(self.lead.patience);
        loop {
            match self.step().await {
                Ok(true) => return Ok(true),
                Ok(false) => trouble.over(),
                Err(fault) => trouble.wait(fault, &*self.lead.voice, self.lead.goes_on()).await?,
            }
            if self.leaves && self.lead.stop.urgency() > Urgency::None {
                return Ok(false);
            }
        }
    }

    /// One step; whether the run is over.
    async fn step(&mut self) -> Result<bool, Fault> {
        self.lead.gathered().await?;
        self.feed().await?;
        if self.lead.gathering.is_over() {
            return Ok(true);
        }
        self.lead.led(self.last, !self.leaves).await?;
        if let Some(fault) = self.fail_fast.enough().filter(|_| !self.ended) {
            self.lead.enough(&fault).await?;
            self.ended = true;
        }
        Ok(false)
    }

    /// What counts for `--fail-fast`.
    fn count(&self, fact: &Fact) {
        let Fact::JobJudged { job, .. } = fact else { return };
        let planned = self.scribe.with_record(|record| record.jobs.get(job).map(|own| own.planned.clone()));
        planned.iter().for_each(|planned| self.fail_fast.judged(planned, fact));
    }

    /// Puts what is in order into the log.
    async fn feed(&mut self) -> Result<(), Fault> {
        loop {
            let part = self.lead.gathering.order().ordered().from(self.fed)?.into_owned();
            if part.is_empty() {
                return Ok(());
            }
            for one in part {
                self.feed_one(one).await?;
                self.fed += 1;
            }
        }
    }

    async fn feed_one(&mut self, one: Ordered) -> Result<(), Fault> {
        let said = Said::read(&one.entry.fact)?;
        let line = self.lead.lines.iter().find(|line| line.name == one.line);
        if !line.is_some_and(|line| said.is_of(&line.numbers, &line.phones)) {
            let what = format!("host {} speaks of what is not its own", one.line);
            return Err(Fault::new(FaultCode::FarmGarbled, what));
        }
        match said {
            Said::Kept { job, path, object, raw } => self.kept(job, (path, object), raw).await,
            Said::Fact(fact) => {
                if let Fact::JobJudged { job, verdict, .. } = &fact {
                    self.judged(*job, *verdict).await?;
                }
                self.count(&fact);
                self.last = self.last.max(one.at);
                self.scribe.put(self.last, fact);
                Ok(())
            }
        }
    }
}
