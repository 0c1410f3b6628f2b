//! One line as it is read: numbered without holes, said again only in the same words, and by the highest attempt alone.
//!
//! Must not know: other lines, places, servers.

use crate::frames::{Batch, Entry, Floor};

/// What was read of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    attempt: u32,
    /// Hash of the history before each entry, and after the last.
    histories: Vec<u64>,
    over: bool,
}

/// Why a batch does not go on where the line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Entries before it were never seen.
    Hole,
    /// It says again what was said, in other words.
    Differs,
}

impl Default for Numbered {
    fn default() -> Self {
        Numbered { attempt: 0, histories: vec![0], over: false }
    }
}

impl Numbered {
    /// Number of the next entry.
    pub fn next(&self) -> u64 {
        self.histories.len() as u64 - 1
    }

    /// How far it is known.
    pub fn floor(&self) -> Floor {
        let history = self.histories.last().copied().unwrap_or_default();
        Floor { attempt: self.attempt, next: self.next(), history, over: self.over }
    }

    /// Takes one entry as it is known to be.
    pub fn push(&mut self, attempt: u32, entry: &Entry) {
        let history = self.histories.last().copied().unwrap_or_default();
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
    /// It does not go on where the line is. Nothing was taken.
    pub fn take<'b>(&mut self, batch: &'b Batch) -> Result<&'b [Entry], Unfit> {
        if batch.attempt < self.attempt {
            return Ok(&[]);
        }
        let next = self.next();
        if batch.first > next {
            return Err(Unfit::Hole);
        }
        if batch.history != self.histories[batch.first as usize] {
            return Err(Unfit::Differs);
        }
        let known = usize::try_from(next - batch.first).unwrap_or(usize::MAX).min(batch.entries.len());
        let (old, new) = batch.entries.split_at(known);
        let known = self.histories[batch.first as usize..].windows(2);
        if old.iter().zip(known).any(|(entry, known)| entry.after(known[0]) != known[1]) {
            return Err(Unfit::Differs);
        }
        new.iter().for_each(|entry| self.push(batch.attempt, entry));
        // An attempt that begins anew is over only where it came as far as the one before.
        let whole = batch.first + batch.entries.len() as u64 == self.next();
        self.begun(batch.attempt, batch.over && whole);
        Ok(new)
    }

    /// Forgets what is beyond so many entries.
    pub fn cut(&mut self, next: u64) {
        if next < self.next() {
            self.histories.truncate(next as usize + 1);
            self.over = false;
        }
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
        let mut line = Numbered::default();
        assert_eq!(line.take(&batch(1, 0, &["a", "b"])).expect("new").len(), 2);
        assert_eq!(line.take(&batch(1, 1, &["b", "c"])).expect("in part").len(), 1);
        assert_eq!(line.take(&batch(1, 0, &["a"])).expect("old").len(), 0);
        let before = line.clone();
        assert_eq!(line.take(&batch(1, 4, &["e"])), Err(Unfit::Hole));
        assert_eq!(line.take(&batch(1, 2, &["other", "d"])), Err(Unfit::Differs));
        let elsewhere = Batch { history: 7, ..batch(2, 3, &["d"]) };
        assert_eq!(
            line.take(&elsewhere),
            Err(Unfit::Differs),
            "it fits by its number, and comes after other words"
        );
        assert_eq!(line, before);
    }

    #[test]
    fn who_was_taken_over_from_is_no_longer_heard() {
        let mut line = Numbered::default();
        line.take(&batch(1, 0, &["a"])).expect("new");
        line.take(&batch(2, 1, &[])).expect("begins");
        assert_eq!(line.take(&batch(1, 1, &["zombie"])).expect("passed over").len(), 0);
        assert_eq!(line.take(&batch(2, 1, &["b"])).expect("new").len(), 1);
        assert_eq!((line.floor().attempt, line.next()), (2, 2));
    }

    #[test]
    fn an_attempt_that_begins_anew_must_say_the_same() {
        let mut line = Numbered::default();
        line.take(&Batch { over: true, ..batch(1, 0, &["a", "b", "c"]) }).expect("new");
        line.take(&Batch { over: true, ..batch(2, 0, &["a", "b"]) }).expect("as far as it goes");
        assert!(!line.floor().over, "the line goes on, for its attempt is not where the one before ended");
        assert_eq!(line.take(&batch(2, 2, &["x"])), Err(Unfit::Differs));
        assert_eq!(line.take(&batch(2, 2, &["c", "d"])).expect("goes on").len(), 1);
    }

    #[test]
    fn cutting_forgets_and_opens_again() {
        let mut line = Numbered::default();
        line.take(&Batch { over: true, ..batch(1, 0, &["a", "b"]) }).expect("new");
        let mut short = Numbered::default();
        short.take(&batch(1, 0, &["a"])).expect("new");
        line.cut(5);
        assert!(line.floor().over);
        line.cut(1);
        assert_eq!(line.floor(), short.floor());
    }
}
