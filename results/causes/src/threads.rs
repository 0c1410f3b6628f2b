//! Who is who: threads by the kernel's numbers, which come back when their owners die; their names and processes.

use crate::fact::Thread;
use std::collections::BTreeMap;

/// Threads known, at most. A phone has some three thousand at a time.
const MOST: usize = 1 << 18;
/// Numbers of threads that are looked up in a table; larger ones are rare.
const NEAR: usize = 1 << 16;
/// No thread.
const NOBODY: u32 = u32::MAX;
/// Processes whose names are kept, at most, and the longest name, bytes.
const PROCESSES: usize = 1 << 16;
const LONGEST_NAME: usize = 256;
/// What does not fit any more is taken for the idle thread.
const IDLE: Thread = Thread::IDLE;

/// What is known of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    tid: i32,
    /// Its process; 0 where nobody told.
    process: i32,
    name: Vec<u8>,
}

/// Every thread met.
#[derive(Clone, Debug)]
pub struct Threads {
    near: Vec<u32>,
    far: BTreeMap<i32, u32>,
    all: Vec<Known>,
    processes: BTreeMap<i32, String>,
}

impl Default for Threads {
    fn default() -> Threads {
        let idle = Known { tid: 0, process: 0, name: b"swapper".to_vec() };
        Threads { near: vec![0], far: BTreeMap::new(), all: vec![idle], processes: BTreeMap::new() }
    }
}

impl Threads {
    /// The living thread of this number.
    pub fn of(&mut self, tid: i32) -> Thread {
        match self.find(tid) {
            Some(thread) => thread,
            None => self.new_thread(tid),
        }
    }

    /// The living thread of this number, if it was met.
    pub fn find(&self, tid: i32) -> Option<Thread> {
        let known = match usize::try_from(tid) {
            Ok(at) if at < NEAR => self.near.get(at).copied().filter(|known| *known != NOBODY),
            _ => self.far.get(&tid).copied(),
        };
        known.map(Thread)
    }

    /// A thread that was born now: whoever had its number before is gone.
    pub fn new_thread(&mut self, tid: i32) -> Thread {
        if tid == 0 || self.all.len() >= MOST {
            return IDLE;
        }
        let thread = self.all.len() as u32;
        self.all.push(Known { tid, ..Known::default() });
        match usize::try_from(tid) {
            Ok(at) if at < NEAR => {
                if self.near.len() <= at {
                    self.near.resize(at + 1, NOBODY);
                }
                self.near[at] = thread;
            }
            _ => drop(self.far.insert(tid, thread)),
        }
        Thread(thread)
    }

    /// The kernel's name of a thread. A process told by its command line keeps that name beside it.
    pub fn rename(&mut self, thread: Thread, name: &[u8]) {
        if thread != IDLE
            && !name.is_empty()
            && let Some(known) = self.all.get_mut(thread.0 as usize)
            && known.name != name
        {
            known.name.clear();
            known.name.extend_from_slice(name);
        }
    }

    /// The thread of this number in this process; a number that belongs to another process has a new owner.
    pub fn in_process(&mut self, tid: i32, process: i32) -> Thread {
        let thread = self.of(tid);
        if thread == IDLE || process <= 0 {
            return thread;
        }
        let known = &mut self.all[thread.0 as usize];
        if known.process == 0 {
            known.process = process;
            return thread;
        }
        if known.process == process {
            return thread;
        }
        let name = known.name.clone();
        let thread = self.new_thread(tid);
        if thread != IDLE {
            self.all[thread.0 as usize].process = process;
            self.rename(thread, &name);
        }
        thread
    }

    /// Puts a thread into a process nobody had told.
    pub fn join(&mut self, thread: Thread, process: i32) {
        if thread != IDLE
            && let Some(known) = self.all.get_mut(thread.0 as usize)
        {
            known.process = process;
        }
    }

    /// Names a process.
    pub fn name_process(&mut self, process: i32, name: &[u8]) {
        if !name.is_empty() && (self.processes.len() < PROCESSES || self.processes.contains_key(&process)) {
            let name = &name[..name.len().min(LONGEST_NAME)];
            self.processes.insert(process, String::from_utf8_lossy(name).into_owned());
        }
    }

    /// The kernel's number of a thread.
    pub fn tid(&self, thread: Thread) -> i32 {
        self.all.get(thread.0 as usize).map_or(0, |known| known.tid)
    }

    /// The process of a thread, where somebody told.
    pub fn process(&self, thread: Thread) -> Option<i32> {
        self.all.get(thread.0 as usize).map(|known| known.process).filter(|process| *process > 0)
    }

    /// The kernel's name of a thread, at most fifteen bytes; empty where nobody told.
    pub fn name(&self, thread: Thread) -> String {
        let name = self.all.get(thread.0 as usize).map(|known| known.name.as_slice());
        String::from_utf8_lossy(name.unwrap_or_default()).into_owned()
    }

    /// The name of a process, where somebody told.
    pub fn process_name(&self, process: i32) -> Option<&str> {
        self.processes.get(&process).map(String::as_str)
    }
}
