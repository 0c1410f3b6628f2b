//! One comment on a pull request of GitHub, kept up to date: found again by its first line and its author, written
//! anew, never a second one.
//!
//! Before a comment is made, and again after an answer that was lost, all comments are listed. Of several that two jobs
//! made at once the oldest stays. A comment of a later run is left as it is.

use crate::comment::{Comment, order_of};
use crate::repository::Repository;
use crate::world::{Came, Talk, Undelivered, World, said};
use farmjank_requests::{Answer, Method, Request};
use serde_json::{Value, json};

/// Where GitHub answers unless told otherwise.
pub const BASE: &str = "https://api.github.com";
/// Its token.
pub const TOKEN: &str = "GITHUB_TOKEN";
/// Most pages of comments, 100 each.
const PAGES: usize = 50;
/// Most times that a comment is made because none is found.
const MADE: u32 = 5;

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    repository: Repository,
    number: u64,
}

/// What became of what is kept there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// There was none, and now there is.
    Made(String),
    /// It says something new.
    Changed(String),
    /// It says that already.
    Same(String),
    /// A later run has said something there, which stays.
    Later(String),
}

impl Kept {
    /// Where a person sees it; empty where the system does not say.
    pub fn url(&self) -> &str {
        let (Kept::Made(url) | Kept::Changed(url) | Kept::Same(url) | Kept::Later(url)) = self;
        url
    }
}

/// A comment that is there.
#[derive(Clone)]
struct There {
    id: u64,
    url: String,
    body: String,
}

/// Whose comments are ours.
enum Us {
    /// Those of this one.
    Login(String),
    /// Those of a program: what the token of a job is may not be asked.
    Bot,
}

impl PullRequest {
    /// Reads `OWNER/REPO#NUMBER`.
    pub fn parse(text: &str) -> Option<PullRequest> {
        let (place, number) = text.split_once('#')?;
        let number = number.parse().ok().filter(|number| *number > 0)?;
        Some(PullRequest { repository: Repository::parse(place)?, number })
    }

    /// As a person would name it.
    pub fn shown(&self) -> String {
        format!("{}#{}", self.repository.shown(), self.number)
    }

    fn path(&self, rest: &str) -> String {
        self.repository.path(&format!("issues/{rest}"))
    }

    /// Keeps the comment.
    ///
    /// # Errors
    /// It could not be written, and why.
    pub async fn keep<W: World>(
        &self,
        talk: &mut Talk<'_, W>,
        comment: &Comment,
    ) -> Result<Kept, Undelivered> {
        let us = us(talk).await?;
        let body = comment.body();
        let mut made = None;
        for attempt in 1..=MADE {
            let mut all = self.ours(talk, &us, comment).await?;
            if !all.is_empty() {
                let oldest = all.remove(0);
                let kept = self.kept(talk, comment, &body, &oldest).await?;
                for other in all {
                    // What is there twice was made by two jobs at once.
                    talk.ask(&Request::delete(self.path(&format!("comments/{}", other.id)))).await?;
                }
                return Ok(match (kept, made) {
                    (Kept::Same(url), Some(_)) => Kept::Made(url),
                    (kept, _) => kept,
                });
            }
            if let Some(url) = made {
                // It was made, and the list does not know yet: a second one would be worse.
                return Ok(Kept::Made(url));
            }
            let request = self.path(&format!("{}/comments", self.number));
            match talk.attempt(&Request::with(Method::Post, request, json!({ "body": body })), attempt).await
            {
                Came::Done(answer) => made = Some(url(&answer.json().unwrap_or_default())),
                Came::Refused(answer) => return Err(self.refused(&answer)),
                Came::Later(wait, words) => talk.wait(wait, words).await?,
            }
        }
        match made {
            Some(url) => Ok(Kept::Made(url)),
            None => Err(Undelivered(format!("{} takes no comment; run this again later", self.shown()))),
        }
    }

    /// Brings the comment up to date that is there.
    async fn kept<W: World>(
        &self,
        talk: &mut Talk<'_, W>,
        comment: &Comment,
        body: &str,
        there: &There,
    ) -> Result<Kept, Undelivered> {
        let url = there.url.clone();
        if order_of(&there.body) > comment.order && comment.order.is_some() {
            return Ok(Kept::Later(url));
        }
        if there.body.replace("\r\n", "\n").trim_end() == body.trim_end() {
            return Ok(Kept::Same(url));
        }
        let path = self.path(&format!("comments/{}", there.id));
        let answer = talk.ask(&Request::with(Method::Patch, path, json!({ "body": body }))).await?;
        if (200..300).contains(&answer.status) { Ok(Kept::Changed(url)) } else { Err(self.refused(&answer)) }
    }

    /// Our comments with this key, the oldest first.
    async fn ours<W: World>(
        &self,
        talk: &mut Talk<'_, W>,
        us: &Us,
        comment: &Comment,
    ) -> Result<Vec<There>, Undelivered> {
        let mut all = Vec::new();
        for page in 1..=PAGES {
            let path = self.path(&format!("{}/comments?per_page=100&page={page}", self.number));
            let answer = talk.ask(&Request::get(path)).await?;
            if !(200..300).contains(&answer.status) {
                return Err(self.refused(&answer));
            }
            let Some(Value::Array(items)) = answer.json() else {
                return Err(Undelivered(
                    "what answers is no GitHub: it lists no comments; check --url".to_owned(),
                ));
            };
            all.extend(items.iter().filter(|one| is_ours(us, one)).filter_map(there));
            if items.is_empty() || !answer.header("link").is_some_and(|link| link.contains("rel=\"next\"")) {
                break;
            }
        }
        all.retain(|one| comment.is_it(&one.body));
        all.sort_by_key(|one| one.id);
        Ok(all)
    }

    fn refused(&self, answer: &Answer) -> Undelivered {
        let (place, said) = (self.shown(), said(answer));
        Undelivered(match answer.status {
            401 => format!("GitHub does not take the token in {TOKEN}{said}"),
            403 => format!(
                "the token in {TOKEN} may not comment on {place}{said}; it needs `pull-requests: write`, which the job of a fork \
                 never gets"
            ),
            404 => format!(
                "GitHub has no {place}, or the token in {TOKEN} may not see it{said}; check --to and --url"
            ),
            status => format!("GitHub answers {status} for {place}{said}"),
        })
    }
}

/// Who the token is of.
async fn us<W: World>(talk: &mut Talk<'_, W>) -> Result<Us, Undelivered> {
    let answer = talk.ask(&Request::get("user")).await?;
    let json = answer.json().unwrap_or_default();
    Ok(match (answer.status, json["login"].as_str()) {
        (200, Some(login)) => Us::Login(login.to_owned()),
        _ => Us::Bot,
    })
}

fn is_ours(us: &Us, comment: &Value) -> bool {
    match us {
        Us::Login(login) => comment["user"]["login"] == *login,
        Us::Bot => comment["user"]["type"] == "Bot",
    }
}

fn there(comment: &Value) -> Option<There> {
    let (id, body) = (comment["id"].as_u64()?, comment["body"].as_str()?.to_owned());
    Some(There { id, url: url(comment), body })
}

/// An address a person can open; empty where it is none.
pub(crate) fn url(comment: &Value) -> String {
    let url = comment["html_url"].as_str().unwrap_or_default();
    let plain = url.len() <= 300 && url.chars().all(|c| c.is_ascii_graphic());
    if plain && url.starts_with("https://") { url.to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pull_request_is_read_and_nothing_in_it_leaves_its_place_in_a_path() {
        let read = PullRequest::parse("acme/shop.app#12").expect("one");
        assert_eq!(
            (read.shown().as_str(), read.path("12/comments").as_str()),
            ("acme/shop.app#12", "repos/acme/shop.app/issues/12/comments")
        );
        for wrong in [
            "",
            "acme/shop",
            "acme/shop#",
            "acme/shop#0",
            "acme/shop#1/2",
            "acme/..#1",
            "a/b/c#1",
            "a?b/c#1",
            "acme/#1",
            "acme/shop#-1",
        ] {
            assert_eq!(PullRequest::parse(wrong), None, "{wrong}");
        }
    }
}
