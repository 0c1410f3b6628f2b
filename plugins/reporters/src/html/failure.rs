//! What the phone showed when a fault ended a trial of a cell, for its page: picture, texts, the newest lines of its
//! log.
//!
//! Every word is the phone's, so it is cleaned; what is no picture is left out. Bounded: a night may break on every
//! phone.

use crate::cells::Cell;
use crate::clean::{NAME, SENTENCE, line};
use crate::story::iteration_words;
use farmjank_results::record::JobRecord;
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::FrameLogs;
use serde::Serialize;

/// Pictures in one page: with some 150 kB each, 6 MB.
const PICTURES: usize = 40;
/// Jobs looked at for them: a page of more is too long for pictures.
const JOBS: usize = 4096;
/// Most bytes of one.
const PICTURE: usize = 1 << 20;
/// The newest lines of the log, and the characters of each.
const LINES: usize = 60;
/// Most texts of the screen, and most things that could not be had.
const TEXTS: usize = 60;
const LINE: usize = 240;

/// A failure as the page has it.
#[derive(Clone, Serialize)]
pub(crate) struct FailureLine {
    /// The iteration it ended.
    iteration: String,
    front: Option<String>,
    texts: Vec<String>,
    log: Vec<String>,
    /// Where its PNG lies in the bytes after the JSON; none where the page has no room for it.
    png: Option<(usize, usize)>,
    /// Files of the bundle, the picture first.
    files: Vec<String>,
    unavailable: Vec<(String, String)>,
}

/// The failure of a cell, if there is one to show, and its picture.
pub(crate) fn shown(cell: &Cell<'_>, files: &dyn FrameLogs) -> Option<(FailureLine, Option<Vec<u8>>)> {
    let (trial, failure) = cell.failure()?;
    let pictured = pictured(cell);
    let read = |path: &String| pictured.then(|| files.frame_log(path)).flatten();
    let picture = failure.picture.as_ref().and_then(read);
    let is_png = |bytes: &Vec<u8>| bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() <= PICTURE;
    let log = failure.log.as_ref().and_then(read).unwrap_or_default();
    let log = String::from_utf8_lossy(&log).into_owned();
    let all: Vec<&str> = log.lines().collect();
    let newest = &all[all.len().saturating_sub(LINES)..];
    let told = FailureLine {
        iteration: iteration_words(cell.job, trial),
        front: failure.front.as_deref().map(|front| line(front, NAME)),
        texts: failure.texts.iter().take(TEXTS).map(|text| line(text, NAME)).collect(),
        log: newest.iter().map(|words| line(words, LINE)).collect(),
        png: None,
        files: failure.files().map(|path| line(path, SENTENCE)).collect(),
        unavailable: failure
            .unavailable
            .iter()
            .take(TEXTS)
            .map(|one| (line(&one.what, NAME), line(&one.why, SENTENCE)))
            .collect(),
    };
    Some((told, picture.filter(is_png)))
}

impl FailureLine {
    /// With its picture at this place in the bytes after the JSON.
    pub(crate) fn at(&self, png: Option<(usize, usize)>) -> Self {
        FailureLine { png, ..self.clone() }
    }
}

/// Whether picture and log are in this cell: in the first one of its job that did not pass, and in the first jobs of
/// the run.
fn pictured(cell: &Cell<'_>) -> bool {
    let first = match cell.job.cells.iter().find(|one| one.verdict != Some(Verdict::Pass)) {
        Some(one) => one.window == cell.name && one.whole == cell.whole,
        None => cell.job.planned.windows.first().is_none_or(|window| window.name == cell.name),
    };
    let before = cell.record.jobs.range(..cell.job.planned.job).map(|(_, job)| job);
    let has_one = |job: &&JobRecord| job.trials.last().is_some_and(|trial| trial.failure.is_some());
    first && before.take(JOBS).filter(has_one).count() < PICTURES
}
