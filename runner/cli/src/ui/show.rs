//! A run as it is shown: its log folded so far, the page of it, and what is new since somebody last looked.
//!
//! One lock, held while something is read or made: follower and browsers share a thread, so nobody waits for it.

use super::tail::Tail;
use crate::command_error::CommandError;
use crate::host::Bundle;
use farmjank_engine::scribe::Kept;
use farmjank_reporters::html::{Connect, LiveFeed, Pages, page};
use farmjank_reporters::stacked::firefox;
use farmjank_results::frame_lanes::FrameLanes;
use farmjank_results::held_stacks::of_pictures;
use farmjank_results::record::{Record, TrialRecord, WindowCauses};
use farmjank_seams::reporter::FrameLogs as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes read at once.
const PIECE: u64 = 4 << 20;

/// A run that can be watched.
pub struct Show {
    root: PathBuf,
    /// Where pages of others are.
    pages: Pages,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    tail: Tail,
    record: Record,
    air: LiveFeed,
    /// The log cannot be followed any further.
    stuck: bool,
}

impl Show {
    /// The run in this folder, with nothing of it read yet. What it holds can be handed to pages of others.
    pub fn new(root: &Path, pages: Pages) -> Show {
        Show { root: root.to_owned(), pages, now: Mutex::default() }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether this is the path of a trace that the log names as evidence of a window.
    pub fn is_trace(&self, path: &str) -> bool {
        let of_trial = |trial: &TrialRecord| {
            let evidence = trial.windows.iter().flat_map(|window| &window.evidence);
            evidence.filter(|named| named.contains(".perfetto-trace")).any(|named| named == path)
        };
        let now = self.now();
        now.record.jobs.values().any(|job| job.trials.iter().chain(&job.diagnoses).any(of_trial))
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stacks of calls in the pictures of a file that the log names, for the Firefox Profiler; none where it names no
    /// such file, or no stack is in it.
    pub fn profile(&self, path: &str) -> Option<String> {
        let now = self.now();
        let drawn = |of: &&WindowCauses| of.causes.as_ref().and_then(|of| of.lanes.as_deref()) == Some(path);
        let job = now.record.jobs.values().find(|job| job.causes.iter().any(|of| drawn(&of)))?;
        let lanes = FrameLanes::decode(&Kept(&Bundle::open(&self.root)).frame_log(path)?);
        let process = lanes.pictures.first()?.process;
        let held = Some(of_pictures(&lanes)).filter(|held| !held.is_empty())?;
        Some(firefox(&job.planned.app, process, &held))
    }

    /// Reads what there is.
    ///
    /// # Errors
    /// The log cannot be read to its end; what came before is shown all the same.
    pub fn catch_up(&self) -> Result<(), CommandError> {
        while self.step()? {}
        Ok(())
    }

    /// Takes one piece of the log; false when there is none. What is wrong with it is told to those who watch.
    fn step(&self) -> Result<bool, CommandError> {
        self.read().inspect_err(|why| {
            let now = &mut *self.now();
            now.stuck = true;
            now.air.trouble(now.record.at, &format!("{why}; nothing after it is shown"));
        })
    }

    /// Whether no event was seen yet.
    pub fn is_blank(&self) -> bool {
        self.now().air.version() == 0
    }

    /// Reads one piece on: whether there was one. None when there is nothing to wait for.
    pub fn follow(&self) -> Option<bool> {
        let ended = {
            let now = self.now();
            now.stuck || now.air.over()
        };
        if ended { None } else { self.step().ok() }
    }

    fn read(&self) -> Result<bool, CommandError> {
        let now = &mut *self.now();
        let bytes = Bundle::open(&self.root).log_from(now.tail.offset(), PIECE)?;
        if bytes.is_empty() {
            return Ok(false);
        }
        let (events, wrong) = now.tail.take(&bytes);
        for event in events {
            now.record.apply(&event).map_err(|why| format!("the log breaks a law of its order: {why}"))?;
            now.air.observe(&event, &now.record);
        }
        wrong.map_or(Ok(true), |why| Err(why.into()))
    }

    /// The page as of now.
    pub fn page(&self) -> String {
        let (now, bundle) = (self.now(), Bundle::open(&self.root));
        let connect = Connect::Home { version: now.air.version(), pages: &self.pages };
        page(&now.record, &Kept(&bundle), connect)
    }

    /// What is new since a version, with the version now; none when nothing is. Everything to a `first` question.
    pub fn news(&self, since: u64, first: bool) -> Option<(u64, String)> {
        let now = self.now();
        let version = now.air.version();
        if version == since && !first {
            return None;
        }
        // A version from the future is that of another run.
        let since = if since > version { 0 } else { since };
        Some((version, now.air.update(since, first, &now.record, &Kept(&Bundle::open(&self.root)))))
    }
}
