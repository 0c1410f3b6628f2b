//! What a call did or would do, for people and for programs. Texts of strangers are made safe here.

use crate::driver::{Ended, Taken};
use crate::plan::{Action, Plan, Step};
use farmjank_leaf::text::line;
use farmjank_results::words::several;
use serde_json::{Value, json};

/// Version of the JSON form: fields are only added.
const FORMAT: u32 = 1;
/// Most characters of one text.
const MOST: usize = 200;

/// A call.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// As `--to` names it.
    pub target: String,
    /// Id of the run.
    pub run: String,
    /// Tickets are written, not only told of.
    pub applied: bool,
    /// Tickets that were found; none where nobody looked.
    pub found: Option<usize>,
    /// What is to be known beside, in sentences.
    pub notes: Vec<String>,
    /// What is to be done.
    pub plan: Plan,
    /// What was done.
    pub taken: Vec<Taken>,
    /// Why nothing could be read or planned; none where it could.
    pub trouble: Option<String>,
}

impl Report {
    /// Whether something could not be done.
    pub fn has_trouble(&self) -> bool {
        let failed = |taken: &Taken| matches!(taken.ended, Ended::Failed(_) | Ended::NotTried);
        self.trouble.is_some() || self.taken.iter().any(failed)
    }

    fn taken(&self, nth: usize) -> Option<&Taken> {
        self.taken.iter().find(|taken| taken.nth == nth)
    }

    /// For people.
    pub fn table(&self) -> String {
        let how = match (self.applied, self.found) {
            (true, _) => String::new(),
            (false, Some(_)) => " · dry run: nothing is written without --apply".to_owned(),
            (false, None) => " · dry run: nothing is read or written".to_owned(),
        };
        let mut text = format!("{} · run {}{how}\n", line(&self.target, MOST), line(&self.run, MOST));
        if let Some(found) = self.found {
            text.push_str(&format!("{} of farmjank there\n", several(found, "ticket", "tickets")));
        }
        text.extend(self.notes.iter().map(|note| format!("note: {}\n", line(note, 2 * MOST))));
        text.push('\n');
        if let Some(trouble) = &self.trouble {
            text.push_str(&format!(
                "{}\nnothing was written; it is safe to run this again\n",
                line(trouble, 4 * MOST)
            ));
            return text;
        }
        let mut without = 0;
        for (nth, step) in self.plan.steps.iter().enumerate() {
            if step.ticket.is_none() && step.action == Action::Nothing {
                without += 1;
                continue;
            }
            text.push_str(&self.row(nth, step));
        }
        if without > 0 {
            text.push_str(&format!("{} no ticket", several(without, "cause gets", "causes get")));
            if self.plan.too_many > 0 {
                text.push_str(&format!(", {} of them for --max-new alone", self.plan.too_many));
            }
            text.push_str("; --format json says why of each\n");
        }
        if self.plan.steps.is_empty() {
            text.push_str("no cause and no ticket: nothing to do\n");
        }
        if self.has_trouble() {
            text.push_str("\nnot all was done; what was done stays, and it is safe to run this again\n");
        }
        text
    }

    fn row(&self, nth: usize, step: &Step) -> String {
        let taken = self.taken(nth);
        let word = taken.map_or_else(|| step.action.word().to_owned(), |taken| ended(step, taken));
        let key = taken.map(|taken| taken.ticket.as_str()).filter(|key| !key.is_empty());
        let key = key.or_else(|| step.ticket.as_ref().map(|known| known.ticket.key.as_str()));
        let title = if step.title.is_empty() { "a cause of before" } else { &step.title };
        let key = key.map_or(String::new(), |key| format!("{} · ", line(key, MOST)));
        let mut text = format!("{word:<10}{key}{} · {}\n", line(title, MOST), step.fingerprint);
        text.push_str(&format!("          {}\n", line(&step.reason, 2 * MOST)));
        let copies = step.ticket.as_ref().map(|known| known.copies.as_slice()).unwrap_or_default();
        if !copies.is_empty() {
            let copies: Vec<String> = copies.iter().take(10).map(|key| line(key, 40)).collect();
            text.push_str(&format!(
                "          the oldest of {} with this marker is used; the others are left alone: {}\n",
                copies.len() + 1,
                copies.join(", ")
            ));
        }
        if let Some(Taken { ended: Ended::Failed(why), .. }) = taken {
            text.push_str(&format!("          {}\n", line(why, 4 * MOST)));
        }
        if let Some(url) = taken.map(|taken| taken.url.as_str()).filter(|url| !url.is_empty()) {
            text.push_str(&format!("          {}\n", line(url, 2 * MOST)));
        }
        text
    }

    /// For programs: one object, with a newline.
    pub fn json(&self) -> String {
        let steps = self.plan.steps.iter().enumerate().map(|(nth, step)| self.step_json(nth, step));
        let all = json!({
            "format": FORMAT,
            "target": line(&self.target, MOST),
            "run": line(&self.run, MOST),
            "applied": self.applied,
            "tickets_found": self.found,
            "notes": self.notes.iter().map(|note| line(note, 2 * MOST)).collect::<Vec<_>>(),
            "trouble": self.trouble.as_ref().map(|why| line(why, 4 * MOST)),
            "over_max_new": self.plan.too_many,
            "steps": steps.collect::<Vec<_>>(),
        });
        // A tree of maps, lists and text always has a JSON text.
        serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
    }

    fn step_json(&self, nth: usize, step: &Step) -> Value {
        let taken = self.taken(nth);
        let own = step.ticket.as_ref();
        let key = taken.map(|taken| taken.ticket.clone()).filter(|key| !key.is_empty());
        let url = taken.map(|taken| taken.url.clone()).filter(|url| !url.is_empty());
        let (done, error) = match taken.map(|taken| &taken.ended) {
            None => (Value::Null, Value::Null),
            Some(Ended::Done) => (json!("done"), Value::Null),
            Some(Ended::Found) => (json!("found"), Value::Null),
            Some(Ended::NotTried) => (json!("not_tried"), Value::Null),
            Some(Ended::Failed(why)) => (json!("failed"), json!(line(why, 4 * MOST))),
        };
        json!({
            "fingerprint": step.fingerprint,
            "title": line(&step.title, MOST),
            "action": step.action.word(),
            "reason": line(&step.reason, 2 * MOST),
            "ticket": key.or_else(|| own.map(|known| known.ticket.key.clone())),
            "url": url.or_else(|| own.map(|known| known.ticket.url.clone())),
            "copies": own.map(|known| known.copies.clone()).unwrap_or_default(),
            "outcome": done,
            "error": error,
        })
    }
}

fn ended(step: &Step, taken: &Taken) -> String {
    match (&taken.ended, step.action.word()) {
        (Ended::Failed(_), _) => "failed".to_owned(),
        (Ended::NotTried, _) => "not tried".to_owned(),
        (_, "open") => "opened".to_owned(),
        (_, "comment") => "commented".to_owned(),
        (_, "reopen") => "reopened".to_owned(),
        (_, _) => "closed".to_owned(),
    }
}
