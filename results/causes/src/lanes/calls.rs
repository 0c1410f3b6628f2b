//! Which calls a thread of a picture was in: those it ran, by looks at it, and those in which it was off its CPU, by
//! the look of when it left.

use super::thin;
use crate::fact::{State, Thread};
use crate::leaf::Looking;

/// What a thread was in: off its CPU or not, and its stack.
type Doing = (bool, u32);

/// A thread's calls in order of time, from, until, what; at most so many stretches.
pub(super) fn of(
    looking: &Looking<'_>,
    thread: Thread,
    (from, to): (i64, i64),
    (finest, most): (i64, usize),
) -> Vec<(i64, i64, Doing)> {
    let looks = looking.facts.looks();
    if looks.many() == 0 || most == 0 {
        return Vec::new();
    }
    let tid = looking.threads.tid(thread);
    let mut spans = Vec::new();
    for (from, to, segment) in looking.facts.states(thread, from, to) {
        if segment.state == State::Running {
            spans.extend(
                looks.ran_in(tid, from, to).into_iter().map(|(from, to, stack)| (from, to, (false, stack))),
            );
        } else if let Some(stack) = looks.left_in(tid, segment.from) {
            spans.push((from, to, (true, stack)));
        }
    }
    thin::merged(&spans, finest, most)
}
