//! The allocator, and what is said when it has nothing left to give: a person under `ulimit -v` or in a small container
//! is told so, instead of a signal and a backtrace. Must not allocate.
#![allow(unsafe_code, reason = "an allocator hands out raw memory")]

use crate::host;
use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicU8, Ordering};

/// A run makes and drops small texts by the million: mimalloc costs a quarter less than the system's allocator. An
/// agent with phones waits most of its life and has a computer to share: the system's holds a third less for it
/// (docs/farm.md).
pub struct Memory;

/// Which allocator is this process's: settled with the first that is asked for, since each takes back only its own.
static OF_PROCESS: AtomicU8 = AtomicU8::new(UNSETTLED);
const UNSETTLED: u8 = 0;
const QUICK: u8 = 1;
const SMALL: u8 = 2;

// SAFETY: every call is passed on as it came, and every pointer comes from there: the first one settles whose all calls
// are, before there is another thread. A null pointer is handed to nobody.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        there(
            unsafe { if is_small() { System.alloc(layout) } else { MiMalloc.alloc(layout) } },
            layout.size(),
        )
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let memory =
            unsafe { if is_small() { System.alloc_zeroed(layout) } else { MiMalloc.alloc_zeroed(layout) } };
        there(memory, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let memory = unsafe {
            if is_small() {
                System.realloc(memory, layout, size)
            } else {
                MiMalloc.realloc(memory, layout, size)
            }
        };
        there(memory, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { if is_small() { System.dealloc(memory, layout) } else { MiMalloc.dealloc(memory, layout) } }
    }
}

fn is_small() -> bool {
    match OF_PROCESS.load(Ordering::Relaxed) {
        UNSETTLED => settled(),
        of => of == SMALL,
    }
}

#[cold]
fn settled() -> bool {
    let mut words = [0; 4096];
    let read = host::command_line(&mut words);
    let small = has_attached_phones(words.get(..read).unwrap_or_default());
    OF_PROCESS.store(if small { SMALL } else { QUICK }, Ordering::Relaxed);
    small
}

/// Whether words, each ended by a zero, are those of an agent whose phones are not played.
fn has_attached_phones(words: &[u8]) -> bool {
    let mut words = words.split(|byte| *byte == 0).skip(1);
    let mut command = words.next();
    // The one option that stands before commands.
    while let Some(option) = command.filter(|word| word.starts_with(b"--color")) {
        command = if option == b"--color" { words.nth(1) } else { words.next() };
    }
    command == Some(b"agent") && !words.any(|word| word == b"--lab" || word.starts_with(b"--lab="))
}

// As mimalloc.h declares them; the crate gives the option no name.
unsafe extern "C" {
    fn mi_option_set(option: c_int, value: c_long);
}
const PURGE_DELAY: c_int = 15;

/// Gives back at once what is freed from here on, where it is mimalloc's, and not after a while: an agent with 34
/// phones holds 2 MB less. A run that simulates would take a sixth longer.
pub fn give_back_at_once() {
    // SAFETY: an option of the allocator is set to a value it takes; it is read whenever something is freed.
    unsafe { mi_option_set(PURGE_DELAY, 0) }
}

fn there(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        host::out_of_memory(size);
    }
    memory
}

#[cfg(test)]
mod tests {
    use super::has_attached_phones;

    #[test]
    fn agents_of_attached_phones_are_told_from_those_that_play_a_lab_and_from_all_else() {
        assert!(has_attached_phones(b"/usr/bin/farmjank\0agent\0--farm\0nats://a\0--host\0rack\0"));
        assert!(has_attached_phones(b"farmjank\0agent"));
        assert!(has_attached_phones(b"farmjank\0--color\0never\0agent\0--host\0rack\0"));
        assert!(has_attached_phones(b"farmjank\0--color=never\0agent\0"));
        assert!(!has_attached_phones(b"farmjank\0--color\0agent\0run\0"));
        assert!(!has_attached_phones(b"farmjank\0agent\0--host\0rack\0--lab\0demo\0"));
        assert!(!has_attached_phones(b"farmjank\0agent\0--lab=demo\0"));
        assert!(!has_attached_phones(b"agent\0run\0scenarios\0"));
        assert!(!has_attached_phones(b"farmjank\0run\0agent\0"));
        assert!(!has_attached_phones(b""));
    }
}
