//! The stacks of stalls with the time each stands for, for those who draw them.

use super::key::Keys;
use super::name::{is_runtime, method};
use super::pieces::Doing;
use super::recording::Recording;
use super::stretch::Stretches;

/// A stack for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighed {
    /// From, ns on the recording's clock.
    pub at: i64,
    /// For so long, ns.
    pub ns: i64,
    /// The thread was off its CPU.
    pub off_cpu: bool,
    /// Its methods, the outermost first, as [`method`] tells them; the file of what has no name.
    pub calls: Vec<String>,
}

/// One stall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StallStacks {
    /// From, ns on the recording's clock.
    pub from: i64,
    /// Until.
    pub to: i64,
    /// In order of time.
    pub stacks: Vec<Weighed>,
}

/// The stacks of the stalls that [`stalls`](super::stalls) tells of.
pub fn weighed(recording: &Recording, process: i32) -> Vec<StallStacks> {
    let keys = Keys::of(recording);
    let stretches = Stretches::of(recording, process);
    let one = |pieces: &[super::Piece]| {
        let stacks = pieces.iter().map(|piece| Weighed {
            at: piece.from,
            ns: piece.to - piece.from,
            off_cpu: matches!(piece.doing, Doing::Off(_)),
            calls: calls(recording, piece.doing.stack()),
        });
        StallStacks { from: pieces[0].from, to: pieces[pieces.len() - 1].to, stacks: stacks.collect() }
    };
    stretches.long(&keys).map(one).collect()
}

fn calls(recording: &Recording, stack: u32) -> Vec<String> {
    let told = recording.calls(stack).filter(|call| !is_runtime(call)).map(|call| match call.name.as_str() {
        "" => call.file.rsplit('/').next().unwrap_or_default().to_owned(),
        name => method(name),
    });
    let mut calls: Vec<String> = told.collect();
    calls.reverse();
    calls
}
