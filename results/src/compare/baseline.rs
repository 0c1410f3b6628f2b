//! A baseline: sessions with a name, a date, and who pinned them and why. Its text is JSON, one session a line, so that
//! a change of it in version control can be read.
//!
//! Knows no files and no clock: dates are handed in. Bounded: a text with more sessions than a farm has is refused.

use super::matching::is_sound;
use super::measured::Measured;
use crate::cell::{CellKey, CellSession};
use crate::compare::Source;
use crate::record::Record;
use crate::verdict::Verdict;
use farmjank_leaf::text::typed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// Version of the text.
const FORMAT: u32 = 1;
/// Most sessions of one baseline.
const SESSIONS: usize = 200_000;
/// Sessions kept of each cell and phone when runs are added (docs/design/statistics.md#baselines).
const KEPT: usize = 10;

/// A named set of sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Version of the text; 1.
    #[serde(rename = "farmjank_baseline")]
    pub format: u32,
    /// Name.
    pub name: String,
    /// How it came to be what it is, oldest first; the last says who pinned it.
    pub moves: Vec<Move>,
    /// What was measured.
    pub sessions: Vec<CellSession>,
}

/// One time a baseline was set or moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// When, RFC 3339.
    pub wall: String,
    /// Who.
    pub by: String,
    /// Why.
    pub why: String,
    /// The runs taken in.
    pub runs: Vec<String>,
}

/// Why a baseline cannot be read or moved, in words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BaselineError(pub String);

impl Baseline {
    /// A new baseline of these sessions; void ones are left out.
    ///
    /// # Errors
    /// When nothing is left to compare with.
    pub fn new(name: &str, first: Move, measured: Vec<Measured>) -> Result<Baseline, BaselineError> {
        let empty =
            Baseline { format: FORMAT, name: name.to_owned(), moves: Vec::new(), sessions: Vec::new() };
        empty.moved(first, measured)
    }

    /// The same with these sessions added. Of each cell and phone the ten newest are kept; a run that is measured anew
    /// under the same id takes the place of the old one.
    ///
    /// # Errors
    /// When none of the new sessions can be compared with.
    pub fn moved(&self, step: Move, measured: Vec<Measured>) -> Result<Baseline, BaselineError> {
        let fresh: Vec<CellSession> = measured.into_iter().map(|one| one.session).filter(is_sound).collect();
        if fresh.is_empty() {
            let why = "no window was measured in enough iterations that are not void";
            return Err(BaselineError(format!("nothing to compare with: {why}")));
        }
        let sessions = merged(&self.sessions, fresh);
        if sessions.len() > SESSIONS {
            return Err(BaselineError(format!(
                "a baseline has at most {SESSIONS} sessions, not {}",
                sessions.len()
            )));
        }
        let moves = self.moves.iter().cloned().chain([step]).collect();
        Ok(Baseline { format: FORMAT, name: self.name.clone(), moves, sessions })
    }

    /// Reads the text of a baseline.
    ///
    /// # Errors
    /// When it is not one, or one of a newer farmjank.
    pub fn read(text: &str) -> Result<Baseline, BaselineError> {
        let read: Baseline = serde_json::from_str(text)
            .map_err(|error| BaselineError(format!("this is no baseline of farmjank ({error})")))?;
        if read.format != FORMAT {
            let what = format!("format {} is newer than this farmjank, which reads {FORMAT}", read.format);
            return Err(BaselineError(what));
        }
        let odd = read.sessions.iter().find(|session| session.values.len() != session.seconds.len());
        if let Some(session) = odd {
            let what = "values and seconds of a session differ in number; it was damaged";
            return Err(BaselineError(format!(
                "{what} (run {}, {})",
                typed(&session.run, 80),
                typed(&session.key.window, 80)
            )));
        }
        if read.sessions.len() > SESSIONS {
            return Err(BaselineError(format!("a baseline has at most {SESSIONS} sessions")));
        }
        Ok(read)
    }

    /// Its text: stable, one session a line.
    pub fn text(&self) -> String {
        let list = |items: Vec<String>| match items.is_empty() {
            true => "[]".to_owned(),
            false => format!(
                "[\n{}\n]",
                items.iter().map(|item| format!("  {item}")).collect::<Vec<_>>().join(",\n")
            ),
        };
        let moves = list(self.moves.iter().map(json).collect());
        let sessions = list(self.sessions.iter().map(json).collect());
        format!(
            "{{\n\"farmjank_baseline\": {},\n\"name\": {},\n\"moves\": {moves},\n\"sessions\": {sessions}\n}}\n",
            self.format,
            json(&self.name)
        )
    }

    /// What comparisons call it.
    pub fn source(&self) -> Source {
        let last = self.moves.last();
        let said = |text: &String| (!text.is_empty()).then(|| text.clone());
        Source {
            name: self.name.clone(),
            wall: last.map(|step| step.wall.clone()),
            by: last.and_then(|step| said(&step.by)),
            why: last.and_then(|step| said(&step.why)),
        }
    }
}

/// As one line.
fn json<T: Serialize>(value: &T) -> String {
    // Values of our own with string keys can always be written.
    serde_json::to_string(value).unwrap_or_default()
}

/// Old and new sessions in order of cell, phone and time; of each cell and phone the ten newest.
pub fn merged(old: &[CellSession], fresh: Vec<CellSession>) -> Vec<CellSession> {
    type Place<'s> = (&'s CellKey, &'s crate::device::DeviceId);
    let mut by_run: BTreeMap<(Place<'_>, (&str, &str)), &CellSession> = BTreeMap::new();
    for session in old.iter().chain(&fresh) {
        let place = ((&session.key, &session.device), (session.wall.as_str(), session.run.as_str()));
        by_run.insert(place, session);
    }
    let mut counts: BTreeMap<Place<'_>, usize> = BTreeMap::new();
    let mut kept: Vec<&CellSession> = Vec::new();
    for ((place, _), session) in by_run.into_iter().rev() {
        let count = counts.entry(place).or_default();
        *count += 1;
        if *count <= KEPT {
            kept.push(session);
        }
    }
    kept.into_iter().rev().cloned().collect()
}

/// Why a run does not move a baseline by itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unconfirmed {
    /// It was held against nothing.
    #[error("run {0} was not compared with a baseline")]
    NotCompared(String),
    /// It was held against another.
    #[error("run {run} was held against `{held}`, not `{name}`")]
    Other {
        /// The run.
        run: String,
        /// What it was held against.
        held: String,
        /// The baseline.
        name: String,
    },
    /// It did not pass.
    #[error("run {0} did not pass: {1}")]
    NotPassed(String, Verdict),
    /// It passed when somebody had run a part of it again.
    #[error("run {0} passed only after a part of it was run again, which confirms nothing")]
    RunAgain(String),
    /// Its log ends before its verdict.
    #[error("run {0} was never judged")]
    NeverJudged(String),
}

/// Whether a run may move a baseline by itself: it passed, and it was held against that baseline
/// (docs/design/statistics.md#baselines).
pub(super) fn confirms(record: &Record, name: &str) -> Result<(), Unconfirmed> {
    let run = typed(&record.header.run, 80).to_string();
    let Some(compared) = &record.compared else { return Err(Unconfirmed::NotCompared(run)) };
    if compared.baseline.name != name {
        let held = typed(&compared.baseline.name, 80).to_string();
        return Err(Unconfirmed::Other { run, held, name: name.to_owned() });
    }
    match record.verdict {
        Some(Verdict::Pass) if record.jobs.values().any(|job| !job.before.is_empty()) => {
            Err(Unconfirmed::RunAgain(run))
        }
        Some(Verdict::Pass) => Ok(()),
        Some(verdict) => Err(Unconfirmed::NotPassed(run, verdict)),
        None => Err(Unconfirmed::NeverJudged(run)),
    }
}

impl Baseline {
    /// Whether these runs move the baseline without a person: two runs that passed against it.
    ///
    /// # Errors
    /// Which does not, in words.
    pub fn confirmed(&self, runs: &[&Record]) -> Result<(), BaselineError> {
        let advice = "give --by NAME and --why REASON to move it all the same";
        if runs.len() < 2 {
            let what = "one run confirms nothing: two that passed against the baseline move it";
            return Err(BaselineError(format!("{what}; {advice}")));
        }
        let doubt = runs.iter().find_map(|run| confirms(run, &self.name).err());
        doubt.map_or(Ok(()), |why| Err(BaselineError(format!("{why}; {advice}"))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::session;
    use super::*;

    fn step(wall: &str) -> Move {
        Move { wall: wall.into(), by: "rel-eng".into(), why: "release 7.4".into(), runs: vec!["r1".into()] }
    }

    #[test]
    fn a_baseline_comes_back_from_its_text_and_says_who_pinned_it() {
        let measured =
            vec![session("r1", "A", &[1.5, 0.1, 3.0]).into(), session("r1", "B", &[0.1 + 0.2]).into()];
        let baseline = Baseline::new("release", step("2026-03-01T00:00:00Z"), measured).expect("a baseline");
        let text = baseline.text();
        assert_eq!(Baseline::read(&text), Ok(baseline.clone()));
        assert_eq!(text.lines().filter(|line| line.contains("\"run\":")).count(), 2, "{text}");
        let source = baseline.source();
        assert_eq!(
            (source.by.as_deref(), source.wall.as_deref()),
            (Some("rel-eng"), Some("2026-03-01T00:00:00Z"))
        );
    }

    #[test]
    fn what_is_no_baseline_is_refused_with_words() {
        let complaint = |text: &str| Baseline::read(text).expect_err("no baseline").to_string();
        assert!(complaint("{}").contains("no baseline of farmjank"));
        let newer = "{\"farmjank_baseline\":2,\"name\":\"x\",\"moves\":[],\"sessions\":[]}";
        assert!(complaint(newer).contains("newer"));
        let void = session("r", "A", &[]).into();
        assert!(Baseline::new("x", step("w"), vec![void]).is_err());
    }

    #[test]
    fn of_each_phone_the_ten_newest_sessions_stay_and_a_run_counts_once() {
        let dated = |day: usize| {
            let mut one = session(&format!("r{day}"), "A", &[1.0; 5]);
            one.wall = format!("2026-03-{day:02}T00:00:00Z");
            one
        };
        let old: Vec<CellSession> = (1..=10).map(dated).collect();
        let again = dated(10);
        let kept = merged(&old, vec![dated(11), again]);
        let runs: Vec<&str> = kept.iter().map(|session| session.run.as_str()).collect();
        assert_eq!((runs.len(), runs.first().copied(), runs.last().copied()), (10, Some("r2"), Some("r11")));
    }

    #[test]
    fn two_passing_runs_move_a_baseline_and_anything_less_needs_a_person() {
        let measured = vec![session("r1", "A", &[1.0; 5]).into()];
        let baseline = Baseline::new("release", step("w"), measured).expect("a baseline");
        let held = crate::compare::Compared { baseline: baseline.source(), ..Default::default() };
        let passed = Record { compared: Some(held), verdict: Some(Verdict::Pass), ..Record::default() };
        assert_eq!(baseline.confirmed(&[&passed, &passed]), Ok(()));
        let failed = Record { verdict: Some(Verdict::Fail), ..passed.clone() };
        let other = Record { compared: None, ..passed.clone() };
        for (runs, words) in [
            (vec![&passed], "one run"),
            (vec![&passed, &failed], "did not pass"),
            (vec![&other, &passed], "not compared"),
        ] {
            let why = baseline.confirmed(&runs).expect_err("not confirmed").to_string();
            assert!(why.contains(words) && why.contains("--by"), "{why}");
        }
    }
}
