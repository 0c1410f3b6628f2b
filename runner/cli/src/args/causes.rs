//! Flags of `farmjank causes`.

use super::AnalyzeFormat;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  farmjank causes results/runs/20260301-120000                  a run with --causes: every window
  farmjank causes results/runs/20260301-120000 'pixel 8/fling'  one of them
  farmjank causes results/runs/7.4 results/runs/7.5             two runs: new, grown, known, shrunk, gone
  farmjank causes --history bce0911e595f326a                    one cause, night after night
  farmjank causes trial.perfetto-trace                          the app with most frames
  farmjank causes trial.perfetto-trace.zst --package com.shop   one app, of a run's packed evidence
  farmjank causes trial.perfetto-trace --format json            for programs
  farmjank causes perf.data --mapping mapping.txt               call stacks of simpleperf: which methods held main up

Stalls without a frame (main held up for 80 ms or longer, no frame promised) are told beside late frames.
What to record, what each kind of cause is, and what cannot be told: docs/causes.md";

/// How call stacks name a stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StackRules {
    /// Every stack by the time it stands for.
    Time,
    /// All of a stall by its key stack.
    KeyStack,
}

/// Forms in which call stacks are handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StackForm {
    /// Lines of stacks and microseconds, for flame graphs.
    Folded,
    /// A file for speedscope.
    Speedscope,
    /// A file for the Firefox Profiler.
    Firefox,
}

/// `farmjank causes`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct CausesArgs {
    /// The run bundle of a run with --causes; or a Perfetto trace with the frame timeline and the kernel's scheduler
    /// events (Android 12 and newer); or call stacks as simpleperf records them: perf.data, or what
    /// `report-sample --protobuf` makes of it; or a method trace of ART (`am profile`, Android Studio); or issues of
    /// the Matrix library (`Trace_EvilMethod`), JSON or a log.
    #[arg(value_name = "RUN|TRACE|STACKS|ISSUES", required_unless_present = "history")]
    pub from: Option<PathBuf>,
    /// Of a run, only this window: phone/scenario/window, each as much as tells it apart. Or the bundle of a newer run:
    /// what became of the causes, window by window. A cause is gone only where the newer run looked for it.
    #[arg(value_name = "CELL|RUN", conflicts_with = "package")]
    pub other: Option<String>,
    /// Only this app; without it, the one with most frames.
    #[arg(long, value_name = "NAME")]
    pub package: Option<String>,
    /// Of call stacks, also those in a trace: the mapping.txt that R8 or ProGuard wrote for this very build, for the
    /// names of the source. Of issues: the methodMapping.txt that Matrix wrote for it.
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Who answers for which package, an owners.yaml: of a trace or a run, causes are told with their owner
    /// (docs/causes.md, "Owners"), whatever the run itself was told.
    #[arg(long, value_name = "FILE")]
    pub owners: Option<PathBuf>,
    /// Of call stacks: how they name a stall. Each by the time it stands for; or all of it by its key stack, the one
    /// seen most often, looked at every 52 ms, as samplers inside apps do.
    #[arg(long, value_enum, value_name = "RULES")]
    pub by: Option<StackRules>,
    /// Of call stacks: print those of all stalls in the form of a program that draws them.
    #[arg(long, value_enum, value_name = "FORM", conflicts_with_all = ["by", "format"])]
    pub export: Option<StackForm>,
    /// Follow one cause over the runs of the history store, by its fingerprint or the first digits of it: new, known,
    /// grown, shrunk, gone, back. Absent only where a run looked for it.
    #[arg(long, value_name = "FINGERPRINT", conflicts_with_all = ["from", "other", "package", "mapping", "owners", "by", "export"])]
    pub history: Option<String>,
    /// The history store: a SQLite file, or `postgres://user@host/database`.
    #[arg(long, value_name = "PATH|URL", default_value = crate::history::PLACE)]
    pub store: String,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: AnalyzeFormat,
}
