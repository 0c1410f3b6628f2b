//! Flags of dumps that were saved by hand.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `farmjank analyze`
#[derive(Args, Debug, Clone)]
pub struct AnalyzeArgs {
    /// Files saved from a phone, or `-` for standard input: successive dumps of one layer or app, or one Perfetto
    /// trace, timestats dump, gfxinfo summary, logcat, or evidence file of a run.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// What the files are.
    #[arg(long, value_enum, default_value = "auto")]
    pub source: SourceChoice,
    /// Only this app, when a file holds several; a trace without it is that of the app with most frames.
    #[arg(long, value_name = "NAME")]
    pub package: Option<String>,
    /// Judge this stretch of the phone's clock; repeatable. PHASE is finger, fling or scroll.
    #[arg(long, value_name = "START_NS..END_NS:PHASE")]
    pub window: Vec<String>,
    /// Pin the refresh period, from an instant on; repeatable.
    #[arg(long, value_name = "[FROM_NS:]PERIOD_NS")]
    pub vsync: Vec<String>,
    /// The rate the app aims at.
    #[arg(long, value_name = "FPS")]
    pub target_fps: Option<f64>,
    /// Without --window, a gap longer than this is idle time: milliseconds (`250`), a time (`1s`), or `none`.
    #[arg(long, value_name = "MS|none", default_value = "1000")]
    pub idle_gap: String,
    /// Only this layer or window, when a file holds several (part of its name).
    #[arg(long, value_name = "NAME")]
    pub layer: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    pub format: AnalyzeFormat,
}

/// Kinds of dumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SourceChoice {
    /// By what the files say.
    Auto,
    /// `dumpsys SurfaceFlinger --latency LAYER`
    Surfaceflinger,
    /// `dumpsys gfxinfo PACKAGE framestats`, or without framestats
    Gfxinfo,
    /// A Perfetto trace with `android.surfaceflinger.frametimeline`
    Frametimeline,
    /// `dumpsys SurfaceFlinger --timestats -dump`
    Timestats,
    /// A log saved from `adb logcat`
    Logcat,
}

/// How `analyze` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnalyzeFormat {
    /// For people.
    Table,
    /// For programs.
    Json,
}
