//! `farmjank analyze`: the same metrics from files somebody saved by hand.
//!
//! [`intake`] reads files by their content, [`frames`] judges what shows single frames (dumps, traces, evidence), [`counts`]
//! what only counts them, [`print`] tells. Measuring is that of a run: the same stitching, cutting and metrics.

mod counts;
mod evidence;
mod frames;
mod intake;
mod print;
mod spoken;
mod summary;
mod table;
mod trace;
mod trusted;
mod words;

use crate::args::{AnalyzeArgs, AnalyzeFormat};
use crate::host::Streams;
use crate::settings::complain;
use crate::wiring::source_id;
use farmjank_engine::announce::Voice;
use farmjank_results::frame::SourceId;
use farmjank_results::metric::Reading;
use farmjank_results::time::{DeviceTime, Span};
use farmjank_results::verdict::EXIT_USAGE;
use farmjank_results::window::{Motion, Window};
use intake::Material;
use std::collections::BTreeMap;
use summary::Summarised;

/// What the files say.
struct Answer {
    source: SourceId,
    /// Layer, window, process or file the numbers are of.
    name: String,
    /// What else is in the files: layers, windows or processes, with the frames each holds.
    others: Vec<(String, u64)>,
    window: Window,
    readings: BTreeMap<String, Reading>,
    /// The platform's own counts, where the file is a summary.
    summary: Option<Summarised>,
    /// What the reader should know besides the numbers.
    warnings: Vec<String>,
}

/// What the flags ask for.
struct Asked {
    /// Stretches to judge; empty for the whole file.
    motions: Vec<Motion>,
    /// Refresh periods that are pinned.
    pins: Vec<(Option<DeviceTime>, Span)>,
    idle_gap: Option<Span>,
    target_fps: Option<f64>,
    /// Part of a layer's or window's name.
    layer: Option<String>,
    package: Option<String>,
    source: Option<SourceId>,
}

/// Analyses saved files.
pub fn run(args: &AnalyzeArgs) -> u8 {
    match answer(args) {
        Ok(answer) => {
            let text = match args.format {
                AnalyzeFormat::Json => print::json(&answer),
                AnalyzeFormat::Table => table::table(&answer),
            };
            for warning in &answer.warnings {
                Streams.err(&format!("warning: {warning}\n"));
            }
            Streams.out(&text);
            0
        }
        Err(why) => {
            complain(&why);
            EXIT_USAGE
        }
    }
}

fn answer(args: &AnalyzeArgs) -> Result<Answer, String> {
    let asked = Asked {
        motions: spoken::windows(&args.window)?,
        pins: spoken::pins(&args.vsync)?,
        idle_gap: spoken::idle_gap(&args.idle_gap)?,
        target_fps: spoken::target_fps(args.target_fps)?,
        layer: args.layer.clone(),
        package: spoken::package(args.package.as_deref())?,
        source: source_id(args.source),
    };
    match intake::read(&args.files, &asked)? {
        Material::Rings(rings) => frames::of_rings(&asked, *rings),
        Material::Trace(trace) => trace::of_trace(&asked, *trace),
        Material::Counted(counted) => counts::of_counted(&asked, counted),
        Material::Log(log) => counts::of_log(&asked, log),
        Material::Summary(blocks) => counts::of_summary(&asked, &blocks),
    }
}
