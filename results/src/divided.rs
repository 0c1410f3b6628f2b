//! Panels that divide a fast tick: one mode, and rates between it and its half.
//!
//! Such a panel slows down step by step while content still moves, a few frames at each rate, and no dump may see any
//! of them. Where a step is no whole number of the mode's refreshes, presents alone prove it: no app is late by half a
//! refresh. From there the panel only goes on slowing down until a touch (docs/periods.md). Must not know dumps.
//! Integer ns.

use crate::lattice::{LONG, far, place, same};
use crate::path::FitInput;
use crate::period::Report;

/// Ticks to a refresh at the mode.
const TICKS: i64 = 2;
/// Ticks to a refresh at the rates that a moving panel may drop to: of 120 Hz 80, 60, 48 and 40.
const PARTS: [i64; 4] = [3, 4, 5, 6];

/// Periods a panel with this one mode may drop to that some length is exactly one refresh of, where one of them proves
/// that it divides a tick; none on other panels, and none where no header was read: what comes without any (framestats
/// alone) are completions, which lie between refreshes on any panel.
pub(crate) fn parts(lengths: &[i64], modes: &[i64], reports: &[Report]) -> Vec<i64> {
    let ([mode], [_, ..]) = (modes, reports) else { return Vec::new() };
    let all = PARTS.map(|ticks| ticks * mode / TICKS);
    let seen = |part: &i64| lengths.iter().any(|length| is_one(*length, *part));
    let proves = |part: &i64| place(*part, *mode).1 > far(*mode);
    if !all.iter().filter(|part| proves(part)).any(seen) {
        return Vec::new();
    }
    all.into_iter().filter(seen).collect()
}

fn is_one(length: i64, period: i64) -> bool {
    (length - period).abs() < far(period)
}

/// Gives to each length that only a slower panel explains its rate: first those of a part that is no whole number of
/// the mode's refreshes; then, until a pause, a touch or a header that says otherwise, those of a still slower part
/// that are no whole number of this one's. A whole number of them is a late frame; so is what is longer than two of
/// them, and the panel may slow down in it, too.
pub(crate) fn slow_down(path: &mut [Option<usize>], input: &FitInput) {
    let [mode] = input.modes else { return };
    let period = |rate: usize| input.rates[rate].period;
    let parts: Vec<usize> = (0..input.rates.len()).filter(|rate| is_part(period(*rate), *mode)).collect();
    let mut slowed: Option<usize> = None;
    for (at, (judged, length)) in path.iter_mut().zip(input.lengths.iter().copied()).enumerate() {
        let whole = |period: i64| place(length, period).1 < far(period);
        let told = slowed.is_some_and(|rate| says_faster(input, at, rate));
        let now = slowed.filter(|_| !told && length < LONG);
        let only = |rate: &usize| {
            let faster = now.map_or(*mode, period);
            period(*rate) > faster && is_one(length, period(*rate)) && !whole(faster)
        };
        let late = |rate: &usize| whole(period(*rate)) || length > 2 * period(*rate);
        slowed = now.filter(late).or_else(|| parts.iter().copied().find(only));
        if let Some(rate) = slowed.filter(|rate| judged.is_none_or(|judged| period(*rate) > period(judged))) {
            *judged = Some(rate);
        }
    }
}

fn is_part(period: i64, mode: i64) -> bool {
    PARTS.iter().any(|ticks| same(period, ticks * mode / TICKS))
}

/// A header read in this length tells a faster rate.
fn says_faster(input: &FitInput, at: usize, rate: usize) -> bool {
    let (from, to) = (input.presents[at], input.presents[at + 1]);
    let first = input.heard.partition_point(|(heard, _)| *heard <= from);
    let mut inside = input.heard[first..].iter().take_while(|(heard, _)| *heard < to);
    inside.any(|(_, told)| input.rates[*told].period < input.rates[rate].period)
}
