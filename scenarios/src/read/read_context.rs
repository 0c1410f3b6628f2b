//! What the reader holds while it walks one scenario: the file at hand, variables, budgets, and the complaints so far.

use super::ReadOptions;
use crate::complaint::Complaint;
use crate::page::Page;
use crate::place::{Mark, Place};
use crate::source::Source;
use farmjank_leaf::hash::Fnv;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Steps a scenario may hold with everything it runs, repeats counted once.
pub(super) const STEPS: usize = 20_000;

/// Bytes of run flows a scenario may read.
pub(super) const FLOW_BYTES: usize = 8 << 20;

/// What stands around a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    Setup,
    Teardown,
    Repeat,
    Measure,
}

pub(super) struct ReadContext<'a> {
    pub(super) options: &'a ReadOptions<'a>,
    /// Variables of the command line.
    pub(super) given: &'a BTreeMap<String, String>,
    /// Variables in force where the reader stands, without those given.
    pub(super) env: BTreeMap<String, String>,
    /// The file at hand.
    pub(super) source: Rc<Source>,
    /// Package in force where the reader stands.
    pub(super) app: String,
    /// Pages in force where the reader stands.
    pub(super) pages: BTreeMap<String, Page>,
    /// What stands around the step at hand, outermost first.
    pub(super) around: Vec<Around>,
    /// Windows so far: where each was declared.
    pub(super) windows: BTreeMap<String, (String, Place)>,
    /// Files being run, the scenario's own first.
    pub(super) files: Vec<String>,
    /// Hash of everything read.
    pub(super) hash: Fnv,
    /// Files in the hash.
    pub(super) hashed: BTreeSet<String>,
    /// Steps so far.
    pub(super) steps: usize,
    /// Bytes of flows so far.
    pub(super) flow_bytes: usize,
    complaints: Vec<Complaint>,
}

impl<'a> ReadContext<'a> {
    pub(super) fn new(
        source: &Rc<Source>,
        given: &'a BTreeMap<String, String>,
        options: &'a ReadOptions<'a>,
    ) -> Self {
        ReadContext {
            options,
            given,
            env: BTreeMap::new(),
            source: Rc::clone(source),
            app: String::new(),
            pages: BTreeMap::new(),
            around: Vec::new(),
            windows: BTreeMap::new(),
            files: vec![source.name.clone()],
            hash: Fnv::NOTHING.part(source.text.as_bytes()),
            hashed: BTreeSet::new(),
            steps: 0,
            flow_bytes: 0,
            complaints: Vec::new(),
        }
    }

    /// Complains about a stretch of the file at hand.
    pub(super) fn complain(&mut self, mark: Mark, what: impl Into<String>, instead: impl Into<String>) {
        let complaint = self.source.complaint(mark, what, instead);
        self.take([complaint]);
    }

    /// Takes complaints made elsewhere; far beyond what is shown, further ones are dropped.
    pub(super) fn take(&mut self, complaints: impl IntoIterator<Item = Complaint>) {
        let room = (10 * crate::complaint::MOST).saturating_sub(self.complaints.len());
        self.complaints.extend(complaints.into_iter().take(room));
    }

    /// True when further complaints would be dropped: looking for more is wasted time.
    pub(super) fn is_full(&self) -> bool {
        self.complaints.len() >= 10 * crate::complaint::MOST
    }

    /// The complaints so far.
    pub(super) fn complaints(self) -> Vec<Complaint> {
        self.complaints
    }

    /// The file a step was written in, when it is not the scenario's own.
    pub(super) fn step_file(&self) -> Option<String> {
        (self.files.len() > 1).then(|| self.source.name.clone())
    }
}
