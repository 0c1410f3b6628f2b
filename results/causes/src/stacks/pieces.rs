//! A thread's time, piece by piece: what it ran, where it was off its CPU, and what nobody knows.

use super::recording::{Sample, Seen};

/// What a thread did for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It ran, with this stack.
    Ran(u32),
    /// It was off its CPU, and had left it with this stack.
    Off(u32),
    /// It was inside these calls: it ran or waited.
    Inside(u32),
}

impl Doing {
    /// Its stack.
    pub fn stack(self) -> u32 {
        match self {
            Doing::Ran(stack) | Doing::Off(stack) | Doing::Inside(stack) => stack,
        }
    }
}

/// A stretch of a thread's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// From, ns.
    pub from: i64,
    /// Until, ns.
    pub to: i64,
    /// What it did.
    pub doing: Doing,
}

/// The time of a thread, in order, without overlaps. What lies between two of them nobody knows: there is none of it
/// where the recording tells of leaving the CPU (`off_cpu`).
pub fn pieces(samples: &[Sample], off_cpu: bool) -> Vec<Piece> {
    let usual = usual(samples);
    let mut walk = Walk { pieces: Vec::new(), known_to: None, off: None };
    for sample in samples {
        walk.take(sample, usual, off_cpu);
    }
    walk.pieces
}

/// The middle distance of two looks at a running thread, ns: what one stands for where the profiler counts no time.
pub(super) fn usual(samples: &[Sample]) -> i64 {
    let ran = |sample: &&Sample| matches!(sample.seen, Seen::Ran(_));
    let counted: Vec<i64> = samples.iter().filter_map(|one| one.seen.counted()).collect();
    let at: Vec<i64> = samples.iter().filter(ran).map(|sample| sample.at).collect();
    let apart: Vec<i64> = at.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    let mut all = if counted.is_empty() { apart } else { counted };
    let middle = all.len() / 2;
    if all.is_empty() { 0 } else { *all.select_nth_unstable(middle).1 }
}

impl Seen {
    /// How long it had run, where that was counted, ns.
    fn counted(self) -> Option<i64> {
        match self {
            Seen::Ran(ns) => ns,
            Seen::Left | Seen::Back | Seen::Inside => None,
        }
    }
}

struct Walk {
    pieces: Vec<Piece>,
    /// Everything before is told.
    known_to: Option<i64>,
    /// It left its CPU then, with this stack.
    off: Option<(i64, Option<u32>)>,
}

impl Walk {
    fn take(&mut self, sample: &Sample, usual: i64, off_cpu: bool) {
        let at = sample.at;
        if let Some((from, stack)) = self.off.take() {
            // Where nobody tells when it came back, it is seen again no later than now.
            self.push(from, at, stack.map(Doing::Off));
            self.known_to = Some(at);
        } else if let (Some(stack), Seen::Inside) = (sample.stack, sample.seen) {
            self.push(self.known_to.unwrap_or(at), at, Some(Doing::Inside(stack)));
        } else if let (Some(stack), false) = (sample.stack, sample.seen == Seen::Back) {
            let for_ns = sample.seen.counted().unwrap_or(usual).max(0);
            let since = at.saturating_sub(for_ns);
            let known_to = self.known_to.unwrap_or(since);
            // A thread that is not off its CPU runs.
            let from = if off_cpu { known_to } else { known_to.max(since) };
            self.push(from, at, Some(Doing::Ran(stack)));
        }
        self.known_to = Some(at.max(self.known_to.unwrap_or(at)));
        if sample.seen == Seen::Left {
            self.off = Some((at, sample.stack));
        }
    }

    fn push(&mut self, from: i64, to: i64, doing: Option<Doing>) {
        let Some(doing) = doing.filter(|_| to > from) else { return };
        match self.pieces.last_mut().filter(|last| last.to == from && last.doing == doing) {
            Some(last) => last.to = to,
            None => self.pieces.push(Piece { from, to, doing }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn sample(at: i64, seen: Seen, stack: u32) -> Sample {
        Sample { at: at * MS, seen, stack: (seen != Seen::Back).then_some(stack) }
    }

    fn told(samples: &[Sample], off_cpu: bool) -> Vec<(i64, i64, Doing)> {
        pieces(samples, off_cpu).iter().map(|one| (one.from / MS, one.to / MS, one.doing)).collect()
    }

    #[test]
    fn a_running_thread_is_known_between_looks_only_where_the_profiler_tells_of_leaving() {
        let ran = |at, stack| sample(at, Seen::Ran(Some(MS)), stack);
        let looks = [ran(1, 7), ran(2, 7), ran(9, 8)];
        assert_eq!(told(&looks, false), [(0, 2, Doing::Ran(7)), (8, 9, Doing::Ran(8))]);
        assert_eq!(told(&looks, true), [(0, 2, Doing::Ran(7)), (2, 9, Doing::Ran(8))]);
    }

    #[test]
    fn a_thread_off_its_cpu_is_told_by_the_stack_it_left_with_until_it_is_back_or_seen() {
        let looks = [
            sample(1, Seen::Ran(Some(MS)), 7),
            sample(2, Seen::Left, 5),
            sample(6, Seen::Back, 0),
            sample(7, Seen::Ran(Some(MS)), 7),
            sample(8, Seen::Left, 6),
            sample(12, Seen::Ran(Some(MS)), 9),
        ];
        let all = [
            (0, 1, Doing::Ran(7)),
            (1, 2, Doing::Ran(5)),
            (2, 6, Doing::Off(5)),
            (6, 7, Doing::Ran(7)),
            (7, 8, Doing::Ran(6)),
            (8, 12, Doing::Off(6)),
        ];
        assert_eq!(told(&looks, true), all);
    }

    #[test]
    fn where_no_time_is_counted_a_look_stands_for_the_middle_distance_of_looks() {
        let ran = |at| sample(at, Seen::Ran(None), 7);
        assert_eq!(
            told(&[ran(1), ran(3), ran(5), ran(30)], false),
            [(-1, 5, Doing::Ran(7)), (28, 30, Doing::Ran(7))]
        );
    }
}
