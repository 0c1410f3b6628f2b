//! What is wrong with a phone's connection until somebody at the computer does something about it.

use crate::fault::{Kind, Remedy};
use std::cell::RefCell;

/// What is wrong, and what ends it.
#[derive(Default)]
pub(crate) struct Ailments(RefCell<Vec<(Remedy, Kind)>>);

impl Ailments {
    /// It is like this until then.
    pub(crate) fn ails(&self, until: Remedy, kind: Kind) {
        self.0.borrow_mut().push((until, kind));
    }

    /// What a remedy ends; a reboot ends all of them.
    pub(crate) fn ended_by(&self, remedy: Remedy) -> Vec<Kind> {
        let mut all = self.0.borrow_mut();
        let (ended, left) = all.drain(..).partition(|(until, _)| *until <= remedy);
        *all = left;
        ended.into_iter().map(|(_, kind)| kind).collect()
    }
}
