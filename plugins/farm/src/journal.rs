//! What a host says of a shift, kept until the other end has it. The store is believed for the moment only: after every
//! doubt it is looked at again, and what is missing there is said again. Pure: what was seen comes in, what to ask goes
//! out.
//!
//! An attempt is void once a higher one began, or once the run's conductor has in order what this attempt did not say:
//! then nothing more of it is written. Must not know: servers, facts, clocks.

use crate::frames::{Batch, Entry, Floor};
use crate::spill::Aside;
use crate::spool::Spool;
use farmjank_results::fault::Fault;
use farmjank_seams::exchange::Place;

/// What to ask next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Where the run's log is, and what stands on this line last.
    Look,
    /// What was said on this line by earlier attempts, from this number on.
    Adopt {
        /// The generation to read.
        generation: u32,
        /// Number of the first that is not known.
        from: u64,
    },
    /// To write this, if the line's last entry stands there.
    Append {
        /// The generation to write to.
        generation: u32,
        /// Where the line's last entry stands.
        after: Place,
        /// What.
        batch: Batch,
    },
    /// Nothing: all that was said is there.
    Nothing,
    /// Nothing any more: the attempt is void.
    Void,
}

/// What stands on the line last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Where.
    pub place: Place,
    /// In which attempt.
    pub attempt: u32,
    /// Number after its last entry.
    pub end: u64,
    /// Nothing more comes.
    pub over: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Belief {
    Unknown,
    Behind { generation: u32, from: u64 },
    Known(Known),
    Void,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    generation: u32,
    after: Place,
    next: u64,
    /// This attempt has begun there.
    begun: bool,
    over: bool,
}

/// What one attempt says.
#[derive(Clone, Debug)]
pub struct Journal {
    attempt: u32,
    /// All of the line, of earlier attempts as well.
    said: Spool<Entry>,
    /// Hash of the history before each entry, and after the last.
    histories: Spool<u64>,
    /// How many of them are of earlier attempts.
    adopted: usize,
    /// It says all from the beginning itself: a simulated shift, that is played again.
    anew: bool,
    over: bool,
    belief: Belief,
}

impl Journal {
    /// Of an attempt that goes on where earlier ones came to.
    pub fn goes_on(attempt: u32, aside: Option<Aside>) -> Journal {
        let (said, mut histories) = (Spool::new(aside.clone()), Spool::new(aside));
        histories.push(0);
        Journal { attempt, said, histories, adopted: 0, anew: false, over: false, belief: Belief::Unknown }
    }

    /// Of an attempt that says all of it again.
    pub fn anew(attempt: u32, aside: Option<Aside>) -> Journal {
        Journal { anew: true, ..Journal::goes_on(attempt, aside) }
    }

    /// Which attempt it is.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Everything said on the line.
    pub fn said(&self) -> &Spool<Entry> {
        &self.said
    }

    /// Something happened.
    pub fn say(&mut self, entry: Entry) {
        let history = self.histories.last().copied().unwrap_or_default();
        self.histories.push(entry.after(history));
        self.said.push(entry);
    }

    /// Nothing more happens.
    pub fn end(&mut self) {
        self.over = true;
    }

    /// Whether the attempt has begun on the line: nobody else's facts come in between any more. Who goes on where
    /// others came to says nothing before.
    pub fn has_begun(&self) -> bool {
        matches!(self.belief, Belief::Known(Known { begun: true, .. }))
    }

    /// Whether the attempt is void.
    pub fn is_void(&self) -> bool {
        self.belief == Belief::Void
    }

    /// What to ask now.
    ///
    /// # Errors
    /// What was put aside cannot be read back.
    pub fn ask(&self) -> Result<Ask, Fault> {
        let known = match self.belief {
            Belief::Unknown => return Ok(Ask::Look),
            Belief::Void => return Ok(Ask::Void),
            Belief::Behind { generation, from } => return Ok(Ask::Adopt { generation, from }),
            Belief::Known(known) => known,
        };
        let next = (known.next as usize).min(self.said.len());
        if known.begun && next == self.said.len() && known.over == self.over {
            return Ok(Ask::Nothing);
        }
        let entries = if known.begun { self.said.together(next)? } else { Vec::new() };
        let over = self.over && next + entries.len() == self.said.len();
        let history = self.histories.get(next)?.unwrap_or_default();
        let batch = Batch { attempt: self.attempt, first: known.next, history, entries, over };
        Ok(Ask::Append { generation: known.generation, after: known.after, batch })
    }

    /// Something may be otherwise than believed: an answer did not come, or time went by.
    pub fn doubt(&mut self) {
        if self.belief != Belief::Void {
            self.belief = Belief::Unknown;
        }
    }

    /// What stands there: how far the run's conductor has the line in order, and its last entry.
    ///
    /// # Errors
    /// What was put aside cannot be read back: nothing more is believed than before.
    pub fn looked(&mut self, generation: u32, floor: &Floor, tail: Option<Tail>) -> Result<(), Fault> {
        let higher = tail.map_or(0, |tail| tail.attempt).max(floor.attempt);
        if higher > self.attempt {
            self.belief = Belief::Void;
            return Ok(());
        }
        let ours = tail.filter(|tail| tail.attempt == self.attempt);
        let after = tail.map_or(Place(0), |tail| tail.place);
        let end = tail.map_or(0, |tail| tail.end).max(floor.next);
        let next = match ours {
            Some(tail) => tail.end.max(floor.next),
            None if self.anew => floor.next,
            None => end,
        };
        let known = self.said.len() as u64;
        let differs = floor.next <= known && self.histories.get(floor.next as usize)? != Some(floor.history);
        self.belief = if differs {
            Belief::Void
        } else if next <= known {
            let over = ours.is_some_and(|tail| tail.over) || (floor.over && floor.attempt == self.attempt);
            let begun = ours.is_some();
            Belief::Known(Known { generation, after, next, begun: begun || over, over })
        } else if self.anew {
            // It will say them itself; until then there is nothing to say.
            Belief::Unknown
        } else if self.adopted < self.said.len() {
            Belief::Void
        } else {
            Belief::Behind { generation, from: known }
        };
        Ok(())
    }

    /// Some of what earlier attempts said on the line, in order; it is in doubt whether that is all.
    pub fn adopt(&mut self, entries: impl IntoIterator<Item = Entry>) {
        if self.adopted == self.said.len() {
            entries.into_iter().for_each(|entry| self.say(entry));
            self.adopted = self.said.len();
        }
        self.doubt();
    }

    /// It was written, and stands there.
    pub fn appended(&mut self, place: Place, batch: &Batch) {
        if let Belief::Known(known) = &mut self.belief {
            let next = batch.first + batch.entries.len() as u64;
            *known = Known { after: place, next, begun: true, over: batch.over, ..*known };
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

    fn append(journal: &Journal) -> (Place, Batch) {
        match journal.ask().expect("in memory") {
            Ask::Append { after, batch, .. } => (after, batch),
            other => panic!("{other:?}"),
        }
    }

    fn begun() -> Journal {
        let mut journal = Journal::goes_on(1, None);
        assert_eq!(journal.ask(), Ok(Ask::Look));
        journal.looked(1, &Floor::default(), None).expect("in memory");
        let (after, batch) = append(&journal);
        assert_eq!(
            (after, batch.entries.len(), batch.attempt),
            (Place(0), 0, 1),
            "it begins with nothing else"
        );
        journal.appended(Place(4), &batch);
        assert_eq!(journal.ask(), Ok(Ask::Nothing));
        journal
    }

    #[test]
    fn what_was_written_though_no_answer_came_is_not_written_twice() {
        let mut journal = begun();
        journal.say(entry("a"));
        let (after, _) = append(&journal);
        assert_eq!(after, Place(4));
        journal.doubt();
        journal
            .looked(1, &Floor::default(), Some(Tail { place: Place(9), attempt: 1, end: 1, over: false }))
            .expect("in memory");
        assert_eq!(journal.ask(), Ok(Ask::Nothing));
        journal.say(entry("b"));
        journal.end();
        let (after, batch) = append(&journal);
        assert_eq!((after, batch.first, batch.over), (Place(9), 1, true));
    }

    #[test]
    fn what_a_store_lost_is_said_again() {
        let mut journal = begun();
        ["a", "b"].into_iter().for_each(|fact| journal.say(entry(fact)));
        let (_, batch) = append(&journal);
        journal.appended(Place(5), &batch);
        journal.doubt();
        journal.looked(1, &Floor::default(), None).expect("in memory");
        let (_, again) = append(&journal);
        assert!(again.entries.is_empty() && again.first == 0, "it begins again");
        journal.appended(Place(1), &again);
        assert_eq!(append(&journal).1.entries, batch.entries);
    }

    #[test]
    fn who_was_taken_over_from_writes_nothing_more() {
        let mut journal = begun();
        journal.say(entry("a"));
        journal.doubt();
        journal
            .looked(1, &Floor::default(), Some(Tail { place: Place(9), attempt: 2, end: 0, over: false }))
            .expect("in memory");
        assert!(journal.is_void() && journal.ask() == Ok(Ask::Void));
        journal.doubt();
        assert!(journal.is_void());
    }

    #[test]
    fn who_takes_over_learns_what_was_said_before_it_begins() {
        let mut journal = Journal::goes_on(2, None);
        let tail = Some(Tail { place: Place(9), attempt: 1, end: 2, over: false });
        journal.looked(1, &Floor::default(), tail).expect("in memory");
        assert_eq!(journal.ask(), Ok(Ask::Adopt { generation: 1, from: 0 }));
        journal.adopt(vec![entry("a"), entry("b")]);
        journal.looked(1, &Floor::default(), tail).expect("in memory");
        let (after, batch) = append(&journal);
        assert_eq!((after, batch.first, batch.attempt), (Place(9), 2, 2));
        assert!(!journal.has_begun());
    }

    #[test]
    fn an_attempt_that_knows_less_than_the_conductor_is_void_once_it_said_something() {
        let mut other = Journal::goes_on(1, None);
        ["a", "x"].into_iter().for_each(|fact| other.say(entry(fact)));
        let floor = Floor {
            attempt: 1,
            next: 2,
            history: other.histories.get(2).expect("in memory").expect("there"),
            over: false,
        };
        for own in [vec!["a", "b"], vec!["a"]] {
            let mut journal = begun();
            own.into_iter().for_each(|fact| journal.say(entry(fact)));
            journal.doubt();
            journal.looked(2, &floor, None).expect("in memory");
            assert!(journal.is_void());
        }
        let mut fresh = Journal::goes_on(2, None);
        fresh.looked(2, &floor, None).expect("in memory");
        assert_eq!(fresh.ask(), Ok(Ask::Adopt { generation: 2, from: 0 }));
    }

    #[test]
    fn a_simulated_shift_that_is_played_again_says_all_of_it() {
        let mut journal = Journal::anew(2, None);
        let tail = Some(Tail { place: Place(9), attempt: 1, end: 2, over: false });
        journal.looked(1, &Floor::default(), tail).expect("in memory");
        let (after, batch) = append(&journal);
        assert_eq!((after, batch.first), (Place(9), 0));
        let floor = Floor { attempt: 1, next: 1, history: entry("a").after(0), over: false };
        journal.looked(2, &floor, None).expect("in memory");
        assert_eq!(journal.ask(), Ok(Ask::Look), "it did not come as far as the conductor yet");
        journal.say(entry("a"));
        journal.looked(2, &floor, None).expect("in memory");
        assert_eq!(append(&journal).1.first, 1);
    }
}
