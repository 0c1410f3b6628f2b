//! What was lost, as the tracer itself tells at the start and at the end (`FtraceStats`), and what it could not trace.

use crate::frametimeline::wire::{Value, fields};
use std::collections::{BTreeMap, BTreeSet};

/// Names of events kept, at most, and the longest, bytes.
const NAMES: usize = 256;
const LONGEST: usize = 96;
/// `phase` of the report at the end.
const END: u64 = 2;

/// What a trace of the kernel lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Events the kernel overwrote before they were read, by CPU.
    pub overrun: BTreeMap<u64, u64>,
    /// Events asked for that this phone does not have or does not let apps' tracers see.
    pub not_traced: BTreeSet<String>,
    /// Batches that came too late to be put in order.
    pub disordered: u64,
    /// Bundles that made no sense.
    pub unreadable: u64,
    /// Bundles on another clock than CLOCK_BOOTTIME.
    pub foreign: u64,
}

impl Losses {
    /// What it lacks, in sentences.
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        let lost: u64 = self.overrun.values().sum();
        if lost > 0 {
            doubts.push(format!(
                "the kernel overwrote {lost} events before they were read: give its buffers more room"
            ));
        }
        let needed = |name: &&String| name.contains("sched_switch") || name.contains("print");
        doubts.extend(self.not_traced.iter().filter(needed).map(|name| {
            format!("this phone does not let {name} be traced: causes that rest on it cannot be told")
        }));
        if self.disordered > 0 {
            let late = self.disordered;
            doubts.push(format!(
                "{late} pieces of the trace came too late to be put in order: states may be wrong there"
            ));
        }
        if self.unreadable + self.foreign > 0 {
            let bad = self.unreadable + self.foreign;
            doubts.push(format!("{bad} pieces of the trace could not be read, or are on another clock"));
        }
        doubts
    }
}

/// Reads the reports as they come.
#[derive(Default)]
pub struct Stats {
    started: BTreeMap<u64, u64>,
    /// What was lost.
    pub losses: Losses,
}

impl Stats {
    /// Takes a report.
    pub fn take(&mut self, message: &[u8]) {
        let phase = fields(message).find_map(|(number, value)| value.number().filter(|_| number == 1));
        for (number, value) in fields(message) {
            let Value::Bytes(bytes) = value else { continue };
            match number {
                2 => self.cpu(phase == Some(END), bytes),
                6 | 7 if self.losses.not_traced.len() < NAMES => {
                    let name = farmjank_leaf::text::bytes_line(bytes, LONGEST);
                    self.losses.not_traced.insert(name);
                }
                _ => {}
            }
        }
    }

    fn cpu(&mut self, end: bool, message: &[u8]) {
        let (mut cpu, mut lost) = (0, 0_u64);
        for (number, value) in fields(message) {
            match (number, value) {
                (1, Value::Number(number)) => cpu = number,
                (3 | 8, Value::Number(count)) => lost = lost.saturating_add(count),
                _ => {}
            }
        }
        if cpu >= super::batch::CPUS {
            return;
        }
        if !end {
            self.started.insert(cpu, lost);
            return;
        }
        let new = lost.saturating_sub(self.started.get(&cpu).copied().unwrap_or(0));
        if new > 0 {
            self.losses.overrun.insert(cpu, new);
        }
    }
}
