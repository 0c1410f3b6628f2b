//! One line as it is read: numbered without holes, said again only in the same words, and by the highest attempt alone.
//!
//! Must not know: other lines, places, servers.

use crate::frames::{Batch, Entry, Floor};
use crate::spill::Aside;
use crate::spool::Spool;
use farmjank_results::fault::Fault;

/// What was read of a line.
#[derive(Clone, Debug)]
pub struct Numbered {
    attempt: u32,
    /// Hash of the history before each entry, and after the last.
    histories: Spool<u64>,
    over: bool,
}

/// Why a batch does not go on where the line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Entries before it were never seen.
    Hole,
    /// It says again what was said, in other words.
    Differs,
    /// Nobody can tell: what was put aside cannot be read back.
    Unread(Fault),
}

impl From<Fault> for Unfit {
    fn from(fault: Fault) -> Self {
        Unfit::Unread(fault)
    }
}

impl Numbered {
    /// Nothing yet.
    pub fn new(aside: Option<Aside>) -> Numbered {
        let mut histories = Spool::new(aside);
        histories.push(0);
        Numbered { attempt: 0, histories, over: false }
    }

    /// Number of the next entry.
    pub fn next(&self) -> u64 {
        self.histories.len() as u64 - 1
    }

    /// How far it is known.
    pub fn floor(&self) -> Floor {
        let history = self.history();
        Floor { attempt: self.attempt, next: self.next(), history, over: self.over }
    }

    /// Hash of everything so far.
    fn history(&self) -> u64 {
        self.histories.last().copied().unwrap_or_default()
    }

    /// Takes one entry as it is known to be.
    pub fn push(&mut self, attempt: u32, entry: &Entry) {
        let history = self.history();
        self.histories.push(entry.after(history));
        self.begun(attempt, false);
    }

    /// An attempt is known to have begun.
    pub fn begun(&mut self, attempt: u32, over: bool) {
        if attempt > self.attempt {
            (self.attempt, self.over) = (attempt, false);
        }
        self.over |= over && attempt == self.attempt;
    }

    /// Takes a batch; gives those of its entries that are new.
    ///
    /// # Errors
    /// It does not go on where the line is, or nobody can tell. Nothing was taken.
    pub fn take<'b>(&mut self, batch: &'b Batch) -> Result<&'b [Entry], Unfit> {
        if batch.attempt < self.attempt {
            return Ok(&[]);
        }
        let next = self.next();
        if batch.first > next {
            return Err(Unfit::Hole);
        }
        let known = usize::try_from(next - batch.first).unwrap_or(usize::MAX).min(batch.entries.len());
        let (old, new) = batch.entries.split_at(known);
        let (mut number, mut history, mut old) = (batch.first as usize, batch.history, old.iter());
        let end = number + known;
        while number <= end {
            // The first hash is that before the batch, the others are those after each old entry.
            for is in self.histories.from(number)?.iter().take(end + 1 - number) {
                if *is != history {
                    return Err(Unfit::Differs);
                }
                history = old.next().map_or(history, |entry| entry.after(history));
                number += 1;
            }
        }
        new.iter().for_each(|entry| self.push(batch.attempt, entry));
        // An attempt that begins anew is over only where it came as far as the one before.
        let whole = batch.first + batch.entries.len() as u64 == self.next();
        self.begun(batch.attempt, batch.over && whole);
        Ok(new)
    }

    /// Forgets what is beyond so many entries.
    ///
    /// # Errors
    /// What was put aside cannot be read back. Nothing was forgotten.
    pub fn cut(&mut self, next: u64) -> Result<(), Fault> {
        if next < self.next() {
            self.histories.cut(next as usize + 1)?;
            self.over = false;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::time::RunTime;

    fn entry(fact: &str) -> Entry {
        Entry { at: RunTime::from_ns(1), fact: fact.to_owned() }
    }

    /// After the letters of the alphabet.
    fn batch(attempt: u32, first: u64, facts: &[&str]) -> Batch {
        let before = ["a", "b", "c", "d"].into_iter().take(first as usize);
        let history = before.fold(0, |history, fact| entry(fact).after(history));
        Batch {
            attempt,
            first,
            history,
            entries: facts.iter().map(|fact| entry(fact)).collect(),
            over: false,
        }
    }

    #[test]
    fn what_was_read_is_passed_over_and_a_hole_is_none_of_it() {
        let mut line = Numbered::new(None);
        assert_eq!(line.take(&batch(1, 0, &["a", "b"])).expect("new").len(), 2);
        assert_eq!(line.take(&batch(1, 1, &["b", "c"])).expect("in part").len(), 1);
        assert_eq!(line.take(&batch(1, 0, &["a"])).expect("old").len(), 0);
        let before = line.floor();
        assert_eq!(line.take(&batch(1, 4, &["e"])), Err(Unfit::Hole));
        assert_eq!(line.take(&batch(1, 2, &["other", "d"])), Err(Unfit::Differs));
        let elsewhere = Batch { history: 7, ..batch(2, 3, &["d"]) };
        assert_eq!(
            line.take(&elsewhere),
            Err(Unfit::Differs),
            "it fits by its number, and comes after other words"
        );
        assert_eq!(line.floor(), before);
    }

    #[test]
    fn who_was_taken_over_from_is_no_longer_heard() {
        let mut line = Numbered::new(None);
        line.take(&batch(1, 0, &["a"])).expect("new");
        line.take(&batch(2, 1, &[])).expect("begins");
        assert_eq!(line.take(&batch(1, 1, &["zombie"])).expect("passed over").len(), 0);
        assert_eq!(line.take(&batch(2, 1, &["b"])).expect("new").len(), 1);
        assert_eq!((line.floor().attempt, line.next()), (2, 2));
    }

    #[test]
    fn an_attempt_that_begins_anew_must_say_the_same() {
        let mut line = Numbered::new(None);
        line.take(&Batch { over: true, ..batch(1, 0, &["a", "b", "c"]) }).expect("new");
        line.take(&Batch { over: true, ..batch(2, 0, &["a", "b"]) }).expect("as far as it goes");
        assert!(!line.floor().over, "the line goes on, for its attempt is not where the one before ended");
        assert_eq!(line.take(&batch(2, 2, &["x"])), Err(Unfit::Differs));
        assert_eq!(line.take(&batch(2, 2, &["c", "d"])).expect("goes on").len(), 1);
    }

    #[test]
    fn cutting_forgets_and_opens_again() {
        let mut line = Numbered::new(None);
        line.take(&Batch { over: true, ..batch(1, 0, &["a", "b"]) }).expect("new");
        let mut short = Numbered::new(None);
        short.take(&batch(1, 0, &["a"])).expect("new");
        line.cut(5).expect("in memory");
        assert!(line.floor().over);
        line.cut(1).expect("in memory");
        assert_eq!(line.floor(), short.floor());
    }
}
