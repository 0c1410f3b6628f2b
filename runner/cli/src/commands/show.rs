//! `farmjank show`: one window on one phone, in depth.

use crate::args::ShowArgs;
use crate::baselines::recorded;
use crate::host::{Bundle, Streams};
use crate::settings::{Terminal, complain, refuse};
use farmjank_engine::scribe::{Kept, Voice};
use farmjank_reporters::cells::Cell;
use farmjank_reporters::show::Missed;
use farmjank_reporters::{paint, show};
use farmjank_results::verdict::{EXIT_USAGE, Verdict};

/// Candidates listed.
const MOST: usize = 40;

/// Shows a cell, or those to choose from.
pub fn run(args: &ShowArgs, terminal: Terminal) -> u8 {
    let record = match recorded(&args.run) {
        Ok(record) => record,
        Err(why) => return refuse(&why.into()),
    };
    let paint = paint::TextStyle { color: terminal.color, ascii: !terminal.unicode, width: terminal.width };
    let listed = |cells: &[Cell]| show::listed(cells, MOST, paint);
    let cell = paint.text(&args.cell, 80);
    let what = match show::find(&record, &args.cell) {
        Ok(cell) => {
            Streams.out(&show::show(&cell, &Kept(&Bundle::open(&args.run)), paint));
            return Verdict::Pass.exit_code();
        }
        Err(Missed::Several(found)) if args.cell.is_empty() => {
            Streams
                .out(&format!("name one of these, or as much of it as tells it apart:\n{}", listed(&found)));
            return Verdict::Pass.exit_code();
        }
        Err(Missed::Several(found)) => format!("`{cell}` fits several cells:\n{}", listed(&found)),
        Err(Missed::Nobody(all)) if all.is_empty() => "the run has no cells: nothing was planned".to_owned(),
        Err(Missed::Nobody(all)) => format!("`{cell}` fits no cell; there are:\n{}", listed(&all)),
    };
    complain(what.trim_end());
    EXIT_USAGE
}
