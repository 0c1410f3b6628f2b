//! When a cause gets a ticket. Must not know: systems, tickets that are there.

use crate::cause::Cause;
use crate::life::Life;
use farmjank_results::hitch_causes::Confidence;
use farmjank_results::words::several;

/// Whether a cause gets a ticket, and why, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worth {
    /// It does.
    Ticket(String),
    /// It does not.
    Nothing(String),
}

/// When a cause gets a ticket, and when one is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// In so many late frames of the run.
    pub frames: u32,
    /// Or so much time charged in it, ms.
    pub ms: u32,
    /// Or new on so many phones, by the history.
    pub new_on: u32,
    /// Most tickets that a run opens.
    pub most_new: u32,
    /// Nights a cause must be gone before its ticket is closed.
    pub close_after: u32,
    /// Labels of new tickets beside that by which they are found.
    pub labels: Vec<String>,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { frames: 20, ms: 1_000, new_on: 2, most_new: 10, close_after: 3, labels: Vec::new() }
    }
}

impl Rules {
    /// Whether a cause gets a ticket.
    pub fn worth(&self, cause: &Cause, life: Option<&Life>) -> Worth {
        if cause.confidence > Confidence::Likely {
            return Worth::Nothing(format!(
                "it is {}, and a ticket needs likely or sure",
                cause.confidence.word()
            ));
        }
        let frames = several(cause.frames, "late frame", "late frames");
        if cause.frames >= self.frames {
            return Worth::Ticket(format!("it is in {frames}"));
        }
        if cause.ms() >= f64::from(self.ms) {
            return Worth::Ticket(format!("it costs {:.1} ms", cause.ms()));
        }
        let new_on = life.map_or(0, |life| life.new_on.len());
        if new_on >= usize::try_from(self.new_on).unwrap_or(usize::MAX) {
            return Worth::Ticket(format!("it is new on {new_on} phones"));
        }
        Worth::Nothing(format!(
            "it is in {frames} of {}, costs {:.1} ms of {} ms, and is new on {new_on} of {} phones",
            self.frames,
            cause.ms(),
            self.ms,
            self.new_on
        ))
    }
}
