//! Who is who in a trace, before anything else of it is read: a trace that lies in several buffers tells of processes
//! after the events of their threads. Must not know events.

use super::processes;
use crate::frametimeline::framing::Framing;
use crate::frametimeline::wire::{Value, fields};
use farmjank_causes::threads::Threads;

/// Reads the lists of processes out of a trace, piece by piece.
#[derive(Default)]
pub struct Scan {
    framing: Framing,
    threads: Threads,
}

impl Scan {
    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Scan { framing, threads } = self;
        framing.feed(bytes, &mut |packet| {
            for (number, value) in fields(packet) {
                if let (2, Value::Bytes(tree)) = (number, value) {
                    processes::take(tree, threads);
                }
            }
        });
    }

    /// Everybody met.
    pub fn finish(self) -> Threads {
        self.threads
    }
}
