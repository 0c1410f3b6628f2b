//! Flags of `farmjank causes`.

use super::AnalyzeFormat;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  farmjank causes results/runs/20260301-120000                  a run with --causes: every window
  farmjank causes results/runs/20260301-120000 'pixel 8/fling'  one of them
  farmjank causes trial.perfetto-trace                          the app with most frames
  farmjank causes trial.perfetto-trace.zst --package com.shop   one app, of a run's packed evidence
  farmjank causes trial.perfetto-trace --format json            for programs

Stalls without a frame (main held up for 80 ms or longer, no frame promised) are told beside late frames.
What to record, what each kind of cause is, and what cannot be told: docs/causes.md";

/// `farmjank causes`
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct CausesArgs {
    /// The run bundle of a run with --causes; or a Perfetto trace with the frame timeline and the kernel's scheduler
    /// events (Android 12 and newer).
    #[arg(value_name = "RUN|TRACE")]
    pub from: PathBuf,
    /// Of a run, only this window: phone/scenario/window, each as much as tells it apart.
    #[arg(value_name = "CELL", conflicts_with = "package")]
    pub cell: Option<String>,
    /// Only this app; without it, the one with most frames.
    #[arg(long, value_name = "NAME")]
    pub package: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: AnalyzeFormat,
}
