//! All late frames of an app, and its stalls: their ways as facts come in, then what they are charged to, one by one
//! and together.
//!
//! Memory grows with them and with what is known of the few seconds around those not yet looked at.

use crate::add::{self, Charges, Usual};
use crate::cause::Cause;
use crate::fact::Fact;
use crate::facts::{Facts, NEAR};
use crate::frame::{self, Frame, Way};
use crate::kind::{Kind, Why};
use crate::lanes::{self, Sketch};
use crate::stacks::Looks;
use crate::stall::{self, Stall};
use crate::threads::Threads;
use crate::total;
pub use crate::total::{Answer, Sum, Total};
use farmjank_results::frame_lanes::{FRAMES, Picture, STALLS};
pub use farmjank_results::hitch_causes::Confidence;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Frames looked at together, ns.
const TOGETHER: i64 = 1_000_000_000;

/// One late frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late {
    /// The frame.
    pub frame: Frame,
    /// What it is charged to, and how sure that is; none, with the reason, where nothing can be said.
    pub charges: Answer,
}

/// One stall without a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stalled {
    /// The stall.
    pub stall: Stall,
    /// What it is charged to, all of it, and how sure that is; none, with the reason, where nothing can be said.
    pub charges: Answer,
}

/// Everything found. One field for each thing that is found.
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
    /// Stalls without a frame, in order of time: in none of the numbers above.
    pub stalled: Vec<Stalled>,
    /// All of them together.
    pub stalls: Sum,
    /// Pictures of those that cost most: frames, late by most first, then stalls, the longest first.
    pub pictures: Vec<Picture>,
}

/// Late frames and frames in time, on their way to be looked at. One field for each thing that is followed.
pub struct Inquiry {
    /// In order of their ends, and how many were looked at.
    frames: Vec<Frame>,
    next: usize,
    facts: Facts,
    usual: Usual,
    late: Vec<(Frame, Way)>,
    /// In order of their ends, and their ways as far as they were looked at.
    stalls: Vec<Stall>,
    stalled: Vec<Way>,
    /// Frames and stalls of which there is to be a picture, by their places, and the pictures as far as they are made.
    wanted: [Vec<usize>; 2],
    sketches: [BTreeMap<usize, Sketch>; 2],
    threads_told: bool,
}

impl Inquiry {
    /// Asks about frames of one app, late ones and those in time.
    pub fn about(frames: Vec<Frame>) -> Inquiry {
        Inquiry::of(frames, Vec::new())
    }

    /// Asks about frames of one app, and about its stalls.
    pub fn of(mut frames: Vec<Frame>, mut stalls: Vec<Stall>) -> Inquiry {
        frames.sort_by_key(|frame| (frame.to, frame.process, frame.token));
        stalls.sort_unstable_by_key(|stall| (stall.to, stall.process));
        let stretches = stalls.iter().map(|stall| (stall.from, stall.to));
        let facts = Facts::about(frames.iter().map(|frame| (frame.from, frame.to)).chain(stretches));
        let (usual, late, stalled) = (Usual::default(), Vec::new(), Vec::new());
        let wanted = [
            most(frames.iter().map(|frame| frame.hitch), FRAMES),
            most(stalls.iter().map(|stall| stall.to - stall.from), STALLS),
        ];
        let sketches = Default::default();
        Inquiry {
            frames,
            next: 0,
            facts,
            usual,
            late,
            stalls,
            stalled,
            wanted,
            sketches,
            threads_told: false,
        }
    }

    /// The same, with looks at threads' calls, which name what facts leave open.
    pub fn beside(mut self, looks: Rc<Looks>) -> Inquiry {
        self.facts = self.facts.beside(looks);
        self
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
        let over = |to: i64| to.saturating_add(NEAR) < reached;
        let frame = self.frames.get(self.next).is_some_and(|frame| over(frame.to));
        frame || self.next_stall().is_some_and(|stall| over(stall.to))
    }

    fn next_stall(&self) -> Option<&Stall> {
        self.stalls.get(self.stalled.len())
    }

    /// What is known by now, to be completed by what has begun and not ended.
    pub fn known(&self) -> Facts {
        self.facts.clone()
    }

    /// Looks at every frame and stall that is over, by [`Inquiry::known`] and what is open.
    pub fn look(&mut self, mut facts: Facts, reached: i64, threads: &Threads) {
        facts.settle();
        let over = |to: i64| to.saturating_add(NEAR) < reached;
        while let Some(stall) = self.next_stall().filter(|stall| over(stall.to)) {
            let nth = self.stalled.len();
            let mut way = stall::way(stall, &facts, threads, self.wanted[1].contains(&nth));
            if let Some(seen) = way.seen.take().filter(|_| !way.lost) {
                self.sketches[1].insert(nth, lanes::of_stall(stall, &seen, &facts, threads));
            }
            self.stalled.push(way);
        }
        while let Some(frame) = self.frames.get(self.next).filter(|frame| over(frame.to)) {
            let mut way = frame::way(frame, &facts, threads, self.wanted[0].contains(&self.next));
            if let Some(seen) = way.seen.take().filter(|_| !way.lost) {
                self.sketches[0].insert(self.next, lanes::of_frame(frame, &seen, &facts, threads));
            }
            if frame.hitch > 0 {
                self.late.push((frame.clone(), way));
            } else if !way.lost && way.marked {
                self.usual.learn(&way);
            }
            self.next += 1;
        }
        let stalls = self.stalls[self.stalled.len()..].iter().map(|stall| stall.from);
        let oldest = self.frames[self.next..].iter().map(|frame| frame.from).chain(stalls).min();
        self.facts.forget_before(oldest.unwrap_or(i64::MAX).saturating_sub(NEAR));
    }

    /// Looks at the rest and adds up. `lost`: the tracer says that it lost events, and not where.
    pub fn finish(mut self, threads: &Threads, lost: Option<&str>) -> Found {
        let facts = std::mem::take(&mut self.facts);
        self.look(facts, i64::MAX, threads);
        let refused = |way: &Way| match (way.lost, lost, self.threads_told) {
            (true, ..) => Some("events were lost around it"),
            (_, Some(lost), _) => Some(lost),
            (.., false) => Some("the trace holds no scheduler events"),
            _ => None,
        };
        let asked = |way: &Way, charge: &dyn Fn() -> (Charges, Confidence)| match refused(way) {
            Some(why) => Err(why.to_owned()),
            None => Ok(charge()),
        };
        let usual = &self.usual;
        let of_frame = |frame: &Frame, way: &Way| {
            let charges = add::charge(frame, way, usual);
            let confidence = confidence(&charges, way.marked, usual.known());
            (charges, confidence)
        };
        let of_stall = |stall: &Stall, way: &Way| {
            let charges = add::charge_all(stall.to - stall.from, way, usual);
            // What is no message may be several.
            let confidence = confidence(&charges, true, way.marked);
            (charges, confidence)
        };
        let mut late: Vec<Late> = Vec::new();
        for (frame, way) in &self.late {
            let charges = asked(way, &|| of_frame(frame, way));
            late.push(Late { frame: frame.clone(), charges });
        }
        late.sort_by_key(|late| (late.frame.to, late.frame.token));
        let stalls = self.stalls.iter().zip(&self.stalled);
        let stalled: Vec<Stalled> = stalls
            .map(|(stall, way)| Stalled { stall: *stall, charges: asked(way, &|| of_stall(stall, way)) })
            .collect();
        let [mut of_frames, mut of_stalls] = std::mem::take(&mut self.sketches);
        let mut pictures = Vec::new();
        for nth in &self.wanted[0] {
            let Frame { process, token, .. } = self.frames[*nth];
            let own = late.iter().find(|late| (late.frame.process, late.frame.token) == (process, token));
            let charged = own.and_then(|late| late.charges.as_ref().ok());
            pictures
                .extend(charged.zip(of_frames.remove(nth)).map(|((charges, _), one)| one.charged(charges)));
        }
        for nth in &self.wanted[1] {
            let charged = stalled.get(*nth).and_then(|one: &Stalled| one.charges.as_ref().ok());
            pictures
                .extend(charged.zip(of_stalls.remove(nth)).map(|((charges, _), one)| one.charged(charges)));
        }
        Found { pictures, ..Found::of(late, stalled, usual.frames()) }
    }
}

/// The places of those that cost most, the first of equals first; what costs nothing is none of them.
fn most(costs: impl Iterator<Item = i64>, many: usize) -> Vec<usize> {
    let mut order: Vec<(i64, usize)> = costs.enumerate().map(|(nth, cost)| (-cost, nth)).collect();
    order.retain(|(cost, _)| *cost < 0);
    order.sort_unstable();
    order.truncate(many);
    order.into_iter().map(|(_, nth)| nth).collect()
}

/// `marked`: it is known which thread did it; `alone`: nothing else can be in it.
pub(crate) fn confidence(charges: &Charges, marked: bool, alone: bool) -> Confidence {
    let named =
        |cause: &Cause| !cause.object.is_empty() || !matches!(cause.kind, Kind::Code | Kind::KernelSleep);
    let all: i64 = charges.charged.iter().map(|one| one.us).sum::<i64>() + charges.unexplained_us;
    let sure: i64 = charges.charged.iter().filter(|one| named(&one.cause)).map(|one| one.us).sum();
    match marked {
        true if 5 * sure >= 4 * all && alone => Confidence::Sure,
        true if 2 * sure >= all => Confidence::Likely,
        _ => Confidence::Weak,
    }
}

impl Found {
    /// These, added up.
    pub(crate) fn of(late: Vec<Late>, stalled: Vec<Stalled>, in_time: usize) -> Found {
        let frames = total::sum(late.iter().map(|one| (one.frame.hitch / 1_000, &one.charges)));
        let length = |one: &Stalled| (one.stall.to - one.stall.from) / 1_000;
        let stalls = total::sum(stalled.iter().map(|one| (length(one), &one.charges)));
        let Sum { us: hitch_us, explained_us, unexplained_us, unknown_us, totals, why } = frames;
        Found {
            late,
            totals,
            in_time,
            hitch_us,
            explained_us,
            unexplained_us,
            unknown_us,
            why,
            stalled,
            stalls,
            pictures: Vec::new(),
        }
    }
}
