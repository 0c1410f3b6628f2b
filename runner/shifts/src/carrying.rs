//! The files of one attempt, on their way to the farm: each is named before the fact that names it, and left there
//! before the farm reads that. Raw evidence that is not wanted of every job is named only, and left once its job is
//! judged.

use crate::evidence::Evidence;
use crate::said::Said;
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_farm::digest;
use farmjank_farm::spill::Spill;
use farmjank_results::bundle_files::named;
use farmjank_results::event::{Fact, JobId};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_seams::exchange::Exchange;
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::Duration;

/// Files that are left at once: a trace has megabytes.
const AT_ONCE: usize = 3;

/// Reads a file of a folder.
pub type ReadFile = dyn Fn(&str, &str) -> Result<Vec<u8>, FileError>;
/// Lists the files below a folder of a folder.
pub type FilesBelow = dyn Fn(&str, &str) -> Vec<String>;

/// The files of shifts.
pub struct ShiftFiles {
    /// Reads a file of a folder as it lies there, packed or not.
    pub read: Box<ReadFile>,
    /// The files below a folder of a folder, as paths in the latter, in order.
    pub below: Box<FilesBelow>,
    /// Takes a folder away, where there is one.
    pub forget: Box<dyn Fn(&str)>,
    /// A place of its own for what a shift said, which memory need not hold.
    pub aside: Box<dyn Fn() -> Rc<dyn Spill>>,
    /// Takes away the folders of all shifts that are so old.
    pub forget_old: Box<dyn Fn(Duration)>,
}

/// Carries the files of an attempt. One field for each thing it needs, or knows.
pub(crate) struct Carrier<'a> {
    pub(crate) exchange: &'a dyn Exchange,
    pub(crate) files: &'a ShiftFiles,
    pub(crate) voice: &'a dyn Voice,
    pub(crate) stop: &'a Stop,
    /// Where they lie.
    pub(crate) folder: &'a str,
    /// Of which jobs raw evidence is wanted.
    pub(crate) evidence: Evidence,
    /// What was named.
    pub(crate) said: BTreeSet<String>,
    /// What was named, and is left once its job is judged, if that is wanted then.
    pub(crate) waiting: BTreeMap<JobId, Vec<String>>,
    /// What was named and is to be left.
    pub(crate) owed: VecDeque<String>,
}

impl Carrier<'_> {
    /// What is to be said before a fact: where the files are that it names; before the last of a job, where all are
    /// that the job has. They are owed to the farm from then on.
    pub(crate) fn before(&mut self, fact: &Fact) -> Vec<Said> {
        let Some(job) = fact.job() else { return Vec::new() };
        let judged = match fact {
            Fact::JobJudged { verdict, .. } => Some(*verdict),
            _ => None,
        };
        let brings = judged.map_or(!self.evidence.waits(), |verdict| self.evidence.brings(verdict));
        if judged.is_some() {
            let waiting = self.waiting.remove(&job).unwrap_or_default();
            self.owed.extend(waiting.into_iter().filter(|_| brings));
        }
        let mut said = Vec::new();
        for (path, raw) in self.of(fact) {
            let is_new = self.said.insert(path.clone());
            let Some(bytes) = is_new.then(|| self.read(&path)).flatten() else { continue };
            match (raw && !brings, judged) {
                (false, _) => self.owed.push_back(path.clone()),
                (true, None) => self.waiting.entry(job).or_default().push(path.clone()),
                (true, Some(_)) => {}
            }
            said.push(Said::Kept { job, path, object: digest::of(&bytes), raw });
        }
        said
    }

    /// Leaves on the farm what is owed to it. Where the run is to stop nobody waits for room: whoever misses a file
    /// asks for it.
    ///
    /// # Errors
    /// Those of the exchange. What is not left is still owed.
    pub(crate) async fn leave(&mut self) -> Result<(), Fault> {
        while !self.owed.is_empty() {
            let many = self.owed.len().min(AT_ONCE);
            let files: Vec<Vec<u8>> =
                self.owed.iter().take(many).filter_map(|path| self.read(path)).collect();
            for left in join_all(files.iter().map(|bytes| digest::leave(self.exchange, bytes))).await {
                match left {
                    Err(fault)
                        if fault.code == FaultCode::FarmFull && self.stop.urgency() > Urgency::None => {}
                    left => drop(left?),
                }
            }
            self.owed.drain(..many);
        }
        Ok(())
    }

    /// The files that belong to a fact, and which of them are raw: dumps and traces, most of all bytes. Reports are
    /// drawn from the others.
    fn of(&self, fact: &Fact) -> Vec<(String, bool)> {
        let raw: BTreeSet<&String> = match fact {
            Fact::TrialFinished { windows, .. } => {
                windows.iter().flat_map(|window| &window.evidence).collect()
            }
            _ => BTreeSet::new(),
        };
        let mut files: Vec<(String, bool)> =
            named(fact).into_iter().map(|path| (path.clone(), raw.contains(path))).collect();
        if let Fact::JobJudged { job, .. } = fact {
            let rest = (self.files.below)(self.folder, &format!("evidence/job-{job}"));
            files.extend(rest.into_iter().map(|path| (path, true)));
        }
        files
    }

    /// A file as it lies there; none where there is none.
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        match (self.files.read)(self.folder, path) {
            Ok(bytes) => Some(bytes),
            // It was never written, or is kept elsewhere: the fact says what was to be there.
            Err(error) if error.why == FileProblem::Missing => None,
            // A file that cannot be read takes no fact with it.
            Err(error) => {
                self.voice.err(&format!("{path} is not sent: {error}\n"));
                None
            }
        }
    }
}
