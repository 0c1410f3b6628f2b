//! New causes as part of the gate: which causes of a window were not there in an older run, surely enough to fail a
//! build (docs/causes.md#new-causes-fail).
//!
//! A cause of one late frame never does: it takes [`FRAMES`] of them, [`LEAST`](super::LEAST) ms/s, more than chance
//! explains, and two iterations where several that count were traced. Where the older run did not look, or this one
//! cannot tell, nobody knows: that is undecided, never green.

use super::{State, WindowDiagnosis, between, diagnoses, doubt};
use crate::event::WindowJudged;
use crate::record::{Record, WindowCauses};
use crate::verdict::Verdict;
use crate::words::{amount, several};
use crate::{hitch_causes::HitchCauses, metric::Unit};

/// Late frames that a cause is in, at least.
const FRAMES: u32 = 2;
/// Iterations it is seen in, at least, where several that count were traced.
const ITERATIONS: usize = 2;
/// Causes named in a reason.
const NAMED: usize = 3;

const ONE: &str = "a new cause of late frames: ";
const MANY: &str = "new causes of late frames: ";
const UNTOLD: &str = "whether it has a new cause of late frames cannot be told: ";

/// What becomes of a window that has a new cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnNew {
    /// It fails; it is undecided where that cannot be told.
    Fail,
    /// It is said.
    Warn,
}

impl OnNew {
    /// Every one.
    pub const ALL: [OnNew; 2] = [OnNew::Fail, OnNew::Warn];

    /// Its word in scenarios.
    pub fn word(self) -> &'static str {
        match self {
            OnNew::Fail => "fail",
            OnNew::Warn => "warn",
        }
    }
}

/// A cause that was not there.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// Its fingerprint.
    pub fingerprint: String,
    /// It, how much of it there is and in how much, in a sentence.
    pub words: String,
}

/// New causes of a window, or why it cannot be told whether there are any.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowArrivals {
    /// Name of the window.
    pub window: String,
    /// Them, the costliest first.
    pub new: Result<Vec<Arrival>, String>,
}

/// New causes of every window of a record with one job, held against those of an older run.
pub fn arrivals(before: &[WindowDiagnosis], alone: &Record) -> Vec<WindowArrivals> {
    let own = diagnoses(alone);
    let (changes, _) = between(before, &own);
    let causes_of = |window: &str| alone.jobs.values().find_map(|job| job.causes(window));
    let window = |one: &WindowDiagnosis| {
        let change = changes.iter().find(|change| change.spot == one.spot);
        let new = match (change, &one.seen) {
            (_, Err(why)) => Err(why.clone()),
            (None, Ok(_)) => Err("nobody asked about it".to_owned()),
            (Some(change), Ok(_)) => change.causes.as_ref().map_err(String::clone).map(|causes| {
                let new =
                    causes.iter().filter(|one| one.state == Ok(State::New) && doubt(one.chance).is_none());
                new.filter_map(|one| arrival(causes_of(&change.spot.window)?, &one.fingerprint)).collect()
            }),
        };
        WindowArrivals { window: one.spot.window.clone(), new }
    };
    own.iter().map(window).collect()
}

/// A new cause, where there is enough of it.
fn arrival(of: &WindowCauses, fingerprint: &str) -> Option<Arrival> {
    let found: &HitchCauses = of.causes.as_ref()?;
    let cause = found.causes.iter().find(|cause| cause.fingerprint == fingerprint)?;
    let seen = of.seen_in(fingerprint).filter(|(_, told)| *told > 1);
    if cause.frames < FRAMES || seen.is_some_and(|(seen, _)| seen < ITERATIONS) {
        return None;
    }
    let iterations =
        seen.map(|(seen, told)| format!(", seen in {seen} of {}", several(told, "iteration", "iterations")));
    let words = format!(
        "{} ({}, {}, {} of {}{}; fingerprint {fingerprint})",
        cause.named.title,
        cause.named.kind,
        amount(found.ms_per_s(cause.us), Unit::MsPerS),
        cause.frames,
        several(found.late_frames, "late frame", "late frames"),
        iterations.unwrap_or_default()
    );
    Some(Arrival { fingerprint: fingerprint.to_owned(), words })
}

impl WindowArrivals {
    /// Adds to a window's verdict what its new causes say, where the author wants that.
    pub fn judge(&self, judged: &mut WindowJudged) {
        let reason = match &self.new {
            Ok(new) if new.is_empty() => return,
            Ok(new) => {
                judged.verdict = judged.verdict.worse(Verdict::Fail);
                judged.new_causes = new.iter().map(|one| one.fingerprint.clone()).collect();
                self.sentence(new)
            }
            Err(why) => {
                judged.verdict = judged.verdict.worse(Verdict::Undecided);
                format!("{UNTOLD}{why}")
            }
        };
        judged.reasons.push(reason);
    }

    /// What was said of a window's new causes when it was measured stands, whatever its numbers are judged by now.
    pub fn carry(old: &WindowJudged, now: &mut WindowJudged) {
        now.new_causes.clone_from(&old.new_causes);
        let own = |reason: &&String| [ONE, MANY, UNTOLD].iter().any(|words| reason.starts_with(words));
        for reason in old.reasons.iter().filter(own) {
            let verdict = if reason.starts_with(UNTOLD) { Verdict::Undecided } else { Verdict::Fail };
            now.verdict = now.verdict.worse(verdict);
            now.reasons.push(reason.clone());
        }
    }

    /// The new causes in a sentence; nothing where there are none.
    pub fn told(&self) -> Option<String> {
        match &self.new {
            Ok(new) if !new.is_empty() => Some(format!("`{}`: {}", self.window, self.sentence(new))),
            _ => None,
        }
    }

    fn sentence(&self, new: &[Arrival]) -> String {
        let named: Vec<&str> = new.iter().take(NAMED).map(|one| one.words.as_str()).collect();
        let more = new.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let what = if new.len() == 1 { ONE } else { MANY };
        format!("{what}{}{more}", named.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hitch_causes::{Confidence, Group, HitchCause, NamedCause};
    use crate::time::Span;
    use crate::window_causes::{ToldCauses, TracedIteration};

    /// A cause in so many late frames, and what each iteration that was traced has of it, µs.
    fn found(frames: u32, each: &[i64]) -> WindowCauses {
        let named = NamedCause {
            kind: "lock.monitor".to_owned(),
            group: Group::Waiting,
            title: "main waits".to_owned(),
            thread: "main".to_owned(),
            object: String::new(),
        };
        let cause = HitchCause {
            named,
            fingerprint: "f".to_owned(),
            us: 40_000,
            frames,
            usual_us: 0,
            detail: String::new(),
            method: String::new(),
            owner: None,
            confidence: Confidence::Sure,
        };
        let motion = Span::from_ms(1_000);
        let causes = vec![cause];
        let iteration = |(nth, us): (usize, &i64)| TracedIteration {
            trial: nth as u32,
            number: nth as u32 + 1,
            told: Ok(ToldCauses { motion, us: [("f".to_owned(), *us)].into(), cut: false }),
            trace: None,
        };
        WindowCauses {
            causes: Some(HitchCauses {
                causes,
                late_frames: 5,
                motion: Some(motion),
                ..HitchCauses::default()
            }),
            iterations: each.iter().enumerate().map(iteration).collect(),
            ..WindowCauses::default()
        }
    }

    #[test]
    fn one_late_frame_or_one_iteration_of_several_fails_no_build() {
        assert_eq!(arrival(&found(1, &[]), "f"), None);
        assert_eq!(arrival(&found(3, &[40_000, 0, 0]), "f"), None);
        let told = |of: WindowCauses| arrival(&of, "f").expect("enough").words;
        assert_eq!(
            told(found(2, &[])),
            "main waits (lock.monitor, 40.0 ms/s, 2 of 5 late frames; fingerprint f)"
        );
        assert!(
            told(found(3, &[20_000, 0, 20_000]))
                .contains("late frames, seen in 2 of 3 iterations; fingerprint")
        );
        // One iteration alone is as good as a diagnosis.
        assert!(arrival(&found(2, &[40_000]), "f").is_some());
    }

    fn judged(verdict: Verdict) -> WindowJudged {
        WindowJudged { verdict, ..crate::gate::judge_window(&[], &[]) }
    }

    #[test]
    fn what_cannot_be_told_is_undecided_and_what_was_said_stands_when_numbers_are_judged_again() {
        let window = "fling".to_owned();
        let new = |new| WindowArrivals { window: window.clone(), new };
        let after = |one: WindowArrivals, verdict| {
            let mut window = judged(verdict);
            one.judge(&mut window);
            window
        };
        let unknown = after(new(Err("it was not asked".to_owned())), Verdict::Pass);
        assert_eq!(unknown.verdict, Verdict::Undecided);
        assert!(unknown.reasons.last().is_some_and(|why| why.ends_with("cannot be told: it was not asked")));
        assert_eq!(after(new(Ok(Vec::new())), Verdict::Pass).verdict, Verdict::Pass);
        let arrived = arrival(&found(2, &[]), "f").expect("enough");
        let failed = after(new(Ok(vec![arrived])), Verdict::Undecided);
        assert_eq!((failed.verdict, failed.new_causes.as_slice()), (Verdict::Fail, &["f".to_owned()][..]));
        for (old, verdict) in [(&failed, Verdict::Fail), (&unknown, Verdict::Undecided)] {
            let mut again = judged(Verdict::Pass);
            WindowArrivals::carry(old, &mut again);
            assert_eq!((again.verdict, &again.new_causes), (verdict, &old.new_causes));
        }
    }
}
