//! Why the frames of a window were late in a run: as one trial that was traced for it tells, or put together of all
//! trials that count, where those were traced themselves (docs/causes.md, "Traced while it counts").
//!
//! Only iterations that tell the whole are put together; of each of the others the reason is kept. Must not know
//! records, limits, nor how a cause is found.

mod merge;

use crate::hitch_causes::HitchCauses;
use crate::time::Span;
use crate::words::several;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the trace of a trial took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceSize {
    /// Its length on the phone, bytes.
    pub bytes: u64,
    /// How long it took to fetch, ns.
    pub fetching: Span,
}

/// Why the frames of a window were late.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowCauses {
    /// The trial that was traced for it; the last of them where they are put together.
    pub trial: u32,
    /// Window name.
    pub window: String,
    /// What was found; none where nothing can be said.
    pub causes: Option<HitchCauses>,
    /// Why nothing can be said.
    pub reason: Option<String>,
    /// What its trace took; none where none came, and where several are put together.
    pub trace: Option<TraceSize>,
    /// What is put together, in order; empty where it is of one trial.
    pub iterations: Vec<TracedIteration>,
}

/// An iteration that counts and was traced.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedIteration {
    /// Its trial.
    pub trial: u32,
    /// Its number, from 1.
    pub number: u32,
    /// What it tells, or why it tells nothing: it is void, events were lost, what is usual is not known.
    pub told: Result<ToldCauses, String>,
    /// What its trace took; none where none came.
    pub trace: Option<TraceSize>,
}

/// What one iteration tells of causes.
#[derive(Clone, Debug, PartialEq)]
pub struct ToldCauses {
    /// Motion it looked at.
    pub motion: Span,
    /// Time charged to each cause, µs, by fingerprint.
    pub us: BTreeMap<String, i64>,
    /// Causes are left out that are in no list.
    pub cut: bool,
}

impl ToldCauses {
    /// Time charged to a cause, µs; none where it may be there among those left out.
    pub fn of(&self, fingerprint: &str) -> Option<i64> {
        self.us.get(fingerprint).copied().or((!self.cut).then_some(0))
    }
}

/// What is put together: what was found in a trial, the number of the iteration it was, and why that is void.
pub(crate) struct Traced<'a> {
    pub number: u32,
    pub void: Option<&'a str>,
    pub found: &'a WindowCauses,
}

/// A window over the iterations that count, in order; none where none of them was traced. Of an iteration that was told
/// of twice the last holds.
pub(crate) fn over<'a>(window: &str, each: impl Iterator<Item = Traced<'a>>) -> Option<WindowCauses> {
    let each: BTreeMap<u32, Traced<'a>> = each.map(|one| (one.number, one)).collect();
    let (mut iterations, mut whole) = (Vec::new(), Vec::new());
    for Traced { number, void, found } in each.values() {
        let told = told(*void, found).map(|(causes, told)| {
            whole.push((*number, causes));
            told
        });
        iterations.push(TracedIteration { trial: found.trial, number: *number, told, trace: found.trace });
    }
    let (_, last) = each.last_key_value()?;
    let first = iterations
        .iter()
        .find_map(|one| Some(format!("iteration {}: {}", one.number, one.told.as_ref().err()?)));
    Some(WindowCauses {
        trial: last.found.trial,
        window: window.to_owned(),
        reason: first.filter(|_| whole.is_empty()),
        causes: (!whole.is_empty()).then(|| merge::merged(&whole)),
        trace: None,
        iterations,
    })
}

fn told<'a>(void: Option<&str>, found: &'a WindowCauses) -> Result<(&'a HitchCauses, ToldCauses), String> {
    if let Some(void) = void {
        return Err(format!("it is void: {void}"));
    }
    let no_reason = || "no reason is given".to_owned();
    let causes = found.causes.as_ref().ok_or_else(|| found.reason.clone().unwrap_or_else(no_reason))?;
    let motion = whole(causes).map_err(|why| why.to_string())?;
    let us = causes.causes.iter().map(|cause| (cause.fingerprint.clone(), cause.us)).collect();
    Ok((causes, ToldCauses { motion, us, cut: causes.smaller > 0 }))
}

/// Why what was found does not tell the whole.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotWhole(String);

/// The motion that was looked at, where what was found tells the whole: what it does not show is not there.
///
/// # Errors
/// Why it does not: events were lost, something keeps the answer from being whole, what is usual is not known, or
/// nothing moved.
pub(crate) fn whole(found: &HitchCauses) -> Result<Span, NotWhole> {
    let lost = found.frames.iter().find(|frame| frame.charged.is_none());
    if found.unknown_us > 0 || lost.is_some() {
        let why = lost.and_then(|frame| frame.reason.as_deref()).unwrap_or("no reason is given");
        return Err(NotWhole(format!("nothing can be said of some of its late frames: {why}")));
    }
    if let Some(doubt) = found.doubts.first() {
        return Err(NotWhole(format!("its diagnosis is not whole: {doubt}")));
    }
    if found.late_frames > 0 && !found.usual_known() {
        let in_time = several(found.in_time, "frame in time", "frames in time");
        let why = "to hold its late frames against: what is usual there cannot be told";
        return Err(NotWhole(format!("{in_time} {why}")));
    }
    let motion = found.motion.filter(|motion| motion.ns() > 0);
    motion.ok_or_else(|| NotWhole("nothing moved in its diagnosis".to_owned()))
}

impl WindowCauses {
    /// In how many iterations a cause was seen, and in how many it could have been told; none where it is of one trial.
    pub fn seen_in(&self, fingerprint: &str) -> Option<(usize, usize)> {
        let told = self.iterations.iter().filter_map(|one| one.told.as_ref().ok()?.of(fingerprint));
        let (seen, told) = told.fold((0, 0), |(seen, told), us| (seen + usize::from(us > 0), told + 1));
        (!self.iterations.is_empty()).then_some((seen, told))
    }

    /// Iterations that tell nothing, of all: each with its number and why.
    pub fn untold(&self) -> impl Iterator<Item = (u32, &str)> {
        self.iterations.iter().filter_map(|one| Some((one.number, one.told.as_ref().err()?.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hitch_causes::{Confidence, Group, HitchCause, NamedCause};

    fn found(us: &[(&str, i64)], unknown_us: i64) -> WindowCauses {
        let cause = |(name, us): &(&str, i64)| HitchCause {
            named: NamedCause {
                kind: "lock.monitor".to_owned(),
                group: Group::Waiting,
                title: (*name).to_owned(),
                thread: "main".to_owned(),
                object: (*name).to_owned(),
            },
            fingerprint: (*name).to_owned(),
            us: *us,
            frames: 2,
            usual_us: us / 10,
            detail: format!("{name} of {us}"),
            method: String::new(),
            owner: None,
            confidence: if *us > 500 { Confidence::Weak } else { Confidence::Sure },
        };
        let explained_us = us.iter().map(|(_, us)| us).sum();
        let causes = HitchCauses {
            hitch_us: explained_us + 7 + unknown_us,
            explained_us,
            unexplained_us: 7,
            unknown_us,
            late_frames: 3,
            in_time: 40,
            motion: Some(Span::from_ms(500)),
            causes: us.iter().map(cause).collect(),
            ..HitchCauses::default()
        };
        WindowCauses { trial: 4, causes: Some(causes), ..WindowCauses::default() }
    }

    fn together(each: &[(u32, Option<&'static str>, WindowCauses)]) -> WindowCauses {
        let each = each.iter().map(|(number, void, found)| Traced { number: *number, void: *void, found });
        over("fling", each).expect("some were traced")
    }

    #[test]
    fn what_iterations_tell_is_put_together_to_the_microsecond() {
        let all = together(&[
            (1, None, found(&[("db", 900), ("cache", 10)], 0)),
            (2, None, found(&[("cache", 300)], 0)),
            (3, None, found(&[("db", 400)], 5)),
            (4, Some("it was hot"), found(&[("db", 400)], 0)),
        ]);
        let causes = all.causes.as_ref().expect("two tell");
        assert_eq!((causes.hitch_us, causes.explained_us, causes.unexplained_us), (1_224, 1_210, 14));
        assert_eq!(causes.motion, Some(Span::from_ms(1_000)), "of the two that tell");
        let sums: Vec<_> =
            causes.causes.iter().map(|one| (one.fingerprint.as_str(), one.us, one.frames)).collect();
        assert_eq!(sums, [("db", 900, 2), ("cache", 310, 4)]);
        assert_eq!(causes.causes[1].detail, "cache of 300", "of the iteration it cost most");
        assert_eq!(causes.causes[0].confidence, Confidence::Weak);
        assert_eq!((all.seen_in("db"), all.seen_in("cache")), (Some((1, 2)), Some((2, 2))));
        let untold: Vec<_> = all.untold().map(|(number, _)| number).collect();
        assert_eq!(untold, [3, 4]);
        assert!(causes.doubts.is_empty());
    }

    #[test]
    fn where_no_iteration_tells_there_is_a_reason_and_nothing_else() {
        let none = WindowCauses { reason: Some("too old".to_owned()), ..WindowCauses::default() };
        let all = together(&[(1, None, none.clone()), (2, None, none)]);
        assert_eq!((all.causes.is_none(), all.reason.as_deref()), (true, Some("iteration 1: too old")));
        assert!(over("fling", std::iter::empty()).is_none());
    }

    #[test]
    fn a_cause_that_a_cut_list_may_hide_is_not_said_to_be_missing() {
        let mut cut = found(&[("cache", 10)], 0);
        cut.causes.iter_mut().for_each(|causes| causes.smaller = 1);
        let all = together(&[(1, None, found(&[("db", 9)], 0)), (2, None, cut)]);
        assert_eq!((all.seen_in("db"), all.seen_in("cache")), (Some((1, 1)), Some((1, 2))));
    }
}
