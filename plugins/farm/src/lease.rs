//! A lease as its holder knows it: when to ask, and until when it is safe to act as the holder. Pure: times are handed
//! in, of a clock that never goes back on this host alone.
//!
//! What is sure is counted from when the question was *sent*: the answer may have been on its way for long.
//! Must not know: clocks, servers, what is leased.

use farmjank_results::time::{RunTime, Span};
use farmjank_seams::exchange::{Fence, Leased};

/// How long a lease holds without renewal, how often it is renewed, and how early its holder stops believing in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The server forgets it after that.
    pub term: Span,
    /// Between two renewals.
    pub beat: Span,
    /// Before the end of its term the holder lets go.
    pub margin: Span,
}

impl Terms {
    /// As farms have them.
    pub const FARM: Terms =
        Terms { term: Span::from_ms(45_000), beat: Span::from_ms(15_000), margin: Span::from_ms(15_000) };
}

/// What to ask next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// For a lease that nobody holds.
    Claim,
    /// For another term.
    Renew(Fence),
    /// Nothing before then.
    Wait(RunTime),
    /// Nothing: somebody else holds it.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    /// Held, and sure until then.
    Held(Fence, RunTime),
    Lost,
}

/// A lease.
#[derive(Clone, Debug)]
pub struct Lease {
    terms: Terms,
    state: State,
    next: RunTime,
    /// The highest fence seen. What is granted with none higher is of a store that went back.
    highest: Fence,
}

impl Lease {
    /// Not asked for yet.
    pub fn new(terms: Terms) -> Lease {
        Lease { terms, state: State::Free, next: RunTime::from_ns(i64::MIN), highest: Fence(0) }
    }

    /// What to ask now.
    pub fn ask(&self, now: RunTime) -> Ask {
        match self.state {
            State::Lost => Ask::Nothing,
            _ if now < self.next => Ask::Wait(self.next),
            State::Free => Ask::Claim,
            State::Held(fence, _) => Ask::Renew(fence),
        }
    }

    /// What came of a question that was sent then. `mine` says whether a holder's words are ours.
    pub fn answered(&mut self, sent: RunTime, answer: &Leased, mine: impl Fn(&[u8]) -> bool) {
        match answer {
            Leased::Granted(fence) => {
                self.state = State::Held(*fence, sent + self.terms.term);
                self.highest = self.highest.max(*fence);
                self.next = sent + self.terms.beat;
            }
            // The answer to an earlier question was lost: it is ours, and how long is only sure once it is renewed.
            Leased::Held(holder) if mine(&holder.body) => {
                let until = match self.state {
                    State::Held(_, until) => until,
                    _ => RunTime::from_ns(i64::MIN),
                };
                self.state = State::Held(holder.fence, until);
                self.next = sent;
            }
            Leased::Held(_) => match self.state {
                State::Held(..) => self.state = State::Lost,
                _ => self.next = sent + self.terms.beat,
            },
            // Its term ended, or the store was lost: nobody has it, so it may be asked for again.
            Leased::Gone => (self.state, self.next) = (State::Free, sent),
        }
    }

    /// No answer came to a question that was sent then.
    pub fn unanswered(&mut self, sent: RunTime) {
        self.next = self.next.max(sent + self.soon());
    }

    /// Whether nobody else can hold it now.
    pub fn is_safe(&self, now: RunTime) -> bool {
        matches!(self.state, State::Held(_, until) if now < until - self.terms.margin)
    }

    /// Its fence, while it is held as far as is known.
    pub fn fence(&self) -> Option<Fence> {
        match self.state {
            State::Held(fence, _) => Some(fence),
            _ => None,
        }
    }

    /// Somebody else holds what was ours.
    pub fn is_lost(&self) -> bool {
        self.state == State::Lost
    }

    /// Somebody else has it, and may not keep it: it is asked for again soon, for who follows a run ends once it has
    /// it.
    pub fn ask_anew(&mut self, now: RunTime) {
        (self.state, self.next) = (State::Free, now + self.soon());
    }

    /// Between two questions of who waits for an answer.
    fn soon(&self) -> Span {
        Span::from_ns(self.terms.beat.ns() / 5)
    }

    /// The highest fence there was.
    pub fn highest(&self) -> Fence {
        self.highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_seams::exchange::Holder;

    const S: i64 = 1_000_000_000;

    fn at(seconds: i64) -> RunTime {
        RunTime::from_ns(seconds * S)
    }

    fn held(body: &[u8], fence: u64) -> Leased {
        Leased::Held(Holder { body: body.to_vec(), fence: Fence(fence) })
    }

    fn mine(body: &[u8]) -> bool {
        body == b"me"
    }

    #[test]
    fn a_holder_that_hears_nothing_lets_go_before_anybody_else_can_have_it() {
        let mut lease = Lease::new(Terms::FARM);
        assert_eq!(lease.ask(at(0)), Ask::Claim);
        // Sent at 0, answered at 10: the server's term began somewhere between.
        lease.answered(at(0), &Leased::Granted(Fence(7)), mine);
        assert!(
            lease.is_safe(at(29)) && !lease.is_safe(at(30)),
            "45 s of term less 15 s of margin, from when it was sent"
        );
        assert_eq!(lease.ask(at(14)), Ask::Wait(at(15)));
        assert_eq!(lease.ask(at(15)), Ask::Renew(Fence(7)));
        lease.unanswered(at(15));
        assert_eq!(lease.ask(at(16)), Ask::Wait(at(18)));
        lease.answered(at(18), &Leased::Granted(Fence(9)), mine);
        assert!(lease.is_safe(at(47)) && !lease.is_safe(at(48)));
        assert_eq!(lease.highest(), Fence(9));
    }

    #[test]
    fn a_claim_whose_answer_was_lost_is_ours_once_it_is_renewed() {
        let mut lease = Lease::new(Terms::FARM);
        lease.unanswered(at(0));
        lease.answered(at(5), &held(b"me", 3), mine);
        assert!(!lease.is_safe(at(5)), "nobody knows since when");
        assert_eq!(lease.ask(at(5)), Ask::Renew(Fence(3)));
        lease.answered(at(5), &Leased::Granted(Fence(4)), mine);
        assert!(lease.is_safe(at(6)));
        // A renewal whose answer was lost: the fence is another, and still ours.
        lease.unanswered(at(20));
        lease.answered(at(23), &held(b"me", 5), mine);
        assert!(lease.is_safe(at(23)) && lease.fence() == Some(Fence(5)));
    }

    #[test]
    fn who_was_taken_over_from_never_asks_again() {
        let mut lease = Lease::new(Terms::FARM);
        lease.answered(at(0), &held(b"other", 3), mine);
        assert!(!lease.is_lost(), "it was never ours: wait for it");
        lease.answered(at(20), &Leased::Granted(Fence(4)), mine);
        lease.answered(at(70), &held(b"other", 6), mine);
        assert!(lease.is_lost() && !lease.is_safe(at(70)));
        assert_eq!(lease.ask(at(1000)), Ask::Nothing);
    }

    #[test]
    fn what_nobody_holds_any_more_is_asked_for_again_at_once() {
        let mut lease = Lease::new(Terms::FARM);
        lease.answered(at(0), &Leased::Granted(Fence(4)), mine);
        lease.answered(at(60), &Leased::Gone, mine);
        assert!(!lease.is_safe(at(60)));
        assert_eq!(lease.ask(at(60)), Ask::Claim);
    }
}
