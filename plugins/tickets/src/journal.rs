//! Lines of the journal: what is about to be written, and what was answered. Must not know: where it lies.

use serde_json::{Value, json};

/// Its file, in the run's bundle.
pub const FILE: &str = "tickets.ndjson";

/// One write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where to: `github:OWNER/REPO`.
    pub target: String,
    /// `open`, `comment`, `reopen`, `close`.
    pub what: &'static str,
    /// Of which cause.
    pub fingerprint: String,
    /// On which ticket; empty of one that is to be opened.
    pub ticket: String,
    /// Which attempt, from 1.
    pub attempt: u32,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Came {
    /// Status of the answer; none where it was lost.
    pub status: Option<u16>,
    /// The ticket.
    pub ticket: String,
    /// Where a person sees it.
    pub url: String,
    /// A name of it that some systems find it by at once.
    pub id: String,
    /// Why there is no answer, or why it is none to go on with; empty where there is one.
    pub why: String,
}

impl Write {
    /// The line before.
    pub fn intent(&self, at: i64) -> Value {
        json!({
            "at": at, "intent": self.what, "target": self.target, "fingerprint": self.fingerprint,
            "ticket": self.ticket, "attempt": self.attempt,
        })
    }

    /// The line after.
    pub fn answer(&self, at: i64, came: &Came) -> Value {
        json!({
            "at": at, "answer": self.what, "target": self.target, "fingerprint": self.fingerprint,
            "status": came.status, "ticket": came.ticket, "id": came.id, "url": came.url, "why": came.why,
            "attempt": self.attempt,
        })
    }
}

/// What a journal tells of one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Second names of tickets that were opened, the newest last.
    pub ids: Vec<String>,
    /// Causes for which a ticket was about to be opened, and when (seconds since 1970), whose answer was lost.
    pub unanswered: Vec<(String, i64)>,
    /// Writes that were answered.
    pub done: u32,
}

/// Reads a journal. A line that is none, as one that was cut off, tells nothing.
pub fn read(text: &str, target: &str) -> Told {
    let mut told = Told::default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    for line in lines.filter(|line| line["target"] == target) {
        let fingerprint = line["fingerprint"].as_str().unwrap_or_default().to_owned();
        let of_open = |key: &str| line[key] == "open";
        if of_open("intent") {
            told.unanswered.retain(|(other, _)| *other != fingerprint);
            told.unanswered.push((fingerprint, line["at"].as_i64().unwrap_or_default()));
        } else if line["status"].is_u64() {
            told.done += u32::from(line["status"].as_u64().is_some_and(|status| status < 300));
            // An answer that the server fell over is none.
            if of_open("answer") && line["status"].as_u64().is_some_and(|status| status < 500) {
                told.unanswered.retain(|(other, _)| *other != fingerprint);
                let id = line["id"].as_str().filter(|id| !id.is_empty());
                told.ids.extend(id.map(str::to_owned));
            }
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_tells_what_was_answered_and_what_was_not() {
        let write = |fingerprint: &str| Write {
            target: "jira:SHOP".to_owned(),
            what: "open",
            fingerprint: fingerprint.to_owned(),
            ticket: String::new(),
            attempt: 1,
        };
        let came = |status| Came {
            status,
            ticket: "SHOP-1".to_owned(),
            url: String::new(),
            id: "10001".to_owned(),
            why: String::new(),
        };
        let lines = [
            write("a").intent(5),
            write("a").answer(6, &came(Some(201))),
            write("b").intent(7),
            write("b").answer(8, &came(None)),
            write("c").intent(9),
        ];
        let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        text.push_str("{\"at\": 10, \"intent\": \"op");
        let told = read(&text, "jira:SHOP");
        assert_eq!(told.ids, ["10001"]);
        assert_eq!(told.unanswered, [("b".to_owned(), 7), ("c".to_owned(), 9)]);
        assert_eq!((told.done, read(&text, "jira:OTHER")), (1, Told::default()));
    }
}
