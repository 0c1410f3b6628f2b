//! Tracing processes that live on their own.
//!
//! Lab times in ns. Must not know what is traced.

use super::lab_time::LabTime;
use crate::dumps::perfetto::Config;
use crate::dumps::simpleperf::Profile;
use std::collections::BTreeMap;

/// The one folder traces may be written to.
pub const TRACES: &str = "/data/misc/perfetto-traces/";
/// Where configs may be read from, from Android 12 on.
pub const CONFIGS: &str = "/data/misc/perfetto-configs/";
/// Largest config a phone reads, bytes.
pub const CONFIG_MOST: usize = 1 << 20;

/// Who records.
#[derive(Clone, Debug)]
pub(super) enum Program {
    /// The tracer.
    Perfetto,
    /// The profiler, of this.
    Simpleperf(Profile),
}

impl Program {
    /// The name on its command line.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Program::Perfetto => "perfetto",
            Program::Simpleperf(_) => "simpleperf",
        }
    }
}

/// A tracing session.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) program: Program,
    pub(super) config: Config,
    /// Where the file goes; standard output when absent.
    pub(super) path: Option<String>,
    /// The command line it was started by.
    pub(super) argv: Vec<String>,
    pub(super) began: i64,
    /// When tracing stops: never, unless the config or a signal says so.
    pub(super) ended: Option<i64>,
    /// How long the file takes to write.
    pub(super) writing: i64,
    /// From here on (CLOCK_MONOTONIC, ns) the simulation has kept every frame for it; none when it records no frames.
    pub(super) kept_from: Option<i64>,
}

impl Session {
    pub(super) fn done(&self) -> Option<i64> {
        self.ended.map(|ended| ended.saturating_add(self.writing))
    }
}

/// Tracing processes, and what is wrong with tracing.
#[derive(Debug, Default)]
pub(super) struct Tracing {
    pub(super) sessions: BTreeMap<u32, Session>,
    pub(super) faults: TraceFaults,
}

impl Tracing {
    /// The command line of a tracing process, as the kernel shows it.
    pub(super) fn line(&self, pid: u32) -> Option<Vec<u8>> {
        let session = self.sessions.get(&pid)?;
        let words = std::iter::once(session.program.name()).chain(session.argv.iter().map(String::as_str));
        Some(words.flat_map(|word| word.bytes().chain([0])).collect())
    }

    /// Whether a tracing process lives.
    pub(super) fn lives(&self, pid: u32) -> bool {
        self.sessions.contains_key(&pid)
    }

    /// When a tracing process will be gone; none when it runs until it is told.
    pub(super) fn until(&self, pid: u32) -> Option<LabTime> {
        self.sessions.get(&pid).and_then(Session::done).map(LabTime)
    }
}

/// What faults do to traces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TraceFaults {
    /// Share of chunks that are lost.
    pub loss: f64,
    /// Share of the file that is there.
    pub kept: f64,
    /// Nobody can trace at all.
    pub refused: bool,
}

impl Default for TraceFaults {
    fn default() -> TraceFaults {
        TraceFaults { loss: 0.0, kept: 1.0, refused: false }
    }
}
