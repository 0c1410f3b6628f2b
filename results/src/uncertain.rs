//! Where the refresh period cannot be told: an app that draws every second vsync of 120 Hz and a panel that dropped to
//! 60 Hz leave the same presents (docs/periods.md).
//!
//! Two rates are held against each other wherever the lattices of both explain what was presented. Headers read
//! *during* such a stretch decide it; a stretch no header was read in, or whose headers disagree, stays uncertain. Must
//! not know dumps. Integer ns.

use crate::lattice::{LONG, far, place, same, usable};
use crate::path::{FitInput, NEAR};
use crate::pauses::{RAISED, ROW, risen};
use crate::time::{DeviceTime, Span};
use std::ops::Range;

/// A shorter stretch is a few slow frames, whoever made them (docs/periods.md).
const SHORTEST: i64 = 300_000_000;
/// Panels faster than this may drop to a half or a third of their rate unseen, where their modes do not tell.
const FAST: i64 = 15_000_000;
/// A period longer than this that the phone never told is as likely an app as a panel.
const SLOW: i64 = 17_500_000;
/// Fewer frames in a row are alike by chance, where an app keeps no even pace.
const FEWEST: usize = 12;
/// A header speaks for what goes on unchanged for so long before and after it: the pause between dumps, and some more.
const REACH: Span = Span::from_ms(600);
/// What headers leave open for no longer than they are exact is not worth a word.
const BRIEF: Span = Span::from_ns(2 * NEAR);

type Stretch = (DeviceTime, DeviceTime);

/// A rate that may have been in force.
#[derive(Clone, Copy)]
struct Hypothesis {
    period: i64,
    /// Its place among the rates of the input; none for one that only may be.
    rate: Option<usize>,
}

/// Stretches in order of time. `path` is the rate of every length, `exact` the period each rate turned out to have.
pub(crate) fn uncertain(input: &FitInput, path: &[Option<usize>], exact: &[Option<i64>]) -> Vec<Stretch> {
    let hypotheses = hypotheses(input, exact);
    let mut stretches = never_told(input, path);
    stretches.extend(on_the_way_down(input, path));
    let used: Vec<usize> = (0..input.rates.len()).filter(|rate| path.contains(&Some(*rate))).collect();
    let in_use = |one: &Hypothesis| one.rate.is_some_and(|rate| used.contains(&rate));
    for slow in &hypotheses {
        for fast in hypotheses.iter().filter(|fast| fast.rate.is_some() || slow.rate.is_some()) {
            if slow.period > fast.period && !same(slow.period, fast.period) && (in_use(slow) || in_use(fast))
            {
                stretches.extend(Pair { input, path, slow: *slow, fast: *fast }.undecided());
            }
        }
    }
    stretches.sort_unstable();
    let mut merged: Vec<Stretch> = Vec::new();
    for (from, to) in stretches {
        match merged.last_mut() {
            Some(last) if last.1 >= from => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// Every rate that is told or was found, every mode, and of a fast panel with one mode its half and third. What the
/// phone tells is off by the same share as that of its rates which presents made exact.
fn hypotheses(input: &FitInput, exact: &[Option<i64>]) -> Vec<Hypothesis> {
    let told = |rate: usize| exact[rate].zip(input.rates[rate].told);
    let (up, down) = (0..exact.len()).find_map(told).unwrap_or((1, 1));
    let scaled = |period: i64| (i128::from(period) * i128::from(up) / i128::from(down.max(1))) as i64;
    let period = |rate: usize| {
        let known = &input.rates[rate];
        exact[rate].unwrap_or_else(|| known.told.map_or(known.period, scaled))
    };
    // A header the panel cannot show is no hypothesis.
    let credible = |rate: &usize| input.rates[*rate].told.is_none_or(|told| input.credible(told));
    let rates = (0..input.rates.len()).filter(credible);
    let mut all: Vec<Hypothesis> =
        rates.map(|rate| Hypothesis { period: period(rate), rate: Some(rate) }).collect();
    // A panel with several modes lists them all; one that divides a fast tick lists one, and may drop to any part of
    // it.
    let parts = if input.modes.len() > 1 { 1..1 } else { 2..4 };
    let fast = all.iter().filter(|one| one.period < FAST);
    let parts: Vec<i64> = fast.flat_map(|one| parts.clone().map(|k| k * one.period)).collect();
    for period in input.modes.iter().map(|mode| scaled(*mode)).chain(parts) {
        if !all.iter().any(|one| same(one.period, period)) {
            all.push(Hypothesis { period, rate: None });
        }
    }
    all
}

/// Where the period was found in presents alone and is longer than any a phone would keep to itself.
fn never_told(input: &FitInput, path: &[Option<usize>]) -> Vec<Stretch> {
    let slow = |rate: usize| input.rates[rate].told.is_none() && input.rates[rate].period > SLOW;
    let doubted = (0..path.len()).filter(|at| usable(input.lengths[*at]) && path[*at].is_some_and(slow));
    doubted.map(|at| (input.presents[at], input.presents[at + 1])).collect()
}

/// A panel that divides a fast tick slows down while the content still moves, and its one mode does not say to what.
/// Between a header and a slower one the frames of a slow app lie on either lattice: open, up to the pause.
fn on_the_way_down(input: &FitInput, path: &[Option<usize>]) -> Vec<Stretch> {
    if input.modes.len() != 1 {
        return Vec::new();
    }
    let slower = input.heard.windows(2).filter_map(|pair| {
        let ((at, from), (until, to)) = (pair[0], pair[1]);
        let fast = input.rates[from].period;
        let first = input.presents.partition_point(|present| *present <= at).checked_sub(1)?;
        let between = input.presents[first + 1..].iter().take_while(|present| **present < until).count();
        let lengths = &input.lengths[first..first + between];
        let busy = lengths.iter().take_while(|length| **length < LONG).count();
        let judged = |at: &usize| path[*at].map_or(fast, |rate| input.rates[rate].period);
        let slow = |at: &usize| place(input.lengths[*at], judged(at)).0 > 1;
        let slow = (first..first + busy).filter(slow).count();
        let open = input.rates[to].period > fast && busy > 0 && slow * 2 >= busy;
        open.then(|| (input.presents[first], input.presents[first + busy]))
    });
    slower.collect()
}

/// Two rates, one of which is in force.
struct Pair<'g> {
    input: &'g FitInput<'g>,
    path: &'g [Option<usize>],
    slow: Hypothesis,
    fast: Hypothesis,
}

impl Pair<'_> {
    /// Where both explain the presents and nothing decides.
    fn undecided(&self) -> Vec<Stretch> {
        let marks: Vec<bool> = (0..self.path.len()).map(|at| self.both_explain(at)).collect();
        if !marks.contains(&true) {
            return Vec::new();
        }
        let runs = self.runs(&marks);
        let rows = self.rows(&marks, &runs).into_iter().map(|row| (row, true));
        let all = runs.into_iter().map(|run| (run, false)).chain(rows);
        all.flat_map(|(run, brief)| self.left_open(run, brief)).collect()
    }

    /// Shorter stretches: rows of frames at the pace of the slower rate, on a panel that was heard at either. One whose
    /// one mode does not tell what it may drop to need not be heard at the slower one: there those that end in a pause,
    /// unless the app draws at that pace elsewhere too.
    fn rows(&self, marks: &[bool], runs: &[Range<usize>]) -> Vec<Range<usize>> {
        let heard = |one: Hypothesis| self.input.heard.iter().any(|(_, rate)| one.rate == Some(*rate));
        let either = heard(self.slow) && heard(self.fast);
        if !either && (!heard(self.fast) || self.input.modes.len() != 1) {
            return Vec::new();
        }
        let rests = |row: &Range<usize>| self.input.lengths.get(row.end).is_none_or(|next| *next >= LONG);
        let one = |at: usize| marks[at] && place(self.input.lengths[at], self.slow.period).0 == 1;
        let mut found = Vec::new();
        let mut at = 0;
        while at < marks.len() {
            let row = at..at + (at..marks.len()).take_while(|at| one(*at)).count();
            at = row.end + 1;
            let apart = |run: &Range<usize>| run.end <= row.start || row.end <= run.start;
            if row.len() >= ROW && (either || rests(&row)) && runs.iter().all(apart) {
                found.push(row);
            }
        }
        let all = (0..marks.len()).filter(|at| one(*at)).count();
        let rows: usize = found.iter().map(Range::len).sum();
        if either || rows * 2 > all { found } else { Vec::new() }
    }

    /// A length that lies on both lattices, judged by one of them, and more than one vsync of the faster.
    fn both_explain(&self, at: usize) -> bool {
        let length = self.input.lengths[at];
        let rate = self.path[at];
        if rate.is_none() || (rate != self.slow.rate && rate != self.fast.rate) || !usable(length) {
            return false;
        }
        let half = far(self.fast.period) / 2;
        let (of_slow, of_fast) = (place(length, self.slow.period), place(length, self.fast.period));
        of_fast.0 > 1 && of_slow.1 < half && of_fast.1 < half
    }

    /// Stretches without a pause in which nine lengths of ten are marked in every [`SHORTEST`]: from first to last
    /// marked one.
    fn runs(&self, marks: &[bool]) -> Vec<Range<usize>> {
        let lengths = self.input.lengths;
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        for busy in lengths.split(|length| *length >= LONG) {
            dense(lengths, marks, start..start + busy.len(), &mut found);
            start += busy.len() + 1;
        }
        // The shortest stretches may end one length early.
        for run in &mut found {
            run.end += marks[run.end..].iter().take_while(|mark| **mark).count();
            run.start -= marks[..run.start].iter().rev().take_while(|mark| **mark).count();
        }
        found
    }

    /// The parts of a run that headers do not decide. What is brief may come and go between two of them.
    fn left_open(&self, run: Range<usize>, brief: bool) -> Vec<Stretch> {
        let (from, to) = (self.input.presents[run.start], self.input.presents[run.end]);
        let margin = Span::from_ns(NEAR);
        let heard: Vec<(DeviceTime, bool)> = self.told().collect();
        let inside = |header: &&(DeviceTime, bool)| header.0 > from + margin && header.0 < to - margin;
        let anchors: Vec<(DeviceTime, bool)> = heard.iter().filter(inside).copied().collect();
        let before = heard.iter().rev().find(|header| header.0 <= from + margin).copied();
        let after = heard.iter().find(|header| header.0 >= to - margin).copied();
        let (Some(first), Some(last)) = (anchors.first(), anchors.last()) else {
            let near = to - from <= REACH;
            let decided =
                self.had_risen(&run, after) || (near && self.decided_from_outside(run, brief, before, after));
            return if decided { Vec::new() } else { vec![(from, to)] };
        };
        let mut open = Vec::new();
        let mut piece = |from: DeviceTime, to: DeviceTime, says: Option<bool>| {
            let decided = says.is_some() && self.judged(from, to) == says;
            if !decided && to - from > BRIEF {
                open.push((from, to));
            }
        };
        // Before the first and after the last header what they say goes on, for as long as they reach.
        let same_beyond =
            |beyond: Option<(DeviceTime, bool)>, says: bool| beyond.is_some_and(|at| at.1 == says);
        let reaches = first.0 - from <= REACH || same_beyond(before, first.1);
        piece(from, first.0, reaches.then_some(first.1));
        for pair in anchors.windows(2) {
            // A touch raises the rate with the first frames of a run, and what comes later is at the faster one.
            let raised = pair[1].1 && pair[0].0 - from <= RAISED;
            let agree = raised || pair[0].1 == pair[1].1;
            piece(pair[0].0, pair[1].0, agree.then_some(pair[1].1));
        }
        let reaches = to - last.0 <= REACH || same_beyond(after, last.1);
        piece(last.0, to, reaches.then_some(last.1));
        open
    }

    /// A touch had raised the rate before this run, and the header after it, without a pause between, still says so.
    fn had_risen(&self, run: &Range<usize>, after: Option<(DeviceTime, bool)>) -> bool {
        let (Some((at, true)), Some(fast)) = (after, self.fast.rate) else { return false };
        risen(self.input, at, fast).is_some_and(|index| index < run.start)
    }

    /// No header was read in a short run: what those beside it say. Of one that is judged by the slower rate, one of
    /// them says so. One judged by the faster may be a panel that dropped unseen, unless the app were slow by either
    /// rate.
    fn decided_from_outside(
        &self,
        run: Range<usize>,
        brief: bool,
        before: Option<(DeviceTime, bool)>,
        after: Option<(DeviceTime, bool)>,
    ) -> bool {
        let (from, to) = (self.input.presents[run.start], self.input.presents[run.end]);
        let near = [before.filter(|at| from - at.0 <= REACH), after.filter(|at| at.0 - to <= REACH)];
        match self.judged(from, to) {
            Some(false) => near.iter().flatten().any(|(_, fast)| !fast),
            Some(true) => {
                let in_time = |length: &i64| {
                    let (long, off) = place(*length, self.slow.period);
                    long == 1 && off < far(self.slow.period)
                };
                let chance = run.len() < FEWEST && !brief;
                let slow_anyway = !self.input.lengths[run].iter().any(in_time);
                (slow_anyway || chance) && near.iter().all(|header| header.is_some_and(|(_, fast)| fast))
            }
            None => false,
        }
    }

    /// Headers that name one of the two; true for the faster.
    fn told(&self) -> impl Iterator<Item = (DeviceTime, bool)> {
        let named = |(at, rate): &(DeviceTime, usize)| {
            let fast = self.fast.rate == Some(*rate);
            (fast || self.slow.rate == Some(*rate)).then_some((*at, fast))
        };
        self.input.heard.iter().filter_map(named)
    }

    /// By which of the two most lengths between two instants are judged; true for the faster, none where neither is.
    fn judged(&self, from: DeviceTime, to: DeviceTime) -> Option<bool> {
        let at = |instant: DeviceTime| self.input.presents.partition_point(|present| *present < instant);
        let inside = at(from).min(self.path.len())..at(to).min(self.path.len());
        let by = |which: Hypothesis| {
            self.path[inside.clone()].iter().filter(|rate| rate.is_some() && **rate == which.rate).count()
        };
        let (slow, fast) = (by(self.slow), by(self.fast));
        (slow != fast).then_some(fast > slow)
    }
}

/// Adds the runs of one busy stretch of lengths.
fn dense(lengths: &[i64], marks: &[bool], busy: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut end = busy.start;
    let mut hits = 0;
    let mut span = 0;
    for start in busy.clone() {
        while end < busy.end && span < SHORTEST {
            hits += usize::from(marks[end]);
            span += lengths[end];
            end += 1;
        }
        if span < SHORTEST {
            break;
        }
        if marks[start] && marks[end - 1] && hits * 10 >= (end - start) * 9 {
            match found.last_mut() {
                Some(last) if last.end >= start && last.start >= busy.start => last.end = end,
                _ => found.push(start..end),
            }
        }
        hits -= usize::from(marks[start]);
        span -= lengths[start];
    }
}
