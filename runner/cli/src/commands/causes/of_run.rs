//! `farmjank causes RUN`: what the iterations of a run that were traced for it tell.

use super::of_stacks::exported;
use crate::args::{AnalyzeFormat, CausesArgs, StackForm};
use crate::baselines::recorded;
use crate::command_error::{CommandError, usage};
use crate::host::Bundle;
use crate::owners;
use farmjank_engine::scribe::Kept;
use farmjank_leaf::text::name as shown;
use farmjank_reporters::caused::{cells_json, cells_table};
use farmjank_reporters::cells::{Cell, worst_first};
use farmjank_reporters::html::pictures;
use farmjank_reporters::paint::TextStyle;
use farmjank_reporters::show::{Missed, find, listed};
use farmjank_results::held_stacks::of_pictures;
use farmjank_results::record::Record;
use std::path::Path;

/// Windows listed.
const MOST: usize = 40;

/// What is printed.
///
/// # Errors
/// The run cannot be read, has no such window, or none of its windows was asked about.
pub fn answer(from: &Path, args: &CausesArgs) -> Result<String, CommandError> {
    let mut record = recorded(from)?;
    if let Some(file) = &args.owners {
        owners::read(file)?.tell_all(&mut record);
    }
    let cells = asked(&record, args.other.as_deref())?;
    if cells.iter().all(|cell| cell.causes().is_none()) {
        let whose = if args.other.is_some() { "of this window" } else { "of this run" };
        return Err(usage!(
            "{}: no iteration {whose} was traced for why frames were late: run it with --causes (windows that fail), or with \
             --causes=each",
            shown(from)
        ));
    }
    if let Some(form) = args.export {
        return stacks(from, &cells, form);
    }
    Ok(match args.format {
        AnalyzeFormat::Json => cells_json(&cells),
        AnalyzeFormat::Table => cells_table(&cells),
    })
}

/// The stacks of main in the late frames and stalls of a window that have a picture.
fn stacks(from: &Path, cells: &[Cell<'_>], form: StackForm) -> Result<String, CommandError> {
    let [cell] = cells else {
        return Err(usage!("--export takes one window: name it behind the run, `phone/scenario/window`"));
    };
    let bundle = Bundle::open(from);
    let lanes = pictures(cell, &Kept(&bundle));
    let process = lanes.pictures.first().map_or(0, |one| one.process);
    let held = of_pictures(&lanes);
    if held.is_empty() {
        return Err(usage!(
            "{}: no call stack was taken in a late frame of this window: run it with --stacks, which says why where it cannot",
            shown(from)
        ));
    }
    Ok(exported(&held, process, &cell.job.planned.app, form))
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
