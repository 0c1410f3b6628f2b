//! Where main threads had something to do for long: from when they left the wait for their next message until they are
//! back in it.
//!
//! Takes facts in the order they become known, of any thread of the phone; of each it keeps the long stretches and a
//! few of the last ones. Where the app marks its messages, each is a stretch of its own; where it does not, work that
//! follows without a wait in between is one. A wait outside every slice is the one for the next message, as far as
//! anybody can tell. Must not know frames' promises, nor what a thread is held up by.

use crate::fact::{Fact, State, Thread};
use crate::facts::{Step, step};
use crate::threads::Threads;

/// Shortest stretch that is told of, ns: what the platform's log calls a slow message (docs/metrics.md#slow_messages).
pub const LEAST: i64 = 80_000_000;
/// Stretches of a thread kept for a slice that may turn out to be around them, and messages.
const NEWEST: usize = 32;
const MESSAGES: usize = 4096;
/// A frame that waited is made so soon after what it waited for, ns.
const RIGHT_AFTER: i64 = 20_000_000;
/// Stretches, touches, losses, and frames of a thread told of, at most, each.
const MOST: usize = 1 << 16;

/// A stretch in which a main thread had something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Held {
    /// Its process.
    pub process: i32,
    /// From, ns.
    pub from: i64,
    /// Until, ns.
    pub to: i64,
    /// It is one message, as the app or the platform marks it.
    pub message: bool,
    /// Token of the frame that was made in it.
    pub frame: Option<i64>,
    /// Token of the frame that was made right after it: it may have waited.
    pub next: Option<i64>,
}

/// A touch that reached an app's main thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Touched {
    /// The app's process.
    pub process: i32,
    /// Main took it then, ns.
    pub taken: i64,
    /// It happened then, on CLOCK_MONOTONIC, ns.
    pub happened: i64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Busy {
    /// Long stretches, by process and time.
    pub held: Vec<Held>,
    /// Touches, by process and time.
    pub touched: Vec<Touched>,
}

/// A stretch of one thread.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: i64,
    to: i64,
    frame: Option<i64>,
}

impl Piece {
    fn is_long(&self) -> bool {
        self.to - self.from >= LEAST
    }
}

/// What is known of one thread.
#[derive(Clone, Debug, Default)]
struct OfThread {
    /// Long stretches that nothing can change any more, and whether each is a message.
    long: Vec<(Piece, bool)>,
    /// Messages and frames, in order, apart from each other.
    messages: Vec<Piece>,
    /// Work and slices that are none, united, in order.
    work: Vec<Piece>,
    /// Frames made: from, token.
    frames: Vec<(i64, i64)>,
    /// Before that everything is in `long`.
    settled: i64,
}

impl OfThread {
    fn works(&mut self, from: i64, to: i64, frame: Option<i64>) {
        let mut new = Piece { from: from.max(self.settled), to, frame };
        if new.from >= new.to {
            return;
        }
        while let Some(last) = self.work.last().filter(|last| last.to >= new.from) {
            let (from, to) = (new.from.min(last.from), new.to.max(last.to));
            new = Piece { from, to, frame: new.frame.or(last.frame) };
            self.work.pop();
        }
        self.work.push(new);
        self.tidy();
    }

    fn handles(&mut self, message: Piece) {
        self.messages.push(message);
        self.tidy();
    }

    /// A slice around them may still end, but none that began before the last message did: outermost slices follow each
    /// other. A thread that never waits keeps some thousand messages until they are cut out of its work.
    fn tidy(&mut self) {
        if self.work.len() > NEWEST || self.messages.len() > MESSAGES {
            let until = match self.messages.last() {
                Some(last) => last.to,
                None => self.work[self.work.len() - NEWEST / 2].from,
            };
            self.settle(until);
        }
    }

    /// Tells what is long of the time before an instant, and forgets the rest of it.
    fn settle(&mut self, until: i64) {
        let long = self.messages.iter().filter(|one| one.is_long()).map(|one| (*one, true));
        self.long.extend(long);
        for work in &self.work {
            let mut rest = Piece { to: work.to.min(until), ..*work };
            let first = self.messages.partition_point(|one| one.to <= work.from);
            for one in self.messages[first..].iter().take_while(|one| one.from < work.to) {
                self.long.push((Piece { to: one.from, ..rest }, false));
                rest.from = one.to.max(rest.from);
            }
            self.long.push((rest, false));
        }
        self.long.retain(|(piece, _)| piece.is_long());
        self.messages.clear();
        self.work.retain(|work| work.to > until);
        self.work.iter_mut().for_each(|work| work.from = work.from.max(until));
        self.settled = self.settled.max(until);
    }
}

/// Finds long stretches of main threads.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    threads: Vec<OfThread>,
    touched: Vec<(Thread, i64, i64)>,
    lost: Vec<(i64, i64)>,
}

impl Watch {
    /// Takes a fact. Facts of a thread come in the order of their ends.
    pub fn take(&mut self, threads: &Threads, fact: &Fact<'_>) {
        match *fact {
            Fact::State(one) if has_work(one.state) => {
                if let (Some(to), Some(of)) = (one.to, self.of(threads, one.thread)) {
                    of.works(one.from, to, None);
                }
            }
            Fact::Slice { thread, from, to: Some(to), depth, name } if to > from => {
                let known = std::str::from_utf8(name).ok();
                if let Some(happened) = known.and_then(event_time).filter(|_| self.touched.len() < MOST) {
                    self.touched.push((thread, from, happened));
                }
                let Some(of) = self.of(threads, thread) else { return };
                let made =
                    known.and_then(step).filter(|(step, _)| *step == Step::Made).map(|(_, token)| token);
                if let Some(token) = made.filter(|_| of.frames.len() < MOST) {
                    of.frames.push((from, token));
                }
                if depth == 0 {
                    let inside =
                        of.frames.last().filter(|(begun, _)| *begun >= from).map(|(_, token)| *token);
                    match made.is_some() || known.is_some_and(is_message) {
                        true => of.handles(Piece { from, to, frame: inside }),
                        false => of.works(from, to, inside),
                    }
                }
            }
            Fact::Lost { from, to, .. } if self.lost.len() < MOST => self.lost.push((from, to)),
            _ => {}
        }
    }

    /// What is known of a thread that may be a main thread.
    fn of(&mut self, threads: &Threads, thread: Thread) -> Option<&mut OfThread> {
        let other = threads.process(thread).is_some_and(|process| process != threads.tid(thread));
        if thread == Thread::IDLE || other {
            return None;
        }
        let at = thread.0 as usize;
        if self.threads.len() <= at {
            self.threads.resize_with(at + 1, OfThread::default);
        }
        self.threads.get_mut(at)
    }

    /// Everything found of main threads. A stretch in which events were lost is told up to there: where it really ended
    /// nobody knows.
    pub fn finish(mut self, threads: &Threads) -> Busy {
        self.lost.sort_unstable();
        let mut busy = Busy::default();
        let main = |thread: Thread| {
            let process = threads.process(thread)?;
            (threads.tid(thread) == process).then_some(process)
        };
        for (nth, of) in self.threads.iter_mut().enumerate() {
            let Some(process) = main(Thread(nth as u32)) else { continue };
            of.settle(i64::MAX);
            for (Piece { from, to, frame }, message) in std::mem::take(&mut of.long) {
                let lost = self.lost.iter().find(|(begin, end)| *begin < to && *end > from);
                let to = lost.map_or(to, |(begin, _)| (*begin).min(to));
                if to - from >= LEAST && busy.held.len() < MOST {
                    let after = of.frames.partition_point(|(begun, _)| *begun < to);
                    let next = of.frames.get(after).filter(|(begun, _)| *begun < to + RIGHT_AFTER);
                    let next = next.map(|(_, token)| *token);
                    busy.held.push(Held { process, from, to, message, frame, next });
                }
            }
        }
        for (thread, taken, happened) in self.touched {
            busy.touched.extend(main(thread).map(|process| Touched { process, taken, happened }));
        }
        busy.held.sort_unstable();
        busy.touched.sort_unstable();
        busy
    }
}

/// Neither waiting nor gone.
fn has_work(state: State) -> bool {
    matches!(state, State::Running | State::Blocked) || state.waits_for_cpu()
}

/// A message as loopers mark it: `android.os.Handler: com.shop.FeedLoader$1`, a class and what it is given.
pub(crate) fn is_message(name: &str) -> bool {
    name.split_once(": ").is_some_and(|(class, _)| {
        let word = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphabetic())
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
        };
        class.contains('.') && class.split('.').all(word)
    })
}

/// When a touch happened, as views mark that they take it: `deliverInputEvent src=0x1002 eventTimeNano=… id=…`.
fn event_time(name: &str) -> Option<i64> {
    let rest = name.strip_prefix("deliverInputEvent ")?;
    let (_, rest) = rest.split_once("eventTimeNano=")?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_a_class_and_what_it_is_given() {
        for (name, expected) in [
            ("android.os.Handler: com.example.shop.Refresher$1", true),
            (
                "android.view.Choreographer$FrameHandler: android.view.Choreographer$FrameDisplayEventReceiver",
                true,
            ),
            ("monitor contention with owner a (1) at void com.a.B.c(): x", false),
            ("Handler: x", false),
            ("activityResume", false),
            ("GC: Wait For Completion Alloc", false),
            ("com.shop.: x", false),
        ] {
            assert_eq!(is_message(name), expected, "{name}");
        }
    }

    #[test]
    fn a_touch_says_when_it_happened() {
        let name = "deliverInputEvent src=0x1002 eventTimeNano=648565000000 id=0x5524c741";
        assert_eq!(event_time(name), Some(648_565_000_000));
        assert_eq!((event_time("deliverInputEvent src=0x1002"), event_time("input")), (None, None));
    }
}
