//! A list that only grows, of which memory holds the newest part: a phone at work says 2 kB/s, and a store that forgets
//! has to be told all of it again, a night later. What is older is put aside in blocks, where there is somewhere.
//!
//! Must not know: files, what facts mean.

use crate::frames::{Batch, Copied, Entry, Frame, Ordered, TOGETHER};
use crate::spill::Aside;
use farmjank_results::fault::{Fault, FaultCode};
use std::borrow::Cow;
use std::fmt;

/// Of lists of numbers there are many.
const NUMBERS: usize = 64;
/// What an entry takes beside its fact where entries go together, bytes.
const BESIDE: usize = 32;

/// What lists are made of.
pub trait Item: Clone {
    /// What part of the size of a block its blocks have.
    const PART: usize = 1;

    /// Bytes it takes, about.
    fn weight(&self) -> usize;

    /// A block of them.
    ///
    /// # Errors
    /// `farm_garbled`: one is larger than any may be.
    fn pack(items: &[Self]) -> Result<Vec<u8>, Fault>;

    /// What [`Item::pack`] packed.
    ///
    /// # Errors
    /// It is not what was packed.
    fn unpack(bytes: &[u8]) -> Result<Vec<Self>, Fault>;
}

impl Item for Entry {
    fn weight(&self) -> usize {
        self.fact.len()
    }

    fn pack(items: &[Entry]) -> Result<Vec<u8>, Fault> {
        let (entries, over) = (items.to_vec(), false);
        Frame::Batch(Batch { attempt: 0, first: 0, history: 0, entries, over }).write()
    }

    fn unpack(bytes: &[u8]) -> Result<Vec<Entry>, Fault> {
        match Frame::read(bytes)? {
            Frame::Batch(batch) => Ok(batch.entries),
            Frame::Copied(_) => Err(unread("it is another list's")),
        }
    }
}

impl Item for Ordered {
    fn weight(&self) -> usize {
        self.entry.weight() + self.line.len()
    }

    fn pack(items: &[Ordered]) -> Result<Vec<u8>, Fault> {
        Frame::Copied(Copied { entries: items.to_vec(), ..Copied::default() }).write()
    }

    fn unpack(bytes: &[u8]) -> Result<Vec<Ordered>, Fault> {
        match Frame::read(bytes)? {
            Frame::Copied(copied) => Ok(copied.entries),
            Frame::Batch(_) => Err(unread("it is another list's")),
        }
    }
}

/// Hashes, which nothing makes smaller.
impl Item for u64 {
    const PART: usize = NUMBERS;

    fn weight(&self) -> usize {
        size_of::<u64>()
    }

    fn pack(items: &[u64]) -> Result<Vec<u8>, Fault> {
        Ok(items.iter().flat_map(|number| number.to_le_bytes()).collect())
    }

    fn unpack(bytes: &[u8]) -> Result<Vec<u64>, Fault> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers = numbers.iter().map(|number| u64::from_le_bytes(*number)).collect();
        if rest.is_empty() { Ok(numbers) } else { Err(unread("it ends within a number")) }
    }
}

fn unread(why: impl fmt::Display) -> Fault {
    let what = format!("what this computer put aside of the run cannot be read back: {why}");
    Fault::new(FaultCode::SpoolLost, what)
        .advise("look at its disk: at `TMPDIR`, or where its agent keeps its state")
}

#[derive(Clone, Copy, Debug)]
struct Block {
    /// Number of its first item.
    first: usize,
    at: u64,
    bytes: usize,
}

/// A list that only grows at its end.
#[derive(Clone, Debug)]
pub struct Spool<T> {
    aside: Option<Aside>,
    /// Put aside, the oldest first.
    blocks: Vec<Block>,
    /// Number of the first in memory.
    first: usize,
    newest: Vec<T>,
    /// Bytes of the newest.
    weight: usize,
    /// Where they are so many, some are put aside.
    due: usize,
}

impl<T: Item> Spool<T> {
    /// An empty list; all of it stays in memory where there is nowhere else.
    pub fn new(aside: Option<Aside>) -> Spool<T> {
        let due = aside.as_ref().map_or(usize::MAX, |aside| 2 * Self::block(aside));
        Spool { aside, blocks: Vec::new(), first: 0, newest: Vec::new(), weight: 0, due }
    }

    fn block(aside: &Aside) -> usize {
        (aside.block() / T::PART).max(1)
    }

    /// Where it puts its older parts.
    pub fn aside(&self) -> Option<&Aside> {
        self.aside.as_ref()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.first + self.newest.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The newest one.
    pub fn last(&self) -> Option<&T> {
        self.newest.last()
    }

    /// Adds one. Where nothing can be put aside, it stays in memory.
    pub fn push(&mut self, item: T) {
        self.weight += item.weight();
        self.newest.push(item);
        if self.weight >= self.due {
            self.put_aside();
        }
    }

    fn put_aside(&mut self) {
        let Some(aside) = &self.aside else { return };
        let block = Self::block(aside);
        self.due = 2 * block;
        while self.weight >= self.due {
            let mut weight = 0;
            let fit = self.newest.iter().take_while(|item| {
                weight += item.weight();
                weight <= block
            });
            // The last one stays: it is asked for all the time.
            let many = fit.count().max(1).min(self.newest.len() - 1);
            let items = self.newest.get(..many).filter(|items| !items.is_empty());
            let bytes = items.and_then(|items| T::pack(items).ok());
            let put = bytes.and_then(|bytes| Some((aside.spill().put(&bytes).ok()?, bytes.len())));
            let Some((at, bytes)) = put else {
                // It is tried again once there is as much more.
                self.due = self.weight + block;
                return;
            };
            self.blocks.push(Block { first: self.first, at, bytes });
            self.first += many;
            self.weight -= self.newest.drain(..many).map(|item| item.weight()).sum::<usize>();
        }
    }

    /// Some from this number on, in order: at least one where there is any.
    ///
    /// # Errors
    /// What was put aside cannot be read back.
    pub fn from(&self, number: usize) -> Result<Cow<'_, [T]>, Fault> {
        if let Some(at) = number.checked_sub(self.first) {
            return Ok(Cow::Borrowed(self.newest.get(at..).unwrap_or_default()));
        }
        let next = self.blocks.partition_point(|block| block.first <= number);
        let block = next.checked_sub(1).and_then(|at| self.blocks.get(at));
        let (Some(block), Some(aside)) = (block, &self.aside) else { return Err(unread("it is not there")) };
        let end = self.blocks.get(next).map_or(self.first, |next| next.first);
        let bytes = aside.spill().get(block.at, block.bytes).map_err(unread)?;
        let mut items = T::unpack(&bytes).map_err(unread)?;
        if items.len() != end - block.first {
            return Err(unread("it is not what was put aside"));
        }
        Ok(Cow::Owned(items.split_off(number - block.first)))
    }

    /// One of them.
    ///
    /// # Errors
    /// What was put aside cannot be read back.
    pub fn get(&self, number: usize) -> Result<Option<T>, Fault> {
        Ok(self.from(number)?.first().cloned())
    }

    /// As many from this number on as go together on the farm: at least one where there is any.
    ///
    /// # Errors
    /// What was put aside cannot be read back.
    pub fn together(&self, number: usize) -> Result<Vec<T>, Fault> {
        let (mut together, mut bytes) = (Vec::new(), 0);
        while number + together.len() < self.len() {
            let part = self.from(number + together.len())?;
            for item in part.iter() {
                bytes += item.weight() + BESIDE;
                if bytes > TOGETHER && !together.is_empty() {
                    return Ok(together);
                }
                together.push(item.clone());
            }
        }
        Ok(together)
    }

    /// All of it, part by part, in order.
    ///
    /// # Errors
    /// What was put aside cannot be read back; what the caller says.
    pub fn visit(&self, mut each: impl FnMut(&T) -> Result<(), Fault>) -> Result<(), Fault> {
        let mut number = 0;
        while number < self.len() {
            let part = self.from(number)?;
            part.iter().try_for_each(&mut each)?;
            number += part.len();
        }
        Ok(())
    }

    /// Forgets what is beyond so many.
    ///
    /// # Errors
    /// What was put aside cannot be read back. Nothing was forgotten.
    pub fn cut(&mut self, many: usize) -> Result<(), Fault> {
        if many <= self.first && self.first > 0 {
            // The one before the end comes back to memory, with those of its block.
            let at = self.blocks.partition_point(|block| block.first < many).saturating_sub(1);
            let first = self.blocks.get(at).map_or(0, |block| block.first);
            self.newest = self.from(first)?.into_owned();
            self.blocks.truncate(at);
            self.first = first;
        }
        self.newest.truncate(many - self.first);
        self.weight = self.newest.iter().map(Item::weight).sum();
        self.due = self.aside.as_ref().map_or(usize::MAX, |aside| 2 * Self::block(aside));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spill::{InMemory, Spill};
    use farmjank_results::file_error::{FileError, FileProblem};
    use farmjank_results::time::RunTime;
    use std::rc::Rc;

    fn entry(number: usize) -> Entry {
        Entry { at: RunTime::from_ns(number as i64), fact: format!("fact {number:04}") }
    }

    fn filled(block: usize) -> Spool<Entry> {
        let mut kept = Spool::new(Some(Aside::new(Rc::new(InMemory::default()), block)));
        for number in 0..100 {
            kept.push(entry(number));
            assert!(kept.weight < 2 * block || kept.newest.len() == 1, "{block}: {}", kept.weight);
        }
        kept
    }

    fn all<T: Item>(kept: &Spool<T>) -> Vec<T> {
        let mut all = Vec::new();
        kept.visit(|one| {
            all.push(one.clone());
            Ok(())
        })
        .expect("read back");
        all
    }

    #[test]
    fn what_was_put_aside_is_read_back_as_it_was_and_memory_holds_two_blocks_at_most() {
        let expected: Vec<Entry> = (0..100).map(entry).collect();
        for block in [1, 9, 40, 10_000] {
            let kept = filled(block);
            assert_eq!(all(&kept), expected, "{block}");
            assert_eq!((kept.len(), kept.last()), (100, expected.last()));
            for number in 0..100 {
                assert_eq!(kept.get(number).expect("read back").as_ref(), expected.get(number), "{block}");
            }
            assert_eq!(kept.get(100).expect("nothing"), None);
        }
    }

    #[test]
    fn a_list_that_is_cut_goes_on_from_there() {
        for block in [1, 30, 10_000] {
            for many in [0, 1, 4, 50, 99, 100] {
                let mut kept = filled(block);
                kept.cut(many).expect("read back");
                assert_eq!(kept.len(), many, "{block}");
                assert_eq!(kept.last().cloned(), many.checked_sub(1).map(entry), "{block}");
                (many..120).for_each(|number| kept.push(entry(number)));
                assert_eq!(all(&kept), (0..120).map(entry).collect::<Vec<_>>(), "{block}, {many}");
            }
        }
    }

    #[test]
    fn what_goes_together_is_bounded_and_knows_no_blocks() {
        let large = |number: usize| Entry { at: RunTime::from_ns(0), fact: "x".repeat(number) };
        for block in [1, 40_000, 10 * TOGETHER] {
            let mut kept = Spool::new(Some(Aside::new(Rc::new(InMemory::default()), block)));
            assert_eq!(kept.together(0).expect("none").len(), 0);
            (0..300).for_each(|_| kept.push(large(1000)));
            kept.push(large(2 * TOGETHER));
            kept.push(large(1000));
            let counts = [0, 200, 300, 301].map(|from| kept.together(from).expect("read back").len());
            assert_eq!(counts, [TOGETHER / (1000 + BESIDE), 100, 1, 1], "{block}");
        }
    }

    #[test]
    fn numbers_go_into_smaller_blocks() {
        let mut kept = Spool::new(Some(Aside::new(Rc::new(InMemory::default()), 16 * NUMBERS)));
        (0..100_u64).for_each(|number| kept.push(number));
        assert!(kept.newest.len() < 4 && all(&kept) == (0..100).collect::<Vec<_>>());
    }

    /// A disk that takes nothing, or gives back something else.
    struct Broken {
        full: bool,
    }

    impl Spill for Broken {
        fn put(&self, _: &[u8]) -> Result<u64, FileError> {
            let error = FileError { file: "aside".to_owned(), why: FileProblem::Full };
            if self.full { Err(error) } else { Ok(0) }
        }

        fn get(&self, _: u64, many: usize) -> Result<Vec<u8>, FileError> {
            Ok(vec![b'\n'; many])
        }
    }

    #[test]
    fn where_nothing_can_be_put_aside_all_stays_and_what_comes_back_otherwise_is_no_part_of_it() {
        let mut kept = Spool::new(Some(Aside::new(Rc::new(Broken { full: true }), 20)));
        (0..100).for_each(|number| kept.push(entry(number)));
        assert_eq!(all(&kept).len(), 100);
        let mut kept = Spool::new(Some(Aside::new(Rc::new(Broken { full: false }), 20)));
        (0..100).for_each(|number| kept.push(entry(number)));
        let fault = kept.get(0).expect_err("not what was put aside");
        assert_eq!(fault.code, FaultCode::SpoolLost);
        assert!(fault.to_string().contains("put aside of the run cannot be read back"), "{fault}");
        let mut hashes: Spool<u64> = Spool::new(Some(Aside::new(Rc::new(Broken { full: false }), NUMBERS)));
        (0..9).for_each(|number| hashes.push(number));
        assert_eq!(
            hashes.get(0).expect("some number"),
            Some(u64::from_le_bytes([b'\n'; 8])),
            "a hash says so"
        );
    }
}
