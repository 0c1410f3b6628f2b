//! The stacks of stalls with the time each stands for, for those who draw them.

use super::key::Keys;
use super::name::{is_runtime, method};
use super::pieces::Doing;
use super::recording::Recording;
use super::stretch::Stretches;
use farmjank_results::held_stacks::{HeldStacks, WeighedStack};

/// The stacks of the stalls that [`stalls`](super::stalls) tells of.
pub fn weighed(recording: &Recording, process: i32) -> Vec<HeldStacks> {
    let keys = Keys::of(recording);
    let stretches = Stretches::of(recording, process);
    let one = |pieces: &[super::Piece]| {
        let stacks = pieces.iter().map(|piece| WeighedStack {
            at: piece.from,
            ns: piece.to - piece.from,
            off_cpu: matches!(piece.doing, Doing::Off(_)),
            calls: calls(recording, piece.doing.stack()),
        });
        HeldStacks { from: pieces[0].from, to: pieces[pieces.len() - 1].to, stacks: stacks.collect() }
    };
    stretches.long(&keys).map(one).collect()
}

/// Its methods, the outermost first, as [`method`] tells them; the file of what has no name.
pub(super) fn calls(recording: &Recording, stack: u32) -> Vec<String> {
    let told = recording.calls(stack).filter(|call| !is_runtime(call)).map(|call| match call.name.as_str() {
        "" => call.file.rsplit('/').next().unwrap_or_default().to_owned(),
        name => method(name),
    });
    let mut calls: Vec<String> = told.collect();
    calls.reverse();
    calls
}
