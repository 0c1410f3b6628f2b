//! What the phone shows when a step failed: a picture, the view hierarchy, the texts in it, what is in front, the
//! newest lines of its log. Kept before anything is tidied.
//!
//! Whatever cannot be had is said, costs no verdict, and never waits long: the fault that ended the trial stands.

use crate::android::screen::{self, Element};
use crate::android::{app, clip, state};
use crate::device_session::DeviceSession;
use crate::thumbnail::{READABLE, thumbnail};
use farmjank_results::event::Fact;
use farmjank_results::failure::{Failure, Unavailable};
use farmjank_results::fault::Fault;
use std::time::Duration;
use tokio::time::timeout;

/// Time the phone has for each of the four.
const EACH: Duration = Duration::from_secs(8);
/// The newest lines of every log but the events'.
const LOG: &str = "logcat -d -v threadtime -t 200 2>&1";
/// Most bytes kept of the log, from its end, and of the hierarchy.
const MOST_LOG: usize = 256 << 10;
const MOST_HIERARCHY: usize = 2 << 20;
/// Most texts, and characters of each.
const TEXTS: usize = 60;
const TEXT: usize = 120;

/// Keeps what the phone shows now beside the evidence of a trial, which lies in this folder of the bundle.
pub(crate) async fn keep(session: &DeviceSession<'_>, trial: u32, folder: &str) {
    let mut failure = Failure::default();
    let scene = Scene { session, folder: format!("{folder}/failure") };
    // The picture first: what is on the screen may go.
    match scene.picture().await {
        Ok(path) => failure.picture = Some(path),
        Err(why) => failure.unavailable.push(missing("picture", why)),
    }
    match scene.front().await {
        Ok(front) => failure.front = Some(front),
        Err(why) => failure.unavailable.push(missing("front", why)),
    }
    match scene.log().await {
        Ok(path) => failure.log = Some(path),
        Err(why) => failure.unavailable.push(missing("log", why)),
    }
    match scene.hierarchy().await {
        Ok((path, texts)) => (failure.hierarchy, failure.texts) = (Some(path), texts),
        Err(why) => failure.unavailable.push(missing("hierarchy", why)),
    }
    let failure = Box::new(failure);
    session.env.announcer.announce(Fact::FailureKept { job: session.job, trial, failure });
}

fn missing(what: &str, why: String) -> Unavailable {
    Unavailable { what: what.to_owned(), why: clip(&why, 200) }
}

/// A phone after a failure, and where its files go.
struct Scene<'a> {
    session: &'a DeviceSession<'a>,
    folder: String,
}

impl Scene<'_> {
    async fn picture(&self) -> Result<String, String> {
        if !self.session.env.pictures.failures {
            return Err("none is taken where the run has secrets: one may be on the screen".to_owned());
        }
        let picture = self.shell("screencap -p").await?;
        let small = thumbnail(&picture, READABLE).map_err(|why| why.to_string())?;
        self.kept("screen.png", &small)
    }

    async fn front(&self) -> Result<String, String> {
        let said = self.shell(app::IN_FRONT).await?;
        let front = state::front(&String::from_utf8_lossy(&said)).to_string();
        Ok(clip(front.trim_matches('`'), 200))
    }

    async fn log(&self) -> Result<String, String> {
        let said = self.shell(LOG).await?;
        let end = &said[said.len().saturating_sub(MOST_LOG)..];
        if end.trim_ascii().is_empty() {
            return Err("logcat printed nothing".to_owned());
        }
        self.kept("log.txt", end)
    }

    async fn hierarchy(&self) -> Result<(String, Vec<String>), String> {
        let session = self.session;
        let screen = timeout(EACH, screen::hierarchy(&*session.device, session.patience())).await;
        let (document, elements) = screen.map_err(|_| late())?.map_err(said)?;
        if document.len() > MOST_HIERARCHY {
            return Err(format!("it has {} bytes", document.len()));
        }
        Ok((self.kept("hierarchy.xml", document.as_bytes())?, texts(&elements)))
    }

    async fn shell(&self, line: &str) -> Result<Vec<u8>, String> {
        let session = self.session;
        let output = timeout(EACH, session.device.shell(line, EACH)).await.map_err(|_| late())?;
        Ok(output.map_err(said)?.out)
    }

    fn kept(&self, name: &str, bytes: &[u8]) -> Result<String, String> {
        let path = format!("{}/{name}", self.folder);
        let kept = self.session.env.files.write(&path, bytes);
        kept.map(|()| path).map_err(|why| format!("it could not be kept: {why}"))
    }
}

fn late() -> String {
    format!("the phone took more than {} s", EACH.as_secs())
}

fn said(fault: Fault) -> String {
    fault.what
}

/// What a person reads on the screen, from its top.
fn texts(elements: &[Element]) -> Vec<String> {
    let mut rows: Vec<(i64, i64, &str)> = Vec::new();
    for element in elements.iter().filter(|element| element.is_on_screen()) {
        let words = if element.text.trim().is_empty() { &element.description } else { &element.text };
        let (left, top, ..) = element.bounds;
        if !words.trim().is_empty() && rows.iter().all(|(.., known)| *known != words.trim()) {
            rows.push((top, left, words.trim()));
        }
    }
    rows.sort_by_key(|(top, left, _)| (*top, *left));
    rows.into_iter().take(TEXTS).map(|(.., words)| clip(words, TEXT)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_from_the_top_of_the_screen_each_once() {
        let element = |text: &str, description: &str, bounds| Element {
            text: text.to_owned(),
            description: description.to_owned(),
            bounds,
            ..Element::default()
        };
        let all = [
            element("below", "", (0, 900, 100, 950)),
            element(" right ", "", (500, 10, 900, 50)),
            element("left", "unread", (0, 10, 400, 50)),
            element("", "a picture", (0, 100, 400, 150)),
            element("below", "", (0, 1_000, 100, 1_050)),
            element("gone", "", (0, 0, 0, 0)),
        ];
        assert_eq!(texts(&all), ["left", "right", "a picture", "below"]);
    }
}
