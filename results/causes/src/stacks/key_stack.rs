//! The rules of samplers inside apps: the main thread's stack every 52 ms, which is three refreshes and a bit and off
//! the beat of the display, and all of the stall named by the stack that is there most often. Coarser than the time
//! every stack stands for ([`stalls`](super::stalls)); here so that farmjank's causes can be held against theirs.

use super::key::Keys;
use super::pieces::{Doing, Piece};
use super::recording::Recording;
use super::spent::add;
use crate::frame::Way;
use std::collections::BTreeMap;

/// How far apart looks are, ns.
const APART: i64 = 52_000_000;
/// Most looks at one stretch: an hour and a half.
const LOOKS: usize = 100_000;

/// All of a stretch, named by its key stack. Looks at which nothing is known of the thread are none.
pub(super) fn way(recording: &Recording, pieces: &[Piece], keys: &Keys) -> Way {
    let (from, to) = (pieces[0].from, pieces[pieces.len() - 1].to);
    let looks = (1..).map(|nth: i64| from.saturating_add(nth.saturating_mul(APART)));
    let looks = looks.take_while(|at| *at < to).take(LOOKS);
    // By the stacks' names: one method has many addresses.
    let mut seen: BTreeMap<Vec<&str>, (usize, usize, Doing)> = BTreeMap::new();
    let mut all = 0;
    for (nth, at) in looks.enumerate() {
        let after = pieces.partition_point(|piece| piece.to <= at);
        let Some(piece) = pieces.get(after).filter(|piece| piece.from <= at) else { continue };
        all += 1;
        let names = recording.calls(piece.doing.stack()).map(|call| call.name.as_str()).collect();
        seen.entry(names).or_insert((0, nth, piece.doing)).0 += 1;
    }
    let most = seen.into_values().max_by_key(|(times, first, _)| (*times, std::cmp::Reverse(*first)));
    let mut way = Way::default();
    add(&mut way, most.map(|(.., doing)| doing), to - from, keys);
    if let (Some((times, ..)), Some(spent)) = (most, way.spent.values_mut().next()) {
        let told = |(path, ns)| (format!("{times} of {all} looks, 52 ms apart: {path}"), ns);
        spent.details = std::mem::take(&mut spent.details).into_iter().map(told).collect();
    }
    way
}
