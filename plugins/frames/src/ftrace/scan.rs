//! What the first reading of a trace finds out for the second: who is who, as a trace that lies in several buffers
//! tells of processes after the events of their threads; where main threads had something to do for long; and stacks of
//! calls, which come after the events they belong to as well.
//!
//! Holds threads and what is found of them, never the trace.

use super::processes;
use super::reader::FtraceReader;
use crate::frametimeline::framing::Framing;
use crate::frametimeline::wire::{Value, fields};
use crate::stacks::{Beside, TracedStacks};
use farmjank_causes::held::{Busy, Watch};
use farmjank_causes::threads::Threads;

/// Reads lists of processes and long stretches of main threads out of a trace, piece by piece.
#[derive(Default)]
pub struct Scan {
    framing: Framing,
    threads: Threads,
    reader: FtraceReader,
    watch: Watch,
    stacks: TracedStacks,
}

/// What a scan finds.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    /// Everybody the lists of processes name.
    pub threads: Threads,
    /// Long stretches of main threads, and touches.
    pub busy: Busy,
    /// Stacks of calls.
    pub stacks: Beside,
}

impl Scan {
    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Scan { framing, threads, reader, watch, stacks } = self;
        framing.feed(bytes, &mut |packet| {
            for (number, value) in fields(packet) {
                if let (2, Value::Bytes(tree)) = (number, value) {
                    processes::take(tree, threads);
                }
            }
            stacks.packet(packet);
            reader.packet(packet, &mut |threads, fact| watch.take(threads, &fact));
        });
    }

    /// Everything found.
    pub fn finish(mut self) -> Scanned {
        let Scan { reader, watch, .. } = &mut self;
        reader.rest(&mut |threads, fact| watch.take(threads, &fact));
        let busy = self.watch.finish(self.reader.threads());
        Scanned { threads: self.threads, busy, stacks: self.stacks.finish() }
    }
}
