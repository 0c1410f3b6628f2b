//! Adding up: how much of a frame's lateness each cause is charged, exact to the microsecond.
//!
//! A late frame is held against the frames in time of the same app in the same trace: what took no longer than in
//! nineteen of twenty of them is usual and no cause; of what took longer, what is beyond their middle counts. A frame
//! that misses its deadline by two milliseconds is shown a whole refresh later: the refresh is charged to what made it
//! miss, each cause by its share.

use crate::cause::Cause;
use crate::frame::{Frame, Spent, Way};
use crate::kind::{Kind, Place, Why};
use farmjank_results::hitch_causes::FEWEST_IN_TIME;
use std::collections::BTreeMap;

/// Frames in time needed to tell what is usual.
pub const FEWEST: usize = FEWEST_IN_TIME as usize;

/// What is usual: every cause's times in frames in time.
#[derive(Clone, Debug, Default)]
pub struct Usual {
    frames: usize,
    /// Times, ns, sorted; frames without the cause are not in it.
    times: BTreeMap<Cause, Vec<i64>>,
    /// Time the frames' threads ran, by clock rate, kHz.
    rates: BTreeMap<u32, i64>,
}

impl Usual {
    /// Learns from a frame in time.
    pub fn learn(&mut self, way: &Way) {
        self.frames += 1;
        for (cause, spent) in &way.spent {
            let times = self.times.entry(cause.clone()).or_default();
            let at = times.partition_point(|ns| *ns < spent.ns);
            times.insert(at, spent.ns);
            spent.by_rate.iter().for_each(|((khz, _), ns)| *self.rates.entry(*khz).or_default() += ns);
        }
    }

    /// Frames in time.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Whether there are enough to tell what is usual.
    pub fn known(&self) -> bool {
        self.frames >= FEWEST
    }

    /// The time below which this share of the frames stays, in percent.
    fn quantile(&self, cause: &Cause, percent: usize) -> i64 {
        let Some(times) = self.times.get(cause).filter(|_| self.known()) else { return 0 };
        // Frames without the cause come first, as zeros.
        let at = (self.frames - 1) * percent / 100;
        (at + times.len()).checked_sub(self.frames).and_then(|at| times.get(at)).copied().unwrap_or(0)
    }

    /// The middle clock rate frames in time ran at, kHz.
    fn rate(&self) -> Option<u32> {
        let all: i64 = self.rates.values().sum();
        let mut below = 0;
        let middle = self.rates.iter().find(|(_, ns)| {
            below += **ns;
            2 * below >= all
        });
        middle.map(|(khz, _)| *khz).filter(|khz| *khz > 0 && self.known())
    }
}

/// One cause's part of one late frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// The cause.
    pub cause: Cause,
    /// Time charged, µs.
    pub us: i64,
    /// Time it took in this frame, µs.
    pub took_us: i64,
    /// Time it takes in the middle one of the frames in time, µs.
    pub usual_us: i64,
    /// What is known beside; empty where nothing is.
    pub detail: String,
    /// The method it is charged to, with its package; empty where nothing tells.
    pub method: String,
}

/// How a late frame's time is charged. Charges and what is unexplained are the hitch, exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charges {
    /// By cause, most first.
    pub charged: Vec<Charged>,
    /// What nothing explains, µs.
    pub unexplained_us: i64,
    /// Why not, with how much; empty where all is explained.
    pub why: Vec<(Why, i64)>,
}

/// Time beyond the usual of one cause, ns.
struct Excess {
    cause: Cause,
    ns: i64,
    took: i64,
    usual: i64,
    detail: String,
    method: String,
}

/// Charges a late frame.
pub fn charge(frame: &Frame, way: &Way, usual: &Usual) -> Charges {
    let hitch_us = frame.hitch.max(0) / 1_000;
    let excesses = match frame.blamed.stuffed && !frame.blamed.app && !frame.blamed.compositor {
        true => vec![stuffed(frame)],
        false => excesses(frame, way, usual),
    };
    // What made the app miss its deadline by so much made it late; what is less than that leaves some unexplained.
    let missed =
        frame.deadline.map(|deadline| frame.done.saturating_sub(deadline)).filter(|missed| *missed > 0);
    let needed = match frame.blamed.app
        || !(frame.blamed.compositor || frame.blamed.display || frame.blamed.stuffed)
    {
        true => missed.unwrap_or(frame.hitch).min(frame.hitch).max(1),
        false => 1,
    };
    let why = if way.marked { Why::Usual } else { Why::NoSlices };
    given(hitch_us, excesses, needed, why)
}

/// Charges a stall: everything in it, as no frame says what is usual of one.
pub fn charge_all(ns: i64, way: &Way, usual: &Usual) -> Charges {
    let mut all: BTreeMap<Cause, Spent> = BTreeMap::new();
    for (cause, spent) in &way.spent {
        slowed(cause, spent, usual.rate(), &mut all);
    }
    let whole = |(cause, spent): (Cause, Spent)| {
        let (detail, method) = (most(spent.details), most(spent.methods));
        (spent.ns > 0).then_some(Excess { cause, ns: spent.ns, took: spent.ns, usual: 0, detail, method })
    };
    given(ns.max(0) / 1_000, all.into_iter().filter_map(whole).collect(), 1, Why::NoScheduler)
}

/// Gives a time to causes by their weights, of at least this much together, ns; what is given to none is for this
/// reason.
fn given(whole_us: i64, excesses: Vec<Excess>, needed: i64, rest: Why) -> Charges {
    let all: i64 = excesses.iter().map(|one| one.ns).sum();
    let shares = shares(whole_us, &excesses.iter().map(|one| one.ns).collect::<Vec<_>>(), all.max(needed));
    let mut charges = Charges { charged: Vec::new(), unexplained_us: whole_us, why: Vec::new() };
    for (one, us) in excesses.into_iter().zip(shares).filter(|(_, us)| *us > 0) {
        if let Kind::Unexplained(why) = one.cause.kind {
            charges.why.push((why, us));
            continue;
        }
        charges.unexplained_us -= us;
        charges.charged.push(Charged {
            cause: one.cause,
            us,
            took_us: one.took / 1_000,
            usual_us: one.usual / 1_000,
            detail: one.detail,
            method: one.method,
        });
    }
    let told: i64 = charges.why.iter().map(|(_, us)| us).sum();
    if charges.unexplained_us > told {
        charges.why.push((rest, charges.unexplained_us - told));
    }
    charges.charged.sort_by(|a, b| (b.us, &a.cause).cmp(&(a.us, &b.cause)));
    charges
}

/// What was so longest; empty where nothing is known.
fn most(details: BTreeMap<String, i64>) -> String {
    details.into_iter().max_by_key(|(_, ns)| *ns).map(|(detail, _)| detail).unwrap_or_default()
}

fn stuffed(frame: &Frame) -> Excess {
    let nothing = String::new;
    let cause = Cause { place: Place::App, kind: Kind::QueueStuffed, thread: nothing(), object: nothing() };
    let (detail, method) = (nothing(), nothing());
    Excess { cause, ns: frame.hitch.max(1), took: frame.hitch, usual: 0, detail, method }
}

fn excesses(frame: &Frame, way: &Way, usual: &Usual) -> Vec<Excess> {
    let mut all: BTreeMap<Cause, Spent> = BTreeMap::new();
    for (cause, spent) in &way.spent {
        slowed(cause, spent, usual.rate(), &mut all);
    }
    let counts = |cause: &Cause| match (cause.kind, cause.place) {
        (Kind::Turn, _) => false,
        (Kind::DisplayHal, _) => frame.blamed.display,
        (_, Place::Compositor) => frame.blamed.compositor,
        // The platform holds the frame against the compositor alone: the app was in time.
        (_, Place::App) => frame.blamed.app || !(frame.blamed.compositor || frame.blamed.display),
    };
    let excess = |(cause, spent): (Cause, Spent)| {
        let (middle, high) = (usual.quantile(&cause, 50), usual.quantile(&cause, 95));
        let (detail, method) = (most(spent.details), most(spent.methods));
        let ns = if spent.ns > high { spent.ns - middle } else { 0 };
        (ns > 0).then_some(Excess { cause, ns, took: spent.ns, usual: middle, detail, method })
    };
    all.into_iter().filter(|(cause, _)| counts(cause)).filter_map(excess).collect()
}

/// Splits what a thread ran at a lower clock rate than usual: what it would have taken, and what the clock added.
fn slowed(cause: &Cause, spent: &Spent, usual: Option<u32>, all: &mut BTreeMap<Cause, Spent>) {
    let mut work = spent.clone();
    if let Some(usual) = usual.map(i64::from) {
        for ((khz, throttled), ns) in &spent.by_rate {
            let added = ns - ns.saturating_mul(i64::from(*khz).min(usual)) / usual;
            if added <= 0 {
                continue;
            }
            work.ns -= added;
            let kind = if *throttled { Kind::CpuThrottled } else { Kind::CpuSlow };
            let slow = Cause { kind, object: String::new(), ..cause.clone() };
            all.entry(slow).or_default().ns += added;
        }
    }
    let known = all.entry(cause.clone()).or_default();
    known.ns += work.ns;
    known.details.extend(work.details);
    known.methods.extend(work.methods);
}

/// Parts of a whole, in whole units, so that parts of everything are everything: the largest remainders get one more.
/// `all` is at least the sum of the weights; what they leave is nobody's.
fn shares(whole: i64, weights: &[i64], all: i64) -> Vec<i64> {
    let of = |weight: i64| i128::from(whole) * i128::from(weight);
    let all = i128::from(all.max(1));
    let mut parts: Vec<i64> = weights.iter().map(|weight| (of(*weight) / all) as i64).collect();
    let taken: i128 = weights.iter().map(|weight| of(*weight)).sum();
    let mut left = (taken / all) as i64 - parts.iter().sum::<i64>();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|nth| std::cmp::Reverse(of(weights[*nth]) % all));
    for nth in order {
        if left <= 0 {
            break;
        }
        parts[nth] += 1;
        left -= 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_of_everything_are_everything(
            whole in 0_i64..100_000_000,
            weights in prop::collection::vec(0_i64..1_000_000_000_000, 0..12),
            more in 0_i64..1_000_000_000,
        ) {
            let sum: i64 = weights.iter().sum();
            let parts = shares(whole, &weights, sum + more);
            let given: i64 = parts.iter().sum();
            prop_assert!(parts.iter().all(|part| *part >= 0) && given <= whole);
            if more == 0 && sum > 0 {
                prop_assert_eq!(given, whole);
            }
            for (part, weight) in parts.iter().zip(&weights) {
                let exact = whole as f64 * *weight as f64 / (sum + more).max(1) as f64;
                prop_assert!((*part as f64 - exact).abs() <= 1.0);
            }
        }
    }
}
