//! `farmjank causes OLD NEW`: what became of the causes of one run in another.

use crate::args::AnalyzeFormat;
use crate::baselines::recorded;
use crate::command_error::{CommandError, usage};
use crate::host;
use farmjank_leaf::text::name as shown;
use farmjank_reporters::cause_life::{CausesHeld, json, table};
use farmjank_results::cause_life::{asked_any, between, diagnoses};
use std::path::Path;

/// What is printed.
///
/// # Errors
/// One of the two cannot be read, both are one, or no window of either was asked about.
pub fn answer(old: &Path, new: &Path, format: AnalyzeFormat) -> Result<String, CommandError> {
    let names = [shown(old), shown(new)];
    if host::same_place(old, new) {
        return Err(usage!("{} and {} are one run: give an old one and a new one", names[0], names[1]));
    }
    let records = [recorded(old)?, recorded(new)?];
    if !records.iter().any(asked_any) {
        return Err(usage!(
            "{} and {}: no iteration of either run was traced for why frames were late: run both with --causes=each",
            names[0],
            names[1]
        ));
    }
    let (windows, not_asked) = between(&diagnoses(&records[0]), &diagnoses(&records[1]));
    let held = CausesHeld {
        names: [&names[0], &names[1]],
        records: [&records[0], &records[1]],
        windows: &windows,
        not_asked,
    };
    Ok(match format {
        AnalyzeFormat::Json => json(&held),
        AnalyzeFormat::Table => table(&held),
    })
}
