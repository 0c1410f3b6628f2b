//! `farmjank causes RUN`: what the iterations of a run that were traced for it tell.

use crate::args::{AnalyzeFormat, CausesArgs};
use crate::baselines::recorded;
use crate::command_error::{CommandError, usage};
use farmjank_leaf::text::name as shown;
use farmjank_reporters::caused::{cells_json, cells_table};
use farmjank_reporters::cells::{Cell, worst_first};
use farmjank_reporters::paint::TextStyle;
use farmjank_reporters::show::{Missed, find, listed};
use farmjank_results::record::Record;
use std::path::Path;

/// Windows listed.
const MOST: usize = 40;

/// What is printed.
///
/// # Errors
/// The run cannot be read, has no such window, or none of its windows was asked about.
pub fn answer(from: &Path, args: &CausesArgs) -> Result<String, CommandError> {
    let record = recorded(from)?;
    let cells = asked(&record, args.other.as_deref())?;
    if cells.iter().all(|cell| cell.causes().is_none()) {
        let whose = if args.other.is_some() { "of this window" } else { "of this run" };
        return Err(usage!(
            "{}: no iteration {whose} was traced for why frames were late: run it with --causes (windows that fail), or with \
             --causes=each",
            shown(from)
        ));
    }
    Ok(match args.format {
        AnalyzeFormat::Json => cells_json(&cells),
        AnalyzeFormat::Table => cells_table(&cells),
    })
}

fn asked<'r>(record: &'r Record, wanted: Option<&str>) -> Result<Vec<Cell<'r>>, CommandError> {
    let Some(wanted) = wanted else { return Ok(worst_first(record)) };
    let style = TextStyle::default();
    let named = style.text(wanted, 80);
    match find(record, wanted) {
        Ok(cell) => Ok(vec![cell]),
        Err(Missed::Several(found)) => {
            Err(usage!("`{named}` fits several cells:\n{}", listed(&found, MOST, style).trim_end()))
        }
        Err(Missed::Nobody(all)) => Err(usage!(
            "`{named}` fits no cell, and is no folder of a run; there are:\n{}",
            listed(&all, MOST, style).trim_end()
        )),
    }
}
