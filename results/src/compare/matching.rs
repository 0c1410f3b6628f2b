//! Which old sessions new ones may be held against: those of the same cell, and in words why the others are not.

use super::by_cell::ByCell;
use super::compared::Design;
use super::phones::Nights;
use super::rules::Given;
use crate::cell::{CellKey, CellSession};
use crate::gate::VOID_SHARE_MAX;
use crate::words::several;
use farmjank_statistics::state::MINIMUM;
use std::collections::{BTreeMap, BTreeSet};

/// Both sides of one comparison.
pub(super) struct Matched<'s> {
    /// Old sessions; empty without a baseline.
    pub base: Vec<&'s CellSession>,
    /// New sessions.
    pub new: Vec<&'s CellSession>,
    /// What may be concluded from them; none without a baseline.
    pub design: Option<Design>,
    /// Levels of further sessions that tell only how much sessions differ.
    pub beside: Vec<f64>,
    /// Of several phones of one model against a stored baseline: what they have in common in each night, old and new.
    pub nights: Option<Nights>,
    /// Why there is no baseline, or what to know about the one there is; in words.
    pub reasons: Vec<String>,
}

/// Finds the old sessions of the cell of new ones, which all have one key.
pub(super) fn matched<'s>(new: Vec<&'s CellSession>, base: &ByCell<'s>, given: Given) -> Matched<'s> {
    let nothing = |base, new| {
        let (beside, reasons) = (Vec::new(), Vec::new());
        Matched { base, new, design: None, beside, nights: None, reasons }
    };
    let Some(key) = new.first().map(|session| &session.key) else { return nothing(Vec::new(), new) };
    // Of two builds in turn the blocks are one session: they stand and fall together.
    let (same, void): (Vec<&CellSession>, Vec<&CellSession>) =
        base.of_cell(key).iter().partition(|session| given == Given::Interleaved || is_sound(session));
    let mut found = nothing(same, new);
    if let Some(cause) = void.iter().find_map(|session| session.void.first()) {
        let count = several(void.len(), "old session", "old sessions");
        found.reasons.push(format!("{count} left out as void ({cause})"));
    }
    match given {
        Given::Run => found.stored(base),
        Given::Runs => found.runs(base),
        Given::Sets => found.sets(base),
        Given::Plain => found.plain(base),
        Given::Interleaved => found.interleaved(),
    }
    found
}

impl<'s> Matched<'s> {
    /// Two runs: a phone against itself where the old run has it, else against its model's others.
    fn runs(&mut self, base: &ByCell<'s>) {
        let is_own = |session: &&CellSession| self.new.iter().any(|new| new.device == session.device);
        let own: Vec<&CellSession> = self.base.iter().copied().filter(is_own).collect();
        let others = own.is_empty();
        self.base = if others { std::mem::take(&mut self.base) } else { own };
        if self.base.is_empty() {
            return self.stored(base);
        }
        // Of several phones one: all of them had the same night, so they do not tell how nights differ.
        let newest = self.base.iter().copied().max_by(|a, b| (&a.wall, &a.run).cmp(&(&b.wall, &b.run)));
        self.base = newest.into_iter().collect();
        if others {
            self.reasons.push("the old run has another phone of this model".to_owned());
        }
        self.one_against_one();
    }

    /// Two sets of sessions: enough old ones, or one against one.
    fn sets(&mut self, base: &ByCell<'s>) {
        if (self.base.len(), self.new.len()) == (1, 1) { self.one_against_one() } else { self.stored(base) }
    }

    /// Plain numbers: sides that name their sessions alike were measured in the same sessions.
    fn plain(&mut self, base: &ByCell<'s>) {
        let names =
            |side: &[&'s CellSession]| side.iter().map(|session| &session.run).collect::<BTreeSet<_>>();
        let (old, new) = (names(&self.base), names(&self.new));
        let both: BTreeSet<&String> = old.intersection(&new).copied().collect();
        if both.is_empty() {
            return self.sets(base);
        }
        let alone = old.len() + new.len() - 2 * both.len();
        self.base.retain(|session| both.contains(&session.run));
        self.new.retain(|session| both.contains(&session.run));
        if alone > 0 {
            let count = several(alone, "session of one side only is", "sessions of one side only are");
            self.reasons.push(format!("{count} left out"));
        }
        self.design = Some(Design::Blocks);
    }

    /// Two builds in turn: a phone against itself, block by block.
    fn interleaved(&mut self) {
        self.base.retain(|session| self.new.iter().any(|new| new.device == session.device));
        self.design = (!self.base.is_empty()).then_some(Design::Blocks);
        if self.design.is_none() {
            self.reasons.push("nothing was measured of the old build".to_owned());
        }
    }

    fn one_against_one(&mut self) {
        self.design = Some(Design::OneAgainstOne);
    }

    /// A stored baseline: enough sessions, or none.
    fn stored(&mut self, base: &ByCell<'s>) {
        if self.base.len() >= MINIMUM {
            self.design = Some(Design::Stored);
            return;
        }
        let key = &self.new[0].key;
        let why = match (self.base.len(), differences(key, base)) {
            (0, None) if key.model.is_empty() => "it has no session to compare with".to_owned(),
            (0, None) => format!("it has nothing of this window on a {}", key.model),
            (0, Some(differs)) => differs,
            (count, None) => format!("{count} of {MINIMUM} sessions"),
            (count, Some(differs)) => format!("{differs}; {count} of {MINIMUM} sessions are left"),
        };
        self.reasons.insert(0, why);
        self.base.clear();
    }
}

/// Several phones of one model as one cell: what they agree on, night by night against a stored baseline, block by
/// block of each phone where builds took turns. None where that cannot be weighed: each phone decides alone.
pub(super) fn matched_together<'s>(
    new: Vec<&'s CellSession>,
    base: &ByCell<'s>,
    given: Given,
) -> Option<Matched<'s>> {
    let mut found = matched(new, base, given);
    match found.design? {
        Design::Stored => {
            found.nights = Some(Nights::of(&found.base, &found.new)?);
            let shared = |one: &&CellSession, others: &[&CellSession]| {
                others.iter().any(|other| other.device == one.device)
            };
            let (base, new) = (found.base.clone(), found.new.clone());
            found.base.retain(|one| shared(one, &new));
            found.new.retain(|one| shared(one, &base));
        }
        Design::OneAgainstOne => return None,
        Design::Blocks => {}
    }
    Some(found)
}

/// What stands between a cell and the sessions that are nearly of it: `OS build differs in 4 of 5 sessions`.
fn differences(key: &CellKey, base: &ByCell<'_>) -> Option<String> {
    let all = base.nearly(key);
    let mut counts: BTreeMap<Vec<&'static str>, usize> = BTreeMap::new();
    for session in all.iter().filter(|session| session.key != *key) {
        *counts.entry(key.differs(&session.key)).or_default() += 1;
    }
    let most = |(fields, count): &(Vec<&str>, usize)| (*count, usize::MAX - fields.len());
    let (fields, count) = counts.into_iter().max_by_key(most)?;
    let verb = if fields.len() == 1 { "differs" } else { "differ" };
    Some(format!(
        "{} {verb} in {count} of {}",
        fields.join(" and "),
        several(all.len(), "session", "sessions")
    ))
}

/// No more than a fifth of it is void, and something is left.
pub(crate) fn is_sound(session: &CellSession) -> bool {
    !session.values.is_empty() && void_share(&[session]) <= VOID_SHARE_MAX
}

/// Share of the iterations that are void, 0..=1; 0 of none.
pub(super) fn void_share(sessions: &[&CellSession]) -> f64 {
    let void: usize = sessions.iter().map(|session| session.void.len()).sum();
    let values: usize = sessions.iter().map(|session| session.values.len()).sum();
    void as f64 / (values + void).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::samples::session;
    use super::*;

    fn reasons(new: &CellSession, base: &[CellSession], given: Given) -> (Option<Design>, usize, String) {
        let found = matched(vec![new], &ByCell::of(base), given);
        (found.design, found.base.len(), found.reasons.join("; "))
    }

    #[test]
    fn what_changed_is_named_with_how_often() {
        let new = session("new", "A", &[1.0; 5]);
        let mut old: Vec<CellSession> = (0..5).map(|n| session(&format!("old{n}"), "A", &[1.0; 5])).collect();
        assert_eq!(reasons(&new, &old, Given::Run), (Some(Design::Stored), 5, String::new()));
        for session in old.iter_mut().take(4) {
            session.key.build = "another".to_owned();
        }
        let told = "OS build differs in 4 of 5 sessions; 1 of 5 sessions are left";
        assert_eq!(reasons(&new, &old, Given::Run), (None, 0, told.to_owned()));
        old[4].key.build = "another".to_owned();
        assert_eq!(reasons(&new, &old, Given::Run).2, "OS build differs in 5 of 5 sessions");
        old.iter_mut().for_each(|session| session.key.window = "other".to_owned());
        assert_eq!(reasons(&new, &old, Given::Run).2, "it has nothing of this window on a Pixel 7");
    }

    #[test]
    fn two_runs_put_a_phone_against_itself() {
        let new = session("new", "A", &[1.0; 5]);
        let old = [session("old", "B", &[1.0; 5]), session("old", "A", &[2.0; 5])];
        let found = matched(vec![&new], &ByCell::of(&old), Given::Runs);
        assert_eq!((found.design, found.base), (Some(Design::OneAgainstOne), vec![&old[1]]));
        let (design, count, words) = reasons(&new, &old[..1], Given::Runs);
        assert_eq!((design, count), (Some(Design::OneAgainstOne), 1));
        assert!(words.contains("another phone"), "{words}");
    }

    #[test]
    fn sessions_of_one_name_are_one_block_and_void_ones_are_left_out() {
        let (old, new) = (session("s1", "", &[1.0; 5]), session("s1", "", &[2.0; 5]));
        assert_eq!(reasons(&new, std::slice::from_ref(&old), Given::Plain).0, Some(Design::Blocks));
        let other = session("s2", "", &[2.0; 5]);
        assert_eq!(reasons(&other, std::slice::from_ref(&old), Given::Plain).0, Some(Design::OneAgainstOne));
        let mut void = old;
        void.void = vec!["iteration 1: heat".to_owned(); 2];
        let (design, _, words) = reasons(&new, &[void], Given::Plain);
        assert!(
            design.is_none() && words.contains("1 old session left out as void (iteration 1: heat)"),
            "{words}"
        );
    }
}
