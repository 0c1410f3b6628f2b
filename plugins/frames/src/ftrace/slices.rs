//! Stretches that threads and processes give names. They nest: an end ends the newest. Names of open ones lie one after
//! another in one room a thread, so that nothing is allocated for one.

use farmjank_causes::fact::{Fact, Thread};
use std::collections::BTreeMap;

/// Open slices of one thread, at most, as in Perfetto's own reader.
const DEEPEST: usize = 512;
/// Bytes that names of open slices take, at most.
const NAMES: usize = 1 << 26;
/// Room for names that a thread without open slices keeps, bytes.
const KEPT: usize = 4096;
/// Open slices of processes, at most.
const ASYNC: usize = 1 << 14;

#[derive(Clone, Copy, Debug)]
struct Open {
    from: i64,
    /// Where its name begins.
    name: usize,
}

/// What is open of a thread.
#[derive(Debug, Default)]
struct Stack {
    open: Vec<Open>,
    names: Vec<u8>,
    /// Begun deeper than slices are kept.
    beyond: u64,
}

/// All open slices.
#[derive(Default)]
pub struct Slices {
    stacks: Vec<Stack>,
    /// Bytes of all names in them.
    bytes: usize,
    of_processes: BTreeMap<(i32, i64, Vec<u8>), i64>,
}

impl Slices {
    /// A slice begins.
    pub fn begin(&mut self, at: i64, thread: Thread, name: &[u8]) {
        let full = self.bytes > NAMES;
        let stack = self.of(thread);
        if full || stack.beyond > 0 || stack.open.len() >= DEEPEST {
            stack.beyond += 1;
            return;
        }
        stack.open.push(Open { from: at, name: stack.names.len() });
        stack.names.extend_from_slice(name);
        self.bytes += name.len();
    }

    /// The newest slice ends; an end without a begin is of one that began before the trace.
    pub fn end(&mut self, at: i64, thread: Thread, each: &mut impl FnMut(Fact<'_>)) {
        let stack = self.of(thread);
        if stack.beyond > 0 {
            stack.beyond -= 1;
            return;
        }
        let Some(open) = stack.open.pop() else { return };
        let name = &stack.names[open.name..];
        each(Fact::Slice { thread, from: open.from, to: Some(at), depth: stack.open.len(), name });
        let bytes = name.len();
        stack.names.truncate(open.name);
        if stack.open.is_empty() && stack.names.capacity() > KEPT {
            stack.names = Vec::new();
        }
        self.bytes -= bytes;
    }

    /// A slice without length.
    pub fn instant(&mut self, at: i64, thread: Thread, name: &[u8], each: &mut impl FnMut(Fact<'_>)) {
        let depth = self.of(thread).open.len();
        each(Fact::Slice { thread, from: at, to: Some(at), depth, name });
    }

    /// A slice of a process begins.
    pub fn begin_async(&mut self, at: i64, key: (i32, i64), name: &[u8]) {
        if self.of_processes.len() < ASYNC {
            self.of_processes.insert((key.0, key.1, name.to_vec()), at);
        }
    }

    /// A slice of a process ends.
    pub fn end_async(&mut self, at: i64, key: (i32, i64), name: &[u8], each: &mut impl FnMut(Fact<'_>)) {
        if let Some(from) = self.of_processes.remove(&(key.0, key.1, name.to_vec())) {
            each(Fact::Async { process: key.0, from, to: at, name });
        }
    }

    /// Everything of threads that is open now.
    pub fn all_open(&self, each: &mut impl FnMut(Fact<'_>)) {
        for (nth, stack) in self.stacks.iter().enumerate() {
            let ends = stack.open.iter().skip(1).map(|next| next.name).chain([stack.names.len()]);
            for (depth, (open, end)) in stack.open.iter().zip(ends).enumerate() {
                let name = &stack.names[open.name..end];
                each(Fact::Slice { thread: Thread(nth as u32), from: open.from, to: None, depth, name });
            }
        }
    }

    fn of(&mut self, thread: Thread) -> &mut Stack {
        let at = thread.0 as usize;
        if self.stacks.len() <= at {
            self.stacks.resize_with(at + 1, Stack::default);
        }
        &mut self.stacks[at]
    }
}
