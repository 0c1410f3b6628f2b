//! A plugin as a reporter of the run. Whatever it does, the run goes on: what it fails at is told when the others
//! conclude, in the same place of the log whenever it failed, and is no part of verdict and exit code.

use crate::limits::Patience;
use crate::misdeed::Misdeed;
use crate::pipe::{Exit, Pipe};
use crate::protocol::{Asked, PROTOCOL};
use crate::session::Conclusion;
use crate::talk::Talk;
use farmjank_results::event::Event;
use farmjank_results::journal;
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};

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

/// One plugin.
pub struct Plugin {
    /// What the user calls it.
    called: String,
    /// Its name among reporters.
    name: String,
    talk: Option<Talk>,
    failed: Option<Misdeed>,
    bundle: String,
    words: Words,
    patience: Patience,
}

/// A plugin that was started and greeted.
pub struct Started {
    called: String,
    talk: Talk,
}

impl Started {
    /// Greets a plugin; `called` is what the user calls it, `tool` name and version of this farmjank.
    pub fn greet(called: String, pipe: Box<dyn Pipe>, tool: &str) -> Started {
        let hello = Asked::Hello { protocols: vec![PROTOCOL], tool: tool.to_owned() };
        Started { called, talk: Talk::open(pipe, &hello) }
    }

    /// A reporter of a run whose bundle lies in this folder.
    pub fn reporter(self, bundle: &str, words: Words) -> Plugin {
        let name = format!("plugin {}", self.called);
        Plugin {
            called: self.called,
            name,
            talk: Some(self.talk),
            failed: None,
            bundle: bundle.to_owned(),
            words,
            patience: Patience::default(),
        }
    }
}

impl Plugin {
    fn said(&self, talk: &mut Talk) -> Vec<Delivery> {
        let notice = |text: String| Delivery::Err(format!("{}: {text}\n", self.name));
        talk.notices().into_iter().map(notice).collect()
    }

    fn delivered(&self, conclusion: Conclusion) -> Vec<Delivery> {
        let Conclusion { files, console } = conclusion;
        let file = |(path, bytes)| Delivery::File { path: format!("{FOLDER}/{}/{path}", self.called), bytes };
        let text = (!console.is_empty()).then_some(match self.words {
            Words::Out => Delivery::Out(console),
            Words::Err => Delivery::Err(console),
        });
        files.into_iter().map(file).chain(text).collect()
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
        let Some(mut talk) = self.talk.take() else { return Vec::new() };
        // An event of this crate's own making always becomes a line.
        let line = journal::line(event).unwrap_or_default();
        let told = talk.tell(&line);
        let mut said = self.said(&mut talk);
        match told {
            Ok(()) => self.talk = Some(talk),
            Err(misdeed) => {
                said.push(Delivery::Err(format!("{}: {misdeed}; the run goes on without it\n", self.name)));
                self.failed = Some(misdeed);
            }
        }
        said
    }

    fn conclude(&mut self, _record: &Record, _frame_logs: &dyn FrameLogs) -> Vec<Delivery> {
        if let Some(misdeed) = self.failed.take() {
            return vec![self.missed(&misdeed)];
        }
        let Some(mut talk) = self.talk.take() else { return Vec::new() };
        let concluded = talk.concluded(&self.bundle, &self.patience);
        let mut deliveries = self.said(&mut talk);
        match concluded {
            Ok(conclusion) => {
                deliveries.extend(self.delivered(conclusion));
                let parting = talk.bye(&self.patience);
                if parting.exit != Exit::Code(0) {
                    let words = format!("{}: left with {} after its report", self.name, parting.exit);
                    deliveries.push(Delivery::Err(format!("{words}\n")));
                }
            }
            Err(misdeed) => deliveries.push(self.missed(&misdeed)),
        }
        deliveries
    }
}
