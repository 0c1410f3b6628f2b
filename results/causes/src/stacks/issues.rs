//! Stalls that something inside the app saw and wrote down itself: how long main was held up, and in which methods for
//! how long.

use super::key::Keys;
use super::pieces::Doing;
use super::recording::{Call, Recording};
use super::spent::add;
use crate::add::{Usual, charge_all};
use crate::frame::Way;
use crate::inquiry::{Found, Stalled, confidence};
use crate::stall::Stall;

/// A method main was inside of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    /// How many others it is inside of.
    pub depth: usize,
    /// Its name; empty where nobody knows.
    pub method: String,
    /// For how long, with everything it called, ns.
    pub ns: i64,
}

/// One stall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// It ended then, ns.
    pub ended: i64,
    /// How long it was, ns.
    pub ns: i64,
    /// Methods, each before those it called.
    pub methods: Vec<Inside>,
}

/// What main was held up by in all of them: every method by the time it did not spend in others.
pub fn of_issues(issues: &[Issue]) -> Found {
    let mut recording = Recording::default();
    let mut spent: Vec<Vec<(u32, i64)>> = Vec::new();
    for issue in issues {
        spent.push(own_times(&issue.methods, &mut recording));
    }
    let keys = Keys::of(&recording);
    let one = |(issue, spent): (&Issue, Vec<(u32, i64)>)| {
        let mut way = Way::default();
        let mut known = 0;
        for (stack, ns) in spent {
            add(&mut way, Some(Doing::Inside(stack)), ns, &keys);
            known += ns;
        }
        add(&mut way, None, issue.ns - known, &keys);
        let charges = charge_all(issue.ns, &way, &Usual::default());
        let sure = confidence(&charges, true, true);
        let (from, to) = (issue.ended.saturating_sub(issue.ns), issue.ended);
        let stall = Stall { process: 0, from, to, message: true, touch: None };
        Stalled { stall, charges: Ok((charges, sure)) }
    };
    let mut stalled: Vec<Stalled> = issues.iter().zip(spent).map(one).collect();
    stalled.sort_by_key(|one| (one.stall.from, one.stall.to));
    Found::of(Vec::new(), stalled, 0)
}

/// The stack of every method, with the time that is its own.
fn own_times(methods: &[Inside], recording: &mut Recording) -> Vec<(u32, i64)> {
    let mut spent: Vec<(u32, i64)> = Vec::new();
    // Those that are not over: their depth, their call, and where their time is in `spent`.
    let mut open: Vec<(usize, u32, usize)> = Vec::new();
    for inside in methods {
        while open.last().is_some_and(|(depth, ..)| *depth >= inside.depth) {
            open.pop();
        }
        let call = recording.call(Call { name: inside.method.clone(), file: String::new() });
        if let Some((.., caller)) = open.last() {
            spent[*caller].1 -= inside.ns;
        }
        open.push((inside.depth, call, spent.len()));
        let stack = recording.stack(open.iter().rev().map(|(_, call, _)| *call).collect());
        spent.push((stack, inside.ns));
    }
    // Times are rounded: what is called may seem to take longer than its caller.
    spent.into_iter().map(|(stack, ns)| (stack, ns.max(0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn inside(depth: usize, method: &str, ms: i64) -> Inside {
        Inside { depth, method: method.to_owned(), ns: ms * MS }
    }

    #[test]
    fn a_stall_is_charged_to_methods_by_the_time_they_spent_in_no_other() {
        let methods = vec![
            inside(0, "android.os.Handler.dispatchMessage", 700),
            inside(1, "com.shop.Feed.bind", 650),
            inside(2, "com.shop.Thumb.decode", 500),
            inside(2, "com.shop.Prices.format", 50),
            inside(1, "com.shop.Feed.log", 40),
        ];
        let found = of_issues(&[Issue { ended: 10_000 * MS, ns: 720 * MS, methods }]);
        let (charges, _) = found.stalled[0].charges.as_ref().expect("charged");
        let told: Vec<_> =
            charges.charged.iter().map(|one| (one.cause.object.as_str(), one.us / 1_000)).collect();
        let all = [
            ("com.shop.Thumb.decode, called by com.shop.Feed.bind", 500),
            ("com.shop.Feed.bind", 100),
            ("com.shop.Prices.format, called by com.shop.Feed.bind", 50),
            ("com.shop.Feed.log", 40),
            ("android.os.Handler.dispatchMessage", 10),
        ];
        assert_eq!((told.as_slice(), charges.unexplained_us), (&all[..], 20_000));
        assert_eq!(charges.charged[0].cause.sentence(), format!("main is inside {}", all[0].0));
    }

    #[test]
    fn depths_that_jump_and_times_that_do_not_fit_are_never_more_than_the_stall() {
        let methods = vec![
            inside(3, "com.shop.A.a", 100),
            inside(1, "com.shop.B.b", 400),
            inside(2, "com.shop.C.c", 600),
        ];
        let found = of_issues(&[Issue { ended: 0, ns: 500 * MS, methods }]);
        assert_eq!(
            (found.stalls.us, found.stalls.explained_us, found.stalls.unexplained_us),
            (500_000, 500_000, 0)
        );
    }
}
