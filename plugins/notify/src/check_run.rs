//! A check run on a commit of GitHub: a name beside the commit, what it came to, the page of the run, and a mark on
//! each line of a scenario that has something to say.
//!
//! Each attempt of a CI's run has one of its own: GitHub shows the newest of a name. Before one is made, and again
//! after an answer that was lost, those of its name are listed. Where a later run has one, an earlier one makes none.

use crate::comment::Order;
use crate::pull_request::{Kept, TOKEN, url};
use crate::repository::Repository;
use crate::world::{Came, Talk, Undelivered, World, said};
use farmjank_requests::{Answer, Method, Request};
use serde_json::{Value, json};

/// Most marks in one request.
const AT_ONCE: usize = 50;
/// Most marks of a check run.
const MOST: usize = 500;
/// Longest page, message and title of a mark that GitHub takes, characters.
const PAGE: usize = 65_535;
const MESSAGE: usize = 8_000;
const TITLE: usize = 255;
/// Most times that something is tried because nobody knows whether it was done.
const TURNS: u32 = 8;

/// What a check run comes to, as GitHub has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Lets a pull request through.
    Success,
    /// Lets it through, in grey.
    Neutral,
    /// Holds it up.
    Failure,
    /// Holds it up until somebody looks.
    ActionRequired,
    /// Nobody waited for its end.
    Cancelled,
}

impl Conclusion {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Conclusion::Success => "success",
            Conclusion::Neutral => "neutral",
            Conclusion::Failure => "failure",
            Conclusion::ActionRequired => "action_required",
            Conclusion::Cancelled => "cancelled",
        }
    }
}

/// How grave a mark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// By the way.
    Notice,
    /// Nothing is proved.
    Warning,
    /// The app broke a limit.
    Failure,
}

/// A mark on a line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The file, as the repository has it.
    pub path: String,
    /// The line, from 1.
    pub row: u64,
    /// How grave it is.
    pub level: Level,
    /// In a few words.
    pub title: String,
    /// In full.
    pub message: String,
}

impl Mark {
    fn json(&self) -> Value {
        let level = match self.level {
            Level::Notice => "notice",
            Level::Warning => "warning",
            Level::Failure => "failure",
        };
        json!({
            "path": self.path, "start_line": self.row, "end_line": self.row, "annotation_level": level,
            "title": clipped(&self.title, TITLE), "message": clipped(&self.message, MESSAGE),
        })
    }
}

/// A check run to be made. One field for each thing that it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What tells it from other check runs of farmjank: small letters, digits, `-`.
    pub key: String,
    /// When it was said; none outside a CI.
    pub order: Option<Order>,
    /// The commit that was measured: all of its hash.
    pub commit: String,
    /// What it came to.
    pub conclusion: Conclusion,
    /// That in words, on one line.
    pub title: String,
    /// The page, in Markdown.
    pub page: String,
    /// Marks, the worst first.
    pub marks: Vec<Mark>,
    /// Where the log of the job is; empty where nobody says.
    pub log: String,
}

/// One that is there.
struct There {
    id: u64,
    url: String,
    told: String,
    title: String,
}

fn clipped(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

impl Check {
    /// Whether a commit is named by all of its hash, as check runs want it.
    pub fn is_commit(text: &str) -> bool {
        [40, 64].contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
    }

    fn name(&self) -> String {
        format!("farmjank {}", self.key)
    }

    fn marks(&self) -> &[Mark] {
        &self.marks[..self.marks.len().min(MOST)]
    }

    /// Which run and attempt said it, as check runs are told apart.
    fn told(&self) -> String {
        let Order { run, attempt } = self.order.unwrap_or_default();
        format!("farmjank:{}:{run}.{attempt}", self.key)
    }

    fn order_of(&self, told: &str) -> Option<Order> {
        let rest = told.strip_prefix("farmjank:")?.strip_prefix(&self.key)?.strip_prefix(':')?;
        let (run, attempt) = rest.split_once('.')?;
        Some(Order { run: run.parse().ok()?, attempt: attempt.parse().ok()? })
    }

    /// Title, page and the marks from one on, as many as GitHub takes at once.
    fn output(&self, from: usize) -> Value {
        let marks: Vec<Value> = self.marks().iter().skip(from).take(AT_ONCE).map(Mark::json).collect();
        json!({ "title": clipped(&self.title, TITLE), "summary": clipped(&self.page, PAGE), "annotations": marks })
    }

    /// What is made.
    pub fn body(&self) -> Value {
        let mut body = json!({
            "name": self.name(), "head_sha": self.commit, "external_id": self.told(), "status": "completed",
            "conclusion": self.conclusion.word(), "output": self.output(0),
        });
        if self.log.starts_with("https://") && self.log.chars().all(|c| c.is_ascii_graphic()) {
            body["details_url"] = json!(self.log);
        }
        body
    }

    /// Makes it, unless it is there, or a later one.
    ///
    /// # Errors
    /// It could not be made, and why.
    pub async fn keep<W: World>(
        &self,
        place: &Repository,
        talk: &mut Talk<'_, W>,
    ) -> Result<Kept, Undelivered> {
        for attempt in 1..=TURNS {
            let all = self.listed(place, talk).await?;
            let later = |there: &&There| self.order.is_some() && self.order_of(&there.told) > self.order;
            if let Some(there) = all.iter().find(later) {
                return Ok(Kept::Later(there.url.clone()));
            }
            let same =
                |there: &&There| there.told == self.told() && there.title == clipped(&self.title, TITLE);
            if let Some(there) = all.iter().find(same) {
                let changed = self.completed(place, talk, there.id).await?;
                let url = there.url.clone();
                // Who asked before and got no answer made it.
                return Ok(if attempt > 1 || changed { Kept::Made(url) } else { Kept::Same(url) });
            }
            let request = Request::with(Method::Post, place.path("check-runs"), self.body());
            match talk.attempt(&request, attempt).await {
                Came::Done(answer) => {
                    let json = answer.json().unwrap_or_default();
                    if let Some(id) = json["id"].as_u64() {
                        self.completed(place, talk, id).await?;
                    }
                    return Ok(Kept::Made(url(&json)));
                }
                Came::Refused(answer) => return Err(self.refused(place, &answer)),
                Came::Later(wait, words) => talk.wait(wait, words).await?,
            }
        }
        Err(Undelivered(format!("{} takes no check run; run this again later", place.shown())))
    }

    /// Those of its name on the commit.
    async fn listed<W: World>(
        &self,
        place: &Repository,
        talk: &mut Talk<'_, W>,
    ) -> Result<Vec<There>, Undelivered> {
        let name = self.name().replace(' ', "%20");
        let path = format!("commits/{}/check-runs?check_name={name}&filter=all&per_page=100", self.commit);
        let answer = talk.ask(&Request::get(place.path(&path))).await?;
        if !(200..300).contains(&answer.status) {
            return Err(self.refused(place, &answer));
        }
        let json = answer.json().unwrap_or_default();
        let Some(items) = json["check_runs"].as_array() else {
            let words = "what answers is no GitHub: it lists no check runs; check --url";
            return Err(Undelivered(words.to_owned()));
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let there = |one: &Value| {
            let told = text(&one["external_id"]);
            self.order_of(&told)?;
            Some(There { id: one["id"].as_u64()?, url: url(one), told, title: text(&one["output"]["title"]) })
        };
        Ok(items.iter().filter_map(there).collect())
    }

    /// Adds the marks that are missing there: what is sent twice would stand there twice. Whether any was.
    async fn completed<W: World>(
        &self,
        place: &Repository,
        talk: &mut Talk<'_, W>,
        id: u64,
    ) -> Result<bool, Undelivered> {
        let path = place.path(&format!("check-runs/{id}"));
        let all = self.marks().len();
        let mut changed = false;
        let most = TURNS + u32::try_from(all / AT_ONCE).unwrap_or(0);
        for attempt in 1..=most {
            let answer = talk.ask(&Request::get(path.clone())).await?;
            let json = answer.json().unwrap_or_default();
            let Some(count) = json["output"]["annotations_count"].as_u64() else { return Ok(changed) };
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            if count >= all {
                break;
            }
            let request = Request::with(Method::Patch, path.clone(), json!({ "output": self.output(count) }));
            match talk.attempt(&request, attempt).await {
                Came::Done(_) => changed = true,
                Came::Refused(answer) => return Err(self.refused(place, &answer)),
                Came::Later(wait, words) => talk.wait(wait, words).await?,
            }
        }
        Ok(changed)
    }

    fn refused(&self, place: &Repository, answer: &Answer) -> Undelivered {
        let (place, said) = (place.shown(), said(answer));
        Undelivered(match answer.status {
            401 => format!("GitHub does not take the token in {TOKEN}{said}"),
            403 => format!(
                "the token in {TOKEN} may make no check run on {place}{said}; it needs `checks: write`, which only the tokens of \
                 jobs and apps can have, and the job of a fork never gets"
            ),
            404 => format!(
                "GitHub has no {place}, or the token in {TOKEN} may not see it{said}; check --to and --url"
            ),
            422 => {
                format!("GitHub does not take the check run{said}; is {} a commit of {place}?", self.commit)
            }
            status => format!("GitHub answers {status} for {place}{said}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(marks: usize) -> Check {
        let mark = |row| Mark {
            path: "scenarios/feed.yaml".to_owned(),
            row,
            level: Level::Failure,
            title: "x".repeat(300),
            message: "m".to_owned(),
        };
        Check {
            key: "gate".to_owned(),
            order: Some(Order { run: 812, attempt: 2 }),
            commit: "a".repeat(40),
            conclusion: Conclusion::Failure,
            title: "fail: 4 failed".to_owned(),
            page: "p".repeat(70_000),
            marks: (1..=marks as u64).map(mark).collect(),
            log: "https://example.org/812".to_owned(),
        }
    }

    #[test]
    fn what_is_sent_keeps_to_what_github_takes() {
        let body = check(120).body();
        assert_eq!(body["output"]["annotations"].as_array().map(Vec::len), Some(AT_ONCE));
        assert_eq!(body["output"]["summary"].as_str().map(str::len), Some(PAGE));
        assert_eq!(body["output"]["annotations"][0]["title"].as_str().map(str::len), Some(TITLE));
        assert_eq!(body["external_id"], "farmjank:gate:812.2");
        let rest = check(120).output(100);
        assert_eq!(rest["annotations"].as_array().map(Vec::len), Some(20));
        assert_eq!(check(10_000).output(480)["annotations"].as_array().map(Vec::len), Some(20), "no more");
    }

    #[test]
    fn a_commit_is_all_of_its_hash() {
        assert!(Check::is_commit(&"0a".repeat(20)) && Check::is_commit(&"0a".repeat(32)));
        for wrong in ["", "main", "1a2b3c4d", &"g".repeat(40), &"0".repeat(41)] {
            assert!(!Check::is_commit(wrong), "{wrong}");
        }
    }
}
