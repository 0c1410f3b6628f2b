//! Stalls in a recording of stacks: stretches in which main did not come to its next message for long, and by what
//! methods.

use super::key::Keys;
use super::key_stack;
use super::pieces::{Piece, pieces, usual};
use super::recording::Recording;
use super::spent::add;
use crate::add::{Usual, charge_all};
use crate::frame::Way;
use crate::held::LEAST;
use crate::inquiry::{Found, Stalled, confidence};
use crate::stall::Stall;

/// Where a profiler does not tell of leaving the CPU, main did nothing where it was not seen for longer: this many
/// looks, at least so many ns.
const UNSEEN_LOOKS: i64 = 3;
const UNSEEN: i64 = 5_000_000;

/// How stacks of a stall name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Every stack by the time it stands for.
    #[default]
    Time,
    /// All of it by the one stack that is there most often, looked at every 52 ms.
    KeyStack,
}

/// What held up the main thread of a process for [`LEAST`] or longer. All of a stretch is charged: no frame says what
/// is usual.
pub fn stalls(recording: &Recording, process: i32, rules: Rules) -> Found {
    let keys = Keys::of(recording);
    let stretches = Stretches::of(recording, process);
    let stalled = stretches.long(&keys).map(|of_stretch| {
        let (from, to) = (of_stretch[0].from, of_stretch[of_stretch.len() - 1].to);
        let way = match rules {
            Rules::Time => way(of_stretch, &keys),
            Rules::KeyStack => key_stack::way(recording, of_stretch, &keys),
        };
        let charges = charge_all(to - from, &way, &Usual::default());
        // Where leaving the CPU is not told, more may belong to it, or less.
        let sure = confidence(&charges, true, recording.off_cpu);
        Stalled {
            stall: Stall { process, from, to, message: false, touch: None },
            charges: Ok((charges, sure)),
        }
    });
    Found::of(Vec::new(), stalled.collect(), 0)
}

/// The time of a main thread, and how long it may be unseen in a stretch, ns.
pub(super) struct Stretches {
    pieces: Vec<Piece>,
    unseen: i64,
}

impl Stretches {
    /// Of the main thread of this process.
    pub fn of(recording: &Recording, process: i32) -> Stretches {
        let samples = recording.mains.get(&process).map(|main| main.samples.as_slice()).unwrap_or_default();
        let unseen = match recording.off_cpu {
            true => 0,
            false => UNSEEN.max(UNSEEN_LOOKS.saturating_mul(usual(samples))),
        };
        Stretches { pieces: pieces(samples, recording.off_cpu), unseen }
    }

    /// Those in which main had something to do, long enough.
    pub fn long<'a>(&'a self, keys: &'a Keys) -> impl Iterator<Item = &'a [Piece]> {
        let idle = |piece: &Piece| keys.is_idle(piece.doing.stack());
        let together =
            move |a: &Piece, b: &Piece| !idle(a) && !idle(b) && b.from.saturating_sub(a.to) <= self.unseen;
        let runs = self.pieces.chunk_by(together).filter(move |run| !idle(&run[0]));
        runs.filter(|run| run[run.len() - 1].to.saturating_sub(run[0].from) >= LEAST)
    }
}

fn way(pieces: &[Piece], keys: &Keys) -> Way {
    let mut way = Way::default();
    let mut known_to = pieces[0].from;
    for piece in pieces {
        add(&mut way, None, piece.from - known_to, keys);
        add(&mut way, Some(piece.doing), piece.to - piece.from, keys);
        known_to = piece.to;
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inquiry::Confidence;
    use crate::kind::Why;
    use crate::stacks::recording::{Call, Sample, Seen};

    const MS: i64 = 1_000_000;

    fn recording(off_cpu: bool) -> (Recording, [u32; 3]) {
        let mut recording = Recording::new(None, off_cpu);
        let mut stack = |names: &[&str]| {
            let numbers = names.iter().map(|name| {
                recording.call(Call { name: (*name).to_owned(), file: "/data/app/base.apk".to_owned() })
            });
            let numbers = numbers.collect();
            recording.stack(numbers)
        };
        let work = stack(&["com.shop.Thumb.decode", "com.shop.Feed.bind"]);
        let wait = stack(&["java.lang.Object.wait", "com.shop.Net.await"]);
        let idle = stack(&["android.os.MessageQueue.nativePollOnce", "android.os.Looper.loop"]);
        (recording, [work, wait, idle])
    }

    fn see(recording: &mut Recording, at: i64, seen: Seen, stack: u32) {
        recording.add(7, Sample { at: at * MS, seen, stack: (seen != Seen::Back).then_some(stack) });
    }

    fn ran() -> Seen {
        Seen::Ran(Some(MS))
    }

    /// Idle to 10, works to 70, waits to 120, idle.
    fn held() -> Recording {
        let (mut recording, [work, wait, idle]) = recording(true);
        see(&mut recording, 0, Seen::Left, idle);
        see(&mut recording, 10, Seen::Back, 0);
        (11..=70).for_each(|at| see(&mut recording, at, ran(), work));
        see(&mut recording, 70, Seen::Left, wait);
        see(&mut recording, 120, Seen::Back, 0);
        see(&mut recording, 120, Seen::Left, idle);
        see(&mut recording, 200, Seen::Back, 0);
        recording
    }

    #[test]
    fn a_stall_is_charged_to_what_main_ran_and_where_it_was_off_its_cpu_to_the_microsecond() {
        let found = stalls(&held(), 7, Rules::Time);
        assert_eq!((found.stalled.len(), found.stalls.us), (1, 110_000));
        let (charges, confidence) = found.stalled[0].charges.as_ref().expect("charged");
        let told: Vec<_> = charges.charged.iter().map(|one| (one.cause.sentence(), one.us)).collect();
        let work = "main runs com.shop.Thumb.decode, called by com.shop.Feed.bind".to_owned();
        assert_eq!(told, [(work, 60_000), ("main is off its CPU in com.shop.Net.await".to_owned(), 50_000)]);
        assert_eq!((charges.unexplained_us, *confidence), (0, Confidence::Sure));
    }

    #[test]
    fn short_stretches_and_waits_for_the_next_message_are_no_stalls() {
        let (mut recording, [work, _, idle]) = recording(true);
        for start in [0, 100, 200] {
            see(&mut recording, start, Seen::Left, idle);
            (start + 21..=start + 99).for_each(|at| see(&mut recording, at, ran(), work));
        }
        assert_eq!(stalls(&recording, 7, Rules::Time).stalled, []);
    }

    #[test]
    fn without_leaving_told_main_is_held_up_while_it_is_seen_running_and_what_is_between_is_unexplained() {
        let (mut recording, [work, ..]) = recording(false);
        (1..=60).for_each(|at| see(&mut recording, at, ran(), work));
        (65..=100).for_each(|at| see(&mut recording, at, ran(), work));
        (120..=150).for_each(|at| see(&mut recording, at, ran(), work));
        let found = stalls(&recording, 7, Rules::Time);
        let stall: Vec<_> =
            found.stalled.iter().map(|one| (one.stall.from / MS, one.stall.to / MS)).collect();
        assert_eq!(stall, [(0, 100)]);
        let (charges, confidence) = found.stalled[0].charges.as_ref().expect("charged");
        assert_eq!((charges.charged[0].us, charges.unexplained_us), (96_000, 4_000));
        assert_eq!((charges.why.as_slice(), *confidence), (&[(Why::NoStack, 4_000)][..], Confidence::Likely));
    }

    #[test]
    fn by_the_key_stack_all_of_a_stall_is_what_is_there_most_often_every_52_ms() {
        let found = stalls(&held(), 7, Rules::KeyStack);
        let (charges, _) = found.stalled[0].charges.as_ref().expect("charged");
        // Looked at 62 (works) and 114 (waits): the first of equals.
        assert_eq!((charges.charged.len(), charges.charged[0].us), (1, 110_000));
        assert_eq!(charges.charged[0].cause.object, "com.shop.Thumb.decode, called by com.shop.Feed.bind");
        assert!(charges.charged[0].detail.starts_with("1 of 2 looks, 52 ms apart: "));
    }
}
