//! The causes of two runs, held against each other: window by window, phones of one class together.
//!
//! A cause is new or gone only where the other run would have shown it: where every phone that has it and is in that
//! run, too, was diagnosed there. Phones of a class that are in one run alone are spoken for by the others.

use super::diagnosis::{Spot, WindowDiagnosis};
use super::side::{PhonesAsked, Side};
use super::{Amount, LEAST, State};
use crate::device::DeviceId;
use crate::hitch_causes::NamedCause;
use std::collections::BTreeMap;

/// What does not keep causes from being held against each other: a new build of the system is worth a note.
const NOTED: &str = "OS build";

/// One cause in two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct CauseChange {
    /// Its fingerprint.
    pub fingerprint: String,
    /// What it is, as the newer run that has it says.
    pub named: NamedCause,
    /// How much of it there was, which may be nothing; none where that is not known.
    pub before: Option<Amount>,
    /// How much of it there is, which may be nothing; none where that is not known.
    pub after: Option<Amount>,
    /// Phones on which it is there: of the new run, or of the old one where it is on none of the new one.
    pub devices: Vec<DeviceId>,
    /// What became of it, or why that cannot be told.
    pub state: Result<State, String>,
    /// Of a new one and of one that is gone: how probable it is that the other run missed it by chance, 0..=1.
    pub chance: Option<f64>,
}

impl CauseChange {
    /// It costs [`LEAST`] or more in one of them: what is less is in every app, and worth no word.
    pub fn matters(&self) -> bool {
        [self.before, self.after].iter().flatten().any(Amount::is_there)
    }
}

/// A window on the phones of a class in two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowChange {
    /// The window and the class.
    pub spot: Spot,
    /// Its phones in the old run.
    pub before: PhonesAsked,
    /// Its phones in the new run.
    pub after: PhonesAsked,
    /// What the two differ in, and are held against each other all the same.
    pub notes: Vec<String>,
    /// Its causes, those that cost most in either run first; or why they cannot be held against each other.
    pub causes: Result<Vec<CauseChange>, String>,
}

/// Every window that was asked about in one of two runs, in order of scenario, window and class; and how many were
/// asked about in neither.
pub fn between(before: &[WindowDiagnosis], after: &[WindowDiagnosis]) -> (Vec<WindowChange>, usize) {
    let mut spots: BTreeMap<&Spot, [Vec<&WindowDiagnosis>; 2]> = BTreeMap::new();
    for (nth, side) in [before, after].into_iter().enumerate() {
        side.iter().for_each(|one| spots.entry(&one.spot).or_default()[nth].push(one));
    }
    let all = spots.len();
    let asked = spots.into_iter().filter(|(_, sides)| sides.iter().flatten().any(|one| one.asked));
    let changes: Vec<WindowChange> =
        asked.map(|(spot, [before, after])| window(spot, &before, &after)).collect();
    let not_asked = all - changes.len();
    (changes, not_asked)
}

fn window(spot: &Spot, before: &[&WindowDiagnosis], after: &[&WindowDiagnosis]) -> WindowChange {
    let mut notes = Vec::new();
    let (old, new) = (Side::of(before), Side::of(after));
    let told = comparable(&old, &new, &mut notes).map(|()| {
        let mut prints: Vec<(&str, &NamedCause)> = Vec::new();
        for cause in new.causes().chain(old.causes()) {
            if !prints.iter().any(|(print, _)| *print == cause.0) {
                prints.push(cause);
            }
        }
        let mut all: Vec<CauseChange> =
            prints.into_iter().map(|(print, named)| change(print, named, &old, &new)).collect();
        let most = |one: &CauseChange| {
            let rates = [one.before, one.after].map(|side| side.map_or(0.0, |side| side.ms_per_s()));
            rates[0].max(rates[1])
        };
        all.sort_by(|one, other| most(other).total_cmp(&most(one)));
        all
    });
    WindowChange { spot: spot.clone(), before: old.asked(), after: new.asked(), notes, causes: told }
}

const OLD: &str = "the old run";
const NEW: &str = "the new run";

/// Whether both sides answer one question; what is worth a note is noted.
fn comparable(old: &Side<'_>, new: &Side<'_>, notes: &mut Vec<String>) -> Result<(), String> {
    for (side, whose) in [(old, OLD), (new, NEW)] {
        if side.told.is_empty() {
            return Err(match side.blind.first() {
                None => format!("{whose} has no such window on these phones"),
                Some((_, why)) => format!("{whose} tells nothing of it: {why}"),
            });
        }
    }
    let mut stacks = old.told.iter().chain(&new.told).map(|(_, seen)| seen.methods);
    let first = stacks.next();
    if stacks.any(|one| Some(one) != first) {
        return Err(
            "some of its diagnoses name methods by call stacks and some do not: the same code and waits are \
                    called differently in them"
                .to_owned(),
        );
    }
    for (one, _) in old.told.iter().chain(&new.told) {
        let differs = one.under.differs(&new.told[0].0.under);
        if let Some(what) = differs.iter().find(|what| **what != NOTED) {
            return Err(format!("its diagnoses answer different questions: {what} differs"));
        }
        if !differs.is_empty() && notes.is_empty() {
            notes.push(format!("{NOTED} differs"));
        }
    }
    Ok(())
}

fn change(print: &str, named: &NamedCause, old: &Side<'_>, new: &Side<'_>) -> CauseChange {
    let (before, after) = (old.amount(print), new.amount(print));
    let (was_on, is_on) = (old.on(print), new.on(print));
    let (mut chance, mut sides) = (None, (Some(before), Some(after)));
    let state = if after.is_there() && before.is_absent(&after) {
        let hidden = old.may_have(print, &is_on, OLD);
        (chance, sides.0) = (Some(after.missed_by_chance(&before)), hidden.is_none().then_some(before));
        hidden.map_or(Ok(State::New), Err)
    } else if before.is_there() && after.is_absent(&before) {
        let hidden = new.may_have(print, &was_on, NEW);
        (chance, sides.1) = (Some(before.missed_by_chance(&after)), hidden.is_none().then_some(after));
        hidden.map_or(Ok(State::Gone), Err)
    } else if before.is_there() || after.is_there() {
        Ok(after.since(&before))
    } else {
        Err(format!("it costs less than {LEAST} ms/s in both"))
    };
    let on = if is_on.is_empty() { was_on } else { is_on };
    CauseChange {
        fingerprint: print.to_owned(),
        named: named.clone(),
        before: sides.0,
        after: sides.1,
        devices: on.into_iter().cloned().collect(),
        chance: chance.filter(|_| state.is_ok()),
        state,
    }
}

#[cfg(test)]
mod tests;
