//! One order of what many hosts say. The same for every reader at any time, and decided by our own numbers: places of
//! the store only say what came first.
//!
//! With real phones the order is that of the store, and its clock is the one clock of all hosts. Simulated phones have
//! clocks that jump: theirs is the order of (time, line), so a line is held back until no other can say anything
//! earlier. Must not know: servers, what facts mean.

use crate::frames::{Batch, Copied, Entry, Floor, Ordered};
use crate::numbered::{Numbered, Unfit};
use crate::spill::Aside;
use crate::spool::Spool;
use farmjank_results::fault::Fault;
use farmjank_results::time::{RunTime, Span};
use std::collections::{BTreeMap, VecDeque};

/// Whose time orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// That of the store: real phones.
    Arrival,
    /// That of each line: simulated phones.
    Time,
}

#[derive(Clone, Debug)]
struct Line {
    numbered: Numbered,
    /// Read, and not in order yet.
    heads: VecDeque<(u32, Entry)>,
    /// Of its entries in order, as its host said them.
    out: Numbered,
}

impl Line {
    fn new(aside: &Option<Aside>) -> Line {
        let numbered = || Numbered::new(aside.clone());
        Line { numbered: numbered(), heads: VecDeque::new(), out: numbered() }
    }
}

/// The order so far. Kept whole, because a store may forget it.
#[derive(Clone, Debug)]
pub struct Order {
    policy: Policy,
    lines: BTreeMap<String, Line>,
    ordered: Spool<Ordered>,
    aside: Option<Aside>,
    /// What the store's clock said when this generation began, and where the run was.
    began: Option<(u64, RunTime)>,
}

impl Order {
    /// Nothing yet.
    pub fn new(policy: Policy, aside: Option<Aside>) -> Order {
        Order { policy, lines: BTreeMap::new(), ordered: Spool::new(aside.clone()), aside, began: None }
    }

    /// Whether all was read that opens the generation.
    pub fn has_begun(&self) -> bool {
        self.began.is_some()
    }

    /// Everything in order.
    pub fn ordered(&self) -> &Spool<Ordered> {
        &self.ordered
    }

    /// The lines of the run.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.keys().map(String::as_str)
    }

    /// Whether a line belongs to the run.
    pub fn has(&self, line: &str) -> bool {
        self.lines.contains_key(line)
    }

    /// A line is expected to say something.
    pub fn expect(&mut self, line: &str) {
        self.line(line);
    }

    fn line(&mut self, name: &str) -> &mut Line {
        self.lines.entry(name.to_owned()).or_insert_with(|| Line::new(&self.aside))
    }

    /// Every line has said its last, and all is in order.
    pub fn is_over(&self) -> bool {
        self.lines.values().all(|line| line.numbered.floor().over && line.heads.is_empty())
    }

    /// Where each line goes on, if everything is copied that is in order.
    pub fn floors(&self) -> BTreeMap<String, Floor> {
        let floor = |line: &Line| {
            let read = line.numbered.floor();
            let over = read.over && line.heads.is_empty();
            Floor { attempt: read.attempt, over, ..line.out.floor() }
        };
        self.lines.iter().map(|(name, line)| (name.clone(), floor(line))).collect()
    }

    /// The store forgot: what is not in order yet is said again.
    ///
    /// # Errors
    /// What was put aside cannot be read back.
    pub fn reopen(&mut self) -> Result<(), Fault> {
        for line in self.lines.values_mut() {
            line.numbered.cut(line.out.next())?;
            line.heads.clear();
        }
        self.began = None;
        Ok(())
    }

    /// What was read of a log that nobody here opened is not what is there: it is read anew. What is in order stays.
    ///
    /// # Errors
    /// As [`Order::reopen`].
    pub fn read_anew(&mut self) -> Result<(), Fault> {
        self.reopen()?;
        if self.ordered.is_empty() {
            self.lines.values_mut().for_each(|line| *line = Line::new(&self.aside));
        }
        Ok(())
    }

    /// Takes a part of what opens a generation.
    ///
    /// # Errors
    /// It is not the order as it was read before, or nobody can tell.
    pub fn open(&mut self, stamp: u64, copied: &Copied) -> Result<(), Unfit> {
        let first = usize::try_from(copied.first).unwrap_or(usize::MAX);
        if first > self.ordered.len() {
            return Err(Unfit::Hole);
        }
        let (mut rest, mut number) = (&*copied.entries, first);
        while number < self.ordered.len() && !rest.is_empty() {
            let known = self.ordered.from(number)?;
            let (told, more) = rest.split_at(known.len().min(rest.len()));
            if !known.starts_with(told) {
                return Err(Unfit::Differs);
            }
            (number, rest) = (number + told.len(), more);
        }
        for one in rest {
            self.line(&one.line).numbered.push(one.attempt, &one.entry);
            self.put(&one.line, one.attempt, &one.entry, one.at);
        }
        for (name, floor) in copied.floors.iter().flatten() {
            self.line(name).numbered.begun(floor.attempt, floor.over);
            let now = self.ordered.last().map_or(RunTime::from_ns(0), |one| one.at);
            self.began = Some((stamp, now));
        }
        Ok(())
    }

    /// Takes what a line said.
    ///
    /// # Errors
    /// It does not go on where the line is. Nothing was taken.
    pub fn take(&mut self, name: &str, stamp: u64, batch: &Batch) -> Result<(), Unfit> {
        let Some(line) = self.lines.get_mut(name) else { return Ok(()) };
        let fresh = line.numbered.take(batch)?;
        let last = fresh.last().map(|entry| entry.at);
        let arrived = self.arrived(stamp);
        for entry in fresh {
            match (self.policy, last) {
                (Policy::Arrival, Some(last)) => {
                    let at = arrived + (entry.at - last);
                    self.put(name, batch.attempt, entry, at);
                }
                _ => self.line(name).heads.push_back((batch.attempt, entry.clone())),
            }
        }
        self.settle();
        Ok(())
    }

    /// When something came, by the store's clock.
    fn arrived(&self, stamp: u64) -> RunTime {
        let (began, at) = self.began.unwrap_or((stamp, RunTime::from_ns(0)));
        at + Span::from_ns(i64::try_from(stamp.saturating_sub(began)).unwrap_or(i64::MAX))
    }

    /// The next in order; time never goes back.
    fn put(&mut self, name: &str, attempt: u32, entry: &Entry, at: RunTime) {
        let at = self.ordered.last().map_or(at, |before| before.at.max(at));
        self.line(name).out.push(attempt, entry);
        self.ordered.push(Ordered { line: name.to_owned(), attempt, at, entry: entry.clone() });
    }

    /// Puts in order what nothing earlier can come before.
    fn settle(&mut self) {
        loop {
            let waits = |line: &Line| line.heads.is_empty() && !line.numbered.floor().over;
            if self.policy == Policy::Arrival || self.lines.values().any(waits) {
                return;
            }
            let heads = self.lines.iter().filter_map(|(name, line)| Some((line.heads.front()?.1.at, name)));
            let Some(name) = heads.min().map(|(_, name)| name.clone()) else { return };
            let head = self.lines.get_mut(&name).and_then(|line| line.heads.pop_front());
            let Some((attempt, entry)) = head else { return };
            self.put(&name, attempt, &entry, entry.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ns: i64, fact: &str) -> Entry {
        Entry { at: RunTime::from_ns(ns), fact: fact.to_owned() }
    }

    fn after(before: &[Entry], entries: Vec<Entry>, over: bool) -> Batch {
        let history = before.iter().fold(0, |history, entry| entry.after(history));
        Batch { attempt: 1, first: before.len() as u64, history, entries, over }
    }

    fn begun(policy: Policy) -> Order {
        let mut order = Order::new(policy, None);
        let floors = ["a", "b"].map(|name| (name.to_owned(), Floor::default())).into();
        order.open(1000, &Copied { floors: Some(floors), ..Copied::default() }).expect("nothing before");
        order
    }

    fn facts(order: &Order) -> Vec<String> {
        let all = order.ordered().from(0).expect("in memory");
        all.iter().map(|one| format!("{} {}", one.at.ns(), one.entry.fact)).collect()
    }

    #[test]
    fn simulated_lines_are_merged_by_time_however_they_arrive() {
        let a = after(&[], vec![entry(1, "a1"), entry(5, "a5")], true);
        let b = after(&[], vec![entry(1, "b1"), entry(3, "b3")], false);
        let end = after(&b.entries, vec![], true);
        let mut one = begun(Policy::Time);
        one.take("a", 1001, &a).expect("fits");
        assert!(facts(&one).is_empty(), "b may say something earlier");
        one.take("b", 1002, &b).expect("fits");
        assert_eq!(facts(&one), ["1 a1", "1 b1", "3 b3"], "b may say something before 5");
        one.take("b", 1003, &end).expect("fits");
        let mut other = begun(Policy::Time);
        for (name, batch) in [("b", &b), ("b", &end), ("a", &a)] {
            other.take(name, 9999, batch).expect("fits");
        }
        assert!(one.is_over() && other.is_over());
        assert_eq!(facts(&one), facts(&other));
    }

    #[test]
    fn real_lines_are_merged_as_they_arrive_on_the_stores_clock() {
        let mut order = begun(Policy::Arrival);
        order.take("b", 2000, &after(&[], vec![entry(7_000, "b1"), entry(7_400, "b2")], true)).expect("fits");
        order.take("a", 2100, &after(&[], vec![entry(10, "a1")], true)).expect("fits");
        // A host that was cut off: what it says happened before, and is told now.
        assert_eq!(facts(&order), ["600 b1", "1000 b2", "1100 a1"]);
        let late = after(&[entry(10, "a1")], vec![entry(11, "late")], true);
        order.take("a", 2050, &Batch { attempt: 2, ..late }).expect("fits");
        assert_eq!(facts(&order).last().map(String::as_str), Some("1100 late"), "time never goes back");
    }

    #[test]
    fn a_reader_of_the_new_generation_alone_reads_the_same() {
        for policy in [Policy::Time, Policy::Arrival] {
            let mut order = begun(policy);
            order
                .take("a", 1100, &after(&[], vec![entry(100, "a1"), entry(300, "a3")], false))
                .expect("fits");
            order.take("b", 1200, &after(&[], vec![entry(200, "b2")], false)).expect("fits");
            order.reopen().expect("in memory");
            let entries = order.ordered().from(0).expect("in memory").into_owned();
            let floors = Some(order.floors());
            let copied = Copied { first: 0, entries, floors };
            let mut late = Order::new(policy, None);
            late.open(5, &copied).expect("nothing before");
            order.open(5, &copied).expect("as it was");
            let (a, b) = ([entry(100, "a1"), entry(300, "a3")], [entry(200, "b2"), entry(400, "b4")]);
            let floors = order.floors();
            let goes_on = |name: &str, said: &[Entry]| {
                let (before, rest) = said.split_at(floors[name].next as usize);
                after(before, rest.to_vec(), true)
            };
            for reader in [&mut order, &mut late] {
                reader.take("a", 90, &goes_on("a", &a)).expect("fits");
                reader.take("b", 95, &goes_on("b", &b)).expect("fits");
            }
            assert_eq!(facts(&order), facts(&late), "{policy:?}");
            assert!(late.is_over() && late.ordered().len() == 4, "{policy:?} {late:?}");
        }
    }
}
