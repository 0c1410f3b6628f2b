//! `farmjank trend`: what changed in the newest nights, over all cells.

use super::history::NOTHING;
use crate::args::{CompareFormat, FailOn, TrendArgs};
use crate::cell_history::{HistoryQuery, Read, read};
use crate::command_error::CommandError;
use crate::host::Streams;
use crate::settings::{Terminal, complain, refuse};
use farmjank_engine::scribe::Voice;
use farmjank_reporters::{history, paint};
use farmjank_results::compare::Effect;
use farmjank_results::metric::Unit;
use farmjank_results::metrics;
use farmjank_results::trend::Sweep;
use farmjank_results::verdict::Verdict;

/// Judges the newest nights.
pub fn run(args: &TrendArgs, terminal: Terminal) -> u8 {
    let Read { place, sweep, runs, calibrations } = match swept(args) {
        Ok(read) => read,
        Err(why) => return refuse(&why),
    };
    let code = code(&sweep, args.fail_on);
    if sweep.trends.is_empty() {
        complain(format!("there is no such cell in {place}; `farmjank history` lists them"));
        return code;
    }
    let told =
        history::HistoryView { place: &place, sweep: &sweep, runs: &runs, calibrations: &calibrations };
    let paint = paint::TextStyle { color: terminal.color, ascii: !terminal.unicode, width: terminal.width };
    Streams.out(&match args.format {
        CompareFormat::Table => history::morning(&told, code, paint),
        CompareFormat::Markdown => history::markdown(&told, code),
        CompareFormat::Json => history::trend(&told, code),
    });
    code
}

fn swept(args: &TrendArgs) -> Result<Read, CommandError> {
    let unit =
        args.cells.metric.as_deref().and_then(metrics::find).map_or(Unit::MsPerS, |metric| metric.unit);
    let effect = args.mei.as_deref().map(|text| Effect::parse(text, unit)).transpose();
    let effect = effect.map_err(|why| format!("--mei: {why}"))?;
    let newest = usize::try_from(args.nights).unwrap_or(usize::MAX);
    read(&args.cells, &HistoryQuery { keeps: &|_| true, holding: Vec::new(), newest, effect })
}

/// What the sweep comes to: changes fail where they are to, and what cannot be told is never green.
fn code(sweep: &Sweep, fail_on: Option<FailOn>) -> u8 {
    let [worse, better, quiet, few, _] = sweep.counts();
    let fails = match fail_on {
        None => false,
        Some(FailOn::Worse) => worse > 0,
        Some(FailOn::Change) => worse + better > 0,
    };
    match (fails, worse + better + quiet, few) {
        (true, ..) => Verdict::Fail.exit_code(),
        (_, 0, 0) => NOTHING,
        (_, 0, _) => Verdict::Undecided.exit_code(),
        _ => Verdict::Pass.exit_code(),
    }
}
