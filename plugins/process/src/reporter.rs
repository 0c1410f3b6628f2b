//! A plugin as a reporter of the run. Whatever it does, the run goes on: what it fails at is told when the others
//! conclude, in the same place of the log whenever it failed, and is no part of verdict and exit code.

use crate::limits::Patience;
use crate::misdeed::Misdeed;
use crate::pipe::{Exit, Parting, Pipe};
use crate::protocol::{Asked, Hello, PROTOCOL};
use crate::session::Conclusion;
use crate::talk::Talk;
use farmjank_results::event::Event;
use farmjank_results::journal;
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};
use std::cell::RefCell;
use std::rc::Rc;

/// Folder of the bundle that holds a folder for each plugin.
pub const FOLDER: &str = "plugins";

/// Where a plugin's text for people goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Standard output.
    Out,
    /// Standard error: standard output belongs to a document.
    Err,
}

/// The conversation with a plugin, or why there is none any more; nothing once it took leave.
pub(crate) type State = Option<Result<Talk, Gone>>;

/// A plugin that is no more.
pub(crate) struct Gone {
    misdeed: Misdeed,
    /// It has hooks, and nobody was told yet that it is asked no more.
    untold: bool,
    hello: Option<Hello>,
    /// One that lends phones leaves beside the run.
    _leaving: Option<Talk>,
}

impl Gone {
    pub(crate) fn new(talk: Talk, misdeed: Misdeed) -> Gone {
        let hello = talk.session().hello().cloned();
        let untold = hello.as_ref().is_some_and(|hello| hello.has_hooks);
        Gone { misdeed, untold, hello, _leaving: talk.lends().then_some(talk) }
    }

    /// What it did.
    pub(crate) fn misdeed(&self) -> &Misdeed {
        &self.misdeed
    }

    /// Its hello, if it said one.
    pub(crate) fn hello(&self) -> Option<&Hello> {
        self.hello.as_ref()
    }

    /// Why it is asked no more at moments of the run: once, of one that was asked there.
    pub(crate) fn told(&mut self) -> Option<String> {
        std::mem::take(&mut self.untold).then(|| self.misdeed.to_string())
    }
}

/// A plugin that was started and greeted; a clone is the same one.
#[derive(Clone)]
pub struct Started {
    /// What the user calls it.
    pub(crate) called: String,
    pub(crate) state: Rc<RefCell<State>>,
}

/// One plugin.
pub struct Plugin {
    started: Started,
    /// Its name among reporters.
    name: String,
    bundle: String,
    words: Words,
    patience: Patience,
}

impl Started {
    /// Greets a plugin; `called` is what the user calls it, `tool` name and version of this farmjank.
    pub fn greet(called: String, pipe: Box<dyn Pipe>, tool: &str) -> Started {
        let hello = Asked::Hello { protocols: vec![PROTOCOL], tool: tool.to_owned() };
        Started { called, state: Rc::new(RefCell::new(Some(Ok(Talk::open(pipe, &hello))))) }
    }

    /// Whether it lends phones; waits for its hello.
    pub fn lends(&self, patience: &Patience) -> bool {
        let state = &mut *self.state.borrow_mut();
        let Some(Ok(talk)) = state else { return false };
        let heard = talk.listen(patience.hello, |session| session.hello().is_some());
        let lends = talk.lends();
        // What goes wrong here is told at the end of the run.
        if let Err(misdeed) = heard {
            Started::over(state, misdeed);
        }
        lends
    }

    /// Why it is no more, where it was lost since it was greeted.
    pub fn lost(&self) -> Option<String> {
        match &*self.state.borrow() {
            Some(Err(gone)) => Some(gone.misdeed.to_string()),
            Some(Ok(_)) | None => None,
        }
    }

    /// A reporter of a run whose bundle lies in this folder.
    pub fn reporter(self, bundle: &str, words: Words) -> Plugin {
        let name = self.name();
        Plugin { started: self, name, bundle: bundle.to_owned(), words, patience: Patience::default() }
    }

    /// The conversation is over.
    pub(crate) fn over(state: &mut State, misdeed: Misdeed) {
        *state = match state.take() {
            Some(Ok(talk)) => Some(Err(Gone::new(talk, misdeed))),
            other => other,
        };
    }

    /// What it is called in messages.
    pub(crate) fn name(&self) -> String {
        format!("plugin {}", self.called)
    }
}

impl Plugin {
    fn said(&self, talk: &mut Talk) -> Vec<Delivery> {
        let notice = |text: String| Delivery::Err(format!("{}: {text}\n", self.name));
        talk.notices().into_iter().map(notice).collect()
    }

    fn delivered(&self, conclusion: Conclusion) -> Vec<Delivery> {
        let Conclusion { files, console } = conclusion;
        let folder = format!("{FOLDER}/{}", self.started.called);
        let file = |(path, bytes)| Delivery::File { path: format!("{folder}/{path}"), bytes };
        let text = (!console.is_empty()).then_some(match self.words {
            Words::Out => Delivery::Out(console),
            Words::Err => Delivery::Err(console),
        });
        files.into_iter().map(file).chain(text).collect()
    }

    /// What to say of one that did not leave well.
    fn left(&self, parting: &Parting) -> Option<Delivery> {
        let words = || format!("{}: left with {} after its report\n", self.name, parting.exit);
        (parting.exit != Exit::Code(0)).then(|| Delivery::Err(words()))
    }

    fn missed(&self, misdeed: &Misdeed) -> Delivery {
        Delivery::Missed { what: "its report".to_owned(), why: misdeed.to_string() }
    }
}

impl Reporter for Plugin {
    fn name(&self) -> &str {
        &self.name
    }

    fn observe(&mut self, event: &Event, _record: &Record) -> Vec<Delivery> {
        let state = &mut *self.started.state.borrow_mut();
        let Some(Ok(talk)) = state else { return Vec::new() };
        if talk.session().hello().is_some_and(|hello| !hello.is_reporter) {
            return self.said(talk);
        }
        // An event of this crate's own making always becomes a line.
        let line = journal::line(event).unwrap_or_default();
        let told = talk.tell(&line);
        let mut said = self.said(talk);
        if let Err(misdeed) = told {
            said.push(Delivery::Err(format!("{}: {misdeed}; the run goes on without it\n", self.name)));
            Started::over(state, misdeed);
        }
        said
    }

    fn conclude(&mut self, _record: &Record, _frame_logs: &dyn FrameLogs) -> Vec<Delivery> {
        let mut talk = match self.started.state.take() {
            Some(Ok(talk)) => talk,
            Some(Err(gone)) => return vec![self.missed(&gone.misdeed)],
            None => return Vec::new(),
        };
        if talk.session().hello().is_some_and(|hello| !hello.is_reporter) {
            let mut deliveries = self.said(&mut talk);
            deliveries.extend(self.left(&talk.bye(&self.patience)));
            return deliveries;
        }
        let concluded = talk.concluded(&self.bundle, &self.patience);
        let mut deliveries = self.said(&mut talk);
        match concluded {
            Ok(conclusion) => {
                deliveries.extend(self.delivered(conclusion));
                deliveries.extend(self.left(&talk.bye(&self.patience)));
                let lost = talk.stray().map(|misdeed| format!("{}: {misdeed}; it is lost\n", self.name));
                deliveries.extend(lost.map(Delivery::Err));
            }
            Err(misdeed) => deliveries.push(self.missed(&misdeed)),
        }
        deliveries
    }
}
