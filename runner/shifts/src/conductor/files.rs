//! The files of a run over a farm: taken into the bundle as their facts come, and asked for where the farm does not
//! have them: it lost them, or they were not wanted when they were measured.

use super::Conductor;
use crate::evidence::Evidence;
use crate::said::Said;
use crate::shift::Offered;
use farmjank_engine::announce::FactSink;
use farmjank_farm::digest;
use farmjank_leaf::text::line;
use farmjank_results::event::{Fact, JobId};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::verdict::Verdict;
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// A file that is missing is asked for again after that, and given up after so many times.
const AGAIN: Duration = Duration::from_secs(10);
const ASKED: u32 = 12;
/// Files that are fetched at once.
const AHEAD: usize = 32;
/// What an entry begins with that says where a file lies.
const KEPT: &str = "{\"kept\"";
/// Files that are asked for at once.
const AT_ONCE: usize = 500;

/// The files of a run. One field for each thing that is known of them.
#[derive(Default)]
pub(super) struct Files {
    /// Of which jobs raw evidence is taken.
    pub(super) evidence: Evidence,
    /// Raw evidence of jobs that are not judged: where in the bundle, and as an object.
    waiting: BTreeMap<JobId, VecDeque<(String, String)>>,
    /// The job that was judged and whose evidence comes now.
    coming: Option<JobId>,
    /// Jobs whose raw evidence stays where it is.
    staying: usize,
    /// Since when a file is missing, and when its host was asked for it last.
    missing: Option<(String, Instant, Option<Instant>)>,
    /// When hosts were asked first for files that are not there yet, by object.
    asked: BTreeMap<String, Instant>,
    /// Lines whose hosts did not have a file they were asked for: others are not waited for so long.
    without: BTreeSet<String>,
    /// Files that were fetched ahead, by object.
    fetched: BTreeMap<String, Vec<u8>>,
}

impl Files {
    pub(super) fn of(evidence: Evidence) -> Files {
        Files { evidence, ..Files::default() }
    }

    /// What is to be told at the end of evidence that stays where it is.
    pub(super) fn told(&self, key: &str) -> Option<String> {
        let hosts = "stays for two weeks on the hosts that measured them";
        (self.staying > 0).then(|| {
            format!(
                "raw evidence of {} jobs {hosts}: `farmjank run --farm URL --attach {key} --evidence all` brings it",
                self.staying
            )
        })
    }
}

impl Conductor {
    /// Takes a file into the bundle, where it is wanted yet.
    pub(super) async fn kept(&mut self, job: JobId, file: (String, String), raw: bool) -> Result<(), Fault> {
        if self.keep.is_none() {
            return Ok(());
        }
        if raw && self.files.evidence.waits() {
            self.files.waiting.entry(job).or_default().push_back(file);
            return Ok(());
        }
        self.take_in(job, &file.0, &file.1).await
    }

    /// Takes the evidence of a job that was judged into the bundle, where it is wanted.
    pub(super) async fn judged(&mut self, job: JobId, verdict: Verdict) -> Result<(), Fault> {
        if !self.files.evidence.brings(verdict) {
            self.files.staying += usize::from(self.files.waiting.remove(&job).is_some());
            return Ok(());
        }
        self.files.coming = Some(job);
        while let Some((path, object)) = self.files.waiting.get(&job).and_then(|files| files.front().cloned())
        {
            self.take_in(job, &path, &object).await?;
            self.files.waiting.entry(job).or_default().pop_front();
        }
        self.files.waiting.remove(&job);
        self.files.coming = None;
        Ok(())
    }

    /// Takes a file into the bundle. One that the farm does not have is asked for; one that nobody has is said to be
    /// lost.
    async fn take_in(&mut self, job: JobId, path: &str, object: &str) -> Result<(), Fault> {
        if !self.files.fetched.contains_key(object) {
            self.fetch_ahead().await?;
        }
        if let Some(bytes) = self.files.fetched.remove(object) {
            (self.files.missing, _) = (None, self.files.asked.remove(object));
            let kept = self.keep.as_ref().map_or(Ok(()), |keep| keep(path, &bytes));
            return kept.map_err(|error| Fault::new(FaultCode::StorageFull, error.to_string()));
        }
        if self.lead.reads {
            let what = format!("the farm does not have {}", line(path, 200));
            let advice = format!("`farmjank run --attach {}` asks its host for it", self.lead.key);
            return Err(Fault::new(FaultCode::FarmRefused, what).advise(advice));
        }
        let (since, asked) = match self.files.missing.take() {
            Some((known, since, asked)) if known == object => (since, asked),
            _ => (Instant::now(), None),
        };
        if self.is_lost(job, object, since) {
            let what = format!("{path} was lost on the farm, and its host has it no more");
            self.scribe.put(self.last, Fact::Noticed { job: Some(job), what });
            return Ok(());
        }
        let due = asked.is_none_or(|at| at.elapsed() > AGAIN);
        let now = if due { Some(Instant::now()) } else { asked };
        self.files.missing = Some((object.to_owned(), since, now));
        if due {
            self.ask_for(object, since.elapsed()).await?;
        }
        let what = format!("the farm does not have {path}, and its host is asked for it");
        Err(Fault::new(FaultCode::FarmUnreachable, what).passing())
    }

    /// Whether a file that is missing is not waited for any longer.
    fn is_lost(&mut self, job: JobId, object: &str, since: Instant) -> bool {
        let Some(line) = self.lead.lines.iter().find(|line| line.numbers.contains(&job)) else { return true };
        let lost = match (line.given_up, self.files.without.contains(&line.name)) {
            (true, _) => true,
            (_, true) => self.files.asked.get(object).is_some_and(|asked| asked.elapsed() > AGAIN),
            (_, false) => since.elapsed() > AGAIN * ASKED,
        };
        if lost {
            self.files.without.insert(line.name.clone());
        }
        lost
    }

    /// The files that are wanted next, of whom, where in the bundle, and as an object: one after the other until `take`
    /// wants no more.
    fn to_come(&self, mut take: impl FnMut(&str, String, String) -> bool) -> Result<(), Fault> {
        let coming = self.files.coming;
        let line = self.lead.lines.iter().find(|line| coming.is_some_and(|job| line.numbers.contains(&job)));
        let line = line.map_or("", |line| line.name.as_str());
        for (path, object) in coming.and_then(|job| self.files.waiting.get(&job)).into_iter().flatten() {
            if !take(line, path.clone(), object.clone()) {
                return Ok(());
            }
        }
        let (ordered, waits) = (self.lead.gathering.order().ordered(), self.files.evidence.waits());
        let mut number = self.fed;
        while number < ordered.len() {
            let part = ordered.from(number)?;
            number += part.len();
            for one in part.iter().filter(|one| one.entry.fact.starts_with(KEPT)) {
                if let Ok(Said::Kept { path, object, raw, .. }) = Said::read(&one.entry.fact)
                    && !(raw && waits)
                    && !take(&one.line, path, object)
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Fetches the files that come next, at once: one after the other each would wait for the way there and back.
    async fn fetch_ahead(&mut self) -> Result<(), Fault> {
        let mut objects = BTreeSet::new();
        self.to_come(|_, _, object| {
            objects.insert(object);
            objects.len() < AHEAD
        })?;
        let got = join_all(objects.iter().map(|object| digest::fetch(&*self.lead.exchange, object))).await;
        for (object, got) in objects.into_iter().zip(got) {
            if let Some(bytes) = got? {
                self.files.fetched.insert(object, bytes);
            }
        }
        Ok(())
    }

    /// Where one is missing, others are: each host is asked for all of its files that are still to come.
    async fn ask_for(&mut self, object: &str, after: Duration) -> Result<(), Fault> {
        let mut asked: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        self.to_come(|line, path, object| {
            let files = asked.entry(line.to_owned()).or_default();
            if files.len() < AT_ONCE {
                files.push((path, object));
            }
            true
        })?;
        let now = Instant::now();
        for (_, object) in asked.values().flatten() {
            self.files.asked.entry(object.clone()).or_insert(now);
        }
        for line in &self.lead.lines {
            if let Some(files) = asked.remove(line.name.as_str()) {
                let id = format!("{}-{}-{object}-{}", self.lead.key, line.name, after.as_secs());
                self.lead.tell(line, &id, Offered::Again(files)).await?;
            }
        }
        Ok(())
    }
}
