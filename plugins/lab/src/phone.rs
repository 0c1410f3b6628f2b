//! One phone: a pure function of seed, time and the commands it received.
//!
//! Nothing here reads a clock or draws from a shared generator. Must not know how commands arrive (adb, shell).

use crate::spec::PhoneSpec;
use crate::truth::Truth;
use farmjank_results::time::Span;
use serde::Deserialize;
use std::marker::PhantomData;

/// An instant of the lab: ns since the lab began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabTime(pub i64);

impl LabTime {
    /// From ns since the lab began.
    pub const fn from_ns(ns: i64) -> Self {
        LabTime(ns)
    }

    /// ns since the lab began.
    pub const fn ns(self) -> i64 {
        self.0
    }
}

impl std::ops::Add<Span> for LabTime {
    type Output = LabTime;
    fn add(self, span: Span) -> LabTime {
        LabTime(self.0.saturating_add(span.ns()))
    }
}

/// Something wrong with a phone or its app, on purpose.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PhoneFault {
    /// Every `dumpsys` takes this many times as long.
    SlowDumpsys {
        /// Factor, at least 1.
        factor: f64,
    },
    /// The app in front stops drawing and answering, from now on.
    FrozenApp,
    /// The app's process dies.
    CrashApp {
        /// When, ns since the lab began.
        at: i64,
    },
    /// Thermal status from now on; from 2 up frames cost more.
    Thermal {
        /// 0 none to 6 shutdown.
        status: u8,
    },
    /// The `--latency` ring shows only this many rows.
    RingRows {
        /// Rows, 1..=127.
        n: u32,
    },
    /// The window's layer is destroyed and made anew.
    LayerReborn {
        /// When, ns since the lab began.
        at: i64,
    },
    /// Another tool clears every `--latency` ring.
    ClearedByOther {
        /// When, ns since the lab began.
        at: i64,
    },
    /// The lock screen comes up now.
    Keyguard,
    /// `input` is refused from now on.
    NoInjection,
    /// `--latency` prints only its first line, whatever the layer.
    PeriodOnly,
}

/// An external command that runs: asked for its answer when it has taken its time.
#[derive(Debug)]
pub struct Running {
    /// How long it runs from `begin`.
    pub takes: Span,
}

/// What a command printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Exit status.
    pub status: i32,
}

/// One virtual phone.
pub struct Phone {
    serial: String,
}

impl Phone {
    /// A phone that has been up for a while. `Err` says what is wrong with its description.
    pub fn new(spec: &PhoneSpec, serial: String, seed: u64) -> Result<Phone, String> {
        let _ = (spec, seed);
        Ok(Phone { serial })
    }

    /// Its serial number.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// Starts an external command (`argv[0]` is the program). None: the phone has no such program.
    pub fn begin(&mut self, now: LabTime, argv: &[String]) -> Option<Running> {
        let _ = (now, argv);
        None
    }

    /// The answer of a command, asked for at begin + `takes`; text shows the state at that instant.
    pub fn finish(&mut self, now: LabTime, running: Running) -> Answer {
        let _ = (now, running);
        Answer::default()
    }

    /// A file of /proc, /sys, or one that a command made; none when absent.
    pub fn file(&self, now: LabTime, path: &str) -> Option<Vec<u8>> {
        let _ = (now, path);
        None
    }

    /// Puts a file on the phone.
    pub fn write_file(&mut self, path: &str, bytes: Vec<u8>) {
        let _ = (path, bytes);
    }

    /// CLOCK_BOOTTIME, ns.
    pub fn boot_clock_ns(&self, now: LabTime) -> i64 {
        now.ns()
    }

    /// CLOCK_MONOTONIC, ns.
    pub fn monotonic_ns(&self, now: LabTime) -> i64 {
        now.ns()
    }

    /// Every frame that existed since the lab began.
    pub fn truth(&self) -> Truth<'_> {
        Truth { layers: vec![], gestures: vec![], switches: vec![], launches: vec![], phone: PhantomData }
    }

    /// Breaks something.
    pub fn set_fault(&mut self, fault: PhoneFault) {
        let _ = fault;
    }
}
