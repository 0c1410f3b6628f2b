//! When a cause gets a ticket. Must not know: systems, tickets that are there.

use crate::cause::Cause;
use crate::life::Life;
use farmjank_results::hitch_causes::Confidence;
use farmjank_results::owners::Team;
use farmjank_results::words::several;
use std::collections::BTreeMap;

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
    /// Labels of new tickets of a cause of this owner, beside those.
    pub teams: BTreeMap<String, Team>,
}

impl Default for Rules {
    fn default() -> Rules {
        let (labels, teams) = (Vec::new(), BTreeMap::new());
        Rules { frames: 20, ms: 1_000, new_on: 2, most_new: 10, close_after: 3, labels, teams }
    }
}

impl Rules {
    /// Labels of the new ticket of a cause, each once.
    pub fn labels(&self, cause: &Cause) -> Vec<String> {
        let team = cause.owner.as_ref().and_then(|owner| self.teams.get(owner));
        let mut labels = self.labels.clone();
        for label in team.iter().flat_map(|team| &team.labels) {
            if !labels.contains(label) {
                labels.push(label.clone());
            }
        }
        labels
    }

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
