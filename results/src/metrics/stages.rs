//! Metrics on render stages: what the app's own renderer says of each frame (framestats;
//! docs/design/metrics.md#render-stages). Every one of them reads `beside.framestats` of a window and nothing of the
//! screen, but for input latency.
//!
//! Letters used in formulas: R is the render time of a frame (FrameCompleted - IntendedVsync), I the frame interval it
//! was drawn for, m how many frames the app drew inside the motions. Must not know the text framestats come from.

mod deadline;
mod frames;
mod hwui;
mod input_latency;
#[cfg(test)]
mod laws;
mod macrobenchmark;
mod main_factor;
mod matrix;
mod render;
#[cfg(test)]
mod samples;
mod stage;

pub use main_factor::main_factors;

use crate::metric::Metric;

/// Stages in the order of the counts of `main_factor`, as their keys spell them.
pub const STAGE_NAMES: [&str; 10] = [
    "unknown_delay",
    "input",
    "animation",
    "layout_measure",
    "draw",
    "sync_queue",
    "sync",
    "command_issue",
    "swap_buffers",
    "gpu",
];

/// The family, in the order of reports.
pub(super) static METRICS: &[&Metric] = &[
    &render::FRAME_COUNT,
    &render::RENDER_MS,
    &render::RENDER_P50_MS,
    &render::RENDER_P90_MS,
    &render::RENDER_P95_MS,
    &render::RENDER_P99_MS,
    &render::RENDER_MAX_MS,
    &render::VITALS_SLOW,
    &render::VITALS_SLOW_PCT,
    &render::VITALS_FROZEN,
    &render::FROZEN_RENDER,
    &render::OVER_INTERVAL_PCT,
    &deadline::JANK_LEGACY,
    &deadline::JANK_DEADLINE,
    &deadline::JANK_DEADLINE_PCT,
    &deadline::HWUI_MISSED_VSYNC,
    &deadline::HWUI_SLOW_UI,
    &deadline::HWUI_SLOW_UPLOAD,
    &deadline::HWUI_SLOW_DRAW,
    &deadline::HWUI_HIGH_INPUT_LATENCY,
    &stage::UNKNOWN_DELAY,
    &stage::INPUT,
    &stage::ANIMATION,
    &stage::LAYOUT_MEASURE,
    &stage::DRAW,
    &stage::SYNC_QUEUE,
    &stage::SYNC,
    &stage::COMMAND_ISSUE,
    &stage::SWAP_BUFFERS,
    &stage::GPU,
    &main_factor::MAIN_FACTOR,
    &main_factor::MAIN_FACTOR_NONE_PCT,
    &input_latency::INPUT_LATENCY_MS,
    &input_latency::INPUT_LATENCY_P95_MS,
    &macrobenchmark::FRAME_DURATION_CPU_MS,
    &macrobenchmark::FRAME_OVERRUN_MS,
    &matrix::MATRIX_DO_FRAME_LEVELS,
    &matrix::MATRIX_FPS200,
    &matrix::MATRIX_FPS200_MEAN,
];
