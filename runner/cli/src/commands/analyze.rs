//! `farmjank analyze`: the same metrics from files somebody saved by hand.
//!
//! [`intake`] reads files by their content, [`farmjank_measure::saved`] measures what they hold as a run does,
//! [`print`] and [`table`] tell.

mod intake;
mod print;
pub(super) mod spoken;
mod summary;
mod table;
mod words;

use crate::args::{AnalyzeArgs, AnalyzeFormat};
use crate::command_error::CommandError;
use crate::host::Streams;
use crate::settings::refuse;
use crate::wiring::source_id;
use farmjank_engine::scribe::Voice;
use farmjank_measure::saved::{self, Answer, Asked};
use intake::Material;
pub(in crate::commands) use intake::damage;
use summary::Summarised;

/// Analyses saved files.
pub fn run(args: &AnalyzeArgs) -> u8 {
    match answer(args) {
        Ok((answer, summary)) => {
            let text = match args.format {
                AnalyzeFormat::Json => print::json(&answer, summary.as_ref()),
                AnalyzeFormat::Table => table::table(&answer, summary.as_ref()),
            };
            for warning in &answer.warnings {
                Streams.err(&format!("warning: {warning}\n"));
            }
            Streams.out(&text);
            0
        }
        Err(why) => refuse(&why),
    }
}

/// What the files say, and the platform's own counts where a file has them.
fn answer(args: &AnalyzeArgs) -> Result<(Answer, Option<Summarised>), CommandError> {
    let asked = Asked {
        motions: spoken::windows(&args.window)?,
        pins: spoken::pins(&args.vsync)?,
        idle_gap: spoken::idle_gap(&args.idle_gap)?,
        target_fps: spoken::target_fps(args.target_fps)?,
        layer: args.layer.clone(),
        package: spoken::package(args.package.as_deref())?,
        source: source_id(args.source),
    };
    Ok(match intake::read(&args.files, &asked)? {
        Material::Rings(dumps, counters) => {
            let answer = saved::of_dumps(&asked, *dumps)?;
            let pid = answer.name.split('/').next().and_then(|pid| pid.parse().ok());
            let summary = (!counters.is_empty()).then(|| summary::of_blocks(&counters, pid));
            (answer, summary)
        }
        Material::Trace(trace) => {
            let mut answer = saved::of_trace(&asked, trace.by_name())?;
            answer.warnings.extend(intake::damage(&trace));
            (answer, None)
        }
        Material::Counted(counted) => {
            let summary = summary::of_totals(&counted);
            (saved::of_counts(&asked, counted.layers)?, Some(summary))
        }
        Material::Log(log) => {
            let summary = summary::of_log_entries(&log);
            (saved::of_log(&asked, log)?, Some(summary))
        }
        Material::Summary(blocks) => {
            let (name, summary) = summary::chosen(&asked, &blocks)?;
            (saved::of_counters(name), Some(summary))
        }
    })
}
