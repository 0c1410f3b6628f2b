//! What a profiler recorded of main threads: stacks and when they were seen. Equal stacks are kept once.

use std::collections::BTreeMap;

/// The last instant a recording may tell of, ns: thirty-six years after its clock began.
const LATEST: i64 = 1 << 60;

/// One call of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// Its method or function, as symbols name it; empty where none does.
    pub name: String,
    /// The file its code is in, as the phone names it.
    pub file: String,
}

/// What was seen of a thread at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// It ran, and had run for so long since it was looked at before, ns; none where the profiler counts something else
    /// than time.
    Ran(Option<i64>),
    /// It left its CPU, by itself or because others had to run.
    Left,
    /// It runs again.
    Back,
    /// It was inside its stack since it was looked at before, running or not.
    Inside,
}

/// One look at a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When, ns on the recording's clock.
    pub at: i64,
    /// What was seen.
    pub seen: Seen,
    /// Its stack, as [`Recording::calls`] knows it; none for [`Seen::Back`].
    pub stack: Option<u32>,
}

/// The main thread of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Main {
    /// What the kernel calls it: the last fifteen bytes of the process's name.
    pub name: String,
    /// In order of time.
    pub samples: Vec<Sample>,
}

impl Main {
    /// Whether it may be of a process of this name: the kernel keeps fifteen bytes, the last ones.
    fn is_of(&self, app: &str) -> bool {
        const KEPT: usize = 15;
        // Traces of methods name no process.
        self.name.is_empty() || app == self.name || (self.name.len() == KEPT && app.ends_with(&self.name))
    }
}

/// A recording.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The app it is of, where the profiler was told one.
    pub app: Option<String>,
    /// It tells when threads were off their CPUs.
    pub off_cpu: bool,
    /// Samples the kernel lost.
    pub lost: u64,
    /// It is a trace of methods: each was noted as it was entered and left.
    pub of_methods: bool,
    /// The recorder's room was full before it was stopped.
    pub full: bool,
    /// Main threads by process.
    pub mains: BTreeMap<i32, Main>,
    known: Known,
}

/// Calls and stacks by their numbers, and numbers by them.
#[derive(Clone, Debug, Default)]
struct Known {
    calls: Vec<Call>,
    numbers: BTreeMap<Call, u32>,
    stacks: Vec<Vec<u32>>,
    stack_numbers: BTreeMap<Vec<u32>, u32>,
}

impl Recording {
    /// A recording that holds nothing yet: of this app, and telling when threads were off their CPUs, or not.
    pub fn new(app: Option<String>, off_cpu: bool) -> Recording {
        Recording { app, off_cpu, ..Recording::default() }
    }

    /// Number of a call.
    pub fn call(&mut self, call: Call) -> u32 {
        let next = u32::try_from(self.known.calls.len()).unwrap_or(u32::MAX);
        let calls = &mut self.known.calls;
        *self.known.numbers.entry(call).or_insert_with_key(|call| {
            calls.push(call.clone());
            next
        })
    }

    /// Number of a stack of calls, the innermost first.
    pub fn stack(&mut self, calls: Vec<u32>) -> u32 {
        let next = u32::try_from(self.known.stacks.len()).unwrap_or(u32::MAX);
        let stacks = &mut self.known.stacks;
        *self.known.stack_numbers.entry(calls).or_insert_with_key(|calls| {
            stacks.push(calls.clone());
            next
        })
    }

    /// Adds what was seen of the main thread of a process. What no clock of a phone tells, whoever wrote it, is left
    /// out: times that cannot be held against each other.
    pub fn add(&mut self, process: i32, sample: Sample) {
        let seen = match sample.seen {
            Seen::Ran(Some(ns)) => Seen::Ran(Some(ns.clamp(0, LATEST))),
            seen => seen,
        };
        if (0..=LATEST).contains(&sample.at) {
            self.mains.entry(process).or_default().samples.push(Sample { seen, ..sample });
        }
    }

    /// The calls of a stack, the innermost first.
    pub fn calls(&self, stack: u32) -> impl Iterator<Item = &Call> {
        let of_stack = self.known.stacks.get(stack as usize).into_iter().flatten();
        of_stack.filter_map(|call| self.known.calls.get(*call as usize))
    }

    /// How many different stacks there are: they are numbered from 0 on.
    pub fn stacks(&self) -> u32 {
        u32::try_from(self.known.stacks.len()).unwrap_or(u32::MAX)
    }

    /// All names of methods and functions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.calls.iter().map(|call| call.name.as_str())
    }

    /// Gives methods other names, as a mapping of obfuscated ones knows them. Stacks stay apart that become equal.
    pub fn rename(&mut self, name: &dyn Fn(&str) -> Option<String>) {
        for call in &mut self.known.calls {
            if let Some(name) = name(&call.name) {
                call.name = name;
            }
        }
        self.known.numbers =
            (0..).zip(&self.known.calls).map(|(number, call)| (call.clone(), number)).collect();
    }

    /// The process of an app, with its name: of the one named, else of the one the recording is of, else of the only
    /// one.
    ///
    /// # Errors
    /// No process is of it, or several may be meant: the names of those there are.
    pub fn of_app(&self, package: Option<&str>) -> Result<(i32, String), Vec<String>> {
        let wanted = package.or(self.app.as_deref());
        let own = |(process, main): (&i32, &Main)| {
            let named = wanted.is_none_or(|app| main.is_of(app));
            named.then(|| (*process, wanted.unwrap_or(&main.name).to_owned()))
        };
        let mut own: Vec<(i32, String)> = self.mains.iter().filter_map(own).collect();
        match (own.len(), self.mains.first_key_value()) {
            (1, _) => Ok(own.remove(0)),
            // The profiler followed one app: whatever the kernel calls it.
            (0, Some((process, _))) if package.is_none() && self.mains.len() == 1 => {
                Ok((*process, wanted.unwrap_or_default().to_owned()))
            }
            _ => Err(self.mains.values().map(|main| main.name.clone()).collect()),
        }
    }

    /// Puts samples in order, which profilers write by CPU.
    pub fn sort(&mut self) {
        for main in self.mains.values_mut() {
            main.samples.sort_by_key(|sample| sample.at);
        }
    }
}
