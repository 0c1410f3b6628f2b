//! What a pause does to the refresh rate: panels slow down before it and in it, a touch ends it and raises the rate
//! again.
//!
//! A switch never makes jank (docs/periods.md), so the few frames beside a pause that are exactly one vsync of a slower
//! rate are taken for it. Must not know dumps. Integer ns.

use crate::lattice::{self, LONG, far, near, same};
use crate::path::{FitInput, Rate};
use crate::period::Report;
use crate::time::{DeviceTime, Span};
use std::collections::BTreeSet;
use std::ops::Range;

/// Most lengths before a pause that may be taken for the faster rate by mistake.
const STRAY: usize = 3;

/// A length no moving content has, ns: from a list's last pixel to the next finger's first frame it may take no longer.
const PAUSE: i64 = 60_000_000;

/// A switch to a faster rate just before a pause belongs into the pause when the lengths in between fit the slower rate
/// too (two vsyncs at 60 Hz are three at 90): a touch ends a pause and raises the rate, and a switch never makes jank.
pub(crate) fn switch_in_pauses(path: &mut [Option<usize>], rates: &[Rate], lengths: &[i64]) {
    for index in 1..path.len() {
        let (Some(before), Some(now)) = (path[index - 1], path[index]) else { continue };
        let slow = rates[before].period;
        if slow <= rates[now].period {
            continue;
        }
        let ahead = lengths[index..].iter().take(STRAY + 1);
        let Some(stray) = ahead.clone().position(|length| *length > PAUSE) else { continue };
        let fits_slow = |length: &i64| lattice::residual(*length, slow) < far(slow);
        if ahead.take(stray).all(fits_slow) {
            path[index..=index + stray].fill(Some(before));
        }
    }
}

/// A stretch that ends in a pause, at a rate faster than the one before it, without a single length of one vsync: the
/// panel went on slowing down, where each length is exactly one vsync of a rate in use elsewhere. No dump saw that rate
/// here, and none the faster one. A touch ends a pause and raises the rate, and a switch never makes jank.
pub(crate) fn rest_before_pauses(path: &mut [Option<usize>], input: &FitInput, reports: &[Report]) {
    let (rates, lengths) = (input.rates, input.lengths);
    let used: Vec<usize> = (0..rates.len()).filter(|rate| path.contains(&Some(*rate))).collect();
    for start in 1..path.len() {
        let (Some(before), Some(fast)) = (path[start - 1], path[start]) else { continue };
        // First the test that nearly always ends it: what follows looks ahead to the next pause.
        if rates[before].period <= rates[fast].period {
            continue;
        }
        let frames = lengths[start..].iter().take_while(|length| **length <= LONG).count();
        let end = start + frames;
        let stays = end < path.len() && path[start..=end].iter().all(|rate| *rate == Some(fast));
        if frames == 0 || !stays {
            continue;
        }
        let (from, to) = (input.presents[start], input.presents[end]);
        let inside = |report: &&Report| report.at > from && report.at < to;
        let told = |report: &Report| same(report.period.ns(), rates[fast].period);
        let all_one = |rate: usize| lengths[start..end].iter().all(|length| is_one(*length, &rates[rate]));
        let rested = used.iter().find(|rate| rates[**rate].period > rates[fast].period && all_one(**rate));
        if let Some(slow) = rested.filter(|_| !reports.iter().filter(inside).any(told)) {
            path[start..=end].fill(Some(*slow));
        }
    }
}

/// A length of exactly one vsync.
fn is_one(length: i64, rate: &Rate) -> bool {
    (length - rate.period).abs() < near(rate.period)
}

/// Most frames a panel still shows at its resting rate after a touch (docs/periods.md#how-it-is-found, 6).
const BEFORE_BOOST: usize = 3;

/// The first frames after a pause may still be at the rate the panel rested at: lengths of exactly one vsync of a
/// slower rate that is in use elsewhere, or reported or offered, are taken for it, up to the first frame at the faster
/// one. A boost never makes jank. Not so where a header tells that the panel was at the faster rate when they came.
pub(crate) fn boost_after_pauses(path: &mut [Option<usize>], input: &FitInput) {
    let (rates, lengths) = (input.rates, input.lengths);
    // Where no header tells anything, what the panel can do is no evidence that it did.
    let told = |rate: &usize| rates[*rate].told.is_some() && !input.heard.is_empty();
    let used: Vec<bool> = (0..rates.len()).map(|rate| path.contains(&Some(rate))).collect();
    let is_one = |length: i64, rate: usize| is_one(length, &rates[rate]);
    for start in (0..lengths.len()).filter(|at| *at == 0 || lengths[at - 1] > LONG) {
        let Some(fast) = path[start] else { continue };
        // What came before the first frame of all is not known: it need not have been a pause.
        let known = (0..rates.len()).filter(|rate| used[*rate] || (start > 0 && told(rate)));
        let rested = known.filter(|rate| rates[*rate].period > rates[fast].period);
        let resting =
            |slow: &usize| lengths[start..].iter().take_while(|length| is_one(**length, *slow)).count();
        let Some((slow, frames)) =
            rested.map(|slow| (slow, resting(&slow))).max_by_key(|(_, frames)| *frames)
        else {
            continue;
        };
        let then_fast = lengths.get(start + frames).is_some_and(|length| is_one(*length, fast));
        if (1..=BEFORE_BOOST).contains(&frames) && then_fast && !awake(input, start, fast) {
            path[start..start + frames].fill(Some(slow));
        }
    }
}

/// So many frames in a row of exactly one refresh of a rate the panel was heard at, between two headers: it may have
/// rested already while a list ran out, and risen again with the next touch.
pub(crate) const ROW: usize = 4;
/// A longer one is doubted as every other stretch is.
pub(crate) const LONG_ROW: Span = Span::from_ms(300);
/// How exact the stamp of a header is.
const STAMP: Span = Span::from_ms(20);

/// On a panel that was heard at two rates, a row of frames at the pace of the slower one is taken for the slower rate:
/// the other way it would be jank, and nobody saw that. Without a header inside, whether it was stays uncertain. Not so
/// where a header inside such a row says the faster: there an app draws every so many refreshes.
pub(crate) fn rest_unheard(path: &mut [Option<usize>], input: &FitInput) {
    let heard: BTreeSet<usize> = input.heard.iter().map(|(_, rate)| *rate).collect();
    for slow in heard.iter().copied() {
        let rows = paced(path, input, &heard, slow);
        let inside = |row: &Range<usize>| {
            let (from, to) = (input.presents[row.start] + STAMP, input.presents[row.end] - STAMP);
            input.heard.iter().filter(move |(at, _)| *at > from && *at < to)
        };
        if rows.iter().flat_map(inside).any(|(_, rate)| *rate != slow) {
            continue;
        }
        let brief = |row: &&Range<usize>| input.presents[row.end] - input.presents[row.start] <= LONG_ROW;
        rows.iter().filter(brief).for_each(|row| path[row.clone()].fill(Some(slow)));
    }
}

/// Rows of lengths that are judged by a faster rate and are each one refresh of this one.
fn paced(
    path: &[Option<usize>],
    input: &FitInput,
    heard: &BTreeSet<usize>,
    slow: usize,
) -> Vec<Range<usize>> {
    let period = |rate: usize| input.rates[rate].period;
    let faster = |rate: usize| heard.contains(&rate) && period(rate) < period(slow);
    let one = |at: &usize| path[*at].is_some_and(faster) && is_one(input.lengths[*at], &input.rates[slow]);
    let mut rows = Vec::new();
    let mut start = 0;
    while start < path.len() {
        let end = start + (start..path.len()).take_while(one).count();
        if end - start >= ROW {
            rows.push(start..end);
        }
        start = end + 1;
    }
    rows
}

/// So far from a header a switch may be put that is known no better than [`crate::path::NEAR`] and a frame.
const BESIDE: Span = Span::from_ms(100);
/// So soon after the first frame a touch has raised the rate: a header read earlier may tell the one before it.
pub(crate) const RAISED: Span = Span::from_ms(150);

/// The first frame that is a single refresh of the rate a header tells, where the header before tells a slower one and
/// since that frame there was neither a pause nor a length off its lattice: a touch raises the rate once, and it had
/// done so.
pub(crate) fn risen(input: &FitInput, at: DeviceTime, fast: usize) -> Option<usize> {
    let period = input.rates[fast].period;
    let before = input.heard.partition_point(|(heard, _)| *heard < at).checked_sub(1)?;
    let (since, slow) = input.heard[before];
    if input.rates[slow].period <= period {
        return None;
    }
    let end = input.presents.partition_point(|present| *present <= at).saturating_sub(1);
    let lies = |index: &usize| {
        let length = input.lengths[*index];
        input.presents[*index] >= since && length < LONG && lattice::residual(length, period) < far(period)
    };
    let first = end - (0..end).rev().take_while(lies).count();
    (first..end).find(|index| is_one(input.lengths[*index], &input.rates[fast]))
}

/// A header that tells the faster of two rates speaks for the frames right beside it that lie on its lattice too,
/// however cheap a switch among them is: a panel slows down after the last such header, and where a frame of a single
/// refresh of the faster rate comes first, it had risen by then.
pub(crate) fn hold_beside_headers(path: &mut [Option<usize>], input: &FitInput) {
    for (at, fast) in &input.heard {
        let period = input.rates[*fast].period;
        let fits = |index: usize| {
            let length = input.lengths[index];
            length < LONG && lattice::residual(length, period) < far(period)
        };
        let slower = |rate: Option<usize>| rate.is_some_and(|rate| input.rates[rate].period > period);
        let end = input.presents.partition_point(|present| present <= at).saturating_sub(1);
        let before =
            |index: &usize| *at - input.presents[*index] <= RAISED && slower(path[*index]) && fits(*index);
        let first = end - (0..end).rev().take_while(before).count();
        let kept = first > 0 && path[first - 1] == Some(*fast) && *at - input.presents[first] <= BESIDE;
        let proof = (first..end).find(|index| is_one(input.lengths[*index], &input.rates[*fast]));
        let beside = if kept { Some(first) } else { proof };
        if let Some(from) = beside.into_iter().chain(risen(input, *at, *fast)).min() {
            path[from..end].fill(Some(*fast));
        }
        let after =
            |index: &usize| input.presents[*index] - *at <= BESIDE && slower(path[*index]) && fits(*index);
        let until = end + (end..path.len()).take_while(after).count();
        let risen = end > 0 && path[end - 1] == Some(*fast) && input.lengths[end - 1] < LONG;
        if risen && (path.get(until) == Some(&Some(*fast)) || goes_on(path, input, end)) {
            path[end..until].fill(Some(*fast));
        }
    }
}

/// True where the frames before a header, judged by the rate it tells, are as long as those after it that are judged by
/// a slower one: the app kept its pace, and nothing shows that the panel did not keep its rate.
fn goes_on(path: &[Option<usize>], input: &FitInput, end: usize) -> bool {
    let Some(slow) = path.get(end).copied().flatten() else { return false };
    let period = input.rates[slow].period;
    let one = |length: &i64| (length - period).abs() < far(period);
    end >= ROW
        && path[end - ROW..end].iter().all(|rate| *rate == path[end - 1])
        && input.lengths[end - ROW..end].iter().all(one)
}

/// So long a panel surely keeps its rate after a header told it: an idle timer runs from the last frame, not from
/// there.
const KEPT: Span = Span::from_ms(50);
/// So long after the last frame a panel that slows down at rest has done so.
const RESTED: Span = Span::from_ms(1_000);

/// True when the panel was at this rate before the frame that starts there: a header says so right before it and none
/// told of a slower one after a rest no longer, or headers read in long rests never say another.
fn awake(input: &FitInput, start: usize, fast: usize) -> bool {
    let first = input.presents[start];
    let before = input.heard.partition_point(|(at, _)| *at < first);
    let kept = input.heard[..before].last().filter(|(at, _)| first - *at < KEPT);
    let age = |(at, rate): &(DeviceTime, usize)| {
        let shown = input.presents.partition_point(|present| present <= at).checked_sub(1)?;
        Some((*at - input.presents[shown], *rate))
    };
    let rests: Vec<(Span, usize)> = input.heard.iter().filter_map(age).collect();
    let long: Vec<usize> = rests.iter().filter(|(age, _)| *age > RESTED).map(|(_, rate)| *rate).collect();
    let in_long_rests = long.len() > 1 && long.iter().all(|rate| *rate == fast);
    // It slows down after a while only: a rest as long as this one did not do it, and no shorter one did.
    let pause = start.checked_sub(1).map_or(Span::ZERO, |before| first - input.presents[before]);
    let slower = |rate: usize| input.rates[rate].period > input.rates[fast].period;
    let slept_by =
        |least: Span| rests.iter().any(|(age, rate)| slower(*rate) && *age >= least && *age <= pause);
    let as_long =
        rests.iter().any(|(age, rate)| *rate == fast && *age + KEPT >= pause) && !slept_by(Span::ZERO);
    // Where no longer a rest slowed it down, a header right before the frame tells what the touch had raised it to. One
    // read among frames tells of no rest.
    let kept = kept.is_some_and(|(_, rate)| *rate == fast) && !slept_by(KEPT);
    kept || in_long_rests || (pause > Span::ZERO && as_long)
}
