//! A reporter that says everything at the end: one text, a pure function of the record.
//!
//! Must not know: what the text is. Where it goes is either a file of the run bundle or standard output.

use farmjank_results::event::Event;
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, FrameLogs, Reporter};

/// What makes the text.
type Write = Box<dyn Fn(&Record, &dyn FrameLogs) -> String>;

/// Where it goes.
#[derive(Clone, Copy)]
enum To {
    /// A file of the bundle.
    File(&'static str),
    Out,
    /// Standard output, where a CI runner obeys it.
    Runner,
}

/// One text at the end of a run.
pub struct Ending {
    name: &'static str,
    to: To,
    write: Write,
}

impl Ending {
    /// A reporter of that name whose text is a file of the bundle.
    pub fn file(
        name: &'static str,
        file: &'static str,
        write: impl Fn(&Record, &dyn FrameLogs) -> String + 'static,
    ) -> Box<dyn Reporter> {
        Box::new(Ending { name, to: To::File(file), write: Box::new(write) })
    }

    /// A reporter of that name whose text is for standard output.
    pub fn out(
        name: &'static str,
        write: impl Fn(&Record, &dyn FrameLogs) -> String + 'static,
    ) -> Box<dyn Reporter> {
        Box::new(Ending { name, to: To::Out, write: Box::new(write) })
    }

    /// A reporter of that name whose text is for the runner of a CI job, to be obeyed.
    pub fn commands(
        name: &'static str,
        write: impl Fn(&Record, &dyn FrameLogs) -> String + 'static,
    ) -> Box<dyn Reporter> {
        Box::new(Ending { name, to: To::Runner, write: Box::new(write) })
    }
}

impl Reporter for Ending {
    fn name(&self) -> &str {
        self.name
    }

    fn observe(&mut self, _event: &Event, _record: &Record) -> Vec<Delivery> {
        Vec::new()
    }

    fn conclude(&mut self, record: &Record, frame_logs: &dyn FrameLogs) -> Vec<Delivery> {
        let text = (self.write)(record, frame_logs);
        vec![match self.to {
            To::File(path) => Delivery::File { path: path.to_owned(), bytes: text.into_bytes() },
            To::Out => Delivery::Out(text),
            To::Runner => Delivery::Commands(text),
        }]
    }
}
