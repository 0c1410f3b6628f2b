//! Writers of what phones print. Each takes a [`Scene`] (a phone at an instant) and writes bytes; none changes
//! anything.
//!
//! Text in, nothing out: must not know commands, shells or how long anything takes.

pub mod activity;
pub mod battery;
mod digits;
pub mod display;
pub mod flinger;
pub mod framestats;
pub mod gfxinfo;
pub mod input;
pub mod input_method;
pub mod latency;
pub mod layers;
pub mod logcat;
pub mod package;
pub mod perfetto;
pub mod power;
pub mod screen;
pub mod simpleperf;
pub mod timestats;
pub mod window;

use crate::archetype::Archetype;
use crate::phone_sim::state::PhoneSim;
use crate::phone_sim::window::Window;
use crate::spec::Refused;
use std::collections::BTreeSet;

/// A phone at an instant.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// Its living part, advanced to `now`.
    pub sim: &'a PhoneSim,
    /// CLOCK_MONOTONIC, ns.
    pub now: i64,
    /// CLOCK_BOOTTIME, ns.
    pub boot: i64,
    /// Wall clock, s.
    pub wall_s: i64,
    /// What the simulation does not tell.
    pub body: &'a Body,
}

/// Battery, heat and what faults do to dumps. One field for each thing that is printed or prints otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Charge, percent.
    pub battery_level: u32,
    /// On a cable.
    pub plugged: bool,
    /// Battery, °C.
    pub celsius: f64,
    /// Current out of the battery without a cable, mA.
    pub drain_ma: f64,
    /// What it keeps from a shell.
    pub refuses: BTreeSet<Refused>,
    /// Thermal status 0..=6.
    pub thermal_status: u8,
    /// Apps are being compiled.
    pub compiling: bool,
    /// Room left for data, MB, where it was said.
    pub free_mb: Option<u64>,
    /// Command lines of programs that others run there.
    pub programs: Vec<String>,
    /// Model name.
    pub model: String,
    /// Seed of readings.
    pub seed: u64,
    /// What it does otherwise than phones do.
    pub quirks: Quirks,
}

/// What some phones, and phones where something is wrong, do otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Quirks {
    /// `--latency` shows only so many rows.
    pub ring_rows: Option<u32>,
    /// `--latency` prints only its first line.
    pub period_only: bool,
    /// `--latency` prints when a frame was ready before it prints when it was shown.
    pub swapped: bool,
    /// `--latency` prints this on its first line, ns, whatever the panel does.
    pub header_ns: Option<i64>,
    /// `input` is refused.
    pub injection_blocked: bool,
    /// Every `dumpsys` takes this many times as long.
    pub slow_dumps: f64,
}

impl Default for Quirks {
    fn default() -> Quirks {
        Quirks {
            ring_rows: None,
            period_only: false,
            swapped: false,
            header_ns: None,
            injection_blocked: false,
            slow_dumps: 1.0,
        }
    }
}

impl<'a> Scene<'a> {
    /// The model.
    pub fn archetype(&self) -> &'static Archetype {
        self.sim.setup.archetype
    }

    /// Seconds since boot: what sensors drift with.
    pub fn minutes(&self) -> i64 {
        self.boot / 60_000_000_000
    }

    /// Open windows of an app, bottom to top.
    pub fn windows(&self, app: usize) -> impl Iterator<Item = &'a Window> {
        let sim = self.sim;
        sim.activities.processes[app].stack.iter().filter_map(|index| sim.activities.window(*index))
    }

    /// `Uptime: ms Realtime: ms`.
    pub fn clocks(&self) -> String {
        format!("Uptime: {} Realtime: {}", self.now / 1_000_000, self.boot / 1_000_000)
    }
}

/// Appends a formatted line.
macro_rules! line {
    ($out:expr) => { $out.push(b'\n') };
    ($out:expr, $($piece:tt)*) => {{
        // Writing to a vector cannot fail.
        let _ = std::io::Write::write_fmt($out, format_args!($($piece)*));
        $out.push(b'\n');
    }};
}
pub(crate) use line;
