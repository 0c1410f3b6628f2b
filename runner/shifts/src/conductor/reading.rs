//! A run as it is read by somebody who does not conduct it: how far it is, and what comes of it. Whoever reads needs
//! nobody's leave, and nobody waits for them: nothing is written on the farm.

use super::{Desk, Found, Outputs, Trouble, conducted};
use crate::conductor::lead::Lead;
use crate::evidence::Evidence;
use crate::said::Said;
use crate::sheet::RunSheet;
use farmjank_engine::conduct::Against;
use farmjank_engine::stop::Urgency;
use farmjank_farm::run_note::lease_of;
use farmjank_leaf::text::line;
use farmjank_results::event::{Fact, JobId};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_results::record::Record;
use farmjank_seams::host::{Files, Pieces};
use farmjank_seams::reporter::Reporter;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// Between two looks at whether a run can end.
const LOOKS: Duration = Duration::from_secs(15);
/// A log that cannot be found is looked for that long, where nothing is waited for.
const FINDS: Duration = Duration::from_secs(20);
/// What an entry says that judges a job.
const JUDGED: &str = "\"job_judged\"";

/// How far a host's part of a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartSeen {
    /// The host.
    pub host: String,
    /// Its jobs.
    pub jobs: usize,
    /// Those that are judged.
    pub judged: usize,
    /// It said its last.
    pub over: bool,
    /// Its agent is there.
    pub there: bool,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// It is over.
    pub over: bool,
    /// Somebody conducts it.
    pub conducted: bool,
    /// Host by host.
    pub parts: Vec<PartSeen>,
}

impl Progress {
    /// `3 of 8 jobs are judged`.
    pub fn words(&self) -> String {
        let sum = |of: fn(&PartSeen) -> usize| self.parts.iter().map(of).sum::<usize>();
        format!("{} of {} jobs are judged", sum(|part| part.judged), sum(|part| part.jobs))
    }

    /// Why it cannot end by itself: nobody conducts it, who could give up a host that is away.
    pub fn stuck(&self) -> Option<String> {
        let away = self.parts.iter().filter(|part| !part.over && !part.there);
        let away: Vec<String> = away.map(|part| line(&part.host, 128)).collect();
        (!self.conducted && !away.is_empty()).then(|| {
            format!("nobody conducts it, and hosts that are not done with it are away: {}", away.join(", "))
        })
    }
}

/// A run that is read.
pub struct Reading {
    lead: Lead,
    sheet: RunSheet,
    judged: BTreeSet<JobId>,
    /// So much of the order was looked through for them.
    seen: usize,
}

impl Reading {
    /// Begins to read a run.
    ///
    /// # Errors
    /// `farm_garbled`.
    pub fn of(found: Found, desk: Desk) -> Result<Reading, Fault> {
        let Found { head, sheet, lines, .. } = found;
        let lead = Lead::new(desk, &sheet, lines, head.stays)?.late(&head).reading();
        Ok(Reading { lead, sheet, judged: BTreeSet::new(), seen: 0 })
    }

    /// Reads until the run is over, for so long at most, and all there is in any case; how far it is then. Whoever is
    /// told to stop stops.
    ///
    /// # Errors
    /// Those of the exchange, once they lasted for longer than is waited; `farm_refused`: the farm keeps no more than a
    /// part of the run.
    pub async fn read(&mut self, wait: Duration) -> Result<Progress, Fault> {
        let (until, mut trouble) = (Instant::now() + wait, Trouble::new(self.lead.patience));
        let (mut stood, mut told) = (Instant::now(), Instant::now());
        if self.lead.lines.is_empty() {
            return self.progress(true).await;
        }
        loop {
            let read = self.lead.gathered().await;
            if let Err(fault) = read {
                trouble.wait(fault, &*self.lead.voice, self.lead.goes_on()).await?;
                continue;
            }
            trouble.over();
            let gathering = &self.lead.gathering;
            let (over, stands) = (gathering.is_over(), gathering.stands());
            let stopped = self.lead.stop.urgency() > Urgency::None;
            if over || stopped || stands && Instant::now() >= until {
                return self.progress(over).await;
            }
            if stands {
                stood = Instant::now();
            } else if Instant::now() >= until && stood.elapsed() > FINDS {
                return Err(self.not_found());
            }
            if told.elapsed() > LOOKS {
                told = Instant::now();
                let now = self.progress(false).await?;
                self.lead.voice.err(&format!("{}: {}\n", self.lead.key, now.words()));
            }
            self.lead.led(self.sheet.begins, false).await?;
        }
    }

    fn not_found(&self) -> Fault {
        let what =
            format!("the farm does not say where the log of {} goes on: it forgot some of it", self.lead.key);
        let advice = format!("`farmjank run --attach {}` goes on with the run", self.lead.key);
        Fault::new(FaultCode::FarmUnreachable, what).advise(advice)
    }

    async fn progress(&mut self, over: bool) -> Result<Progress, Fault> {
        self.count()?;
        self.lead.progress(over, &self.judged).await
    }

    fn count(&mut self) -> Result<(), Fault> {
        while self.seen < self.lead.gathering.order().ordered().len() {
            for one in self.lead.gathering.order().ordered().from(self.seen)?.iter() {
                if one.entry.fact.contains(JUDGED)
                    && let Said::Fact(fact @ Fact::JobJudged { .. }) = Said::read(&one.entry.fact)?
                {
                    self.judged.extend(fact.job());
                }
                self.seen += 1;
            }
        }
        Ok(())
    }

    /// What comes of the run, as whoever conducts it has it; none where it was left before its end.
    ///
    /// # Errors
    /// As [`Reading::read`]; `farm_refused`: the farm lost a file of the run.
    pub async fn told(self, outputs: Outputs) -> Result<Option<Record>, Fault> {
        conducted(self.lead, self.sheet, outputs, (true, None)).await
    }

    /// The same for who looks on and keeps nothing.
    ///
    /// # Errors
    /// As [`Reading::read`].
    pub async fn watched(
        self,
        reporters: Vec<Box<dyn Reporter>>,
        against: Option<Box<Against>>,
    ) -> Result<Option<Record>, Fault> {
        let (files, evidence) = (Rc::new(Nowhere), Evidence::All);
        self.told(Outputs { files, keep: None, reporters, against, evidence }).await
    }
}

impl Lead {
    async fn progress(&self, over: bool, judged: &BTreeSet<JobId>) -> Result<Progress, Fault> {
        let (there, floors) = (self.there().await?, self.gathering.order().floors());
        let parts = self.lines.iter().map(|line| PartSeen {
            host: line.host.clone(),
            jobs: line.numbers.len(),
            judged: line.numbers.intersection(judged).count(),
            over: floors.get(&line.name).is_some_and(|floor| floor.over),
            there: there.contains_key(&line.host),
        });
        let conducted = self.exchange.holder(&lease_of(&self.key)).await?.is_some();
        Ok(Progress { over, conducted, parts: parts.collect() })
    }

    /// Says once why the run cannot end by itself.
    pub(super) async fn tell_stuck(&mut self) -> Result<(), Fault> {
        if self.stuck || self.looked.elapsed() < LOOKS {
            return Ok(());
        }
        self.looked = Instant::now();
        if let Some(why) = self.progress(false, &BTreeSet::new()).await?.stuck() {
            self.stuck = true;
            let key = &self.key;
            self.voice.err(&format!("{key}: {why}; `farmjank run --attach {key}` conducts it to its end\n"));
        }
        Ok(())
    }
}

/// The folder of a run that nobody keeps.
struct Nowhere;

impl Files for Nowhere {
    fn append(&self, _: &str, _: &[u8]) -> Result<(), FileError> {
        Ok(())
    }

    fn sync(&self) -> Result<(), FileError> {
        Ok(())
    }

    fn synced(&self) -> Result<(), FileError> {
        Ok(())
    }

    fn write(&self, _: &str, _: &[u8]) -> Result<(), FileError> {
        Ok(())
    }

    fn read(&self, path: &str, _: u64) -> Result<Vec<u8>, FileError> {
        Err(FileError::new(Path::new(path), FileProblem::Missing))
    }

    fn pieces(&self, path: &str) -> Result<Pieces, FileError> {
        Err(FileError::new(Path::new(path), FileProblem::Missing))
    }
}
