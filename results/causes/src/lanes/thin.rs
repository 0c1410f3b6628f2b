//! Fewer stretches than there were, with nothing of them that could be seen gone.

use crate::facts::Named;
use farmjank_results::frame_lanes::{LEVELS, SPANS};
use std::collections::BTreeMap;

/// A stretch of something: from, until, what.
type Span<T> = (i64, i64, T);
/// A slice at its level.
pub type Levelled = (i64, i64, u8, String);

/// Stretches in order, those shorter than `finest` merged with their neighbours: what is longest among short ones that
/// follow each other stands for them. At most so many.
pub fn merged<T: Copy + Ord>(spans: &[Span<T>], finest: i64, most: usize) -> Vec<Span<T>> {
    let mut finest = finest.max(1);
    loop {
        let out = once(spans, finest);
        if out.len() <= most {
            return out;
        }
        finest = finest.saturating_mul(2);
        // Stretches apart from each other are never one, however short: the longest stay.
        if finest > i64::MAX / 4 {
            return longest(out, most);
        }
    }
}

fn longest<T>(mut spans: Vec<Span<T>>, most: usize) -> Vec<Span<T>> {
    let mut lengths: Vec<i64> = spans.iter().map(|(from, to, _)| from - to).collect();
    lengths.sort_unstable();
    let least = lengths.get(most.saturating_sub(1)).copied().unwrap_or(0);
    spans.retain(|(from, to, _)| from - to <= least);
    spans.truncate(most);
    spans
}

fn once<T: Copy + Ord>(spans: &[Span<T>], finest: i64) -> Vec<Span<T>> {
    let mut out: Vec<Span<T>> = Vec::new();
    let mut short = Short { from: 0, to: 0, times: BTreeMap::new() };
    for (from, to, what) in spans.iter().copied().filter(|(from, to, _)| from < to) {
        if short.to != from {
            short.end(finest, &mut out);
        }
        if to - from >= finest {
            short.end(finest, &mut out);
            push(&mut out, (from, to, what));
            continue;
        }
        short.add(from, to, what);
        if short.to - short.from >= finest {
            short.end(finest, &mut out);
        }
    }
    short.end(finest, &mut out);
    out
}

/// Short stretches that follow each other.
struct Short<T> {
    from: i64,
    to: i64,
    times: BTreeMap<T, i64>,
}

impl<T: Copy + Ord> Short<T> {
    fn add(&mut self, from: i64, to: i64, what: T) {
        if self.times.is_empty() {
            self.from = from;
        }
        self.to = to;
        *self.times.entry(what).or_default() += to - from;
    }

    /// Adds them as one. Too short for that, they go with what is before them.
    fn end(&mut self, finest: i64, out: &mut Vec<Span<T>>) {
        let times = std::mem::take(&mut self.times);
        let Some((what, _)) = times.into_iter().max_by_key(|(_, ns)| *ns) else { return };
        match out.last_mut() {
            Some(last) if last.1 == self.from && self.to - self.from < finest => last.1 = self.to,
            _ => push(out, (self.from, self.to, what)),
        }
    }
}

fn push<T: Copy + PartialEq>(out: &mut Vec<Span<T>>, (from, to, what): Span<T>) {
    match out.last_mut() {
        Some(last) if last.1 == from && last.2 == what => last.1 = to,
        _ => out.push((from, to, what)),
    }
}

/// Slices of a thread, outer ones first, cut to what is drawn, by level: all but the last level hold what is nested so
/// deep, the last the innermost of the rest, so that what says most is never left out.
pub fn slices(slices: &[&Named], (begin, end): (i64, i64), finest: i64) -> Vec<Levelled> {
    let deepest = usize::from(LEVELS - 1);
    let mut levels: Vec<Vec<Span<&str>>> = vec![Vec::new(); deepest];
    let mut deep: Vec<Span<&str>> = Vec::new();
    let mut around: Vec<i64> = Vec::new();
    for one in slices {
        let (from, to) = (one.from.max(begin), one.to.min(end));
        if from >= to {
            continue;
        }
        around.retain(|to| *to > one.from);
        match levels.get_mut(around.len()) {
            Some(level) => level.push((from, to, &one.name)),
            None => deep.push((from, to, &one.name)),
        }
        around.push(one.to);
    }
    levels.push(innermost(&deep));
    let mut finest = finest.max(1);
    loop {
        let level = |(nth, spans): (usize, &Vec<Span<&str>>)| {
            let nth = nth as u8;
            gathered(spans, finest).into_iter().map(move |(from, to, name)| (from, to, nth, name))
        };
        let all: Vec<Levelled> = levels.iter().enumerate().flat_map(level).collect();
        if all.len() <= SPANS {
            return all;
        }
        finest = finest.saturating_mul(2);
    }
}

/// At every instant the innermost of nested slices.
fn innermost<'a>(slices: &[Span<&'a str>]) -> Vec<Span<&'a str>> {
    let mut out = Vec::new();
    let mut open: Vec<Span<&str>> = Vec::new();
    let mut at = i64::MIN;
    let ends = [(i64::MAX, i64::MAX, "")];
    for next in slices.iter().chain(&ends) {
        while let Some((_, to, name)) = open.last().copied() {
            let until = to.min(next.0);
            if at < until {
                push(&mut out, (at, until, name));
                at = until;
            }
            if to > next.0 {
                break;
            }
            open.pop();
        }
        at = next.0;
        open.push(*next);
    }
    out
}

/// Slices of one level; short ones near each other are told by their number.
fn gathered(spans: &[Span<&str>], finest: i64) -> Vec<Span<String>> {
    let mut out: Vec<Span<String>> = Vec::new();
    let mut short: Vec<Span<&str>> = Vec::new();
    let end = |short: &mut Vec<Span<&str>>, out: &mut Vec<Span<String>>| {
        let (Some(first), Some(last)) = (short.first(), short.last()) else { return };
        let same = short.iter().all(|one| one.2 == first.2);
        let name = match short.len() {
            1 => first.2.to_owned(),
            many if same => format!("{many} × {}", first.2),
            many => format!("{many} short slices"),
        };
        out.push((first.0, last.1, name));
        short.clear();
    };
    for (from, to, name) in spans.iter().copied() {
        let apart = short.last().is_some_and(|last| from - last.1 >= finest);
        let long = to - from >= finest;
        if apart || long {
            end(&mut short, &mut out);
        }
        match long {
            true => out.push((from, to, name.to_owned())),
            false => short.push((from, to, name)),
        }
    }
    end(&mut short, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(from: i64, to: i64, name: &str) -> Named {
        Named { from, to, depth: 0, name: name.into() }
    }

    fn of(all: &[Named], finest: i64) -> Vec<Levelled> {
        slices(&all.iter().collect::<Vec<_>>(), (0, 1_000), finest)
    }

    fn span(from: i64, to: i64, level: u8, name: &str) -> Levelled {
        (from, to, level, name.to_owned())
    }

    #[test]
    fn short_stretches_go_with_what_is_longest_among_them() {
        let spans = [(0, 100, 'r'), (100, 103, 's'), (103, 104, 'r'), (104, 110, 's'), (110, 200, 'r')];
        assert_eq!(merged(&spans, 10, 9), [(0, 100, 'r'), (100, 110, 's'), (110, 200, 'r')]);
        // Too short to be seen at all.
        assert_eq!(merged(&spans, 20, 9), [(0, 200, 'r')]);
        assert_eq!(merged(&[(0, 100, 'r'), (100, 105, 's')], 20, 9), [(0, 105, 'r')]);
        // What nobody tells of stays open.
        assert_eq!(merged(&[(0, 100, 'r'), (150, 155, 's')], 20, 9), [(0, 100, 'r'), (150, 155, 's')]);
    }

    #[test]
    fn there_are_never_more_stretches_than_there_is_room_for() {
        let many: Vec<_> = (0..10_000).map(|nth| (nth * 10, nth * 10 + 10, nth % 2)).collect();
        let few = merged(&many, 1, SPANS);
        assert!(few.len() <= SPANS && few.first().map(|one| one.0) == Some(0), "{}", few.len());
        assert_eq!(few.last().map(|one| one.1), Some(100_000));
        let apart: Vec<_> = (0..10_000).map(|nth| (nth * 10, nth * 10 + 1 + nth % 7, 0)).collect();
        let few = merged(&apart, 1, SPANS);
        assert_eq!(few.len(), SPANS);
        assert!(few.iter().all(|(from, to, _)| to - from == 7), "the longest stay");
        let nested: Vec<Named> = (0..4_000).map(|nth| named(nth / 8, nth / 8 + 1, "x")).collect();
        assert!(of(&nested, 1).len() <= SPANS);
    }

    #[test]
    fn the_innermost_slice_is_never_left_out() {
        let all = [
            named(-50, 900, "doFrame"),
            named(10, 800, "animation"),
            named(20, 700, "bind"),
            named(30, 600, "db"),
            named(40, 500, "read"),
            named(50, 400, "monitor contention"),
            named(620, 640, "other"),
        ];
        let expected = [
            span(0, 900, 0, "doFrame"),
            span(10, 800, 1, "animation"),
            span(20, 700, 2, "bind"),
            span(30, 40, 3, "db"),
            span(40, 50, 3, "read"),
            span(50, 400, 3, "monitor contention"),
            span(400, 500, 3, "read"),
            span(500, 600, 3, "db"),
            span(620, 640, 3, "other"),
        ];
        assert_eq!(of(&all, 1), expected);
    }

    #[test]
    fn short_slices_near_each_other_are_told_by_their_number() {
        let all = [named(0, 100, "a"), named(101, 102, "b"), named(103, 104, "b"), named(300, 301, "c")];
        assert_eq!(of(&all, 10), [span(0, 100, 0, "a"), span(101, 104, 0, "2 × b"), span(300, 301, 0, "c")]);
    }
}
