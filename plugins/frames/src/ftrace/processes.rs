//! `ProcessTree`: which threads are of which process, and what processes are called.

use crate::frametimeline::wire::{Value, fields};
use farmjank_causes::threads::Threads;

/// Takes a tree.
pub fn take(tree: &[u8], threads: &mut Threads) {
    for (number, value) in fields(tree) {
        match (number, value) {
            (1, Value::Bytes(process)) => take_process(process, threads),
            (2, Value::Bytes(thread)) => take_thread(thread, threads),
            _ => {}
        }
    }
}

fn take_process(message: &[u8], threads: &mut Threads) {
    let (mut pid, mut name) = (0, None);
    for (number, value) in fields(message) {
        match (number, value) {
            (1, Value::Number(number)) => pid = number as i32,
            (3, Value::Bytes(word)) => name = name.or(Some(word)),
            _ => {}
        }
    }
    if pid <= 0 {
        return;
    }
    let main = threads.of(pid);
    threads.join(main, pid);
    threads.name_process(pid, name.unwrap_or_default());
}

fn take_thread(message: &[u8], threads: &mut Threads) {
    let (mut tid, mut process, mut name) = (0, 0, &[][..]);
    for (number, value) in fields(message) {
        match (number, value) {
            (1, Value::Number(number)) => tid = number as i32,
            (2, Value::Bytes(bytes)) => name = bytes,
            (3, Value::Number(number)) => process = number as i32,
            _ => {}
        }
    }
    if tid <= 0 || process <= 0 {
        return;
    }
    let thread = threads.of(tid);
    threads.join(thread, process);
    // Names are told at the scan and by every switch; the newest is the one the kernel told.
    if threads.name(thread).is_empty() {
        threads.rename(thread, &name[..name.len().min(super::batch::COMM)]);
    }
}
