//! Which answers about phones are due in one conversation, and which came. Knows no time.

use crate::lending::message::{Answer, Wish};
use crate::misdeed::Misdeed;
use farmjank_results::device::DeviceId;
use std::collections::BTreeMap;

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked {
    List,
    Take,
    Return,
}

/// What is asked of one plugin about phones.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    next: u64,
    due: BTreeMap<u64, Asked>,
    /// Those of `due` nobody waits for any more.
    given_up: BTreeMap<u64, DeviceId>,
    came: BTreeMap<u64, Answer>,
    /// Phones that are not ours any more, and why.
    lost: Vec<(DeviceId, String)>,
    /// Phones that became ours when nobody waited for them any more.
    late: Vec<DeviceId>,
}

impl Ledger {
    /// Something is asked; `wish` makes it of its id.
    pub fn ask(&mut self, wish: impl FnOnce(u64) -> Wish) -> Wish {
        let wish = wish(self.next);
        let asked = match &wish {
            Wish::ListPhones { .. } => Asked::List,
            Wish::TakePhone { .. } => Asked::Take,
            Wish::ReturnPhone { .. } => Asked::Return,
        };
        self.due.insert(self.next, asked);
        self.next += 1;
        wish
    }

    /// An answer came.
    ///
    /// # Errors
    /// Nobody asked for it.
    pub fn hear(&mut self, answer: Answer) -> Result<(), Misdeed> {
        let id = match &answer {
            Answer::Lost(phone, why) => {
                self.lost.push((phone.clone(), why.clone()));
                return Ok(());
            }
            Answer::Phones(id, _) | Answer::Taken(id, _) | Answer::NotTaken(id, _) | Answer::Returned(id) => {
                *id
            }
        };
        let fits = matches!(
            (self.due.get(&id), &answer),
            (Some(Asked::List), Answer::Phones(..))
                | (Some(Asked::Take), Answer::Taken(..) | Answer::NotTaken(..))
                | (Some(Asked::Return), Answer::Returned(_))
        );
        if !fits {
            let word = answer.word();
            return Err(Misdeed::NoMessage(format!(
                "`{word}` as the answer to {id}, which does not ask for that"
            )));
        }
        self.due.remove(&id);
        match (self.given_up.remove(&id), &answer) {
            (Some(phone), Answer::Taken(..)) => self.late.push(phone),
            (Some(_), _) => {}
            (None, _) => drop(self.came.insert(id, answer)),
        }
        Ok(())
    }

    /// Whether the answer came.
    pub fn has(&self, id: u64) -> bool {
        self.came.contains_key(&id)
    }

    /// The answer, once.
    pub fn answer(&mut self, id: u64) -> Option<Answer> {
        self.came.remove(&id)
    }

    /// Nobody waits for it any more. A phone that is ours nevertheless is to be returned.
    pub fn give_up(&mut self, id: u64, phone: &DeviceId) {
        match self.came.remove(&id) {
            Some(Answer::Taken(..)) => self.late.push(phone.clone()),
            Some(_) => {}
            None => drop(self.given_up.insert(id, phone.clone())),
        }
    }

    /// Phones that are not ours any more, since this was asked last.
    pub fn lost(&mut self) -> Vec<(DeviceId, String)> {
        std::mem::take(&mut self.lost)
    }

    /// Phones that became ours too late.
    pub fn late(&mut self) -> Vec<DeviceId> {
        std::mem::take(&mut self.late)
    }

    /// Whether an answer is waited for.
    pub fn is_due(&self) -> bool {
        !self.due.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(ledger: &mut Ledger, phone: &str) -> u64 {
        ledger.ask(|id| Wish::TakePhone { id, phone: DeviceId(phone.to_owned()) }).id()
    }

    #[test]
    fn an_answer_belongs_to_what_was_asked_and_comes_once() {
        let mut ledger = Ledger::default();
        let (list, a) = (ledger.ask(|id| Wish::ListPhones { id }).id(), take(&mut ledger, "a"));
        let odd = ledger.hear(Answer::Returned(a)).unwrap_err().to_string();
        assert!(odd.ends_with("`returned` as the answer to 1, which does not ask for that"), "{odd}");
        assert_eq!(ledger.hear(Answer::Taken(a, None)), Ok(()));
        assert_eq!((ledger.has(a), ledger.answer(a)), (true, Some(Answer::Taken(a, None))));
        assert!(ledger.hear(Answer::Taken(a, None)).is_err(), "a second answer");
        assert!(ledger.is_due());
        assert_eq!(ledger.hear(Answer::Phones(list, Vec::new())), Ok(()));
        assert!(!ledger.is_due());
    }

    #[test]
    fn a_phone_that_is_ours_too_late_is_told_whenever_its_answer_came() {
        let mut ledger = Ledger::default();
        let (early, late, none) =
            (take(&mut ledger, "early"), take(&mut ledger, "late"), take(&mut ledger, "none"));
        ledger.hear(Answer::Taken(early, None)).unwrap();
        for (id, phone) in [(early, "early"), (late, "late"), (none, "none")] {
            ledger.give_up(id, &DeviceId(phone.to_owned()));
        }
        ledger.hear(Answer::Taken(late, None)).unwrap();
        assert_eq!(ledger.late().iter().map(|id| id.0.as_str()).collect::<Vec<_>>(), ["early", "late"]);
        assert!(ledger.late().is_empty() && ledger.is_due());
    }
}
