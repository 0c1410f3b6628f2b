//! Batches of all CPUs, handed out as one stream in order of time. A batch of one CPU comes up to some seconds after
//! those of others that tell of the same time: so long nothing is let go. Must not know what events mean.

use super::batch::{Batch, Raw};
use std::collections::{BTreeMap, VecDeque};

/// How long events are held back, ns: the tracer drains every CPU at least once in this time, unless told otherwise.
const HELD_BACK: i64 = 3_000_000_000;
/// Events held, at most, a long text as several: what a busy phone records in a minute.
const MOST: usize = 1 << 21;

/// Batches that wait, by CPU.
#[derive(Default)]
pub struct Order {
    queues: BTreeMap<usize, Queue>,
    held: usize,
    newest: Option<i64>,
    /// Everything before this instant was handed out.
    reached: Option<i64>,
    disordered: u64,
}

#[derive(Default)]
struct Queue {
    batches: VecDeque<Batch>,
    /// The next event of the first batch.
    at: usize,
}

impl Queue {
    fn head(&self) -> Option<i64> {
        Some(self.batches.front()?.events.get(self.at)?.at)
    }
}

impl Order {
    /// Takes a batch; hands out what cannot be overtaken any more.
    pub fn take(&mut self, batch: Batch, each: &mut impl FnMut(&Batch, &Raw)) {
        let (Some(first), Some(last)) = (batch.events.first(), batch.events.last()) else { return };
        self.newest = self.newest.max(Some(last.at));
        let late = self.reached.is_some_and(|reached| first.at < reached);
        self.disordered += u64::from(late);
        self.held += batch.weight();
        self.queues.entry(batch.cpu).or_default().batches.push_back(batch);
        let until = self.newest.unwrap_or(i64::MIN).saturating_sub(HELD_BACK);
        self.let_go(until, each);
        if self.held > MOST {
            self.let_go(i64::MAX, each);
        }
    }

    /// Hands out everything.
    pub fn finish(&mut self, each: &mut impl FnMut(&Batch, &Raw)) {
        self.let_go(i64::MAX, each);
    }

    /// Everything before this instant was handed out.
    pub fn reached(&self) -> Option<i64> {
        self.reached
    }

    /// Batches that came later than they could be waited for.
    pub fn disordered(&self) -> u64 {
        self.disordered
    }

    fn let_go(&mut self, until: i64, each: &mut impl FnMut(&Batch, &Raw)) {
        while let Some((cpu, at, next)) = self.first_and_next() {
            if at >= until {
                break;
            }
            // As long as no other CPU has something older, the events of this one go in a row.
            let most = until.min(next.saturating_add(1)).max(at.saturating_add(1));
            let Some(queue) = self.queues.get_mut(&cpu) else { break };
            let Some(batch) = queue.batches.front() else { break };
            let row = &batch.events[queue.at..];
            let count = row.iter().take_while(|raw| raw.at < most).count().max(1);
            row.iter().take(count).for_each(|raw| each(batch, raw));
            self.reached = self.reached.max(row.get(count - 1).map(|raw| raw.at));
            queue.at += count;
            if queue.at == batch.events.len() {
                self.held -= batch.weight();
                queue.batches.pop_front();
                queue.at = 0;
            }
        }
        if until < i64::MAX {
            self.reached = self.reached.max(Some(until));
        }
    }

    /// The CPU with the oldest event, when that is, and the oldest of the others.
    fn first_and_next(&self) -> Option<(usize, i64, i64)> {
        let (mut first, mut next) = (None, i64::MAX);
        for (cpu, queue) in &self.queues {
            let Some(at) = queue.head() else { continue };
            match first {
                Some((_, oldest)) if at >= oldest => next = next.min(at),
                _ => {
                    next = first.map_or(next, |(_, oldest): (usize, i64)| oldest.min(next));
                    first = Some((*cpu, at));
                }
            }
        }
        first.map(|(cpu, at)| (cpu, at, next))
    }
}
