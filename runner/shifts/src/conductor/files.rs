//! The files of a run over a farm: taken into the bundle as their facts come, and asked for again where the farm lost
//! them.

use super::Conductor;
use crate::said::Said;
use crate::shift::Offered;
use farmjank_engine::announce::FactSink;
use farmjank_farm::digest;
use farmjank_leaf::text::line;
use farmjank_results::event::{Fact, JobId};
use farmjank_results::fault::{Fault, FaultCode};
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::Instant;

/// A file that is missing is asked for again after that, and given up after so many times.
const AGAIN: Duration = Duration::from_secs(10);
const ASKED: u32 = 12;
/// Files that are fetched at once, and entries that are looked through for them.
const AHEAD: usize = 32;
const LOOKED: usize = 500;
/// What an entry begins with that says where a file lies.
const KEPT: &str = "{\"kept\"";
/// Files that are asked for at once.
const AT_ONCE: usize = 500;

impl Conductor {
    /// Takes a file into the bundle. One that the farm lost is asked for again; one that nobody has is said to be lost.
    pub(super) async fn kept(&mut self, job: JobId, path: &str, object: &str) -> Result<(), Fault> {
        if self.keep.is_none() {
            return Ok(());
        }
        if !self.fetched.contains_key(object) {
            self.fetch_ahead().await?;
        }
        if let Some(bytes) = self.fetched.remove(object) {
            self.missing = None;
            let kept = self.keep.as_ref().map_or(Ok(()), |keep| keep(path, &bytes));
            return kept.map_err(|error| Fault::new(FaultCode::StorageFull, error.to_string()));
        }
        if self.lead.reads {
            let what = format!("the farm lost {}", line(path, 200));
            let advice = format!("`farmjank run --attach {}` asks its host for it", self.lead.key);
            return Err(Fault::new(FaultCode::FarmRefused, what).advise(advice));
        }
        let (since, asked) = match self.missing.take() {
            Some((known, since, asked)) if known == object => (since, asked),
            _ => (Instant::now(), None),
        };
        if since.elapsed() > AGAIN * ASKED {
            let what = format!("{path} was lost on the farm, and its host has it no more");
            self.scribe.put(self.last, Fact::Noticed { job: Some(job), what });
            return Ok(());
        }
        let due = asked.is_none_or(|at| at.elapsed() > AGAIN);
        let now = if due { Some(Instant::now()) } else { asked };
        self.missing = Some((object.to_owned(), since, now));
        if due {
            self.ask_again(object, since.elapsed()).await?;
        }
        let what = format!("the farm lost {path}, and its host is asked for it");
        Err(Fault::new(FaultCode::FarmUnreachable, what).passing())
    }

    /// Fetches the files that come next, at once: one after the other each would wait for the way there and back.
    async fn fetch_ahead(&mut self) -> Result<(), Fault> {
        let next = self.lead.gathering.order().ordered()[self.fed..].iter().take(LOOKED);
        let kept = next.filter(|one| one.entry.fact.starts_with(KEPT)).filter_map(|one| {
            match Said::read(&one.entry.fact) {
                Ok(Said::Kept { object, .. }) => Some(object),
                _ => None,
            }
        });
        let objects: BTreeSet<String> = kept.take(AHEAD).collect();
        let got = join_all(objects.iter().map(|object| digest::fetch(&*self.lead.exchange, object))).await;
        for (object, got) in objects.into_iter().zip(got) {
            if let Some(bytes) = got? {
                self.fetched.insert(object, bytes);
            }
        }
        Ok(())
    }

    /// Where one is lost, others are: each host is asked for all of its files that are still to come.
    async fn ask_again(&self, object: &str, after: Duration) -> Result<(), Fault> {
        let mut asked: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
        for one in &self.lead.gathering.order().ordered()[self.fed..] {
            if let Ok(Said::Kept { path, object, .. }) = Said::read(&one.entry.fact) {
                let files = asked.entry(&one.line).or_default();
                if files.len() < AT_ONCE {
                    files.push((path, object));
                }
            }
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
