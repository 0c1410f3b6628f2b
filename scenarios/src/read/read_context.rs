//! What the readers of one scenario share: what is in force where they stand, budgets, and the complaints so far.

use super::ReadOptions;
use crate::complaint::Complaint;
use crate::node::Node;
use crate::page::Page;
use crate::place::{Mark, Place};
use crate::source::Source;
use crate::step::Step;
use crate::template::Template;
use farmjank_leaf::hash::Fnv;
use farmjank_script::Checker;
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
    Retry,
    /// Steps that run under a condition.
    When,
    Measure,
}

/// What is in force where the reader stands.
pub(super) struct Scope<'a> {
    /// Variables of the command line.
    pub(super) given: &'a BTreeMap<String, String>,
    /// Variables, without those given.
    pub(super) env: BTreeMap<String, Template>,
    /// Tells scripts from what is none.
    pub(super) checker: Rc<Checker>,
    /// Values that stand in no name.
    pub(super) secret: BTreeSet<String>,
    /// The file at hand.
    pub(super) source: Rc<Source>,
    /// Package under test.
    pub(super) app: String,
    /// Pages that may be opened by name.
    pub(super) pages: BTreeMap<String, Page>,
    /// What stands around the step at hand, outermost first.
    pub(super) around: Vec<Around>,
}

/// What a scenario has used of what it may use.
#[derive(Default)]
pub(super) struct Spent {
    /// Steps so far, of [`STEPS`].
    pub(super) steps: usize,
    /// Bytes of flows so far, of [`FLOW_BYTES`].
    pub(super) flow_bytes: usize,
}

/// Hash of everything read, each file once, in the order of reading. Where the files lie is no part of it: what one
/// checkout measured is held against what another did.
pub(super) struct Digest {
    pub(super) hash: Fnv,
    files: BTreeSet<String>,
}

impl Digest {
    /// Takes a flow's text, where it was not taken before.
    pub(super) fn take(&mut self, file: &str, text: &str) {
        if self.files.insert(file.to_owned()) {
            self.hash = self.hash.part(text.as_bytes());
        }
    }
}

/// Reads a list of steps.
pub(super) type ReadSteps = fn(&mut ReadContext<'_>, &Node) -> Vec<Step>;

/// What every reader of a scenario shares, one field for each. Readers of single things are functions that take it.
pub(super) struct ReadContext<'a> {
    pub(super) options: &'a ReadOptions<'a>,
    /// Reads a list of steps: steps may hold steps again.
    pub(super) read_steps: ReadSteps,
    pub(super) scope: Scope<'a>,
    pub(super) spent: Spent,
    pub(super) digest: Digest,
    /// Windows so far: where each was declared.
    pub(super) windows: BTreeMap<String, (String, Place)>,
    /// Files being run, the scenario's own first.
    pub(super) files: Vec<String>,
    complaints: Vec<Complaint>,
    notices: Vec<Complaint>,
}

impl<'a> ReadContext<'a> {
    pub(super) fn new(
        source: &Rc<Source>,
        given: &'a BTreeMap<String, String>,
        options: &'a ReadOptions<'a>,
        read_steps: ReadSteps,
    ) -> Self {
        let scope = Scope {
            given,
            env: BTreeMap::new(),
            checker: Rc::default(),
            secret: BTreeSet::new(),
            source: Rc::clone(source),
            app: String::new(),
            pages: BTreeMap::new(),
            around: Vec::new(),
        };
        ReadContext {
            options,
            read_steps,
            scope,
            spent: Spent::default(),
            digest: Digest { hash: Fnv::NOTHING.part(source.text.as_bytes()), files: BTreeSet::new() },
            windows: BTreeMap::new(),
            files: vec![source.name.clone()],
            complaints: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// Complains about a stretch of the file at hand.
    pub(super) fn complain(&mut self, mark: Mark, what: impl Into<String>, instead: impl Into<String>) {
        let complaint = self.scope.source.complaint(mark, what, instead);
        self.take([complaint]);
    }

    /// Takes note of something that changes nothing here. Within a window it is wrong: there every key must mean
    /// something.
    pub(super) fn notice(&mut self, mark: Mark, what: impl Into<String>, why: &str) {
        let what = what.into();
        if self.in_window() {
            return self.complain(mark, format!("{what} in a window"), format!("remove it: {why}"));
        }
        if self.notices.len() < crate::complaint::MOST {
            self.notices.push(self.scope.source.complaint(mark, what, why));
        }
    }

    /// What was noted so far, taken away.
    pub(super) fn notices(&mut self) -> Vec<Complaint> {
        std::mem::take(&mut self.notices)
    }

    /// A window is open where the reader stands.
    pub(super) fn in_window(&self) -> bool {
        self.scope.around.contains(&Around::Measure)
    }

    /// Complains of what may not stand in a window, where one is open.
    pub(super) fn not_in_window(&mut self, mark: Mark, what: impl std::fmt::Display, why: &str) {
        if self.in_window() {
            self.complain(
                mark,
                format!("{what} cannot stand in a window: {why}"),
                "move it before or after the `measure`",
            );
        }
    }

    /// How many complaints there are.
    pub(super) fn complaints_so_far(&self) -> usize {
        self.complaints.len()
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
        (self.files.len() > 1).then(|| self.scope.source.name.clone())
    }
}
