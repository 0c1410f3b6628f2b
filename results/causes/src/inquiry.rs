//! All late frames of an app: their ways as facts come in, then what they are charged to, one by one and together.
//!
//! Memory grows with the frames and with what is known of the few seconds around those not yet looked at.

use crate::add::{self, Charges, Usual};
use crate::cause::Cause;
use crate::fact::Fact;
use crate::facts::{Facts, NEAR};
use crate::frame::{self, Frame, Way};
use crate::kind::{Kind, Why};
use crate::threads::Threads;
pub use farmjank_results::hitch_causes::Confidence;
use std::collections::BTreeMap;

/// Frames looked at together, ns.
const TOGETHER: i64 = 1_000_000_000;

/// One late frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late {
    /// The frame.
    pub frame: Frame,
    /// What it is charged to, and how sure that is; none, with the reason, where nothing can be said.
    pub charges: Result<(Charges, Confidence), String>,
}

/// One cause over all late frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// The cause.
    pub cause: Cause,
    /// Time charged, µs.
    pub us: i64,
    /// Late frames it is in.
    pub frames: usize,
    /// Time it takes in the middle one of the frames in time, µs.
    pub usual_us: i64,
    /// What is known beside, of the frame it cost most.
    pub detail: String,
    /// How sure, at least, half of the time or more is.
    pub confidence: Confidence,
}

/// Everything found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Late frames, in order of time.
    pub late: Vec<Late>,
    /// Causes over all of them, most first.
    pub totals: Vec<Total>,
    /// Frames in time they are held against.
    pub in_time: usize,
    /// Time of all late frames, µs; what of it is charged, what is not, and what nobody can tell of, µs.
    pub hitch_us: i64,
    /// Charged.
    pub explained_us: i64,
    /// Not charged.
    pub unexplained_us: i64,
    /// Of frames whose events were lost.
    pub unknown_us: i64,
    /// Why not, most first, µs.
    pub why: Vec<(Why, i64)>,
}

/// Late frames and frames in time, on their way to be looked at.
pub struct Inquiry {
    /// In order of their ends, and how many were looked at.
    frames: Vec<Frame>,
    next: usize,
    facts: Facts,
    usual: Usual,
    late: Vec<(Frame, Way)>,
    threads_told: bool,
}

impl Inquiry {
    /// Asks about frames of one app, late ones and those in time.
    pub fn about(mut frames: Vec<Frame>) -> Inquiry {
        frames.sort_by_key(|frame| (frame.to, frame.process, frame.token));
        let facts = Facts::about(frames.iter().map(|frame| (frame.from, frame.to)));
        Inquiry { frames, next: 0, facts, usual: Usual::default(), late: Vec::new(), threads_told: false }
    }

    /// Takes a fact.
    pub fn take(&mut self, fact: &Fact<'_>) {
        self.threads_told |= matches!(fact, Fact::State(_));
        self.facts.take(fact);
    }

    /// Whether it is time to look, when everything before this instant is told: some frames are over for a while. What
    /// is known is copied for each look, so many frames share one.
    pub fn ready(&self, reached: i64) -> bool {
        self.is_over(reached.saturating_sub(TOGETHER))
    }

    fn is_over(&self, reached: i64) -> bool {
        self.frames.get(self.next).is_some_and(|frame| frame.to.saturating_add(NEAR) < reached)
    }

    /// What is known by now, to be completed by what has begun and not ended.
    pub fn known(&self) -> Facts {
        self.facts.clone()
    }

    /// Looks at every frame that is over, by [`Inquiry::known`] and what is open.
    pub fn look(&mut self, mut facts: Facts, reached: i64, threads: &Threads) {
        facts.settle();
        while self.is_over(reached) {
            let frame = &self.frames[self.next];
            let way = frame::way(frame, &facts, threads);
            if frame.hitch > 0 {
                self.late.push((frame.clone(), way));
            } else if !way.lost && way.marked {
                self.usual.learn(&way);
            }
            self.next += 1;
        }
        let oldest = self.frames[self.next..].iter().map(|frame| frame.from).min();
        self.facts.forget_before(oldest.unwrap_or(i64::MAX).saturating_sub(NEAR));
    }

    /// Looks at the rest and adds up. `lost`: the tracer says that it lost events, and not where.
    pub fn finish(mut self, threads: &Threads, lost: Option<&str>) -> Found {
        let facts = std::mem::take(&mut self.facts);
        self.look(facts, i64::MAX, threads);
        let mut found = Found { in_time: self.usual.frames(), ..Found::default() };
        for (frame, way) in std::mem::take(&mut self.late) {
            found.hitch_us += frame.hitch / 1_000;
            let refused = match (way.lost, lost, self.threads_told) {
                (true, ..) => Some("events were lost around it"),
                (_, Some(lost), _) => Some(lost),
                (.., false) => Some("the trace holds no scheduler events"),
                _ => None,
            };
            let charges = match refused {
                Some(why) => Err(why.to_owned()),
                None => {
                    let charges = add::charge(&frame, &way, &self.usual);
                    let confidence = confidence(&charges, &way, &self.usual);
                    Ok((charges, confidence))
                }
            };
            found.late.push(Late { frame, charges });
        }
        found.late.sort_by_key(|late| (late.frame.to, late.frame.token));
        found.add_up();
        found
    }
}

/// How sure parts of a time are, µs each.
type Shares = Vec<(Confidence, i64)>;

/// What half of the time or more is at least: one doubtful frame makes no sure cause doubtful.
fn of_most(mut all: Shares, whole: i64) -> Confidence {
    all.sort_unstable();
    let mut sum = 0;
    let middle = all.iter().find(|(_, us)| {
        sum += us;
        2 * sum >= whole
    });
    middle.map_or(Confidence::Weak, |(confidence, _)| *confidence)
}

fn confidence(charges: &Charges, way: &Way, usual: &Usual) -> Confidence {
    let named =
        |cause: &Cause| !cause.object.is_empty() || !matches!(cause.kind, Kind::Code | Kind::KernelSleep);
    let all: i64 = charges.charged.iter().map(|one| one.us).sum::<i64>() + charges.unexplained_us;
    let sure: i64 = charges.charged.iter().filter(|one| named(&one.cause)).map(|one| one.us).sum();
    match way.marked {
        true if 5 * sure >= 4 * all && usual.known() => Confidence::Sure,
        true if 2 * sure >= all => Confidence::Likely,
        _ => Confidence::Weak,
    }
}

impl Found {
    fn add_up(&mut self) {
        let mut totals: BTreeMap<Cause, (Total, i64, Shares)> = BTreeMap::new();
        let mut why: BTreeMap<Why, i64> = BTreeMap::new();
        for late in &self.late {
            let Ok((charges, confidence)) = &late.charges else {
                self.unknown_us += late.frame.hitch / 1_000;
                continue;
            };
            self.unexplained_us += charges.unexplained_us;
            charges.why.iter().for_each(|(one, us)| *why.entry(*one).or_default() += us);
            for one in &charges.charged {
                self.explained_us += one.us;
                let new = || Total {
                    cause: one.cause.clone(),
                    us: 0,
                    frames: 0,
                    usual_us: one.usual_us,
                    detail: String::new(),
                    confidence: Confidence::Sure,
                };
                let (total, most, sure) =
                    totals.entry(one.cause.clone()).or_insert_with(|| (new(), -1, Vec::new()));
                total.us += one.us;
                total.frames += 1;
                sure.push((*confidence, one.us));
                if one.us > *most {
                    (*most, total.detail) = (one.us, one.detail.clone());
                }
            }
        }
        let whole = |(total, _, sure): (Total, i64, Shares)| {
            let confidence = of_most(sure, total.us);
            Total { confidence, ..total }
        };
        self.totals = totals.into_values().map(whole).collect();
        self.totals.sort_by(|a, b| (b.us, &a.cause).cmp(&(a.us, &b.cause)));
        self.why = why.into_iter().collect();
        self.why.sort_by_key(|(_, us)| std::cmp::Reverse(*us));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_as_sure_as_half_of_its_time_and_one_doubtful_frame_takes_nothing_from_it() {
        use Confidence::{Likely, Sure, Weak};
        assert_eq!(of_most(vec![(Weak, 10), (Sure, 30)], 40), Sure);
        assert_eq!(of_most(vec![(Weak, 25), (Sure, 10), (Likely, 5)], 40), Weak);
        assert_eq!(of_most(vec![(Weak, 20), (Sure, 20)], 40), Sure);
        assert_eq!(of_most(Vec::new(), 0), Weak);
    }
}
