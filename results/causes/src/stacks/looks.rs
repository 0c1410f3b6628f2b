//! Looks at threads' calls that a tracer took beside its other events: what a thread ran at an instant, where it left
//! its CPU, and where the thread was that woke another.
//!
//! Times are ns of the facts' clock. Threads are the kernel's numbers: facts say whose they were at that time.

use super::key::{Key, Keys};
use super::recording::Recording;
use super::weighed::calls;
use std::collections::BTreeMap;

/// What the tracer's two ways of telling one event differ by in time, at most, ns.
const SAME: i64 = 100_000;
/// How much of a thread's time before and after it a look stands for, at most, ns: two of the steps it is looked at in.
const REACH: i64 = 10_000_000;
/// Looks kept, at most: ten minutes of a phone with eight busy CPUs.
const MOST: usize = 1 << 20;

/// When a tracer looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// In steps of time, at what runs.
    Ran,
    /// At a thread that leaves its CPU.
    Left,
    /// At a thread that wakes another.
    Woke,
}

/// All looks at the threads of a trace.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    /// Calls and stacks, by their numbers.
    pub recording: Recording,
    /// Stacks that were asked for and not taken, as far as that is told.
    pub lost: u64,
    keys: Keys,
    of: BTreeMap<(i32, Look), Vec<(i64, u32)>>,
    many: usize,
}

/// Part of a thread's time, and what is known of it.
pub type Part<'a> = (i64, i64, Option<&'a Key>);

impl Looks {
    /// Adds a look at a thread (the kernel's number); the stack as [`Recording::calls`] knows it. What there is no room
    /// for is as good as lost.
    pub fn add(&mut self, tid: i32, look: Look, at: i64, stack: u32) {
        if self.many >= MOST {
            self.lost += 1;
            return;
        }
        self.many += 1;
        self.of.entry((tid, look)).or_default().push((at, stack));
    }

    /// Puts everything in order: once, before it is asked, and when names are what they will be.
    pub fn settle(&mut self) {
        self.of.values_mut().for_each(|all| all.sort_unstable());
        self.keys = Keys::of(&self.recording);
    }

    /// How many there are.
    pub fn many(&self) -> usize {
        self.many
    }

    /// All of them in order of threads and times: thread, what was looked at, when, stack.
    pub fn iter(&self) -> impl Iterator<Item = (i32, Look, i64, u32)> {
        self.of.iter().flat_map(|((tid, look), all)| all.iter().map(|(at, stack)| (*tid, *look, *at, *stack)))
    }

    /// What a thread ran in a stretch, in order and without holes: every look stands for the time around it, half way
    /// to the next and no further than it can see.
    pub fn ran(&self, tid: i32, from: i64, to: i64) -> Vec<Part<'_>> {
        let mut parts = Vec::new();
        let mut told = from;
        for (begin, end, stack) in self.ran_in(tid, from, to) {
            if begin > told {
                parts.push((told, begin, None));
            }
            parts.push((begin, end, self.named(stack)));
            told = end;
        }
        if told < to {
            parts.push((told, to, None));
        }
        parts
    }

    /// The same as stacks, where any is known.
    pub fn ran_in(&self, tid: i32, from: i64, to: i64) -> Vec<(i64, i64, u32)> {
        let all = self.of.get(&(tid, Look::Ran)).map(Vec::as_slice).unwrap_or_default();
        let seen = &all[all.partition_point(|(at, _)| *at < from)..all.partition_point(|(at, _)| *at < to)];
        let mut parts = Vec::with_capacity(seen.len());
        let mut told = from;
        for (nth, (at, stack)) in seen.iter().enumerate() {
            let next = seen.get(nth + 1).map_or(to, |(next, _)| at + (next - at) / 2);
            if self.named(*stack).is_some() {
                let end = next.min(at + REACH);
                parts.push((told.max(at - REACH), end, *stack));
                told = end;
            }
        }
        parts
    }

    /// Where a thread was when it left its CPU at an instant.
    pub fn left(&self, tid: i32, at: i64) -> Option<&Key> {
        self.at(tid, Look::Left, at)
    }

    /// Where a thread was when it woke another at an instant.
    pub fn woke(&self, tid: i32, at: i64) -> Option<&Key> {
        self.at(tid, Look::Woke, at)
    }

    /// The stack with which a thread left its CPU at an instant.
    pub fn left_in(&self, tid: i32, at: i64) -> Option<u32> {
        self.stack_at(tid, Look::Left, at)
    }

    /// The calls of a stack as they are told, the outermost first.
    pub fn calls(&self, stack: u32) -> Vec<String> {
        calls(&self.recording, stack)
    }

    fn at(&self, tid: i32, look: Look, at: i64) -> Option<&Key> {
        self.named(self.stack_at(tid, look, at)?)
    }

    fn stack_at(&self, tid: i32, look: Look, at: i64) -> Option<u32> {
        let all = self.of.get(&(tid, look))?;
        let next = all.partition_point(|(when, _)| *when < at);
        let near = all[next.saturating_sub(1)..].iter().take(2);
        let nearest = near.min_by_key(|(when, _)| when.abs_diff(at))?;
        let is_it = nearest.0.abs_diff(at) <= SAME.unsigned_abs();
        Some(nearest.1).filter(|stack| is_it && self.named(*stack).is_some())
    }

    /// What a stack is known by; none where the thread waits for its next message in it.
    fn named(&self, stack: u32) -> Option<&Key> {
        self.keys.key(stack).filter(|_| !self.keys.is_idle(stack))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stacks::Call;

    const MS: i64 = 1_000_000;

    fn looks(at: &[(i64, &str)], look: Look) -> Looks {
        let mut looks = Looks::default();
        for (ms, name) in at {
            let call = looks.recording.call(Call { name: (*name).to_owned(), file: String::new() });
            let stack = looks.recording.stack(vec![call]);
            looks.add(7, look, ms * MS, stack);
        }
        looks.settle();
        looks
    }

    fn parts(looks: &Looks, from: i64, to: i64) -> Vec<(i64, i64, String)> {
        let words = |key: Option<&Key>| key.map(|key| key.object.clone()).unwrap_or_default();
        let all = looks.ran(7, from * MS, to * MS).into_iter();
        all.map(|(from, to, key)| (from / MS, to / MS, words(key))).collect()
    }

    fn told(parts: &[(i64, i64, &str)]) -> Vec<(i64, i64, String)> {
        parts.iter().map(|(from, to, name)| (*from, *to, (*name).to_owned())).collect()
    }

    #[test]
    fn a_look_stands_for_the_time_around_it_half_way_to_the_next_and_no_further_than_it_can_see() {
        let (a, b) = ("com.shop.A.a", "com.shop.B.b");
        let seen = looks(&[(6, a), (2, a), (10, b), (60, b)], Look::Ran);
        let all = [(0, 4, a), (4, 8, a), (8, 20, b), (20, 50, ""), (50, 64, b)];
        assert_eq!(parts(&seen, 0, 64), told(&all));
        assert_eq!(parts(&seen, 5, 7), told(&[(5, 7, a)]));
        assert_eq!(parts(&seen, 20, 30), told(&[(20, 30, "")]));
    }

    #[test]
    fn a_wait_for_the_next_message_is_nobodys_method() {
        let idle = "android.os.MessageQueue.nativePollOnce";
        let seen = looks(&[(2, "com.shop.A.a"), (6, idle)], Look::Ran);
        assert_eq!(parts(&seen, 0, 8), told(&[(0, 4, "com.shop.A.a"), (4, 8, "")]));
        assert_eq!(looks(&[(6, idle)], Look::Left).left(7, 6 * MS), None);
    }

    #[test]
    fn where_a_thread_left_is_told_by_the_look_of_that_instant_and_by_no_other() {
        let seen = looks(&[(2, "com.shop.A.a"), (6, "com.shop.B.b")], Look::Left);
        let left = |at: i64| seen.left(7, at).map(|key| key.object.as_str());
        assert_eq!(left(2 * MS + 4_000), Some("com.shop.A.a"));
        assert_eq!(left(6 * MS - 4_000), Some("com.shop.B.b"));
        assert_eq!((left(4 * MS), left(60 * MS), seen.woke(7, 2 * MS)), (None, None, None));
        assert_eq!(seen.left(8, 2 * MS), None);
    }

    #[test]
    fn more_looks_than_there_is_room_for_are_lost() {
        let mut seen = Looks::default();
        (0..=MOST as i64).for_each(|at| seen.add(7, Look::Ran, at, 0));
        assert_eq!((seen.many(), seen.lost), (MOST, 1));
    }
}
