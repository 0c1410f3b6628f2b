//! Causes over many frames, or over many stalls: what each is charged in all of them, and how sure that is.

use crate::add::Charges;
use crate::cause::Cause;
use crate::kind::Why;
use farmjank_results::hitch_causes::Confidence;
use std::collections::BTreeMap;

/// One cause over all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// The cause.
    pub cause: Cause,
    /// Time charged, µs.
    pub us: i64,
    /// Late frames, or stalls, it is in.
    pub frames: usize,
    /// Time it takes in the middle one of the frames in time, µs; 0 of stalls.
    pub usual_us: i64,
    /// What is known beside, of the one it cost most.
    pub detail: String,
    /// The method most of the time is charged to, with its package; empty where nothing tells.
    pub method: String,
    /// How sure, at least, half of the time or more is.
    pub confidence: Confidence,
}

/// How one of them is charged, or why nothing can be said.
pub type Answer = Result<(Charges, Confidence), String>;

/// All of them together, µs. What is charged, what is not and what nobody can tell of are everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Everything.
    pub us: i64,
    /// Charged.
    pub explained_us: i64,
    /// Not charged.
    pub unexplained_us: i64,
    /// Of those whose events were lost.
    pub unknown_us: i64,
    /// Causes, most first.
    pub totals: Vec<Total>,
    /// Why not, most first.
    pub why: Vec<(Why, i64)>,
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

/// Adds up answers, each with its time, µs.
pub fn sum<'a>(all: impl Iterator<Item = (i64, &'a Answer)>) -> Sum {
    let mut sum = Sum::default();
    let mut totals: BTreeMap<Cause, (Total, i64, Shares)> = BTreeMap::new();
    let mut methods: BTreeMap<(&Cause, &str), i64> = BTreeMap::new();
    let mut why: BTreeMap<Why, i64> = BTreeMap::new();
    for (us, answer) in all {
        sum.us += us;
        let Ok((charges, confidence)) = answer else {
            sum.unknown_us += us;
            continue;
        };
        sum.unexplained_us += charges.unexplained_us;
        charges.why.iter().for_each(|(one, us)| *why.entry(*one).or_default() += us);
        for one in &charges.charged {
            sum.explained_us += one.us;
            let new = || Total {
                cause: one.cause.clone(),
                us: 0,
                frames: 0,
                usual_us: one.usual_us,
                detail: String::new(),
                method: String::new(),
                confidence: Confidence::Sure,
            };
            let (total, most, sure) =
                totals.entry(one.cause.clone()).or_insert_with(|| (new(), -1, Vec::new()));
            total.us += one.us;
            total.frames += 1;
            sure.push((*confidence, one.us));
            if !one.method.is_empty() {
                *methods.entry((&one.cause, &one.method)).or_default() += one.us;
            }
            if one.us > *most {
                (*most, total.detail) = (one.us, one.detail.clone());
            }
        }
    }
    let mut most = BTreeMap::new();
    for ((cause, method), us) in methods {
        let known = most.entry(cause).or_insert((us, method));
        *known = (us, method).max(*known);
    }
    for (cause, (total, ..)) in &mut totals {
        total.method = most.get(cause).map(|(_, method)| (*method).to_owned()).unwrap_or_default();
    }
    let whole = |(total, _, sure): (Total, i64, Shares)| {
        let confidence = of_most(sure, total.us);
        Total { confidence, ..total }
    };
    sum.totals = totals.into_values().map(whole).collect();
    sum.totals.sort_by(|a, b| (b.us, &a.cause).cmp(&(a.us, &b.cause)));
    sum.why = why.into_iter().collect();
    sum.why.sort_by_key(|(_, us)| std::cmp::Reverse(*us));
    sum
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
